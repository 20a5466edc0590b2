// SPDX-License-Identifier: Apache-2.0
// One interactive session: the evaluator, the graph of its states, and how values show themselves. Knows nothing of
// terminals; the REPL, piped input and transcripts drive it alike.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "frontend/script/core/evaluator.h"
#include "repl/session/heap.h"
#include "repl/session/journal.h"
#include "repl/shell/interpreter.h"
#include "repl/shell/program.h"
#include "transform/pass/pass_object.h"

namespace mlc::repl {

class Lowerings;   // repl/session/lowering.h
struct CallError;  // repl/shell/source.h

struct SessionOptions {
  bool colour = false;
  bool compact_errors = false;                // the form of goldens, without file names and line numbers
  bool classic = false;                       // modules are shown in the classic dialect
  bool paged = true;                          // `page` is used
  bool has_editor = true;                     // `:edit` can open one: who types is at the terminal of this process
  size_t history = 1024;                      // MiB that the states other than the one in force may hold
  std::function<void(std::string_view)> out;  // everything the session shows; stdout unless set
  Journal* journal = nullptr;                 // null: none is kept
  std::function<std::pair<size_t, size_t>()> screen;  // its rows and columns: longer values are cut. Unset: none is
  std::function<void(std::string_view)> page;  // shows what may be longer than the screen; `out` unless set
  std::function<void(const ir::Any&)> result;  // gets the value of an input; it is shown unless set
  std::function<void(const ir::Error&)> error;    // gets what a statement is refused with; it is shown unless set
  std::function<void(const CallError&)> refusal;  // the same of a command
  // Shows a drawing (its MIME type, what it is, its text) beside the input; unset: drawings are files.
  std::function<void(std::string_view, std::string_view, std::string_view)> display;
  std::string input_name;                      // of inputs in messages; "<repl>[n]" where it is empty
};

// Without the blanks and ends of lines around it.
std::string_view trim(std::string_view text);
// `name?` on one line: what stands before the question mark is an expression.
bool is_question(std::string_view line);

// A statement that changed nothing.
struct Remark {
  std::string source;
  size_t shows = 0, reads = 0;
};

// What one statement has left: a node of the graph. State 0 is the beginning.
struct State {
  size_t parent = 0;
  std::string source;                      // the statement, with the comments before it
  size_t shows = 0;                        // the number of the value that it has shown, which `_` is after it; 0: none
  size_t reads = 0;                        // the number of the value that `_` was when it ran; 0: it does not name `_`
  std::string verdict;                     // "proved", or why not; "" when no schedule took a step and no pass ran
  std::vector<std::string> schedules;      // names of those that took a step
  std::vector<std::string> primitives;     // "sch: split", in order
  std::vector<transform::PassRun> passes;  // that it called
  std::vector<std::string> bound;          // names that it bound anew or lost
  std::vector<NamedModule> modules;        // bound after it
  std::vector<Remark> remarks;             // that followed
  double seconds = 0;
  mutable std::string hash;  // hash_of(), once it was asked for
  Heap::Delta change;  // to its parent's contents while it is on the way to the state in force, else to its own
  size_t next = 0;     // the child that `:redo` goes to; 0: none
  bool dropped = false;
  bool let_go = false;  // its contents are no longer kept: it can be looked at, but not gone back to
};

// A name for a state that goes along with new ones.
struct Branch {
  std::string name;
  size_t tip = 0;
};

class Session {
 public:
  explicit Session(SessionOptions options);

  // Runs one input: statements, `:command`, `?name` or `name?`. Errors are shown, not thrown; of several statements
  // those behind the one that failed do not run.
  void run(std::string_view input);
  // The same, but throws what `attempt` shows.
  void run_input(std::string_view input);
  // The statements of a file, each a state; messages name its lines. Throws like `read_source`.
  void load(const std::string& path);
  // The same of one that was read already.
  void load(const std::string& path, uint32_t file);
  // A file that was loaded, anew from the first statement that is another one now, on the state before it. How many
  // statements stay and how many were run. CallError for a file that was not loaded.
  struct Reloaded {
    size_t kept = 0, run = 0, gone = 0;  // of those before
  };
  Reloaded reload(const std::string& path);
  bool has_loaded(std::string_view path) const;
  // The file that was loaded last; "" where none was.
  std::string last_loaded() const { return loaded_.empty() ? "" : loaded_.back().path; }
  // As `run` does with statements; how long they took, without what shows their value.
  double run_timed(std::string_view statements);
  // Does something that leads to another state, as what is to be run again behind a crash.
  void journalled(std::string_view input, const std::function<void()>& what);
  // Has Ctrl-C stopped a statement of the input that was journalled last?
  bool was_stopped() const { return stopped_.has_value(); }
  // Does something, and shows the error in which it ends.
  void attempt(const std::function<void()>& what);
  // Set by :quit, sys.exit() and quit(): the session is over, with this exit code.
  std::optional<int> ended() const { return ended_; }
  void end(int code) { ended_ = code; }

  script::Evaluator& evaluator() { return evaluator_; }
  SessionOptions& options() { return options_; }
  const SessionOptions& options() const { return options_; }
  void show(std::string_view text) { options_.out(text); }
  // As a module or a loop nest, with colours when they are on, or as its repr; cut where the screen has too
  // few rows.
  void show_value(const ir::Any& value);
  // The whole of it, a screen at a time where somebody reads.
  void page(std::string_view text);
  std::string text_of(const ir::Any& value);
  std::string coloured(std::string_view script) const;

