// SPDX-License-Identifier: Apache-2.0
// The two commands that run the program, up to and with the statement at the cursor: `mlc.runToHere` as `mlc
// print` would run it, for the module as that statement leaves it, `mlc.waysOut` as a session would. They do
// so in a process of their own: what it does to itself it does not do to the editor.
#include <fcntl.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <utility>

#include "repl/lsp/server.h"

extern char** environ;

namespace mlc::lsp {

namespace {

constexpr double kPatienceSeconds = 60;
constexpr size_t kMostShown = size_t{16} << 20;

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

struct Run {
  std::string_view command;
  std::vector<std::string> arguments;  // of mlc, which reads from its standard input
  std::string (*input)(const std::string& program);
  json (*result)(Server& server, const Child& child, int status);
};

json result_of_module(Server&, const Child& child, int status) {
  bool ok = WIFEXITED(status) && WEXITSTATUS(status) == 0;
  std::string ended = end_of(child, status);
  return {{"ok", ok},
          {"module", ok ? child.shown : ""},
          {"error", ok           ? ""
                    : child.late ? ended
                                 : child.said + ended}};
}

const Run* run_of(std::string_view command) {
  static const Run runs[] = {
      {"mlc.runToHere", {"print", "-"}, [](const std::string& program) { return program; }, result_of_module},
      {"mlc.waysOut",
       {"repl", "--json"},
       [](const std::string& program) {
         return json{{"run", program}}.dump(-1, ' ', false, json::error_handler_t::replace) + "\n";
       },
       result_of_ways_out},
  };
  auto found = std::ranges::find(runs, command, &Run::command);
  return found == std::end(runs) ? nullptr : found;
}

// The end of the statement at the left margin on which the place is, or of the last one before it.
size_t end_of_statement(Document& document, Position place) {
  size_t end = 0;
  const Text& text = document.text();
  for (const syntax::Stmt* stmt : document.reading().tree->module->body) {
    if (text.place(stmt->span.begin).line > place.line) break;
    end = stmt->span.end;
  }
  return end;
}

[[noreturn]] void cannot(std::string_view what) {
  throw ResponseError{kInternalError, fmt::format("cannot {}: {}", what, std::strerror(errno))};
}

struct Pipe {
  int read = -1, write = -1;
  Pipe() {
    std::array<int, 2> ends{};
    if (pipe2(ends.data(), O_CLOEXEC) != 0) cannot("make a pipe");
    read = ends[0];
    write = ends[1];
  }
};

// Its standard input is the program's text.
int input_of(std::string_view program) {
  int file = memfd_create("program", MFD_CLOEXEC);
  if (file < 0) cannot("hold the program");
  while (!program.empty()) {
    ssize_t count = write(file, program.data(), program.size());
    if (count < 0) cannot("hold the program");
    program.remove_prefix(static_cast<size_t>(count));
  }
  lseek(file, 0, SEEK_SET);
  return file;
}

Child start(const std::string& input, std::vector<std::string> words, const std::string& folder,
            const std::string& mlcpath) {
  Child child;
  Pipe out, err;
  int in = input_of(input);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, in, 0);
  posix_spawn_file_actions_adddup2(&actions, out.write, 1);
  posix_spawn_file_actions_adddup2(&actions, err.write, 2);
  if (!folder.empty()) posix_spawn_file_actions_addchdir_np(&actions, folder.c_str());
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);  // what it starts is ended with it
  std::string path = std::filesystem::read_symlink("/proc/self/exe").string();
  std::string folders = "MLCPATH=" + mlcpath;
  std::vector<char*> environment;
  for (char** at = environ; *at != nullptr; ++at) environment.push_back(*at);
  if (!mlcpath.empty()) environment.push_back(folders.data());
  environment.push_back(nullptr);
  words.insert(words.begin(), "mlc");
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  int failed =
      posix_spawn(&child.process, path.c_str(), &actions, &attributes, arguments.data(), environment.data());
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  for (int each : {in, out.write, err.write}) close(each);
  child.out = out.read;
  child.err = err.read;
  if (failed != 0) {
    close(child.out);
    close(child.err);
    errno = failed;
    cannot("start the program");
  }
  for (int each : {child.out, child.err}) fcntl(each, F_SETFL, O_NONBLOCK);
  child.deadline = now() + kPatienceSeconds;
  return child;
}

// What has arrived; the pipe is -1 once it is closed.
void drain(int& pipe, std::string& into) {
  std::array<char, 65536> block;
  while (pipe >= 0) {
    ssize_t count = read(pipe, block.data(), block.size());
    if (count < 0 && (errno == EAGAIN || errno == EINTR)) return;
    if (count <= 0) {
      close(pipe);
      pipe = -1;
    } else if (into.size() < kMostShown) {
      into.append(block.data(), static_cast<size_t>(count));
    }
  }
}

}  // namespace

std::string end_of(const Child& child, int status) {
  if (child.late) return fmt::format("the program was ended after {} seconds", kPatienceSeconds);
  if (WIFSIGNALED(status)) return fmt::format("the program was ended by signal {}", WTERMSIG(status));
  return "";
}

json execute_command(Server& server, const json& params) {
  auto command = params.at("command").get<std::string>();
  const Run* run = run_of(command);
  if (run == nullptr)
    throw ResponseError{
        kInvalidParams,
        fmt::format("there is no command `{}`: there are `mlc.runToHere` and `mlc.waysOut`", command)};
  const json& argument = params.at("arguments").at(0);
  auto found = server.documents().find(argument.at("uri").get<std::string>());
  if (found == server.documents().end()) throw ResponseError{kInvalidParams, "the document is not open"};
  Document& document = found->second;
  if (!document.reading().problems.empty())
    throw ResponseError{kRequestFailed, "a program with syntax errors does not run"};
  size_t end = end_of_statement(document, place_of(argument.at("position")));
  std::string folder = std::filesystem::path(path_of_uri(document.uri)).parent_path().string();
  std::error_code ignored;
  if (!std::filesystem::is_directory(folder, ignored)) folder.clear();
  Child child = start(run->input(document.text().str().substr(0, end) + "\n"), run->arguments, folder,
                      server.mlcpath());
  child.id = server.id();
  child.uri = document.uri;
  child.version = document.version;
  child.result = run->result;
  server.children().push_back(std::move(child));
  return later();
}

void attend(Server& server) {
  std::vector<Child>& children = server.children();
  for (size_t i = children.size(); i-- > 0;) {
    Child& child = children[i];
    drain(child.out, child.shown);
    drain(child.err, child.said);
    if (!child.late && now() > child.deadline) {
      child.late = true;
      kill(-child.process, SIGKILL);
    }
    // The program itself is waited for, and not who has its pipes after it.
    int status = 0;
    if (waitpid(child.process, &status, WNOHANG) != child.process) continue;
    kill(-child.process, SIGKILL);
    drain(child.out, child.shown);
    drain(child.err, child.said);
    for (int* pipe : {&child.out, &child.err})
      if (*pipe >= 0) close(std::exchange(*pipe, -1));
    if (!child.id.is_null()) server.respond(child.id, child.result(server, child, status));
    children.erase(children.begin() + static_cast<ptrdiff_t>(i));
  }
}

}  // namespace mlc::lsp
