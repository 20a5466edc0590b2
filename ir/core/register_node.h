// SPDX-License-Identifier: Apache-2.0
// From the list of a node's fields to tvm-ffi's reflection: attributes of scripts, structural equality, hash,
// JSON.
#pragma once

#include <tvm/ffi/reflection/registry.h>

#include <type_traits>

#include "ir/core/node.h"
#include "ir/core/object.h"

namespace mlc::ir {

namespace detail {
using CopyNode = ObjectRef (*)(const ffi::Object* node);
template <class N>
ObjectRef copy_node(const ffi::Object* node) {
  return ObjectRef(ffi::make_object<N>(*static_cast<const N*>(node)));
}
void register_copy(int32_t type_index, CopyNode copy);

// Types and fields as tvm-ffi's reflection keeps them, but for what nothing here reads: descriptions of the
// fields' types, and a function for Python that makes a node. They took longer to compile than the rest of
// the registration, and longer to run.
struct Reflection : ffi::reflection::ReflectionDefBase {
  template <class N>
  static void type() {
    TVMFFITypeMetadata info{};
    info.total_size = sizeof(N);
    info.structural_eq_hash_kind = N::_type_s_eq_hash_kind;
    if constexpr (std::is_default_constructible_v<N>) {
      info.creator = ObjectCreatorDefault<N>;
    } else if constexpr (std::is_constructible_v<N, ffi::UnsafeInit>) {
      info.creator = ObjectCreatorUnsafeInit<N>;
    }
    int32_t index = N::_GetOrAllocRuntimeTypeIndex();
    TVM_FFI_CHECK_SAFE_CALL(TVMFFITypeRegisterMetadata(index, &info));
    if constexpr (std::is_copy_constructible_v<N>) register_copy(index, copy_node<N>);
  }
  template <class N, class T, class Base>
  static void field(const char* name, T Base::*member, Role role) {
    TVMFFIFieldInfo info{};
    info.name = {name, std::char_traits<char>::length(name)};
    info.field_static_type_index = ffi::TypeToFieldStaticTypeIndex<T>::value;
    info.offset = ffi::reflection::GetFieldByteOffsetToObject<N, T>(member);
    info.size = sizeof(T);
    info.alignment = alignof(T);
    info.getter = FieldGetter<T>;
    info.setter = reinterpret_cast<void*>(FieldSetter<T>);
    if (role == Role::kBinder) info.flags |= kTVMFFIFieldFlagBitMaskSEqHashDefSimple;
    if (role == Role::kPattern) info.flags |= kTVMFFIFieldFlagBitMaskSEqHashDefPattern;
    if (role == Role::kIgnore) info.flags |= kTVMFFIFieldFlagBitMaskSEqHashIgnore;
    TVM_FFI_CHECK_SAFE_CALL(TVMFFITypeRegisterField(N::RuntimeTypeIndex(), &info));
  }
};
}  // namespace detail

// Registers N with tvm-ffi's reflection (once, at start): a class that nodes are derived from, or with its
// fields.
template <class N>
void register_base() {
  detail::Reflection::type<N>();
}
template <class N>
void register_node() {
  register_base<N>();
  each_field<N>(
      [](const char* name, auto member, Role role) { detail::Reflection::field<N>(name, member, role); });
}

}  // namespace mlc::ir
