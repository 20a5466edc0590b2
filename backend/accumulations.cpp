// SPDX-License-Identifier: Apache-2.0
#include "backend/accumulations.h"

#include "ir/core/walk_with.h"
#include "ir/tir/op.h"

namespace mlc::backend {
namespace {

using ir::as;
using ir::Expr;
using ir::Stmt;

// An element, or some lanes, of a buffer that a statement stores to.
struct Target {
  const ir::VarNode* buffer = nullptr;
  ir::Array<Expr> indices;  // of a masked store with its mask
  Expr value;
};

Target target_of(const Stmt& s) {
  if (auto* store = as<ir::BufferStoreNode>(s)) return {store->buffer.get(), store->indices, store->value};
  auto* evaluated = as<ir::EvaluateNode>(s);
  auto* call = evaluated ? ir::as_call_to(evaluated->value, "tirx.masked_store") : nullptr;
  if (!call || call->args.size() < 4) return {};
  ir::Array<Expr> indices(call->args.begin() + 2, call->args.end());
  return {as<ir::VarNode>(call->args[0]), indices, call->args[1]};
}

bool reads_back(const Expr& e, const Target& target) {
  if (auto* load = as<ir::TensorLoadNode>(e))
    return load->source.get() == target.buffer && ir::structural_equal(load->indices, target.indices);
  auto* call = ir::as_call_to(e, "tirx.masked_load");
  return call && call->args.size() == target.indices.size() + 1 && call->args[0].get() == target.buffer &&
         ir::structural_equal(ir::Array<Expr>(call->args.begin() + 1, call->args.end()), target.indices);
}

// The sums of a statement `S[i] = S[i] + x - y`, or, where it does not read back, of `S[i] = z + x - y`.
struct Sums {
  std::vector<const ir::BinaryNode*> all;
  bool reads_back = false;
};
Sums sums_of(const Target& target) {
  Sums sums;
  for (Expr e = target.value; e && !sums.reads_back;) {
    auto* sum = ir::as_binary(e);
    bool adds = sum && sum->kind == ir::ExprKind::kAdd;
    if (!adds && !(sum && sum->kind == ir::ExprKind::kSub)) break;
    sums.all.push_back(sum);
    e = adds && reads_back(sum->b, target) ? sum->b : sum->a;
    sums.reads_back = reads_back(e, target);
  }
  return sums;
}

// Does each step of the loop add to one number what the step before has left there? A sum is done sooner than
// a multiply-add, and the products wait for nobody.
bool is_chain(const ir::ForNode* loop, const Target& target) {
  if (loop == nullptr || loop->for_kind != ir::ForKind::kSerial || target.value->dtype().is_vector())
    return false;
  if (loop->annotations.count(ir::String("mlc.reassociate")) != 0) return false;
  for (const Expr& index : target.indices)
    if (ir::uses_var(index, [&](const ir::VarNode* var) { return var == loop->loop_var.get(); }))
      return false;
  return true;
}

}  // namespace

std::unordered_set<const ir::BinaryNode*> accumulations(const Stmt& body) {
  std::unordered_set<const ir::BinaryNode*> found;
  std::unordered_set<const ir::VarNode*> reduced;
  std::vector<std::pair<const ir::VarNode*, std::vector<const ir::BinaryNode*>>> first_steps;
  std::unordered_map<const ir::ForNode*, std::vector<Sums>> chains;
  const ir::ForNode* innermost = nullptr;
  ir::walk_with(body, [&](const Stmt& s, ir::Walker& on) {
    if (auto* loop = as<ir::ForNode>(s)) {
      const ir::ForNode* around = std::exchange(innermost, loop);
      on.walk_children(s);
      innermost = around;
      return;
    }
    if (Target target = target_of(s); target.buffer) {
      Sums sums = sums_of(target);
      if (sums.reads_back) {
        reduced.insert(target.buffer);
        chains[is_chain(innermost, target) ? innermost : nullptr].push_back(std::move(sums));
      } else if (!sums.all.empty()) {
        first_steps.emplace_back(target.buffer, std::move(sums.all));
      }
    }
    on.walk_children(s);
  });
  for (const auto& [loop, sums] : chains)
    for (const Sums& each : sums)  // several take turns
      if (loop == nullptr || sums.size() > 1) found.insert(each.all.begin(), each.all.end());
  for (const auto& [buffer, sums] : first_steps) {
    if (reduced.contains(buffer)) found.insert(sums.begin(), sums.end());
  }
  return found;
}

}  // namespace mlc::backend
