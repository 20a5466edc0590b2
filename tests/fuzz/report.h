// SPDX-License-Identifier: Apache-2.0
// What a fuzz target has done: a target that refuses all its inputs, or compares nothing, would pass for ever.
#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <string>

namespace mlc::fuzz {

struct Report {
  std::string text;  // lines
  bool good = true;
};

// Each target defines it; called once, after the last input.
Report report();

// A line `label: part of whole (share)`, and failure below the least share. A few draws say nothing: a share of
// fewer than `enough` is printed and not judged.
inline void demand(Report& report, std::string_view label, size_t part, size_t whole, double least,
                   size_t enough) {
  double share = whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
  report.text += fmt::format("{}: {} of {} ({:.1f} %)", label, part, whole, share * 100);
  if (whole < enough) {
    report.text += ", too few to judge\n";
  } else if (share < least) {
    report.text += fmt::format(": at least {:.1f} % are demanded\n", least * 100);
    report.good = false;
  } else {
    report.text += "\n";
  }
}

}  // namespace mlc::fuzz
