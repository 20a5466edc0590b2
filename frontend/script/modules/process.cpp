// SPDX-License-Identifier: Apache-2.0
// Other programs, for the module subprocess (stdlib/python/subprocess.mlc).
#include <fcntl.h>
#include <spawn.h>
#include <sys/mman.h>
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

// What a stream of the program is connected to; kPipe: to a file in memory, which takes all of it.
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

// A file in memory: the input of a program, or where its output goes.
class Memory {
 public:
  explicit Memory(std::string_view content = {}) : number(memfd_create("stream", MFD_CLOEXEC)) {
    while (!content.empty()) {
      ssize_t size = ::write(number, content.data(), content.size());
      if (size <= 0) break;
      content.remove_prefix(static_cast<size_t>(size));
    }
    lseek(number, 0, SEEK_SET);
  }
  ~Memory() { ::close(number); }
  Memory(const Memory&) = delete;
  ffi::Bytes content() const {
    std::string all(static_cast<size_t>(std::max<off_t>(lseek(number, 0, SEEK_END), 0)), 0);
    ssize_t size = pread(number, all.data(), all.size(), 0);
    all.resize(static_cast<size_t>(std::max<ssize_t>(size, 0)));
    return ffi::Bytes(std::move(all));
  }
  const int number;
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

void connect(posix_spawn_file_actions_t* actions, int number, int64_t what, const Memory& memory) {
  if (what == kNull)
    posix_spawn_file_actions_addopen(actions, number, "/dev/null", number == 0 ? O_RDONLY : O_WRONLY, 0);
  if (what == kAsOutput) posix_spawn_file_actions_adddup2(actions, 1, number);
  if (what == kPipe) posix_spawn_file_actions_adddup2(actions, memory.number, number);
}

pid_t spawn(ApiCall& call, const Memory (&streams)[3]) {
  std::string program = texts_of(call, Any(List{call.args[0]}))[0];
  std::vector<std::string> args = texts_of(call, call.args[1]), variables;
  if (!is_none(call.args[3])) variables = texts_of(call, call.args[3]);
  Actions actions;
  for (int i = 0; i < 3; ++i)
    connect(&actions.actions, i, raw_int(call.args[4 + static_cast<size_t>(i)]), streams[i]);
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
  const Memory streams[3] = {Memory(bytes_of(builtin_value_of(call.args[7]))), Memory(), Memory()};
  Any code(nullptr);
  {
    Child child{spawn(call, streams)};
    code = exit_code(call, child, deadline);
  }
  return Tuple{code, streams[1].content(), streams[2].content()};
}

const ir::ApiRow process_table[] = {
    {ApiKind::kFunction, "_process",
     "run(executable, args, folder, environment, stdin, stdout, stderr, input, seconds)",
     "Runs a program: its exit code, None when the time was over before, and what it wrote.", run},
};

}  // namespace

std::span<const ir::ApiRow> process_rows() { return process_table; }

}  // namespace mlc::script
