// SPDX-License-Identifier: Apache-2.0
// Sessions as programs, and programs in sessions.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <thread>

#include "repl/session/commands.h"
#include "repl/session/session.h"
#include "repl/session/table.h"
#include "repl/shell/source.h"

namespace mlc::repl::commands_files {
namespace {

// A copy of a file that this session has not written itself, since nothing else may have what stands in it;
// "" where there is none.
std::string keep_aside(Session& session, const std::string& path) {
  namespace fs = std::filesystem;
  std::error_code failed;
  if (!fs::is_regular_file(path, failed) || fs::file_size(path, failed) == 0) return "";
  if (std::ranges::find(session.saved(), path) != session.saved().end()) return "";
  std::string kept = path + "~";
  for (size_t i = 2; fs::exists(kept, failed); ++i) kept = fmt::format("{}~{}", path, i);
  fs::copy_file(path, kept, failed);
  if (failed) {
    std::error_code ignored;
    fs::remove(kept, ignored);  // a part of it
    throw CallError{
        fmt::format("`{}` is there, and cannot be kept as `{}`: {}", path, kept, failed.message()),
        "save to another name"};
  }
  return kept;
}

void save(Session& session, std::string_view arguments) {
  std::string path = path_of(arguments);
  if (path.empty()) throw CallError{"save to which file?", "`:save session.mlc`"};
  std::string text = session.program();
  std::string kept = keep_aside(session, path);
  write_file(path, text);
  session.saved().push_back(path);
  session.show(fmt::format("saved {} to {}{}\n",
                           counted(static_cast<size_t>(std::ranges::count(text, '\n')), "line"), path,
                           kept.empty() ? "" : fmt::format("; what was there is in {}", kept)));
  for (const std::string& each : session.reading_elsewhere())
    session.show(
        fmt::format("in the program this does not do the same, since `_` was shown on another branch: {}\n",
                    first_line(each)));
}

void load(Session& session, std::string_view arguments) {
  std::string path = path_of(arguments);
  if (path.empty()) throw CallError{"load which file?", "`:load session.mlc`"};
  session.load(path);
}

std::string file_or_last(Session& session, std::string_view command, std::string_view arguments) {
  std::string path = path_of(arguments);
  if (path.empty()) path = session.last_loaded();
  if (path.empty())
    throw CallError{fmt::format("{} which file? none was loaded", command), "`:load session.mlc`"};
  return path;
}

void reload_one(Session& session, const std::string& path) {
  Session::Reloaded done = session.reload(path);
  if (done.run == 0 && done.gone == 0) return session.show(fmt::format("{}: nothing changed\n", path));
  session.show(fmt::format("{}: {} {}, {} run{}: state {}\n", path, counted(done.kept, "statement"),
                           done.kept == 1 ? "stays" : "stay", done.run,
                           done.run == 0 ? fmt::format(", {} gone", done.gone) : "", session.position()));
}

void reload(Session& session, std::string_view arguments) {
  reload_one(session, file_or_last(session, "reload", arguments));
}

// Asks for the file's time a few times a second: it may be replaced by another one of its name, or come back.
void watch(Session& session, std::string_view arguments) {
  namespace fs = std::filesystem;
  std::string path = file_or_last(session, "watch", arguments);
  auto again = [&] {
    session.attempt([&] { session.journalled(":reload " + path, [&] { reload_one(session, path); }); });
  };
  // What is written while it loads, or was since, is seen.
  std::error_code ignored;
  auto seen = fs::last_write_time(path, ignored);
  if (!session.has_loaded(path)) {
    session.journalled(":load " + path, [&] { session.load(path); });
  } else {
    again();
  }
  session.show(fmt::format("watching {}; Ctrl-C ends it\n", path));
  while (!script::Evaluator::is_interrupted() && !session.ended()) {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    auto now = fs::last_write_time(path, ignored);
    if (ignored || now == seen) continue;
    seen = now;
    again();
  }
  script::Evaluator::clear_interrupt();
}

// The inputs of the session that was cut off last, again; what they show is not. Ctrl-C leaves the others for
// the next `:resume`.
void resume(Session& session, std::string_view arguments) {
  no_more("resume", arguments);
  Journal* journal = session.options().journal;
  auto found = journal == nullptr ? std::nullopt : journal->cut_off();
  if (!found) throw CallError{"no session was cut off", ""};
  auto out = std::exchange(session.options().out, [](std::string_view) {});
  // What was typed here before has numbers of its own.
  size_t before = session.states().size() - 1;
  found->shifts.emplace_back(
      found->states, static_cast<std::ptrdiff_t>(before) - static_cast<std::ptrdiff_t>(found->states));
  journal->set_shifts(found->shifts);
  size_t run = 0;
  bool stopped = false;
  while (run < found->inputs.size() && !session.ended() && !stopped) {
    const JournalledInput& input = found->inputs[run++];
    Journal::Again again(*journal, input);
    session.run(input.text);
    stopped = script::Evaluator::is_interrupted() || (session.was_stopped() && !input.stopped);
  }
  session.options().out = std::move(out);
  size_t left = found->inputs.size() - run;
  found->states += session.states().size() - 1 - before;
  left == 0 ? Journal::forget(*found) : Journal::forget(*found, run);
  session.show(fmt::format("{}{} run again: state {}\n", stopped ? "\n" : "", counted(run, "input"),
                           session.position()));
  if (stopped && session.was_stopped())
    session.show(
        fmt::format("Ctrl-C has stopped the last of them:\n{}\n", trim(found->inputs[run - 1].text)));
  if (left != 0) {
    session.show(fmt::format("`:resume` goes on with the {} behind it\n", counted(left, "input")));
  } else if (!found->unfinished.empty()) {
    session.show(
        fmt::format("this one had not ended, and was not run again:\n{}\n", trim(found->unfinished)));
  }
}

constexpr Command kRows[] = {
    {"resume", "", "the inputs of the session that was cut off last, again",
     "  Each session keeps them on disk as they are typed, until it ends.\n", resume},
    {"save", "FILE", "the statements on the way to this state as a program", "    :save session.mlc\n", save,
     Argument::kFile},
    {"load", "FILE", "run a file in this session", "    :load session.mlc\n", load, Argument::kFile, true},
    {"reload", "[FILE]", "run a file that was loaded again, from the first statement that has changed",
     "    :reload\n  What the old statements made stays as a branch.\n", reload, Argument::kFile, true},
    {"watch", "[FILE]", "reload a file whenever it is written, until Ctrl-C", "    :watch matmul.mlc\n",
     watch, Argument::kFile},
};

}  // namespace

extern const Commands files{kRows};

}  // namespace mlc::repl::commands_files
