// SPDX-License-Identifier: Apache-2.0
#include "ir/tir/calling_convention.h"

#include "ir/core/expr.h"
#include "ir/core/try_get.h"

namespace mlc::ir {

std::optional<int64_t> calling_convention(const BaseFunc& fn) {
  std::optional<Any> convention = attr(fn, "calling_conv");
  if (!convention) return std::nullopt;
  if (auto number = convention->try_cast<int64_t>()) return number;
  auto imm = try_get<IntImm>(*convention);
  return imm && *imm ? std::optional((*imm)->value) : std::nullopt;
}

}  // namespace mlc::ir
