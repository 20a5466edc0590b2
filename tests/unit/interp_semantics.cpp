// SPDX-License-Identifier: Apache-2.0
// What the interpreter takes the language to mean: arithmetic, conversions, memory, control flow, checks.
#include <catch2/catch.hpp>

#include <cmath>
#include <cstring>
#include <limits>

#include "backend/interp/interp.h"
#include "backend/interp/number.h"
#include "ir/core/ndarray.h"
#include "pass_kernels.h"

namespace {

using namespace mlc::ir;  // NOLINT
using kernels::at;
using kernels::buffer;
using kernels::set;

constexpr DataType i8 = DataType::Int(8), u8 = DataType::UInt(8), i32 = DataType::Int(32),
                   i64 = DataType::Int(64);

PrimFunc plain(std::vector<Var> params, Stmt body, Type result = void_type()) {
  Map<String, Any> attrs;
  attrs.Set("global_symbol", String("main"));
  return make<PrimFuncNode>(Array<Var>(params.begin(), params.end()), result, body, attrs);
}
Any run(const PrimFunc& fn, std::vector<Any> args, mlc::interp::Options options = {}) {
  return mlc::interp::run(module_of(fn), "main", args, options);
}
// The value of an expression over parameters.
Any value_of(const Expr& e, std::vector<Var> params = {}, std::vector<Any> args = {}) {
  return run(plain(std::move(params), make<ReturnNode>(e), e->ty), std::move(args));
}
std::string failure(const std::function<void()>& what) {
  try {
    what();
  } catch (const Error& error) {
    return error.first().name + ": " + error.first().message;
  }
  return "no error";
}

}  // namespace

TEST_CASE("interp: integers wrap and divide as they say", "[interp]") {
  Var x = make_var("x", i8), y = make_var("y", i8), u = make_var("u", u8), v = make_var("v", u8);
  auto of = [&](Expr e, int64_t a, int64_t b) { return value_of(e, {x, y}, {a, b}).cast<int64_t>(); };
  auto of_unsigned = [&](Expr e, int64_t a, int64_t b) {
    return value_of(e, {u, v}, {a, b}).cast<int64_t>();
  };
  CHECK(of(binary(ExprKind::kAdd, x, y), 127, 1) == -128);
  CHECK(of(binary(ExprKind::kMul, x, y), 100, 3) == 44);
  CHECK(of_unsigned(binary(ExprKind::kSub, u, v), 3, 5) == 254);
  for (int64_t a : {-7, -6, 0, 6, 7}) {
    for (int64_t b : {-3, -2, 2, 3}) {
      int64_t floor = static_cast<int64_t>(std::floor(static_cast<double>(a) / static_cast<double>(b)));
      CHECK(of(binary(ExprKind::kFloorDiv, x, y), a, b) == floor);
      CHECK(of(binary(ExprKind::kFloorMod, x, y), a, b) == a - floor * b);
      CHECK(of(binary(ExprKind::kDiv, x, y), a, b) == a / b);
      CHECK(of(binary(ExprKind::kMod, x, y), a, b) == a % b);
    }
  }
  CHECK(of(binary(ExprKind::kDiv, x, y), -128, -1) == -128);
  CHECK(of(binary(ExprKind::kRShift, x, y), -8, 1) == -4);
  CHECK(of_unsigned(binary(ExprKind::kRShift, u, v), 0x88, 3) == 0x11);
  CHECK(of_unsigned(binary(ExprKind::kLT, u, v), 200, 100) == 0);
  CHECK(failure([&] { of(binary(ExprKind::kFloorDiv, x, y), 1, 0); }).starts_with("division-by-zero"));
}

