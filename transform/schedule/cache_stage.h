// SPDX-License-Identifier: Apache-2.0
// A copy between a buffer and a faster one: what cache_read and cache_write share.
#pragma once

#include <functional>

#include "transform/schedule/primitive.h"

namespace mlc::transform {

struct CacheStage {
  Buffer from, to;   // the copy reads `from` and writes `to`
  Buffer allocated;  // the new one of the two
  std::vector<Interval> region;
  bool of_region = false;  // the new buffer has the shape of the region; else that of the other buffer
  struct Guard {
    bool low = false, high = false;
  };
  std::vector<Guard> guards;  // where the region may reach past the buffer
  std::vector<Expr>
      extents;      // of dimensions cut off at the buffer's end: as TVM writes them; null for others
  SRefNode* location;  // the loop or scope in whose body the copy is put,
  size_t position;  // before this statement
};

// The buffer an argument names among `regions`: by number, by name, or itself; by number only, where TVM
// takes nothing else. `role`: "reads" or "writes". Errors: no-such-buffer, wrong-type.
enum class Naming : uint8_t { kAny, kNumbers };
Buffer choose_buffer(Step& step, size_t argument, const SRefNode& block, const Array<TensorRegion>& regions,
                     std::string_view role, Naming naming = Naming::kAny);
// Is it a memory that targets have? Error: unknown-storage-scope.
void require_storage_scope(Step& step, size_t argument, const String& storage_scope);
// A buffer like `buffer` in another memory, called after it.
Buffer buffer_in(const Buffer& buffer, const String& storage_scope);
// The only block that writes the buffer in this scope; null when none does. Error: several-writers.
SRefNode* only_writer(const Dependences& deps, const Buffer& buffer, Span span);
// A copy made after the writer comes too late for blocks before it. Those of `readers` that share
// no loop with it are left alone unless they are to use the copy. Error: written-after-read.
void require_read_after(Step& step, const Dependences& deps, SRefNode& writer,
                        const std::vector<SRefNode*>& readers, const Buffer& buffer, bool use_copy);
// Where a copy of what `writer` writes is put for those of `related` that come after it: in front of the
// first of them, in the body that holds both; behind everything in the scope when there are none.
struct CopyLocation {
  SRefNode* sref;
  size_t position;
};
CopyLocation location_after(const Dependences& deps, SRefNode& scope, SRefNode& writer,
                            const std::vector<SRefNode*>& related);
// A part of a dimension, clipped to the buffer; simplified.
Interval inside_shape(const Interval& part, const Expr& size, Analyzer& analyzer);
// Sets what is copied to a region of a block during one run of `location`'s body, inside the buffer's shape.
// The new buffer of a copy in the body of a block holds just that.
void set_region(CacheStage& stage, ScheduleState& state, const SRefNode& block, const TensorRegion& region);
// Sets what is copied to what `scope` declares to read of the buffer, or to all of it.
void set_region_of_input(CacheStage& stage, const SRefNode& scope);

// The copy itself: loops `ax0`, `ax1`, ... over the region, around the block that comes back in `block`.
Stmt copy_nest(const CacheStage& stage, SBlock& block);

// What becomes of a block that uses the copy.
using ChangeBlock = std::function<Stmt(const Stmt&)>;
// `scope` with the copy inserted, the buffer allocated, and its users changed.
Stmt scope_with_stage(const SRefNode& scope, const CopyLocation& at, const Stmt& copy, const Buffer& allocated,
                      const std::vector<SRefNode*>& users, const ChangeBlock& change);

// Inserts the copy and lets `users` use the allocated buffer instead of the other. Returns the copy's
// block.
SRefNode* add_cache_stage(Step& step, SRefNode& scope, const CacheStage& stage, const std::vector<SRefNode*>& users);

}  // namespace mlc::transform
