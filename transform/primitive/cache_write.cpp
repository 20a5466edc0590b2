// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "ir/core/refusal.h"
#include "transform/schedule/cache_stage.h"
#include "transform/schedule/refusals.h"
#include "transform/schedule/undeclared_accesses.h"
#include "transform/schedule/witness.h"

namespace mlc::transform::primitive_cache_write {

static constexpr ir::Refusals refusals{
    kScheduleError,
    {
        {.name = "cache-leaves-gaps",
         .message = "block `{}` leaves out elements of `{}` between those that it writes, and the copy would "
                    "overwrite them",
         .help = "`reindex_cache_write` copies only what the block writes",
         .meaning = "The copy is written back as one box, with what the block has not set in it.",
         .wrong = R"(@T.prim_func(s_tir=True)
def every_other(A: T.Buffer((16,), "float32"), C: T.Buffer((32,), "float32")):
    for i in range(16):
        with T.sblock("spread"):
            vi = T.axis.spatial(16, i)
            C[vi * 2] = A[vi]


other = tvm.s_tir.Schedule(every_other)
other.cache_write("spread", 0, "local"))",
         .right = R"(sch.cache_write("shifted", 0, "local"))"},
    }};
MLC_REFUSALS(primitive_cache_write, refusals);

static constexpr char doc[] = R"(
cache_write(block, write_buffer_index, storage_scope, consumer_blocks=None) -> block      Let a block write to another memory, and copy from there.

    C[i, j] = f(i, j)      =>      C_local[i, j] = f(i, j)
                                   C[ax0, ax1] = C_local[ax0, ax1]

The copy is put after the block, inside the loops that it shares with the consumers. `consumer_blocks` read the new buffer
directly. In the body of a loop the new buffer has the shape of the other, in the body of a block that of the region which
is written. Returns the copying block.
needs: the block is the only one of the scope that writes the buffer, and computes it anew; none reads it before in the same
       loop.
keeps: the values computed.
)";

// Elements of the new buffer that are never written would overwrite those of the other one.
static void require_all_written(Step& step, const SRefNode& block, const SRefNode& scope,
                                const CacheStage& stage, const TensorRegion& region) {
  const Array<Buffer>& own = scope.block()->alloc_buffers;
  if (std::any_of(own.begin(), own.end(), [&](const Buffer& each) { return each.same_as(stage.to); })) return;
  std::vector<SRefNode*> loops;
  for (SRefNode* up = block.parent; up != stage.location && up->loop(); up = up->parent) loops.push_back(up);
  std::reverse(loops.begin(), loops.end());
  std::string witness = element_not_written(realize_of(step.state, block), loops, region, stage.region);
  if (witness.empty()) return;
  Error error = refuse(refusals["cache-leaves-gaps"], block.name.c_str(), stage.to->name.c_str());
  add_witness(error, witness);
  throw about_block(std::move(error), step.span(2), block.stmt->span)
      .help("`reindex_cache_write` copies only what the block writes");
}

// Do the blocks inside of this one read the buffer only behind those that write it?
static bool writes_first(ScheduleState& state, SRefNode& block, const Buffer& buffer) {
  if (child_blocks(state, block).empty()) return false;
  Dependences inside = dependences(state, block);
  const std::vector<SRefNode*>& readers = inside.readers[buffer.get()];
  return std::all_of(readers.begin(), readers.end(), [&](SRefNode* reader) {
    std::vector<SRefNode*> before = inside.producers(*reader);
    return reader->region_cover && std::any_of(before.begin(), before.end(), [&](SRefNode* writer) {
             return touches(inside.writes(*writer), buffer);
           });
  });
}

static SRefNode* apply(Step& step, Any, Any, String storage_scope, Any) {
  // check
  // Consumers passed by name are looked up first, as the trace shows.
  std::vector<BlockArg> consumers = step.blocks(4);
  BlockArg block = step.block(1);
  SRefNode* scope = require_scope(block);
  Buffer buffer = choose_buffer(step, 2, *block, block->block()->writes, "writes");
  require_storage_scope(step, 3, storage_scope);
  Dependences deps = dependences(step.state, *scope);
  only_writer(deps, buffer, step.span(2));
  require_read_after(step, deps, *block, deps.readers[buffer.get()], buffer, false);
  const SBlockNode* node = block->block();
  if (touches(node->reads, buffer) && !node->init && !writes_first(step.state, *block, buffer)) {
    throw about_block(
        refuse(shared_refusals["cache-write-updates"], block->name.c_str(), buffer->name.c_str()),
        step.span(2), block->stmt->span)
        .help("`cache_inplace` copies the buffer in before the block and back after it");
  }
  std::vector<SRefNode*> users{&*block};
  for (const BlockArg& consumer : consumers) users.push_back(&*consumer);

  // apply
  CacheStage stage;
  stage.to = buffer;
  stage.from = stage.allocated = buffer_in(buffer, storage_scope);
  std::vector<SRefNode*> related = flow_around(deps, *block).consumers;
  std::erase_if(related, [&](SRefNode* reader) {
    return std::find(users.begin(), users.end(), reader) != users.end();
  });
  CopyLocation location = location_after(deps, *scope, *block, related);
  stage.location = location.sref;
  stage.position = location.position;
  for (const TensorRegion& region : block->block()->writes) {
    if (!region->source.same_as(buffer)) continue;
    set_region(stage, step.state, *block, region);
    require_all_written(step, *block, *scope, stage, region);
  }
  return add_cache_stage(step, *scope, stage, users);
}

extern const Primitive cache_write;
const Primitive cache_write = primitive<&apply>(
    "CacheWrite", "cache_write(block, write_buffer_index, storage_scope, consumer_blocks=None)", doc, "",
    "consumer_blocks");

}  // namespace mlc::transform::primitive_cache_write
