// SPDX-License-Identifier: Apache-2.0
// Execution scopes and the ids that count in them as values: tirx.ExecScope, ScopeIdDef, LambdaExpr.
#include "frontend/script/core/library.h"
#include "frontend/script/core/value.h"
#include "frontend/tvmscript/builder/node_arguments.h"
#include "frontend/tvmscript/builder/rows.h"
#include "frontend/tvmscript/builder/scope_binding.h"
#include "ir/core/error_kinds.h"
#include "ir/core/refusal.h"
#include "ir/core/visit.h"

namespace mlc::tvmscript {

static constexpr ir::Refusals refusals{
    ir::kRefusedValue,
    {
        {.name = "bad-scope-id"},
        {.name = "unknown-scope",
         .message = "there is no execution scope `{}`",
         .meaning = "A scope of execution of a kernel; the message lists those that there are."},
    }};
MLC_REFUSALS(device_rows_scope, refusals);

namespace {

using ir::ApiKind;
using ir::ScopeBinding;

Any name_of_scope(ApiCall& call) {
  for (const auto& [name, kind] : scope_kinds) {
    if (static_cast<int32_t>(kind) == call.args[0].as<ir::ExecScopeNode>()->scope_kind)
      return String(std::string(name));
  }
  return nullptr;
}
Any exec_scope(ApiCall& call) {
  String name = str_arg(call, 0);
  std::vector<std::string> names;
  for (const auto& [known, kind] : scope_kinds) {
    if (known == view(name)) return ir::exec_scope(kind);
    names.emplace_back(known);
  }
  throw ir::refuse(refusals["unknown-scope"], name.c_str())
      .at(call.span_of(0))
      .help(ir::did_you_mean(view(name), names));
}

Array<Expr> extents_at(const ApiCall& call, size_t i) {
  return is_given(call, i) ? exprs_arg(call, i) : Array<Expr>();
}

Any make_scope_ids(ApiCall& call) {
  Array<Var> ids;
  for (const Any& one : items(call.args[0], call.span_of(0))) {
    auto* id = one.as<ir::VarNode>();
    if (id == nullptr || id->buffer() != nullptr) ir::wrong_argument(call, 0, "variables");
    ids.push_back(ir::ref(id));
  }
  Array<Expr> extents = extents_at(call, 1);
  String parent = str_arg(call, 2), current = str_arg(call, 3);
  std::optional<ScopeBinding> binding = scope_binding(view(parent), view(current));
  if (!binding) {
    throw ir::refuse_as(refusals["bad-scope-id"], "no id counts `{}` within `{}`", current.c_str(),
                        parent.c_str())
        .at(call.span_of(2));
  }
  if (extents.empty() ? ids.size() != 1 : ids.size() != extents.size()) {
    throw ir::refuse_as(refusals["bad-scope-id"], "{} variables for {} extents", ids.size(), extents.size())
        .at(call.span_of(1))
        .help("without extents, which are found from other definitions then, there is one variable");
  }
  return ir::make<ir::ScopeIdDefNode>(ids, extents, *binding, extents_at(call, 4));
}
Any scope_ids_text(ApiCall& call) {
  auto* def = call.args[0].as<ir::ScopeIdDefNode>();
  auto listed = [&](const auto& all) {
    std::vector<std::string> parts;
    for (const auto& one : all) parts.push_back(call.host.repr(Any(one)));
    return fmt::format("[{}]", fmt::join(parts, ", "));
  };
  auto [parent, current] = scope_names(static_cast<ScopeBinding>(def->scope));
  return String(fmt::format("T.ScopeIdDef({}, {}, \"{}\", \"{}\")", listed(def->def_ids),
                            def->extents.empty() ? "None" : listed(def->extents), parent, current));
}
Any make_scope_statement(ApiCall& call) {
  auto* def = call.args[0].as<ir::ScopeIdDefNode>();
  if (def == nullptr) ir::wrong_argument(call, 0, "ScopeIdDef");
  return ir::make<ir::ScopeIdDefStmtNode>(ir::ref(def), call.span);
}

Any make_lambda(ApiCall& call) { return lambda_arg(call, 0, "the value of the function"); }
Any lambda_text(ApiCall& call) {
  auto* lambda = call.args[0].as<ir::LambdaExprNode>();
  std::vector<std::string> names;
  for (const Var& var : lambda->vars) names.push_back(call.host.repr(Any(Expr(var))));
  return String(fmt::format("lambda {}: {}", fmt::join(names, ", "), call.host.repr(Any(lambda->pred))));
}
Any apply_lambda(ApiCall& call) {
  auto* lambda = call.args[0].as<ir::LambdaExprNode>();
  Array<Expr> indices = exprs_arg(call, 1);
  if (indices.size() != lambda->vars.size()) {
    throw ir::Error("wrong-number-of-indices", "{} indices for a function of {}", indices.size(),
                    lambda->vars.size())
        .at(call.span_of(1))
        .kind("InternalError");
  }
  ir::VarMap values;
  for (size_t i = 0; i < indices.size(); ++i)
    values[lambda->vars[static_cast<int64_t>(i)].get()] = indices[static_cast<int64_t>(i)];
  return ir::substitute(lambda->pred, values);
}

// tile_call(op, args, workspace, config, dispatch, scope)
Any make_tile_call(ApiCall& call) {
  auto* op = call.args[0].as<ir::OpNode>();
  if (op == nullptr) ir::wrong_argument(call, 0, "an operator of tiles");
  Array<Any> args;
  for (const Any& one : items(call.args[1], call.span_of(1)))
    args.push_back(is_list(one) ? attribute_value(one, call.span_of(1)) : one);
  auto* scope = call.args[5].as<ir::ExecScopeNode>();
  if (scope == nullptr) ir::wrong_argument(call, 5, "an execution scope");
  String dispatch = is_given(call, 4) ? str_arg(call, 4) : String();
  return ir::make<ir::TilePrimitiveCallNode>(ir::ref(op), args, attributes_arg(call, 2),
                                             attributes_arg(call, 3), dispatch, ir::ref(scope), call.span);
}
// An object of a script's class stands for the statement from now on.
Any stand_for(ApiCall& call) {
  auto* object = script::as<script::InstanceNode>(call.args[0]);
  auto* statement = call.args[1].as<ir::StmtNode>();
  if (object == nullptr || statement == nullptr) ir::wrong_argument(call, 1, "a statement");
  object->payload = call.args[1];
  return call.args[0];
}
// The statement that an object stands for: arguments are made plain before they come here.
Any statement_of(ApiCall& call) { return call.args[0]; }
// The schedule that is asked for, or None.
Any tile_dispatch(ApiCall& call) {
  const String& name = call.args[0].as<ir::TilePrimitiveCallNode>()->dispatch;
  return name.empty() ? Any(nullptr) : Any(name);
}
constexpr std::string_view kTileCalls = "tvm.tirx.operator.tile_primitive.calls";
Any class_of_tile_calls(ApiCall& call) { return call.host.call_library(kTileCalls, "class_of_calls", {}); }
// The member of the library that the row is named after, which is loaded then.
Any tile_call_member(ApiCall& call) {
  return script::library_member(call.host, std::string(kTileCalls), call.api.name);
}
// An operand by its name: the first is what is written.
template <int kIndex>
Any tile_operand(ApiCall& call) {
  auto* tile = call.args[0].as<ir::TilePrimitiveCallNode>();
  if (kIndex >= tile->args.size()) {
    throw ir::Error("no-such-attribute", "`{}` has {} operands", tile->op->name.c_str(), tile->args.size())
        .kind("AttributeError")
        .at(call.span);
  }
  return tile->args[kIndex];
}

constexpr ir::ApiRow scope_table[] = {
    {ApiKind::kFunction, "tvm.script.tirx", "ExecScope(name)",
     "The threads that act together: cluster, cta, warpgroup, warp or thread.", exec_scope},
    MLC_NODE_CLASS("tirx", "exec_scope", "ExecScope", "(name)", "The threads that act together.", exec_scope),
    {ApiKind::kProperty, "mlc.tirx.ExecScope", "name", "The name: cluster, cta, warpgroup, warp or thread.",
     name_of_scope},
    MLC_NODE_CLASS("tirx", "exec_scope", "ScopeIdDef",
                   "(def_ids, extents, parent, cur, preferred_extents=None)",
                   "Variables that count threads, or groups of them, within a larger group.", make_scope_ids),
    {ApiKind::kMethod, "mlc.tirx.ScopeIdDef", "__repr__()", "The call that makes it.", scope_ids_text},
    {ApiKind::kMethod, "mlc.tirx.ScopeIdDef", "__str__()", "The call that makes it.", scope_ids_text},
    MLC_NODE_CLASS("tirx", "stmt", "ScopeIdDefStmt", "(def_, span=None)", "Where such variables are defined.",
                   make_scope_statement),
    MLC_NODE_CLASS("tirx", "tile_primitive", "LambdaExpr", "(f_pred)", "A function of indices as a value.",
                   make_lambda),
    {ApiKind::kValue, "tvm.tirx", "TilePrimitiveCall",
     "Work on tiles that the threads of a scope do together.", tile_call_member},
    {ApiKind::kValue, "tvm.tirx", "DispatchContext", "Where a call of a tile primitive stands.",
     tile_call_member},
    {ApiKind::kValue, "tvm.tirx", "normalize_const_arg", "An operand of a call: a plain float is a float32.",
     tile_call_member},
    {ApiKind::kFunction, "mlc.statements", "tile_call(op, args, workspace, config, dispatch, scope)",
     "A call of a tile primitive.", make_tile_call},
    {ApiKind::kFunction, "mlc.statements", "stand_for(object, statement)",
     "Lets an object stand for a statement, wherever one is asked for.", stand_for},
    {ApiKind::kFunction, "mlc.statements", "statement_of(object)", "The statement that an object stands for.",
     statement_of},
    {ApiKind::kProperty, "mlc.tirx.TilePrimitiveCall", "__class__", "The class of calls of tile primitives.",
     class_of_tile_calls},
    {ApiKind::kProperty, "mlc.tirx.TilePrimitiveCall", "dispatch", "The schedule that is asked for, or None.",
     tile_dispatch},
    {ApiKind::kProperty, "mlc.tirx.TilePrimitiveCall", "dst", "The first operand, which is written.",
     tile_operand<0>},
    {ApiKind::kProperty, "mlc.tirx.TilePrimitiveCall", "output", "The first operand, which is written.",
     tile_operand<0>},
    {ApiKind::kProperty, "mlc.tirx.TilePrimitiveCall", "src", "The second operand.", tile_operand<1>},
    {ApiKind::kProperty, "mlc.tirx.TilePrimitiveCall", "input", "The second operand.", tile_operand<1>},
    {ApiKind::kProperty, "mlc.tirx.TilePrimitiveCall", "lhs", "The second operand.", tile_operand<1>},
    {ApiKind::kProperty, "mlc.tirx.TilePrimitiveCall", "rhs", "The third operand.", tile_operand<2>},
    {ApiKind::kMethod, "mlc.tirx.LambdaExpr", "__repr__()", "The function's text.", lambda_text},
    {ApiKind::kMethod, "mlc.tirx.LambdaExpr", "apply(indices)", "The value at indices.", apply_lambda},
};

}  // namespace

std::span<const ir::ApiRow> scope_rows() { return scope_table; }

}  // namespace mlc::tvmscript
