// SPDX-License-Identifier: Apache-2.0
#include "repl/session/content.h"

#include <algorithm>
#include <cstring>
#include <unordered_set>

#include "frontend/script/modules/traceback.h"
#include "frontend/script/numpy/random_streams.h"
#include "ir/core/ndarray.h"

namespace mlc::repl {

namespace {

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

bool same(const HeldSlots& a, const HeldSlots& b) { return same(a.bound, b.bound); }
bool same(const HeldItems& a, const HeldItems& b) { return same(a.items, b.items); }
bool same(const HeldEntries& a, const HeldEntries& b) { return same(a.entries, b.entries); }
bool same(const HeldAttributes& a, const HeldAttributes& b) {
  return same(a.attributes, b.attributes) && same(a.dict, b.dict) && same(a.payload, b.payload);
}
bool same(const HeldTable& a, const HeldTable& b) { return same(a.entries, b.entries); }
bool same(const HeldBytes& a, const HeldBytes& b) { return a.bytes == b.bytes; }
bool same(const HeldCell& a, const HeldCell& b) { return same(a.value, b.value); }
bool same(const HeldFunctions& a, const HeldFunctions& b) {
  return a.functions.same_as(b.functions) && a.attrs.same_as(b.attrs) && a.infos.same_as(b.infos);
}
bool same(const HeldSchedule&, const HeldSchedule&) { return false; }  // they are compared where they are
bool same(const HeldScheduleChange&, const HeldScheduleChange&) { return false; }
bool same(const HeldSize&, const HeldSize&) { return true; }

}  // namespace

bool same(const HeldNames& a, const HeldNames& b) { return same(a.bound, b.bound); }

bool same(const Content& a, const Content& b) {
  // One table for `a`: one for each pair of kinds takes seconds to compile.
  return a.index() == b.index() &&
         std::visit([&](const auto& x) { return same(x, std::get<std::decay_t<decltype(x)>>(b)); }, a);
}

namespace {

template <class N>
N* get(const Any& value) {
  return script::as<N>(value);
}

// A file that the program has imported; the library has none, and the main module's names are looked at by
// themselves.
bool is_of_program(const script::ModuleNode& module) {
  return module.name != "__main__" && module.find(syntax::Symbol("__file__")) != nullptr;
}

// Elements of a whole number of bytes each, `at` with their steps in bytes.
template <class Copy>
void each_element(const ir::ffi::Tensor& tensor, size_t size, Copy copy) {
  auto* base = static_cast<char*>(tensor.data_ptr());
  std::vector<int64_t> index(static_cast<size_t>(tensor.ndim()), 0);
  for (int64_t left = tensor.numel(); left > 0; --left) {
    int64_t offset = 0;
    for (size_t i = 0; i < index.size(); ++i) offset += index[i] * tensor.strides()[i];
    copy(base + offset * static_cast<int64_t>(size));
    for (size_t i = index.size(); i-- > 0 && ++index[i] == tensor.shape()[i];) index[i] = 0;
  }
}
size_t element_size(const ir::ffi::Tensor& tensor) {
  return static_cast<size_t>(tensor.dtype().bits) * tensor.dtype().lanes / 8;
}

}  // namespace

std::optional<ObjectMemory> memory_of(const Any& value) {
  ObjectMemory memory;
  if (std::span<char> stream = script::random_state(value); !stream.empty()) {
    memory.compact = stream.data();
    memory.size = stream.size();
    return memory;
  }
  auto* array = get<ir::NDArrayNode>(value);
  memory.tensor = array != nullptr ? std::optional(array->tensor) : value.as<ir::ffi::Tensor>();
  if (!memory.tensor) return std::nullopt;
  const ir::ffi::Tensor& tensor = *memory.tensor;
  size_t bits = static_cast<size_t>(tensor.dtype().bits) * tensor.dtype().lanes;
  memory.size = static_cast<size_t>(tensor.numel()) * ((bits + 7) / 8);
  if (tensor.device().device_type != kDLCPU || (!tensor.IsContiguous() && bits % 8 != 0)) {
    memory.kept = false;
  } else if (tensor.IsContiguous()) {
    memory.compact = static_cast<char*>(tensor.data_ptr());
  }
  return memory;
}

bool has_elements(const ObjectMemory& memory, const std::vector<char>& bytes) {
  if (bytes.size() != memory.size) return false;
  if (memory.compact != nullptr || memory.size == 0)
    return std::memcmp(bytes.data(), memory.compact, memory.size) == 0;
  size_t size = element_size(*memory.tensor), at = 0;
  bool equal = true;
  each_element(*memory.tensor, size, [&](const char* element) {
    equal = equal && std::memcmp(bytes.data() + at, element, size) == 0;
    at += size;
  });
  return equal;
}

std::vector<char> elements_of(const ObjectMemory& memory) {
  if (memory.compact != nullptr) return {memory.compact, memory.compact + memory.size};
  std::vector<char> bytes(memory.size);
  if (bytes.empty()) return bytes;
  size_t size = element_size(*memory.tensor), at = 0;
  each_element(*memory.tensor, size, [&](const char* element) {
    std::memcpy(bytes.data() + at, element, size);
    at += size;
  });
  return bytes;
}

namespace {

void write(const ObjectMemory& memory, const std::vector<char>& bytes) {
  if (bytes.empty()) return;
  if (memory.compact != nullptr) {
    std::memcpy(memory.compact, bytes.data(), bytes.size());
    return;
  }
  size_t size = element_size(*memory.tensor), at = 0;
  each_element(*memory.tensor, size, [&](char* element) {
    std::memcpy(element, bytes.data() + at, size);
    at += size;
  });
}

// -1 where no such object has been made.
int32_t type_index_of(std::string_view key) {
  TVMFFIByteArray name{key.data(), key.size()};
  int32_t index = -1;
  return TVMFFITypeKeyToIndex(&name, &index) == 0 ? index : -1;
}

// Texts of a size that matters.
constexpr size_t kLargeText = 4096;

}  // namespace

std::string_view stream_kind(const Any& value) {
  if (auto* iterator = script::value_as_iterator(value)) return iterator->name;
  if (!script::is_object(value)) return "";
  static const std::pair<int32_t, std::string_view> kinds[] = {
      {type_index_of("mlc.script.File"), "file"},
      {type_index_of("mlc.sym.Analyzer"), "Analyzer"},
      {type_index_of("mlc.relax.BlockBuilder"), "BlockBuilder"},
  };
  for (const auto& [index, kind] : kinds)
    if (index == value.type_index()) return kind;
  return "";
}

std::optional<Content> content_of(const Any& value) {
  if (auto list = value.as<script::List>()) return HeldItems{{list->begin(), list->end()}};
  if (auto dict = value.as<script::Dict>()) {
    HeldEntries made;
    made.entries.reserve(dict->size());
    for (const auto& [key, item] : *dict) made.entries.emplace_back(key, item);
    return made;
  }
  if (auto* set = get<script::SetNode>(value)) return HeldTable{set->table, set->used, set->filled};
  if (auto* instance = get<script::InstanceNode>(value))
    return HeldAttributes{instance->attributes, instance->dict, instance->payload};
  if (auto* function = get<script::FunctionNode>(value)) return HeldAttributes{function->attributes, {}, {}};
  if (auto* cls = get<script::ClassNode>(value)) {
    if (!cls->scripted || script::stands_in_library(cls->text)) return std::nullopt;
    return HeldAttributes{cls->members, {}, {}};
  }
  if (auto* cell = get<script::CellNode>(value)) return HeldCell{cell->value};
  if (auto* module = get<ir::IRModuleNode>(value))
    return HeldFunctions{module->functions, module->attrs, module->global_infos};
  if (auto* module = get<script::ModuleNode>(value); module != nullptr && is_of_program(*module)) {
    HeldSlots made;
    for (const auto* slot : module->bound()) made.bound.emplace_back(slot->name, slot->value);
    return made;
  }
  if (!stream_kind(value).empty()) return HeldSize{};
  if (value.type_index() == ir::ffi::TypeIndex::kTVMFFIStr)
    if (size_t size = script::text_of(value).size(); size >= kLargeText) return HeldSize{size};
  return std::nullopt;
}

// Without a copy: it runs over everything after each statement.
bool is_unchanged(const Any& value, const Content& known) {
  auto equal = [](const auto& now, const auto& held, auto each) {
    size_t at = 0;
    for (const auto& item : now)
      if (at == held.size() || !each(item, held[at++])) return false;
    return at == held.size();
  };
  auto same_item = [](const Any& a, const Any& b) { return same(a, b); };
  auto same_entry = [](const auto& a, const auto& b) {
    return same(a.first, b.first) && same(a.second, b.second);
  };
  if (auto* held = std::get_if<HeldItems>(&known)) {
    auto list = value.as<script::List>();
    return list && equal(*list, held->items, same_item);
  }
  if (auto* held = std::get_if<HeldEntries>(&known)) {
    auto dict = value.as<script::Dict>();
    return dict && equal(*dict, held->entries, same_entry);
  }
  if (auto* held = std::get_if<HeldTable>(&known)) {
    auto* set = get<script::SetNode>(value);
    return set != nullptr && same(set->table, held->entries);
  }
  if (auto* held = std::get_if<HeldAttributes>(&known)) {
    if (auto* instance = get<script::InstanceNode>(value))
      return same(instance->attributes, held->attributes) && same(instance->dict, held->dict) &&
             same(instance->payload, held->payload);
    if (auto* function = get<script::FunctionNode>(value))
      return same(function->attributes, held->attributes);
    if (auto* cls = get<script::ClassNode>(value)) return same(cls->members, held->attributes);
  }
  std::optional<Content> now = content_of(value);
  return now && same(*now, known);
}

size_t bytes_of(const Content& content) {
  return std::visit(
      [](const auto& held) -> size_t {
        using T = std::decay_t<decltype(held)>;
        size_t own = sizeof(Content);
        if constexpr (std::is_same_v<T, HeldNames> || std::is_same_v<T, HeldSlots>) {
          return own + held.bound.size() * sizeof held.bound[0];
        } else if constexpr (std::is_same_v<T, HeldItems>) {
          return own + held.items.size() * sizeof(Any);
        } else if constexpr (std::is_same_v<T, HeldEntries> || std::is_same_v<T, HeldTable>) {
          return own + held.entries.size() * sizeof held.entries[0];
        } else if constexpr (std::is_same_v<T, HeldAttributes>) {
          return own + held.attributes.size() * sizeof held.attributes[0];
        } else if constexpr (std::is_same_v<T, HeldBytes>) {
          return own + held.bytes.size();
        } else if constexpr (std::is_same_v<T, HeldSize>) {
          return own + held.bytes;
        } else if constexpr (std::is_same_v<T, HeldSchedule>) {
          return own + held.snapshot.bytes();
        } else if constexpr (std::is_same_v<T, HeldScheduleChange>) {
          return own + held.change.bytes();
        } else {
          return own;
        }
      },
      content);
}

void each_part(const Any& value, const std::function<void(const Any&)>& visit) {
  if (auto tuple = value.as<ir::Array<Any>>()) {
    for (const Any& item : *tuple) visit(item);
  } else if (auto* function = get<script::FunctionNode>(value)) {
    for (const Any& cell : function->cells) visit(cell);
    for (const Any& each : function->defaults) visit(each);
    for (const Any& each : function->kw_defaults) visit(each);
    visit(function->owner);
    visit(Any(function->module));
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
  } else if (auto schedule = value.as<transform::Schedule>(); schedule && *schedule) {
    visit(Any((*schedule)->state->mod()));
  }
}

void each_part(const Content& content, const std::function<void(const Any&)>& visit) {
  std::visit(
      [&](const auto& held) {
        using T = std::decay_t<decltype(held)>;
        if constexpr (std::is_same_v<T, HeldNames> || std::is_same_v<T, HeldSlots>) {
          for (const auto& [name, value] : held.bound) visit(value);
        } else if constexpr (std::is_same_v<T, HeldItems>) {
          for (const Any& item : held.items) visit(item);
        } else if constexpr (std::is_same_v<T, HeldEntries>) {
          for (const auto& [key, item] : held.entries) {
            visit(key);
            visit(item);
          }
        } else if constexpr (std::is_same_v<T, HeldAttributes>) {
          for (const auto& [name, item] : held.attributes) visit(item);
          visit(held.dict);
          visit(held.payload);
        } else if constexpr (std::is_same_v<T, HeldTable>) {
          for (const auto& entry : held.entries) visit(entry.value);
        } else if constexpr (std::is_same_v<T, HeldCell>) {
          visit(held.value);
        }
      },
      content);
}

void put_back(const Any& object, const Content& content) {
  std::visit(
      [&](const auto& held) {
        using T = std::decay_t<decltype(held)>;
        if constexpr (std::is_same_v<T, HeldItems>) {
          auto list = object.cast<script::List>();
          list.clear();
          for (const Any& item : held.items) list.push_back(item);
        } else if constexpr (std::is_same_v<T, HeldEntries>) {
          auto dict = object.cast<script::Dict>();
          dict.clear();
          for (const auto& [key, item] : held.entries) dict.Set(key, item);
        } else if constexpr (std::is_same_v<T, HeldAttributes>) {
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
        } else if constexpr (std::is_same_v<T, HeldTable>) {
          auto* set = get<script::SetNode>(object);
          set->table = held.entries;
          set->used = held.used;
          set->filled = held.filled;
        } else if constexpr (std::is_same_v<T, HeldBytes>) {
          write(*memory_of(object), held.bytes);
        } else if constexpr (std::is_same_v<T, HeldCell>) {
          get<script::CellNode>(object)->value = held.value;
        } else if constexpr (std::is_same_v<T, HeldFunctions>) {
          auto* module = get<ir::IRModuleNode>(object);
          module->functions = held.functions;
          module->attrs = held.attrs;
          module->global_infos = held.infos;
        } else if constexpr (std::is_same_v<T, HeldSlots>) {
          auto* module = get<script::ModuleNode>(object);
          std::unordered_set<syntax::Symbol> kept;
          for (const auto& [name, item] : held.bound) kept.insert(name);
          for (const auto* slot : module->bound())
            if (!kept.contains(slot->name)) module->set(slot->name, script::unbound());
          for (const auto& [name, item] : held.bound) module->set(name, item);
        }
      },
      content);
}

}  // namespace mlc::repl
