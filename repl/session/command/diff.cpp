// SPDX-License-Identifier: Apache-2.0
// What has changed between two states.
#include <fmt/format.h>

#include <algorithm>

#include "repl/session/commands.h"
#include "repl/session/module_diff.h"
#include "repl/session/session.h"

namespace mlc::repl::commands_diff {
namespace {

void diff_states(Session& session, std::string_view arguments) {
  auto [style, words] = diff_arguments("diff", arguments, 2);
  size_t to = words.size() < 2 ? session.position() : state_of(session, words[1]);
  size_t from = !words.empty() ? state_of(session, words[0]) : session.states()[to].parent;
  const std::vector<NamedModule>& before = session.states()[from].modules;
  std::string text;
  std::vector<std::pair<ir::IRModule, ir::IRModule>> shown;  // of several names of one module, the first is shown
  for (const NamedModule& now : session.states()[to].modules) {
    auto old = std::ranges::find(before, now.name, &NamedModule::name);
    ir::IRModule was = old == before.end() ? ir::IRModule(nullptr) : old->mod;
    bool again = std::ranges::any_of(
        shown, [&](const auto& pair) { return pair.first.same_as(was) && pair.second.same_as(now.mod); });
    if (again) continue;
    std::string change = module_diff(session, was, now.mod, style);
    if (change.empty()) continue;
    shown.emplace_back(was, now.mod);
    text += fmt::format("# {}, state {} to {}\n{}", now.name, from, to, change);
  }
  if (text.empty()) return session.show(fmt::format("no module differs between state {} and {}\n", from, to));
  session.page(text);
}

constexpr Command kRows[] = {
    {"diff", "[--text | --side] [A] [B]", "what the last statement changed, or everything between the states A and B",
     "    :diff\n    :diff 0 3\n    :diff --side\n"
     "  With one state: from that one to now. A branch's name is its tip. Loops are split, fused, reordered, or of another kind;\n"
     "  blocks moved, added, inlined; at the end of a line stand the blocks that it is about. `--text` shows the lines of the\n"
     "  program instead, `--side` both texts side by side.\n",
     diff_states, Argument::kBranch},
};

}  // namespace

extern const Commands diff{kRows};

}  // namespace mlc::repl::commands_diff
