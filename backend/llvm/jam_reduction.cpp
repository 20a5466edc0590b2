// SPDX-License-Identifier: Apache-2.0
#include "backend/llvm/jam_reduction.h"

#include <algorithm>

#include "ir/core/visit.h"
#include "ir/tir/arith_ops.h"
#include "ir/tir/op.h"

namespace mlc::llvm_backend {
namespace {

using ir::Expr;
using ir::Stmt;
using ir::Var;
using ir::VarNode;

constexpr int64_t kSteps = 8;

// The update at the heart of a nest, and what surrounds it up to the reduction loop.
struct Nest {
  std::vector<const ir::ForNode*> loops;  // outermost first, without the reduction loop
  const ir::BufferStoreNode* update = nullptr;
  Expr init;  // null: the output has its first value already
};

// `e` as a sum of constant * variable over `vars`, plus anything without them. False when it is not linear.
bool linear_part(const Expr& e, int64_t factor, std::unordered_map<const VarNode*, int64_t>& coefficients) {
  if (auto* var = ir::as<VarNode>(e)) {
    if (auto found = coefficients.find(var); found != coefficients.end()) found->second += factor;
    return true;
  }
  if (auto* add = ir::as<ir::AddNode>(e)) {
    return linear_part(add->a, factor, coefficients) && linear_part(add->b, factor, coefficients);
  }
  if (auto* sub = ir::as<ir::SubNode>(e)) {
    return linear_part(sub->a, factor, coefficients) && linear_part(sub->b, -factor, coefficients);
  }
  if (auto* mul = ir::as<ir::MulNode>(e)) {
    auto right = ir::const_int(mul->b);
    auto left = ir::const_int(mul->a);
    int64_t scaled = 0;
    if (right && !__builtin_mul_overflow(factor, *right, &scaled))
      return linear_part(mul->a, scaled, coefficients);
    if (left && !__builtin_mul_overflow(factor, *left, &scaled))
      return linear_part(mul->b, scaled, coefficients);
  }
  return !ir::uses_var(e, [&](const VarNode* var) { return coefficients.contains(var); });
}

class Jam final : public ir::Rewriter {
 public:
  Stmt rewrite(const Stmt& s) override {
    if (auto* view = ir::as<ir::DeclBufferNode>(s)) {
      auto* call = ir::as_call_to(view->data, "tirx.buffer_data");
      auto* source = ir::as<VarNode>(call != nullptr ? call->args[0] : view->data);
      root_[view->buffer.get()] = source == nullptr ? nullptr : root(source);
      return s;
    }
    if (auto* loop = ir::as<ir::ForNode>(s)) {
      Nest nest;
      if (reduction(loop) && find_nest(loop, loop->body, nest) && legal(loop, nest))
        return jammed(loop, nest);
    }
    return rewrite_children(s);
  }

 private:
  static bool reduction(const ir::ForNode* loop) {
    auto extent = ir::const_int(loop->extent);
    return loop->for_kind == ir::ForKind::kSerial && !loop->step && ir::const_int(loop->min) && extent &&
           *extent >= 2 * kSteps;
  }

  static bool find_nest(const ir::ForNode* k, const Stmt& body, Nest& nest) {
    if (auto* loop = ir::as<ir::ForNode>(body)) {
      bool plain = loop->for_kind == ir::ForKind::kSerial || loop->for_kind == ir::ForKind::kUnrolled;
      if (!plain || loop->step || !ir::const_int(loop->min) || !ir::const_int(loop->extent)) return false;
      nest.loops.push_back(loop);
      return find_nest(k, loop->body, nest);
    }
    if (nest.loops.empty()) return false;
    if ((nest.update = ir::as<ir::BufferStoreNode>(body)) != nullptr) return true;
    auto* pair = ir::as<ir::SeqStmtNode>(body);
    if (pair == nullptr || pair->seq.size() != 2) return false;
    auto* first = ir::as<ir::IfThenElseNode>(pair->seq[0]);
    nest.update = ir::as<ir::BufferStoreNode>(pair->seq[1]);
    if (first == nullptr || first->else_case || nest.update == nullptr) return false;
    auto* is_first = ir::as<ir::EQNode>(first->condition);
    auto* init = ir::as<ir::BufferStoreNode>(first->then_case);
    if (is_first == nullptr || init == nullptr || is_first->a.get() != k->loop_var.get()) return false;
    if (!ir::const_int(is_first->b) || ir::const_int(is_first->b) != ir::const_int(k->min)) return false;
    if (init->buffer.get() != nest.update->buffer.get() ||
        !ir::structural_equal(init->indices, nest.update->indices))
      return false;
    if (ir::side_effect(init->value) > ir::Effect::kPure) return false;
    nest.init = init->value;
    return true;
  }

  const VarNode* root(const VarNode* buffer) const {
    auto found = root_.find(buffer);
    return found == root_.end() ? buffer : found->second;
  }

