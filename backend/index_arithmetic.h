// SPDX-License-Identifier: Apache-2.0
// What code generators know of the integers that they emit: which arithmetic cannot overflow.
#pragma once

#include <utility>

#include "ir/tir/loaded_names.h"

namespace mlc::backend {

// A part of an emitter of functions.
class IndexArithmetic {
 protected:
  bool in_index_ = false;  // integer arithmetic here cannot overflow
  ir::LoadedNames loaded_names_;

  // What `emit` makes of operands of `e`, which are no part of an index any more where they may overflow.
  auto emit_operands(const ir::Expr& e, const auto& emit) {
    return emit_in_index(in_index_ && !loaded_names_.operands_may_overflow(e), emit);
  }
  // What `emit` makes of the value of a `let`.
  auto emit_named(const ir::LetNode& let, const auto& emit) {
    loaded_names_.bind(let.var, let.value);
    return emit_in_index(in_index_ && !loaded_names_.contains(let.var.get()), emit);
  }

 private:
  auto emit_in_index(bool in_index, const auto& emit) {
    bool before = std::exchange(in_index_, in_index);
    auto made = emit();
    in_index_ = before;
    return made;
  }
};

}  // namespace mlc::backend
