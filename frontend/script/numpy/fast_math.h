// SPDX-License-Identifier: Apache-2.0
// Loops over rows of numbers that take several at a time. exp, log and tanh of floats are computed in double,
// so that the results are rounded once: they differ from the exact ones by half a unit in the last place.
#pragma once

#include <cstdint>

namespace mlc::script {

void exp_row(const float* from, float* to, int64_t n);
void log_row(const float* from, float* to, int64_t n);
void tanh_row(const float* from, float* to, int64_t n);
void exp_row(const double* from, double* to, int64_t n);

// float to float16 by the machine's own conversion; false where it has none.
bool to_half_row(const float* from, uint16_t* to, int64_t n);
bool from_half_row(const uint16_t* from, float* to, int64_t n);

}  // namespace mlc::script
