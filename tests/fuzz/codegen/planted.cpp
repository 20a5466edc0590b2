// SPDX-License-Identifier: Apache-2.0
// Compilers with faults of the kinds that this target is there for: each must be noticed, and reduced.
#include <algorithm>

#include "ir/core/visit.h"
#include "tests/fuzz/codegen/check.h"

namespace mlc::fuzz {

using ir::Expr;
using ir::ExprKind;

namespace {

// Operators of one kind in place of another one; not of int32, by which buffers are indexed.
class Exchanged final : public ir::Rewriter {
 public:
  Exchanged(ExprKind from, ExprKind to) : from_(from), to_(to) {}
  size_t changes = 0;

  using Rewriter::rewrite;
  Expr rewrite(const Expr& e) override {
    Expr made = rewrite_children(e);
    const auto* binary = ir::as_binary(made);
    if (binary == nullptr || binary->kind != from_ || !binary->a->dtype().is_integral() ||
        binary->a->dtype().bits() == 32)
      return made;
    ++changes;
    return ir::binary(to_, binary->a, binary->b);
  }

 private:
  ExprKind from_, to_;
};

ir::IRModule exchanged(const ir::IRModule& mod, ExprKind from, ExprKind to, size_t& changes) {
  ir::IRModule made = mod;
  for (const auto& [name, base] : mod->functions) {
    ir::PrimFunc fn = ir::Any(base).cast<ir::PrimFunc>();
    Exchanged rewriter(from, to);
    ir::Stmt body = rewriter.rewrite(fn->body);
    changes += rewriter.changes;
    made = ir::with_function(made, name, ir::with(fn, [&](ir::PrimFuncNode& copy) { copy.body = body; }));
  }
  return made;
}

size_t size_of(const Program& program) {
  size_t count = 0;
  for (const auto& [name, fn] : program.functions) ir::post_order(fn->body, [&](const Expr&) { ++count; });
  return count;
}

// Not all programs show a fault: many a value is overwritten, or multiplied by zero.
void must_notice(ExprKind from, ExprKind to, std::string_view fault) {
  const Machine& machine = llvm_machines()[0];
  size_t changes = 0;
  Compile faulty = [&](const ir::IRModule& mod, const Machine& on) {
    return compile(exchanged(mod, from, to, changes), on);
  };
  std::vector<Program> programs;
  std::vector<Judged> affected;
  for (uint32_t seed = 0; affected.size() < 24; ++seed) {
    Program program = draw_program(seed);
    changes = 0;
    exchanged(module_of({&program, 1}), from, to, changes);
    std::string refused;
    std::optional<Judged> judged = changes == 0 ? std::nullopt : judge(program, refused);
    if (!judged) continue;
    programs.push_back(program);
    affected.push_back(std::move(*judged));
  }
  ir::ffi::Module built = faulty(module_of(programs), machine);
  std::vector<const Judged*> noticed;
  for (const Judged& each : affected)
    if (!wrong_result(each, built).empty()) noticed.push_back(&each);
  MLC_CHECK(noticed.size() >= 2, "of {} programs with {}, {} are noticed", affected.size(), fault,
            noticed.size());
  auto smaller = [](const Judged* a, const Judged* b) { return size_of(a->program) < size_of(b->program); };
  const Judged& least = **std::min_element(noticed.begin(), noticed.end(), smaller);
  Judged less = reduced(least, machine, faulty, 5);
  bool still = !wrong_in(less, machine, faulty).empty();
  MLC_CHECK(still && size_of(less.program) < size_of(least.program),
            "a program of {} expressions with {} is reduced to {}{}", size_of(least.program), fault,
            size_of(less.program), still ? "" : ", which shows nothing");
}

}  // namespace

void check_the_checks() {
  must_notice(ExprKind::kMax, ExprKind::kMin, "`max` compiled as `min`");
  must_notice(ExprKind::kSub, ExprKind::kAdd, "`-` compiled as `+`");
}

}  // namespace mlc::fuzz
