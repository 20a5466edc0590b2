// SPDX-License-Identifier: Apache-2.0
#include "repl/session/session.h"

#include <algorithm>
#include <cstdio>

#include "frontend/print/highlight.h"
#include "repl/session/commands.h"
#include "repl/session/line_diff.h"
#include "repl/shell/explain.h"
#include "repl/shell/report.h"
#include "repl/shell/source.h"
#include "transform/schedule/primitive.h"

namespace mlc::repl {

using ir::Any;

namespace {

// A mutable object that undo must be able to bring back: anything that can copy itself and has a module.
bool is_schedule(const Any& value) {
  const ir::ApiRegistry& registry = ir::ApiRegistry::global();
  return script::is_object(value) && registry.method(value.type_index(), "copy") != nullptr &&
         registry.method(value.type_index(), "mod") != nullptr;
}

}  // namespace

std::string_view trim(std::string_view text) {
  size_t begin = text.find_first_not_of(" \t\r\n");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t\r\n") - begin + 1);
}

Session::Session(SessionOptions options) : options_(std::move(options)) {
  if (!options_.out) {
    options_.out = [](std::string_view text) {
      std::fwrite(text.data(), 1, text.size(), stdout);
      std::fflush(stdout);
    };
  }
  evaluator_.out = [this](std::string_view text) { options_.out(text); };
}

void Session::run(std::string_view input) {
  std::string_view line = trim(input);
  try {
    if (line.empty()) return;
    if (line == "quit()" || line == "exit()" || line == "quit" || line == "exit") {
      ended_ = 0;  // what Python's own prompt has taught everybody to type
    } else if (line.starts_with(':')) {
      run_command(*this, line.substr(1));
    } else if (line.starts_with('?')) {
      document(trim(line.substr(1)));
    } else if (line.ends_with('?') && line.find('\n') == std::string_view::npos &&
               line.find('#') == std::string_view::npos) {
      document(trim(line.substr(0, line.size() - 1)));
    } else {
      run_program_text(input);
    }
  } catch (const script::Evaluator::SystemExit& exit) {
    ended_ = exit.code;
  } catch (const ir::Error& error) {
    show(options_.compact_errors ? compact_report(error) : full_report(error, options_.colour));
  } catch (const CallError& error) {
    show(call_report(error, options_.colour));
  }
}

void Session::run_program_text(std::string_view text) {
  Snapshot before = take_snapshot();
  std::vector<NamedModule> modules = modules_of(before);
  std::string source(text);
  while (!source.empty() && (source.back() == '\n' || source.back() == ' ')) source.pop_back();
  uint32_t file = ir::SourceMap::current().add("<repl>", source + "\n");
  Any value;
  std::vector<transform::PassRun> passes;
  try {
    transform::PassNotes notes(&passes);
    value = evaluator_.evaluate_repl(file);
  } catch (const ir::Error&) {
    // A statement is a step or none: what it had changed before it was refused is taken back.
    if (!changes(modules, modules_of(evaluator_.globals())).empty()) restore(before);
    throw;
  }

  inputs_.push_back({source, true});
  std::string effect = changes(modules, modules_of(evaluator_.globals()));
  if (!effect.empty()) {
    steps_.resize(position_);
    Step& step = steps_.emplace_back(Step{.source = source, .effect = effect, .before = std::move(before)});
    step.input = inputs_.size() - 1;
    step.passes = std::move(passes);
    judge(step);
    position_ = steps_.size();
  }
  if (!script::is_none(value)) {
    evaluator_.set_global("_", value);
    show_value(value);
  }
}

void Session::show_value(const Any& value) {
  if (module_in(evaluator_, value)) {
    show_script(script_of(evaluator_, value));
  } else {
    show(evaluator_.repr(value) + "\n");
  }
}

void Session::show_script(std::string_view text) {
  std::string shown = options_.colour ? print::highlight(text) : std::string(text);
  if (shown.empty() || shown.back() != '\n') shown += '\n';
  show(shown);
}

void Session::document(std::string_view name) {
  if (name.empty())
    return show("type a name after `?`: `?print`, `?sch.split`; `:help` lists the commands\n");
  // Documentation of an expression that can be evaluated, else of whatever bears that name.
  try {
    uint32_t file = ir::SourceMap::current().add("<repl>", std::string(name) + "\n");
    Any value = evaluator_.evaluate_repl(file);
    if (auto text = explain_value(evaluator_, value)) return show(*text);
  } catch (const ir::Error&) {
  }
  show(explain_name(evaluator_, name).text);
}

Snapshot Session::take_snapshot() {
  Snapshot snapshot = evaluator_.globals();
  // Names of one schedule stay names of one schedule.
  std::vector<std::pair<const ir::ffi::Object*, Any>> copies;
  for (auto& [name, value] : snapshot) {
    if (!is_schedule(value)) continue;
    const ir::ffi::Object* object = script::raw_object(value);
    auto known =
        std::find_if(copies.begin(), copies.end(), [&](const auto& pair) { return pair.first == object; });
    if (known == copies.end()) {
      copies.emplace_back(object, call_method(evaluator_, value, "copy"));
      known = copies.end() - 1;
    }
    value = known->second;
  }
  return snapshot;
}

void Session::restore(const Snapshot& snapshot) {
  for (const auto& [name, value] : evaluator_.globals()) {
    bool kept =
        std::any_of(snapshot.begin(), snapshot.end(), [&](const auto& pair) { return pair.first == name; });
    if (!kept) evaluator_.set_global(name, script::unbound());
  }
  for (const auto& [name, value] : snapshot) evaluator_.set_global(name, value);
}

std::vector<NamedModule> Session::modules_of(const Snapshot& snapshot) {
  std::vector<NamedModule> modules;
  for (const auto& [name, value] : snapshot) {
    if (name == "_") continue;
    if (auto mod = module_in(evaluator_, value)) modules.push_back({name, *mod});
  }
  return modules;
}

// "sch: +3 -1 lines, Mod: new"; "" when no module changed.
std::string Session::changes(const std::vector<NamedModule>& before, const std::vector<NamedModule>& after) {
  std::string text;
  for (const NamedModule& now : after) {
    auto old =
        std::find_if(before.begin(), before.end(), [&](const NamedModule& m) { return m.name == now.name; });
    std::string change;
    if (old == before.end()) {
      change = "new";
    } else if (!old->mod.same_as(now.mod) && !ir::structural_equal(Any(old->mod), Any(now.mod))) {
      DiffCount count = count_diff(script_of(evaluator_, Any(old->mod)), script_of(evaluator_, Any(now.mod)));
      change = fmt::format("+{} -{} lines", count.added, count.removed);
    }
    if (!change.empty()) text += fmt::format("{}{}: {}", text.empty() ? "" : ", ", now.name, change);
  }
  return text;
}

// The verdict on what schedules and passes have done in a step, before anything was run.
void Session::judge(Step& step) {
  std::string_view trusted;
  for (const auto& [name, value] : evaluator_.globals()) {
    if (!is_schedule(value)) continue;
    auto schedule = value.as<transform::Schedule>();
    if (!schedule || !*schedule) continue;
    auto old = std::find_if(step.before.begin(), step.before.end(),
                            [&](const auto& pair) { return pair.first == name; });
    auto was = old == step.before.end() ? std::nullopt : old->second.as<transform::Schedule>();
    const auto& steps = (*schedule)->trace->instructions;
    size_t from = was && *was ? (*was)->trace->instructions.size() : 0;
    bool any = false;
    for (size_t i = from; i < steps.size(); ++i) {
      if (transform::is_pure(*steps[i].primitive)) continue;
      any = true;
      if (trusted.empty()) trusted = transform::assumption_of(steps[i], **schedule);
    }
    if (any) step.schedules.push_back(name);
  }
  if (!trusted.empty()) {
    step.verdict = fmt::format("unchecked: {}", trusted);
  } else if (!step.passes.empty()) {
    step.verdict = "unchecked until `:check` runs it";
  } else if (!step.schedules.empty()) {
    step.verdict = "proved";
  }
}

bool Session::undo() {
  if (position_ == 0) return false;
  Step& step = steps_[--position_];
  step.after = take_snapshot();
  for (size_t i = step.input; i < inputs_.size(); ++i) {
    if (!inputs_[i].in_force) continue;
    inputs_[i].in_force = false;
    step.dropped.push_back(i);
  }
  // The session goes on with the schedules of the snapshot, so the step keeps copies of them.
  restore(step.before);
  step.before = take_snapshot();
  return true;
}

bool Session::redo() {
  if (position_ == steps_.size()) return false;
  Step& step = steps_[position_++];
  for (size_t i : step.dropped) inputs_[i].in_force = true;
  step.dropped.clear();
  restore(step.after);
  step.after = take_snapshot();
  return true;
}

std::vector<NamedModule> Session::modules_at(size_t step) {
  if (step < position_) return modules_of(steps_[step].before);
  if (step > position_) return modules_of(steps_[step - 1].after);
  return modules_of(evaluator_.globals());
}

std::string Session::program() const {
  std::string text;
  for (const Input& input : inputs_) {
    if (input.in_force) text += input.source + "\n";
  }
  return text;
}

}  // namespace mlc::repl
