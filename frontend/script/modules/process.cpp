// SPDX-License-Identifier: Apache-2.0
// Other programs, for the module subprocess (stdlib/python/subprocess.mlc): starting them, their pipes, their
// ends.
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

// The ends of the pipes to a program that starts; those that nobody took are closed.
struct Ends {
  std::vector<int> all;
  ~Ends() {
    for (int end : all) ::close(end);
  }
  void drop(int end) {
    std::erase(all, end);
    ::close(end);
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

// spawn(executable, args, folder, environment, stdin, stdout, stderr) -> pid and the ends of the pipes, -1
// for none.
Any spawn(ApiCall& call) {
  std::string program = texts_of(call, Any(List{call.args[0]}))[0];
  std::vector<std::string> args = texts_of(call, call.args[1]), variables;
  if (!is_none(call.args[3])) variables = texts_of(call, call.args[3]);
  Actions actions;
  Ends theirs, ours;
  int64_t ends[3];
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
  ours.all.clear();
  return Tuple{static_cast<int64_t>(pid), ends[0], ends[1], ends[2]};
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

// wait(pid, seconds) -> the exit code, below 0 by a signal; None when the time is over before.
Any wait(ApiCall& call) {
  auto pid = static_cast<pid_t>(raw_int(call.args[0]));
  std::optional<Clock::time_point> deadline = deadline_of(call, call.args[1]);
  auto pause = std::chrono::microseconds(200);
  for (;;) {
    int status = 0;
    pid_t ended = waitpid(pid, &status, WNOHANG);
    if (ended == pid)
      return static_cast<int64_t>(WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status));
    if (ended < 0 && errno != EINTR) return int64_t{0};  // somebody else has waited for it
    if (deadline && Clock::now() >= *deadline) return nullptr;
    evaluator_of(call.host).state().check_interrupt();
    std::this_thread::sleep_for(pause);
    pause = std::min(pause * 2, std::chrono::microseconds(20'000));
  }
}

// A write to a program that reads no more fails instead of ending this one.
struct IgnorePipe {
  void (*before)(int) = std::signal(SIGPIPE, SIG_IGN);
  ~IgnorePipe() { std::signal(SIGPIPE, before); }
};

// exchange(stdin, stdout, stderr, input, seconds) -> output, errors, what of the input was not written, and
// whether all is done. Ends that have come to their end are closed and returned as -1.
Any exchange(ApiCall& call) {
  int64_t ends[3];
  for (size_t i = 0; i < 3; ++i) ends[i] = raw_int(call.args[i]);
  std::string input = bytes_of(builtin_value_of(call.args[3])), read[3];
  std::optional<Clock::time_point> deadline = deadline_of(call, call.args[4]);
  IgnorePipe ignore;
  size_t written = 0;
  auto close_end = [&](size_t i) {
    ::close(static_cast<int>(ends[i]));
    ends[i] = -1;
  };
  bool done = false;
  for (;;) {
    if (ends[0] >= 0 && written == input.size()) close_end(0);
    pollfd waiting[3];
    size_t places[3];
    nfds_t count = 0;
    for (size_t i = 0; i < 3; ++i) {
      if (ends[i] < 0) continue;
      places[count] = i;
      waiting[count++] = {static_cast<int>(ends[i]), static_cast<short>(i == 0 ? POLLOUT : POLLIN), 0};
    }
    done = count == 0;
    if (done || (deadline && Clock::now() >= *deadline)) break;
    evaluator_of(call.host).state().check_interrupt();
    if (poll(waiting, count, 20) <= 0) continue;
    for (size_t k = 0; k < count; ++k) {
      if (waiting[k].revents == 0) continue;
      size_t i = places[k];
      char buffer[1 << 14];
      if (i == 0) {
        size_t part = std::min<size_t>(input.size() - written, 4096);  // PIPE_BUF: does not block
        ssize_t size = ::write(waiting[k].fd, input.data() + written, part);
        if (size > 0) written += static_cast<size_t>(size);
        if (size < 0 && errno != EINTR && errno != EAGAIN) close_end(0);
        continue;
      }
      ssize_t size = ::read(waiting[k].fd, buffer, sizeof buffer);
      if (size > 0) read[i].append(buffer, static_cast<size_t>(size));
      if (size == 0 || (size < 0 && errno != EINTR)) close_end(i);
    }
  }
  return Tuple{ffi::Bytes(read[1]),
               ffi::Bytes(read[2]),
               ffi::Bytes(input.substr(written)),
               done,
               ends[0],
               ends[1],
               ends[2]};
}

// Up to so many bytes from a pipe, all for a negative number; what there is already is enough.
Any read_pipe(ApiCall& call, int64_t end) {
  pollfd waiting = {static_cast<int>(end), POLLIN, 0};
  while (poll(&waiting, 1, 20) <= 0) evaluator_of(call.host).state().check_interrupt();
  std::string bytes(1 << 14, '\0');
  ssize_t size = ::read(waiting.fd, bytes.data(), bytes.size());
  if (size < 0) refuse_file(errno, "", call.span);
  bytes.resize(static_cast<size_t>(size));
  return ffi::Bytes(bytes);
}
Any write_pipe(ApiCall& call, int64_t end, const Any& given) {
  IgnorePipe ignore;
  std::string bytes = bytes_of(builtin_value_of(given));
  for (size_t at = 0; at < bytes.size();) {
    ssize_t size = ::write(static_cast<int>(end), bytes.data() + at, bytes.size() - at);
    if (size < 0 && errno == EINTR) continue;
    if (size < 0) refuse_file(errno, "", call.span);
    at += static_cast<size_t>(size);
  }
  return nullptr;
}
Any send_signal(ApiCall& call, int64_t pid, int64_t number) {
  if (::kill(static_cast<pid_t>(pid), static_cast<int>(number)) != 0 && errno != ESRCH)
    refuse_file(errno, "", call.span);
  return nullptr;
}

const ir::ApiRow rows[] = {
    {ApiKind::kFunction, "_process", "spawn(executable, args, folder, environment, stdin, stdout, stderr)",
     "Starts a program: its number and the ends of the pipes to it.", spawn},
    {ApiKind::kFunction, "_process", "wait(pid, seconds)", "Its exit code, or None when the time is over.",
     wait},
    {ApiKind::kFunction, "_process", "exchange(stdin, stdout, stderr, input, seconds)",
     "Writes and reads until all pipes have ended or the time is over.", exchange},
    {ApiKind::kFunction, "_process", "read(end)", "What a pipe has; nothing at its end.",
     native([](ApiCall& call, int64_t end) { return read_pipe(call, end); })},
    {ApiKind::kFunction, "_process", "write(end, data)", "Writes to a pipe.",
     native([](ApiCall& call, int64_t end, Any data) { return write_pipe(call, end, data); })},
    {ApiKind::kFunction, "_process", "close(end)", "Closes a pipe.",
     native([](int64_t end) { ::close(static_cast<int>(end)); })},
    {ApiKind::kFunction, "_process", "kill(pid, number)", "Sends a signal.",
     native([](ApiCall& call, int64_t pid, int64_t number) { return send_signal(call, pid, number); })},
};

}  // namespace

std::span<const ir::ApiRow> process_rows() { return rows; }

}  // namespace mlc::script
