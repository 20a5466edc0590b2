// SPDX-License-Identifier: Apache-2.0
// Integer expressions evaluated as they are written, by an arithmetic of its own.
#pragma once

#include <unordered_map>
#include <vector>

#include "ir/core/expr.h"

namespace mlc::fuzz {

// Holds any number of any integer type, and products of two.
using Number = __int128;
// What variables and loads stand for, by node: of a load that of its buffer.
using Point = std::unordered_map<const ir::VarNode*, Number>;

// The least and the greatest number of a type.
Number least(ir::DataType dtype);
Number greatest(ir::DataType dtype);

class Evaluation {
 public:
  // `exact`: numbers are unbounded, as index arithmetic takes them; else they wrap in their type.
  Evaluation(const Point& point, bool exact, int lane = 0) : point_(point), exact_(exact), lane_(lane) {}
  Number of(const ir::Expr& e);

  // Where it is given, calls of `next` are: each is noted, answers another number, and changes what is read
  // after it. What `and` and `or` do not need is not computed then.
  std::vector<Number>* calls = nullptr;

  bool undefined = false;        // it divides by zero, or shifts by more than there are bits
  bool overflows = false;        // a sum, product, quotient or shift is no number of its type
  bool index_overflows = false;  // where nothing is loaded from memory, so that it is taken not to
  bool truncates = false;        // a cast changes its value
  bool misfits = false;          // a constant is no number of its type

 private:
  Number of_binary(const ir::Expr& e);
  Number within(Number value, ir::DataType dtype, const ir::Expr& e);

  const Point& point_;
  bool exact_;
  int lane_;
};

}  // namespace mlc::fuzz
