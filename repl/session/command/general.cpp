// SPDX-License-Identifier: Apache-2.0
// Help, settings, how long a statement takes, the end.
#include <fmt/format.h>

#include <chrono>

#include "repl/session/commands.h"
#include "repl/session/session.h"
#include "repl/shell/explain.h"
#include "repl/shell/source.h"
#include "repl/terminal/line_editor.h"

namespace mlc::repl::commands_general {
namespace {

std::string keys() {
  std::string text;
  for (const LineEditor::Binding& each : LineEditor::bindings())
    text += fmt::format("  {:<20} {}\n", each.keys, each.summary);
  return text + "  C- is Control, M- Alt (or Escape before it), S- Shift.\n";
}

void show_help(Session& session, std::string_view arguments) {
  std::string_view topic = take_word(arguments);
  if (topic.starts_with(':')) topic.remove_prefix(1);
  if (topic == "keys") return session.show(keys());
  if (!topic.empty()) {
    if (const Command* command = find_command(topic))
      return session.show(fmt::format(":{} {}\n  {}\n{}", command->name, command->arguments, command->summary,
                                      command->details));
    return session.show(explain_name(session.evaluator(), topic).text);
  }
  std::string text =
      "Statements run at once; an expression shows its value, which `_` names until the next one.\n"
      "`?name` shows the documentation of anything. Every statement that changes something makes a state,\n"
      "to which one can go back; `:help keys` lists the keys.\n\n";
  for (const Command& command : commands()) {
    text +=
        fmt::format("  :{:<24} {}\n", fmt::format("{} {}", command.name, command.arguments), command.summary);
  }
  session.show(text);
}

void time_statement(Session& session, std::string_view arguments) {
  if (arguments.empty()) throw CallError{"what shall be timed?", "`:time lib(a, b, c)`"};
  uint32_t file = ir::SourceMap::current().add("<repl>", std::string(arguments) + "\n");
  auto start = std::chrono::steady_clock::now();
  session.evaluator().evaluate_repl(file);
  double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  std::string text = seconds >= 1      ? fmt::format("{:.3f} s", seconds)
                     : seconds >= 1e-3 ? fmt::format("{:.3f} ms", seconds * 1e3)
                                       : fmt::format("{:.1f} us", seconds * 1e6);
  session.show(text + "\n");
}

void change_setting(Session& session, std::string_view arguments) {
  std::string_view name = take_word(arguments);
  std::string_view value = take_word(arguments);
  if (name.empty()) return session.show(fmt::format("colour {}\n", session.options().colour ? "on" : "off"));
  if (name != "colour")
    throw CallError{fmt::format("there is no setting `{}`", name), "the settings are: colour"};
  if (value != "on" && value != "off")
    throw CallError{fmt::format("`colour` is on or off, not `{}`", value), ""};
  session.options().colour = value == "on";
}

void quit(Session& session, std::string_view) { session.end(0); }

constexpr Command kRows[] = {
    {"help", "[TOPIC]", "this list, a command, the keys, or the documentation of a name",
     "    :help diff\n    :help keys\n    :help split\n", show_help, Argument::kTopic},
    {"time", "STATEMENT", "how long a statement takes", "    :time lib(a, b, c)\n", time_statement,
     Argument::kStatement},
    {"set", "[NAME VALUE]", "settings: colour on|off", "    :set colour off\n", change_setting,
     Argument::kSetting},
    {"quit", "", "end the session; so does Ctrl-D", "", quit},
};

}  // namespace

extern const Commands general{kRows};

}  // namespace mlc::repl::commands_general
