// SPDX-License-Identifier: Apache-2.0
// Golden files: programs that carry what they must print in comments beneath the statement that prints it.
//
//   print(1 + 1)
//   #| 2
//   sch.split(i, [3, 32])
//   #! error[split-not-covering]: factors multiply to 96, less than the extent 128 of loop `i`
//   #!   sch.split(i, [3, 32])
//   #!               ^^^^^^^
//
// Statements at the top level run one by one; one that fails is reported and the next one runs. Directives,
// each with its reason: `# golden: no-run (reason)` does not compare with compiled code, `no-verify` does not
// compare modules before and after passes, `no-replay` does not
// replay traces, `no-round-trip` does not parse again what was printed; `no-oracle` is for `./dev oracle`.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "ir/core/sanitizers.h"
#include "repl/shell/program.h"

namespace mlc::repl {

// What one file gave.
struct GoldenOutcome {
  std::string updated;                // the file as it ought to read
  std::vector<std::string> failures;  // of the checks that follow the run; differences of text not included
  size_t checks = 0;                  // how many checks were made
  size_t compared = 0;                // of those, runs that were compared
  // Functions that were not run, by reason: the name of the interpreter's error, or what stood against it.
  std::map<std::string, size_t> not_run;

  void add(const GoldenOutcome& part);  // all but the text
};

GoldenOutcome run_golden_program(const std::string& path, const std::string& text);
// Fenced blocks of a Markdown file whose info string begins with `python` or `mlc`, each a program of its
// own.
GoldenOutcome run_golden_markdown(const std::string& path, const std::string& text);
// A session: `>>> ` and `... ` before what is typed, everything else is what it shows.
GoldenOutcome run_golden_transcript(const std::string& text);

struct GoldenOptions {
  bool update = false;
  bool quiet = false;  // names of files only when they fail
  bool json = false;   // one JSON object per file, and one with the sum
  unsigned jobs = 0;   // 0: as many as there are processors
#ifdef MLC_ASAN
  unsigned seconds = 1200;  // limit per file: each switch of a fiber cleans a stack
#else
  unsigned seconds = 120;
#endif
};
// Runs every file in a process of its own and prints what differs, then how many checks were made and which
// functions were not run, then `N passed, N failed`. Returns the number of files that failed.
size_t run_goldens(const std::vector<std::string>& files, const GoldenOptions& options);

}  // namespace mlc::repl
