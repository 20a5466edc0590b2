// SPDX-License-Identifier: Apache-2.0
// The attributes of calls, functions and modules as a script sees them: each keeps a plain map of them.
#pragma once

#include <tvm/ffi/container/map.h>

#include "ir/core/object.h"

namespace mlc::ir {

struct AttrsNode : ffi::Object {
  ffi::Map<String, Any> values;
  explicit AttrsNode(ffi::Map<String, Any> values = {}) : values(std::move(values)) {}
  explicit AttrsNode(ffi::UnsafeInit) {}
  static constexpr int _type_child_slots [[maybe_unused]] = 2;
  static constexpr bool _type_final [[maybe_unused]] = false;
  MLC_NODE_BASE("mlc.ir.Attrs", AttrsNode, ffi::Object);
};

// Of functions, modules and calls of functions.
struct DictAttrsNode final : AttrsNode {
  explicit DictAttrsNode(ffi::Map<String, Any> values) : AttrsNode(std::move(values)) {}
  MLC_NODE("mlc.ir.DictAttrs", DictAttrsNode, AttrsNode);
};

// Of calls of operators of graphs, which have a class for each kind of attributes.
struct OpAttrsNode final : AttrsNode {
  String type_key;  // "relax.attrs.SoftmaxAttrs"
  OpAttrsNode(String type_key, ffi::Map<String, Any> values)
      : AttrsNode(std::move(values)), type_key(std::move(type_key)) {}
  MLC_NODE("mlc.relax.OpAttrs", OpAttrsNode, AttrsNode);
};

}  // namespace mlc::ir
