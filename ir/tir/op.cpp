// SPDX-License-Identifier: Apache-2.0
#include "ir/tir/op.h"

#include <algorithm>

#include "ir/core/refusal.h"
#include "ir/core/visit.h"
#include "ir/relax/operator.h"

namespace mlc::ir {

static constexpr ir::Refusals refusals{"AttributeError+ValueError",
                                       {
                                           {.name = "unknown-operator",
                                            .message = "there is no operator `{}`",
                                            .meaning = "There is no operator of this name.",
                                            .wrong = R"(import tvm
tvm.ir.Op.get("tirx.nothing"))",
                                            .right = R"(import tvm
tvm.ir.Op.get("tirx.exp"))"},
                                       }};
MLC_REFUSALS(tir_op, refusals);

namespace {

struct Table {
  std::unordered_map<std::string_view, Op> by_name;
  std::unordered_map<const OpNode*, const OpRow*> row_of;

  Table() {
    for (const OpRow& row : op_rows()) {
      Op one = make<OpNode>(String(std::string(row.name)));
      by_name[row.name] = one;
      row_of[one.get()] = &row;
    }
  }
};
const Table& table() {
  static const Table built;
  return built;
}

}  // namespace

std::span<const OpRow> op_rows() {
  static const std::vector<OpRow> rows = [] {
    std::vector<OpRow> all;
    for (std::span<const OpRow> part : {scalar_op_rows(), device_op_rows(), ptx_op_rows(), tile_op_rows()})
      all.insert(all.end(), part.begin(), part.end());
    return all;
  }();
  return rows;
}

Op op(std::string_view name) {
  if (name.starts_with("relax.")) return relax::op(name);
  const auto& by_name = table().by_name;
  auto found = by_name.find(name);
  if (found != by_name.end()) return found->second;
  // Six operators have `prim.` before their name elsewhere; here all scalar ones are `tirx.`.
  static constexpr std::string_view kPrim[] = {"ceil", "clz", "if_then_else", "likely", "log2", "vscale"};
  if (name.starts_with("prim.") &&
      std::find(std::begin(kPrim), std::end(kPrim), name.substr(5)) != std::end(kPrim))
    return by_name.at("tirx." + std::string(name.substr(5)));
  std::vector<std::string> names;
  for (const OpRow& row : op_rows()) names.emplace_back(row.name);
  throw ir::refuse(refusals["unknown-operator"], name).help(did_you_mean(name, names));
}
const OpRow& op_row(const OpNode* op) {
  auto found = table().row_of.find(op);
  MLC_CHECK(found != table().row_of.end(), "operator `{}` was not made by op()", op->name.c_str());
  return *found->second;
}
Expr call_op(DataType dtype, std::string_view name, Array<Expr> args, Span span) {
  Type type = dtype.is_void() ? Type(void_type()) : Type(prim_type(dtype));
  return make<CallNode>(type, op(name), std::move(args), Map<String, Any>{}, span);
}
const CallNode* as_call_to(const Expr& e, std::string_view name) {
  auto* call = as<CallNode>(e);
  if (!call) return nullptr;
  auto* callee = as<OpNode>(call->op);
  return callee && std::string_view(callee->name.data(), callee->name.size()) == name ? call : nullptr;
}
Effect side_effect(const Expr& e) {
  Effect worst = Effect::kPure;
  post_order(e, [&](const Expr& part) {
    if (as<TensorLoadNode>(part)) worst = std::max(worst, Effect::kReadState);
    if (auto* call = as<CallNode>(part)) {
      auto* op = as<OpNode>(call->op);
      worst = std::max(worst, op ? op_row(op).effect : Effect::kOpaque);
    }
  });
  return worst;
}

}  // namespace mlc::ir
