// SPDX-License-Identifier: Apache-2.0
// Random integer expressions, with the values of what they stand on.
#pragma once

#include <string>
#include <vector>

#include "tests/arith_notation.h"
#include "tests/fuzz/arith/evaluate.h"
#include "tests/fuzz/schedule/draw.h"
#include "transform/arith/int_set.h"

namespace mlc::fuzz {

// A variable, or an element of a buffer, and what it can be.
struct Leaf {
  ir::Expr e;
  std::vector<Number> values;
  bool ranged = false;   // the values are a range, which analyzers know
  bool relaxed = false;  // and sets are made of
  transform::ModularSet residues{};
  const ir::VarNode* key() const;
};

// The element of a buffer that has but one.
ir::Expr load(const char* name, ir::DataType dtype);

// next(number), a function with effects.
ir::Expr call(ir::DataType dtype, int64_t number);

class Drawing {
 public:
  explicit Drawing(Choices& choices) : choices(choices) {}

  // Variables of index arithmetic, with small domains; now and then at an end of their type.
  void draw_indices();
  // Elements of buffers of one or more types, that hold anything, and a loop variable.
  void draw_loads();

  // `dtype` may be bool.
  ir::Expr integer(size_t depth, ir::DataType dtype);
  ir::Expr condition(size_t depth);
  ir::Expr vector(size_t depth, ir::DataType dtype);
  // A rule's left side with expressions for its names; null where no constants were found that it may have.
  ir::Expr instance(const transform::Rule& rule, ir::DataType dtype);
  ir::DataType index_type() { return ir::DataType::Int(choices.below(5) == 0 ? 64 : 32); }

  // All points of the domains, or some of them; where `assumption` holds if there is one.
  std::vector<Point> points(const ir::Expr& assumption, size_t most);

  static constexpr int kLanes = 4;
  bool calls = false;  // draw calls of functions with effects, too
  Choices& choices;
  std::vector<Leaf> leaves;

 private:
  ir::Expr leaf(ir::DataType dtype);
  ir::Expr constant(ir::DataType dtype);
  ir::Expr divisor(size_t depth, ir::DataType dtype);
  ir::Expr strided(ir::DataType dtype);
  ir::Expr compare(size_t depth);
  ir::Expr built(const transform::Term& term, ir::DataType dtype, bool truth);
  void add(const char* name, ir::DataType dtype, Number min, Number extent, bool ranged);

  void meet(const transform::Term& condition, ir::DataType dtype);

  bool loads_ = false, near_ = false;
  bool of_lanes_ = false;                            // names stand for vectors here
  std::unordered_map<std::string, ir::Expr> names_;  // of a rule
};

}  // namespace mlc::fuzz
