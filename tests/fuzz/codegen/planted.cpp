// SPDX-License-Identifier: Apache-2.0
// Compilers with faults of the kinds that this target is there for: each must be noticed, and reduced.
#include <algorithm>
#include <csignal>

#include "ir/core/visit.h"
#include "ir/tir/op.h"
#include "tests/fuzz/codegen/check.h"

namespace mlc::fuzz {

using ir::DataType;
using ir::Expr;
using ir::ExprKind;
using ir::Stmt;

namespace {

// What a fault makes of an expression or a statement whose parts are done; null where it is none of its kind.
struct Fault {
  std::string_view text;
  std::function<Expr(const Expr&)> of_expr;
  std::function<Stmt(const Stmt&)> of_stmt;
};

class Planted final : public ir::Rewriter {
 public:
  explicit Planted(const Fault& fault) : fault_(fault) {}
  size_t changes = 0;

  using Rewriter::rewrite;
  // Indices stay: outside of a buffer anything may happen.
  Expr rewrite(const Expr& e) override {
    return ir::as<ir::TensorLoadNode>(e) ? e : changed(rewrite_children(e), fault_.of_expr);
  }
  Stmt rewrite(const Stmt& s) override {
    if (const auto* store = ir::as<ir::BufferStoreNode>(s)) {
      Expr value = rewrite(store->value);
      return ir::with(ir::ref(store), [&](ir::BufferStoreNode& copy) { copy.value = value; });
    }
    return changed(rewrite_children(s), fault_.of_stmt);
  }

 private:
  template <class Node>
  Node changed(const Node& made, const std::function<Node(const Node&)>& edit) {
    Node other = edit ? edit(made) : Node(nullptr);
    if (!other) return made;
    ++changes;
    return other;
  }

