// SPDX-License-Identifier: Apache-2.0
// Runs golden files, each in a process of its own, so that a crash or an endless loop costs one file.
#include <fmt/format.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstring>
#include <nlohmann/json.hpp>
#include <thread>

#include "repl/session/line_diff.h"
#include "repl/shell/golden.h"
#include "repl/shell/progress.h"
#include "repl/shell/report.h"
#include "repl/shell/source.h"
#include "transform/pass/pass.h"

namespace mlc::repl {

namespace {

using Clock = std::chrono::steady_clock;

struct GoldenVerdict {
  bool passed = false;
  std::string report;
  GoldenOutcome outcome;  // counts only, once it has come through the pipe
};

// Blanks at the ends of lines do not count: nobody sees them, and editors drop them.
std::string trimmed(std::string_view text) {
  std::string out;
  for (char c : text) {
    if (c == '\n') {
      while (out.ends_with(' ')) out.pop_back();
    }
    out += c;
  }
  return out;
}

GoldenVerdict judge(const std::string& path, bool update) {
  std::string text = ir::SourceMap::current().file(read_source(path)).text;
  GoldenOutcome outcome = path.ends_with(".repl") ? run_golden_transcript(text)
                          : path.ends_with(".md") ? run_golden_markdown(path, text)
                                                  : run_golden_program(path, text);
  GoldenVerdict verdict;
  std::string expected = trimmed(text);
  std::string updated = trimmed(outcome.updated);
  bool same = updated == expected || updated == expected + "\n";
  if (!same && update) {
    write_file(path, updated);
    verdict.report += fmt::format("{}: updated\n", path);
    same = true;
  }
  if (!same) verdict.report += line_diff(expected, updated);
  for (const std::string& failure : outcome.failures)
    verdict.report += failure + (failure.ends_with('\n') ? "" : "\n");
  verdict.passed = same && outcome.failures.empty();
  verdict.outcome = std::move(outcome);
  return verdict;
}

// In the child: the verdict goes into the pipe as JSON.
[[noreturn]] void run_child(const std::string& path, bool update, int pipe_end) {
  GoldenVerdict verdict;
  transform::verify_after_passes() = true;
  try {
    verdict = judge(path, update);
  } catch (const ir::Error& error) {
    verdict.report = full_report(error, false);
  } catch (const CallError& error) {
    verdict.report = call_report(error, false);
  } catch (const std::bad_alloc&) {
    verdict.report = "error: out of memory\n";
  } catch (const std::exception& error) {
    verdict.report = internal_report(error.what(), path);
  }
  nlohmann::json fields{{"passed", verdict.passed},
                        {"report", verdict.report},
                        {"checks", verdict.outcome.checks},
                        {"compared", verdict.outcome.compared},
                        {"not_run", verdict.outcome.not_run}};
  // Output of a program may hold any bytes.
  std::string message = fields.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  for (size_t sent = 0; sent < message.size();) {
    ssize_t n = write(pipe_end, message.data() + sent, message.size() - sent);
    if (n <= 0) break;
    sent += static_cast<size_t>(n);
  }
  _exit(0);
}

struct Job {
  std::string path;
  pid_t pid = 0;
  int pipe_end = -1;
  Clock::time_point start;
  std::string message;
  bool timed_out = false;
};

Job start(const std::string& path, const GoldenOptions& options) {
  int ends[2];
  if (pipe(ends) != 0) throw CallError{fmt::format("no pipe for `{}`: {}", path, std::strerror(errno)), ""};
  Job job{path, fork(), ends[0], Clock::now(), {}, false};
  if (job.pid == 0) {
    close(ends[0]);
    run_child(path, options.update, ends[1]);
  }
  close(ends[1]);
  if (job.pid < 0) throw CallError{fmt::format("no process for `{}`: {}", path, std::strerror(errno)), ""};
  return job;
}

// Reads what has come; true when the child has closed its end.
bool drain(Job& job) {
  char buffer[65536];
  ssize_t n = read(job.pipe_end, buffer, sizeof buffer);
  if (n > 0) job.message.append(buffer, static_cast<size_t>(n));
  return n <= 0;
}

GoldenVerdict finish(Job& job, const GoldenOptions& options) {
  close(job.pipe_end);
  int status = 0;
  waitpid(job.pid, &status, 0);
  auto failed = [](std::string why) { return GoldenVerdict{false, std::move(why), {}}; };
  if (job.timed_out) return failed(fmt::format("stopped after {} s\n", options.seconds));
  if (WIFSIGNALED(status))
    return failed(fmt::format("killed by signal {} ({})\n", WTERMSIG(status), strsignal(WTERMSIG(status))));
  if (job.message.empty()) return failed(fmt::format("ended with exit code {}\n", WEXITSTATUS(status)));
  auto fields = nlohmann::json::parse(job.message, nullptr, false);
  if (fields.is_discarded()) return failed("ended in the middle of its report\n");
  GoldenVerdict verdict{fields["passed"], fields["report"], {}};
  fields["checks"].get_to(verdict.outcome.checks);
  fields["compared"].get_to(verdict.outcome.compared);
  fields["not_run"].get_to(verdict.outcome.not_run);
  return verdict;
}

void show(const Job& job, const GoldenVerdict& verdict, const GoldenOptions& options) {
  double seconds = std::chrono::duration<double>(Clock::now() - job.start).count();
  if (options.json) {
    nlohmann::ordered_json one{{"file", job.path},
                               {"passed", verdict.passed},
                               {"milliseconds", static_cast<int64_t>(seconds * 1e3)},
                               {"checks", verdict.outcome.checks},
                               {"report", verdict.report}};
    print_event("file", one);
  } else if (!verdict.passed) {
    fmt::print("FAILED {} ({:.1f} s)\n{}\n", visible(job.path), seconds, verdict.report);
  } else if (!options.quiet || !verdict.report.empty()) {
    fmt::print("{}ok {} ({:.1f} s)\n", verdict.report, visible(job.path), seconds);
  }
}

}  // namespace

size_t run_goldens(const std::vector<std::string>& files, const GoldenOptions& options) {
  size_t jobs = options.jobs != 0 ? options.jobs : std::max(1u, std::thread::hardware_concurrency());
  std::vector<Job> running;
  Progress progress;
  size_t next = 0;
  size_t failed = 0;
  GoldenOutcome all;
  std::fflush(stdout);
  while (next < files.size() || !running.empty()) {
    while (next < files.size() && running.size() < jobs) running.push_back(start(files[next++], options));
    std::vector<pollfd> polled;
    for (const Job& job : running) polled.push_back({job.pipe_end, POLLIN, 0});
    progress.at(
        fmt::format("{} of {}: {}", next - running.size() + 1, files.size(), visible(running[0].path)));
    poll(polled.data(), polled.size(), 200);
    for (size_t i = running.size(); i-- > 0;) {
      Job& job = running[i];
      if (!job.timed_out && Clock::now() - job.start > std::chrono::seconds(options.seconds)) {
        job.timed_out = true;
        kill(job.pid, SIGKILL);
      }
      if (polled[i].revents == 0 || !drain(job)) continue;
      GoldenVerdict verdict = finish(job, options);
      failed += !verdict.passed;
      all.add(verdict.outcome);
      progress.clear();
      show(job, verdict, options);
      std::fflush(stdout);
      running.erase(running.begin() + static_cast<ptrdiff_t>(i));
    }
  }
  progress.clear();
  if (options.json) {
    nlohmann::ordered_json sum{{"passed", files.size() - failed},
                               {"failed", failed},
                               {"checks", all.checks},
                               {"compared", all.compared},
                               {"not_run", all.not_run}};
    print_event("result", sum);
    return failed;
  }
  fmt::print("{} checks beyond the text, in {} of them runs were compared\n", all.checks, all.compared);
  for (const auto& [reason, count] : all.not_run) fmt::print("{} functions not run: {}\n", count, reason);
  fmt::print("{} passed, {} failed\n", files.size() - failed, failed);
  return failed;
}

}  // namespace mlc::repl
