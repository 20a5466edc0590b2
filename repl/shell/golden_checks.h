// SPDX-License-Identifier: Apache-2.0
// What every golden is also tested for, without saying so:
//   - a module that was printed parses again and prints the same text;
//   - each module bound at the end prints to a program that is equal to it;
//   - each schedule's trace, replayed on the module it began with, gives the same module;
//   - scheduled modules compute on random inputs what they computed before, in the interpreter;
//   - what each pass of a row leaves computes what the module before the row did, in the interpreter, graphs, too;
//   - compiled code computes what the interpreter does.
// A file of whose modules nothing was run says why, or fails.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "repl/shell/golden.h"
#include "transform/pass/pass_object.h"
#include "transform/schedule/schedule.h"

namespace mlc::repl {

class GoldenChecks {
 public:
  // `text`: the file, for its directives.
  GoldenChecks(script::Evaluator& evaluator, std::string_view text, GoldenOutcome& outcome);

  void after_statement(const std::string& printed);
  void at_end();
  std::vector<transform::PassRun> passes;  // that the program has called

 private:
  struct Beginning {
    transform::Schedule schedule;
    ir::IRModule mod;
  };

  template <class F>
  void check(const std::string& what, F&& body);
  void check_printed(const std::string& printed);
  std::string check_replay(const Beginning& beginning, const ir::IRModule& now);
  void check_passes();
  void check_runs(const std::string& name, const ir::IRModule& mod, const ir::IRModule* before);

  script::Evaluator& evaluator_;
  GoldenOutcome& outcome_;
  std::map<const ir::ffi::Object*, Beginning> beginnings_;  // schedules as they were made
  bool round_trip_ = true;
  bool replay_ = true;
  bool run_ = true;
  bool verify_ = true;
};

}  // namespace mlc::repl
