// SPDX-License-Identifier: Apache-2.0
// Words that the tvm-ffi entries of all code generators use in their messages.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "ir/core/module.h"

namespace mlc::backend {

// A shape entry as users wrote it, as far as messages need it; variables by the names that `named` returns.
// `typed`: constants of other types than int32 are written with their type.
std::string extent_text(const ir::Expr& e, const std::function<std::string(const ir::VarNode*)>& named,
                        bool typed, bool inside = false);
std::string own_name(const ir::VarNode* var);
// "f(A: Tensor([n, 16], float32), n: int32)"
std::string signature_text(const std::string& name, const std::vector<ir::Var>& params);

}  // namespace mlc::backend
