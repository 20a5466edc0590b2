// SPDX-License-Identifier: Apache-2.0
// What was typed in the shell, understood.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "backend/backend.h"
#include "ir/target/target.h"
#include "repl/shell/sandbox.h"

namespace mlc::repl {

// One call of mlc. Reading it throws CallError; running it may also throw ir::Error, Evaluator::SystemExit.
class CommandLine {
 public:
  CommandLine() = default;  // nothing was typed: where rows are only asked what they take
  CommandLine(int argc, char** argv);
  int run();
  const std::string& program_file() const { return file; }

  char* const* typed = nullptr;  // as they were typed, the program's name first

  // The arguments of all commands; each reads its own.
  std::string command = "repl";
  std::string file;                    // FILE of the commands that read one
  std::optional<std::string> text;     // run: a program that was typed itself, after -c
  std::vector<std::string> arguments;  // of the program, after FILE
  std::vector<std::string> paths;      // of the commands that take several files
  std::string out;
  std::string target = backend::default_target_kind();
  std::string module;
  std::string emit;
  std::string header;                     // build: the C header
  std::string c_prefix;                   // build: of the functions' names in C
  std::string package_version = "0.1.0";  // build
  std::string schedule = "auto";          // build: by the rules of mlc.schedule, or "none"
  std::string pipeline = "default";       // build, bisect: of mlc.pipeline
  std::string debug_info;                 // build: lines, none; "" leaves it to the kind of artefact
  std::string dump;                       // build: the stages that are written
  std::string dump_folder = "stages";
  std::string from;                      // build: the stage that it goes on from
  std::string passes;                    // opt
  bool check_bounds = false;             // build, bisect, run
  bool no_cache = false;                 // build
  bool perf_map = false;                 // run
  bool perf_jitdump = false;             // run
  std::string schedule_file;             // explain: the file whose schedule is shown
  std::string fusion_file, memory_file;  // explain: the file whose graph is explained
  bool simulate = false;                 // run: GPUs are simulated
  std::string gpu_file,
      gpu = "nvidia-h100";  // explain: the program whose kernels are counted, and for which GPU
  std::string report;       // explain: the page that is written of a program
  std::string dialect = "current";
  std::string name;  // of `explain`, `help`, `completion`
  bool json = false;
  bool plain = false;      // repl
  bool run_it = false;     // check: the program runs as an import would run it
  bool main_part = false;  // verify: runs as `mlc run` would run it
  bool man = false;        // help: for man(1)
  Sandbox sandbox;         // run
  std::string colour = "auto";
  bool strict = false;  // check: warnings count as errors
  bool check = false;
  bool diff = false;
  bool update = false;
  bool quiet = false;
  unsigned jobs = 0;
  bool user = false;                      // jupyter install
  std::string prefix;                     // jupyter install
  std::vector<std::string> sizes;         // bench: "n=1024"
  double budget = 1;                      // bench: seconds
  double tolerance = 5;                   // bench: per cent
  std::string save, against;              // bench: baselines
  std::vector<std::string> inputs, dims;  // run, bench: "x=cat.npy", "batch=4"
  std::string threads;                    // run, bench
  std::string dispatch;                   // build, run, bench, explain: which calls of graphs libraries compute
  int64_t seed = 0;                       // run, bench: of random inputs
  bool by_op = false;                     // bench
  std::string weights;  // import: the file that they are written to; build, bench: that they are read from
  std::string weights_file;         // build: that constants are written to
  std::vector<std::string> shapes;  // import: "x=1x3x224x224"
  std::vector<std::string> values;  // of ONNX models: "rate=16000"
  int64_t opset = 0;                // import: instead of the model's own
  std::string help;                 // shown instead of running anything

 private:
  void choose_colour() const;
};

// One function per command; each returns the exit code. (build, run and the rest live in command_*.cpp.)
int run_build(const CommandLine& line);
int run_run(const CommandLine& line);
int run_print(const CommandLine& line);
int run_check(const CommandLine& line);
int run_verify(const CommandLine& line);
int run_bench(const CommandLine& line);
int run_opt(const CommandLine& line);
int run_bisect(const CommandLine& line);
int run_fmt(const CommandLine& line);
int run_fix(const CommandLine& line);
int run_import(const CommandLine& line);
int run_test(const CommandLine& line);
int run_explain(const CommandLine& line);
int run_targets(const CommandLine& line);
int run_jupyter(const CommandLine& line);
int run_help(const CommandLine& line);

// Do the words of a call ask for JSON? Also of one that cannot be understood.
bool asks_for_json(int argc, char** argv);

// What --target says. CallError for one that is not known.
ir::Target target_of(const CommandLine& line);

}  // namespace mlc::repl
