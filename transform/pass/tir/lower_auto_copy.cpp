// SPDX-License-Identifier: Apache-2.0
#include "transform/pass/auto_copy.h"
#include "transform/pass/refusals.h"

namespace mlc::transform::pass_lower_auto_copy {
namespace {

constexpr char doc[] =
    R"(LowerAutoCopy(): copies that leave to the compiler how they are made (`auto_copy`) become loops and instructions.

    with T.sblock("copy"):                               with T.sblock("copy"):
        T.sblock_attr({"auto_copy": 1,                       for i_j_fused_0 in range(2):
                       "vector_bytes": 16})                      for i_j_fused_1 in T.thread_binding(32, "threadIdx.x"):
        for i, j in T.grid(16, 16):                  =>              for i_j_fused_2 in T.vectorized(4):
            S[i, j] = A[i, j]                                            S[..., ...] = A[..., ...]
needs: such a block is one store in loops of constant extents, from one buffer to another.
keeps: what is computed. All threads of a block share a copy between global and shared memory, in the order of the
global memory (with `local_stage` through registers); fragments of tensor cores are copied by tiles, to global
memory through shared memory. Shared memory that such copies touch gets rows of another length where the threads of
a warp then meet in fewer banks.
After CompactBufferAllocation, before passes that look at how threads read shared memory.)";

std::optional<int64_t> number(const SBlockNode& block, const char* key) {
  auto found = block.annotations.find(key);
  return found == block.annotations.end() ? std::nullopt : integer_of((*found).second);
}

class Lower final : public Rewriter {
 public:
  using Rewriter::rewrite;
  BankPadding padding;
  std::map<std::string, int64_t> threads;

  Expr rewrite(const Expr& e) override { return e; }
  Stmt rewrite(const Stmt& s) override {
    if (auto* loop = as<ForNode>(s)) {
      outer_.push_back(ref(loop));
      Stmt next = rewrite_children(s);
      outer_.pop_back();
      return next;
    }
    auto* block = as<SBlockNode>(s);
    if (!block) return rewrite_children(s);
    return number(*block, "auto_copy").value_or(0) ? Stmt(copy(*block)) : around(s);
  }

 private:
  std::vector<For> outer_;

  Stmt around(const Stmt& s) {
    Stmt next = rewrite_children(s);
    auto* block = as<SBlockNode>(next);
    if (block->alloc_buffers.empty()) return next;
    Array<Buffer> allocs = padding.padded(block->alloc_buffers);
    return with(ref(block), [&](SBlockNode& n) { n.alloc_buffers = allocs; });
  }

  SBlock copy(const SBlockNode& block) {
    if (block.reads.size() != 1 || block.writes.size() != 1)
      throw refuse_as(pass_refusals["auto-copy"],
                      "block `{}` leaves its copy to the compiler, and reads {} buffers and writes {}",
                      block.name_hint.c_str(), block.reads.size(), block.writes.size())
          .kind("InternalError")
          .at(block.span);
    AutoCopy what{threads, outer_, block.reads[0], block.writes[0]};
    what.vector_bytes = number(block, "vector_bytes").value_or(1);
    what.local_stage = number(block, "local_stage").value_or(0) != 0;
    MadeCopy made = make_copy(block.body, what);
    std::string_view from = text(what.read->source->buffer()->storage_scope);
    std::string_view to = text(what.write->source->buffer()->storage_scope);
    // Tensor cores want rows that start at multiples of eight elements.
    for (const auto& [scope, other] :
         {std::pair(from, what.write->source), std::pair(to, what.read->source)}) {
      if (!scope.starts_with("wmma.") && scope != "m16n8k8.matrixC") continue;
      for (const Buffer& stage : made.allocs) padding.require_multiple(stage, 8);
      if (made.allocs.empty()) padding.require_multiple(other, 8);
    }
    padding.look_at(made.body, what);
    Array<Buffer> allocs = block.alloc_buffers;
    for (const Buffer& stage : made.allocs) allocs.push_back(stage);
    allocs = padding.padded(allocs);
    return with(ref(&block), [&](SBlockNode& n) {
      n.body = made.body;
      n.alloc_buffers = allocs;
    });
  }
};

PrimFunc apply(const PrimFunc& fn, const PassOptions&) {
  Lower lower;
  post_order(fn->body, nullptr, [&](const Stmt& s) {
    if (auto* block = as<SBlockNode>(s); block && number(*block, "warp_execution").value_or(0))
      lower.threads["threadIdx.x"] = 32;
    auto* loop = as<ForNode>(s);
    if (!loop || loop->for_kind != ForKind::kThreadBinding) return;
    std::string tag(loop->thread_binding->thread_tag);
    if (!tag.starts_with("threadIdx.")) return;
    if (auto extent = const_int(loop->extent)) lower.threads[tag] = *extent;
  });
  return with_body(fn, lower.padding.apply(lower.rewrite(fn->body)));
}

}  // namespace

extern const Pass lower_auto_copy{"LowerAutoCopy", "s_tir.transform", "LowerAutoCopy()", doc, apply};

}  // namespace mlc::transform::pass_lower_auto_copy
