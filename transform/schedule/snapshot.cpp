// SPDX-License-Identifier: Apache-2.0
#include "transform/schedule/snapshot.h"

#include <algorithm>
#include <cstring>
#include <iterator>

namespace mlc::transform {

namespace {

bool same(const Any& a, const Any& b) { return std::memcmp(&a, &b, sizeof(Any)) == 0; }
bool same(const Instruction& a, const Instruction& b) {
  auto equal = [](const Any& x, const Any& y) { return same(x, y); };
  return a.primitive == b.primitive && std::ranges::equal(a.args, b.args, equal) &&
         std::ranges::equal(a.outputs, b.outputs, equal);
}
bool same(const SRefNode& a, const SRefNode& b) {
  return a.stmt.same_as(b.stmt) && a.parent == b.parent && a.name == b.name && a.removed_by == b.removed_by &&
         a.mark == b.mark && a.declared == b.declared && a.affine_binding == b.affine_binding &&
         a.region_cover == b.region_cover && a.stage_pipeline == b.stage_pipeline;
}

template <class T>
size_t shared_beginning(const std::vector<T>& a, const std::vector<T>& b) {
  size_t most = std::min(a.size(), b.size()), at = 0;
  while (at < most && same(a[at], b[at])) ++at;
  return at;
}

std::vector<Instruction>& steps_of(const ScheduleNode& schedule) {
  return const_cast<TraceNode&>(*schedule.trace).instructions;
}

// The value of a key, or what stands for none; and the other way round.
template <class Map, class Value>
Value value_of(const Map& map, const ffi::Object* key, const Value& none) {
  auto found = map.find(key);
  return found == map.end() ? none : Value(found->second);
}
void set_value(std::unordered_map<const ffi::Object*, SRef>& map, const ffi::Object* key, const SRef& value) {
  if (value != nullptr)
    map[key] = value;
  else
    map.erase(key);
}
void set_value(std::unordered_map<const ffi::Object*, int64_t>& map, const ffi::Object* key,
               const std::optional<int64_t>& value) {
  if (value)
    map[key] = *value;
  else
    map.erase(key);
}

// About what a statement takes that no other version of the program has: its own node, and a list of
// statements below it, which is copied when one of them changes.
size_t bytes_of(const Stmt& stmt) {
  constexpr size_t kNode = 128;
  const Stmt* below = nullptr;
  if (auto* loop = as<ForNode>(stmt)) below = &loop->body;
  if (auto* block = as<SBlockNode>(stmt)) below = &block->body;
  auto* list = below == nullptr ? nullptr : as<SeqStmtNode>(*below);
  return kNode + (list == nullptr ? 0 : list->seq.size() * sizeof(Any));
}

}  // namespace

// ---- changes ----

template <class T>
void ScheduleChange::Tail<T>::exchange(std::vector<T>& list) {
  auto from = list.begin() + static_cast<ptrdiff_t>(shared);
  size_t old = static_cast<size_t>(list.end() - from), both = std::min(old, items.size());
  std::swap_ranges(from, from + static_cast<ptrdiff_t>(both), items.begin());
  if (old > both) {
    items.insert(items.end(), std::move_iterator(from + static_cast<ptrdiff_t>(both)),
                 std::move_iterator(list.end()));
    list.erase(list.begin() + static_cast<ptrdiff_t>(shared + both), list.end());
  } else {
    auto rest = items.begin() + static_cast<ptrdiff_t>(both);
    list.insert(list.end(), std::move_iterator(rest), std::move_iterator(items.end()));
    items.erase(rest, items.end());
  }
}

template <class T>
void ScheduleChange::Tail<T>::copy_into(std::vector<T>& list) const {
  list.erase(list.begin() + static_cast<ptrdiff_t>(shared), list.end());
  list.insert(list.end(), items.begin(), items.end());
}

bool ScheduleChange::Mark::fits(const ScheduleNode& schedule) const {
  return mod.same_as(schedule.state->mod()) && steps == schedule.trace->instructions.size() &&
         handles == schedule.handles.size() && numbers == schedule.numbers.size();
}

ScheduleChange::Mark ScheduleChange::mark_of(const ScheduleNode& schedule) {
  return {schedule.state->mod(), schedule.trace->instructions.size(), schedule.handles.size(),
          schedule.numbers.size()};
}

ScheduleChange::Scalars ScheduleChange::scalars_of(const ScheduleNode& schedule) {
  return {schedule.beginning,    schedule.state->mod(), schedule.trace,        schedule.func_working_on,
          schedule.random_state, schedule.debug_mask,   schedule.enable_check, schedule.traced};
}

void ScheduleChange::exchange(ScheduleNode& schedule) {
  auto& indices = schedule.state->functions_;
  auto index_of = [&](const GlobalVarNode* name) {
    auto found = indices.find(name);
    return found == indices.end() ? nullptr : found->second.get();
  };
  // Out of their indices, while these are the ones that the statements of now are in.
  for (const Place& place : places_) {
    FunctionIndex* index = index_of(place.function);
    if (index == nullptr || !place.sref->stmt) continue;
    auto found = index->srefs.find(place.sref->stmt.get());
    if (found != index->srefs.end() && found->second == place.sref) index->srefs.erase(found);
  }
  for (Function& each : functions_) {
    auto& slot = indices[each.name];
    Function held;
    held.name = each.name;
    held.present = slot != nullptr;
    if (slot != nullptr) {
      held.root = slot->root;
      held.hides = slot->hides;
    }
    if (!each.present || each.kept != nullptr) {
      held.kept = std::move(slot);
      slot = std::move(each.kept);
    }
    if (slot == nullptr) {
      indices.erase(each.name);
    } else {
      slot->root = each.root;
      slot->hides = each.hides;
    }
    each = std::move(held);
  }
  for (Place& place : places_) {
    std::swap(*place.sref, place.held);
    FunctionIndex* index = index_of(place.function);
    if (index != nullptr && place.sref->stmt) index->srefs[place.sref->stmt.get()] = place.sref;
  }
  for (auto& [rv, sref] : handles_) {
    SRef held = value_of(schedule.handles, rv, SRef());
    set_value(schedule.handles, rv, sref);
    sref = std::move(held);
  }
  for (auto& [var, number] : numbers_) {
    auto held = value_of(schedule.numbers, var, std::optional<int64_t>());
    set_value(schedule.numbers, var, number);
    number = held;
  }
  named_.exchange(schedule.named);
  steps_.exchange(steps_of(schedule));
  Scalars held = scalars_of(schedule);
  schedule.beginning = scalars_.beginning;
  schedule.state->mod_ = scalars_.mod;
  schedule.trace = scalars_.trace;
  schedule.func_working_on = scalars_.func_working_on;
  schedule.random_state = scalars_.random_state;
  schedule.debug_mask = scalars_.debug_mask;
  schedule.enable_check = scalars_.enable_check;
  schedule.traced = scalars_.traced;
  scalars_ = std::move(held);
  other_ = mark_of(schedule);
}

size_t ScheduleChange::bytes() const {
  size_t bytes = handles_.size() * sizeof handles_[0] + numbers_.size() * sizeof numbers_[0] +
                 named_.items.size() * sizeof(Any) +
                 steps_.items.size() * (sizeof(Instruction) + 4 * sizeof(Any));
  for (const Place& place : places_)
    bytes += sizeof place + (place.held.stmt ? bytes_of(place.held.stmt) : 0);
  for (const Function& each : functions_)
    if (each.kept != nullptr) bytes += each.kept->srefs.size() * sizeof(Place);
  return bytes;
}

// ---- snapshots ----

ScheduleSnapshot::ScheduleSnapshot(const ScheduleNode& now)
    : handles_(now.handles),
      numbers_(now.numbers.begin(), now.numbers.end()),
      named_(now.named),
      steps_(now.trace->instructions),
      scalars_(ScheduleChange::scalars_of(now)),
      mark_(ScheduleChange::mark_of(now)) {
  for (const auto& [name, index] : now.state->functions_) {
    functions_[name] = {true, index->hides, index->root};
    for (const auto& [stmt, sref] : index->srefs) places_[sref.get()] = {sref, name, *sref};
  }
}

bool ScheduleSnapshot::same_rest(const ScheduleNode& now) const {
  return scalars_.random_state == now.random_state && scalars_.func_working_on.same_as(now.func_working_on);
}

ScheduleChange ScheduleSnapshot::difference(const ScheduleNode& now) {
  ScheduleChange change;
  change.scalars_ = ScheduleChange::scalars_of(now);
  change.other_ = mark_;
  const std::vector<Instruction>& steps = steps_of(now);
  change.steps_.shared = shared_beginning(steps_, steps);
  change.steps_.items.assign(steps.begin() + static_cast<ptrdiff_t>(change.steps_.shared), steps.end());
  // Lookups and samples change no loop or block, but may have been the first to ask for a function's.
  bool looks = change.steps_.shared == steps_.size() && scalars_.mod.same_as(change.scalars_.mod) &&
               std::ranges::all_of(change.steps_.items,
                                   [](const Instruction& each) { return is_pure(*each.primitive); });
  for (const auto& [name, index] : now.state->functions_)
    looks = looks && functions_.contains(name) && functions_.at(name).present;
  if (!looks) look_at_places(now, change);
  look_at_handles(now, change);
  // So that `exchange` needs no memory.
  steps_.reserve(std::max(steps_.size(), steps.size()));
  change.steps_.items.reserve(std::max(steps_.size(), steps.size()) - change.steps_.shared);
  named_.reserve(std::max(named_.size(), now.named.size()));
  change.named_.items.reserve(std::max(named_.size(), now.named.size()) - change.named_.shared);
  return change;
}

void ScheduleSnapshot::look_at_places(const ScheduleNode& now, ScheduleChange& change) {
  for (const auto& [name, index] : now.state->functions_) {
    Function& known = functions_[name];
    if (!known.present || known.hides != index->hides || known.root != index->root) {
      ScheduleChange::Function made;
      made.name = name;
      made.present = true;
      made.hides = index->hides;
      made.root = index->root;
      change.functions_.push_back(std::move(made));
    }
    for (const auto& [stmt, sref] : index->srefs) {
      auto [at, added] = places_.try_emplace(sref.get());
      if (!added) continue;
      at->second.sref = sref;
      at->second.function = name;
      // An index that comes and goes takes its SRefs with it, as they are.
      if (!known.present) at->second.held = *sref;
    }
  }
  std::erase_if(places_, [&](const auto& each) {
    const Place& place = each.second;
    if (!same(place.held, *place.sref)) {
      change.places_.push_back({place.sref, place.function, *place.sref});
      return false;
    }
    return !place.held.stmt && place.sref.use_count() == 1;  // gone, and nothing refers to it
  });
}

// A key that is new has a name; where there are fewer than the new names explain, some were removed.
void ScheduleSnapshot::look_at_handles(const ScheduleNode& now, ScheduleChange& change) {
  change.named_.shared = shared_beginning(named_, now.named);
  change.named_.items.assign(now.named.begin() + static_cast<ptrdiff_t>(change.named_.shared),
                             now.named.end());
  for (const Any& each : change.named_.items) {
    auto* key = each.as<ffi::Object>();
    if (SRef sref = value_of(now.handles, key, SRef())) change.handles_.emplace_back(key, std::move(sref));
    if (auto number = value_of(now.numbers, key, std::optional<int64_t>()))
      change.numbers_.emplace_back(key, number);
  }
  if (change.named_.shared != named_.size() || now.handles.size() != mark_.handles + change.handles_.size() ||
      now.numbers.size() != mark_.numbers + change.numbers_.size()) {
    for (const auto& [key, sref] : handles_)
      if (sref != nullptr && !now.handles.contains(key)) change.handles_.emplace_back(key, nullptr);
    for (const auto& [key, number] : numbers_)
      if (number && !now.numbers.contains(key)) change.numbers_.emplace_back(key, std::nullopt);
  }
  for (const auto& [key, sref] : change.handles_) handles_.try_emplace(key);
  for (const auto& [key, number] : change.numbers_) numbers_.try_emplace(key);
}

void ScheduleSnapshot::exchange(ScheduleChange& change) noexcept {
  for (Place& place : change.places_) std::swap(places_.find(place.sref.get())->second.held, place.held);
  for (ScheduleChange::Function& each : change.functions_) {
    Function& known = functions_.find(each.name)->second;
    std::swap(known.present, each.present);
    std::swap(known.hides, each.hides);
    std::swap(known.root, each.root);
  }
  for (auto& [key, sref] : change.handles_) std::swap(handles_.find(key)->second, sref);
  for (auto& [key, number] : change.numbers_) std::swap(numbers_.find(key)->second, number);
  change.named_.exchange(named_);
  change.steps_.exchange(steps_);
  std::swap(scalars_, change.scalars_);
  forget_absent(change);
  change.other_ = mark_;
}

void ScheduleSnapshot::expect(const ScheduleChange& change) {
  if (!expected_) expected_ = Expected{{}, {}, {}, {}, named_.size(), steps_.size()};
  for (const Place& place : change.places_) expected_->places.emplace_back(place.sref, place.function);
  for (const ScheduleChange::Function& each : change.functions_) expected_->functions.push_back(each.name);
  for (const auto& [key, sref] : change.handles_) expected_->handles.push_back(key);
  for (const auto& [key, number] : change.numbers_) expected_->numbers.push_back(key);
  expected_->named = std::min(expected_->named, change.named_.shared);
  expected_->steps = std::min(expected_->steps, change.steps_.shared);
}

void ScheduleSnapshot::catch_up(const ScheduleNode& now) {
  if (!expected_) return;
  for (const GlobalVarNode* name : expected_->functions) {
    auto found = now.state->functions_.find(name);
    if (found == now.state->functions_.end()) {
      functions_[name] = {};
      continue;
    }
    functions_[name] = {true, found->second->hides, found->second->root};
    // As they were when it went; this snapshot may be younger.
    for (const auto& [stmt, sref] : found->second->srefs) places_.try_emplace(sref.get(), sref, name, *sref);
  }
  for (const auto& [sref, name] : expected_->places) places_[sref.get()] = {sref, name, *sref};
  auto read = [](auto& held, const auto& map, const std::vector<const ffi::Object*>& keys) {
    for (const ffi::Object* key : keys) {
      if (auto found = map.find(key); found != map.end())
        held[key] = found->second;
      else
        held.erase(key);
    }
  };
  read(handles_, now.handles, expected_->handles);
  read(numbers_, now.numbers, expected_->numbers);
  auto read_tail = [](auto& held, const auto& list, size_t same) {
    held.erase(held.begin() + static_cast<ptrdiff_t>(same), held.end());
    held.insert(held.end(), list.begin() + static_cast<ptrdiff_t>(same), list.end());
  };
  read_tail(named_, now.named, expected_->named);
  read_tail(steps_, now.trace->instructions, expected_->steps);
  scalars_ = ScheduleChange::scalars_of(now);
  mark_ = ScheduleChange::mark_of(now);
  expected_.reset();
}

void ScheduleSnapshot::forget_absent(const ScheduleChange& change) noexcept {
  for (const auto& [key, sref] : change.handles_)
    if (auto found = handles_.find(key); found->second == nullptr) handles_.erase(found);
  for (const auto& [key, number] : change.numbers_)
    if (auto found = numbers_.find(key); !found->second) numbers_.erase(found);
  mark_ = {scalars_.mod, steps_.size(), handles_.size(), numbers_.size()};
}

size_t ScheduleSnapshot::bytes() const {
  return places_.size() * (sizeof(Place) + sizeof(SRefNode)) + steps_.size() * sizeof(Instruction) +
         (handles_.size() + named_.size()) * sizeof(Any);
}

}  // namespace mlc::transform
