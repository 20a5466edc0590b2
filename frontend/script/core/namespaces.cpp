// SPDX-License-Identifier: Apache-2.0
// globals(), locals(), vars() and dir(): the names that a place in the program sees.
#include <algorithm>

#include "frontend/script/core/library.h"
#include "frontend/script/core/machine.h"

namespace mlc::script {

using State = Evaluator::State;

// One live object per module, written in the language: what it is given is the module's.
Any State::namespace_of(ModuleNode* module) {
  Any& made = namespaces[module];
  if (is_none(made))
    made = call_values(library_member(self, "_namespace", "namespace"), {Any(ir::ref(module))});
  return made;
}

namespace {

ModuleNode* module_of(State& state) {
  return state.frame != nullptr ? state.frame->module : const_cast<ModuleNode*>(state.main.get());
}

// The variables of the function that runs, as a copy: parameters first, then in order of first sight, those
// that other functions share behind the others.
Any variables(State& state, const Frame& f) {
  const FunctionInfo& info = *f.info;
  auto sort_of = [&](Symbol name, uint32_t place) {
    uint32_t slot = index_of(place);
    if (slot < info.parameters.size() && info.parameters[slot] == name) return 0;
    if (storage_of(place) == Storage::kLocal) return 1;
    for (const FunctionInfo::Free& free : info.free_variables) {
      if (free.slot == slot) return 3;
    }
    return 2;
  };
  std::vector<std::tuple<int, uint32_t, Symbol>> order;
  for (const auto& [name, place] : info.names)
    order.emplace_back(sort_of(name, place), index_of(place), name);
  std::sort(order.begin(), order.end());
  Dict all;
  for (const auto& [sort, slot, name] : order) {
    const Any* value = &f.slots[slot];
    if (auto* cell = as<CellNode>(*value)) value = &cell->value;
    if (!is_unbound(*value)) all.Set(str_value(name.str()), *value);
  }
  return all;
}

Any names_here(Evaluator& evaluator, ir::Span span) {
  State& state = evaluator.state();
  Frame* f = state.frame;
  if (f != nullptr && f->cls != nullptr) {
    raise(
        "NotImplementedError", span, "not-supported",
        "`locals` is not available in a class body: its names are the members of a class that is being made");
  }
  if (f == nullptr || f->function == nullptr || f->info == nullptr)
    return state.namespace_of(module_of(state));
  return variables(state, *f);
}

Any globals(Evaluator& evaluator, const Arguments&) {
  return evaluator.state().namespace_of(module_of(evaluator.state()));
}
Any locals(Evaluator& evaluator, const Arguments& args) { return names_here(evaluator, args.span); }
Any vars(Evaluator& evaluator, const Arguments& args) {
  if (args.size() == 0) return names_here(evaluator, args.span);
  Any out;
  if (as<ApiModuleNode>(args[0]) != nullptr) {
    // A module of mlc: what it has now; names that are refused are not there.
    Dict names;
    for (const std::string& name : evaluator.attribute_names(args[0])) {
      try {
        if (evaluator.find_attribute(args[0], Symbol(name), out)) names.Set(str_value(name), out);
      } catch (const ir::Error&) {  // NOLINT: as above
      }
    }
    return names;
  }
  if (evaluator.find_attribute(args[0], known().dict, out)) return out;
  raise("TypeError", args.span_of(0), "wrong-type", "vars() argument must have __dict__ attribute");
}

Any dir(Evaluator& evaluator, const Arguments& args) {
  List names;
  if (args.size() == 0) {
    Any here = names_here(evaluator, args.span);
    for (Any& name : evaluator.elements_of(here)) names.push_back(std::move(name));
  } else {
    Any given;
    if (as<InstanceNode>(args[0]) != nullptr &&
        evaluator.state().special(args[0], Symbol("__dir__"), {}, given, args.span)) {
      for (Any& name : evaluator.elements_of(given)) names.push_back(std::move(name));
    } else {
      for (const std::string& name : evaluator.attribute_names(args[0])) names.push_back(str_value(name));
    }
  }
  std::vector<Any> sorted(elements(names).begin(), elements(names).end());
  sort_values(evaluator, sorted, Arguments{{}, {}, args.span});
  return List(sorted.begin(), sorted.end());
}

constexpr BuiltinRow namespaces_table[] = {
    {"dir", "(obj)", "The names of the object's attributes.", dir, 0, 1},
    {"vars", "(obj)", "The object's own attributes as a dict.", vars, 0, 1},
    {"globals", "()", "The names of the module, as a mapping that is the module's own.", globals, 0, 0},
    {"locals", "()", "The variables of the function as a dict (a copy).", locals, 0, 0},
};

}  // namespace

std::span<const BuiltinRow> namespace_builtins() { return namespaces_table; }

}  // namespace mlc::script
