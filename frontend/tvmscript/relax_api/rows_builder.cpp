// SPDX-License-Identifier: Apache-2.0
// relax::BlockBuilder as an object of scripts. The class that they see stands in
// stdlib/tvm/relax/block_builder.mlc.
#include <memory>

#include "frontend/tvmscript/relax_api/rows.h"
#include "ir/core/refusal.h"
#include "ir/relax/normalize.h"
#include "ir/relax/visit.h"

namespace mlc::tvmscript {

static constexpr ir::Refusals refusals{
    "InternalError+RuntimeError",
    {
        {.name = "no-open-block",
         .message = "there is no block to bind in",
         .help = "emit within `with bb.function(...)` or `with bb.dataflow()`"},
        {.name = "no-open-scope", .message = "there is no scope to end"},
        {.name = "output-outside-dataflow",
         .message = "an output is of a dataflow block, and there is none here",
         .help = "use `bb.emit`, or emit within `with bb.dataflow()`"},
    }};
MLC_REFUSALS(relax_api_rows_builder, refusals);

namespace {

struct BlockBuilderNode final : ffi::Object {
  std::shared_ptr<relax::BlockBuilder> builder;
  int64_t scopes = 0;
  explicit BlockBuilderNode(std::shared_ptr<relax::BlockBuilder> builder) : builder(std::move(builder)) {}
  static constexpr bool _type_mutable = true;
  MLC_NODE("mlc.relax.BlockBuilder", BlockBuilderNode, ffi::Object);
};

BlockBuilderNode& builder_node(const ApiCall& call) {
  if (auto* node = script::as<BlockBuilderNode>(call.args[0])) return *node;
  ir::wrong_argument(call, 0, "BlockBuilder");
}
relax::BlockBuilder& builder_of(const ApiCall& call) { return *builder_node(call).builder; }
relax::BlockBuilder& open_of(const ApiCall& call) {
  relax::BlockBuilder& builder = builder_of(call);
  if (!builder.has_block()) throw ir::refuse(refusals["no-open-block"]).at(call.span);
  return builder;
}
std::string hint_arg(const ApiCall& call, size_t i) {
  return is_given(call, i) ? std::string(view(str_arg(call, i))) : "";
}

Any create(ApiCall& call) {
  ir::IRModule mod = is_given(call, 0) ? node_arg<ir::IRModuleNode>(call, 0, "IRModule") : ir::IRModule();
  // A copy: what the caller does to its module later is not seen here.
  if (mod) mod = ir::with(mod, [](ir::IRModuleNode&) {});
  return ir::make<BlockBuilderNode>(std::make_shared<relax::BlockBuilder>(call.host, mod));
}
Any begin_dataflow(ApiCall& call) {
  builder_of(call).begin_dataflow_block();
  return nullptr;
}
Any begin_bindings(ApiCall& call) {
  builder_of(call).begin_binding_block();
  return nullptr;
}
Any end_block(ApiCall& call) { return open_of(call).end_block(); }
Any begin_scope(ApiCall& call) {
  auto params = node_list<ir::VarNode>(call, 1, "a list of variables");
  builder_of(call).begin_scope(params);
  ++builder_node(call).scopes;
  return nullptr;
}
Any end_scope(ApiCall& call) {
  if (builder_node(call).scopes == 0) throw ir::refuse(refusals["no-open-scope"]).at(call.span);
  --builder_node(call).scopes;
  builder_of(call).end_scope();
  return nullptr;
}

Any emit(ApiCall& call) { return open_of(call).emit(graph_arg(call, 1), hint_arg(call, 2)); }
Any emit_output(ApiCall& call) {
  relax::BlockBuilder& builder = open_of(call);
  if (!builder.in_dataflow()) throw ir::refuse(refusals["output-outside-dataflow"]).at(call.span);
  return builder.emit_output(graph_arg(call, 1), hint_arg(call, 2));
}
Any emit_match_cast(ApiCall& call) {
  return open_of(call).emit_match_cast(graph_arg(call, 1), type_arg(call, 2), hint_arg(call, 3));
}
Any emit_normalized(ApiCall& call) {
  open_of(call).emit_normalized(node_arg<relax::BindingNode>(call, 1, "a binding"));
  return nullptr;
}
Any normalize(ApiCall& call) { return builder_of(call).normalize(graph_arg(call, 1)); }
// A variable, constant, shape or tuple: what is none is bound to a new variable.
Any normalize_operand(ApiCall& call) {
  relax::BlockBuilder& builder = builder_of(call);
  return builder.has_block() ? builder.normalize_operand(graph_arg(call, 1))
                             : builder.normalize(graph_arg(call, 1));
}
Any lookup(ApiCall& call) {
  Expr value = builder_of(call).lookup(node_arg<ir::VarNode>(call, 1, "a variable"));
  return value ? Any(value) : Any(nullptr);
}
Any unique_name(ApiCall& call) { return String(builder_of(call).unique_name(view(str_arg(call, 1)))); }
Any in_dataflow(ApiCall& call) { return builder_of(call).in_dataflow(); }
Any add_function(ApiCall& call) {
  return builder_of(call).add_function(node_arg<ir::BaseFuncNode>(call, 1, "a function"),
                                       view(str_arg(call, 2)));
}
Any update_function(ApiCall& call) {
  builder_of(call).update_function(node_arg<ir::GlobalVarNode>(call, 1, "GlobalVar"),
                                   node_arg<ir::BaseFuncNode>(call, 2, "a function"));
  return nullptr;
}
Any module_of(ApiCall& call) {
  ir::IRModule mod = builder_of(call).module();
  return mod ? mod : ir::make<ir::IRModuleNode>();
}
// copy_with_new_vars(func)
Any copy_with_new_vars(ApiCall& call) {
  return Expr(
      relax::with_new_vars(node_arg<relax::FunctionNode>(call, 0, "a function of the graph language")));
}

#define FUNCTION(signature, doc, body) \
  { ir::ApiKind::kFunction, kRelaxNatives, signature, doc, body }
constexpr ir::ApiRow relax_builder_table[] = {
    FUNCTION("BlockBuilderCreate(mod=None)", "A builder over a module.", create),
    FUNCTION("BlockBuilderBeginDataflowBlock(builder)", "Begins a dataflow block.", begin_dataflow),
    FUNCTION("BlockBuilderBeginBindingBlock(builder)", "Begins a block of bindings.", begin_bindings),
    FUNCTION("BlockBuilderEndBlock(builder)", "The innermost block, ended.", end_block),
    FUNCTION("BlockBuilderBeginScope(builder, params=None)",
             "Symbolic variables of parameters are known from here.", begin_scope),
    FUNCTION("BlockBuilderEndScope(builder)", "Ends the innermost scope.", end_scope),
    FUNCTION("BlockBuilderEmit(builder, expr, name_hint=\"\")", "A variable bound to the value.", emit),
    FUNCTION("BlockBuilderEmitOutput(builder, expr, name_hint=\"\")",
             "A variable that is seen after the dataflow block.", emit_output),
    FUNCTION("BlockBuilderEmitMatchCast(builder, value, ty, name_hint=\"\")",
             "A variable bound by match_cast.", emit_match_cast),
    FUNCTION("BlockBuilderEmitNormalized(builder, binding)", "Adds a binding as it is.", emit_normalized),
    FUNCTION("BlockBuilderNormalize(builder, expr)", "The expression in normal form, with its type.",
             normalize),
    FUNCTION("BlockBuilderNormalizeArgument(builder, expr)", "The expression as an operand.",
             normalize_operand),
    FUNCTION("BlockBuilderLookupBinding(builder, var)", "What the variable is bound to, or None.", lookup),
    FUNCTION("BlockBuilderGetUniqueName(builder, name_prefix)", "A name that no variable has.", unique_name),
    FUNCTION("BlockBuilderCurrentBlockIsDataFlow(builder)", "Is the innermost block a dataflow block?",
             in_dataflow),
    FUNCTION("BlockBuilderAddFunction(builder, func, func_name)", "Adds a function, or finds an equal one.",
             add_function),
    FUNCTION("BlockBuilderUpdateFunction(builder, gv, updated_func)", "Replaces a function.",
             update_function),
    FUNCTION("BlockBuilderGetContextIRModule(builder)", "The module as it is.", module_of),
    {ir::ApiKind::kFunction, "tvm.relax.conversions", "copy_with_new_vars(func)",
     "The same function with new variables everywhere: a copy that may stand beside it.", copy_with_new_vars},
};
#undef FUNCTION

}  // namespace

std::shared_ptr<relax::BlockBuilder> builder_arg(const ApiCall& call) { return builder_node(call).builder; }

std::span<const ir::ApiRow> relax_builder_rows() { return relax_builder_table; }

}  // namespace mlc::tvmscript
