// SPDX-License-Identifier: Apache-2.0
// Conditions and bindings moved before the loops that they do not depend on.
#pragma once

#include "transform/pass/pass.h"

namespace mlc::transform {

// What is moved, as flags; the numbers are TVM's.
struct HoistOptions {
  static constexpr int64_t kIfElseStmt = 1;           // conditions of `if`
  static constexpr int64_t kIfElseExpr = 2;           // conditions of T.if_then_else
  static constexpr int64_t kBooleanExpression = 4;    // sides of `and` and `or`
  static constexpr int64_t kUsingBlockVar = 8;        // also those that use variables of attributes (threads)
  static constexpr int64_t kRequiredByCondition = 1;  // bindings that a moved condition uses
  static constexpr int64_t kBind = 2;                 // names of statements
  static constexpr int64_t kLetExpr = 4;              // names inside expressions
  int64_t conditionals = 0;
  int64_t bindings = 0;
};

Stmt hoist(const Stmt& body, const HoistOptions& options);

}  // namespace mlc::transform
