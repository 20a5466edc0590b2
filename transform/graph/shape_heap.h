// SPDX-License-Identifier: Apache-2.0
// The symbolic expressions of a function, each with its slot in the heap of shapes of a running function.
#pragma once

#include "transform/graph/expr_numbers.h"

namespace mlc::transform {

class ShapeHeap {
 public:
  struct Slot {
    Expr expr;
    std::vector<size_t> users;  // of a variable: slots of expressions that use it
    size_t waiting = 0;         // variables of the expression that are not there yet
    bool computed = false;
  };

  explicit ShapeHeap(const Function& fn);
  size_t size() const { return slots_.size(); }
  Slot& operator[](size_t index) { return slots_[index]; }
  bool holds(const Expr& e) const;
  // The slot of an expression that is no constant.
  size_t index_of(const Expr& e) const;
  // A variable is in its slot. What can be computed now comes with take_ready().
  void define(size_t slot);
  // Slots whose variables are all there and whose values are not; they count as computed from here on.
  std::vector<size_t> take_ready();

 private:
  class Collect;
  size_t add(const Expr& e);

  std::vector<Slot> slots_;
  ExprNumbers numbers_;  // as slots_
  std::vector<size_t> defined_;
};

}  // namespace mlc::transform
