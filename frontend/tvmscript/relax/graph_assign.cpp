// SPDX-License-Identifier: Apache-2.0
// Bindings of graphs: assignments, with the types that they declare.
#include "frontend/script/core/value.h"
#include "frontend/syntax/walk.h"
#include "frontend/tvmscript/builder/arguments.h"
#include "frontend/tvmscript/relax/graph_module.h"
#include "ir/core/ndarray.h"
#include "ir/core/refusal.h"
#include "ir/relax/infer.h"
#include "ir/relax/origin.h"
#include "ir/tir/arith_ops.h"

namespace mlc::tvmscript {

static constexpr ir::Refusals refusals{
    "ValueError",
    {
        {.name = "annotation-mismatch",
         .kind = "TypeError",
         .message = "{}the value is {}, but is declared as {}"},
        {.name = "bad-target",
         .message = "a function of graphs binds names and tuples of names only"},
        {.name = "binding-after-output",
         .message = "`R.output` ends its dataflow block: no binding follows it",
         .help = "move the binding above `R.output`, or behind the block"},
        {.name = "cast-never-holds",
         .kind = "TypeError",
         .message = "{}the value is {}, which is never {}",
         .help = "`R.match_cast` says more about what is not known; what is known cannot be another"},
        {.name = "declaration-without-value",
         .message = "`{}` has a type but no value",
         .help = "a binding is `name: type = value`"},
        {.name = "not-a-graph-value",
         .kind = "TypeError",
         .message = "`{}` is no value of a graph"},
        {.name = "redefined-symbol", .message = "`{}` is a value already, it cannot become a symbolic variable"},
        {.name = "several-targets",
         .message = "`a = b = value` binds two names at once",
         .help = "write two bindings"},
        {.name = "symbol-of-another-type", .kind = "TypeError", .message = "`{}` is `{}` here and `{}` before"},
        {.name = "wrong-number-of-targets", .message = "a tuple of {} for {} name{}"},
        {.name = "unpacked-not-a-tuple",
         .kind = "TypeError",
         .message = "a {} is taken apart, which is no tuple of known length"},
    }};
MLC_REFUSALS(relax_graph_assign, refusals);

std::optional<Expr> to_graph_value(const Any& value, Span span) {
  if (script::is_bool(value)) return Expr(ir::bool_imm(script::raw_int(value) != 0));
  if (script::is_int(value))
    return Expr(ir::make<ir::IntImmNode>(DataType::Int(64), script::raw_int(value), span));
  if (script::is_float(value))
    return Expr(ir::make<ir::FloatImmNode>(DataType::Float(64), script::raw_float(value), span));
  if (script::is_none(value)) return std::nullopt;
  if (script::is_str(value)) return Expr(ir::make<ir::StringImmNode>(value.cast<String>(), span));
  if (is_list(value)) {
    Array<Expr> fields;
    for (const Any& each : script::elements(value)) {
      auto field = to_graph_value(each, span);
      if (!field) return std::nullopt;
      fields.push_back(*field);
    }
    return Expr(ir::make<ir::TupleNode>(fields, span));
  }
  if (auto* e = value.as<ir::ExprNode>()) return ir::ref(e);
  if (auto* array = value.as<ir::NDArrayNode>())
    return Expr(ir::make<relax::GenericConstNode>(Any(array->tensor), span));
  if (value.as<ffi::Tensor>()) return Expr(ir::make<relax::GenericConstNode>(value, span));
  return std::nullopt;
}

Expr GraphBuilder::graph_value(const Any& value, Span span, std::string_view wanted_for) {
  if (auto e = to_graph_value(value, span)) return *e;
  throw ir::refuse(refusals["not-a-graph-value"], ir::type_name(value)).at(span).help(
      fmt::format("{} is a tensor, shape, tuple, number, string or function of the graph", wanted_for));
}

Any call_graph_function(ApiCall& call) {
  auto callee = call.args[0].cast<Expr>();
  Array<Expr> args;
  for (const Any& each : script::elements(call.args[1])) {
    auto value = to_graph_value(each, call.span);
    if (!value) throw ir::refuse(refusals["not-a-graph-value"], ir::type_name(each)).at(call.span);
    args.push_back(*value);
  }
  return Expr(ir::make<ir::CallNode>(Type(nullptr), callee, args, Map<String, Any>(), call.span));
}

// ---- bindings ----

void GraphBuilder::require_open(Span span) const {
  if (dataflow_ && dataflow_->output_span)
    throw ir::refuse(refusals["binding-after-output"]).at(span).note("the block ends here", dataflow_->output_span);
}

// What is bound has the type that the program says, where that is possible. A value whose type follows from
// what it is (a variable, a tuple, a constant) keeps that.
Expr GraphBuilder::typed(Expr value, const Type& type, Span span, Span type_span) {
  Expr normal = block_builder_.normalize(value);
  if (!type) return normal;
  relax::InferContext context = bindings();
  if (relax::fits(type, normal->ty, context) == relax::Fit::kNever) {
    relax::Clash clash = relax::find_clash(type, normal->ty, context);
    ir::Error error = ir::refuse(refusals["annotation-mismatch"], clash.path, clash.given, clash.wanted)
                          .at(span)
                          .note("the type is declared here", type_span);
    relax::explain_clash(error, normal, type, context);
    throw error;
  }
  if (auto* call = ir::as<ir::CallNode>(normal); call && !relax::is_prim(normal) && !ir::structural_equal(type, normal->ty))
    return ir::with(ir::ref(call), [&](ir::CallNode& n) { n.ty = type; });
  return normal;
}

// The builder numbers every binding, named or not, as TVM does: so the variables of nested calls have TVM's names.
Var GraphBuilder::emit(Expr value, std::string_view name, Span span) {
  Var var = block_builder_.emit(std::move(value));
  auto* node = const_cast<ir::VarNode*>(var.get());
  node->name = String(std::string(name));
  node->span = span;
  if (dataflow_) dataflow_->emitted.insert(node);
  return var;
}

void GraphBuilder::declare(const syntax::Name& name, const Var& var, Span span) {
  // A name of the script outside, such as a TypeVar, is hidden by that of the function.
  const Any* known = names_.peek(name.id);
  if (auto* before = known == nullptr ? nullptr : known->as<ir::VarNode>()) {
    if (!relax::is_prim(ir::ref(before)))
      throw ir::refuse(refusals["redefined-symbol"], name.id.str()).at(name.span);
    if (!(before->dtype() == var->dtype())) {
      throw ir::refuse(refusals["symbol-of-another-type"], name.id.str(), var->dtype().str(), before->dtype().str())
          .at(span)
          .note("it is defined here first", before->span);
    }
    return;
  }
  name_once(var.get(), name.id.str());
  const_cast<ir::VarNode&>(*var).span = name.span;
  names_.bind(name.id, Expr(var), name.span);
}

// `n = T.int64()` declares a symbolic variable; any other value, be it a variable, is bound.
bool GraphBuilder::is_declaration(const syntax::Expr& source) const {
  auto* call = syntax::as<syntax::Call>(&source);
  if (!call || !call->args.empty() || !call->keywords.empty()) return false;
  return syntax::as<syntax::Attribute>(call->func) != nullptr;
}

void GraphBuilder::bind(const syntax::Name& name, const Any& value, const syntax::Expr& source, Type type,
                        Span type_span) {
  if (auto* meta = frame<MetaVarNode>(value)) return names_.bind(name.id, meta->value, name.span);
  if (auto* var = value.as<ir::VarNode>();
      var && var->name.empty() && relax::is_prim(ir::ref(var)) && is_declaration(source))
    return declare(name, ir::ref(var), source.span);
  if (auto* cast = value.as<MatchCastValueNode>()) {
    require_open(name.span);
    if (type && !ir::structural_equal(type, cast->type)) {
      throw ir::refuse(refusals["annotation-mismatch"], "", relax::describe(cast->type), relax::describe(type))
          .at(source.span)
          .note("the type is declared here", type_span)
          .help("leave the annotation out: `R.match_cast` says the type");
    }
    Expr operand = block_builder_.normalize_operand(cast->value);
    relax::InferContext context = bindings();
    if (relax::fits(cast->type, operand->ty, context) == relax::Fit::kNever &&
        relax::fits(operand->ty, cast->type, context) == relax::Fit::kNever) {
      relax::Clash clash = relax::find_clash(cast->type, operand->ty, context);
      ir::Error error = ir::refuse(refusals["cast-never-holds"], clash.path, clash.given, clash.wanted).at(source.span);
      relax::explain_clash(error, operand, cast->type, context);
      throw error;
    }
    Var var = block_builder_.emit_match_cast(operand, cast->type);
    auto* node = const_cast<ir::VarNode*>(var.get());
    node->name = String(std::string(name.id.str()));
    node->span = name.span;
    if (dataflow_) dataflow_->emitted.insert(node);
    return names_.bind(name.id, Expr(var), name.span);
  }
  std::optional<Expr> graph;
  bool number = script::is_bool(value) || script::is_int(value) || script::is_float(value);
  if (number) {
    auto* prim = type.as<ir::PrimTypeNode>();
    graph = prim ? ir::cast(prim->dtype, *to_graph_value(value, source.span), source.span)
                 : Expr(ir::make<relax::GenericConstNode>(Any(scalar_tensor(value)), source.span));
  } else if (value.as<ir::ExprNode>() || value.as<ffi::ArrayObj>() || value.as<ir::NDArrayNode>() ||
             value.as<ffi::Tensor>()) {
    graph = to_graph_value(value, source.span);
  }
  // A name for something of the script: `cls = Module`, a list, a string.
  if (!graph) return names_.bind(name.id, value, name.span);
  require_open(name.span);
  Expr bound = typed(*graph, type, source.span, type_span);
  names_.bind(name.id, Expr(emit(bound, name.id.str(), name.span)), name.span);
}

void GraphBuilder::assign(const syntax::Expr& target, const Any& value, const syntax::Expr& source, Type type,
                          Span type_span) {
  if (auto* name = syntax::as<syntax::Name>(&target)) return bind(*name, value, source, type, type_span);
  syntax::Seq<syntax::Expr> targets;
  if (auto* tuple = syntax::as<syntax::Tuple>(&target)) targets = tuple->elts;
  if (auto* list = syntax::as<syntax::List>(&target)) targets = list->elts;
  if (targets.empty() || type) throw ir::refuse(refusals["bad-target"]).at(target.span);
  // Values side by side are bound one by one; a tuple of the graph is taken apart.
  std::vector<Any> parts;
  syntax::Seq<syntax::Expr> sources;
  if (auto* tuple = syntax::as<syntax::Tuple>(&source)) sources = tuple->elts;
  if (is_list(value)) {
    for (const Any& each : script::elements(value)) parts.push_back(each);
  } else {
    Expr whole = block_builder_.normalize(graph_value(value, source.span, "what is taken apart"));
    const auto* types = relax::type_as<ir::TupleTypeNode>(whole);
    if (!types) throw ir::refuse(refusals["unpacked-not-a-tuple"], relax::kind_name(whole->ty)).at(source.span);
    require_open(target.span);
    if (whole->kind != ir::ExprKind::kVar && whole->kind != ir::ExprKind::kTuple) {
      whole = block_builder_.emit(whole);
      if (dataflow_) dataflow_->emitted.insert(static_cast<const ir::VarNode*>(whole.get()));
    }
    for (size_t i = 0; i < types->elements.size(); ++i)
      parts.push_back(Expr(ir::make<ir::TupleGetItemNode>(whole, static_cast<int64_t>(i), source.span)));
  }
  if (parts.size() != targets.size()) {
    throw ir::refuse(refusals["wrong-number-of-targets"], parts.size(), targets.size(), targets.size() == 1 ? "" : "s")
        .at(target.span);
  }
  for (size_t i = 0; i < parts.size(); ++i)
    assign(*targets[i], parts[i], sources.size() == parts.size() ? *sources[i] : source, {}, {});
}

void GraphBuilder::visit_assign(const syntax::Assign& node) {
  if (node.targets.size() != 1) throw ir::refuse(refusals["several-targets"]).at(node.span);
  assign(*node.targets[0], evaluate(*node.value), *node.value, {}, {});
}
void GraphBuilder::visit_ann_assign(const syntax::AnnAssign& node) {
  if (!node.value)
    throw ir::refuse(refusals["declaration-without-value"], ir::SourceMap::current().text(node.target->span))
        .at(node.span);
  Any value = evaluate(*node.value);
  Type type = annotation(*node.annotation);
  assign(*node.target, value, *node.value, type, node.annotation->span);
}

void GraphBuilder::poison(const syntax::Expr& target) {
  if (auto* name = syntax::as<syntax::Name>(&target))
    return names_.bind(name->id, Any(ir::make<PoisonNode>()), target.span);
  if (auto* tuple = syntax::as<syntax::Tuple>(&target)) {
    for (const syntax::Expr* element : tuple->elts) poison(*element);
  }
}

}  // namespace mlc::tvmscript
