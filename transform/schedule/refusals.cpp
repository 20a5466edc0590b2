// SPDX-License-Identifier: Apache-2.0
#include "transform/schedule/refusals.h"

namespace mlc::transform {

MLC_REFUSALS(schedule_refusals, shared_refusals);

}  // namespace mlc::transform
