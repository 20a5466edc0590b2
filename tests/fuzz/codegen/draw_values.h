// SPDX-License-Identifier: Apache-2.0
// Expressions of random programs.
#pragma once

#include <optional>
#include <unordered_set>

#include "tests/fuzz/codegen/program.h"

namespace mlc::fuzz {

// A buffer that expressions may read, of one dimension or of two.
struct Source {
  ir::Buffer buffer;
  int64_t extent;  // elements
  bool writable = false;
  bool local = false;  // allocated inside of the iterations
  // Iterations that run at once write it: each may touch only its own element.
  bool shared = false;

  // Of each row of two dimensions; 0: there is one dimension.
  int64_t columns = 0;

  ir::DataType type() const { return buffer->buffer()->dtype; }
  // The indices of an element, from its place in row-major order.
  ir::Array<ir::Expr> at(const ir::Expr& place) const;
  ir::Expr load(const ir::Expr& place) const;
};

// An integer variable from min to max, both included.
struct Interval {
  ir::Var var;
  int64_t min, max;

  // The variable as int32, by which memory is indexed.
  ir::Expr index() const {
    ir::DataType type = ir::DataType::Int(32);
    return var->dtype() == type ? ir::Expr(var) : ir::Expr(ir::make<ir::CastNode>(type, var));
  }
};

ir::DataType random_type(Random& random);
ir::Expr random_constant(Random& random, ir::DataType type);

// What is visible where an expression stands, and expressions of it.
class Scope {
 public:
  explicit Scope(Random& random) : random(random) {}

  Random& random;
  std::vector<Source> sources;
  std::vector<Interval> intervals;
  std::vector<ir::Var> values;  // bound by let, and scalar parameters
  std::unordered_set<const ir::VarNode*>
      index_like;  // integer variables that say where, or come of such alone
  struct Helper {
    ir::GlobalVar name;
    ir::PrimFunc fn;
    ir::DataType type;  // of what it returns
  };
  std::vector<Helper> helpers;  // functions of the module that return a number
  ir::Expr own;                 // where iterations that run at once may write; null outside of them

  ir::Expr index(int64_t extent);
  ir::Expr value(ir::DataType type, int depth);
  ir::Expr condition(int depth) { return value(ir::DataType::Bool(), depth); }
  // A division of signed numbers or a conversion of wide integers, with nothing around it that would hide it.
  ir::Expr plain(ir::DataType type);
  // Of several lanes, by vectors in the text.
  ir::Expr vector(ir::DataType type, int depth);
  ir::Expr ramp(int64_t extent, int lanes);  // consecutive, or with a stride, or reversed
  // Indices of so many elements of a buffer at once, of one row; those of one dimension only where `one` says
  // so.
  std::optional<ir::Array<ir::Expr>> lanes_at(const Source& source, int lanes, bool one = false);
  // Of memory that the caller names; from 0 to one less than the extent, and the same whatever memory holds.
  ir::Expr start(int64_t extent);
  // No sums and products of indices alone that are values: those may be taken not to overflow.
  bool is_index_arithmetic(const ir::Expr& e) const;

 private:
  ir::Expr leaf(ir::DataType type);
  ir::Expr load(const Source& source);
  ir::Expr integer(ir::DataType type, int depth);
  ir::Expr guarded_load(ir::DataType type, int depth);
  // Divisions: of values; of values where a condition allows it; of what is small since it comes of loops.
  ir::Expr division(ir::DataType type, int depth);
  ir::Expr guarded_division(ir::DataType type, int depth);
  ir::Expr small_division(ir::DataType type);
  ir::Expr small(ir::DataType type);
  ir::Expr of_a_sum(ir::DataType type);
  ir::Expr dividend(ir::DataType type, int depth);
  ir::Expr divisor(ir::DataType type, int depth);
  ir::Expr constant_divisor(ir::DataType type);
  ir::Expr floating(ir::DataType type, int depth);
  ir::Expr boolean(int depth);
  ir::Expr cast(ir::DataType type, int depth);
  ir::Expr clamped(ir::Expr value, ir::DataType to);
  ir::Expr arithmetic(ir::ExprKind kind, ir::Expr a, ir::Expr b);
};

}  // namespace mlc::fuzz
