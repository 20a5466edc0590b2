// SPDX-License-Identifier: Apache-2.0
// What scripts see as the type of an expression whose type has not been inferred: in the IR it is null.
#pragma once

#include "ir/core/type.h"

namespace mlc::script {

struct MissingTypeNode final : ir::TypeNode {
  static constexpr ir::TypeKind kKind = ir::TypeKind::kAny;
  MissingTypeNode() : TypeNode(kKind) {}
  template <class F>
  static void fields(F&) {}
  MLC_NODE("mlc.ir.MissingType", MissingTypeNode, ir::TypeNode);
};
ir::Type missing_type();  // one for all

}  // namespace mlc::script
