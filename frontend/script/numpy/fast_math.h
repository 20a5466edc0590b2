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

// The greatest or the least of `best` and a row; false where a nan is among them (and nothing is found then).
bool extreme_of_row(const float* row, int64_t n, bool greatest, float& best);
bool extreme_of_row(const double* row, int64_t n, bool greatest, double& best);
// Where the value stands first; `n` where it does not.
int64_t place_in_row(const float* row, int64_t n, float value);
int64_t place_in_row(const double* row, int64_t n, double value);

enum class Comparison : uint8_t { kEqual, kNotEqual, kLess, kLessEqual, kGreater, kGreaterEqual };
// Each of `left` with each of `right`, or with its first where `fixed`.
void compare_rows(Comparison how, const float* left, const float* right, bool fixed, bool* to, int64_t n);
void compare_rows(Comparison how, const double* left, const double* right, bool fixed, bool* to, int64_t n);

// float to float16 by the machine's own conversion; false where it has none.
bool to_half_row(const float* from, uint16_t* to, int64_t n);
bool from_half_row(const uint16_t* from, float* to, int64_t n);

}  // namespace mlc::script
