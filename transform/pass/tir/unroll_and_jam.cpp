// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "ir/tir/linear.h"
#include "transform/arith/analyzer.h"
#include "transform/pass/buffer_memory.h"
#include "transform/pass/fresh_binders.h"
#include "transform/pass/rewritten_by.h"

namespace mlc::transform::pass_unroll_and_jam {
namespace {

constexpr char doc[] =
    R"(UnrollAndJam(): eight steps of a reduction loop at once inside of the loops over its output tile.

    for k in range(n):                      for k in range(n // 8):
        for i, j in T.grid(I, J):   =>          for i, j in T.grid(I, J):
            C[i, j] = C[i, j] +                     C[i, j] = C[i, j] + A[i, k * 8] * B[k * 8, j]
                A[i, k] * B[k, j]                       + A[i, k * 8 + 1] * B[k * 8 + 1, j] + ...
A first step that initialises, `if k == 0: C[i, j] = init`, becomes eight steps of their own, which begin with `init`;
the n % 8 steps that are left follow.
needs: constant extents, at least 16 steps; the output index does not depend on k and is another one for every (i, j);
what is read beside the output is other memory (`tirx.noalias`).
keeps: every element's own operations in their order, so results are the same to the last bit.
Behind vectorization and what cleans up, when the nest has its final form; for targets whose `opt-level` is 2 or more.
The tile is loaded and stored once for eight steps, where the machine has too few registers for all of it.)";

constexpr int64_t kSteps = 8;

// The update at the heart of a nest, and what surrounds it up to the reduction loop.
struct Nest {
  std::vector<const ForNode*> loops;  // outermost first, without the reduction loop
  const BufferStoreNode* update = nullptr;
  Expr init;  // null: the output has its first value already
};

class Jam final : public MemoryRewriter {
 public:
  using MemoryRewriter::MemoryRewriter;
  Stmt rewrite_declared(const Stmt& s) override {
    if (auto* loop = as<ForNode>(s)) {
      Nest nest;
      if (reduction(loop) && find_nest(loop, loop->body, nest) && legal(loop, nest))
        return jammed(loop, nest);
    }
    return rewrite_children(s);
  }

 private:
  static bool reduction(const ForNode* loop) {
    auto extent = const_int(loop->extent);
    return loop->for_kind == ForKind::kSerial && !loop->step && const_int(loop->min) && extent &&
           *extent >= 2 * kSteps;
  }

  static bool find_nest(const ForNode* k, const Stmt& body, Nest& nest) {
    if (auto* loop = as<ForNode>(body)) {
      bool plain = loop->for_kind == ForKind::kSerial || loop->for_kind == ForKind::kUnrolled;
      if (!plain || loop->step || !const_int(loop->min) || !const_int(loop->extent)) return false;
      nest.loops.push_back(loop);
      return find_nest(k, loop->body, nest);
    }
    if (nest.loops.empty()) return false;
    if ((nest.update = as<BufferStoreNode>(body)) != nullptr) return true;
    auto* pair = as<SeqStmtNode>(body);
    if (pair == nullptr || pair->seq.size() != 2) return false;
    auto* first = as<IfThenElseNode>(pair->seq[0]);
    nest.update = as<BufferStoreNode>(pair->seq[1]);
    if (first == nullptr || first->else_case || nest.update == nullptr) return false;
    auto* is_first = as<EQNode>(first->condition);
    auto* init = as<BufferStoreNode>(first->then_case);
    if (is_first == nullptr || init == nullptr || is_first->a.get() != k->loop_var.get()) return false;
    if (!const_int(is_first->b) || const_int(is_first->b) != const_int(k->min)) return false;
    if (init->buffer.get() != nest.update->buffer.get() ||
        !structural_equal(init->indices, nest.update->indices))
      return false;
    if (side_effect(init->value) > Effect::kPure) return false;
    nest.init = substitute(init->value, VarMap{{k->loop_var.get(), k->min}});
    return true;
  }

