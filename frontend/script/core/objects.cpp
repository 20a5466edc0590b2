// SPDX-License-Identifier: Apache-2.0
// Fields of tvm-ffi objects through their reflection tables.
#include "frontend/script/core/machine.h"
#include "ir/core/refusal.h"

namespace mlc::script {

static constexpr ir::Refusals refusals{"RuntimeError",
                                       {
                                           {.name = "field-unreadable",
                                            .message = "the field `{}` cannot be read",
                                            .meaning = "A field of an IR object that scripts cannot see."},
                                       }};
MLC_REFUSALS(core_objects, refusals);

namespace {

using Fields = std::unordered_map<Symbol, const TVMFFIFieldInfo*>;

void collect(const TVMFFITypeInfo* info, Fields& fields) {
  for (int32_t i = 0; i < info->num_fields; ++i) {
    const TVMFFIFieldInfo& field = info->fields[i];
    fields[Symbol(std::string_view(field.name.data, field.name.size))] = &field;
  }
}

// One table per type, made on first use.
const Fields& fields_of(int32_t type_index) {
  static thread_local std::unordered_map<int32_t, Fields> tables;
  auto [found, fresh] = tables.try_emplace(type_index);
  if (fresh) {
    const TVMFFITypeInfo* info = TVMFFIGetTypeInfo(type_index);
    for (int32_t i = 0; i < info->type_depth; ++i) collect(info->type_ancestors[i], found->second);
    collect(info, found->second);
  }
  return found->second;
}

}  // namespace

bool object_field(const Any& object, Symbol name, Any& out) {
  const Fields& fields = fields_of(object.type_index());
  auto found = fields.find(name);
  if (found == fields.end()) return false;
  const TVMFFIFieldInfo* field = found->second;
  const void* address = reinterpret_cast<const char*>(raw_object(object)) + field->offset;
  TVMFFIAny result{};
  if (field->getter(const_cast<void*>(address), &result) != 0) {
    raise(refusals["field-unreadable"], {}, name.str());
  }
  out = ffi::details::AnyUnsafe::MoveTVMFFIAnyToAny(&result);
  return true;
}

std::vector<std::string> object_fields(int32_t type_index) {
  std::vector<std::string> names;
  const TVMFFITypeInfo* info = TVMFFIGetTypeInfo(type_index);
  if (info == nullptr) return names;
  auto add = [&](const TVMFFITypeInfo* type) {
    for (int32_t i = 0; i < type->num_fields; ++i)
      names.emplace_back(type->fields[i].name.data, type->fields[i].name.size);
  };
  for (int32_t i = 0; i < info->type_depth; ++i) add(info->type_ancestors[i]);
  add(info);
  return names;
}

}  // namespace mlc::script
