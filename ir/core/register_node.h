// SPDX-License-Identifier: Apache-2.0
// From the list of a node's fields to tvm-ffi's reflection: attributes of scripts, structural equality, hash, JSON.
#pragma once

#include <tvm/ffi/reflection/registry.h>

#include "ir/core/node.h"

namespace mlc::ir {

namespace detail {
// A field as tvm-ffi's reflection keeps it, but for the description of its type: nothing here reads that, and
// writing it took longer than the rest of the registration.
struct Reflection : ffi::reflection::ReflectionDefBase {
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

// Registers N's fields with tvm-ffi's reflection (once, at start).
template <class N>
void register_node() {
  ffi::reflection::ObjectDef<N> def(ffi::reflection::init(false));
  auto add = [](const char* name, auto member, Role role = Role::kUse) {
    detail::Reflection::field<N>(name, member, role);
  };
  N::fields(add);
}

}  // namespace mlc::ir
