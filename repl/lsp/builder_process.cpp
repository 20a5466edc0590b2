// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <nlohmann/json.hpp>

#include "ir/core/sanitizers.h"
#include "repl/lsp/definitions.h"

namespace mlc::lsp {

namespace {

using nlohmann::json;

// A definition that takes longer, or more memory, is left unchecked: somebody types.
constexpr std::chrono::milliseconds kPatience{2000};
constexpr rlim_t kMostMemory = rlim_t{4} << 30;

json written(ir::Span span) { return {span.file, span.begin, span.end}; }
ir::Span read_span(const json& from) { return {from.at(0), from.at(1), from.at(2)}; }

json written(const std::vector<Fact>& facts) {
  json all = json::array();
  for (const Fact& each : facts)
    all.push_back({each.function, static_cast<int>(each.about), each.name, each.text, each.hint, each.begin});
  return all;
}
std::vector<Fact> read_facts(const json& from) {
  std::vector<Fact> facts;
  for (const json& each : from)
    facts.push_back({each.at(0), static_cast<Fact::About>(each.at(1).get<int>()), each.at(2), each.at(3), each.at(4), each.at(5)});
  return facts;
}

json written(const Built& built) {
  json problems = json::array();
  for (const ir::Diagnostic& each : built.problems) {
    json notes = json::array();
    for (const ir::Note& note : each.notes) notes.push_back({note.message, written(note.span)});
    problems.push_back({static_cast<int>(each.severity), each.name, each.kind, each.message,
                        written(each.span), std::move(notes), each.help});
  }
  return {std::move(problems), written(built.facts), written(built.values)};
}

Built read_built(const json& from) {
  Built built;
  for (const json& each : from.at(0)) {
    ir::Diagnostic made;
    made.severity = static_cast<ir::Diagnostic::Severity>(each.at(0).get<int>());
    made.name = each.at(1);
    made.kind = each.at(2);
    made.message = each.at(3);
    made.span = read_span(each.at(4));
    for (const json& note : each.at(5)) made.notes.push_back({note.at(0), read_span(note.at(1))});
    made.help = each.at(6);
    built.problems.push_back(std::move(made));
  }
  built.facts = read_facts(from.at(1));
  built.values = read_facts(from.at(2));
  return built;
}

// One line per definition.
[[noreturn]] void serve(const std::vector<const Definitions::Part*>& parts, int out) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  std::signal(SIGPIPE, SIG_DFL);
#if !defined(MLC_ASAN) && !defined(MLC_TSAN)  // which take all addresses there are
  rlimit memory{kMostMemory, kMostMemory};
  setrlimit(RLIMIT_AS, &memory);
#endif
  rlimit none{0, 0};
  setrlimit(RLIMIT_CORE, &none);
  int nowhere = open("/dev/null", O_RDWR);
  for (int standard : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) dup2(nowhere, standard);
  for (const Definitions::Part* part : parts) {
    Built built = build_definition(part->sources, part->name);
    std::string line = written(built).dump(-1, ' ', true, json::error_handler_t::replace) + "\n";
    for (std::string_view rest = line; !rest.empty();) {
      ssize_t count = write(out, rest.data(), rest.size());
      if (count < 0 && errno == EINTR) continue;
      if (count <= 0) _exit(1);
      rest.remove_prefix(static_cast<size_t>(count));
    }
  }
  _exit(0);
}

}  // namespace

BuilderProcess::BuilderProcess(const std::vector<const Definitions::Part*>& parts) {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) return;
  process_ = fork();
  if (process_ == 0) serve(parts, ends[1]);
  close(ends[1]);
  pipe_ = ends[0];
}

BuilderProcess::~BuilderProcess() {
  if (pipe_ >= 0) close(pipe_);
  if (process_ <= 0) return;
  kill(process_, SIGKILL);
  waitpid(process_, nullptr, 0);
}

BuilderProcess::Event BuilderProcess::next(int wake, Built& built) {
  using Clock = std::chrono::steady_clock;
  Clock::time_point deadline = Clock::now() + kPatience;
  while (true) {
    if (size_t end = buffer_.find('\n'); end != std::string::npos) {
      built = read_built(json::parse(std::string_view(buffer_).substr(0, end)));
      buffer_.erase(0, end + 1);
      return Event::kBuilt;
    }
    auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
    if (left <= 0) return Event::kLate;
    std::array<pollfd, 2> watched{pollfd{pipe_, POLLIN, 0}, pollfd{wake, POLLIN, 0}};
    if (poll(watched.data(), wake < 0 ? 1 : 2, static_cast<int>(left)) < 0) continue;
    if (watched[0].revents != 0) {
      std::array<char, 65536> block;
      ssize_t count = read(pipe_, block.data(), block.size());
      if (count == 0 || (count < 0 && errno != EINTR)) return Event::kEnded;
      if (count > 0) buffer_.append(block.data(), static_cast<size_t>(count));
    } else if (watched[1].revents != 0) {
      return Event::kWoken;
    }
  }
}

}  // namespace mlc::lsp