TEST_CASE("interp: conversions", "[interp]") {
  auto as = [](DataType to, Expr e) { return value_of(make<CastNode>(to, e)); };
  CHECK(as(i8, int32(300)).cast<int64_t>() == 44);
  CHECK(as(u8, int32(-1)).cast<int64_t>() == 255);
  CHECK(as(i32, make_const(DataType::Float(32), -2.75)).cast<int64_t>() == -2);
  CHECK(as(DataType::Float(32), int_imm(i64, 16777217)).cast<double>() == 16777216.0);
  CHECK(as(DataType::Bool(), make_const(DataType::Float(32), 0.5)).cast<bool>());
  // Narrow floats: the nearest value, ties to even, infinity past the largest where there is one.
  CHECK(as(DataType::Float(16), make_const(DataType::Float(64), 1.0 + 1.0 / 2048)).cast<double>() == 1.0);
  CHECK(as(DataType::Float(16), make_const(DataType::Float(64), 65504.0)).cast<double>() == 65504.0);
  CHECK(std::isinf(as(DataType::Float(16), make_const(DataType::Float(64), 65520.0)).cast<double>()));
  CHECK(as(DataType::Float(16), make_const(DataType::Float(64), std::ldexp(1.0, -24))).cast<double>() ==
        std::ldexp(1.0, -24));
  CHECK(as(DataType::BFloat16(), make_const(DataType::Float(64), 3.14159)).cast<double>() == 3.140625);
  CHECK(as({kDLFloat8_e4m3fn, 8}, make_const(DataType::Float(64), 448.0)).cast<double>() == 448.0);
  CHECK(std::isnan(as({kDLFloat8_e4m3fn, 8}, make_const(DataType::Float(64), 500.0)).cast<double>()));
  CHECK(as({kDLFloat8_e5m2, 8}, make_const(DataType::Float(64), 1.1)).cast<double>() == 1.0);
}

TEST_CASE("interp: every narrow float pattern survives a round trip", "[interp]") {
  for (DataType type :
       {DataType::Float(16), DataType::BFloat16(), DataType(kDLFloat8_e4m3fn, 8), DataType(kDLFloat8_e5m2, 8),
        DataType(kDLFloat8_e4m3fnuz, 8), DataType(kDLFloat8_e3m4, 8), DataType(kDLFloat8_e8m0fnu, 8)}) {
    const mlc::interp::Number& number = mlc::interp::number_of(type);
    for (uint32_t bits = 0; bits < (1U << type.bits()); ++bits) {
      mlc::interp::Lane value = number.load(reinterpret_cast<const char*>(&bits));
      if (std::isnan(value.f)) continue;
      uint32_t back = 0;
      number.store(reinterpret_cast<char*>(&back), value);
      if (back != bits) FAIL(type.str() << " pattern " << bits << " came back as " << back);
    }
  }
}

TEST_CASE("interp: vectors", "[interp]") {
  Buffer a = buffer("A", {int32(12)}), b = buffer("B", {int32(4)});
  Expr strided = make<RampNode>(int32(1), int32(3), int32(4));
  Expr reversed = make<RampNode>(int32(3), int32(-1), int32(4));
  Stmt body = make<BufferStoreNode>(
      b, make<TensorLoadNode>(a, Array<Expr>{strided}) + Expr(make<BroadcastNode>(kernels::f32(1), int32(4))),
      Array<Expr>{reversed});
  ffi::Tensor from = make_tensor(std::vector<int64_t>{12}, DataType::Float(32));
  ffi::Tensor to = make_tensor(std::vector<int64_t>{4}, DataType::Float(32));
  for (int i = 0; i < 12; ++i) static_cast<float*>(from.data_ptr())[i] = static_cast<float>(i);
  run(plain({a, b}, body), {from, to});
  const float* got = static_cast<float*>(to.data_ptr());
  CHECK(std::vector<float>(got, got + 4) == std::vector<float>{11, 8, 5, 2});
  Expr picked =
      make<ShuffleNode>(Array<Expr>{make<RampNode>(int32(0), int32(1), int32(4))}, Array<Expr>{int32(2)});
  CHECK(value_of(picked).cast<int64_t>() == 2);
}

