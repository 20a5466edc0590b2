// SPDX-License-Identifier: Apache-2.0
#include "repl/session/commands.h"

#include <fmt/format.h>

#include <charconv>
#include <chrono>
#include <optional>

#include "ir/core/error.h"
#include "repl/session/line_diff.h"
#include "repl/session/session.h"
#include "repl/shell/explain.h"
#include "repl/shell/source.h"
#include "repl/shell/verify.h"

namespace mlc::repl {

namespace {

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
bool check_schedules(Session& session, std::string_view wanted) {
  std::vector<const ir::ffi::Object*> seen;
  for (const auto& [name, value] : session.evaluator().globals()) {
    if (!wanted.empty() && name != wanted) continue;
    if (!script::is_object(value) || name == "_") continue;
    auto schedule = value.as<transform::Schedule>();
    if (!schedule || std::find(seen.begin(), seen.end(), schedule->get()) != seen.end()) continue;
    seen.push_back(schedule->get());
    std::vector<std::string> functions;
    bool all_run = false;
    std::string found = compare_with_beginning(session.evaluator(), *schedule, functions, all_run);
    session.show(fmt::format("{}: {}\n", name,
                             found.empty() ? "nothing differs from the beginning" : "differs: " + found));
    for (const std::string& function : functions) session.show(fmt::format("  {}\n", function));
    if (!found.empty() || !all_run) continue;
    for (size_t i = 0; i < session.position(); ++i) {
      const Step& step = session.steps()[i];
      const auto& names = step.schedules;
      bool is_of_it = std::find(names.begin(), names.end(), name) != names.end();
      if (is_of_it && step.verdict != "proved") session.set_verdict(i, "tested");
    }
  }
  return !seen.empty();
}

std::string shown(const StepVerdict& verdict) {
  return verdict.reason.empty() ? std::string(name_of(verdict.verdict))
                                : fmt::format("{}: {}", name_of(verdict.verdict), verdict.reason);
}

// The passes that steps have called, each row of them against the module that it began with.
bool check_passes(Session& session, std::string_view wanted) {
  std::vector<transform::PassRun> runs;
  std::vector<size_t> step_of;
  for (size_t i = 0; i < session.position(); ++i) {
    for (const transform::PassRun& run : session.steps()[i].passes) {
      runs.push_back(run);
      step_of.push_back(i);
    }
  }
  std::vector<NamedModule> modules = session.modules_at(session.position());
  bool any = false;
  for (std::span<const transform::PassRun> row : rows_of(runs)) {
    auto named_after = [&](const transform::PassRun& run) {
      return std::find_if(modules.begin(), modules.end(), [&](const NamedModule& m) {
        return m.mod.same_as(run.after) && (wanted.empty() || m.name == wanted);
      });
    };
    // The row as far as the module asked for; else all of it.
    while (!wanted.empty() && !row.empty() && named_after(row.back()) == modules.end())
      row = row.first(row.size() - 1);
    if (row.empty()) continue;
    auto named = named_after(row.back());
    any = true;
    Verification found = verify_passes(session.evaluator(), row);
    std::string text;
    for (size_t i = 0; i < found.steps.size(); ++i) {
      const StepVerdict& verdict = found.steps[i];
      text += fmt::format("  {}: {}\n", verdict.step, shown(verdict));
      size_t step = step_of[row.data() - runs.data() + i];
      bool first = i == 0 || step_of[row.data() - runs.data() + i - 1] != step;
      if (first || verdict.verdict >= Verdict::kUnchecked) session.set_verdict(step, shown(verdict));
    }
    bool ran = std::none_of(found.steps.begin(), found.steps.end(),
                            [](const StepVerdict& v) { return v.verdict == Verdict::kUnchecked; });
    session.show(fmt::format("{}: {} from the module that its passes began with\n",
                             named == modules.end() ? "passes" : named->name,
                             found.wrong ? "differs"
                             : ran       ? "nothing differs"
                                         : "nothing that was run differs"));
    session.show(text);
    for (const std::string& function : found.functions) session.show(fmt::format("  {}\n", function));
  }
  return any;
}

void check(Session& session, std::string_view arguments) {
  std::string_view wanted = take_word(arguments);
  bool schedules = check_schedules(session, wanted);
  bool passes = check_passes(session, wanted);
  if (schedules || passes) return;
  throw CallError{wanted.empty() ? "no schedule is bound, and no step has called a pass"
                                 : fmt::format("no schedule `{}` is bound, and no pass has made it", wanted),
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
  uint32_t file = ir::SourceMap::current().add("<repl>", std::string(arguments) + "\n");
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
  session.run(ir::SourceMap::current().file(read_source(path)).text);
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
    {"check", "[NAME]",
     "run what schedules and passes have made beside what they began with, on random inputs",
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