  // One memory cell per instance of the inner loops, the same for every k.
  static bool distinct_cells(const ir::ForNode* k, const Nest& nest) {
    if (nest.update->indices.size() != 1) return false;
    Expr index = nest.update->indices[0];
    if (ir::uses_var(index, [&](const VarNode* var) { return var == k->loop_var.get(); })) return false;
    struct Stride {
      int64_t step;
      int64_t extent;
    };
    std::vector<Stride> strides;
    if (auto* ramp = ir::as<ir::RampNode>(index)) {
      auto step = ir::const_int(ramp->stride);
      auto lanes = ir::const_int(ramp->lanes);
      if (!step || !lanes) return false;
      strides.push_back({std::abs(*step), *lanes});
      index = ramp->base;
    }
    if (index->dtype().is_vector()) return false;
    std::unordered_map<const VarNode*, int64_t> coefficients;
    for (const ir::ForNode* loop : nest.loops) coefficients[loop->loop_var.get()] = 0;
    if (!linear_part(index, 1, coefficients)) return false;
    for (const ir::ForNode* loop : nest.loops) {
      strides.push_back({std::abs(coefficients[loop->loop_var.get()]), *ir::const_int(loop->extent)});
    }
    // Like digits of a number: each step is larger than everything the smaller ones can add up to.
    std::ranges::sort(strides, {}, &Stride::step);
    int64_t reach = 0;
    for (const Stride& one : strides) {
      if (one.extent <= 1) continue;
      if (one.step <= reach) return false;
      reach += one.step * (one.extent - 1);
    }
    return true;
  }

  bool legal(const ir::ForNode* k, const Nest& nest) const {
    if (!distinct_cells(k, nest)) return false;
    const VarNode* output = root(nest.update->buffer.get());
    if (output == nullptr) return false;
    int own_loads = 0;
    bool good = ir::side_effect(nest.update->value) <= ir::Effect::kReadState;
    ir::post_order(nest.update->value, [&](const Expr& e) {
      if (ir::as<ir::CallNode>(e) && ir::side_effect(e) > ir::Effect::kPure) good = false;
      if (ir::as<ir::LetNode>(e)) good = false;
      auto* load = ir::as<ir::TensorLoadNode>(e);
      if (load == nullptr) return;
      const VarNode* source = root(load->source.get());
      if (source == nullptr) good = false;
      if (source != output) return;
      ++own_loads;
      good = good && load->source.get() == nest.update->buffer.get() &&
             ir::structural_equal(load->indices, nest.update->indices);
    });
    return good && own_loads == 1;
  }

  // The update's value for one k, with what was computed before in place of the output's element.
  static Expr step_value(const ir::ForNode* k, const Nest& nest, const Expr& at, const Expr& before) {
    struct Replace final : ir::Rewriter {
      const VarNode* buffer;
      Expr before;
      Expr rewrite(const Expr& e) override {
        auto* load = ir::as<ir::TensorLoadNode>(e);
        if (load != nullptr && load->source.get() == buffer) return before;
        return rewrite_children(e);
      }
    };
    Expr value = ir::substitute(nest.update->value, ir::VarMap{{k->loop_var.get(), at}});
    if (!before) return value;
    Replace replace;
    replace.buffer = nest.update->buffer.get();
    replace.before = before;
    return replace.rewrite(value);
  }

  // The inner loops around `count` steps from `first` on.
  static Stmt steps(const ir::ForNode* k, const Nest& nest, const Expr& first, int64_t count, Expr before) {
    for (int64_t i = 0; i < count; ++i)
      before = step_value(k, nest, ir::add(first, ir::const_like(first, i)), before);
    Stmt body =
        ir::make<ir::BufferStoreNode>(nest.update->buffer, before, nest.update->indices, nest.update->span);
    for (size_t i = nest.loops.size(); i-- > 0;) {
      body = ir::with(ir::ref(nest.loops[i]), [&](ir::ForNode& loop) { loop.body = body; });
    }
    return body;
  }

  static Stmt jammed(const ir::ForNode* k, const Nest& nest) {
    int64_t min = *ir::const_int(k->min);
    int64_t extent = *ir::const_int(k->extent);
    int64_t groups = extent / kSteps;
    ir::Array<Stmt> parts;
    auto constant = [&](int64_t value) { return ir::const_like(k->loop_var, value); };
    if (nest.init) parts.push_back(steps(k, nest, constant(min), kSteps, nest.init));
    int64_t begin = nest.init ? 1 : 0;
    Var group = ir::make<VarNode>(k->loop_var->name, k->loop_var->ty);
    Expr first = ir::add(ir::mul(group, constant(kSteps)), constant(min));
    parts.push_back(ir::make<ir::ForNode>(group, constant(begin), constant(groups - begin),
                                          ir::ForKind::kSerial, steps(k, nest, first, kSteps, nullptr),
                                          nullptr, k->annotations, nullptr, k->span));
    if (extent % kSteps != 0)
      parts.push_back(steps(k, nest, constant(min + groups * kSteps), extent % kSteps, nullptr));
    return ir::seq(parts);
  }

  std::unordered_map<const VarNode*, const VarNode*>
      root_;  // views -> the buffer whose memory they show; null: unknown
};

}  // namespace

ir::PrimFunc jam_reductions(const ir::PrimFunc& fn) {
  if (!ir::has_flag(fn, "tirx.noalias") && !ir::has_flag(fn, "tir.noalias")) return fn;
  Jam jam;
  Stmt body = jam.rewrite(fn->body);
  if (body.get() == fn->body.get()) return fn;
  return ir::with(fn, [&](ir::PrimFuncNode& n) { n.body = body; });
}

}  // namespace mlc::llvm_backend
