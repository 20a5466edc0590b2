// SPDX-License-Identifier: Apache-2.0
// Other programs, for the module subprocess (stdlib/python/subprocess.mlc).
#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <thread>
#include <utility>

#include "frontend/script/modules/paths.h"
#include "frontend/script/numpy/array.h"

extern char** environ;

namespace mlc::script {
namespace {

using ir::ApiCall;
using ir::ApiKind;
using ir::native;

// What a stream of the program is connected to; a file's number otherwise.
enum Stream : int64_t { kInherited = -1, kPipe = -2, kNull = -3, kAsOutput = -4 };

std::vector<std::string> texts_of(ApiCall& call, const Any& list) {
  std::vector<std::string> all;
  for (const Any& each : evaluator_of(call.host).elements_of(list, call.span)) {
    const Any& plain = builtin_value_of(each);
    all.push_back(is_bytes(plain) ? bytes_of(plain) : path_text(evaluator_of(call.host), each, call.span));
    if (all.back().find('\0') != std::string::npos)
      raise("ValueError", call.span, "wrong-value", "embedded null byte");
  }
  return all;
}
std::vector<char*> pointers_to(std::vector<std::string>& texts) {
  std::vector<char*> all;
  for (std::string& text : texts) all.push_back(text.data());
  all.push_back(nullptr);
  return all;
}

// Ends of pipes, closed when they are no longer needed.
struct Ends {
  std::vector<int> all;
  ~Ends() {
    for (int end : all) ::close(end);
  }
};

// A program that runs. Whoever leaves before its end ends it.
struct Child {
  pid_t pid = 0;
  ~Child() {
    if (pid == 0) return;
    ::kill(pid, SIGKILL);
    waitpid(pid, nullptr, 0);
  }
};

struct Actions {
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  Actions() {
    posix_spawn_file_actions_init(&actions);
    posix_spawnattr_init(&attributes);
    // What is ignored here is not ignored there.
    sigset_t defaults;
    sigemptyset(&defaults);
    sigaddset(&defaults, SIGPIPE);
    sigaddset(&defaults, SIGXFSZ);
    sigaddset(&defaults, SIGINT);
    posix_spawnattr_setsigdefault(&attributes, &defaults);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
  }
  ~Actions() {
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
  }
};

// Connects stream `number`, 0 to 2. The end of a pipe that is ours; -1 where there is none.
int connect(ApiCall& call, Actions& actions, Ends& theirs, Ends& ours, int number, int64_t what) {
  if (what == kInherited) return -1;
  if (what == kNull) {
    posix_spawn_file_actions_addopen(&actions.actions, number, "/dev/null", number == 0 ? O_RDONLY : O_WRONLY,
                                     0);
    return -1;
  }
  if (what == kAsOutput) {
    posix_spawn_file_actions_adddup2(&actions.actions, 1, number);
    return -1;
  }
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) refuse_file(errno, "", call.span);
  int theirs_end = number == 0 ? ends[0] : ends[1], ours_end = number == 0 ? ends[1] : ends[0];
  theirs.all.push_back(theirs_end);
  ours.all.push_back(ours_end);
  posix_spawn_file_actions_adddup2(&actions.actions, theirs_end, number);
  return ours_end;
}

// Starts the program; `ours` get the ends of its pipes, -1 for none.
pid_t spawn(ApiCall& call, Ends& ours, int (&ends)[3]) {
  std::string program = texts_of(call, Any(List{call.args[0]}))[0];
  std::vector<std::string> args = texts_of(call, call.args[1]), variables;
  if (!is_none(call.args[3])) variables = texts_of(call, call.args[3]);
  Actions actions;
  Ends theirs;
  for (int i = 0; i < 3; ++i)
    ends[i] = connect(call, actions, theirs, ours, i, raw_int(call.args[4 + static_cast<size_t>(i)]));
  if (!is_none(call.args[2])) {
    std::string folder = path_text(evaluator_of(call.host), call.args[2], call.span);
    std::error_code error;
    if (!std::filesystem::exists(folder, error)) refuse_file(ENOENT, folder, call.span);
    if (!std::filesystem::is_directory(folder, error)) refuse_file(ENOTDIR, folder, call.span);
    posix_spawn_file_actions_addchdir_np(&actions.actions, folder.c_str());
  }
  pid_t pid = 0;
  std::vector<char*> arg_pointers = pointers_to(args), variable_pointers = pointers_to(variables);
  int error = posix_spawnp(&pid, program.c_str(), &actions.actions, &actions.attributes, arg_pointers.data(),
                           is_none(call.args[3]) ? environ : variable_pointers.data());
  if (error != 0) refuse_file(error, program, call.span);
  return pid;
}

using Clock = std::chrono::steady_clock;

// Seconds from now, as a moment; none for None.
std::optional<Clock::time_point> deadline_of(ApiCall& call, const Any& seconds) {
  if (is_none(seconds)) return std::nullopt;
  if (!is_number(seconds)) {
    raise("TypeError", call.span, "wrong-type", "must be real number, not {}",
          type_name_of(evaluator_of(call.host), seconds));
  }
  double limited = std::min(std::max(to_double(seconds), 0.0), 1e9);
  return Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(limited));
}

