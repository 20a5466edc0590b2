// SPDX-License-Identifier: Apache-2.0
// The colours of a terminal by what they mean. A theme says which they are.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace mlc::print {

enum class Role : uint8_t {
  kPlain,
  // Of program text.
  kKeyword,
  kText,
  kNumber,
  kComment,
  kDecorator,
  // Of tables and differences.
  kName,
  kKind,
  kBlock,
  kQuiet,
  kAdded,
  kRemoved,
  // Of the line that is typed.
  kPrompt,
  kBracket,
  kCount
};

struct Theme {
  std::string_view name, summary;
  std::string_view colours[static_cast<size_t>(Role::kCount)];  // ANSI sequences, "" for none
};

std::span<const Theme> themes();
const Theme& theme();  // the one in force: that of MLC_THEME at first, else `terminal`
// False where there is none of that name.
bool choose_theme(std::string_view name);

// The ANSI sequence of the theme in force, "" for none.
std::string_view colour_of(Role role);

}  // namespace mlc::print
