// SPDX-License-Identifier: Apache-2.0
#include "transform/schedule/refusal.h"

#include <algorithm>

#include "ir/core/try_get.h"

namespace mlc::transform {
namespace {

constexpr size_t kMostPlaces = 2;
constexpr size_t kMostEnclosing = 6;  // lines above; of more the innermost

// The text of a function with carets below a statement in it; one line for each loop.
std::string underlined(Host& host, const PrimFunc& fn, const Stmt& stmt) {
  const ir::Api* script = ir::ApiRegistry::global().method(Any(fn).type_index(), "script");
  if (script == nullptr) return "";
  Any self[] = {fn};
  std::pair<std::string_view, Any> keywords[] = {{"syntax_sugar", false},
                                                 {"obj_to_underline", Array<Any>{stmt}}};
  Any text = ir::call_api(*script, host, {self, keywords, {}, {}, {}});
  return std::string(text.cast<String>());
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

}  // namespace mlc::transform
