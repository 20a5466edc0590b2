// SPDX-License-Identifier: Apache-2.0
#include "repl/session/heap.h"

#include <algorithm>
#include <cstring>
#include <new>

#include "frontend/script/core/importer.h"

namespace mlc::repl {

using ir::ffi::Object;

namespace {

// Modules of the library with a random stream that all programs share.
constexpr const char* kWithStreams[] = {"random", "np.random"};

bool is_array(const Any& value) { return memory_of(value).has_value(); }

// Of anything but a schedule.
std::shared_ptr<Content> content_now(const Any& value) {
  if (auto memory = memory_of(value))
    return std::make_shared<Content>(memory->kept ? Content(HeldBytes{elements_of(*memory)})
                                                  : Content(HeldSize{memory->size}));
  return std::make_shared<Content>(*content_of(value));
}

}  // namespace

Heap::Heap(script::Evaluator& evaluator)
    : evaluator_(evaluator),
      names_(std::make_shared<Content>(HeldNames{})),
      surroundings_(std::make_shared<Content>(Surroundings::now())) {}

HeldNames Heap::names_now() const {
  HeldNames names{evaluator_.globals()};
  // What was shown last is no part of a state: it would be kept as long as the state is.
  std::erase_if(names.bound, [](const auto& each) { return each.first == "_"; });
  return names;
}

void Heap::prepare() {
  catch_up();
  if (reached_elsewhere_) {
    Walk all;
    walk(all);
    forget_unreached(std::move(all));
  }
  reached_elsewhere_ = false;
}

// Until everything is found nothing is changed but for objects that were not known.
Heap::Delta Heap::take() {
  catch_up();
  Delta delta;
  try {
    Walk all;
    walk(all);
    delta.changes.reserve(all.changes.size() + 2);
    HeldNames names = names_now();
    if (!same(names, std::get<HeldNames>(*names_)))
      delta.changes.push_back({Any(nullptr), std::make_shared<Content>(std::move(names))});
    Surroundings around = Surroundings::now();
    if (!same(around, std::get<Surroundings>(*surroundings_)))
      delta.changes.push_back({Any(nullptr), std::make_shared<Content>(std::move(around))});
    for (Change& change : all.changes) delta.changes.push_back(std::move(change));
    for (const Any& value : reached_)
      if (!all.seen.contains(script::raw_object(value)))
        if (Known* known = find(value); known != nullptr) delta.bytes_behind += bytes_of(*known->content);
    delta.bytes_ahead = all.bytes_new;
    for (Change& change : delta.changes) {
      delta.bytes_ahead += bytes_of(*change.content);
      if (auto* scheduled = std::get_if<HeldScheduleChange>(change.content.get())) {
        std::get<HeldSchedule>(*find(change.object)->content).snapshot.exchange(scheduled->change);
        delta.bytes_behind += bytes_of(*change.content);
        continue;
      }
      std::shared_ptr<Content>& held = std::holds_alternative<HeldNames>(*change.content) ? names_
                                       : std::holds_alternative<Surroundings>(*change.content)
                                           ? surroundings_
                                           : find(change.object)->content;
      std::swap(held, change.content);
      delta.bytes_behind += bytes_of(*change.content);
    }
    not_kept_ = std::move(all.not_kept);
    forget_unreached(std::move(all));
  } catch (const std::bad_alloc&) {
    restore();
    throw;
  }
  return delta;
}

Heap::Known* Heap::find(const Any& value) {
  auto found = known_.find(script::raw_object(value));
  return found == known_.end() ? nullptr : &found->second;
}

const Content* Heap::note(const Any& value, Known* known, Content now, Walk& walk) {
  auto content = std::make_shared<Content>(std::move(now));
  const Content* held = content.get();
  if (known == nullptr) {
    walk.bytes_new += bytes_of(*content);
    known_.emplace(script::raw_object(value), Known{value, std::move(content)});
  } else {
    walk.changes.push_back({value, std::move(content)});
  }
  return held;
}

const Content* Heap::look_at(const Any& value, Walk& walk) {
  if (is_array(value)) {
    walk.arrays.push_back(value);
    return nullptr;
  }
  Known* known = find(value);
  if (auto schedule = value.as<transform::Schedule>()) {
    if (known == nullptr)
      return note(value, known, HeldSchedule{transform::ScheduleSnapshot(**schedule)}, walk);
    auto& snapshot = std::get<HeldSchedule>(*known->content).snapshot;
    if (snapshot.is_current(**schedule)) return known->content.get();
    return note(value, known, HeldScheduleChange{snapshot.difference(**schedule)}, walk);
  }
  if (known != nullptr && is_unchanged(value, *known->content)) return known->content.get();
  std::optional<Content> now = content_of(value);
  if (!now) return nullptr;
  if (known == nullptr && !stream_kind(value).empty()) walk.not_kept.push_back(value);
  return note(value, known, std::move(*now), walk);
}

// Those that are kept already come first, then the small ones. `gone`: what the names do not lead to any
// more.
void Heap::look_at_arrays(const std::vector<Any>& arrays, bool gone, Walk& walk) {
  struct Found {
    const Any* value;
    Known* known;
    ObjectMemory memory;
    bool is_kept() const { return known != nullptr && std::holds_alternative<HeldBytes>(*known->content); }
  };
  std::vector<Found> all;
  for (const Any& value : arrays) all.push_back({&value, find(value), *memory_of(value)});
  std::ranges::stable_sort(all, {},
                           [](const Found& each) { return std::pair(!each.is_kept(), each.memory.size); });
  size_t bytes = 0;
  for (const Found& each : all) {
    if (!each.memory.kept || bytes + each.memory.size > kMostArrayBytes) {
      if (gone || (each.known != nullptr && !each.is_kept())) continue;
      note(*each.value, each.known, HeldSize{each.memory.size}, walk);
      walk.not_kept.push_back(*each.value);
      continue;
    }
    bytes += each.memory.size;
    if (each.is_kept() && has_elements(each.memory, std::get<HeldBytes>(*each.known->content).bytes))
      continue;
    Content now = HeldBytes{elements_of(each.memory)};
    if (each.known != nullptr && !each.is_kept()) {
      // There was no room for it, and is now: no change of the array's.
      *each.known->content = std::move(now);
    } else {
      note(*each.value, each.known, std::move(now), walk);
    }
  }
}

void Heap::walk(Walk& walk) {
  auto visit = [&](const Any& value) {
    if (script::is_object(value) && walk.seen.insert(script::raw_object(value)).second)
      walk.waiting.push_back(value);
  };
  auto follow = [&](const Any& value) {
    each_part(value, visit);
    if (const Content* content = look_at(value, walk)) each_part(*content, visit);
  };
  auto follow_all = [&] {
    while (!walk.waiting.empty()) {
      Any value = std::move(walk.waiting.back());
      walk.waiting.pop_back();
      follow(value);
      if (find(value) != nullptr || is_array(value)) walk.reached.push_back(std::move(value));
    }
  };
  each_part(Content(names_now()), visit);
  for (const char* name : kWithStreams)
    if (auto* module = script::as<script::ModuleNode>(evaluator_.state().importer->loaded_of_library(name)))
      for (const auto* slot : module->bound())
        if (script::as<script::InstanceNode>(slot->value) != nullptr) visit(slot->value);
  follow_all();
  look_at_arrays(walk.arrays, false, walk);
  // What a statement has changed and let go of.
  walk.arrays.clear();
  for (const Any& value : reached_)
    if (!walk.seen.contains(script::raw_object(value))) look_at(value, walk);
  look_at_arrays(walk.arrays, true, walk);
}

void Heap::forget_unreached(Walk&& walk) {
  std::erase_if(known_, [&](const auto& each) { return !walk.seen.contains(each.first); });
  reached_ = std::move(walk.reached);
}

void Heap::bind(const HeldNames& names) {
  std::unordered_set<std::string> kept{"_"};
  for (const auto& [name, value] : names.bound) kept.insert(name);
  for (const auto& [name, value] : evaluator_.globals())
    if (!kept.contains(name)) evaluator_.set_global(name, script::unbound());
  for (const auto& [name, value] : names.bound) evaluator_.set_global(name, value);
}

void Heap::exchange(Delta& delta) {
  pass(delta);
  arrive();
}

void Heap::arrive() {
  if (std::exchange(names_moved_, false)) bind(std::get<HeldNames>(*names_));
  if (std::exchange(surroundings_moved_, false)) put_back(evaluator_, std::get<Surroundings>(*surroundings_));
}

void Heap::pass(Delta& delta) {
  reached_elsewhere_ = true;
  for (Change& change : delta.changes) {
    if (std::holds_alternative<HeldNames>(*change.content)) {
      std::swap(names_, change.content);
      names_moved_ = true;
      continue;
    }
    if (std::holds_alternative<Surroundings>(*change.content)) {
      std::swap(surroundings_, change.content);
      surroundings_moved_ = true;
      continue;
    }
    Known* known = find(change.object);
    if (auto* scheduled = std::get_if<HeldScheduleChange>(change.content.get())) {
      auto& schedule = transform::mutable_schedule(change.object.cast<transform::Schedule>());
      if (!scheduled->change.fits(schedule)) {
        lost_.push_back(change.object);
        continue;
      }
      if (known != nullptr) {
        std::get<HeldSchedule>(*known->content).snapshot.expect(scheduled->change);
        if (moved_.empty() || script::raw_object(moved_.back()) != script::raw_object(change.object))
          moved_.push_back(change.object);
      }
      scheduled->change.exchange(schedule);
      continue;
    }
    std::shared_ptr<Content> now = known != nullptr ? known->content : content_now(change.object);
    put_back(change.object, *change.content);
    if (known != nullptr) known->content = change.content;
    change.content = std::move(now);
  }
}

void Heap::catch_up() {
  for (const Any& value : std::exchange(moved_, {}))
    if (Known* known = find(value); known != nullptr)
      std::get<HeldSchedule>(*known->content).snapshot.catch_up(*value.cast<transform::Schedule>());
}

// The memory that a statement has taken is given back first, with its names.
void Heap::restore() {
  catch_up();
  bind(std::get<HeldNames>(*names_));
  for (const Any& value : reached_) {
    Known* known = find(value);
    if (known == nullptr) continue;
    if (auto* held = std::get_if<HeldSchedule>(known->content.get())) {
      auto& schedule = transform::mutable_schedule(value.cast<transform::Schedule>());
      transform::ScheduleChange change = held->snapshot.difference(schedule);
      held->snapshot.exchange(change);
      held->snapshot.expect(change);
      change.exchange(schedule);
      held->snapshot.catch_up(schedule);
    } else {
      put_back(value, *known->content);
    }
  }
  put_back(evaluator_, std::get<Surroundings>(*surroundings_));
  reached_elsewhere_ = true;
}

std::vector<std::string> Heap::names_changed(const Delta& delta) const {
  std::unordered_set<const Object*> objects;
  const HeldNames* before = &std::get<HeldNames>(*names_);
  for (const Change& change : delta.changes) {
    if (auto* names = std::get_if<HeldNames>(change.content.get())) {
      before = names;
    } else if (!script::is_none(change.object)) {
      objects.insert(script::raw_object(change.object));
    }
  }
  auto is_same = [](const Any& a, const Any& b) { return std::memcmp(&a, &b, sizeof(Any)) == 0; };
  std::unordered_map<std::string_view, const Any*> old;
  for (const auto& [name, value] : before->bound) old[name] = &value;
  std::vector<std::string> changed;
  for (const auto& [name, value] : std::get<HeldNames>(*names_).bound) {
    auto found = old.find(name);
    bool holds = script::is_object(value) && objects.contains(script::raw_object(value));
    if (found == old.end() || !is_same(*found->second, value) || holds) changed.push_back(name);
    if (found != old.end()) old.erase(found);
  }
  for (const auto& [name, value] : before->bound)
    if (old.contains(name)) changed.push_back("-" + name);
  return changed;
}

}  // namespace mlc::repl
