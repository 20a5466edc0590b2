// SPDX-License-Identifier: Apache-2.0
// What is there: modules and values.
#include <fmt/format.h>

#include <algorithm>

#include "ir/core/error.h"
#include "repl/session/commands.h"
#include "repl/session/session.h"
#include "repl/shell/source.h"

namespace mlc::repl::commands_show {
namespace {

void show_values(Session& session, std::string_view arguments) {
  std::string_view word = take_word(arguments);
  no_more("show", arguments);
  bool is_branch = std::ranges::find(session.branches(), word, &Branch::name) != session.branches().end();
  const ir::Any* bound = session.evaluator().global(word);
  if (!word.empty() && !number_of(word) && (bound != nullptr || !is_branch)) {
    const ir::Any* value = bound;
    if (value == nullptr) {
      std::vector<std::string> names;
      for (const auto& [name, bound] : session.evaluator().globals()) names.push_back(name);
      throw CallError{fmt::format("no name `{}` is bound", word), ir::did_you_mean(word, names)};
    }
    // The text of a schedule: its loop nest is what it shows by itself, and `:tree`.
    if (word != "_" && value->as<transform::Schedule>() && module_in(session.evaluator(), *value))
      return session.page(
          session.coloured(script_of(session.evaluator(), *value, session.options().classic)));
    return session.page(session.text_of(*value));
  }
  size_t state = word.empty() ? session.position() : state_of(session, word);
  const std::vector<NamedModule>& modules = session.states()[state].modules;
  if (modules.empty())
    throw CallError{"no module or schedule is bound", "define one with `@I.ir_module` or `@T.prim_func`"};
  std::string text;
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
    text += fmt::format("# {}\n", names) + session.coloured(script_of(session.evaluator(), ir::Any(modules[i].mod)));
  }
  session.page(text);
}

constexpr Command kRows[] = {
    {"show", "[NAME or STATE]", "the modules and schedules bound now, a value, or the modules in a state",
     "    :show sch\n    :show 2\n", show_values, Argument::kName},
};

}  // namespace

extern const Commands show{kRows};

}  // namespace mlc::repl::commands_show
