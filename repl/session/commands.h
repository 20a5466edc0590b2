// SPDX-License-Identifier: Apache-2.0
// The commands of the REPL: one row each, from which help, completion and "did you mean" come. A file of
// command/ holds a family of them.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace mlc::repl {

class Session;

// What Tab completes after the command.
enum class Argument : uint8_t { kNothing, kName, kStatement, kFile, kBranch, kSetting, kTopic, kPass };

struct Command {
  std::string_view name;       // without the colon
  std::string_view arguments;  // "[NAME or STATE]"
  std::string_view summary;    // one line
  std::string_view details;    // what `:help NAME` adds; an example
  void (*run)(Session& session, std::string_view arguments);
  Argument completes = Argument::kNothing;
  bool moves = false;  // it leads to another state or opens a branch: what a session that was cut off repeats
};

struct Commands {
  std::span<const Command> rows;
};
const std::vector<const Commands*>& command_families();  // generated
// All rows, sorted by name.
const std::vector<Command>& commands();
const Command* find_command(std::string_view name);

// Names of the settings of `:set`, with a line of documentation each.
std::vector<std::pair<std::string, std::string>> settings();
// The words that one of them may be; none of a number.
std::vector<std::string> values_of_setting(std::string_view name);

// Runs "name arguments". Throws CallError for an unknown name or arguments that make no sense.
void run_command(Session& session, std::string_view line);

// ---- for the rows ----
// The word before the first blank, removed from `text`.
std::string_view take_word(std::string_view& text);
// The same of one that may hold blanks in quotes, which are taken off, or in braces: `'{"kind": "cuda"}'`.
std::string take_target(std::string_view& text);
// The name of a file, all of `text`: quotes around it are taken off, `~/` is the user's folder.
std::string path_of(std::string_view text);
// Nothing may be left. Throws CallError.
void no_more(std::string_view command, std::string_view text);
std::optional<size_t> number_of(std::string_view word);
// What follows `--budget`. CallError unless it is a positive number.
double seconds_of(std::string_view word);
// The number of a state, or the branch of that name: its tip. Throws CallError.
size_t state_of(Session& session, std::string_view word);
std::string first_line(const std::string& text);

}  // namespace mlc::repl
