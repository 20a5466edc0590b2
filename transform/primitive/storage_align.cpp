// SPDX-License-Identifier: Apache-2.0
#include "ir/core/refusal.h"
#include "transform/schedule/buffers.h"
#include "transform/schedule/cache_stage.h"
#include "transform/schedule/refusals.h"

namespace mlc::transform::primitive_storage_align {

static constexpr ir::Refusals refusals{
    kScheduleError,
    {
        {.name = "align-factor-not-positive",
         .message = "an alignment of {} elements is not possible",
         .help = "the factor counts elements, 1 or more",
         .meaning = "A stride is a multiple of a factor from 1 on.",
         .wrong = R"(sch.storage_align("double", 0, 0, 0, 1))",
         .right = R"(sch.storage_align("double", 0, 0, 16, 1))"},
        {.name = "axis-out-of-range",
         .message = "buffer `{}` has {} dimensions, so there is no axis {}",
         .help = "axes count from 0, negative ones from the end",
         .meaning = "The stride of one dimension of the buffer is aligned.",
         .wrong = R"(sch.storage_align("double", 0, 5, 16, 1))",
         .right = R"(sch.storage_align("double", 0, 0, 16, 1))"},
        {.name = "bad-align-annotation",
         .message = "block `{}` has an annotation `buffer_dim_align` that is no list of four integers each",
         .help = "`storage_align` writes it: lists of buffer, axis, factor and offset",
         .meaning = "The alignments of a block stand in one annotation, to which the primitive adds a row.",
         .wrong = R"(sch.annotate(sch.get_sblock("double"), "buffer_dim_align", 16)
sch.storage_align("double", 0, 0, 16, 1))",
         .right = R"(sch.storage_align("double", 0, 0, 16, 1))"},
    }};
MLC_REFUSALS(primitive_storage_align, refusals);

static constexpr char doc[] = R"(
storage_align(block, buffer_index, axis, factor, offset)      Ask for padding of a dimension of a buffer, so that its stride is `factor * k + offset`.

    with T.sblock("B"):      =>      with T.sblock("B"):
                                         T.sblock_attr({"buffer_dim_align": [[0, axis, factor, offset]]})

A second call for the same buffer and axis takes the place of the first.
needs: a block allocates the buffer; axis in [-ndim, ndim); factor > 0.
keeps: the program; the allocation is made larger when it is lowered.
)";

static void apply(Step& step, BlockArg block, Any, int64_t axis, int64_t factor, int64_t offset) {
  // check
  Buffer buffer = choose_buffer(step, 2, *block, block->block()->writes, "writes", Naming::kNumbers);
  int64_t index = step.call.args[2].cast<int64_t>();
  if (factor <= 0) {
    throw refuse(refusals["align-factor-not-positive"], factor).at(step.span(4));
  }
  int64_t ndim = static_cast<int64_t>(buffer->buffer()->shape.size());
  if (axis < -ndim || axis >= ndim) {
    throw refuse(refusals["axis-out-of-range"], buffer->name.c_str(), ndim, axis).at(step.span(3));
  }
  if (axis < 0) axis += ndim;
  allocating_block(*block, buffer, "storage_align", step.span(2));
  Array<Any> rows;
  const Map<String, Any>& present = block->block()->annotations;
  if (auto found = present.find("buffer_dim_align"); found != present.end()) {
    bool valid = (*found).second.as<Array<Any>>().has_value();
    if (valid) rows = (*found).second.cast<Array<Any>>();
    for (const Any& row : rows) {
      auto numbers = row.as<Array<Any>>();
      valid = valid && numbers && numbers->size() == 4;
      for (size_t i = 0; valid && i < 4; ++i) valid = (*numbers)[i].try_cast<int64_t>().has_value();
    }
    if (!valid) {
      throw about_block(refuse(refusals["bad-align-annotation"], block->name.c_str()), block.span,
                        block->stmt->span);
    }
  }

  // apply
  Array<Any> added{index, axis, factor, offset}, next;
  bool replaced = false;
  for (const Any& row : rows) {
    Array<Any> numbers = row.cast<Array<Any>>();
    bool same = numbers[0].cast<int64_t>() == index && numbers[1].cast<int64_t>() == axis;
    next.push_back(same && !replaced ? added : numbers);
    replaced = replaced || same;
  }
  if (!replaced) next.push_back(added);
  step.replace(*block, with(ref(block->block()),
                            [&](SBlockNode& copy) { copy.annotations.Set("buffer_dim_align", next); }));
}

extern const Primitive storage_align;
const Primitive storage_align =
    primitive<&apply>("StorageAlign", "storage_align(block, buffer_index, axis, factor, offset)", doc);

}  // namespace mlc::transform::primitive_storage_align