TEST_CASE("interp: control flow", "[interp]") {
  // The first i whose square reaches n, by while; sums odd numbers below it, by continue and break.
  Var n = make_var("n", i32), j = make_var("j", i32);
  Buffer i = buffer("i", {int32(1)}, i32), sum = buffer("sum", {int32(1)}, i32);
  Expr cur = at(i, {int32(0)});
  Stmt search = make<WhileNode>(lt(cur * cur, n), set(i, {int32(0)}, cur + 1));
  Stmt skip = make<IfThenElseNode>(eq(floormod(j, int32(2)), int32(0)), make<ContinueNode>());
  Stmt stop = make<IfThenElseNode>(ge(j, cur), make<BreakNode>());
  Stmt body =
      seq({make<AllocBufferNode>(i), make<AllocBufferNode>(sum), set(i, {int32(0)}, int32(0)),
           set(sum, {int32(0)}, int32(0)), search,
           kernels::loop(j, int32(100), seq({skip, stop, set(sum, {int32(0)}, at(sum, {int32(0)}) + j)})),
           make<ReturnNode>(at(sum, {int32(0)}))});
  PrimFunc fn = plain({n}, body, prim_type(i32));
  CHECK(run(fn, {int64_t{36}}).cast<int64_t>() == 1 + 3 + 5);
  CHECK(run(fn, {int64_t{37}}).cast<int64_t>() == 1 + 3 + 5);
  CHECK(run(fn, {int64_t{50}}).cast<int64_t>() == 1 + 3 + 5 + 7);
}

TEST_CASE("interp: calls between functions pass buffers and numbers", "[interp]") {
  Buffer a = buffer("A", {int32(4)}), whole = buffer("W", {int32(4)});
  Var s = make_var("s", DataType::Float(32)), k = make_var("k", i32);
  PrimFunc scale = plain({a, s}, kernels::loop(k, int32(4), set(a, {k}, at(a, {k}) * Expr(s))));
  Stmt call = make<EvaluateNode>(
      make<CallNode>(void_type(), make<GlobalVarNode>("scale"), Array<Expr>{whole, kernels::f32(3)}));
  Map<GlobalVar, BaseFunc> functions;
  functions.Set(make<GlobalVarNode>("scale"), scale);
  functions.Set(make<GlobalVarNode>("main"), plain({whole}, seq({call, call})));
  ffi::Tensor t = make_tensor(std::vector<int64_t>{4}, DataType::Float(32));
  for (int i = 0; i < 4; ++i) static_cast<float*>(t.data_ptr())[i] = static_cast<float>(i);
  mlc::interp::run(make<IRModuleNode>(functions), "main", std::vector<Any>{t});
  CHECK(static_cast<float*>(t.data_ptr())[3] == 27.0F);
}

TEST_CASE("interp: strided and offset views", "[interp]") {
  // Row 2 of a 4x5 matrix through a declared view, and its first column through strides.
  Buffer a = buffer("A", {int32(4), int32(5)});
  Buffer row = make<VarNode>("row", make<BufferTypeNode>(DataType::Float(32), "global", Array<Expr>{int32(5)},
                                                         Array<Expr>{}, int32(10)));
  Buffer column =
      make<VarNode>("column", make<BufferTypeNode>(DataType::Float(32), "global", Array<Expr>{int32(4)},
                                                   Array<Expr>{int32(5)}, int32(0)));
  Stmt body = seq({make<DeclBufferNode>(row, a), make<DeclBufferNode>(column, a),
                   set(row, {int32(1)}, kernels::f32(7)), set(column, {int32(3)}, kernels::f32(9))});
  ffi::Tensor t = make_tensor(std::vector<int64_t>{4, 5}, DataType::Float(32));
  std::memset(t.data_ptr(), 0, 80);
  run(plain({a}, body), {t});
  CHECK(static_cast<float*>(t.data_ptr())[11] == 7.0F);
  CHECK(static_cast<float*>(t.data_ptr())[15] == 9.0F);
}

