// SPDX-License-Identifier: Apache-2.0
#include "transform/pass/refusals.h"

namespace mlc::transform {

extern const ir::RefusalList refusals_pass_refusals;
const ir::RefusalList refusals_pass_refusals = pass_refusals;

}  // namespace mlc::transform
