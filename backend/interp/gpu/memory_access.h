// SPDX-License-Identifier: Apache-2.0
// What instructions on memory share.
#pragma once

#include <string>
#include <string_view>

#include "backend/interp/gpu/kernel.h"

namespace mlc::interp {

// Words are at multiples of their size. Error: address-misaligned.
void check_aligned(const Thread& thread, const Block& memory, const char* at, int64_t bytes, Span span);
// Instructions on shared memory are on that of their block, unless they say that it is the cluster's. Error:
// address-in-other-block.
void check_own(const Thread& thread, const Block& memory, const char* at, const std::string& space,
               Span span);
// Before a word is read that a loop may wait for: others go first where it is what it was the last time.
void poll(Thread& thread, Block& memory, char* begin, int64_t bytes, const AccessPoint& at);
// The type of registers that PTX calls `b32`, `s64` or `f32`. Error: interpret-unsupported.
const Number& number_of_ptx(std::string_view type, Span span);
// What an atomic operation makes of what is there and what comes (PTX ISA, `atom`).
Lane reduced(std::string_view op, const Number& type, Lane there, Lane operand);

}  // namespace mlc::interp
