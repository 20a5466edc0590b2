// SPDX-License-Identifier: Apache-2.0
// Which threads of a cluster run a statement: a box of blocks, warps and lanes, narrowed by the conditions
// around.
#pragma once

#include <optional>

#include "transform/pass/scope_ids.h"

namespace mlc::transform {

// offset + stride * i for 0 <= i < extent
struct AxisRange {
  int64_t extent = 1, offset = 0, stride = 1;

  bool operator==(const AxisRange&) const = default;
  int64_t last() const { return offset + stride * (extent - 1); }
  // What of it lies in [low, high); nothing where that is empty.
  std::optional<AxisRange> within(int64_t low, int64_t high) const;
  // What of it is `residue` modulo `modulus`.
  std::optional<AxisRange> congruent(int64_t modulus, int64_t residue) const;
};

struct ActiveThreads {
  AxisRange lane, warp, block;
  Expr elected;  // the lane that a condition elects; null without one

  // All threads of a launch; nothing where their number is no constant.
  static std::optional<ActiveThreads> all(const ScopeIds& ids);
  // Those for which `condition` holds, as far as a box can say that: else as they are. `bindings`: the ids in
  // scope.
  ActiveThreads where(const Expr& condition,
                      const std::unordered_map<const VarNode*, ScopeBinding>& bindings) const;

  // The parts of a scope and the axes below it, by name: [extent, offset] or [extent, offset, stride].
  // Nothing where the threads are no whole number of parts (warps across warp groups).
  struct Split {
    Map<String, Any> inter, intra;
  };
  std::optional<Split> split(ScopeKind scope) const;

 private:
  std::optional<ActiveThreads> narrowed(ScopeBinding binding, int64_t low, int64_t high) const;
};

}  // namespace mlc::transform
