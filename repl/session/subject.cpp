// SPDX-License-Identifier: Apache-2.0
#include "repl/session/subject.h"

#include <fmt/format.h>

#include <algorithm>

#include "ir/core/error.h"
#include "repl/session/commands.h"
#include "repl/shell/source.h"

namespace mlc::repl {

namespace {

const NamedModule* find_module(const Session& session, size_t state, std::string_view name) {
  const std::vector<NamedModule>& modules = session.states()[state].modules;
  auto found = std::ranges::find(modules, name, &NamedModule::name);
  return found == modules.end() ? nullptr : &*found;
}

Subject in_state(const Session& session, size_t state) {
  std::string name = in_force(session, state);
  if (name.empty())
    throw CallError{"no module or schedule is bound", "define one with `@I.ir_module` or `@T.prim_func`"};
  return {name, find_module(session, state, name)->mod, ""};
}

}  // namespace

std::string in_force(const Session& session, size_t state) {
  const std::vector<NamedModule>& modules = session.states()[state].modules;
  for (size_t at = state; at != 0; at = session.states()[at].parent) {
    const State& made = session.states()[at];
    for (const auto* names : {&made.schedules, &made.bound})
      for (auto name = names->rbegin(); name != names->rend(); ++name)
        if (find_module(session, state, *name) != nullptr) return *name;
  }
  return modules.empty() ? "" : modules.back().name;
}

Subject subject_of(Session& session, std::string_view word) {
  size_t here = session.position();
  if (word.empty()) return in_state(session, here);
  if (const NamedModule* named = find_module(session, here, word)) return {named->name, named->mod, ""};
  size_t dot = word.rfind('.');
  if (dot != std::string_view::npos) {
    const NamedModule* named = find_module(session, here, word.substr(0, dot));
    std::string function(word.substr(dot + 1));
    if (named != nullptr) {
      named->mod->lookup(function);  // an error where it has no such function
      return {named->name, named->mod, function};
    }
  }
  std::vector<std::string> names;
  for (const NamedModule& each : session.states()[here].modules) names.push_back(each.name);
  if (!names.empty()) {
    Subject all = in_state(session, here);
    if (all.mod->find(word)) return {all.name, all.mod, std::string(word)};
    for (const auto& [var, fn] : all.mod->functions) names.emplace_back(var->name_hint);
  }
  bool is_state = number_of(word) || std::ranges::find(session.branches(), word, &Branch::name) != session.branches().end();
  if (is_state) return in_state(session, state_of(session, word));
  std::string near = ir::closest(word, names);
  throw CallError{fmt::format("no module, schedule, function or state is called `{}`", word),
                  !near.empty()   ? fmt::format("did you mean `{}`?", near)
                  : names.empty() ? "define a module with `@I.ir_module` or `@T.prim_func`"
                                  : fmt::format("there are {}", fmt::join(names, ", "))};
}

std::vector<std::pair<std::string, ir::PrimFunc>> functions_of(const Subject& subject) {
  std::vector<std::pair<std::string, ir::PrimFunc>> functions;
  for (const auto& [var, fn] : subject.mod->functions) {
    std::string name(var->name_hint);
    auto prim = fn.as<ir::PrimFunc>();
    if (prim && (subject.function.empty() || subject.function == name)) functions.emplace_back(name, *prim);
  }
  std::ranges::sort(functions, {}, &std::pair<std::string, ir::PrimFunc>::first);
  if (functions.empty())
    throw CallError{subject.function.empty() ? fmt::format("`{}` has no function of TIR", subject.name)
                                             : fmt::format("`{}` is no function of TIR", subject.function),
                    "functions of TIR have loops; those of Relax call them"};
  return functions;
}

ir::IRModule module_of(const Subject& subject) {
  if (subject.function.empty()) return subject.mod;
  ir::Map<ir::GlobalVar, ir::BaseFunc> kept;
  for (const auto& [var, fn] : subject.mod->functions)
    if (var->name_hint == subject.function || !fn.as<ir::PrimFunc>()) kept.Set(var, fn);
  return ir::make<ir::IRModuleNode>(kept, subject.mod->attrs, subject.mod->global_infos);
}

size_t width_of(const Session& session) {
  return session.options().screen ? session.options().screen().second : 0;
}

}  // namespace mlc::repl
