// SPDX-License-Identifier: Apache-2.0
// mlc, the program: the command line, and the one place that knows every room.
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <filesystem>
#include <new>
#include <string>
#include <string_view>
#include <system_error>

#include "backend/crash.h"
#include "backend/register_api.h"
#include "frontend/diagnostics/render.h"
#include "frontend/model/weights/api.h"
#include "frontend/print/highlight.h"
#include "frontend/print/print.h"
#include "frontend/script/core/evaluator.h"
#include "frontend/tvmscript/builder/tvmscript.h"
#include "ir/core/sanitizers.h"
#include "repl/jupyter/capture.h"
#include "repl/shell/build_rows.h"
#include "repl/shell/command_line.h"
#include "repl/shell/program.h"
#include "repl/shell/repeat_build.h"
#include "repl/shell/report.h"
#include "transform/register_api.h"

namespace {

using namespace mlc;

// The file that the running command reads, for reports of internal errors.
std::string program_file;
bool reads_json = false;  // a tool reads standard output: errors stand there, as JSON

void put(std::string_view text) {
  if (write(STDERR_FILENO, text.data(), text.size()) < 0) _exit(3);
}

// What is written is on its way to a front end or a tool by another thread.
void let_output_go() {
  if (repl::jupyter::Capture::is_active()) usleep(200'000);
}

// Code that the program has compiled ran into a fault. The handler interrupted that code, which is inside of
// no function of a library, so everything may be called here; but what the code has written by then may be
// anything.
void on_fault(int signal, const void* context) {
  static std::atomic<pid_t> reporter = 0;  // the thread that reports
  pid_t nobody = 0;
  if (!reporter.compare_exchange_strong(nobody, gettid())) {
    while (nobody != gettid()) pause();  // the other one ends the process
    put("error: compiled code has damaged the memory of mlc, so that nothing more can be said\n"
        "help: `mlc run --check-bounds` stops at the first index outside of its buffer and names it\n");
    _exit(1);
  }
  alarm(10);  // should the report wait for something that the code has damaged
  std::fflush(stdout);
  put(repl::full_report(backend::fault(signal, context), print::wants_colour(STDERR_FILENO)));
  let_output_go();
  _exit(1);
}

// A crash of mlc itself; also the end of the stack. Only calls that are safe in a signal handler.
void on_crash(int signal, siginfo_t* info, void* context) {
  // A signal that somebody has sent says nothing about the code that it interrupts.
  bool fault = info->si_code > 0 && signal != SIGABRT;
  static volatile std::sig_atomic_t reporting = 0;
  if (reporting != 0 || (fault && backend::in_compiled_code(context))) {
    reporting = 1;
    on_fault(signal, context);
  }
  put(signal == SIGSEGV ? "internal error: invalid memory access or stack overflow\n"
                        : "internal error: aborted\n");
  put(backend::has_compiled_code() ? "This is a defect of mlc, unless code that your program compiles writes "
                                     "outside of its buffers: `mlc run "
                                     "--check-bounds` tells."
                                   : "This is a defect of mlc, not of your program.");
  if (!program_file.empty()) {
    put(" `");
    put(program_file);
    put("` reproduces it; please report it with this file and the output of `mlc --version`.");
  }
  put("\n");
  let_output_go();
  _exit(3);
}

void catch_crashes() {
  static char stack[256 * 1024];  // the handler's own, since the usual one may be used up
  stack_t alternative{};
  alternative.ss_sp = stack;
  alternative.ss_size = sizeof stack;
  sigaltstack(&alternative, nullptr);
  struct sigaction action {};
  action.sa_sigaction = on_crash;
  action.sa_flags = SA_ONSTACK | SA_SIGINFO | SA_NODEFER;  // a report may fail in turn
  for (int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT}) sigaction(signal, &action, nullptr);
}

// One line, made before there was no memory.
constexpr char kOutOfMemory[] = "error: out of memory\n";
constexpr char kOutOfThreads[] = "error: out of memory, or of threads: no further one can be started\n";

bool lacks_threads(const std::system_error& error) {  // of std::thread
  return error.code() == std::errc::resource_unavailable_try_again;
}

bool cannot_write(const std::system_error& error) {  // of fmt::print
  return std::string_view(error.what()).starts_with("cannot write to file");
}

// An error that nobody has caught: in a thread, or in a function that may not throw.
[[noreturn]] void on_terminate() {
  try {
    if (std::exception_ptr error = std::current_exception()) std::rethrow_exception(error);
    put("internal error: terminated\n");
  } catch (const std::bad_alloc&) {
    put(kOutOfMemory);
  } catch (const std::system_error& error) {
    if (lacks_threads(error)) {
      put(kOutOfThreads);
      _exit(3);
    }
    put("internal error: ");
    put(error.what());
    put("\n");
  } catch (const std::exception& error) {
    put("internal error: ");
    put(error.what());
    put("\n");
  } catch (...) {
    put("internal error: terminated by something that is no error\n");
  }
  _exit(3);
}

// Before anything else is asked of the library.
void register_everything() {
  ir::register_nodes();
  script::register_api();
  tvmscript::register_api();
  print::register_api();
  model::register_api();
  transform::register_api();
  backend::register_api();
  repl::register_build_api();
}

}  // namespace

