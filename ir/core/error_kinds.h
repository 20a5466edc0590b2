// SPDX-License-Identifier: Apache-2.0
// Kinds of errors that are several of Python's classes at once: `kind("A+B")` is caught as A and as B, and is
// called A.
#pragma once

namespace mlc::ir {

// None where a value is needed. TVM uses one of the three, depending on the check.
inline constexpr const char* kNothingGiven = "TypeError+ValueError+InternalError";
// What TVM finds by a check that it calls internal, and is wrong about the value.
inline constexpr const char* kRefusedValue = "InternalError+ValueError";
inline constexpr const char* kRefusedType = "InternalError+TypeError";
// A schedule's handle that it does not know, and one whose loop or block is gone: refusals like all others
// here, but no ScheduleError in TVM.
inline constexpr const char* kNoHandle = "IndexError+ScheduleError";
inline constexpr const char* kHandleGone = "ValueError+ScheduleError";

}  // namespace mlc::ir
