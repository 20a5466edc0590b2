// SPDX-License-Identifier: Apache-2.0
// Which boxes of which buffers a block touches, read off its body.
#pragma once

#include "ir/tir/linear.h"
#include "ir/tir/simplified.h"
#include "ir/tir/stmt.h"

namespace mlc::ir {

// In order of first access. `opaque`: buffers whose address escapes, so that their regions are unknown.
struct AccessRegions {
  Array<TensorRegion> reads;
  Array<TensorRegion> writes;
  Array<Buffer> opaque;
};

// Regions in terms of the block's iterators and whatever is defined outside: loops inside the block are
// relaxed over their bounds (narrowed by conditions on one loop variable), nested blocks count with their
// declared regions, buffers that live inside the block only do not count. A buffer that `init` writes is not
// read. Several accesses of one buffer become their box. An index that cannot be bounded covers its
// dimension. `simplify`: for bounds that are not linear.
AccessRegions detect_access_regions(const SBlock& block, const Simplify& simplify);

}  // namespace mlc::ir
