// SPDX-License-Identifier: Apache-2.0
#include "repl/session/heap.h"

#include <algorithm>
#include <cstring>
#include <unordered_set>

#include "ir/core/ndarray.h"

namespace mlc::repl {

using ir::ffi::Object;

namespace {

// Arrays are compared after each statement: as many bytes as a few milliseconds allow.
constexpr size_t kMostBytes = size_t{64} << 20;

bool same(const Any& a, const Any& b) { return std::memcmp(&a, &b, sizeof(Any)) == 0; }
template <class K>
bool same(const std::pair<K, Any>& a, const std::pair<K, Any>& b) {
  return a.first == b.first && same(a.second, b.second);
}
bool same(const std::pair<Any, Any>& a, const std::pair<Any, Any>& b) {
  return same(a.first, b.first) && same(a.second, b.second);
}
bool same(const script::SetNode::Entry& a, const script::SetNode::Entry& b) {
  return a.hash == b.hash && a.removed == b.removed && same(a.value, b.value);
}
template <class T>
bool same(const std::vector<T>& a, const std::vector<T>& b) {
  return a.size() == b.size() &&
         std::equal(a.begin(), a.end(), b.begin(), [](const T& x, const T& y) { return same(x, y); });
}

bool same(const Heap::Names& a, const Heap::Names& b) { return same(a.bound, b.bound); }
bool same(const Heap::Items& a, const Heap::Items& b) { return same(a.items, b.items); }
bool same(const Heap::Entries& a, const Heap::Entries& b) { return same(a.entries, b.entries); }
bool same(const Heap::Attributes& a, const Heap::Attributes& b) {
  return same(a.attributes, b.attributes) && same(a.dict, b.dict) && same(a.payload, b.payload);
}
bool same(const Heap::Table& a, const Heap::Table& b) { return same(a.entries, b.entries); }
bool same(const Heap::Bytes& a, const Heap::Bytes& b) { return a.bytes == b.bytes; }
bool same(const Heap::Cell& a, const Heap::Cell& b) { return same(a.value, b.value); }
// A step of a schedule, even a lookup, is in its trace.
bool same(const transform::ScheduleNode& a, const transform::ScheduleNode& b) {
  return a.state->mod().same_as(b.state->mod()) && a.random_state == b.random_state &&
         a.trace->instructions.size() == b.trace->instructions.size() && a.handles.size() == b.handles.size() &&
         a.func_working_on.same_as(b.func_working_on);
}
bool same(const Heap::Scheduled& a, const Heap::Scheduled& b) { return same(*a.copy, *b.copy); }
bool same(const Heap::Content& a, const Heap::Content& b) {
  return std::visit(
      [](const auto& x, const auto& y) {
        if constexpr (std::is_same_v<decltype(x), decltype(y)>) {
          return same(x, y);
        } else {
          return false;
        }
      },
      a, b);
}

template <class N>
N* get(const Any& value) {
  return script::as<N>(value);
}

// The memory of an array that is compact, and not another device's.
std::pair<char*, size_t> memory_of(const Any& value) {
  auto* array = get<ir::NDArrayNode>(value);
  auto tensor = array != nullptr ? std::optional(array->tensor) : value.as<ir::ffi::Tensor>();
  if (!tensor || tensor->device().device_type != kDLCPU || !tensor->IsContiguous()) return {nullptr, 0};
  size_t size = static_cast<size_t>(tensor->numel()) * ((tensor->dtype().bits * tensor->dtype().lanes + 7) / 8);
  return {static_cast<char*>(tensor->data_ptr()), size};
}

// What the object holds now; nullopt for what does not change. Schedules and arrays are compared where they are.
std::optional<Heap::Content> content_of(const Any& value) {
  if (auto list = value.as<script::List>()) return Heap::Items{{list->begin(), list->end()}};
  if (auto dict = value.as<script::Dict>()) {
    Heap::Entries made;
    for (const auto& [key, item] : *dict) made.entries.emplace_back(key, item);
    return made;
  }
  if (auto* set = get<script::SetNode>(value)) return Heap::Table{set->table, set->used, set->filled};
  if (auto* instance = get<script::InstanceNode>(value))
    return Heap::Attributes{instance->attributes, instance->dict, instance->payload};
  if (auto* function = get<script::FunctionNode>(value)) return Heap::Attributes{function->attributes, {}, {}};
  if (auto* cls = get<script::ClassNode>(value)) {
    if (!cls->scripted || cls->module != "__main__") return std::nullopt;
    return Heap::Attributes{cls->members, {}, {}};
  }
  if (auto* cell = get<script::CellNode>(value)) return Heap::Cell{cell->value};
  return std::nullopt;
}

// Calls `visit` on every value that the object refers to.
template <class Visit>
void each_part(const Any& value, Visit visit) {
  if (auto tuple = value.as<ir::Array<Any>>()) {
    for (const Any& item : *tuple) visit(item);
  } else if (auto* function = get<script::FunctionNode>(value)) {
    for (const Any& cell : function->cells) visit(cell);
    for (const Any& each : function->defaults) visit(each);
    for (const Any& each : function->kw_defaults) visit(each);
    visit(function->owner);
  } else if (auto* method = get<script::BoundMethodNode>(value)) {
    visit(method->self);
    visit(method->callee);
  } else if (auto* instance = get<script::InstanceNode>(value)) {
    visit(Any(instance->cls));
  } else if (auto* property = get<script::PropertyNode>(value)) {
    for (const Any& each : {property->getter, property->setter, property->deleter}) visit(each);
  } else if (auto* fixed = get<script::StaticMethodNode>(value)) {
    visit(fixed->callee);
  } else if (auto* cls = get<script::ClassNode>(value)) {
    for (const auto& base : cls->bases) visit(Any(base));
  }
}

template <class Visit>
void each_part(const Heap::Content& content, Visit visit) {
  std::visit(
      [&](const auto& held) {
        using T = std::decay_t<decltype(held)>;
        if constexpr (std::is_same_v<T, Heap::Names>) {
          for (const auto& [name, value] : held.bound) visit(value);
        } else if constexpr (std::is_same_v<T, Heap::Items>) {
          for (const Any& item : held.items) visit(item);
        } else if constexpr (std::is_same_v<T, Heap::Entries>) {
          for (const auto& [key, item] : held.entries) {
            visit(key);
            visit(item);
          }
        } else if constexpr (std::is_same_v<T, Heap::Attributes>) {
          for (const auto& [name, item] : held.attributes) visit(item);
          visit(held.dict);
          visit(held.payload);
        } else if constexpr (std::is_same_v<T, Heap::Table>) {
          for (const auto& entry : held.entries) visit(entry.value);
        } else if constexpr (std::is_same_v<T, Heap::Cell>) {
          visit(held.value);
        }
      },
      content);
}

void put_back(const Any& object, const Heap::Content& content) {
  std::visit(
      [&](const auto& held) {
        using T = std::decay_t<decltype(held)>;
        if constexpr (std::is_same_v<T, Heap::Items>) {
          auto list = object.cast<script::List>();
          list.clear();
          for (const Any& item : held.items) list.push_back(item);
        } else if constexpr (std::is_same_v<T, Heap::Entries>) {
          auto dict = object.cast<script::Dict>();
          dict.clear();
          for (const auto& [key, item] : held.entries) dict.Set(key, item);
        } else if constexpr (std::is_same_v<T, Heap::Attributes>) {
          if (auto* instance = get<script::InstanceNode>(object)) {
            instance->attributes = held.attributes;
            instance->dict = held.dict;
            instance->payload = held.payload;
          } else if (auto* function = get<script::FunctionNode>(object)) {
            function->attributes = held.attributes;
          } else {
            get<script::ClassNode>(object)->members = held.attributes;
            script::ClassNode::changed();
          }
        } else if constexpr (std::is_same_v<T, Heap::Table>) {
          auto* set = get<script::SetNode>(object);
          set->table = held.entries;
          set->used = held.used;
          set->filled = held.filled;
        } else if constexpr (std::is_same_v<T, Heap::Bytes>) {
          std::memcpy(memory_of(object).first, held.bytes.data(), held.bytes.size());
        } else if constexpr (std::is_same_v<T, Heap::Cell>) {
          get<script::CellNode>(object)->value = held.value;
        }
      },
      content);
}

void swap_schedules(transform::ScheduleNode& a, transform::ScheduleNode& b) {
  std::swap(a.beginning, b.beginning);
  std::swap(a.state, b.state);
  std::swap(a.handles, b.handles);
  std::swap(a.numbers, b.numbers);
  std::swap(a.named, b.named);
  std::swap(a.trace, b.trace);
  std::swap(a.func_working_on, b.func_working_on);
  std::swap(a.random_state, b.random_state);
  std::swap(a.enable_check, b.enable_check);
  std::swap(a.traced, b.traced);
  std::swap(a.debug_mask, b.debug_mask);
}

}  // namespace

void Heap::prepare() {
  if (reached_elsewhere_) walk(nullptr);
  reached_elsewhere_ = false;
  for (auto& [object, known] : known_) {
    if (known.content) continue;
    auto schedule = known.object.cast<transform::Schedule>();
    known.content = std::make_shared<Content>(Scheduled{transform::copy_schedule(*schedule)});
  }
}

Heap::Delta Heap::take() {
  Delta changes;
  walk(&changes);
  return changes;
}

const Heap::Content* Heap::look_at(const Any& value, size_t& bytes, Delta* changes) {
  auto [memory, size] = memory_of(value);
  auto schedule = value.as<transform::Schedule>();
  std::optional<Content> now = memory == nullptr && !schedule ? content_of(value) : std::nullopt;
  if (!now && memory == nullptr && !schedule) return nullptr;
  auto known = known_.find(script::raw_object(value));
  bool is_new = known == known_.end();
  if (memory != nullptr) {
    if (bytes + size > kMostBytes) {
      not_kept_ += size;
      return nullptr;
    }
    bytes += size;
    if (!is_new) {
      const auto& held = std::get<Bytes>(*known->second.content).bytes;
      if (held.size() == size && std::memcmp(held.data(), memory, size) == 0) return known->second.content.get();
    }
    now = Bytes{{memory, memory + size}};
  } else if (schedule) {
    static const Content kSame = Cell{};
    // Unknown: as `exchange` has left it.
    if (!is_new && (!known->second.content || same(*std::get<Scheduled>(*known->second.content).copy, **schedule)))
      return known->second.content ? known->second.content.get() : &kSame;
    now = Scheduled{transform::copy_schedule(**schedule)};
  } else if (!is_new && same(*now, *known->second.content)) {
    return known->second.content.get();
  }
  auto content = std::make_shared<Content>(std::move(*now));
  if (is_new) {
    known = known_.emplace(script::raw_object(value), Known{value, content}).first;
  } else if (changes != nullptr) {
    changes->push_back({value, std::exchange(known->second.content, content)});
  }
  return known->second.content.get();
}

void Heap::walk(Delta* changes) {
  std::unordered_set<const Object*> seen;
  std::vector<Any> waiting, reached;
  size_t bytes = 0;
  not_kept_ = 0;
  auto visit = [&](const Any& value) {
    if (script::is_object(value) && seen.insert(script::raw_object(value)).second) waiting.push_back(value);
  };
  auto names = std::make_shared<Content>(Names{evaluator_.globals()});
  if (changes != nullptr && !same(std::get<Names>(*names), std::get<Names>(*names_))) {
    changes->push_back({Any(nullptr), names_});
    names_ = names;
  }
  each_part(*names_, visit);
  while (!waiting.empty()) {
    Any value = std::move(waiting.back());
    waiting.pop_back();
    each_part(value, visit);
    const Content* content = look_at(value, bytes, changes);
    if (content == nullptr) continue;
    each_part(*content, visit);
    reached.push_back(std::move(value));
  }
  if (changes != nullptr)
    for (const Any& value : reached_)
      if (!seen.contains(script::raw_object(value))) look_at(value, bytes, changes);
  reached_ = std::move(reached);
}

void Heap::exchange(Delta& delta) {
  reached_elsewhere_ = true;
  for (Change& change : delta) {
    if (script::is_none(change.object)) {
      std::swap(names_, change.content);
      const auto& bound = std::get<Names>(*names_).bound;
      std::unordered_set<std::string> kept;
      for (const auto& [name, value] : bound) kept.insert(name);
      for (const auto& [name, value] : evaluator_.globals())
        if (!kept.contains(name)) evaluator_.set_global(name, script::unbound());
      for (const auto& [name, value] : bound) evaluator_.set_global(name, value);
      continue;
    }
    Known& known = known_.at(script::raw_object(change.object));
    if (auto* scheduled = std::get_if<Scheduled>(change.content.get())) {
      // The schedule takes the copy for its own, and what it was becomes the copy of the other state.
      swap_schedules(transform::mutable_schedule(change.object.cast<transform::Schedule>()),
                     transform::mutable_schedule(scheduled->copy));
      known.content = nullptr;
    } else {
      put_back(change.object, *change.content);
      std::swap(known.content, change.content);
    }
  }
}

std::vector<std::string> Heap::names_changed(const Delta& delta) const {
  std::unordered_set<const Object*> objects;
  const Names* before = &std::get<Names>(*names_);
  for (const Change& change : delta) {
    if (script::is_none(change.object)) {
      before = &std::get<Names>(*change.content);
    } else {
      objects.insert(script::raw_object(change.object));
    }
  }
  std::unordered_map<std::string_view, const Any*> old;
  for (const auto& [name, value] : before->bound) old[name] = &value;
  std::vector<std::string> changed;
  for (const auto& [name, value] : std::get<Names>(*names_).bound) {
    auto found = old.find(name);
    bool holds = script::is_object(value) && objects.contains(script::raw_object(value));
    if (found == old.end() || !same(*found->second, value) || holds) changed.push_back(name);
    if (found != old.end()) old.erase(found);
  }
  for (const auto& [name, value] : before->bound)
    if (old.contains(name)) changed.push_back("-" + name);
  return changed;
}

}  // namespace mlc::repl
