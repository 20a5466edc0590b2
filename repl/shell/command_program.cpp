// SPDX-License-Identifier: Apache-2.0
// The commands that read a program without compiling it: run, print.
#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <mutex>
#include <nlohmann/json.hpp>

#include "backend/backend.h"
#include "backend/perf.h"
#include "frontend/print/print.h"
#include "repl/jupyter/capture.h"
#include "repl/shell/command_line.h"
#include "repl/shell/interpreter.h"
#include "repl/shell/models.h"
#include "repl/shell/program.h"
#include "repl/shell/progress.h"
#include "repl/shell/report.h"
#include "repl/shell/show_program.h"
#include "repl/shell/source.h"

namespace mlc::repl {

namespace {

constexpr int kInterrupted = 130;  // what shells give a program that SIGINT ended

int run_in(const CommandLine& line, Interpreter& evaluator) {
  enter_sandbox(line.sandbox);
  if (line.check_bounds) check_bounds(evaluator);
  if (line.simulate) backend::simulate_gpus(backend::Simulate::kAll);
  if (line.perf_map) backend::tell_perf(backend::Perf::kMap);
  if (line.perf_jitdump) backend::tell_perf(backend::Perf::kJitdump);
  if (!line.text && is_model_file(line.file)) return run_model(line, evaluator);
  if (!line.inputs.empty() || !line.dims.empty() || !line.values.empty() || !line.out.empty() ||
      !line.name.empty())
    throw CallError{
        "`--input`, `--dim`, `--value`, `--output` and `--function` are for models, and this is a program",
        "options of the program stand behind its name"};
  use_threads(line.threads);
  if (!line.dispatch.empty()) use_dispatch(evaluator, line.dispatch);
  if (line.text) {
    evaluator.argv = {"-c"};
    evaluator.argv.insert(evaluator.argv.end(), line.arguments.begin(), line.arguments.end());
    evaluator.run_source(ir::SourceMap::current().add("<string>", *line.text));
  } else {
    run_program(evaluator, line.file, line.arguments);
  }
  if (!line.dispatch.empty()) fmt::print(stderr, "{}", take_dispatch_report(evaluator));
  return 0;
}

// What the process was given as its standard output, while that is captured.
class Events {
 public:
  Events() : out_(fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3)) {
    if (out_ < 0) throw CallError{"no more files can be opened", ""};
  }
  ~Events() { close(out_); }
  Events(const Events&) = delete;
  Events& operator=(const Events&) = delete;

  void write(std::string_view text) {
    std::lock_guard lock(mutex_);
    while (!text.empty()) {
      ssize_t count = ::write(out_, text.data(), text.size());
      if (count < 0 && errno != EINTR) return;  // nobody reads
      if (count > 0) text.remove_prefix(static_cast<size_t>(count));
    }
  }
  void output(std::string_view stream, std::string_view text) {
    write(event_text("output", {{"stream", stream}, {"text", text}}));
  }

 private:
  int out_;
  std::mutex mutex_;
};

// What the program, its compiled code and the programs that it starts write are events, and so is the error
// that it ends with; the last one says how it went.
int run_as_events(const CommandLine& line, Interpreter& evaluator) {
  auto start = std::chrono::steady_clock::now();
  Events events;
  int code = 0;
  std::string wrong;
  {
    jupyter::Capture capture(
        [&](const char* stream, const std::string& text) { events.output(stream, text); });
    auto writes = [&](std::string_view stream) {
      return [&, stream](std::string_view text) {
        capture.flush();
        events.output(stream, text);
      };
    };
    evaluator.out = writes("stdout");
    evaluator.err = writes("stderr");
    try {
      code = run_in(line, evaluator);
    } catch (const script::Evaluator::SystemExit& exit) {
      code = exit.code;
    } catch (const ir::Error& error) {
      code = exit_code_of(error);
      wrong = event_text(error.all());
    } catch (const CallError& error) {
      code = 2;
      wrong = event_text({call_diagnostic(error)});
    }
  }
  events.write(wrong);
  double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  events.write(event_text("done", {{"code", code}, {"seconds", seconds}}));
  return code;
}

}  // namespace

int run_run(const CommandLine& line) {
  auto& evaluator = *new Interpreter;  // the process ends with it
  catch_interrupts(WhenUnheard::kEndAtSecond);
  return line.json ? run_as_events(line, evaluator) : run_in(line, evaluator);
}

int run_print(const CommandLine& line) {
  Interpreter evaluator;
  Progress progress;
  progress.at("running the program");
  uint32_t file = load_program(evaluator, line.file);
  progress.clear();
  NamedModule found = chosen_module(evaluator, file, line.module);
  print::PrintOptions options;
  options.dialect = line.dialect == "classic" ? print::Dialect::kClassic : print::Dialect::kCurrent;
  show_program(line, found, print::file_text(found.mod, options));
  return 0;
}

}  // namespace mlc::repl
