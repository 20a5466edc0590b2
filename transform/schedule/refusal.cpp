// SPDX-License-Identifier: Apache-2.0
#include "transform/schedule/refusal.h"

#include <algorithm>
#include <typeinfo>

#include "ir/core/try_get.h"
#include "transform/arith/solver.h"

namespace mlc::transform {
namespace {

constexpr size_t kMostPlaces = 2;
constexpr size_t kMostEnclosing = 6;  // lines above; of more the innermost

// The text of a function with carets below a statement in it; one line for each loop.
std::string underlined(Host& host, const PrimFunc& fn, const Stmt& stmt) {
  ir::Keyword keywords[] = {{"syntax_sugar", false}, {"obj_to_underline", Array<Any>{stmt}}};
  return std::string(host.call_method(Any(fn), "script", {}, keywords).cast<String>());
}

// The first line with carets and those that enclose it, further to the left each.
std::string excerpt(const std::string& text) {
  std::vector<std::string_view> lines;
  for (size_t at = 0; at < text.size();) {
    size_t end = std::min(text.find('\n', at), text.size());
    lines.emplace_back(text.data() + at, end - at);
    at = end + 1;
  }
  auto indent = [](std::string_view line) { return std::min(line.find_first_not_of(' '), line.size()); };
  auto carets = std::find_if(lines.begin(), lines.end(), [](std::string_view line) {
    return line.find('^') != std::string_view::npos && line.find_first_not_of(" ^") == std::string_view::npos;
  });
  if (carets == lines.end() || carets == lines.begin()) return "";
  auto shown = static_cast<size_t>(carets - lines.begin()) - 1;
  std::vector<std::string_view> around;
  size_t left = indent(lines[shown]);
  for (size_t i = shown; i-- > 0 && left > 0 && around.size() < kMostEnclosing;) {
    std::string_view line = lines[i];
    if (line.empty() || line.starts_with('#') || indent(line) >= left || line[indent(line)] == '@') continue;
    left = indent(line);
    around.push_back(line);
  }
  std::string out;
  size_t cut = around.empty() ? indent(lines[shown]) : indent(around.back());
  auto add = [&](std::string_view line) {
    out += "\n  ";
    out += line.substr(std::min(cut, line.size()));
  };
  for (size_t i = around.size(); i-- > 0;) add(around[i]);
  add(lines[shown]);
  add(*carets);
  return out;
}

bool points_nowhere(const ir::Note& note) { return !note.span && note.message.ends_with(" here"); }

}  // namespace

void note_srefs(Error& error, Step& step) {
  std::vector<ir::Note>& notes = error.first().notes;
  notes.erase(std::remove_if(notes.begin(), notes.end(), points_nowhere), notes.end());
  size_t shown = 0;
  for (const Any& value : step.call.args) {
    if (!value.as<LoopRV>() && !value.as<SBlockRV>()) continue;
    auto found = step.schedule.handles.find(value.as<ffi::Object>());
    if (found == step.schedule.handles.end() || !found->second->alive()) continue;
    const SRefNode& sref = *found->second;
    if (sref.stmt->span || sref.parent == nullptr || shown == kMostPlaces) continue;
    GlobalVar name = step.state.index_of(sref).name;
    auto fn = ir::try_get<PrimFunc>(step.state.mod()->functions[name]);
    if (!fn) continue;
    std::string lines = excerpt(underlined(step.call.host, *fn, sref.stmt));
    if (lines.empty()) continue;
    notes.push_back({fmt::format("{} `{}` of `{}` is now{}", sref.loop() ? "loop" : "block",
                                 sref.name.c_str(), name->name_hint.c_str(), lines),
                     {}});
    ++shown;
  }
}

namespace {

// A call that outlives its caller's stack.
struct KeptCall {
  Schedule schedule;
  IRModule mod;  // what the schedule held
  const Primitive* primitive;
  const ir::Api* api;
  Host* host;
  std::vector<Any> args;
  Span span;
  std::vector<Span> arg_spans;
  size_t notes;  // that the refusal had; others were added on its way
  bool solver;   // whether z3 was used: its PassContext may be left by now

  void complete(ir::Diagnostic& shown) {
    if (!schedule->state->mod().same_as(mod)) return;  // it has gone on since
    Schedule copy = copy_schedule(*schedule);
    copy->state->explaining = true;
    args[0] = copy;
    ApiCall call{*api, *host, args, span, arg_spans};
    Step step(mutable_schedule(copy), *primitive, call);
    struct Restore {
      bool solver = solver_enabled();
      ~Restore() { enable_solver(solver); }
    } restore;
    enable_solver(solver);
    try {
      primitive->run(step);
    } catch (Error& again) {
      if (again.first().name != shown.name || again.first().message != shown.message) return;
      note_srefs(again, step);
      std::vector<ir::Note>& all = again.first().notes;
      all.insert(all.end(), shown.notes.begin() + static_cast<ptrdiff_t>(notes), shown.notes.end());
      shown.notes = std::move(all);
    }
  }
};

}  // namespace

void throw_refused(Error& error, Step& step) {
  if (typeid(error) != typeid(Error) || error.first().name == "wrong-type") throw;
  KeptCall kept{ir::ref(&step.schedule),
                step.state.mod(),
                &step.primitive,
                &step.call.api,
                &step.call.host,
                {step.call.args.begin(), step.call.args.end()},
                step.call.span,
                {step.call.arg_spans.begin(), step.call.arg_spans.end()},
                error.first().notes.size(),
                solver_enabled()};
  auto complete = [kept = std::move(kept)](ir::Diagnostic& shown) mutable { kept.complete(shown); };
  throw ir::RefusedError(std::move(error), std::make_shared<ir::RefusedError::Complete>(std::move(complete)));
}

}  // namespace mlc::transform