  const std::vector<State>& states() const { return states_; }
  size_t position() const { return at_; }  // the state in force
  std::vector<size_t> path() const { return path_to(at_); }
  std::vector<size_t> path_to(size_t state) const;  // from the first statement to it, without state 0
  // What a run has found out about a state.
  void set_verdict(size_t state, std::string verdict) { states_[state].verdict = std::move(verdict); }
  // The effect of a state in one line: primitives, lines of modules, names.
  std::string effect_of(size_t state);
  // Of the modules that are bound in a state and their names; eight hexadecimal digits.
  std::string hash_of(size_t state) const;

  // CallError where the contents of that state are no longer kept.
  void go(size_t state);
  // Options::history; the oldest contents are let go until the history is within its size.
  void set_history(size_t mebibytes);
  const std::vector<Branch>& branches() const { return branches_; }
  const Branch& branch() const { return branches_[branch_]; }
  // A new branch that begins at the state in force, which becomes the current one; the name must be free.
  void open_branch(std::string name);
  void switch_to(size_t branch);
  void rename(size_t branch, std::string name);
  // Forgets a branch other than the current one, and the states that no other has.
  void drop(size_t branch);
  // Runs the statements of a state again, on the state in force. False when one is refused; that is shown.
  bool replay(size_t state);

  // What `:lower` has made of modules.
  Lowerings& lowerings() { return *lowerings_; }

  // What could take the place of the statement that was refused last, each of it tried.
  const std::vector<std::string>& ways_out() const { return ways_out_; }
  std::string ways_out_text() const;
  // For who catches what `run_input` throws; `run` does it by itself.
  void find_ways_out(const ir::Error& error);
  // Runs something and takes back all that it changes in the session; what it shows is not shown. False when it ends in
  // an error.
  bool try_out(const std::function<void()>& what);

  // Files that `:save` has written.
  std::vector<std::string>& saved() { return saved_; }
  // The statements on the way to the state in force, as one program. What a later one reads as `_` is bound to it, and what
  // stands for a module of TVM without an import is imported.
  std::string program();
  // Statements on that way that read as `_` what was shown on another branch: in the program they do not do the same.
  std::vector<std::string> reading_elsewhere() const;

 private:
  // A file and its statements that have run, with the state that each has led to.
  struct Loaded {
    std::string path;
    size_t beginning = 0;
    std::vector<std::pair<std::string, size_t>> statements;
  };

  void run_statements(std::string_view text);
  // Of an input that is run again as it was the first time.
  uint32_t read_program(const std::string& path);
  void note_program(uint32_t file);
  uint32_t add_input(std::string_view text);
  // The value of the last one. `loaded` gets those that have run; the first `kept` are passed over.
  ir::Any run_source(uint32_t file, Loaded* loaded = nullptr, size_t kept = 0);
  void keep_comments(std::string_view text);
  void take_back();
  void show_result(const ir::Any& value);
  void show_error(const ir::Error& error);
  ir::Any run_statement(const std::shared_ptr<const syntax::Tree>& tree, const Chunk& chunk, bool of_file);
  void document(std::string_view name);
  void require_kept(size_t state) const;
  void limit_history();
  bool let_go_of_oldest(const std::vector<size_t>& path);  // false where there is nothing but the state in force
  size_t history_bytes() const;
  void add_state(State&& made);
  void tell_not_kept();
  void forget_modules();
  std::vector<NamedModule> modules_now();
  // A module with these contents that nobody changes in place, the same one each time.
  ir::IRModule frozen(const ir::IRModule& mod);
  void judge(State& state, const std::unordered_map<const ir::ffi::Object*, size_t>& steps_before);
  std::string free_branch_name() const;
  // The statements on the way to the state in force, remarks among them.
  std::vector<Remark> statements() const;

  SessionOptions options_;
  Interpreter evaluator_;
  Heap heap_{evaluator_};
  std::vector<State> states_{State{}};
  size_t at_ = 0;
  std::vector<Branch> branches_{{"main", 0}};
  size_t branch_ = 0;
  size_t inputs_ = 0;
  size_t begun_ = 0;               // statements of the input that runs
  std::optional<size_t> stopped_;  // the one of them that Ctrl-C has stopped
  size_t values_ = 0;      // that were shown
  size_t last_value_ = 0;  // the number of that which `_` is; 0 where a program has bound it
  bool remarked_ = false;  // the last statement changed nothing
  std::vector<Loaded> loaded_;  // in the order in which they were loaded last
  std::shared_ptr<Lowerings> lowerings_;
  std::optional<int> ended_;
  // By their functions: modules as they were after a statement, since scripts change them in place.
  std::unordered_map<const ir::ffi::Object*, std::vector<ir::IRModule>> frozen_;
  std::unordered_map<const ir::ffi::Object*, ir::IRModule> of_functions_;  // a function that is bound, as a module
  size_t most_modules_ = 64;
  size_t most_bytes_ = 0;  // no less than what history_bytes() counts, whatever state is in force
  bool told_of_history_ = false;
  std::vector<std::string> ways_out_;
  std::vector<std::string> saved_;
};

}  // namespace mlc::repl
