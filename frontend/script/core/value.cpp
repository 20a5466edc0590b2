// SPDX-License-Identifier: Apache-2.0
#include "frontend/script/core/value.h"

#include <algorithm>

#include "frontend/script/core/machine.h"
#include "frontend/script/core/pending_report.h"

namespace mlc::script {

Any unbound() {
  TVMFFIAny raw{};
  raw.type_index = kUnbound;
  return ffi::details::AnyUnsafe::MoveTVMFFIAnyToAny(&raw);
}

std::string_view text_of(const Any& value) {
  const auto& raw = reinterpret_cast<const TVMFFIAny&>(value);
  if (raw.type_index == kTVMFFISmallStr) return {raw.v_bytes, raw.small_str_len};
  const auto* cell = TVMFFIBytesGetByteArrayPtr(raw.v_obj);
  return {cell->data, cell->size};
}
Any str_value(std::string_view text) { return String(text.data(), text.size()); }

const KnownNames& known() {
  static const KnownNames names;
  return names;
}

void ModuleNode::Slots::add(Slot slot) {
  if (size_ % kChunk == 0) chunks_.push_back(std::make_unique<Slot[]>(kChunk));
  first_ = chunks_[0].get();
  (*this)[size_++] = std::move(slot);
}
std::vector<const ModuleNode::Slot*> ModuleNode::bound() const {
  std::vector<const Slot*> all;
  for (size_t i = 0; i < slots.size(); ++i) {
    if (!is_unbound(slots[i].value)) all.push_back(&slots[i]);
  }
  return all;
}

uint32_t ModuleNode::slot_of(Symbol symbol) {
  auto [found, fresh] = index.try_emplace(symbol, static_cast<uint32_t>(slots.size()));
  if (fresh) slots.add({symbol, unbound(), builtin_of ? builtin_of(symbol) : unbound()});
  return found->second;
}
const Any* ModuleNode::find(Symbol symbol) const {
  auto found = index.find(symbol);
  if (found == index.end() || is_unbound(slots[found->second].value)) return nullptr;
  return &slots[found->second].value;
}
void ModuleNode::set(Symbol symbol, Any value) { slots[slot_of(symbol)].value = std::move(value); }

const Any* Arguments::keyword(std::string_view name) const {
  for (const auto& [key, value] : keywords) {
    if (key == name) return &value;
  }
  return nullptr;
}

const Any* ClassNode::own(Symbol member) const {
  for (const auto& [name, value] : members) {
    if (name == member) return &value;
  }
  return nullptr;
}
const Any* ClassNode::search(Symbol member) const {
  Found& found = found_[member.id() % kFound];
  found = {member, version, nullptr};
  for (const ClassNode* cls : mro) {
    found.member = cls->own(member);
    if (found.member != nullptr) break;
  }
  return found.member;
}
void ClassNode::set(Symbol member, Any value) {
  static const Symbol module_name("__module__");
  if (member == module_name && is_str(value)) module = std::string(text_of(value));
  for (auto& [name, old] : members) {
    if (name == member) {
      old = std::move(value);
      return;
    }
  }
  members.emplace_back(member, std::move(value));
  changed();
}
bool ClassNode::erase(Symbol member) {
  if (std::erase_if(members, [&](const auto& each) { return each.first == member; }) == 0) return false;
  changed();
  return true;
}
bool ClassNode::derives_from(const ClassNode* base) const {
  return std::find(mro.begin(), mro.end(), base) != mro.end();
}
bool ClassNode::counts_as(const ClassNode* base) const {
  if (derives_from(base)) return true;
  if (!any_registered || !base->metaclass) return false;
  return std::any_of(base->registered.begin(), base->registered.end(),
                     [&](const Ref<ClassNode>& each) { return counts_as(each.get()); });
}
std::string ClassNode::shown() const {
  return module == "builtins" ? "<class '" + name + "'>" : "<class '" + module + "." + name + "'>";
}

namespace {

Any* in_dict(const Any& dict, Symbol name) {
  if (is_none(dict)) return nullptr;
  auto* map = static_cast<ffi::MapBaseObj*>(raw_object(dict));
  auto found = map->find(str_value(name.str()));
  return found == map->end() ? nullptr : &(*found).second;
}

// What CPython keeps in an exception's own fields, or in slots, not in `__dict__`.
bool is_field(const ClassNode& cls, Symbol name) {
  for (const ClassNode* each : cls.mro) {
    if (each->has_slot(name)) return true;
  }
  return cls.is_exception && (name == known().args || name == known().cause || name == known().context ||
                              name == known().suppress_context || name == known().traceback ||
                              name == known().filename || name == pending_report());
}

}  // namespace

namespace {
std::vector<std::vector<std::pair<Symbol, Any>>>& waiting_attributes() {
  static thread_local auto& all = *new std::vector<std::vector<std::pair<Symbol, Any>>>;
  return all;
}
}  // namespace

void InstanceNode::put_off(std::vector<std::pair<Symbol, Any>>&& attributes) {
  waiting_attributes().push_back(std::move(attributes));
  any_put_off = true;
}
void InstanceNode::end_put_off() {
  ++ending;  // what these end waits for its turn in this loop
  while (!waiting_attributes().empty()) {
    std::vector<std::pair<Symbol, Any>> next = std::move(waiting_attributes().back());
    waiting_attributes().pop_back();
    next.clear();
  }
  any_put_off = false;
  --ending;
}

const Any* InstanceNode::own(Symbol name) const {
  for (const auto& [key, value] : attributes) {
    if (key == name) return &value;
  }
  return in_dict(dict, name);
}
Any* InstanceNode::search(Symbol name, uint32_t& last) {
  for (size_t i = 0; i < attributes.size(); ++i) {
    if (attributes[i].first == name) {
      last = static_cast<uint32_t>(i);
      return &attributes[i].second;
    }
  }
  return in_dict(dict, name);
}
void InstanceNode::set(Symbol name, Any value) {
  for (auto& [key, old] : attributes) {
    if (key == name) {
      old = std::move(value);
      return;
    }
  }
  if (!is_none(dict) && !is_field(*cls, name)) {
    if (Any* old = in_dict(dict, name)) {
      *old = std::move(value);  // it keeps its place among the others
    } else {
      dict.cast<Dict>().Set(str_value(name.str()), value);
    }
    return;
  }
  add(name, std::move(value));
}
bool InstanceNode::erase(Symbol name) {
  auto found =
      std::find_if(attributes.begin(), attributes.end(), [&](auto& each) { return each.first == name; });
  if (found != attributes.end()) {
    attributes.erase(found);
    return true;
  }
  if (in_dict(dict, name) == nullptr) return false;
  dict.cast<Dict>().erase(str_value(name.str()));
  return true;
}
const Any& InstanceNode::own_dict() {
  if (!is_none(dict)) return dict;
  Dict all;
  for (auto& [key, value] : attributes) {
    if (!is_field(*cls, key)) all.Set(str_value(key.str()), value);
  }
  std::erase_if(attributes, [&](auto& each) { return !is_field(*cls, each.first); });
  dict = all;
  return dict;
}
void InstanceNode::each_name(const std::function<void(std::string_view)>& visit) const {
  for (const auto& [name, value] : attributes) visit(name.str());
  if (is_none(dict)) return;
  for (const auto& [key, value] : dict.cast<Dict>()) {
    if (is_str(key)) visit(text_of(key));
  }
}

int64_t RangeNode::size() const {
  if (step > 0) return start < stop ? (stop - start - 1) / step + 1 : 0;
  return start > stop ? (start - stop - 1) / -step + 1 : 0;
}

Any ellipsis() {
  static const Any value = Any(ir::make<SingletonNode>("Ellipsis"));
  return value;
}
Any not_implemented() {
  static const Any value = Any(ir::make<SingletonNode>("NotImplemented"));
  return value;
}

}  // namespace mlc::script
