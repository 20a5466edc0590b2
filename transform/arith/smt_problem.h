// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>

#include "transform/arith/analyzer_impl.h"

namespace mlc::transform {

// Expressions as terms of SMT-LIB, with a constant for each variable, and for each part that has no form
// there (an element of a buffer, a call).
class SmtProblem {
 public:
  // The term, of sort Int or Bool; nothing for vectors and floats.
  std::optional<std::string> term(const Expr& e);
  // `condition` holds (or does not). False when it has no term, and then nothing is said.
  bool say(const Expr& condition, bool holds);
  void say(std::string term);
  // Everything said, with its declarations; what types hold only where asked for: without it products are
  // easier.
  std::string text(bool with_types) const;

  // The terms behind the constants, in order of first use.
  struct Constant {
    Expr expr;
    std::string name;
  };
  const std::vector<Constant>& constants() const { return constants_; }
  // A variable whose terms are all there is; false once a part without a form was met.
  bool exact() const { return exact_; }

 private:
  std::optional<std::string> constant_for(const Expr& e, std::string_view name);
  std::optional<std::string> binary(const BinaryNode& two);
  std::optional<std::string> division(const BinaryNode& two);
  std::optional<std::string> residue(const Expr& e, int64_t divisor);
  std::optional<std::string> call(const CallNode& call, const Expr& e);
  std::optional<std::string> of_bits(const BinaryNode& two);
  std::optional<std::string> choice(const Expr& condition, const Expr& a, const Expr& b);
  std::optional<std::string> let(const LetNode& let);

  std::vector<Constant> constants_;
  std::unordered_map<const VarNode*, std::string> names_;
  std::map<std::string, int> used_names_{{"floordiv", 1}, {"floormod", 1}, {"truncdiv", 1},
                                         {"truncmod", 1}, {"least", 1},    {"greatest", 1}};
  std::vector<std::string> declarations_;
  std::vector<std::string> said_;
  std::vector<std::string> types_;
  int depth_ = 0;
  bool exact_ = true;
};

}  // namespace mlc::transform