  const Fault& fault_;
};

ir::IRModule planted(const ir::IRModule& mod, const Fault& fault, size_t& changes) {
  ir::IRModule made = mod;
  for (const auto& [name, base] : mod->functions) {
    ir::PrimFunc fn = ir::Any(base).cast<ir::PrimFunc>();
    Planted rewriter(fault);
    ir::Stmt body = rewriter.rewrite(fn->body);
    changes += rewriter.changes;
    made = ir::with_function(made, name, ir::with(fn, [&](ir::PrimFuncNode& copy) { copy.body = body; }));
  }
  return made;
}

const ir::BinaryNode* of_integers(const Expr& e, ExprKind kind) {
  const auto* binary = ir::as_binary(e);
  return binary != nullptr && binary->kind == kind && binary->a->dtype().is_integral() ? binary : nullptr;
}

Fault exchanged(std::string_view text, ExprKind from, ExprKind to) {
  return {text,
          [=](const Expr& e) {
            const auto* binary = of_integers(e, from);
            return binary == nullptr ? Expr(nullptr) : ir::binary(to, binary->a, binary->b);
          },
          {}};
}

// By way of a type that cannot hold it.
Fault cast_by_way_of(std::string_view text, DataType from, DataType way, std::function<bool(DataType)> to) {
  return {text,
          [=](const Expr& e) {
            const auto* cast = ir::as<ir::CastNode>(e);
            if (cast == nullptr || cast->value->dtype() != from || !to(e->dtype())) return Expr(nullptr);
            return Expr(ir::make<ir::CastNode>(e->dtype(), ir::make<ir::CastNode>(way, cast->value)));
          },
          {}};
}

// A positive divisor is half of the proof.
Expr unsigned_division(const Expr& e) {
  for (ExprKind kind : {ExprKind::kFloorDiv, ExprKind::kFloorMod, ExprKind::kDiv, ExprKind::kMod}) {
    const auto* division = of_integers(e, kind);
    auto by = division == nullptr ? std::nullopt : ir::const_int(division->b);
    if (!by || *by <= 0 || !e->dtype().is_int()) continue;
    DataType type = e->dtype(), without_sign = DataType::UInt(type.bits(), type.lanes());
    Expr quotient = ir::binary(kind, ir::make<ir::CastNode>(without_sign, division->a),
                               ir::make<ir::CastNode>(without_sign, division->b));
    return ir::make<ir::CastNode>(type, quotient);
  }
  return Expr(nullptr);
}

size_t size_of(const Program& program) {
  size_t count = 0;
  for (const auto& [name, fn] : program.functions) ir::post_order(fn->body, [&](const Expr&) { ++count; });
  return count;
}

// Not all programs show a fault: many a value is overwritten, or multiplied by zero.
void must_notice(const Fault& fault, bool reduces) {
  const Machine& machine = llvm_machines()[0];
  size_t changes = 0, affected = 0;
  Compile faulty = [&](const ir::IRModule& mod, const Machine& on) {
    return compile(planted(mod, fault, changes), on);
  };
  std::vector<Judged> noticed;
  uint32_t seed = 0;
  while (noticed.size() < (reduces ? 2 : 1) && affected < 1200) {
    std::vector<Program> programs;
    std::vector<Judged> batch;
    for (; batch.size() < 12; ++seed) {
      Program program = draw_program(seed);
      changes = 0;
      planted(module_of({&program, 1}), fault, changes);
      std::string refused;
      std::optional<Judged> judged = changes == 0 ? std::nullopt : judge(program, refused);
      if (!judged) continue;
      programs.push_back(program);
      batch.push_back(std::move(*judged));
    }
    affected += batch.size();
    ir::ffi::Module built = faulty(module_of(programs), machine);
    for (const Judged& each : batch)
      if (!wrong_result(each, built).empty()) noticed.push_back(each);
  }
  MLC_CHECK(!noticed.empty(), "of {} programs with {}, none is noticed", affected, fault.text);
  if (!reduces) return;
  auto smaller = [](const Judged& a, const Judged& b) { return size_of(a.program) < size_of(b.program); };
  const Judged& least = *std::min_element(noticed.begin(), noticed.end(), smaller);
  Judged less = reduced(least, machine, faulty, 5);
  bool still = !wrong_in(less, machine, faulty).empty();
  MLC_CHECK(still && size_of(less.program) < size_of(least.program),
            "a program of {} expressions with {} is reduced to {}{}", size_of(least.program), fault.text,
            size_of(less.program), still ? "" : ", which shows nothing");
}

// A division that its condition was to prevent is a trap.
void must_stop() {
  Fault fault = {"divisions without the condition around them",
                 [](const Expr& e) {
                   const auto* call = ir::as_call_to(e, "tirx.if_then_else");
                   const auto* division = call == nullptr ? nullptr : ir::as_binary(call->args[1]);
                   bool divides = division != nullptr && division->kind >= ExprKind::kDiv &&
                                  division->kind <= ExprKind::kFloorMod && e->dtype().is_integral();
                   return divides ? call->args[1] : Expr(nullptr);
                 },
                 {}};
  size_t affected = 0;
  for (uint32_t seed = 0; affected < 100; ++seed) {
    Program program = draw_program(seed);
    size_t changes = 0;
    ir::IRModule wrong = planted(module_of({&program, 1}), fault, changes);
    std::string refused;
    std::optional<Judged> judged = changes == 0 ? std::nullopt : judge(program, refused);
    if (!judged) continue;
    ++affected;
    Compile faulty = [&](const ir::IRModule&, const Machine& on) { return compile(wrong, on); };
    if (wrong_in(*judged, llvm_machines()[0], faulty) == fmt::format("ends with signal {}", SIGFPE)) return;
  }
  MLC_CHECK(false, "of {} programs with {}, none is noticed", affected, fault.text);
}

}  // namespace

void check_the_checks() {
  must_notice(exchanged("`^` compiled as `|`", ExprKind::kBitwiseXor, ExprKind::kBitwiseOr), true);
  must_notice(exchanged("`floordiv` compiled as `truncdiv`", ExprKind::kFloorDiv, ExprKind::kDiv), false);
  must_notice(exchanged("`floormod` compiled as `truncmod`", ExprKind::kFloorMod, ExprKind::kMod), false);
  must_notice(exchanged("`truncdiv` compiled as `floordiv`", ExprKind::kDiv, ExprKind::kFloorDiv), false);
  must_notice({"signed divisions by positive numbers compiled as unsigned ones", unsigned_division, {}},
              false);
  must_notice(cast_by_way_of("the sign bit of uint32 extended", DataType::UInt(32), DataType::Int(32),
                             [](DataType to) { return to.bits() == 64 && to.is_integral(); }),
              false);
  must_notice(cast_by_way_of("int64 rounded to float64, then to float32", DataType::Int(64),
                             DataType::Float(64), [](DataType to) { return to == DataType::Float(32); }),
              false);
  auto dropped = [](const Stmt& s) { return s->kind == ir::StmtKind::kBreak ? ir::no_op() : Stmt(nullptr); };
  must_notice({"`break` left out", {}, dropped}, false);
  must_stop();
}

}  // namespace mlc::fuzz
