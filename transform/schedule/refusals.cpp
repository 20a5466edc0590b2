// SPDX-License-Identifier: Apache-2.0
#include "transform/schedule/refusals.h"

namespace mlc::transform {

extern const ir::RefusalList refusals_schedule_refusals;
const ir::RefusalList refusals_schedule_refusals = shared_refusals;

}  // namespace mlc::transform
