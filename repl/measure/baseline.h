// SPDX-License-Identifier: Apache-2.0
// What was measured, beside what `mlc bench --save` wrote at another time.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "repl/measure/measure.h"

namespace mlc::repl {

inline constexpr std::string_view kBaselineFormat = "mlc bench 1";
// Of the file, whatever its version.
inline constexpr std::string_view kBaselineBeginning = "{\n \"format\": \"mlc bench ";

struct Processor {
  std::string name;
  unsigned threads = 0;
};
Processor this_processor();

struct BaselineRow {
  std::string name, function, arguments;
  std::vector<double> warm, cold;  // samples

  std::string key() const { return name + "." + function; }
};
struct Baseline {
  std::vector<BaselineRow> rows;
};
// CallError for a file that is none of `--save`, or that was measured on another processor or with other
// sizes.
Baseline read_baseline(const std::string& file, const Sizes& sizes);

struct BaselineReport {
  std::string text;
  bool regressed = false;  // a function is slower by more than the tolerance, or is no longer there
};
// `tolerance`: 0.05 are five per cent. `all`: every function is measured that the baseline could have been
// made of, so that one that is missing now is gone.
BaselineReport compare_with_baseline(const std::vector<std::vector<Measured>>& groups, const Baseline& then,
                                     double tolerance, bool all);

}  // namespace mlc::repl
