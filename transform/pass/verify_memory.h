// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "transform/pass/pass.h"

namespace mlc::transform {

// Parameters whose memory a function for a device reads or writes outside of any thread, in the order of
// first accesses; none for functions of the host and for those that have a calling convention already.
std::vector<Buffer> accessed_by_host(const PrimFunc& fn);

}  // namespace mlc::transform
