// SPDX-License-Identifier: Apache-2.0
#include "transform/pass/pass.h"

namespace mlc::transform::pass_lower_init_block {
namespace {

constexpr char doc[] = R"(LowerInitBlock(): the init of a reduction becomes an `if` in its body.

    with T.sblock("C"):                     with T.sblock("C"):
        vi, vk = T.axis.remap("SR", ...)        vi, vk = T.axis.remap("SR", ...)
        with T.init():              =>          if vk == 0:
            I                                       I
        S                                       S
needs: nothing.
keeps: the meaning of init: it runs where all reduction iterators have their first value.
Before blocks become opaque: afterwards nobody knows which iterators reduce.)";

PrimFunc apply(const PrimFunc& fn, const PassOptions&) {
  Stmt body = rewrite_with(fn->body, [](const Stmt& s, Rewriter& on) -> Stmt {
    Stmt next = on.rewrite_children(s);
    auto* block = as<SBlockNode>(next);
    if (!block || !block->init) return next;
    Expr first = nullptr;
    for (const IterVar& iter : block->iter_vars) {
      if (iter->iter_type != IterType::kCommReduce) continue;
      Expr at_first = eq(iter->var, iter->dom->min);
      first = first ? logical_and(first, at_first) : at_first;
    }
    Stmt init = first ? Stmt(make<IfThenElseNode>(first, block->init)) : block->init;
    return with(ref(block), [&](SBlockNode& n) {
      n.init = nullptr;
      n.body = seq({init, block->body});
    });
  });
  return with_body(fn, body);
}

}  // namespace

extern const Pass lower_init_block{"LowerInitBlock", "s_tir.transform", "LowerInitBlock()", doc, apply};

}  // namespace mlc::transform::pass_lower_init_block
