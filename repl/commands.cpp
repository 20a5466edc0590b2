// SPDX-License-Identifier: Apache-2.0
#include "repl/commands.h"

#include <fmt/format.h>

#include <charconv>
#include <chrono>
#include <optional>

#include "ir/error.h"
#include "repl/explain.h"
#include "repl/line_diff.h"
#include "repl/session.h"
#include "repl/source.h"
#include "repl/verify.h"

namespace mlc::repl {

namespace {

std::string_view trim(std::string_view text) {
  size_t begin = text.find_first_not_of(" \t");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t\r\n") - begin + 1);
}

// The word before the first blank, removed from `text`.
std::string_view take_word(std::string_view& text) {
  text = trim(text);
  size_t end = std::min(text.find(' '), text.size());
  std::string_view word = text.substr(0, end);
  text = trim(text.substr(end));
  return word;
}

std::optional<size_t> number(std::string_view word) {
  size_t value = 0;
  auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (error != std::errc() || end != word.data() + word.size()) return std::nullopt;
  return value;
}

size_t step_number(Session& session, std::string_view word) {
  auto step = number(word);
  if (!step || *step > session.steps().size()) {
    throw CallError{fmt::format("there is no step `{}`", word),
                    session.steps().empty()
                        ? "no statement has changed a module yet"
                        : fmt::format("steps are 0 (the beginning) to {}", session.steps().size())};
  }
  return *step;
}

void help(Session& session, std::string_view arguments) {
  std::string_view topic = take_word(arguments);
  if (topic.starts_with(':')) topic.remove_prefix(1);
  if (!topic.empty()) {
    for (const Command& command : commands()) {
      if (command.name != topic) continue;
      return session.show(
          fmt::format(":{} {}\n  {}\n{}", command.name, command.arguments, command.summary, command.details));
    }
    return session.show(explain_name(session.evaluator(), topic).text);
  }
  std::string text =
      "Statements run at once; an expression shows its value, which `_` names until the next one.\n"
      "`?name` shows the documentation of anything. Every statement that changes a module or schedule\n"
      "is a step.\n\n";
  for (const Command& command : commands()) {
    text +=
        fmt::format("  :{:<24} {}\n", fmt::format("{} {}", command.name, command.arguments), command.summary);
  }
  session.show(text);
}

void quit(Session& session, std::string_view) { session.end(0); }

void show(Session& session, std::string_view arguments) {
  std::string_view word = take_word(arguments);
  if (!word.empty() && !number(word)) {
    const ir::Any* value = session.evaluator().global(word);
    if (value == nullptr) {
      std::vector<std::string> names;
      for (const auto& [name, bound] : session.evaluator().globals()) names.push_back(name);
      throw CallError{fmt::format("no name `{}` is bound", word), ir::did_you_mean(word, names)};
    }
    return session.show_value(*value);
  }
  size_t step = word.empty() ? session.position() : step_number(session, word);
  std::vector<NamedModule> modules = session.modules_at(step);
  if (modules.empty())
    throw CallError{"no module or schedule is bound", "define one with `@I.ir_module` or `@T.prim_func`"};
  // Several names may hold one module; it is shown once, under all of them.
  for (size_t i = 0; i < modules.size(); ++i) {
    std::string names = modules[i].name;
    bool shown = false;
    for (size_t j = 0; j < modules.size(); ++j) {
      if (j == i || !modules[j].mod.same_as(modules[i].mod)) continue;
      if (j < i) shown = true;
      names += ", " + modules[j].name;
    }
    if (shown) continue;
    session.show(fmt::format("# {}\n", names));
    session.show_script(script_of(session.evaluator(), ir::Any(modules[i].mod)));
  }
}

std::string first_line(const std::string& text) {
  size_t end = text.find('\n');
  return end == std::string::npos ? text : text.substr(0, end) + " ...";
}

void steps(Session& session, std::string_view) {
  if (session.steps().empty())
    return session.show("no steps yet: no statement has changed a module or schedule\n");
  std::string text;
  for (size_t i = 0; i < session.steps().size(); ++i) {
    const Step& step = session.steps()[i];
    std::string_view mark = i + 1 == session.position() ? "*" : i + 1 > session.position() ? "-" : " ";
    text += fmt::format("{} {:>2}  {:<50}  {}{}{}\n", mark, i + 1, first_line(step.source), step.effect,
                        step.verdict.empty() ? "" : ", ", step.verdict);
  }
  session.show(text);
}

// Every schedule that is bound, against its beginning.
void check(Session& session, std::string_view arguments) {
  std::string_view wanted = take_word(arguments);
  bool any = false;
  std::vector<const ir::ffi::Object*> seen;
  for (const auto& [name, value] : session.evaluator().globals()) {
    if (!wanted.empty() && name != wanted) continue;
    if (!script::is_object(value) || name == "_") continue;
    auto schedule = value.as<transform::Schedule>();
    if (!schedule || std::find(seen.begin(), seen.end(), schedule->get()) != seen.end()) continue;
    seen.push_back(schedule->get());
    any = true;
    std::vector<std::string> functions;
    std::string found = compare_with_beginning(*schedule, functions);
    session.show(fmt::format("{}: {}\n", name,
                             found.empty() ? "nothing differs from the beginning" : "differs: " + found));
    for (const std::string& function : functions) session.show(fmt::format("  {}\n", function));
  }
  if (!any)
    throw CallError{
        wanted.empty() ? "no schedule is bound" : fmt::format("no schedule `{}` is bound", wanted),
        "`sch = tvm.s_tir.Schedule(Module)` makes one"};
}

void undo(Session& session, std::string_view arguments) {
  std::string_view word = take_word(arguments);
  size_t count = 1;
  if (!word.empty()) {
    auto n = number(word);
    if (!n || *n == 0)
      throw CallError{fmt::format("`{}` is not a number of steps", word), "`:undo` or `:undo 2`"};
    count = *n;
  }
  for (size_t i = 0; i < count; ++i) {
    if (!session.undo()) throw CallError{"there is no step to undo", ""};
    session.show(fmt::format("undone: {}\n", first_line(session.steps()[session.position()].source)));
  }
}

void redo(Session& session, std::string_view) {
  if (!session.redo()) throw CallError{"there is no step to redo", ""};
  session.show(fmt::format("done again: {}\n", first_line(session.steps()[session.position() - 1].source)));
}

void diff(Session& session, std::string_view arguments) {
  std::string_view first = take_word(arguments);
  std::string_view second = take_word(arguments);
  size_t to = second.empty() ? session.position() : step_number(session, second);
  size_t from = !first.empty() ? step_number(session, first) : to == 0 ? 0 : to - 1;
  std::vector<NamedModule> before = session.modules_at(from);
  bool any = false;
  for (const NamedModule& now : session.modules_at(to)) {
    std::string old;
    for (const NamedModule& m : before) {
      if (m.name == now.name) old = script_of(session.evaluator(), ir::Any(m.mod));
    }
    std::string text = line_diff(old, script_of(session.evaluator(), ir::Any(now.mod)));
    if (text.empty()) continue;
    any = true;
    session.show(fmt::format("# {}, step {} to {}\n", now.name, from, to));
    session.show(session.options().colour ? colour_diff(text) : text);
  }
  if (!any) session.show(fmt::format("no module differs between step {} and {}\n", from, to));
}

void time(Session& session, std::string_view arguments) {
  if (arguments.empty()) throw CallError{"what shall be timed?", "`:time lib(a, b, c)`"};
  uint32_t file = ir::SourceMap::global().add("<repl>", std::string(arguments) + "\n");
  auto start = std::chrono::steady_clock::now();
  session.evaluator().evaluate_repl(file);
  double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  std::string text = seconds >= 1      ? fmt::format("{:.3f} s", seconds)
                     : seconds >= 1e-3 ? fmt::format("{:.3f} ms", seconds * 1e3)
                                       : fmt::format("{:.1f} us", seconds * 1e6);
  session.show(text + "\n");
}

void save(Session& session, std::string_view arguments) {
  std::string path(arguments);
  if (path.empty()) throw CallError{"save to which file?", "`:save session.mlc`"};
  std::string text = session.program();
  write_file(path, text);
  session.show(fmt::format("saved {} lines to {}\n", std::count(text.begin(), text.end(), '\n'), path));
}

void load(Session& session, std::string_view arguments) {
  std::string path(arguments);
  if (path.empty()) throw CallError{"load which file?", "`:load session.mlc`"};
  session.run(ir::SourceMap::global().file(read_source(path)).text);
}

void set(Session& session, std::string_view arguments) {
  std::string_view name = take_word(arguments);
  std::string_view value = take_word(arguments);
  if (name.empty()) return session.show(fmt::format("colour {}\n", session.options().colour ? "on" : "off"));
  if (name != "colour")
    throw CallError{fmt::format("there is no setting `{}`", name), "the settings are: colour"};
  if (value != "on" && value != "off")
    throw CallError{fmt::format("`colour` is on or off, not `{}`", value), ""};
  session.options().colour = value == "on";
}

constexpr Command kCommands[] = {
    {"help", "[TOPIC]", "this list, a command, or the documentation of a name",
     "    :help diff\n    :help split\n", help},
    {"show", "[NAME or STEP]", "the modules and schedules bound now, a value, or the modules at a step",
     "    :show sch\n    :show 2\n", show},
    {"steps", "", "the statements that changed a module or schedule, and what they changed",
     "  `*` marks the state in force, `-` what was undone.\n", steps},
    {"check", "[NAME]", "run every schedule's module beside the one it began with, on random inputs",
     "    :check\n    :check sch\n", check},
    {"undo", "[N]", "back to the state before the last step, or the last N",
     "  Statements that followed the step are taken back with it.\n", undo},
    {"redo", "", "the step that was undone last, again", "", redo},
    {"diff", "[A] [B]", "what the last step changed, step A, or everything between A and B",
     "    :diff\n    :diff 0 3\n  With one number: from that step to now.\n", diff},
    {"time", "STATEMENT", "how long a statement takes", "    :time lib(a, b, c)\n", time},
    {"save", "FILE", "the inputs in force as a program", "    :save session.mlc\n", save},
    {"load", "FILE", "run a file in this session", "    :load session.mlc\n", load},
    {"set", "[NAME VALUE]", "settings: colour on|off", "    :set colour off\n", set},
    {"quit", "", "end the session; so does Ctrl-D", "", quit},
};

}  // namespace

std::span<const Command> commands() { return kCommands; }

void run_command(Session& session, std::string_view line) {
  std::string_view rest = line;
  std::string_view name = take_word(rest);
  for (const Command& command : commands()) {
    if (command.name == name) return command.run(session, rest);
  }
  std::vector<std::string> names;
  for (const Command& command : commands()) names.emplace_back(command.name);
  std::string near = ir::closest(name, names);
  throw CallError{fmt::format("there is no command `:{}`", name),
                  near.empty() ? "`:help` lists the commands" : fmt::format("did you mean `:{}`?", near)};
}

}  // namespace mlc::repl
