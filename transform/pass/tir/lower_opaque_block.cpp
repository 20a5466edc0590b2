// SPDX-License-Identifier: Apache-2.0
#include "ir/core/error_kinds.h"
#include "transform/pass/buffer_types.h"
#include "transform/pass/jumps.h"
#include "transform/pass/lower_opaque.h"
#include "transform/pass/refusals.h"

namespace mlc::transform::pass_lower_opaque_block {
namespace {

constexpr char doc[] = R"(LowerOpaqueBlock(): blocks become what they contain.

    with T.sblock("B"):                     C = T.alloc_buffer((16,))
        T.where(p)                          if p:
        C = T.sblock_alloc_buffer((16,)) =>     S
        S
    for i in range(1):                      S[i := 0]
        S
needs: blocks are opaque (ConvertBlocksToOpaque) and have no views (LowerMatchBuffer).
keeps: every statement. Loops of one iteration without annotations go, but for those left by a `break` or
`continue` of their own; `pragma_*` annotations become attributes around the loop; thread bindings become thread
extents, also where there is one thread.
The end of schedulable TIR: what follows knows loops, buffers and statements only.)";

struct LowerBlocks final : Substituter {  // variables of loops of one iteration
  Blocks blocks;
  explicit LowerBlocks(Blocks blocks) : blocks(blocks) {}
  using Substituter::rewrite;
  Stmt rewrite(const Stmt& s) override {
    if (auto* realize = as<SBlockRealizeNode>(s); realize && blocks == Blocks::kLower)
      return lower_block(*realize);
    if (auto* loop = as<ForNode>(s)) return lower_loop(*loop);
    return rewrite_children(s);
  }

 private:
  std::unordered_map<const VarNode*, Array<Any>> alignment_;

  struct Pragma {
    String key;
    Expr value;
  };

  Stmt lower_block(const SBlockRealizeNode& realize) {
    const SBlock& block = realize.block;
    if (!block->iter_vars.empty() || block->init || !block->match_buffers.empty()) {
      throw refuse_as(pass_refusals["block-not-opaque"], "block `{}` still has {}", block->name_hint.c_str(),
                      !block->iter_vars.empty() ? "iterators"
                      : block->init             ? "an init"
                                                : "views")
          .at(block->span)
          .help("run LowerInitBlock, ConvertBlocksToOpaque and LowerMatchBuffer first");
    }
    // They go to the allocation, whose buffer they are about.
    for (const DimAlign& one : dim_alignments(*block)) {
      alignment_[one.buffer.get()].push_back(
          Array<Any>{int64_t{-1}, static_cast<int64_t>(one.axis), one.factor, one.offset});
    }
    Stmt body = rewrite(block->body);
    Expr predicate = rewrite(realize.predicate);
    if (!is_const_int(predicate, 1)) body = make<IfThenElseNode>(predicate, body);
    Array<Stmt> stmts;
    for (const Buffer& buffer : block->alloc_buffers) {
      Map<String, Any> annotations;
      annotations.Set("buffer_allocated_addr", Array<Any>());
      annotations.Set("buffer_data_alignment", Expr(int32(buffer->buffer()->data_alignment)));
      auto asked = alignment_.find(buffer.get());
      if (asked != alignment_.end()) annotations.Set("buffer_dim_align", asked->second);
      stmts.push_back(make<AllocBufferNode>(rewrite_buffer(buffer), annotations));
    }
    stmts.push_back(body);
    Stmt result = seq(stmts);
    auto [pragmas, rest] = split_annotations(block->annotations);
    for (size_t i = pragmas.size(); i-- > 0;) {
      result = make<AttrStmtNode>(Any(int32(0)), pragmas[i].key, pragmas[i].value, result);
    }
    return result;
  }

  Stmt lower_loop(const ForNode& loop) {
    Expr min = rewrite(loop.min);
    Expr extent = rewrite(loop.extent);
    bool unit = is_const_int(extent, 1);
    if (unit && loop.annotations.empty()) {
      values[loop.loop_var.get()] = cast(loop.loop_var->dtype(), min);
      if (loop.for_kind != ForKind::kThreadBinding && !has_own_jump(loop.body)) return rewrite(loop.body);
    }
    Stmt body = rewrite(loop.body);
    auto [pragmas, rest] = split_annotations(loop.annotations);
    Stmt result;
    if (loop.for_kind == ForKind::kThreadBinding) {
      const String& tag = loop.thread_binding->thread_tag;
      bool virtual_thread = text(tag).starts_with("vthread");
      IterVar iter =
          make<IterVarNode>(make<RangeNode>(min, extent), loop.loop_var, IterType::kThreadIndex, tag);
      result = make<AttrStmtNode>(Any(iter), virtual_thread ? "virtual_thread" : "thread_extent", extent,
                                  body, loop.span);
    } else {
      result = with(ref(&loop), [&](ForNode& n) {
        n.min = min;
        n.extent = extent;
        n.body = body;
        n.annotations = rest;
      });
    }
    for (size_t i = pragmas.size(); i-- > 0;) {
      result = make<AttrStmtNode>(Any(loop.loop_var), pragmas[i].key, pragmas[i].value, result);
    }
    return result;
  }

  static std::pair<std::vector<Pragma>, Map<String, Any>> split_annotations(
      const Map<String, Any>& annotations) {
    std::vector<Pragma> pragmas;
    Map<String, Any> rest;
    for (const auto& [key, value] : annotations) {
      if (text(key).starts_with("pragma_")) {
        if (value == nullptr) continue;
        pragmas.push_back({key, as_expr(value, key)});
      } else {
        rest.Set(key, value);
      }
    }
    std::sort(pragmas.begin(), pragmas.end(),
              [](const Pragma& a, const Pragma& b) { return text(a.key) < text(b.key); });
    return {pragmas, rest};
  }
  static Expr as_expr(const Any& value, const String& key) {
    if (auto e = value.as<Expr>()) return *e;
    if (auto s = value.as<String>()) return make<StringImmNode>(*s);
    if (auto b = value.as<bool>()) return bool_imm(*b);
    if (auto i = value.try_cast<int64_t>()) return int32(*i);
    throw refuse_as(pass_refusals["wrong-annotation"],
                    "annotation `{}` must be an integer, a string or an expression", text(key))
        .kind("InternalError+ValueError");
  }
};

PrimFunc apply(const PrimFunc& fn, const PassOptions&) { return lower_opaque(fn, Blocks::kLower); }

}  // namespace

extern const Pass lower_opaque_block{"LowerOpaqueBlock", "s_tir.transform", "LowerOpaqueBlock()", doc, apply};

}  // namespace mlc::transform::pass_lower_opaque_block

namespace mlc::transform {

std::vector<DimAlign> dim_alignments(const SBlockNode& block) {
  std::vector<DimAlign> all;
  auto found = block.annotations.find("buffer_dim_align");
  if (found == block.annotations.end()) return all;
  for (const Any& row : (*found).second.cast<Array<Any>>()) {
    auto tuple = row.cast<Array<Any>>();
    auto at = [&](size_t i) { return integer_of(tuple[i]).value(); };
    all.push_back({block.writes[at(0)]->source, static_cast<size_t>(at(1)), at(2), at(3)});
  }
  return all;
}

PrimFunc lower_opaque(const PrimFunc& fn, Blocks blocks) {
  using namespace pass_lower_opaque_block;
  return with_body(fn, LowerBlocks(blocks).rewrite(fn->body));
}

}  // namespace mlc::transform
