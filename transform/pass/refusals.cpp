// SPDX-License-Identifier: Apache-2.0
#include "transform/pass/refusals.h"

namespace mlc::transform {

MLC_REFUSALS(pass_refusals, pass_refusals);

}  // namespace mlc::transform
