// SPDX-License-Identifier: Apache-2.0
// What generated C needs besides C: functions and macros that a text contains where it uses them.
#pragma once

#include <string_view>

namespace mlc::c_backend {

// In a row's text $T is the type, $U the unsigned integer of its size, $W its word in names, $F the suffix of
// the C library's functions for it. The name of a row with `$` at its end is one per type.
struct PreludeRow {
  std::string_view name;
  std::string_view text;
  std::string_view needs = {};  // another row, of the same type
  std::string_view real = {};   // the text for float and double, where it is another one
};

// Null where there is none.
const PreludeRow* prelude_row(std::string_view name);

}  // namespace mlc::c_backend
