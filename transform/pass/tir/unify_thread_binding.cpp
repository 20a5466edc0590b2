// SPDX-License-Identifier: Apache-2.0
#include "transform/arith/analyzer.h"
#include "transform/pass/buffer_types.h"
#include "transform/pass/refusals.h"
#include "transform/pass/rewritten_by.h"

namespace mlc::transform::pass_unify_thread_binding {
namespace {

constexpr char doc[] =
    R"(UnifyThreadBinding(): one loop for each kind of thread, around the whole kernel.

    for bx in T.thread_binding(4, thread="blockIdx.x"):     for bx in T.thread_binding(4, thread="blockIdx.x"):
        for t in T.thread_binding(8, thread="threadIdx.x"):     for tx in T.thread_binding(8, thread="threadIdx.x"):
            S(t)                                        =>          S(tx)
        for u in T.thread_binding(8, thread="threadIdx.x"):         R(tx)
            R(u)
needs: loops of one kind in a kernel have one extent.
keeps: what every thread does. Annotations of a thread's loop go to the loop that stands in its place.
Before blocks are lowered: a kernel is launched with all its threads at once.)";

struct Unify final : Substituter {
  Analyzer analyzer;
  struct Axis {
    std::string tag;
    Var var;
    Range dom;
    Span span;
  };
  std::vector<Axis> axes;  // of the kernel, from the outside in
  int depth = 0;

  using Substituter::rewrite;
  Stmt rewrite(const Stmt& s) override {
    if (IterVar thread = opened_thread(s)) {
      auto* attr = as<AttrStmtNode>(s);
      Range dom = make<RangeNode>(int_imm(thread->var->dtype(), 0), rewrite(attr->value));
      return unify(thread->var, std::string(thread->thread_tag), dom, attr->body, {}, s->span);
    }
    auto* loop = as<ForNode>(s);
    if (!loop || loop->for_kind != ForKind::kThreadBinding) return rewrite_children(s);
    Range dom = make<RangeNode>(rewrite(loop->min), rewrite(loop->extent));
    return unify(loop->loop_var, std::string(loop->thread_binding->thread_tag), dom, loop->body,
                 loop->annotations, s->span);
  }

 private:
  Stmt unify(const Var& var, const std::string& tag, const Range& dom, const Stmt& inner,
             const Map<String, Any>& annotations, Span span) {
    values[var.get()] = cast(var->dtype(), find(tag, var->dtype(), dom, span));
    ++depth;
    Stmt body = rewrite(inner);
    --depth;
    if (depth > 0) return annotated(body, var->dtype(), annotations);
    std::vector<Axis> launched = std::move(axes);
    axes.clear();
    for (auto at = launched.rbegin(); at != launched.rend(); ++at) {
      IterVar thread = make<IterVarNode>(Range(nullptr), at->var, IterType::kThreadIndex, String(at->tag));
      body = make<ForNode>(at->var, at->dom->min, at->dom->extent, ForKind::kThreadBinding, body, thread,
                           Map<String, Any>{}, Expr(nullptr), at->span);
    }
    return annotated(body, var->dtype(), annotations);
  }

  // What replaces the loop, with the loop's annotations.
  static Stmt annotated(const Stmt& body, DataType dtype, const Map<String, Any>& annotations) {
    if (annotations.empty()) return body;
    if (auto* inner = as<ForNode>(body))
      return with(ref(inner), [&](ForNode& n) { n.annotations = annotations; });
    return make<ForNode>(make_var("var", dtype), int_imm(dtype, 0), int_imm(dtype, 1), ForKind::kSerial, body,
                         IterVar(nullptr), annotations, Expr(nullptr), body->span);
  }

  Var find(const std::string& tag, DataType dtype, const Range& dom, Span span) {
    for (const Axis& axis : axes) {
      if (axis.tag != tag) continue;
      if (!analyzer.can_prove_equal(axis.dom->min, dom->min) ||
          !analyzer.can_prove_equal(axis.dom->extent, dom->extent)) {
        throw refuse(pass_refusals["thread-extents-differ"], tag).at(span);
      }
      return axis.var;
    }
    axes.push_back({tag, make_var(String(tag), dtype), dom, span});
    return axes.back().var;
  }
};

}  // namespace

extern const Pass unify_thread_binding{"UnifyThreadBinding", "s_tir.transform", "UnifyThreadBinding()", doc,
                                       rewritten_by<Unify, Params::kKept>};

}  // namespace mlc::transform::pass_unify_thread_binding
