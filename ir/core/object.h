// SPDX-License-Identifier: Apache-2.0
// A counted reference to an object, and what tvm-ffi wants of the object's struct: its type key and index.
#pragma once

#include <concepts>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>

#include "ir/core/dtype.h"
#include "ir/core/error.h"
#include "ir/core/ffi.h"
#include "ir/core/span.h"

namespace mlc::ir {

namespace ffi = ::tvm::ffi;
using ffi::Any;
using ffi::AnyView;
using ffi::Array;
using ffi::Map;
using ffi::ObjectRef;
using ffi::String;

inline std::string_view view(const String& s) { return {s.data(), s.size()}; }

// A counted, possibly null reference to an immutable node. Converts to a reference to a base of N.
// `ref->field` reads; with() makes a changed copy.
template <class N>
class Ref : public ObjectRef {
 public:
  using ContainerType = N;
  using __PtrType = const N*;
  static constexpr bool _type_is_nullable = true;

  Ref() = default;
  Ref(std::nullptr_t) {}  // NOLINT: null reads better than Ref<...>()
  explicit Ref(ffi::UnsafeInit tag) : ObjectRef(tag) {}
  explicit Ref(ffi::ObjectPtr<N> node) : ObjectRef(ffi::ObjectPtr<ffi::Object>(std::move(node))) {}
  template <class D>
  requires(std::derived_from<D, N> && !std::same_as<D, N>) Ref(Ref<D> other)  // NOLINT: a For is a Stmt
      : ObjectRef(ffi::details::ObjectUnsafe::ObjectPtrFromObjectRef<ffi::Object>(std::move(other))) {}

  const N* operator->() const { return static_cast<const N*>(data_.get()); }
  const N* get() const { return static_cast<const N*>(data_.get()); }
  const N& operator*() const { return *get(); }
  explicit operator bool() const { return data_ != nullptr; }
};

// The reference that owns an object reached by a raw pointer (intrusive count: always possible).
template <class N>
Ref<N> ref(const N* node) {
  return Ref<N>(ffi::details::ObjectUnsafe::ObjectPtrFromUnowned<N>(const_cast<N*>(node)));
}

// Makes a node from its fields in declaration order (then its span, where it has one).
template <class N, class... Args>
Ref<N> make(Args&&... args) {
  return Ref<N>(ffi::make_object<N>(std::forward<Args>(args)...));
}

// A copy of `node` with `change` applied to it; the original is untouched.
template <class N, class F>
Ref<N> with(const Ref<N>& node, F&& change) {
  ffi::ObjectPtr<N> copy = ffi::make_object<N>(*node.get());
  change(*copy);
  return Ref<N>(std::move(copy));
}

namespace detail {
int32_t allocate_type(const char* key, int32_t depth, int32_t child_slots, bool more_children, int32_t parent);

// The index of a node's type, allocated before main(). Only files that use it have code for it: what tvm-ffi's own
// macro declares is allocated, behind a guard, by each file that sees the struct, which was 6 % of all code.
template <class N>
struct TypeIndex {
  static const int32_t value;
};
template <class N>
const int32_t TypeIndex<N>::value = N::_GetOrAllocRuntimeTypeIndex();
}  // namespace detail

// What tvm-ffi's templates require of the type of an object that others derive from.
#define MLC_NODE_BASE(TypeKey, NodeType, BaseType)                                                             \
  static constexpr const char* _type_key = TypeKey;                                                            \
  static constexpr int32_t _type_depth = BaseType::_type_depth + 1;                                            \
  static int32_t _GetOrAllocRuntimeTypeIndex() {                                                               \
    static const int32_t index = ::mlc::ir::detail::allocate_type(                                             \
        _type_key, _type_depth, NodeType::_type_child_slots, NodeType::_type_child_slots_can_overflow,         \
        BaseType::_GetOrAllocRuntimeTypeIndex());                                                              \
    return index;                                                                                              \
  }                                                                                                            \
  template <class N = NodeType>                                                                                \
  static int32_t RuntimeTypeIndex() noexcept {                                                                 \
    return ::mlc::ir::detail::TypeIndex<N>::value;                                                             \
  }

namespace detail {
// The base part of a node that is about to be filled field by field (JSON).
template <class N, class Base>
Base blank() {
  if constexpr (requires { Base(N::kKind); }) {
    return Base(N::kKind);
  } else {
    return Base();
  }
}
}  // namespace detail

// Inside a final node: its type key, parent and reflection.
#define MLC_NODE(TypeKey, NodeType, BaseType)                                                      \
  explicit NodeType(ffi::UnsafeInit) : BaseType(::mlc::ir::detail::blank<NodeType, BaseType>()) {} \
  static constexpr int _type_child_slots [[maybe_unused]] = 0;                                     \
  static constexpr bool _type_final [[maybe_unused]] = true;                                       \
  MLC_NODE_BASE(TypeKey, NodeType, BaseType)

}  // namespace mlc::ir
