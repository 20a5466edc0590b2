// SPDX-License-Identifier: Apache-2.0
#include "frontend/script/core/step_program.h"

#include <algorithm>
#include <unordered_set>

namespace mlc::script {

using namespace syntax;  // NOLINT: the names of the tree

namespace {

using Kind = StepProgram::Kind;
using Step = StepProgram::Step;
constexpr uint32_t kNone = StepProgram::kNone;

// The yield that a statement is, and what it is assigned to.
struct YieldStmt {
  const Expr* yield = nullptr;
  const Expr* target = nullptr;
};
YieldStmt yield_of(const Stmt* stmt) {
  YieldStmt found;
  if (auto* expr = syntax::as<ExprStmt>(stmt)) {
    found.yield = expr->value;
  } else if (auto* assign = syntax::as<Assign>(stmt); assign != nullptr && assign->targets.size() == 1) {
    found = {assign->value, assign->targets[0]};
  }
  if (found.yield == nullptr) return {};
  bool yields = found.yield->kind == ExprKind::kYield || found.yield->kind == ExprKind::kYieldFrom;
  return yields ? found : YieldStmt{};
}

class Builder {
 public:
  // Counts the yields that are statements; those around them are taken apart.
  uint32_t count(Seq<Stmt> body) {
    uint32_t all = 0;
    for (const Stmt* stmt : body) {
      uint32_t inside = 0;
      if (auto* branch = syntax::as<If>(stmt)) {
        inside = count(branch->body) + count(branch->orelse);
      } else if (auto* loop = syntax::as<While>(stmt)) {
        inside = count(loop->body) + count(loop->orelse);
      } else if (auto* walk = syntax::as<For>(stmt)) {
        inside = count(walk->body) + count(walk->orelse);
      } else {
        all += yield_of(stmt).yield != nullptr;
      }
      if (inside > 0) around_.insert(stmt);
      all += inside;
    }
    return all;
  }

  StepProgram build(Seq<Stmt> body) {
    made_.start = block(body, add({.kind = Kind::kEnd}), {});
    return std::move(made_);
  }

 private:
  struct Place {
    uint32_t loop = kNone;  // the innermost one around
    uint32_t walks = 0;     // how many `for` are around
  };

  Step* add(Step step) {
    made_.steps.push_back(step);
    return &made_.steps.back();
  }
  // Both give the step that begins what goes on with `after`.
  const Step* block(Seq<Stmt> body, const Step* after, Place place) {
    for (size_t i = body.size(); i-- > 0;) after = statement(body[i], after, place);
    return after;
  }
  const Step* statement(const Stmt* stmt, const Step* after, Place place) {
    if (auto [yield, target] = yield_of(stmt); yield != nullptr) {
      if (yield->kind == ExprKind::kYieldFrom) {
        const Step* pass = add({.kind = Kind::kPass, .next = after, .target = target});
        return add({.kind = Kind::kDelegate, .next = pass, .expr = yield});
      }
      return add({.kind = Kind::kYield,
                  .next = after,
                  .expr = static_cast<const Yield*>(yield)->value,
                  .target = target});
    }
    if (!around_.contains(stmt))
      return add({.kind = Kind::kRun, .loop = place.loop, .next = after, .stmt = stmt});
    if (auto* branch = syntax::as<If>(stmt)) {
      const Step* then = block(branch->body, after, place);
      const Step* otherwise = block(branch->orelse, after, place);
      return add({.kind = Kind::kTest, .next = then, .other = otherwise, .expr = branch->test});
    }
    if (auto* loop = syntax::as<While>(stmt)) {
      Step* test = add({.kind = Kind::kTest, .loops = true, .expr = loop->test});
      test->other = block(loop->orelse, after, place);
      test->next = block(loop->body, test, {enter(kNone, after, test), place.walks});
      return test;
    }
    auto* walk = static_cast<const For*>(stmt);
    Step* next = add({.kind = Kind::kNext, .loop = place.walks, .stmt = walk, .target = walk->target});
    made_.walks = std::max(made_.walks, place.walks + 1);
    next->other = block(walk->orelse, after, place);
    next->next = block(walk->body, next, {enter(place.walks, after, next), place.walks + 1});
    return add({.kind = Kind::kWalk, .loop = place.walks, .next = next, .stmt = walk});
  }
  uint32_t enter(uint32_t walk, const Step* on_break, const Step* on_continue) {
    made_.loops.push_back({walk, on_break, on_continue});
    return static_cast<uint32_t>(made_.loops.size() - 1);
  }

  StepProgram made_;
  std::unordered_set<const Stmt*> around_;
};

}  // namespace

std::shared_ptr<const StepProgram> step_program(Seq<Stmt> body, uint32_t yields) {
  Builder builder;
  if (builder.count(body) != yields) return nullptr;
  return std::make_shared<const StepProgram>(builder.build(body));
}

}  // namespace mlc::script
