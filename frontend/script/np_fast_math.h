// SPDX-License-Identifier: Apache-2.0
// exp, log and tanh of rows of floats, several at a time. Computed in double, so that the results are rounded
// once: they differ from the exact ones by half a unit in the last place.
#pragma once

#include <cstdint>

namespace mlc::script {

void exp_row(const float* from, float* to, int64_t n);
void log_row(const float* from, float* to, int64_t n);
void tanh_row(const float* from, float* to, int64_t n);

}  // namespace mlc::script
