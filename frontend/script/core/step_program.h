// SPDX-License-Identifier: Apache-2.0
// The body of a generator function whose yields are statements, or all that is assigned to one target, in
// nothing but loops and conditions: a list of steps that a Stepper walks, with the loops and conditions
// around the yields taken apart. Statements without a yield stay whole.
#pragma once

#include <deque>
#include <memory>
#include <vector>

#include "frontend/syntax/ast.h"

namespace mlc::script {

struct StepProgram {
  enum class Kind : uint8_t {
    kRun,       // a statement without a yield
    kYield,     // gives the value of `expr`, or None
    kDelegate,  // `yield from`: begins to walk `expr`
    kPass,      // gives what that walks, until its end
    kTest,      // `if` and `while`: on to `next` or `other`
    kWalk,      // `for`: begins to walk
    kNext,      // its next element; on to `other` at its end
    kEnd,
  };
  struct Step {
    Kind kind = Kind::kEnd;
    bool loops = false;          // a test of `while`
    uint32_t loop = kNone;       // kRun: the loop around it; kWalk, kNext: its walk
    const Step* next = nullptr;  // the step behind it
    const Step* other = nullptr;
    const syntax::Stmt* stmt = nullptr;  // kRun; the `for` of kWalk and kNext
    const syntax::Expr* expr = nullptr;
    const syntax::Expr* target = nullptr;  // what is assigned what the yield is worth; may be null
  };
  struct Loop {
    uint32_t walk;  // kNone: a `while`
    const Step* on_break;
    const Step* on_continue;
  };
  static constexpr uint32_t kNone = ~0U;

  std::deque<Step> steps;  // the first is the end
  std::vector<Loop> loops;
  const Step* start = nullptr;
  uint32_t walks = 0;  // how many `for` are walked at once, at most
};

// Null unless all of the `yields` of the function stand so.
std::shared_ptr<const StepProgram> step_program(syntax::Seq<syntax::Stmt> body, uint32_t yields);

}  // namespace mlc::script