TEST_CASE("interp: tensors whose strides are those of their shape, where it has more than one element",
          "[interp]") {
  Buffer a = buffer("A", {int32(2), int32(1), int32(3)});
  PrimFunc nothing = plain({a}, no_op());
  ffi::Tensor whole = make_tensor(std::vector<int64_t>{64}, DataType::Float(32));
  auto with_strides = [&](std::vector<int64_t> strides) {
    ffi::Tensor view = whole.as_strided(ffi::Shape{2, 1, 3}, ffi::Shape(strides.begin(), strides.end()));
    return failure([&] { run(nothing, {view}); });
  };
  CHECK(with_strides({3, 3, 1}) == "no error");
  CHECK(with_strides({3, 17, 1}) == "no error");
  for (std::vector<int64_t> strides :
       {std::vector<int64_t>{3, 3, 2}, {4, 3, 1}, {6, 3, 1}, {1, 3, 2}, {0, 3, 1}})
    CHECK(with_strides(strides).starts_with("wrong-argument"));
}

TEST_CASE("interp: mistakes are named", "[interp]") {
  Var n = make_var("n", i32), k = make_var("k", i32);
  Buffer a = buffer("A", {n}), b = buffer("B", {n * Expr(int32(2))});
  auto floats = [](std::vector<int64_t> shape) { return Any(make_tensor(shape, DataType::Float(32))); };
  PrimFunc past_end = plain({a}, kernels::loop(k, Expr(n) + 1, set(a, {k}, kernels::f32(0))));
  CHECK(failure([&] { run(past_end, {floats({3})}); }) ==
        "index-out-of-bounds: `A` is written at (3,), outside its shape (3,)");
  PrimFunc both = plain({b, a}, no_op());
  CHECK(failure([&] { run(both, {floats({6}), floats({3})}); }) == "no error");
  CHECK(failure([&] {
          run(both, {floats({7}), floats({3})});
        }) == "shape-mismatch: dimension 0 of `B` of `main` must be 6, got 7");
  CHECK(failure([&] { run(both, {floats({6})}); }).starts_with("wrong-argument-count"));
  CHECK(failure([&] { run(both, {floats({6}), Any(int64_t{1})}); }).starts_with("wrong-argument"));
  Buffer t = buffer("T", {int32(4)});
  PrimFunc early = plain({a}, seq({make<AllocBufferNode>(t), set(a, {int32(0)}, at(t, {int32(1)}))}));
  CHECK(failure([&] { run(early, {floats({3})}, {.check_uninitialized = true}); }) ==
        "uninitialized-read: element 1 of `T` is read before it is written");
  Buffer huge = make<VarNode>("V", make<BufferTypeNode>(DataType::Float(32), "global",
                                                        Array<Expr>{int32(100)}, Array<Expr>{}, int32(0)));
  PrimFunc beyond = plain({a}, seq({make<DeclBufferNode>(huge, a), set(huge, {int32(50)}, kernels::f32(0))}));
  CHECK(failure([&] { run(beyond, {floats({3})}); }).starts_with("address-out-of-bounds"));
  Stmt check = make<AssertStmtNode>(lt(n, int32(3)), "ValueError", Array<String>{"n is ", "too large"});
  CHECK(failure([&] { run(plain({a}, check), {floats({3})}); }) == "assertion-failed: n is too large");
}

TEST_CASE("interp: random arguments fit", "[interp]") {
  for (const kernels::Named& kernel : kernels::all()) {
    INFO(kernel.name);
    auto args = mlc::interp::random_arguments(kernel.fn, 7);
    CHECK_NOTHROW(mlc::interp::run(module_of(kernel.fn), "main", args));
    auto again = mlc::interp::random_arguments(kernel.fn, 7);
    CHECK(args.size() == again.size());
  }
  // An integer buffer used as an index stays inside.
  Buffer where = buffer("I", {int32(50)}, i32), a = buffer("A", {int32(3)}), out = buffer("B", {int32(50)});
  Var k = make_var("k", i32);
  PrimFunc gather =
      plain({where, a, out}, kernels::loop(k, int32(50), set(out, {k}, at(a, {at(where, {k})}))));
  CHECK_NOTHROW(run(gather, mlc::interp::random_arguments(gather, 3)));
}
