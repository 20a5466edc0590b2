// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "ir/core/refusal.h"
#include "transform/schedule/cache_stage.h"
#include "transform/schedule/non_block_stmts.h"
#include "transform/schedule/refusals.h"
#include "transform/schedule/undeclared_accesses.h"
#include "transform/schedule/witness.h"

namespace mlc::transform::primitive_cache_read {

static constexpr ir::Refusals refusals{
    kScheduleError,
    {
        {.name = "reads-unwritten",
         .message = "block `{}` may read elements of `{}` that are not written by then",
         .help = "`sch.get_producers` tells which blocks write what it reads",
         .meaning =
             "The copy is made of what the block reads, and all of that must be written in front of it.",
         .wrong = R"(@T.prim_func(s_tir=True)
def half(A: T.Buffer((16,), "float32"), C: T.Buffer((16,), "float32")):
    B = T.sblock_alloc_buffer((16,))
    for i in range(8):
        with T.sblock("half"):
            vi = T.axis.spatial(8, i)
            B[vi] = A[vi] * 2.0
    for i in range(16):
        with T.sblock("all"):
            vi = T.axis.spatial(16, i)
            C[vi] = B[vi] + 1.0


other = tvm.s_tir.Schedule(half)
other.cache_read("all", 0, "local"))",
         .right = R"(sch.cache_read("product", 0, "local"))"},
    }};
MLC_REFUSALS(primitive_cache_read, refusals);

static constexpr char doc[] = R"(
cache_read(block, read_buffer_index, storage_scope, consumer_blocks=None) -> block      Copy what a block reads into another memory first.

    C[i, j] = f(A[i, j])      =>      A_shared[ax0, ax1] = A[ax0, ax1]
                                      C[i, j] = f(A_shared[i, j])

The copy is put in front of the first consumer of the block that writes the buffer, or first in the scope when none does. All
readers in the scope use the copy, or only `consumer_blocks`. In the body of a loop the new buffer has the shape of the
other, in the body of a block that of the region which is copied. Returns the copying block.
needs: at most one block of the scope writes the buffer, before all that use the copy; what these read is written by then.
keeps: the values computed.
)";

static SRefNode* apply(Step& step, Any, Any, String storage_scope, Any) {
  // check
  // Consumers passed by name are looked up first, as the trace shows.
  std::vector<BlockArg> consumers = step.blocks(4);
  BlockArg block = step.block(1);
  SRefNode* scope = require_scope(block);
  Buffer buffer = choose_buffer(step, 2, *block, block->block()->reads, "reads");
  require_storage_scope(step, 3, storage_scope);
  Dependences deps = dependences(step.state, *scope);
  SRefNode* writer = only_writer(deps, buffer, step.span(2));
  std::vector<SRefNode*> users;
  const std::vector<SRefNode*>& readers = deps.readers[buffer.get()];
  for (const BlockArg& consumer : consumers) {
    // A block around the scope is all that reads there.
    bool around = &*consumer == scope || is_above(*consumer, *scope);
    if (around) {
      users.insert(users.end(), readers.begin(), readers.end());
    } else {
      users.push_back(&*consumer);
    }
  }
  if (users.empty()) users = all_readers(deps, buffer);
  std::erase(users, writer);
  if (writer) require_read_after(step, deps, *writer, users, buffer, true);
  for (const SRefNode* user : users) {
    if (user->region_cover) continue;
    Error error = refuse(refusals["reads-unwritten"], user->name.c_str(), buffer->name.c_str());
    for (const TensorRegion& region : deps.reads(*user)) {
      if (!step.state.explaining) break;
      std::string witness = element_from_elsewhere(step.state, deps, *user, region);
      add_witness(error, witness);
      if (!witness.empty()) break;
    }
    throw about_block(std::move(error), step.span(2), user->stmt->span)
        .help("`sch.get_producers` tells which blocks write what it reads");
  }

  size_t position = writer ? 0 : place_behind_made(scope->block()->body, buffer, "cache_read");

  // apply
  CacheStage stage;
  stage.from = buffer;
  stage.to = stage.allocated = buffer_in(buffer, storage_scope);
  stage.location = scope;
  stage.position = position;
  if (writer) {
    // In front of all that reads what the block writes, be it another buffer.
    CopyLocation location = location_after(deps, *scope, *writer,
                                           consumers.empty() ? flow_around(deps, *writer).consumers : users);
    stage.location = location.sref;
    stage.position = location.position;
  }
  if (writer) {
    for (const TensorRegion& region : deps.writes(*writer)) {
      if (region->source.same_as(buffer)) set_region(stage, step.state, *writer, region);
    }
  } else {
    set_region_of_input(stage, *scope);
  }
  return add_cache_stage(step, *scope, stage, users);
}

extern const Primitive cache_read;
const Primitive cache_read = primitive<&apply>(
    "CacheRead", "cache_read(block, read_buffer_index, storage_scope, consumer_blocks=None)", doc, "",
    "consumer_blocks");

}  // namespace mlc::transform::primitive_cache_read
