// SPDX-License-Identifier: Apache-2.0
// The page of a whole program: its statements one by one, what each changed, what is known of that and how
// long it took, beside its source. `mlc explain --report FILE.html PROGRAM`.
#pragma once

#include <string>

namespace mlc::repl {

struct ProgramReport {
  std::string page;
  size_t steps = 0;      // statements that changed something
  bool refused = false;  // the program ended with an error, which the page shows
};

// Runs the program as an import would: what stands under `if __name__ == "__main__"` does not run. Errors of
// its syntax come through, and CallError for a file that cannot be read.
ProgramReport report_program(const std::string& path);

}  // namespace mlc::repl
