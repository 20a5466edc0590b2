// SPDX-License-Identifier: Apache-2.0
// Accesses that the regions of a block leave out: `unsafe_hide_buffer_access` takes them away, and regions
// written by hand may lack them. What a block reads must be written before it all the same.
#pragma once

#include "transform/schedule/analysis.h"

namespace mlc::transform {

struct Flow {
  std::vector<SRefNode*> producers, consumers;  // in program order
};
// The producers and consumers of `block` by declared accesses, and by what the bodies do.
Flow flow_around(const Dependences& deps, const SRefNode& block);
// The blocks that read a buffer, declared or not, in program order.
std::vector<SRefNode*> all_readers(const Dependences& deps, const Buffer& buffer);

}  // namespace mlc::transform