  // One memory cell per instance of the inner loops, the same for every k.
  static bool distinct_cells(const ForNode* k, const Nest& nest) {
    if (nest.update->indices.size() != 1) return false;
    Expr index = nest.update->indices[0];
    if (uses_var(index, [&](const VarNode* var) { return var == k->loop_var.get(); })) return false;
    struct Stride {
      int64_t step;
      int64_t extent;
    };
    std::vector<Stride> strides;
    if (auto* ramp = as<RampNode>(index)) {
      auto step = const_int(ramp->stride);
      auto lanes = const_int(ramp->lanes);
      if (!step || !lanes) return false;
      strides.push_back({std::abs(*step), *lanes});
      index = ramp->base;
    }
    if (index->dtype().is_vector()) return false;
    std::unordered_map<const VarNode*, int64_t> coefficients;
    for (const ForNode* loop : nest.loops) coefficients[loop->loop_var.get()] = 0;
    for (const auto& [atom, factor] : LinearForm::of(index).terms) {
      auto found = coefficients.find(as<VarNode>(atom));
      if (found != coefficients.end()) {
        found->second = factor;
      } else if (uses_var(atom, [&](const VarNode* var) { return coefficients.contains(var); })) {
        return false;
      }
    }
    for (const ForNode* loop : nest.loops) {
      strides.push_back({std::abs(coefficients[loop->loop_var.get()]), *const_int(loop->extent)});
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

  bool legal(const ForNode* k, const Nest& nest) const {
    if (!distinct_cells(k, nest)) return false;
    const VarNode* output = nest.update->buffer.get();
    int own_loads = 0;
    bool good = side_effect(nest.update->value) <= Effect::kReadState;
    post_order(nest.update->value, [&](const Expr& e) {
      if (as<CallNode>(e) && side_effect(e) > Effect::kPure) good = false;
      if (as<LetNode>(e)) good = false;
      auto* load = as<TensorLoadNode>(e);
      if (load == nullptr) return;
      if (memory.apart(load->source.get(), output)) return;
      ++own_loads;
      good = good && load->source.get() == nest.update->buffer.get() &&
             structural_equal(load->indices, nest.update->indices);
    });
    return good && own_loads == 1;
  }

  // The update's value for one k, with what was computed before in place of the output's element.
  static Expr step_value(const ForNode* k, const Nest& nest, const Expr& at, const Expr& before) {
    Expr value = substitute(nest.update->value, VarMap{{k->loop_var.get(), at}});
    if (!before) return value;
    return rewrite_with(value, [&](const Expr& e, Rewriter& on) {
      auto* load = as<TensorLoadNode>(e);
      return load && load->source.same_as(nest.update->buffer) ? before : on.rewrite_children(e);
    });
  }

  // The inner loops around `count` steps from `first` on.
  static Stmt steps(const ForNode* k, const Nest& nest, const Expr& first, int64_t count, Expr before) {
    for (int64_t i = 0; i < count; ++i)
      before = step_value(k, nest, add(first, const_like(first, i)), before);
    // Indices as a person would write them: k * 8 + 1 for a step of its own leaves 0 * 8 and k * 8 * 64.
    Analyzer analyzer;
    before = rewrite_with(before, [&](const Expr& e, Rewriter& on) -> Expr {
      auto* load = as<TensorLoadNode>(e);
      if (load == nullptr) return on.rewrite_children(e);
      Array<Expr> indices;
      for (const Expr& index : load->indices) indices.push_back(analyzer.simplify(index));
      return make<TensorLoadNode>(load->source, indices, load->span);
    });
    Stmt body = make<BufferStoreNode>(nest.update->buffer, before, nest.update->indices, nest.update->span);
    for (size_t i = nest.loops.size(); i-- > 0;) {
      body = with(ref(nest.loops[i]), [&](ForNode& loop) { loop.body = body; });
    }
    return FreshBinders().rewrite(body);
  }

  static Stmt jammed(const ForNode* k, const Nest& nest) {
    int64_t min = *const_int(k->min);
    int64_t extent = *const_int(k->extent);
    int64_t groups = extent / kSteps;
    Array<Stmt> parts;
    auto constant = [&](int64_t value) { return const_like(k->loop_var, value); };
    if (nest.init) parts.push_back(steps(k, nest, constant(min), kSteps, nest.init));
    int64_t begin = nest.init ? 1 : 0;
    Var group = make<VarNode>(k->loop_var->name, k->loop_var->ty);
    Expr first = add(mul(group, constant(kSteps)), constant(min));
    parts.push_back(make<ForNode>(group, constant(begin), constant(groups - begin), ForKind::kSerial,
                                  steps(k, nest, first, kSteps, nullptr), nullptr, k->annotations, nullptr,
                                  k->span));
    if (extent % kSteps != 0)
      parts.push_back(steps(k, nest, constant(min + groups * kSteps), extent % kSteps, nullptr));
    return seq(parts);
  }
};

}  // namespace

extern const Pass unroll_and_jam{"UnrollAndJam", "tirx.transform", "UnrollAndJam()", doc, rewritten_by<Jam>};

}  // namespace mlc::transform::pass_unroll_and_jam
