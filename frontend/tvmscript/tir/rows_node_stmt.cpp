// SPDX-License-Identifier: Apache-2.0
// Statements, blocks and functions made by hand: the constructors of tvm.tirx and tvm.s_tir.
#include "frontend/tvmscript/builder/arguments.h"
#include "frontend/tvmscript/builder/node_arguments.h"
#include "frontend/tvmscript/builder/rows.h"
#include "ir/core/error_kinds.h"
#include "ir/core/refusal.h"
#include "ir/core/try_get.h"
#include "ir/core/visit.h"
#include "ir/tir/arith_ops.h"

namespace mlc::tvmscript {

static constexpr ir::Refusals refusals{
    "ValueError",
    {
        {.name = "bad-loop-kind",
         .message = "a loop is of kind 0 to 4, got {}",
         .help = "name it: `tirx.ForKind.PARALLEL`",
         .meaning = "The kinds of a loop are numbered from 0 to 4; `tirx.ForKind` names them."},
        {.name = "bad-sequence",
         .kind = ir::kRefusedValue,
         .meaning = "A sequence node has two statements or more; one statement stands for itself."},
    }};
MLC_REFUSALS(tir_rows_node_stmt, refusals);

namespace {

// A constant takes the type it is wanted in; anything else must have it.
Expr in_type(const ApiCall& call, size_t i, const Type& wanted) {
  Expr e = expr_arg(call, i);
  DataType dtype = static_cast<const ir::PrimTypeNode*>(wanted.get())->dtype;
  if (e->dtype() == dtype) return e;
  if (ir::as<ir::IntImmNode>(e)) return ir::cast(dtype, e, call.span_of(i));
  throw ir::Error("type-mismatch", "`{}` is `{}`, the loop variable is `{}`", call.api.params[i].name,
                  e->dtype().str(), dtype.str())
      .at(call.span_of(i))
      .kind(ir::kRefusedType);
}

// What TVM's constructors check is refused here too, under the class of errors that they name.
[[noreturn]] void mismatch(const ApiCall& call, size_t i, const char* kind, const std::string& what) {
  throw ir::Error("type-mismatch", "{}", what).at(call.span_of(i)).kind(kind);
}
bool is_prim(const Expr& e) { return e->ty->kind == ir::TypeKind::kPrim; }
std::string type_text(const Expr& e) {
  if (is_prim(e)) return e->dtype().str();
  auto* var = ir::as<ir::VarNode>(e);
  return var && var->buffer() ? "a buffer" : ir::as<ir::StringImmNode>(e) ? "str" : "handle";
}

Any make_bind(ApiCall& call) {
  Var var = node_arg<ir::VarNode>(call, 0, "a variable");
  Expr value = expr_or_text(call, 1);
  if ((is_prim(var) || is_prim(value)) &&
      (is_prim(var) != is_prim(value) || !(var->dtype() == value->dtype()))) {
    mismatch(
        call, 1, ir::kRefusedType,
        fmt::format("`{}` is `{}`, its value `{}`", var->name.c_str(), type_text(var), type_text(value)));
  }
  return ir::make<ir::BindNode>(var, value, call.span);
}

// The condition of a branch or a loop is one value.
Expr condition_arg(const ApiCall& call, size_t i, bool scalar) {
  Expr condition = expr_arg(call, i);
  if (!is_prim(condition)) mismatch(call, i, "TypeError", "a condition is no " + type_text(condition));
  if (scalar && condition->dtype().is_vector())
    mismatch(call, i, ir::kRefusedType, "a condition is one value, not `" + type_text(condition) + "`");
  return condition;
}

// A list that must be there, though it may be empty.
template <class N>
Array<ir::Ref<N>> given_list(const ApiCall& call, size_t i, std::string_view expected) {
  if (!is_given(call, i)) ir::wrong_argument(call, i, expected);
  return node_list<N>(call, i, expected);
}

Any make_attr(ApiCall& call) {
  Any node = call.args[0];
  if (script::is_str(node)) node = Expr(ir::make<ir::StringImmNode>(call.args[0].cast<String>(), call.span));
  if (!script::is_object(node)) node = Expr(script::as_expr(node, call.span_of(0), "`node`"));
  node = attribute_value(node, call.span_of(0));
  return ir::make<ir::AttrStmtNode>(node, str_arg(call, 1), expr_or_text(call, 2),
                                    node_arg<ir::StmtNode>(call, 3, "a statement"), call.span);
}

Any make_assert(ApiCall& call) {
  Array<String> parts;
  if (is_given(call, 2)) {
    for (const Any& part : items(call.args[2], call.span_of(2))) parts.push_back(text_from(part, call, 2));
  }
  // TVM names its first parameter `kind` and yet takes the condition there; both orders are understood.
  bool kind_first = script::is_str(call.args[0]) || call.args[0].as<ir::StringImmNode>() != nullptr;
  size_t kind = kind_first ? 0 : 1;
  Expr condition = condition_arg(call, 1 - kind, true);
  if (!condition->dtype().is_bool())
    mismatch(call, 1 - kind, ir::kRefusedType, "what is asserted is no `bool`: " + type_text(condition));
  return ir::make<ir::AssertStmtNode>(condition, text_from(call.args[kind], call, kind), parts, call.span);
}

Any make_store(ApiCall& call) {
  Buffer buffer = buffer_arg(call, 0);
  Array<Expr> indices = indices_arg(call, 2, buffer);
  check_indices(buffer, indices, call.span_of(2));
  const ir::BufferTypeNode* type = buffer->buffer();
  Expr value = expr_arg(call, 1);
  DataType dtype = type->dtype;
  if (!indices.empty()) dtype = dtype.with_lanes(dtype.lanes() * indices.back()->dtype().lanes());
  bool prim = value->ty->kind == ir::TypeKind::kPrim;
  if (!prim || !(value->dtype() == dtype)) {
    // TVM finds other lanes by a check of its own, another type by comparing.
    bool other_type = prim && value->dtype().lanes() == dtype.lanes();
    throw ir::Error("type-mismatch", "`{}` holds `{}`, the value is `{}`", buffer->name.c_str(), dtype.str(),
                    value->dtype().str())
        .at(call.span_of(1))
        .kind(other_type ? "TypeError" : ir::kRefusedType);
  }
  return ir::make<ir::BufferStoreNode>(buffer, value, indices, call.span);
}

Any make_alloc(ApiCall& call) {
  return ir::make<ir::AllocBufferNode>(buffer_arg(call, 0), attributes_arg(call, 1), call.span);
}
Any make_decl(ApiCall& call) {
  if (!is_given(call, 2)) {
    throw ir::Error("missing-argument", "`DeclBuffer` needs the memory it views")
        .at(call.span)
        .kind("TypeError")
        .help("write `DeclBuffer(buffer, data=pointer)`");
  }
  return ir::make<ir::DeclBufferNode>(buffer_arg(call, 0), expr_arg(call, 2), call.span);
}

Any make_seq(ApiCall& call) {
  Array<Stmt> flat;
  auto add = [&](const auto& self, const Stmt& stmt) -> void {
    if (auto* inner = ir::as<ir::SeqStmtNode>(stmt)) {
      for (const Stmt& one : inner->seq) self(self, one);
    } else {
      flat.push_back(stmt);
    }
  };
  for (const Stmt& stmt : node_list<ir::StmtNode>(call, 0, "a list of statements")) add(add, stmt);
  if (flat.size() < 2) {
    throw ir::refuse_as(refusals["bad-sequence"], "a sequence has at least two statements, got {}",
                        flat.size())
        .at(call.span_of(0))
        .help(flat.empty() ? "nothing is `tirx.Evaluate(0)`" : "use the statement itself");
  }
  return ir::make<ir::SeqStmtNode>(flat, call.span);
}
// stmt_seq(*args): expressions are evaluated.
Any stmt_seq(ApiCall& call) {
  Array<Stmt> all;
  for (const Any& one : script::elements(call.args[0])) {
    if (auto stmt = ir::try_get<Stmt>(one)) {
      all.push_back(*stmt);
    } else {
      all.push_back(ir::make<ir::EvaluateNode>(script::as_expr(one, call.span, "a statement"), call.span));
    }
  }
  if (all.size() == 1) return all[0];
  if (all.empty()) throw ir::refuse_as(refusals["bad-sequence"], "a sequence of nothing").at(call.span);
  return ir::make<ir::SeqStmtNode>(all, call.span);
}
Any stmt_list(ApiCall& call) {
  Stmt stmt = node_arg<ir::StmtNode>(call, 0, "a statement");
  script::List all;
  auto* seq = ir::as<ir::SeqStmtNode>(stmt);
  if (!seq) {
    all.push_back(stmt);
  } else {
    for (const Stmt& one : seq->seq) all.push_back(one);
  }
  return all;
}

Any make_evaluate(ApiCall& call) {
  Expr value = expr_or_text(call, 0);
  if (auto* var = ir::as<ir::VarNode>(value); var && var->buffer())
    mismatch(call, 0, ir::kRefusedType, fmt::format("the buffer `{}` is no value", var->name.c_str()));
  return ir::make<ir::EvaluateNode>(value, call.span);
}
Any make_if(ApiCall& call) {
  return ir::make<ir::IfThenElseNode>(condition_arg(call, 0, false),
                                      node_arg<ir::StmtNode>(call, 1, "a statement"),
                                      optional_node<ir::StmtNode>(call, 2, "a statement"), call.span);
}

// For(loop_var, min, extent, kind, body, thread_binding=None, annotations=None, step=None, span=None)
Any make_for(ApiCall& call) {
  Var var = node_arg<ir::VarNode>(call, 0, "a variable");
  if (var->ty->kind != ir::TypeKind::kPrim) ir::wrong_argument(call, 0, "an integer variable");
  if (var->dtype().is_vector() || !(var->dtype().is_int() || var->dtype().is_uint())) {
    mismatch(call, 0, ir::kRefusedType,
             fmt::format("a loop counts in integers, `{}` is `{}`", var->name.c_str(), type_text(var)));
  }
  Expr kind = expr_arg(call, 3);
  std::optional<int64_t> number = ir::const_int(kind);
  if (!number || *number < 0 || *number > static_cast<int64_t>(ir::ForKind::kThreadBinding)) {
    throw ir::refuse(refusals["bad-loop-kind"], number ? *number : -1).at(call.span_of(3));
  }
  Expr step = is_given(call, 7) ? in_type(call, 7, var->ty) : Expr();
  return ir::make<ir::ForNode>(
      var, in_type(call, 1, var->ty), in_type(call, 2, var->ty), static_cast<ir::ForKind>(*number),
      node_arg<ir::StmtNode>(call, 4, "a statement"), optional_node<ir::IterVarNode>(call, 5, "IterVar"),
      attributes_arg(call, 6), step, call.span);
}
Any make_while(ApiCall& call) {
  return ir::make<ir::WhileNode>(condition_arg(call, 0, true), node_arg<ir::StmtNode>(call, 1, "a statement"),
                                 call.span);
}
Any make_return_node(ApiCall& call) { return ir::make<ir::ReturnNode>(expr_arg(call, 0), call.span); }
Any make_break(ApiCall& call) { return ir::make<ir::BreakNode>(call.span); }
Any make_continue(ApiCall& call) { return ir::make<ir::ContinueNode>(call.span); }

// SBlock(iter_vars, reads, writes, name_hint, body, init, alloc_buffers, match_buffers, annotations)
Any make_block(ApiCall& call) {
  return ir::make<ir::SBlockNode>(
      given_list<ir::IterVarNode>(call, 0, "a list of IterVar"),
      given_list<ir::TensorRegionNode>(call, 1, "a list of regions"),
      given_list<ir::TensorRegionNode>(call, 2, "a list of regions"), str_arg(call, 3),
      node_arg<ir::StmtNode>(call, 4, "a statement"), optional_node<ir::StmtNode>(call, 5, "a statement"),
      node_list<ir::VarNode>(call, 6, "a list of buffers"),
      node_list<ir::MatchBufferRegionNode>(call, 7, "a list of MatchBufferRegion"), attributes_arg(call, 8),
      call.span);
}
Any make_realize(ApiCall& call) {
  Array<Expr> values = exprs_arg(call, 0);
  Expr predicate = expr_arg(call, 1);
  auto block = node_arg<ir::SBlockNode>(call, 2, "SBlock");
  if (values.size() != block->iter_vars.size()) {
    throw ir::Error("wrong-arguments", "block `{}` has {} iterators, got {} values", block->name_hint.c_str(),
                    block->iter_vars.size(), values.size())
        .at(call.span_of(0))
        .kind("ValueError");
  }
  if (!is_prim(predicate) || !predicate->dtype().element().is_bool())
    mismatch(call, 1, "TypeError", "the predicate of a block is a bool, not `" + type_text(predicate) + "`");
  return ir::make<ir::SBlockRealizeNode>(values, predicate, block, call.span);
}
Any make_match(ApiCall& call) {
  Buffer buffer = buffer_arg(call, 0);
  auto source = node_arg<ir::TensorRegionNode>(call, 1, "a region");
  check_match(buffer, source, call.span_of(1));
  return ir::make<ir::MatchBufferRegionNode>(buffer, source);
}

Any make_prim_func(ApiCall& call);
// PrimFunc(params, body, ret_type, buffer_map, attrs), until 2026: the parameters are the buffers today.
Any make_older_prim_func(ApiCall& call, const script::Dict& buffers) {
  script::List params;
  for (const Var& param : given_list<ir::VarNode>(call, 0, "a list of variables and buffers"))
    params.push_back(buffers.count(param) != 0 ? buffers.at(param) : Any(param));
  call.args[0] = params;
  call.args[3] = call.args[4];
  call.args[4] = nullptr;
  return make_prim_func(call);
}
Any make_prim_func(ApiCall& call) {
  if (auto buffers = call.args[3].as<script::Dict>()) {
    if (!buffers->empty() && (*buffers->begin()).first.as<ir::VarNode>()) return make_older_prim_func(call, *buffers);
  }
  Array<Var> params;
  for (const Var& param : given_list<ir::VarNode>(call, 0, "a list of variables and buffers"))
    params.push_back(param);
  Type result = is_given(call, 2) ? type_from(call.args[2], call.span_of(2)) : Type(ir::void_type());
  return ir::make<ir::PrimFuncNode>(params, result, node_arg<ir::StmtNode>(call, 1, "a statement"),
                                    attributes_arg(call, 3), call.span);
}

constexpr ir::ApiRow node_stmt_table[] = {
    MLC_NODE_CLASS("tirx", "stmt", "Stmt", "()", "Any statement.", not_constructible),
    MLC_NODE_CLASS("tirx", "stmt", "Bind", "(var, value, span=None)", "An immutable name for a value.",
                   make_bind),
    MLC_NODE_CLASS("tirx", "stmt", "AttrStmt", "(node, attr_key, value, body, span=None)",
                   "An attribute around a statement.", make_attr),
    MLC_NODE_CLASS("tirx", "stmt", "AssertStmt", "(kind, condition, message_parts=None, span=None)",
                   "Raises an error unless a condition holds.", make_assert),
    MLC_NODE_CLASS("tirx", "stmt", "BufferStore", "(buffer, value, indices, span=None)",
                   "`buffer[indices] = value`.", make_store),
    MLC_NODE_CLASS("tirx", "stmt", "AllocBuffer", "(buffer, annotations=None, span=None)",
                   "Memory for a buffer.", make_alloc),
    MLC_NODE_CLASS("tirx", "stmt", "DeclBuffer", "(buffer, span=None, *, data=None)",
                   "A view of memory that exists.", make_decl),
    MLC_NODE_CLASS("tirx", "stmt", "SeqStmt", "(seq, span=None)", "Statements in order.", make_seq),
    MLC_NODE_CLASS("tirx", "stmt", "Evaluate", "(value, span=None)", "An expression as a statement.",
                   make_evaluate),
    MLC_NODE_CLASS("tirx", "stmt", "IfThenElse", "(condition, then_case, else_case, span=None)", "A branch.",
                   make_if),
    MLC_NODE_CLASS("tirx", "stmt", "For",
                   "(loop_var, min, extent, kind, body, thread_binding=None, annotations=None, "
                   "step=None, span=None)",
                   "A loop.", make_for),
    MLC_NODE_CLASS("tirx", "stmt", "While", "(condition, body, span=None)", "A loop while a condition holds.",
                   make_while),
    MLC_NODE_CLASS("tirx", "stmt", "Return", "(value, span=None)", "Ends the function with a result.",
                   make_return_node),
    MLC_NODE_CLASS("tirx", "stmt", "Break", "(span=None)", "Leaves the loop.", make_break),
    MLC_NODE_CLASS("tirx", "stmt", "Continue", "(span=None)", "Goes on with the next iteration.",
                   make_continue),
    MLC_NODE_CLASS("s_tir", "stmt", "SBlock",
                   "(iter_vars, reads, writes, name_hint, body, init=None, alloc_buffers=None, "
                   "match_buffers=None, annotations=None, span=None)",
                   "A block.", make_block),
    MLC_NODE_CLASS("s_tir", "stmt", "SBlockRealize", "(iter_values, predicate, block, span=None)",
                   "One execution of a block where a predicate holds.", make_realize),
    MLC_NODE_CLASS("s_tir", "stmt", "MatchBufferRegion", "(buffer, source)",
                   "A region of a buffer under a name of its own.", make_match),
    MLC_NODE_CLASS("tirx", "function", "PrimFunc", "(params, body, ret_type=None, attrs=None, span=None)",
                   "A tensor program.", make_prim_func),
    {ir::ApiKind::kFunction, kTirx, "stmt_seq(*args)", "Statements and expressions in order.", stmt_seq},
    {ir::ApiKind::kFunction, kTirx, "stmt_list(stmt)", "The statements of a sequence.", stmt_list},
};

}  // namespace

std::span<const ir::ApiRow> node_stmt_rows() { return node_stmt_table; }

}  // namespace mlc::tvmscript
