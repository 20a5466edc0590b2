// SPDX-License-Identifier: Apache-2.0
#include "repl/session/commands.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "ir/core/error.h"
#include "ir/core/files.h"
#include "repl/session/session.h"
#include "repl/shell/source.h"

namespace mlc::repl {

std::string_view take_word(std::string_view& text) {
  text = trim(text);
  size_t end = std::min(text.find(' '), text.size());
  std::string_view word = text.substr(0, end);
  text = trim(text.substr(end));
  return word;
}

std::string take_target(std::string_view& text) {
  text = trim(text);
  size_t end = std::string_view::npos;
  if (text.starts_with('\'') || text.starts_with('"')) {
    end = text.find(text[0], 1);
    if (end == std::string_view::npos) return std::string(take_word(text));
    std::string word(text.substr(1, end - 1));
    text = trim(text.substr(end + 1));
    return word;
  }
  if (!text.starts_with('{')) return std::string(take_word(text));
  int depth = 0;
  for (end = 0; end < text.size() && (depth += (text[end] == '{') - (text[end] == '}')) > 0;) ++end;
  end = std::min(end + 1, text.size());
  std::string word(text.substr(0, end));
  text = trim(text.substr(end));
  return word;
}

std::string path_of(std::string_view text) {
  text = trim(text);
  bool quoted = text.size() > 1 && (text[0] == '"' || text[0] == '\'') && text.back() == text[0];
  if (quoted) text = text.substr(1, text.size() - 2);
  return ir::with_home(text);
}

void no_more(std::string_view command, std::string_view text) {
  if (text = trim(text); !text.empty())
    throw CallError{fmt::format("`:{}` does not take `{}`", command, text),
                    fmt::format("`:help {}`", command)};
}

std::optional<size_t> number_of(std::string_view word) {
  size_t value = 0;
  auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (error != std::errc() || end != word.data() + word.size()) return std::nullopt;
  return value;
}

double seconds_of(std::string_view word) {
  double seconds = 0;
  auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), seconds);
  if (error != std::errc() || end != word.data() + word.size() || !(seconds > 0 && seconds < 1e6))
    throw CallError{fmt::format("`{}` is no number of seconds", word), "`--budget 10`"};
  return seconds;
}

size_t state_of(Session& session, std::string_view word) {
  const auto& branches = session.branches();
  auto branch = std::ranges::find(branches, word, &Branch::name);
  if (branch != branches.end()) return branch->tip;
  auto number = number_of(word);
  if (Journal* journal = session.options().journal; number && journal != nullptr)
    number = journal->state_now(*number);
  if (number && *number < session.states().size() && !session.states()[*number].dropped) return *number;
  std::vector<std::string> names;
  for (const Branch& each : branches) names.push_back(each.name);
  std::string near = ir::closest(word, names);
  throw CallError{fmt::format("there is no state `{}`", word),
                  !near.empty() ? fmt::format("did you mean `{}`?", near)
                  : session.states().size() == 1
                      ? "no statement has changed anything yet"
                      : fmt::format("states are 0 (the beginning) to {}, and the tips of branches: {}",
                                    session.states().size() - 1, fmt::join(names, ", "))};
}

std::string first_line(const std::string& text) {
  // Comments before the statement are its own, and say less of it.
  size_t begin = 0;
  while (begin < text.size() && (text[begin] == '#' || text[begin] == '\n')) {
    size_t end = text.find('\n', begin);
    if (end == std::string::npos) break;
    begin = end + 1;
  }
  size_t end = text.find('\n', begin);
  return end == std::string::npos ? text.substr(begin) : text.substr(begin, end - begin) + " ...";
}

const std::vector<Command>& commands() {
  static const std::vector<Command> all = [] {
    std::vector<Command> rows;
    for (const Commands* family : command_families())
      rows.insert(rows.end(), family->rows.begin(), family->rows.end());
    std::ranges::sort(rows, {}, &Command::name);
    return rows;
  }();
  return all;
}

const Command* find_command(std::string_view name) {
  auto found = std::ranges::find(commands(), name, &Command::name);
  return found == commands().end() ? nullptr : &*found;
}

void run_command(Session& session, std::string_view line) {
  std::string_view rest = line;
  std::string_view name = take_word(rest);
  if (const Command* command = find_command(name)) return command->run(session, rest);
  std::vector<std::string> names;
  for (const Command& command : commands()) names.emplace_back(command.name);
  std::string near = ir::closest(name, names);
  throw CallError{fmt::format("there is no command `:{}`", name),
                  near.empty() ? "`:help` lists the commands" : fmt::format("did you mean `:{}`?", near)};
}

}  // namespace mlc::repl
