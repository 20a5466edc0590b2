// SPDX-License-Identifier: Apache-2.0
#include "ir/core/refusal.h"
#include "transform/schedule/blockize.h"
#include "transform/schedule/refusals.h"
#include "transform/schedule/tensor_intrin.h"

namespace mlc::transform::primitive_tensorize {

static constexpr ir::Refusals refusals{
    kScheduleError,
    {
        {.name = "tensorize-unused-buffer",
         .message = "parameter `{}` of intrinsic `{}` is {}",
         .help = "the root blocks name every parameter in `T.reads(..)` or `T.writes(..)`",
         .meaning = "What a parameter stands for is found by its accesses in the description.",
         .wrong = R"(@T.prim_func(s_tir=True)
def row(a: T.handle, b: T.handle):
    A = T.match_buffer(a, (16,), align=64, offset_factor=1)
    B = T.match_buffer(b, (16,), align=64, offset_factor=1)
    with T.sblock("root"):
        T.reads(A[0:16])
        T.writes(B[0:16])
        for i in range(16):
            with T.sblock("double"):
                vi = T.axis.spatial(16, i)
                B[vi] = A[vi] * 2.0


@T.prim_func(s_tir=True)
def nothing(A: T.Buffer((16,), "float32", offset_factor=1), B: T.Buffer((16,), "float32", offset_factor=1)):
    with T.sblock("root"):
        T.reads(A[0:16])
        T.writes()
        T.evaluate(0)


tvm.s_tir.TensorIntrin.register("nothing", row, nothing, override=True)
sch.tensorize(sch.get_loops("double")[1], "nothing"))",
         .right = R"(@T.prim_func(s_tir=True)
def row(a: T.handle, b: T.handle):
    A = T.match_buffer(a, (16,), align=64, offset_factor=1)
    B = T.match_buffer(b, (16,), align=64, offset_factor=1)
    with T.sblock("root"):
        T.reads(A[0:16])
        T.writes(B[0:16])
        for i in range(16):
            with T.sblock("double"):
                vi = T.axis.spatial(16, i)
                B[vi] = A[vi] * 2.0


tvm.s_tir.TensorIntrin.register("row", row, row, override=True)
sch.tensorize(sch.get_loops("double")[1], "row"))"},
        {.name = "tensorize-alignment",
         .message = "parameter `{}` of intrinsic `{}` is aligned to {} bytes, buffer `{}` to {}",
         .help = "write the buffer's alignment in the description and the implementation: `align=..`",
         .meaning = "The implementation may count on the alignment that its parameters state.",
         .wrong = R"(@T.prim_func(s_tir=True)
def row(a: T.handle, b: T.handle):
    A = T.match_buffer(a, (16,), align=128, offset_factor=1)
    B = T.match_buffer(b, (16,), align=128, offset_factor=1)
    with T.sblock("root"):
        T.reads(A[0:16])
        T.writes(B[0:16])
        for i in range(16):
            with T.sblock("double"):
                vi = T.axis.spatial(16, i)
                B[vi] = A[vi] * 2.0


tvm.s_tir.TensorIntrin.register("row", row, row, override=True)
sch.tensorize(sch.get_loops("double")[1], "row"))",
         .right = R"(@T.prim_func(s_tir=True)
def row(a: T.handle, b: T.handle):
    A = T.match_buffer(a, (16,), align=64, offset_factor=1)
    B = T.match_buffer(b, (16,), align=64, offset_factor=1)
    with T.sblock("root"):
        T.reads(A[0:16])
        T.writes(B[0:16])
        for i in range(16):
            with T.sblock("double"):
                vi = T.axis.spatial(16, i)
                B[vi] = A[vi] * 2.0


tvm.s_tir.TensorIntrin.register("row", row, row, override=True)
sch.tensorize(sch.get_loops("double")[1], "row"))"},
    }};
MLC_REFUSALS(primitive_tensorize, refusals);

static constexpr char doc[] = R"(
tensorize(block_or_loop, tensor_intrin, preserve_unit_iters=True)      Replace a computation by the intrinsic that does it.

    for ko in range(n):                       =>      for ko in range(n):
        for ki in range(4):                               with T.sblock("C_o"):
            with T.sblock("C"):                               A_1 = T.match_buffer(A[vi, vk_o * 4:vk_o * 4 + 4], (4,))
                C[vi] += A[vi, vk] * B[vk]                    T.call_extern("int32", "dot4", A_1.data, ...)

