// SPDX-License-Identifier: Apache-2.0
#include "transform/arith/analyzer.h"
#include "transform/pass/fresh_binders.h"
#include "transform/pass/jumps.h"
#include "transform/pass/vectorize_loop.h"

namespace mlc::transform::pass_split_dynamic_loops {
namespace {

constexpr char doc[] =
    R"(SplitDynamicLoops(): vectorized and unrolled loops get constant extents; what is left over runs one by one.

    for i in T.vectorized(n):       =>      for i_0 in range(T.Div(n, 16)):
        B[i] = A[i]                             for i_1 in T.vectorized(16):
                                                    B[i_0 * 16 + i_1] = A[i_0 * 16 + i_1]
                                            for i_tail in range(T.truncmod(n, 16)):
                                                B[T.Div(n, 16) * 16 + i_tail] = A[T.Div(n, 16) * 16 + i_tail]
needs: nothing.
keeps: the order of iterations.
Vectors have 64 bytes of the widest element that the loop touches, unrolled loops are written out four times. A loop with
`break`, `continue` or `return` becomes a serial one. Extents with T.vscale() are those of scalable vectors and stay. Before VectorizeLoop and UnrollLoop, which want constants.)";

constexpr int64_t kVectorBytes = 64;
constexpr int64_t kUnrolled = 4;
int64_t lanes_for(const Stmt& body) {
  int64_t widest = 1;
  auto touched = [&](DataType dtype) { widest = std::max<int64_t>(widest, dtype.with_lanes(1).bytes()); };
  post_order(
      body,
      [&](const Expr& e) {
        if (as<TensorLoadNode>(e)) touched(e->dtype());
      },
      [&](const Stmt& s) {
        if (auto* store = as<BufferStoreNode>(s)) touched(store->value->dtype());
      });
  return std::max<int64_t>(2, kVectorBytes / widest);
}

Stmt split(const ForNode& loop, int64_t factor, std::optional<int64_t> extent) {
  const Var& i = loop.loop_var;
  Expr by = const_like(i, factor), zero = const_like(i, 0);
  // A negative extent runs neither of both.
  // Simplified, as the extents of loops that are read from text are.
  Analyzer analyzer;
  Expr blocks = extent ? const_like(i, *extent / factor) : analyzer.simplify(truncdiv(loop.extent, by));
  Expr rest = extent ? const_like(i, *extent % factor) : analyzer.simplify(truncmod(loop.extent, by));
  auto fresh = [&](const char* suffix) {
    return make<VarNode>(String(std::string(text(i->name)) + suffix), i->ty, i->span);
  };
  auto body_at = [&](const Expr& at) {
    Substituter one({{i.get(), add(loop.min, at)}});
    return one.rewrite(loop.body);
  };
  Var outer = fresh("_0"), inner = fresh("_1"), tail = fresh("_tail");
  Stmt block = make<ForNode>(inner, zero, by, loop.for_kind, body_at(add(mul(outer, by), inner)), nullptr,
                             loop.annotations, nullptr, loop.span);
  Stmt main = make<ForNode>(outer, zero, blocks, ForKind::kSerial, block, nullptr, Map<String, Any>{}, nullptr,
                            loop.span);
  if (extent && *extent % factor == 0) return main;
  Stmt last = make<ForNode>(tail, zero, rest, ForKind::kSerial,
                            FreshBinders().rewrite(body_at(add(mul(blocks, by), tail))), nullptr,
                            Map<String, Any>{}, nullptr, loop.span);
  return seq({main, last});
}
Stmt with_constant_extent(const Stmt& s, Rewriter& on) {
  Stmt next = on.rewrite_children(s);
  auto* loop = as<ForNode>(next);
  if (loop == nullptr || (loop->for_kind != ForKind::kVectorized && loop->for_kind != ForKind::kUnrolled))
    return next;
  bool lanes = loop->for_kind == ForKind::kVectorized;
  auto extent = const_int(loop->extent);
  if (extent && (lanes ? *extent > 0 && *extent <= kMostLanes : *extent >= 0)) return next;
  if (lanes && is_scalable_extent(loop->extent)) return next;
  if ((extent && *extent <= 0) || loop->step || leaves_early(loop->body))
    return with(ref(loop), [](ForNode& n) { n.for_kind = ForKind::kSerial; });
  return split(*loop, lanes ? lanes_for(loop->body) : kUnrolled, extent);
}
PrimFunc apply(const PrimFunc& fn, const PassOptions&) {
  return with_body(fn, rewrite_with(fn->body, with_constant_extent));
}

}  // namespace

extern const Pass split_dynamic_loops{"SplitDynamicLoops", "tirx.transform", "SplitDynamicLoops()", doc,
                                      apply};

}  // namespace mlc::transform::pass_split_dynamic_loops
