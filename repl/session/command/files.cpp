// SPDX-License-Identifier: Apache-2.0
// Sessions as programs, and programs in sessions.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "repl/session/commands.h"
#include "repl/session/session.h"
#include "repl/shell/source.h"

namespace mlc::repl::commands_files {
namespace {

void save(Session& session, std::string_view arguments) {
  std::string path(trim(arguments));
  if (path.empty()) throw CallError{"save to which file?", "`:save session.mlc`"};
  std::error_code ignored;
  bool was_there = std::filesystem::exists(path, ignored);
  std::string text = session.program();
  write_file(path, text);
  session.show(fmt::format("saved {} lines to {}{}\n", std::count(text.begin(), text.end(), '\n'), path,
                           was_there ? ", in place of what was there" : ""));
}

void load(Session& session, std::string_view arguments) {
  std::string path(trim(arguments));
  if (path.empty()) throw CallError{"load which file?", "`:load session.mlc`"};
  session.run(ir::SourceMap::current().file(read_source(path)).text);
}

// The inputs of the session that was cut off last, again; what they show is not.
void resume(Session& session, std::string_view arguments) {
  no_more("resume", arguments);
  Journal* journal = session.options().journal;
  auto found = journal == nullptr ? std::nullopt : journal->cut_off();
  if (!found) throw CallError{"no session was cut off", ""};
  auto out = std::exchange(session.options().out, [](std::string_view) {});
  for (const std::string& input : found->inputs) session.run(input);
  session.options().out = std::move(out);
  Journal::forget(*found);
  session.show(fmt::format("{} inputs run again: state {}\n", found->inputs.size(), session.position()));
}

constexpr Command kRows[] = {
    {"resume", "", "the inputs of the session that was cut off last, again",
     "  Each session keeps them on disk as they are made, until it ends.\n", resume},
    {"save", "FILE", "the statements on the way to this state as a program", "    :save session.mlc\n", save,
     Argument::kFile},
    {"load", "FILE", "run a file in this session", "    :load session.mlc\n", load, Argument::kFile, true},
};

}  // namespace

extern const Commands files{kRows};

}  // namespace mlc::repl::commands_files