// A write to a program that reads no more fails instead of ending this one.
struct IgnorePipe {
  void (*before)(int) = std::signal(SIGPIPE, SIG_IGN);
  ~IgnorePipe() { std::signal(SIGPIPE, before); }
};

// Writes the input and reads both outputs until all pipes have ended; false when the time is over before.
bool exchange(ApiCall& call, int (&ends)[3], Ends& ours, const std::string& input, std::string (&read)[3],
              std::optional<Clock::time_point> deadline) {
  IgnorePipe ignore;
  size_t written = 0;
  auto close_end = [&](size_t i) {
    std::erase(ours.all, ends[i]);
    ::close(std::exchange(ends[i], -1));
  };
  for (;;) {
    if (ends[0] >= 0 && written == input.size()) close_end(0);
    pollfd waiting[3];
    size_t streams[3];
    nfds_t count = 0;
    for (size_t i = 0; i < 3; ++i) {
      if (ends[i] < 0) continue;
      streams[count] = i;
      waiting[count++] = {ends[i], static_cast<short>(i == 0 ? POLLOUT : POLLIN), 0};
    }
    if (count == 0) return true;
    if (deadline && Clock::now() >= *deadline) return false;
    evaluator_of(call.host).state().check_interrupt();
    if (poll(waiting, count, 20) <= 0) continue;
    for (size_t k = 0; k < count; ++k) {
      if (waiting[k].revents == 0) continue;
      size_t i = streams[k];
      if (i == 0) {
        size_t part = std::min<size_t>(input.size() - written, 4096);  // PIPE_BUF: does not block
        ssize_t size = ::write(waiting[k].fd, input.data() + written, part);
        if (size > 0) written += static_cast<size_t>(size);
        if (size < 0 && errno != EINTR && errno != EAGAIN) close_end(0);
        continue;
      }
      char buffer[1 << 14];
      ssize_t size = ::read(waiting[k].fd, buffer, sizeof buffer);
      if (size > 0) read[i].append(buffer, static_cast<size_t>(size));
      if (size == 0 || (size < 0 && errno != EINTR)) close_end(i);
    }
  }
}

// The exit code, below 0 by a signal; None when the time is over before.
Any exit_code(ApiCall& call, Child& child, std::optional<Clock::time_point> deadline) {
  auto pause = std::chrono::microseconds(200);
  for (;;) {
    int status = 0;
    pid_t ended = waitpid(child.pid, &status, WNOHANG);
    if (ended != 0 && !(ended < 0 && errno == EINTR)) {
      child.pid = 0;
      if (ended < 0) refuse_file(errno, "", call.span);
      return static_cast<int64_t>(WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status));
    }
    if (deadline && Clock::now() >= *deadline) return nullptr;
    evaluator_of(call.host).state().check_interrupt();
    std::this_thread::sleep_for(pause);
    pause = std::min(pause * 2, std::chrono::microseconds(20'000));
  }
}

Any run(ApiCall& call) {
  std::optional<Clock::time_point> deadline = deadline_of(call, call.args[8]);
  std::string input = bytes_of(builtin_value_of(call.args[7])), read[3];
  Ends ours;
  int ends[3];
  Child child{spawn(call, ours, ends)};
  Any code(nullptr);
  if (exchange(call, ends, ours, input, read, deadline)) code = exit_code(call, child, deadline);
  return Tuple{code, ffi::Bytes(read[1]), ffi::Bytes(read[2])};
}

const ir::ApiRow rows[] = {
    {ApiKind::kFunction, "_process",
     "run(executable, args, folder, environment, stdin, stdout, stderr, input, seconds)",
     "Runs a program: its exit code, None when the time was over before, and what it wrote.", run},
};

}  // namespace

std::span<const ir::ApiRow> process_rows() { return rows; }

}  // namespace mlc::script
