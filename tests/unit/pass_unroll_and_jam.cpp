// SPDX-License-Identifier: Apache-2.0
// Jammed reductions give the same bits as the loops they replace, compiled and interpreted, and are left
// alone where they would not.
#include <catch2/catch.hpp>

#include "backend/interp/interp.h"
#include "backend/llvm/module.h"
#include "ir/core/ndarray.h"
#include "ir/core/visit.h"
#include "ir/registry/no_script.h"
#include "ir/tir/arith_ops.h"
#include "transform/pass/pass.h"

namespace {

using namespace mlc::ir;  // NOLINT: builders read like the language

constexpr int64_t kRows = 6;
constexpr int64_t kColumns = 10;

struct Program {
  int64_t steps;
  bool with_init;
  int64_t row_stride;  // of the output; smaller than kColumns: cells overlap
  bool noalias = true;
};

PrimFunc matmul(const Program& p) {
  auto flat = [](const char* name, int64_t size) {
    return make<VarNode>(name, make<BufferTypeNode>(DataType::Float(32), "global", Array<Expr>{int32(size)},
                                                    Array<Expr>{}, int32(0)));
  };
  Buffer a = flat("A", kRows * p.steps);
  Buffer b = flat("B", kColumns * p.steps);
  Buffer c = flat("C", kRows * kColumns);
  Var k = make_var("k", DataType::Int(32));
  Var i = make_var("i", DataType::Int(32));
  Var j = make_var("j", DataType::Int(32));
  Expr cell = i * p.row_stride + j;
  auto load = [](const Buffer& from, const Expr& index) {
    return make<TensorLoadNode>(from, Array<Expr>{index});
  };
  Expr product = Expr(load(a, i * p.steps + k)) * Expr(load(b, k * kColumns + j));
  Stmt update = make<BufferStoreNode>(c, Expr(load(c, cell)) + product, Array<Expr>{cell});
  if (p.with_init) {
    Stmt init = make<BufferStoreNode>(c, make_const(DataType::Float(32), 0.5), Array<Expr>{cell});
    update = seq({make<IfThenElseNode>(make<EQNode>(k, int32(0)), init), update});
  }
  auto loop = [](const Var& v, int64_t extent, Stmt body) {
    return make<ForNode>(v, int32(0), int32(extent), ForKind::kSerial, body);
  };
  Map<String, Any> attrs;
  attrs.Set("global_symbol", String("main"));
  if (p.noalias) attrs.Set("tirx.noalias", true);
  return make<PrimFuncNode>(Array<Var>{a, b, c}, void_type(),
                            loop(k, p.steps, loop(i, kRows, loop(j, kColumns, update))), attrs);
}

PrimFunc jammed(const PrimFunc& fn) {
  NoScript host;
  IRModule mod = mlc::transform::run_pass(mlc::transform::find_pass("UnrollAndJam"), module_of(fn), host);
  return Any((*mod->functions.begin()).second).cast<PrimFunc>();
}

std::vector<float> result(const PrimFunc& fn, int64_t steps, bool compiled) {
  auto filled = [](int64_t count, uint32_t seed) {
    mlc::ir::ffi::Tensor made = make_tensor(std::vector<int64_t>{count}, DataType::Float(32));
    for (int64_t x = 0; x < count; ++x) {
      seed = seed * 1664525U + 1013904223U;
      static_cast<float*>(made.data_ptr())[x] = static_cast<float>(seed >> 8U) * 0x1p-24F;
    }
    return made;
  };
  auto a = filled(kRows * steps, 1);
  auto b = filled(kColumns * steps, 2);
  auto c = filled(kRows * kColumns, 3);
  if (compiled) {
    mlc::ir::ffi::Module module = mlc::llvm_backend::make_module(module_of(fn), parse_target(String("llvm")));
    (*module->GetFunction("main"))(a, b, c);
  } else {
    std::vector<Any> args{a, b, c};
    mlc::interp::run(module_of(fn), "main", args, {});
  }
  auto* data = static_cast<float*>(c.data_ptr());
  return {data, data + kRows * kColumns};
}

}  // namespace

TEST_CASE("pass: jammed reductions keep every bit", "[pass]") {
  for (int64_t steps : {16, 17, 23, 64}) {
    for (bool with_init : {false, true}) {
      PrimFunc fn = matmul({steps, with_init, kColumns});
      PrimFunc after = jammed(fn);
      REQUIRE(after.get() != fn.get());
      for (bool compiled : {false, true})
        REQUIRE(result(after, steps, compiled) == result(fn, steps, compiled));
    }
  }
}

TEST_CASE("pass: reductions that must not be jammed", "[pass]") {
  PrimFunc overlapping = matmul({64, true, 3});
  CHECK(jammed(overlapping).get() == overlapping.get());
  PrimFunc aliased = matmul({64, true, kColumns, false});
  CHECK(jammed(aliased).get() == aliased.get());
  PrimFunc few = matmul({5, true, kColumns});
  CHECK(jammed(few).get() == few.get());
}
