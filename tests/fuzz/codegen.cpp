// SPDX-License-Identifier: Apache-2.0
// Random functions of TIR, interpreted and compiled: four bytes of the input are the seed of one, all of an
// input are one module. It is compiled by LLVM for the levels of x86-64 that the processor has and for it as
// it is, in turns, and now and then through C; each time the arguments must hold the same bits as after the
// interpreter, but for NaN, of which there is one. (What docs/numbers.md leaves open, the contraction of S[i]
// + x * y, is not drawn.) A program that fails is reduced, and printed as a file that runs. Before the first
// input each check must have reported a planted fault.
#include <cstdint>
#include <cstring>
#include <string>
#include <unordered_set>

#include "ir/core/visit.h"
#include "ir/tir/op.h"
#include "tests/fuzz/codegen/check.h"
#include "tests/fuzz/evaluator.h"
#include "tests/fuzz/report.h"

namespace {

using namespace mlc;

fuzz::Counts& counts() {
  static fuzz::Counts all;
  return all;
}

void count_constructs(const fuzz::Program& program) {
  std::unordered_set<std::string> found;
  for (const auto& [name, fn] : program.functions) {
    ir::post_order(
        fn->body,
        [&](const ir::Expr& e) {
          if (e->dtype().is_vector()) found.insert("vectors");
          if (e->kind == ir::ExprKind::kCast) found.insert("casts");
          if (e->kind >= ir::ExprKind::kDiv && e->kind <= ir::ExprKind::kFloorMod &&
              e->dtype().is_integral()) {
            found.insert("integer divisions");
            auto by = ir::const_int(ir::as_binary(e)->b);
            if (e->dtype().is_int() && by && *by < 0) found.insert("divisions by negative constants");
          }
          if (ir::as_call_to(e, "tirx.if_then_else") != nullptr) found.insert("if_then_else");
          if (ir::as_call_to(e, "tirx.atomic_add") != nullptr) found.insert("atomic sums");
          const auto* ramp = ir::as<ir::RampNode>(e);
          if (ramp != nullptr && !ir::const_int(ramp->base))
            found.insert("vectors that begin where is computed");
          const auto* load = ir::as<ir::TensorLoadNode>(e);
          if (load != nullptr && load->indices.size() == 2) found.insert("buffers of two dimensions");
        },
        [&](const ir::Stmt& s) {
          const auto* loop = ir::as<ir::ForNode>(s);
          if (loop != nullptr && loop->for_kind == ir::ForKind::kVectorized) found.insert("vectorised loops");
          if (loop != nullptr && loop->for_kind == ir::ForKind::kParallel) found.insert("parallel loops");
          if (loop != nullptr && loop->for_kind != ir::ForKind::kSerial &&
              loop->loop_var->dtype().bits() == 64)
            found.insert("loops in 64 bits that are not serial");
          if (loop != nullptr && !ir::const_int(loop->extent)) found.insert("loops of unknown size");
          if (s->kind == ir::StmtKind::kSBlock) found.insert("views");
          if (s->kind == ir::StmtKind::kWhile) found.insert("while");
          if (s->kind == ir::StmtKind::kBreak) found.insert("break");
          if (s->kind == ir::StmtKind::kContinue) found.insert("continue");
          if (s->kind == ir::StmtKind::kAllocBuffer) found.insert("allocations");
        });
  }
  if (program.functions.size() > 1) found.insert("private functions");
  for (const std::string& construct : found) ++counts().constructs[construct];
}

// The first program of the batch that fails alone, reduced, as text.
std::string failure_among(const std::vector<fuzz::Judged>& batch, const fuzz::Machine& machine) {
  std::string in_vain;
  for (const fuzz::Judged& judged : batch) {
    if (fuzz::wrong_in(judged, machine, fuzz::compile, &in_vain).empty()) continue;
    fuzz::Judged less = fuzz::reduced(judged, machine, fuzz::compile, 20);
    return text_of(less, machine, fuzz::wrong_in(less, machine, fuzz::compile));
  }
  return "";
}

std::string wrong_batch(const std::vector<fuzz::Judged>& batch, const fuzz::Machine& machine) {
  std::vector<fuzz::Program> programs;
  for (const fuzz::Judged& judged : batch) programs.push_back(judged.program);
  std::string wrong;
  try {
    ir::ffi::Module built = fuzz::compile(fuzz::module_of(programs), machine);
    for (const fuzz::Judged& judged : batch) {
      wrong = fuzz::wrong_result(judged, built);
      if (!wrong.empty()) break;
      ++counts().compared[machine.name];
    }
  } catch (const ir::Error& error) {
    wrong = fmt::format("error {}", error.first().name);
    if (machine.is_c && error.first().name == "codegen-unsupported") {
      counts().in_vain[machine.name] += batch.size();
      wrong = "";
    }
  } catch (const std::exception& error) {
    wrong = error.what();
  }
  if (wrong.empty()) return "";
  std::string alone = failure_among(batch, machine);
  return alone.empty() ? fmt::format("only as part of its module, {}: {}", machine.name, wrong) : alone;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  fuzz::evaluator();
  constexpr size_t kMost = 12;
  static std::unordered_set<uint32_t> done;
  static size_t turn = 0;
  std::vector<fuzz::Judged> batch;
  std::unordered_set<uint32_t> seeds;
  for (size_t at = 0; at + 4 <= size && seeds.size() < kMost; at += 4) {
    uint32_t seed = 0;
    std::memcpy(&seed, data + at, 4);
    if (done.contains(seed) || !seeds.insert(seed).second) continue;
    fuzz::Program program = fuzz::draw_program(seed);
    ++counts().drawn;
    std::string refused;
    if (auto judged = fuzz::judge(program, refused)) {
      ++counts().judged;
      count_constructs(program);
      batch.push_back(std::move(*judged));
    } else {
      ++counts().refused[refused];
    }
  }
  if (batch.empty()) return 0;
  const auto& machines = fuzz::llvm_machines();
  std::string failure = wrong_batch(batch, machines[turn % machines.size()]);
  // A C compiler takes as long for one as LLVM does for ten.
  if (failure.empty() && turn % 8 == 0) {
    batch.resize(std::min<size_t>(batch.size(), 2));
    failure = wrong_batch(batch, fuzz::c_machine());
  }
  MLC_CHECK(failure.empty(), "\n{}", failure);
  ++turn;
  done.insert(seeds.begin(), seeds.end());
  return 0;
}

mlc::fuzz::Report mlc::fuzz::report() {
  const Counts& all = counts();
  Report report;
  for (const auto& [name, times] : all.refused)
    report.text += fmt::format("  not interpreted, {}: {}\n", name, times);
  for (const auto& [name, times] : all.in_vain)
    report.text += fmt::format("  cannot be expressed, {}: {}\n", name, times);
  demand(report, "programs interpreted", all.judged, all.drawn, 0.95, 300);
  size_t llvm = 0;
  for (const auto& [name, times] : all.compared) {
    report.text += fmt::format("  compared, {}: {}\n", name, times);
    if (name != "c") llvm += times;
  }
  demand(report, "programs compiled by LLVM and compared", llvm, all.judged, 1, 1);
  auto through_c = all.compared.find("c");
  demand(report, "programs compared through C", through_c == all.compared.end() ? 0 : through_c->second,
         all.judged, 0.015, 2000);
  for (const auto& [name, times] : all.constructs)
    demand(report, "programs with " + name, times, all.judged, 0.02, 1000);
  try {
    check_the_checks();
    report.text += "planted faults are noticed\n";
  } catch (const std::exception& error) {
    report.text += fmt::format("{}\n", error.what());
    report.good = false;
  }
  return report;
}
