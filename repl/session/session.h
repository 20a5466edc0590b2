// SPDX-License-Identifier: Apache-2.0
// One interactive session: the evaluator, its history of states, and how values show themselves. Knows
// nothing of terminals; the REPL, piped input and transcripts drive it alike.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "frontend/script/core/evaluator.h"
#include "repl/shell/interpreter.h"
#include "repl/shell/program.h"
#include "transform/pass/pass_object.h"

namespace mlc::repl {

struct SessionOptions {
  bool colour = false;
  bool compact_errors = false;                // the form of goldens, without file names and line numbers
  std::function<void(std::string_view)> out;  // everything the session shows; stdout unless set
};

// Without the blanks and ends of lines around it.
std::string_view trim(std::string_view text);

// What the main module binds at one moment. Schedules are mutable, so a snapshot holds copies of them.
using Snapshot = std::vector<std::pair<std::string, ir::Any>>;

// One input that changed a module or schedule.
struct Step {
  std::string source;   // what was typed
  std::string effect;   // which names changed, and by how many lines
  std::string verdict;  // "proved", or why not; empty when no schedule took a step and no pass ran
  std::vector<std::string> schedules;      // names of those that took a step
  std::vector<transform::PassRun> passes;  // that it called
  Snapshot before;                         // the state it started from
  Snapshot after;                          // the state it was left in; set when the step is undone
  size_t input = 0;                        // its index among the inputs
  std::vector<size_t> dropped;             // inputs that went with it when it was undone
};

class Session {
 public:
  explicit Session(SessionOptions options);

  // Runs one complete input: program text, `:command`, `?name` or `name?`. Errors are shown, not thrown.
  void run(std::string_view input);
  // Set by :quit, sys.exit() and quit(): the session is over, with this exit code.
  std::optional<int> ended() const { return ended_; }
  void end(int code) { ended_ = code; }

  script::Evaluator& evaluator() { return evaluator_; }
  SessionOptions& options() { return options_; }
  void show(std::string_view text) { options_.out(text); }
  void show_value(const ir::Any& value);
  // Text of an IR value with colours when they are on.
  void show_script(std::string_view text);

  const std::vector<Step>& steps() const { return steps_; }
  // What a run has found out about a step.
  void set_verdict(size_t step, std::string verdict) { steps_[step].verdict = std::move(verdict); }
  size_t position() const { return position_; }  // steps that are in force
  bool undo();
  bool redo();
  // The modules bound after `step` steps (0: before the first), by name.
  std::vector<NamedModule> modules_at(size_t step);
  // The inputs in force, as one program.
  std::string program() const;

 private:
  void run_program_text(std::string_view text);
  void document(std::string_view name);
  Snapshot take_snapshot();
  void restore(const Snapshot& snapshot);
  std::vector<NamedModule> modules_of(const Snapshot& snapshot);
  void judge(Step& step);
  std::string changes(const std::vector<NamedModule>& before, const std::vector<NamedModule>& after);

  struct Input {
    std::string source;
    bool in_force = true;
  };

  SessionOptions options_;
  Interpreter evaluator_;
  std::vector<Input> inputs_;
  std::vector<Step> steps_;
  size_t position_ = 0;
  std::optional<int> ended_;
};

}  // namespace mlc::repl
