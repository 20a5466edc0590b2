// SPDX-License-Identifier: Apache-2.0
// Makes a failing program smaller: one edit at a time, kept where the interpreter still runs what is left and
// the compiled code still differs.
#include <sys/resource.h>

#include <chrono>

#include "ir/core/interrupt.h"
#include "ir/core/visit.h"
#include "tests/fuzz/codegen/check.h"
#include "transform/pass/jumps.h"

namespace mlc::fuzz {

using ir::Expr;
using ir::Stmt;

namespace {

// Makes the n-th of all possible edits.
class Edit final : public ir::Rewriter {
 public:
  explicit Edit(size_t which) : left_(which) {}
  bool made = false;

  using Rewriter::rewrite;
  Expr rewrite(const Expr& e) override {
    if (made) return e;
    ir::DataType type = e->dtype();
    bool number = !type.is_handle() && !type.is_void() && ir::as<ir::VarNode>(e) == nullptr;
    bool constant = ir::as<ir::IntImmNode>(e) != nullptr || ir::as<ir::FloatImmNode>(e) != nullptr ||
                    ir::as<ir::BroadcastNode>(e) != nullptr;
    if (number && !constant) {
      std::vector<Expr> parts;
      ir::post_order(e, [&](const Expr& part) {
        if (!part.same_as(e) && part->dtype() == type && ir::as<ir::VarNode>(part) == nullptr)
          parts.push_back(part);
      });
      for (auto part = parts.rbegin(); part != parts.rend() && parts.size() < 200; ++part)
        if (is_next()) return *part;
      for (double value : {0.0, 1.0})
        if (is_next()) return ir::make_const(type, value);
    }
    // What a float to be cast to an integer is clamped to stays: out of range the cast is undefined.
    const auto* cast = ir::as<ir::CastNode>(e);
    const auto* upper = cast == nullptr ? nullptr : ir::as<ir::MinNode>(cast->value);
    const auto* lower = upper == nullptr ? nullptr : ir::as<ir::MaxNode>(upper->a);
    if (lower != nullptr && cast->value->dtype().is_floating() && type.is_integral()) {
      Expr inner = ir::binary(ir::ExprKind::kMax, rewrite(lower->a), lower->b);
      return ir::make<ir::CastNode>(type, ir::binary(ir::ExprKind::kMin, inner, upper->b));
    }
    return rewrite_children(e);
  }

  Stmt rewrite(const Stmt& s) override {
    if (made) return s;
    // A block goes with its realize.
    bool alone = ir::as<ir::ReturnNode>(s) == nullptr && s->kind != ir::StmtKind::kSBlock;
    if (!ir::is_no_op(s) && alone && is_next()) return ir::no_op();
    if (const auto* loop = ir::as<ir::ForNode>(s)) {
      if (!transform::has_own_jump(loop->body) && is_next())
        return ir::substitute(loop->body, {{loop->loop_var.get(), loop->min}});
      if (loop->for_kind != ir::ForKind::kSerial && is_next())
        return ir::with(ir::ref(loop), [](ir::ForNode& copy) { copy.for_kind = ir::ForKind::kSerial; });
      auto extent = ir::const_int(loop->extent);
      if (extent && *extent > 1)
        for (int64_t less : {*extent / 2, *extent - 1})
          if (is_next())
            return ir::with(ir::ref(loop), [&](ir::ForNode& copy) { copy.extent = ir::int32(less); });
    }
    if (const auto* choice = ir::as<ir::IfThenElseNode>(s)) {
      if (is_next()) return choice->then_case;
      if (choice->else_case && is_next()) return choice->else_case;
    }
    if (const auto* loop = ir::as<ir::WhileNode>(s))
      if (!transform::has_own_jump(loop->body) && is_next()) return loop->body;
    return rewrite_children(s);
  }

 private:
  bool is_next() { return !made && (made = left_-- == 0); }
  size_t left_;
};

// Of processors, not of the clock: however loaded the machine is, as many edits are tried.
double seconds_spent() {
  double sum = 0;
  for (int whose : {RUSAGE_SELF, RUSAGE_CHILDREN}) {
    rusage usage{};
    getrusage(whose, &usage);
    for (const timeval& time : {usage.ru_utime, usage.ru_stime})
      sum += static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
  }
  return sum;
}

// "error NAME", or that numbers differ.
std::string kind_of(const std::string& wrong) {
  return wrong.starts_with("e") ? wrong.substr(0, wrong.find(':')) : wrong.empty() ? "" : "differs";
}

// The interpreter stops a second from now: a program that has lost the step of a counter would not.
using Clock = std::chrono::steady_clock;
Clock::time_point deadline = Clock::time_point::max();

std::optional<Judged> judged_within_a_second(const Program& program) {
  ir::set_interrupt_source({.asked = [] { return Clock::now() > deadline; }, .clear = [] {}});
  deadline = Clock::now() + std::chrono::seconds(1);
  std::string refused;
  auto result = judge(program, refused);
  deadline = Clock::time_point::max();
  return result;
}

}  // namespace

Judged reduced(Judged judged, const Machine& machine, const Compile& compile, double seconds) {
  double start = seconds_spent();
  std::string kind = kind_of(wrong_in(judged, machine, compile));
  bool smaller = true;
  while (smaller) {
    smaller = false;
    for (size_t f = 0; f < judged.program.functions.size(); ++f) {
      for (size_t which = 0;;) {
        if (seconds_spent() - start > seconds) return judged;
        Program less = judged.program;
        Edit edit(which);
        ir::PrimFunc& fn = less.functions[f].second;
        Stmt body = without_contraction(edit.rewrite(fn->body));
        if (!edit.made) break;
        fn = ir::with(fn, [&](ir::PrimFuncNode& copy) { copy.body = body; });
        bool kept = false;
        try {
          auto again = judged_within_a_second(less);
          kept = again && kind_of(wrong_in(*again, machine, compile)) == kind;
          if (kept) judged = *again;
        } catch (const std::exception&) {
          // No program any more: a variable without its definition.
        }
        smaller = smaller || kept;
        if (!kept) ++which;
      }
    }
  }
  return judged;
}

}  // namespace mlc::fuzz
