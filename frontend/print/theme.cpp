// SPDX-License-Identifier: Apache-2.0
#include "frontend/print/theme.h"

#include <algorithm>
#include <cstdlib>
#include <iterator>

namespace mlc::print {

namespace {

// In the order of Role. `light` and `dark` take the colours that all terminals with 256 of them share, each
// with a contrast (WCAG 2.1) of 5.7 or more against white and against #1e1e1e.
constexpr Theme kThemes[] = {
    {"terminal",
     "the sixteen colours of the terminal",
     {"", "\x1b[35m", "\x1b[32m", "\x1b[36m", "\x1b[90m", "\x1b[33m", "\x1b[36m", "\x1b[33m", "\x1b[1m",
      "\x1b[90m", "\x1b[32m", "\x1b[31m", "\x1b[1;34m", "\x1b[1;4m"}},
    {"light",
     "for a light background",
     {"", "\x1b[38;5;90m", "\x1b[38;5;22m", "\x1b[38;5;24m", "\x1b[38;5;241m", "\x1b[38;5;94m",
      "\x1b[38;5;24m", "\x1b[38;5;94m", "\x1b[1m", "\x1b[38;5;241m", "\x1b[38;5;22m", "\x1b[38;5;124m",
      "\x1b[1;38;5;18m", "\x1b[1;4m"}},
    {"dark",
     "for a dark background",
     {"", "\x1b[38;5;176m", "\x1b[38;5;114m", "\x1b[38;5;80m", "\x1b[38;5;247m", "\x1b[38;5;179m",
      "\x1b[38;5;80m", "\x1b[38;5;179m", "\x1b[1m", "\x1b[38;5;247m", "\x1b[38;5;114m", "\x1b[38;5;210m",
      "\x1b[1;38;5;111m", "\x1b[1;4m"}},
    {"mono",
     "bold, faint and underlined letters, no colours",
     {"", "\x1b[1m", "", "", "\x1b[2m", "\x1b[4m", "\x1b[1m", "", "\x1b[1m", "\x1b[2m", "\x1b[1m", "\x1b[4m",
      "\x1b[1m", "\x1b[1;4m"}},
};

const Theme* find(std::string_view name) {
  auto found = std::ranges::find(kThemes, name, &Theme::name);
  return found == std::end(kThemes) ? nullptr : found;
}

const Theme*& chosen() {
  static const Theme* theme = [] {
    const char* name = std::getenv("MLC_THEME");
    const Theme* wanted = name == nullptr ? nullptr : find(name);
    return wanted == nullptr ? &kThemes[0] : wanted;
  }();
  return theme;
}

}  // namespace

std::span<const Theme> themes() { return kThemes; }
const Theme& theme() { return *chosen(); }

bool choose_theme(std::string_view name) {
  const Theme* found = find(name);
  if (found != nullptr) chosen() = found;
  return found != nullptr;
}

std::string_view colour_of(Role role) { return theme().colours[static_cast<size_t>(role)]; }

}  // namespace mlc::print
