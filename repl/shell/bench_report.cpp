// SPDX-License-Identifier: Apache-2.0
#include "repl/shell/bench_report.h"

#include <fmt/format.h>

#include "repl/measure/report.h"
#include "repl/shell/kept_files.h"
#include "repl/shell/report.h"
#include "repl/shell/source.h"

namespace mlc::repl {

int finish_bench(const CommandLine& line, const std::vector<std::vector<Measured>>& groups,
                 nlohmann::ordered_json found, const std::optional<Baseline>& before, bool all) {
  bool regressed = false;
  if (before) {
    BaselineReport report = compare_with_baseline(groups, *before, line.tolerance / 100, all);
    regressed = report.regressed;
    if (line.json) found["regressed"] = regressed;
    fmt::print(line.json ? stderr : stdout, "{}", report.text);
  }
  if (line.json) print_event("result", found);
  if (!line.save.empty()) write_file(line.save, json_text(found, 1) + "\n");
  return regressed ? 1 : 0;
}

}  // namespace mlc::repl
