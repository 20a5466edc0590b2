// SPDX-License-Identifier: Apache-2.0
// The graph of a session's states: the ways through it, its branches, and how much of it is kept.
#include <fmt/format.h>

#include <algorithm>

#include "repl/session/session.h"
#include "repl/shell/source.h"

namespace mlc::repl {

std::vector<size_t> Session::path_to(size_t state) const {
  std::vector<size_t> path;
  for (; state != 0; state = states_[state].parent) path.push_back(state);
  std::reverse(path.begin(), path.end());
  return path;
}

// Up to where the two ways part, then down.
void Session::go(size_t to) {
  require_kept(to);
  std::vector<size_t> from_way = path_to(at_), to_way = path_to(to);
  size_t shared = 0;
  while (shared < from_way.size() && shared < to_way.size() && from_way[shared] == to_way[shared]) ++shared;
  for (size_t i = from_way.size(); i > shared; --i) {
    State& state = states_[from_way[i - 1]];
    heap_.pass(state.change);
    states_[state.parent].next = from_way[i - 1];
  }
  for (size_t i = shared; i < to_way.size(); ++i) {
    heap_.pass(states_[to_way[i]].change);
    states_[states_[to_way[i]].parent].next = to_way[i];
  }
  heap_.arrive();
  at_ = to;
  for (const Any& lost : heap_.take_lost()) {
    std::string name = "a schedule";
    for (const auto& [bound, each] : evaluator_.globals())
      if (bound != "_" && script::is_object(each) && script::raw_object(each) == script::raw_object(lost))
        name = "the schedule `" + bound + "`";
    show(fmt::format("{} stays as it is: it has taken steps while no name led to it\n", name));
  }
}

std::string Session::free_branch_name() const {
  std::string base = branches_[branch_].name.substr(0, branches_[branch_].name.rfind('~'));
  for (size_t i = 2;; ++i) {
    std::string name = fmt::format("{}~{}", base, i);
    if (std::ranges::find(branches_, name, &Branch::name) == branches_.end()) return name;
  }
}

void Session::open_branch(std::string name) {
  branches_.push_back({std::move(name), at_});
  branch_ = branches_.size() - 1;
}

void Session::switch_to(size_t branch) {
  require_kept(branches_[branch].tip);
  branch_ = branch;
  go(branches_[branch].tip);
}

void Session::rename(size_t branch, std::string name) { branches_[branch].name = std::move(name); }

void Session::drop(size_t branch) {
  size_t tip = branches_[branch].tip;
  branches_.erase(branches_.begin() + static_cast<ptrdiff_t>(branch));
  if (branch_ > branch) --branch_;
  std::vector<bool> kept(states_.size(), false);
  kept[0] = true;
  auto keep = [&](size_t state) {
    for (size_t each : path_to(state)) kept[each] = true;
  };
  for (const Branch& each : branches_) keep(each.tip);
  keep(at_);
  std::vector<bool> goes(states_.size(), false);
  for (size_t each : path_to(tip)) goes[each] = !kept[each];
  // With what stands behind it: somebody was there when its branch was dropped, and has moved on since.
  for (size_t each = 1; each < states_.size(); ++each) {
    size_t parent = states_[each].parent;
    goes[each] = goes[each] || goes[parent];
    if (!goes[each]) continue;
    if (states_[parent].next == each) states_[parent].next = 0;
    states_[each] = State();
    states_[each].parent = parent;
    states_[each].dropped = true;
  }
}

void Session::require_kept(size_t state) const {
  if (!states_[state].let_go) return;
  throw CallError{
      fmt::format("what was bound in state {} is not kept any more: the history would be too large", state),
      fmt::format(
          "`:show {}` and `:diff {}` still show its modules; `:set history` with a larger number keeps "
          "more from now on",
          state, state)};
}

// What only the history holds: of the states on the way to that in force the contents before them, of others
// those of their own.
size_t Session::history_bytes() const {
  std::vector<bool> is_behind(states_.size(), false);
  for (size_t each : path_to(at_)) is_behind[each] = true;
  size_t bytes = 0;
  for (size_t i = 1; i < states_.size(); ++i)
    bytes += is_behind[i] ? states_[i].change.bytes_behind : states_[i].change.bytes_ahead;
  return bytes;
}

// Either what lies before the first state of the way that has its contents, with all that branches off there,
// or the last state of another branch: whichever is older.
bool Session::let_go_of_oldest(const std::vector<size_t>& path) {
  std::vector<bool> is_behind(states_.size(), false), has_kept(states_.size(), false);
  for (size_t each : path) is_behind[each] = true;
  for (size_t i = 1; i < states_.size(); ++i)
    if (!states_[i].let_go && !states_[i].dropped) has_kept[states_[i].parent] = true;
  auto first = std::ranges::find_if(path, [&](size_t each) { return !states_[states_[each].parent].let_go; });
  size_t oldest = first == path.end() ? states_.size() : states_[*first].parent;
  for (size_t i = 1; i < states_.size(); ++i) {
    if (is_behind[i] || i == at_ || has_kept[i] || states_[i].let_go || states_[i].dropped) continue;
    oldest = std::min(oldest, i);
    break;
  }
  auto let_go = [&](size_t state) {
    states_[state].let_go = true;
    states_[state].change = {};
  };
  if (oldest == states_.size()) return false;
  let_go(oldest);
  if (first == path.end() || oldest != states_[*first].parent) return true;
  states_[*first].change = {};
  // Children come after their parents.
  for (size_t i = oldest + 1; i < states_.size(); ++i)
    if (!is_behind[i] && states_[states_[i].parent].let_go && !states_[i].let_go) let_go(i);
  return true;
}

void Session::limit_history() {
  if (most_bytes_ <= options_.history << 20) return;
  std::vector<size_t> path = path_to(at_);
  bool any = false;
  while (history_bytes() > options_.history << 20 && let_go_of_oldest(path)) any = true;
  most_bytes_ = 0;
  for (const State& each : states_)
    most_bytes_ += std::max(each.change.bytes_behind, each.change.bytes_ahead);
  if (!any || told_of_history_) return;
  told_of_history_ = true;
  show(fmt::format(
      "the history holds more than {} MiB: the oldest states can no longer be gone back to (`:steps` marks "
      "them; `:set history {}` keeps more)\n",
      options_.history, std::max<size_t>(options_.history, 1) * 2));
}

void Session::set_history(size_t mebibytes) {
  options_.history = mebibytes;
  told_of_history_ = false;
  limit_history();
}

// Of what a statement has made and going back will not put back, once.
void Session::tell_not_kept() {
  size_t arrays = 0;
  std::vector<std::string> streams, names;
  for (const Any& value : heap_.not_kept()) {
    std::string name;
    for (const auto& [bound, each] : evaluator_.globals())
      if (script::is_object(each) && bound != "_" && script::raw_object(each) == script::raw_object(value))
        name = "`" + bound + "`";
    std::string_view kind = stream_kind(value);
    if (kind.empty()) {
      ++arrays;
      if (!name.empty()) names.push_back(name);
      continue;
    }
    streams.push_back(name.empty() ? fmt::format("a {}", kind) : fmt::format("{} ({})", name, kind));
  }
  if (!streams.empty())
    show(fmt::format("not kept for `:undo`: how far {} {}\n", fmt::join(streams, ", "),
                     streams.size() == 1 ? "has come" : "have come"));
  if (arrays > 0)
    show(fmt::format(
        "not kept for `:undo`: the elements of {} (arrays on the CPU are, up to {} MiB in all)\n",
        names.size() == arrays ? fmt::format("{}", fmt::join(names, ", ")) : fmt::format("{} arrays", arrays),
        Heap::kMostArrayBytes >> 20));
}

// What no state holds any more is forgotten from time to time.
void Session::forget_modules() {
  if (frozen_.size() + of_functions_.size() < most_modules_) return;
  for (auto& [functions, all] : frozen_)
    std::erase_if(all, [](const ir::IRModule& mod) { return mod.unique(); });
  std::erase_if(frozen_, [](const auto& each) { return each.second.empty(); });
  std::erase_if(of_functions_, [](const auto& each) { return each.second.unique(); });
  most_modules_ = 2 * (frozen_.size() + of_functions_.size()) + 64;
}

}  // namespace mlc::repl
