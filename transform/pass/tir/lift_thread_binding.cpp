// SPDX-License-Identifier: Apache-2.0
#include "transform/arith/analyzer.h"
#include "transform/pass/buffer_types.h"
#include "transform/pass/refusals.h"
#include "transform/pass/rewritten_by.h"

namespace mlc::transform::pass_lift_thread_binding {
namespace {

constexpr char doc[] =
    R"(LiftThreadBinding(): loops of one kind of thread become one, around everything that they are around.

    for k in range(3):                                      for k in range(3):
        for t in T.thread_binding(8, thread="threadIdx.x"):     for tx in T.thread_binding(8, thread="threadIdx.x"):
            S(t)                                        =>          S(tx)
        for u in T.thread_binding(8, thread="threadIdx.x"):         R(tx)
            R(u)
needs: loops of one kind in a kernel have one extent.
keeps: what every thread does.
Where memory that threads share is planned: it is around the loops of its threads.)";

struct Axis {
  std::string tag;
  Var var;
  Expr min, extent;
  Map<String, Any> annotations;
  std::vector<const ForNode*> path;  // down to the innermost loop around all loops of this kind
  Span span;

  int rank() const { return tag.starts_with("vthread") ? 0 : tag.starts_with("blockIdx") ? 1 : 2; }
};

// The kinds of threads of one kernel, inner loops first.
std::vector<Axis> axes_of(const Stmt& kernel) {
  Analyzer analyzer;
  std::vector<Axis> axes;
  std::vector<const ForNode*> path;
  auto merge = [&](const ForNode& loop) {
    std::string tag(loop.thread_binding->thread_tag);
    for (Axis& axis : axes) {
      if (axis.tag != tag) continue;
      if (!analyzer.can_prove_equal(axis.extent, loop.extent) ||
          !analyzer.can_prove_equal(axis.min, loop.min)) {
        throw refuse(pass_refusals["thread-extents-differ"], tag).at(loop.span);
      }
      size_t same = 0;
      while (same < axis.path.size() && same < path.size() && axis.path[same] == path[same]) ++same;
      axis.path.resize(same);
      for (const auto& [key, value] : loop.annotations) axis.annotations.Set(key, value);
      return;
    }
    axes.push_back({tag, make_var(String(std::string(tag)), loop.loop_var->dtype()), loop.min, loop.extent,
                    loop.annotations, path, loop.span});
  };
  walk_with(kernel, [&](const Stmt& s, Walker& on) {
    auto* loop = as<ForNode>(s);
    if (!loop) return on.walk_children(s);
    path.push_back(loop);
    on.walk_children(s);
    if (loop->for_kind == ForKind::kThreadBinding) merge(*loop);
    path.pop_back();
  });
  return axes;
}

struct Lift final : Substituter {
  std::vector<Axis> axes;  // of the kernel around
  bool inside = false;
  Analyzer analyzer;

  using Substituter::rewrite;
  // As in TVM, a region's extents are simplified where a variable in it was replaced.
  Expr rewrite(const Expr& e) override {
    auto* region = as<TensorRegionNode>(e);
    Expr next = Substituter::rewrite(e);
    if (!region || next.same_as(e)) return next;
    return with(ref(as<TensorRegionNode>(next)), [&](TensorRegionNode& n) {
      n.region = n.region.Map([&](const Range& part) -> Range {
        return make<RangeNode>(part->min, analyzer.simplify(part->extent));
      });
    });
  }
  Stmt rewrite(const Stmt& s) override {
    auto* loop = as<ForNode>(s);
    if (!loop) return rewrite_children(s);
    bool thread = loop->for_kind == ForKind::kThreadBinding;
    if (!thread && !inside) return rewrite_children(s);
    bool outermost = !inside;
    if (outermost) {
      axes = axes_of(s);
      std::stable_sort(axes.begin(), axes.end(),
                       [](const Axis& a, const Axis& b) { return a.rank() < b.rank(); });
      inside = true;
    }
    if (thread) {
      for (const Axis& axis : axes) {
        if (axis.tag == std::string(loop->thread_binding->thread_tag))
          values[loop->loop_var.get()] = cast(loop->loop_var->dtype(), axis.var);
      }
    }
    Stmt body = rewrite(loop->body);
    for (auto axis = axes.rbegin(); axis != axes.rend(); ++axis) {
      if (axis->path.back() != loop) continue;
      IterVar binding =
          make<IterVarNode>(Range(nullptr), axis->var, IterType::kThreadIndex, String(axis->tag));
      body = make<ForNode>(axis->var, rewrite(axis->min), rewrite(axis->extent), ForKind::kThreadBinding,
                           body, binding, axis->annotations, Expr(nullptr), axis->span);
    }
    if (outermost) {
      inside = false;
      axes.clear();
    }
    if (thread) return body;
    return with(ref(loop), [&](ForNode& n) {
      n.min = rewrite(loop->min);
      n.extent = rewrite(loop->extent);
      n.body = body;
    });
  }
};

}  // namespace

extern const Pass lift_thread_binding{"LiftThreadBinding", "s_tir.transform", "LiftThreadBinding()", doc,
                                      rewritten_by<Lift, Params::kKept>};

}  // namespace mlc::transform::pass_lift_thread_binding