namespace {

void complain(const std::string& text) {
  std::fflush(stdout);
  std::fwrite(text.data(), 1, text.size(), stderr);
}
void complain(const repl::CallError& error) {
  if (reads_json) {
    std::fputs(repl::event_text({repl::call_diagnostic(error)}).c_str(), stdout);
  } else {
    complain(repl::call_report(error, print::wants_colour(STDERR_FILENO)));
  }
}
void complain(const ir::Error& error) {
  if (reads_json) {
    std::fputs(repl::event_text(error.all()).c_str(), stdout);
  } else {
    complain(repl::full_report(error, print::wants_colour(STDERR_FILENO)) +
             repl::where_explained(error.all()));
  }
}

int run_command_line(int argc, char** argv) {
  try {
    register_everything();
    reads_json = repl::asks_for_json(argc, argv);
    repl::CommandLine line(argc, argv);
    program_file = line.program_file();
    reads_json = line.json;
    return line.run();
  } catch (const repl::CallError& error) {
    complain(error);
    return 2;
  } catch (const script::Evaluator::SystemExit& exit) {
    return exit.code;
  } catch (const ir::Error& error) {
    int code = repl::exit_code_of(error);
    code == 130 ? complain(repl::interrupt_report(error)) : complain(error);
    return code;
  } catch (const std::bad_alloc&) {
    put(kOutOfMemory);
    return 3;
  } catch (const std::filesystem::filesystem_error& error) {
    complain(repl::CallError{
        "`" + error.path1().string() + "` cannot be looked at: " + error.code().message(), ""});
    return 2;
  } catch (const std::system_error& error) {
    if (lacks_threads(error)) {
      put(kOutOfThreads);
      return 3;
    }
    if (cannot_write(error)) {
      complain(repl::CallError{"the output cannot be written: " + error.code().message(), ""});
      return 2;
    }
    complain(repl::internal_report(error.what(), program_file));
    return 3;
  } catch (const std::exception& error) {
    complain(repl::internal_report(error.what(), program_file));
    return 3;
  }
}

// What could not be written is an error of a command that went well.
int flush_output(int code) {
  bool failed = std::ferror(stdout) != 0;
  errno = 0;
  failed = std::fflush(stdout) != 0 || failed;
  std::fflush(stderr);
  if (!failed || code != 0) return code;
  std::string why = errno != 0 ? std::string(": ") + std::strerror(errno) : "";
  put(repl::call_report({"the output cannot be written" + why, ""}, print::wants_colour(STDERR_FILENO)));
  return 2;
}

}  // namespace

int main(int argc, char** argv) {
  std::signal(SIGXFSZ, SIG_IGN);  // a file that grows past the limit is an error of writing, with a message
  if (argc > 2 && std::string_view(argv[1]) == "build" && mlc::repl::repeat_build(argv + 1)) return 0;
  catch_crashes();
  std::set_terminate(on_terminate);
  std::signal(SIGPIPE, SIG_DFL);
  int code = flush_output(run_command_line(argc, argv));
#ifndef MLC_ASAN
  _exit(code);  // the tables of the process need no taking apart
#endif
  return code;
}
