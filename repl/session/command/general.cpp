// SPDX-License-Identifier: Apache-2.0
// Help, settings, how long a statement takes, the end.
#include <fmt/format.h>

#include <algorithm>

#include "backend/backend.h"
#include "frontend/print/theme.h"
#include "ir/core/array_options.h"
#include "repl/session/commands.h"
#include "repl/session/session.h"
#include "repl/session/table.h"
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
  if (topic == "keys") return session.page(keys());
  if (!topic.empty()) {
    if (const Command* command = find_command(topic))
      return session.show(fmt::format(":{} {}\n  {}\n{}", command->name, command->arguments, command->summary,
                                      command->details));
    return session.show(explain_name(session.evaluator(), topic).text);
  }
  std::string text =
      "Statements run at once; an expression shows its value, which `_` names until\n"
      "the next one. `?name` shows the documentation of anything. Every statement\n"
      "that changes something makes a state, to which one can go back. `:help keys`\n"
      "lists the keys, `:help undo` says more of a command.\n\n"
      "To begin with: `:load FILE`, or a module and `sch = tvm.s_tir.Schedule(Module)`;\n"
      "steps like `sch.split(...)`, and after them `:diff`, `:tree`, `:check`, `:undo`.\n\n";
  constexpr size_t kColumn = 22;
  for (const Command& command : commands()) {
    std::string form = fmt::format(":{} {}", command.name, command.arguments);
    text += form.size() <= kColumn ? fmt::format("  {:<{}} {}\n", form, kColumn, command.summary)
                                   : fmt::format("  {}\n  {:<{}} {}\n", form, "", kColumn, command.summary);
  }
  session.page(text);
}

void time_statement(Session& session, std::string_view arguments) {
  if (arguments.empty()) throw CallError{"what shall be timed?", "`:time lib(a, b, c)`"};
  double seconds = session.run_timed(arguments);
  session.show(time_text(seconds) + "\n");
}

struct Setting {
  std::string_view name, values, summary;
  std::string (*get)(Session& session);
  bool (*set)(Session& session, std::string_view value);  // false for a value that makes no sense
};

std::string shown(bool on) { return on ? "on" : "off"; }

bool set_flag(bool& flag, std::string_view value) {
  if (value != "on" && value != "off") return false;
  flag = value == "on";
  return true;
}

bool set_precision(Session&, std::string_view value) {
  auto digits = number_of(value);
  if (!digits || *digits > 17) return false;
  ir::array_options().precision = static_cast<int>(*digits);
  return true;
}

bool set_history(Session& session, std::string_view value) {
  auto mebibytes = number_of(value);
  if (!mebibytes || *mebibytes > size_t{1} << 40) return false;
  session.set_history(*mebibytes);
  return true;
}

constexpr std::string_view kSimulated[] = {"none", "missing", "all"};  // as backend::Simulate counts

bool set_simulated(Session&, std::string_view value) {
  const auto* found = std::ranges::find(kSimulated, value);
  if (found == std::end(kSimulated)) return false;
  backend::simulate_gpus(static_cast<backend::Simulate>(found - std::begin(kSimulated)));
  return true;
}

constexpr Setting kSettings[] = {
    {"colour", "on or off", "whether modules, errors and the input are highlighted",
     [](Session& session) { return shown(session.options().colour); },
     [](Session& session, std::string_view value) { return set_flag(session.options().colour, value); }},
    {"dialect", "current or classic", "how modules are shown",
     [](Session& session) { return std::string(session.options().classic ? "classic" : "current"); },
     [](Session& session, std::string_view value) {
       session.options().classic = value == "classic";
       return value == "classic" || value == "current";
     }},
    {"history", "a number of MiB", "how much memory old states may hold; the oldest are let go of first",
     [](Session& session) { return fmt::format("{}", session.options().history); }, set_history},
    {"pager", "on or off", "whether what is longer than the screen is shown in $PAGER",
     [](Session& session) { return shown(session.options().paged); },
     [](Session& session, std::string_view value) { return set_flag(session.options().paged, value); }},
    {"precision", "a number from 0 to 17", "how many digits of a float in an array are shown",
     [](Session&) { return fmt::format("{}", ir::array_options().precision); }, set_precision},
    {"simulate", "none, missing or all", "which GPUs are simulated: `missing` are those that are not here",
     [](Session&) { return std::string(kSimulated[static_cast<size_t>(backend::simulated_gpus())]); },
     set_simulated},
    {"theme", "terminal, light, dark or mono", "which colours there are; MLC_THEME sets it for all commands",
     [](Session&) { return std::string(print::theme().name); },
     [](Session&, std::string_view value) { return print::choose_theme(value); }},
};

void change_setting(Session& session, std::string_view arguments) {
  std::string_view name = take_word(arguments);
  std::string_view value = take_word(arguments);
  no_more("set", arguments);
  if (name.empty()) {
    for (const Setting& each : kSettings)
      session.show(
          fmt::format("  {:<10} {:<8} {} ({})\n", each.name, each.get(session), each.summary, each.values));
    return;
  }
  auto found = std::ranges::find(kSettings, name, &Setting::name);
  if (found == std::end(kSettings)) {
    std::vector<std::string> names;
    for (const Setting& each : kSettings) names.emplace_back(each.name);
    std::string near = ir::did_you_mean(name, names);
    throw CallError{fmt::format("there is no setting `{}`", name), near.empty() ? "`:set` lists them" : near};
  }
  if (value.empty()) return session.show(fmt::format("{} {}\n", name, found->get(session)));
  if (!found->set(session, value))
    throw CallError{fmt::format("`{}` is {}, not `{}`", name, found->values, value), ""};
}

void quit(Session& session, std::string_view) { session.end(0); }

constexpr Command kRows[] = {
    {"help", "[TOPIC]", "this list, a command, the keys, or the documentation of a name",
     "    :help diff\n    :help keys\n    :help split\n", show_help, Argument::kTopic},
    {"time", "STATEMENT", "how long a statement takes", "    :time lib(a, b, c)\n", time_statement,
     Argument::kStatement, true},
    {"set", "[NAME [VALUE]]", "the settings, or one of them anew", "    :set\n    :set colour off\n",
     change_setting, Argument::kSetting},
    {"quit", "", "end the session; so does Ctrl-D", "", quit},
};

}  // namespace

extern const Commands general{kRows};

}  // namespace mlc::repl::commands_general

namespace mlc::repl {

std::vector<std::pair<std::string, std::string>> settings() {
  std::vector<std::pair<std::string, std::string>> made;
  for (const auto& each : commands_general::kSettings)
    made.emplace_back(each.name, fmt::format("{} ({})", each.summary, each.values));
  return made;
}

std::vector<std::string> values_of_setting(std::string_view name) {
  std::vector<std::string> values;
  for (const auto& each : commands_general::kSettings) {
    if (each.name != name || each.values.starts_with("a ")) continue;
    for (std::string_view left = each.values; !left.empty();) {  // "terminal, light, dark or mono"
      std::string_view word = take_word(left);
      if (word.ends_with(',')) word.remove_suffix(1);
      if (word != "or") values.emplace_back(word);
    }
  }
  return values;
}

}  // namespace mlc::repl
