// SPDX-License-Identifier: Apache-2.0
// Jammed reductions give the same bits as the loops they replace, and are left alone where they would not.
#include <catch2/catch.hpp>

#include "backend/llvm/jam_reduction.h"
#include "backend/llvm/module.h"
#include "ir/core/ndarray.h"
#include "ir/core/visit.h"
#include "ir/tir/arith_ops.h"

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

std::vector<float> result(const PrimFunc& fn, int64_t steps, const char* target) {
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
  mlc::ir::ffi::Module module = mlc::llvm_backend::make_module(module_of(fn), parse_target(String(target)));
  (*module->GetFunction("main"))(a, b, c);
  auto* data = static_cast<float*>(c.data_ptr());
  return {data, data + kRows * kColumns};
}

}  // namespace

TEST_CASE("codegen: jammed reductions keep every bit", "[codegen]") {
  for (int64_t steps : {16, 17, 23, 64}) {
    for (bool with_init : {false, true}) {
      PrimFunc fn = matmul({steps, with_init, kColumns});
      REQUIRE(mlc::llvm_backend::jam_reductions(fn).get() != fn.get());
      REQUIRE(result(fn, steps, "llvm") == result(fn, steps, "llvm -mcpu=native -opt-level=1"));
    }
  }
}

TEST_CASE("codegen: reductions that must not be jammed", "[codegen]") {
  PrimFunc overlapping = matmul({64, true, 3});
  CHECK(mlc::llvm_backend::jam_reductions(overlapping).get() == overlapping.get());
  PrimFunc aliased = matmul({64, true, kColumns, false});
  CHECK(mlc::llvm_backend::jam_reductions(aliased).get() == aliased.get());
  PrimFunc few = matmul({5, true, kColumns});
  CHECK(mlc::llvm_backend::jam_reductions(few).get() == few.get());
}
