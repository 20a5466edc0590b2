// SPDX-License-Identifier: Apache-2.0
// What analyses and simplifiers say, against enumeration. Each check returns what is wrong, or nothing;
// planted.cpp tries each of them with a fault.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "tests/fuzz/arith/draw.h"
#include "transform/arith/analyzer.h"
#include "transform/arith/int_set.h"

namespace mlc::fuzz {

// An expression with the points at which it has a value, and these values.
struct Case {
  ir::Expr e;
  ir::Expr assumption;  // or null
  std::vector<Point> points;
  std::vector<Number> values;
};
// `wraps`: values wrap in their type; else points where something leaves its type are left out.
Case evaluated(const ir::Expr& e, const ir::Expr& assumption, std::vector<Point> points, bool wraps,
               int lane = 0);

std::string text_of(const ir::Expr& e);

std::string wrong_bound(const Case& all, transform::ConstIntBound bound);
std::string wrong_residue(const Case& all, transform::ModularSet set);
std::string wrong_set(const Case& all, const transform::IntervalSet& set, const std::vector<Leaf>& leaves);
std::string wrong_value(const Case& all, const ir::Expr& simple, bool wraps, int lane = 0);
std::string wrong_ordering(const Case& all, const Case& other, transform::Ordering order);
// Is the condition said to hold, but does not?
std::string wrong_proof(const Case& all, bool proved);

// Does it make the same calls in the same order, and have the same value, where `e` has one?
std::string wrong_calls(const ir::Expr& e, const ir::Expr& simple, const std::vector<Point>& points,
                        bool wraps, size_t* compared = nullptr);

// Of maps: other indices with the same values; that so many values are taken, each once; that the inverse
// leads back.
std::string wrong_map(const ir::Array<ir::Expr>& indices, const ir::Array<ir::Expr>& others,
                      const std::vector<Point>& points);
std::string wrong_count(const ir::Array<ir::Expr>& indices, const std::vector<Point>& points, size_t all,
                        bool bijective);
std::string wrong_inverse(const ir::Array<ir::Expr>& indices, const ir::Array<ir::Var>& outputs,
                          const ir::Array<ir::Expr>& inverse, const ir::Array<ir::Expr>& iters,
                          const std::vector<Point>& points);

// What was done, and how often.
struct Counts {
  struct Share {
    size_t part = 0, whole = 0;
    void add(bool of_part) {
      ++whole;
      part += of_part;
    }
  };
  std::map<std::string, Share> said;  // by analysis: how often it said something, of how often it was asked
  std::map<const transform::Rule*, size_t> fired;
  size_t compared = 0;  // values
};

// Each draws a case of its kind and checks it.
std::string check_indices(Choices& choices, Counts& counts);
std::string check_values(Choices& choices, Counts& counts);
std::string check_calls(Choices& choices, Counts& counts);
std::string check_rule(Choices& choices, Counts& counts);
std::string check_vector(Choices& choices, Counts& counts);
std::string check_iter_map(Choices& choices, Counts& counts);
std::string check_solved(Choices& choices, Counts& counts);

// Tries each check with a planted fault; throws InternalError where one is not reported.
void check_the_checks();

}  // namespace mlc::fuzz
