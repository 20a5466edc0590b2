// SPDX-License-Identifier: Apache-2.0
// mlc, the program: the command line, and the one place that knows every room.
#include <malloc.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "backend/crash.h"
#include "backend/register_api.h"
#include "frontend/format/format.h"
#include "frontend/print/highlight.h"
#include "frontend/print/print.h"
#include "frontend/print/show.h"
#include "frontend/script/core/evaluator.h"
#include "frontend/tvmscript/builder/tvmscript.h"
#include "repl/shell/command_line.h"
#include "repl/shell/program.h"
#include "repl/shell/report.h"
#include "transform/register_api.h"

namespace {

using namespace mlc;

// The file that the running command reads, for reports of internal errors.
std::string program_file;

void put(std::string_view text) {
  if (write(STDERR_FILENO, text.data(), text.size()) < 0) _exit(3);
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

// Asks for large pages under the heap, but for its first part, and keeps freed memory: page faults were up to
// a fifth of the time of programs that fill large lists and dicts. Small programs never reach them: a large
// page costs a millisecond. Where the kernel has no such pages, or malloc no heap of its own, nothing
// changes.
void use_large_pages() {
  constexpr int kHeap = 64 << 20;  // addresses only: memory is taken as it is touched
  constexpr uintptr_t kSmall = 8 << 20, kLargePage = 2 << 20;
  mallopt(M_TOP_PAD, kHeap);
  mallopt(M_TRIM_THRESHOLD, 16 * kHeap);
  mallopt(M_MMAP_THRESHOLD, kHeap / 2);
  auto begin = reinterpret_cast<uintptr_t>(sbrk(0));
  void* volatile first = std::malloc(256 << 10);  // more than is left: the heap grows now
  auto end = reinterpret_cast<uintptr_t>(sbrk(0));
  std::free(first);
  begin = (begin + kSmall) / kLargePage * kLargePage;
  if (end > begin) madvise(reinterpret_cast<void*>(begin), end - begin, MADV_HUGEPAGE);
}

// Before anything else is asked of the library.
void register_everything() {
  ir::register_nodes();
  script::register_api();
  tvmscript::register_api();
  print::register_api();
  print::format_with([](std::string source) {
    return format::format(ir::SourceMap::global().add("<script>", std::move(source)));
  });
  transform::register_api();
  backend::register_api();
}

}  // namespace

namespace {

int run_command_line(int argc, char** argv) {
  bool colour = print::wants_colour(STDERR_FILENO);
  auto complain = [](const std::string& text) { std::fwrite(text.data(), 1, text.size(), stderr); };
  try {
    register_everything();
    repl::CommandLine line(argc, argv);
    program_file = line.program_file();
    return line.run();
  } catch (const repl::CallError& error) {
    std::fflush(stdout);
    complain(repl::call_report(error, colour));
    return 2;
  } catch (const script::Evaluator::SystemExit& exit) {
    return exit.code;
  } catch (const ir::Error& error) {
    std::fflush(stdout);
    if (error.first().kind == "KeyboardInterrupt") {
      complain(repl::interrupt_report(error));
      return 130;  // what shells give a program that SIGINT ended
    }
    complain(repl::full_report(error, colour));
    return 1;
  } catch (const std::exception& error) {
    std::fflush(stdout);
    complain(repl::internal_report(error.what(), program_file));
    return 3;
  }
}

}  // namespace

int main(int argc, char** argv) {
  prctl(PR_SET_NAME, "mlc");  // as people know it, in `ps` and profilers
  use_large_pages();
  catch_crashes();
  std::signal(SIGPIPE, SIG_DFL);
  int code = run_command_line(argc, argv);
  mlc::repl::end_program();
  std::fflush(nullptr);
#ifndef __SANITIZE_ADDRESS__
  _exit(code);  // the tables of the process need no taking apart
#endif
  return code;
}