`tensor_intrin` is the name that `tvm.s_tir.TensorIntrin.register` gave a description and an implementation. A loop is made a
block first, as `blockize` does.
needs: the block is the description statement by statement: loops, iterators, regions read and written, in the same order
       (loops and iterators of extent 1 may be missing);
       buffers are aligned as the implementation's parameters are.
keeps: the values computed, as far as the implementation does what its description says.
)";

static void apply(Step& step, SRef target, String tensor_intrin, bool preserve_unit_iters) {
  // check
  std::string name(tensor_intrin);
  TensorIntrin intrin = find_intrinsic(name, step.call.host, step.span(2));
  BlockReuse reuse;
  SBlockRealize realize;
  if (target->loop()) {
    BlockReuse inside;  // the block below goes: its body is the implementation's
    realize = blockized_loop(step, LoopArg{target, step.span(1)}, preserve_unit_iters, inside);
  } else {
    realize = realize_of(step.state, *target);
  }
  IntrinMatch match = match_intrinsic(realize, intrin, name, step.span(1));
  int bits = 32;
  auto widen = [&](const Array<TensorRegion>& regions) {
    for (const TensorRegion& region : regions)
      for (const Range& range : region->region) bits = std::max(bits, range->min->dtype().bits());
  };
  widen(realize->block->reads);
  widen(realize->block->writes);
  PrimFunc impl = renewed(intrin->impl, bits);
  const SBlockNode* body = only_block(impl)->block.get();
  Array<MatchBufferRegion> views;
  for (size_t i = 0; i < impl->params.size(); ++i) {
    const Buffer& param = impl->params[i];
    auto used = match.buffers.find(intrin->desc->params[i].get());
    TensorRegion part;
    for (const auto& regions : {body->reads, body->writes})
      for (const TensorRegion& region : regions)
        if (!part && region->source.same_as(param)) part = region;
    if (used == match.buffers.end() || !part) {
      throw refuse(refusals["tensorize-unused-buffer"], param->name.c_str(), name,
                   part ? "not used by its description" : "neither read nor written by its implementation")
          .at(step.span(2));
    }
    int64_t needed = param->buffer()->data_alignment, given = used->second->buffer()->data_alignment;
    if (needed > 0 && given % needed != 0) {
      throw refuse(refusals["tensorize-alignment"], param->name.c_str(), name, needed,
                   used->second->name.c_str(), given)
          .kind("InternalError+ScheduleError")
          .at(step.span(2))
          .help(fmt::format("write `align={}` in the description and the implementation", given));
    }
    const std::vector<Expr>& first = match.first_points.at(used->second.get());
    size_t offset = first.size() - part->region.size();
    Array<Range> ranges;
    for (size_t d = 0; d < first.size(); ++d) {
      Expr one = const_like(first[d], 1);
      ranges.push_back(make<RangeNode>(
          first[d], d < offset ? one : cast(first[d]->dtype(), part->region[d - offset]->extent)));
    }
    views.push_back(make<MatchBufferRegionNode>(param, make<TensorRegionNode>(used->second, ranges)));
  }

  // apply
  SBlock next = with(realize->block, [&](SBlockNode& copy) {
    copy.body = body->body;
    copy.match_buffers = views;
    for (const auto& [key, value] : body->annotations) copy.annotations.Set(key, value);
  });
  if (target->loop()) {
    Stmt replacement = with(realize, [&](SBlockRealizeNode& copy) { copy.block = next; });
    step.replace(*target, replacement);
  } else {
    reuse.emplace_back(realize->block.get(), next.get());
    step.replace(*target, next, reuse);
  }
  settle_outer_block(step, next);
}

extern const Primitive tensorize;
const Primitive tensorize = primitive<&apply>(
    "Tensorize", "tensorize(block_or_loop, tensor_intrin, preserve_unit_iters=True)", doc, "",
    "imm:preserve_unit_iters",
    [](std::span<const Any>) -> std::string_view { return "the intrinsic computes its description"; });

}  // namespace mlc::transform::primitive_tensorize
