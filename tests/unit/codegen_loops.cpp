// SPDX-License-Identifier: Apache-2.0
// Compiled functions against the same loops in C++, on IR built by hand.
#include <catch2/catch.hpp>

#include <cmath>
#include <cstring>

#include "backend/llvm/module.h"
#include "ir/core/ndarray.h"
#include "ir/core/visit.h"
#include "ir/tir/arith_ops.h"
#include "ir/tir/op.h"

namespace {

using namespace mlc::ir;  // NOLINT: builders read like the language

Buffer buffer(const char* name, std::vector<Expr> shape, DataType dtype = DataType::Float(32)) {
  return make<VarNode>(name, make<BufferTypeNode>(dtype, "global", Array<Expr>(shape.begin(), shape.end()),
                                                  Array<Expr>{}, int32(0)));
}
Expr at(const Buffer& b, std::vector<Expr> index) {
  return make<TensorLoadNode>(b, Array<Expr>(index.begin(), index.end()));
}
Stmt set(const Buffer& b, Expr value, std::vector<Expr> index) {
  return make<BufferStoreNode>(b, value, Array<Expr>(index.begin(), index.end()));
}
Stmt loop(const Var& v, Expr extent, Stmt body, ForKind kind = ForKind::kSerial) {
  return make<ForNode>(v, const_like(v, 0), extent, kind, body);
}
PrimFunc function(std::vector<Var> params, Stmt body, Type result = void_type(), const char* name = "main") {
  Map<String, Any> attrs;
  attrs.Set("global_symbol", String(name));
  attrs.Set("tirx.noalias", true);
  return make<PrimFuncNode>(Array<Var>(params.begin(), params.end()), result, body, attrs);
}
ffi::Function compiled(const PrimFunc& fn, const char* target = "llvm") {
  static std::vector<ffi::Module> keep;
  keep.push_back(mlc::llvm_backend::make_module(module_of(fn), parse_target(String(target))));
  return *keep.back()->GetFunction(String(std::string(attr(fn, "global_symbol")->cast<String>())));
}
ffi::Tensor tensor(std::vector<int64_t> shape, DataType dtype = DataType::Float(32)) {
  return make_tensor(shape, dtype);
}
template <class T>
T* data(const ffi::Tensor& t) {
  return static_cast<T*>(t.data_ptr());
}
std::string failure(const std::function<void()>& run) {
  try {
    run();
  } catch (const Error& error) {
    return error.first().kind + ": " + error.first().message;
  }
  return "no error";
}

}  // namespace

TEST_CASE("codegen: a matmul, serial and parallel", "[codegen]") {
  constexpr int64_t n = 37;
  Buffer a = buffer("A", {int32(n), int32(n)});
  Buffer b = buffer("B", {int32(n), int32(n)});
  Buffer c = buffer("C", {int32(n), int32(n)});
  for (ForKind kind : {ForKind::kSerial, ForKind::kParallel}) {
    Var i = make_var("i", DataType::Int(32));
    Var j = make_var("j", DataType::Int(32));
    Var k = make_var("k", DataType::Int(32));
    Stmt body =
        loop(i, int32(n),
             loop(j, int32(n),
                  seq({set(c, make_const(DataType::Float(32), 0), {i, j}),
                       loop(k, int32(n), set(c, at(c, {i, j}) + at(a, {i, k}) * at(b, {k, j}), {i, j}))})),
             kind);
    ffi::Function run = compiled(function({a, b, c}, body));
    ffi::Tensor ta = tensor({n, n});
    ffi::Tensor tb = tensor({n, n});
    ffi::Tensor tc = tensor({n, n});
    for (int64_t x = 0; x < n * n; ++x)
      data<float>(ta)[x] = static_cast<float>(x % 7), data<float>(tb)[x] = static_cast<float>(x % 5);
    run(ta, tb, tc);
    for (int64_t x = 0; x < n; ++x) {
      for (int64_t y = 0; y < n; ++y) {
        float sum = 0;
        for (int64_t z = 0; z < n; ++z) sum += data<float>(ta)[x * n + z] * data<float>(tb)[z * n + y];
        REQUIRE(data<float>(tc)[x * n + y] == sum);
      }
    }
  }
}

TEST_CASE("codegen: floor division and modulo of all signs", "[codegen]") {
  for (DataType dtype : {DataType::Int(32), DataType::Int(64), DataType::Int(8)}) {
    for (int64_t divisor : {3, -3, 4, 1, 7}) {
      Buffer a = buffer("A", {int32(41)}, dtype);
      Buffer q = buffer("Q", {int32(41)}, dtype);
      Buffer r = buffer("R", {int32(41)}, dtype);
      Var i = make_var("i", DataType::Int(32));
      Expr d = int_imm(dtype, divisor);
      ffi::Function run =
          compiled(function({a, q, r}, loop(i, int32(41),
                                            seq({set(q, make<FloorDivNode>(at(a, {i}), d), {i}),
                                                 set(r, make<FloorModNode>(at(a, {i}), d), {i})}))));
      ffi::Tensor ta = tensor({41}, dtype);
      ffi::Tensor tq = tensor({41}, dtype);
      ffi::Tensor tr = tensor({41}, dtype);
      auto get = [&](const ffi::Tensor& t, int64_t x) -> int64_t {
        return dtype.bits() == 8    ? data<int8_t>(t)[x]
               : dtype.bits() == 32 ? data<int32_t>(t)[x]
                                    : data<int64_t>(t)[x];
      };
      for (int64_t x = 0; x < 41; ++x) {
        if (dtype.bits() == 8)
          data<int8_t>(ta)[x] = static_cast<int8_t>(x - 20);
        else if (dtype.bits() == 32)
          data<int32_t>(ta)[x] = static_cast<int32_t>(x - 20);
        else
          data<int64_t>(ta)[x] = x - 20;
      }
      run(ta, tq, tr);
      for (int64_t x = 0; x < 41; ++x) {
        auto quotient =
            static_cast<int64_t>(std::floor(static_cast<double>(x - 20) / static_cast<double>(divisor)));
        REQUIRE(get(tq, x) == quotient);
        REQUIRE(get(tr, x) == x - 20 - quotient * divisor);
      }
    }
  }
}

TEST_CASE("codegen: vectors", "[codegen]") {
  Buffer a = buffer("A", {int32(64)});
  Buffer b = buffer("B", {int32(64)});
  Var i = make_var("i", DataType::Int(32));
  Expr contiguous = make<RampNode>(i * 8, int32(1), int32(8));
  Expr strided = make<RampNode>(int32(63) - i, int32(-8), int32(8));
  Expr two = make_const(DataType::Float(32, 8), 2);
  ffi::Function run =
      compiled(function({a, b}, loop(i, int32(8), set(b, at(a, {contiguous}) * two, {strided}))));
  ffi::Tensor ta = tensor({64});
  ffi::Tensor tb = tensor({64});
  for (int x = 0; x < 64; ++x) data<float>(ta)[x] = static_cast<float>(x);
  run(ta, tb);
  for (int x = 0; x < 8; ++x) {
    for (int l = 0; l < 8; ++l)
      REQUIRE(data<float>(tb)[63 - x - 8 * l] == static_cast<float>(2 * (x * 8 + l)));
  }
}

TEST_CASE("codegen: float16 and bfloat16, with and without hardware", "[codegen]") {
  for (const char* target : {"llvm", "llvm -mcpu=x86-64"}) {
    for (DataType dtype : {DataType::Float(16), DataType::BFloat16()}) {
      Buffer a = buffer("A", {int32(65536)}, dtype);
      Buffer w = buffer("W", {int32(65536)});
      Buffer b = buffer("B", {int32(65536)}, dtype);
      Var i = make_var("i", DataType::Int(32));
      ffi::Function run =
          compiled(function({a, w, b}, loop(i, int32(65536),
                                            seq({set(w, make<CastNode>(DataType::Float(32), at(a, {i})), {i}),
                                                 set(b, make<CastNode>(dtype, at(w, {i})), {i})}))),
                   target);
      ffi::Tensor ta = tensor({65536}, dtype);
      ffi::Tensor tw = tensor({65536});
      ffi::Tensor tb = tensor({65536}, dtype);
      for (int x = 0; x < 65536; ++x) data<uint16_t>(ta)[x] = static_cast<uint16_t>(x);
      run(ta, tw, tb);
      for (int x = 0; x < 65536; ++x) {
        float value = data<float>(tw)[x];
        int mantissa = dtype.is_bfloat16() ? 7 : 10;
        int exponent = (x & 0x7fff) >> mantissa;
        int top = dtype.is_bfloat16() ? 255 : 31;
        int fraction = x & ((1 << mantissa) - 1);
        if (exponent == top && fraction != 0) {
          REQUIRE(std::isnan(value));
          continue;
        }
        int bias = dtype.is_bfloat16() ? 127 : 15;
        double expected = exponent == top ? INFINITY
                          : exponent == 0
                              ? std::ldexp(fraction, 1 - bias - mantissa)
                              : std::ldexp(fraction + (1 << mantissa), exponent - bias - mantissa);
        REQUIRE(value == static_cast<float>((x & 0x8000) != 0 ? -expected : expected));
        REQUIRE(data<uint16_t>(tb)[x] == x);
      }
    }
  }
}

TEST_CASE("codegen: rounding to float16 is to nearest even", "[codegen]") {
  Buffer w = buffer("W", {int32(4)});
  Buffer hard = buffer("H", {int32(4)}, DataType::Float(16));
  Var i = make_var("i", DataType::Int(32));
  for (const char* target : {"llvm", "llvm -mcpu=x86-64"}) {
    ffi::Function run =
        compiled(function({w, hard},
                          loop(i, int32(4), set(hard, make<CastNode>(DataType::Float(16), at(w, {i})), {i}))),
                 target);
    ffi::Tensor tw = tensor({4});
    ffi::Tensor th = tensor({4}, DataType::Float(16));
    float values[] = {1.0F + 0x1p-11F, 1.0F + 3 * 0x1p-11F, 65520.0F, 3 * 0x1p-26F};
    std::memcpy(tw.data_ptr(), values, sizeof values);
    run(tw, th);
    uint16_t expected[] = {0x3c00, 0x3c02, 0x7c00, 0x0001};
    for (int x = 0; x < 4; ++x) CHECK(data<uint16_t>(th)[x] == expected[x]);
  }
}

TEST_CASE("codegen: allocation on stack and heap", "[codegen]") {
  for (int64_t n : {16, 100000}) {
    Buffer a = buffer("A", {int32(n)});
    Buffer t = buffer("T", {int32(n)});
    Var i = make_var("i", DataType::Int(32));
    Var j = make_var("j", DataType::Int(32));
    Stmt body = seq({make<AllocBufferNode>(t), loop(i, int32(n), set(t, at(a, {i}) + at(a, {i}), {i})),
                     loop(j, int32(n), set(a, at(t, {j}) + at(t, {int32(n - 1) - j}), {j}))});
    ffi::Function run = compiled(function({a}, body));
    ffi::Tensor ta = tensor({n});
    for (int64_t x = 0; x < n; ++x) data<float>(ta)[x] = static_cast<float>(x);
    run(ta);
    for (int64_t x = 0; x < n; ++x) REQUIRE(data<float>(ta)[x] == static_cast<float>(2 * (n - 1)));
  }
}

TEST_CASE("codegen: symbolic shapes, scalars and results", "[codegen]") {
  Var n = make_var("n", DataType::Int(32));
  Var scale = make_var("scale", DataType::Float(32));
  Buffer a = buffer("A", {n});
  Buffer b = buffer("B", {n, int32(2)});
  Var i = make_var("i", DataType::Int(32));
  Stmt body = seq({loop(i, n, set(b, at(a, {i}) * scale, {i, int32(1)})), make<ReturnNode>(n * 3)});
  ffi::Function run = compiled(function({a, scale, b}, body, prim_type(DataType::Int(64))));
  ffi::Tensor ta = tensor({5});
  ffi::Tensor tb = tensor({5, 2});
  for (int x = 0; x < 5; ++x) data<float>(ta)[x] = static_cast<float>(x);
  CHECK(run(ta, 2.5, tb).cast<int64_t>() == 15);
  CHECK(data<float>(tb)[9] == 10.0F);
  CHECK(run(ta, 2, tb).cast<int64_t>() == 15);
  CHECK(failure([&] {
          run(ta, 2.5, tensor({6, 2}));
        }) == "ValueError: argument 2 `B` of `main`: shape[0] is 6, expected 5 (`n`, from argument 0)");
  CHECK(failure([&] {
          run(ta, 2.5, tensor({5, 3}));
        }) == "ValueError: argument 2 `B` of `main`: shape[1] is 3, expected 2");
}

TEST_CASE("codegen: what a call checks", "[codegen]") {
  Buffer a = buffer("A", {int32(8)});
  Var n = make_var("n", DataType::Int(32));
  ffi::Function run = compiled(function({a, n}, set(a, make<CastNode>(DataType::Float(32), n), {int32(0)})));
  ffi::Tensor ta = tensor({8});
  CHECK(failure([&] { run(ta); }) == "TypeError: `main` takes 2 arguments, got 1");
  CHECK(failure([&] { run(1, 2); }) == "TypeError: argument 0 `A` of `main` is int, expected a tensor");
  CHECK(failure([&] { run(ta, "x"); }) == "TypeError: argument 1 `n` of `main` is str, expected an int");
  CHECK(failure([&] { run(ta, 1.5); }) == "TypeError: argument 1 `n` of `main` is float, expected an int");
  CHECK(failure([&] { run(ta, int64_t{1} << 40); }) ==
        "ValueError: argument 1 `n` of `main` is 1099511627776, which int32 cannot hold");
  CHECK(failure([&] { run(tensor({8}, DataType::Float(64)), 1); }) ==
        "TypeError: argument 0 `A` of `main`: dtype is float64, expected float32");
  CHECK(failure([&] {
          run(tensor({8, 1}), 1);
        }) == "ValueError: argument 0 `A` of `main` has 2 dimension(s), expected 1");
  CHECK(failure([&] { run(tensor({9}), 1); }) ==
        "ValueError: argument 0 `A` of `main`: shape[0] is 9, expected 8");
  DLTensor odd = *ta.GetDLTensorPtr();
  int64_t stride = 2;
  odd.strides = &stride;
  CHECK(failure([&] { run(&odd, 1); }) ==
        "ValueError: argument 0 `A` of `main` is not compact (row-major without gaps)");
  odd = *ta.GetDLTensorPtr();
  odd.byte_offset = 2;
  CHECK(failure([&] { run(&odd, 1); }) ==
        "ValueError: argument 0 `A` of `main`: its data is not aligned to 4 bytes");
  odd.byte_offset = 0;
  odd.device = {kDLCUDA, 0};
  CHECK(failure([&] { run(&odd, 1); }) ==
        "ValueError: argument 0 `A` of `main` is on a device of type 2, expected the CPU");
  run(ta, 3);
  CHECK(data<float>(ta)[0] == 3.0F);
}

TEST_CASE("codegen: an assertion in a parallel loop reaches the caller", "[codegen]") {
  Buffer a = buffer("A", {int32(64)}, DataType::Int(32));
  Var i = make_var("i", DataType::Int(32));
  Stmt body = loop(i, int32(64),
                   seq({make<AssertStmtNode>(make<LTNode>(at(a, {i}), int32(60)), "RuntimeError",
                                             Array<String>{"too ", "large"}),
                        set(a, at(a, {i}) + 1, {i})}),
                   ForKind::kParallel);
  ffi::Function run = compiled(function({a}, body));
  ffi::Tensor ta = tensor({64}, DataType::Int(32));
  for (int x = 0; x < 64; ++x) data<int32_t>(ta)[x] = 0;
  run(ta);
  for (int x = 0; x < 64; ++x) REQUIRE(data<int32_t>(ta)[x] == 1);
  for (int x = 0; x < 64; ++x) data<int32_t>(ta)[x] = x;
  for (int times = 0; times < 50; ++times) {
    data<int32_t>(ta)[63] = 99;
    REQUIRE(failure([&] { run(ta); }) == "RuntimeError: too large");
  }
}

TEST_CASE("codegen: while, break, continue and early return", "[codegen]") {
  Buffer a = buffer("A", {int32(10)}, DataType::Int(32));
  Var i = make_var("i", DataType::Int(32));
  Stmt body = loop(i, int32(10),
                   seq({make<IfThenElseNode>(make<EQNode>(i, int32(2)), make<ContinueNode>()),
                        make<IfThenElseNode>(make<EQNode>(i, int32(6)), make<BreakNode>()), set(a, i, {i}),
                        make<WhileNode>(make<LTNode>(at(a, {i}), int32(20)), set(a, at(a, {i}) + 7, {i}))}));
  ffi::Function run = compiled(function(
      {a},
      seq({body, make<IfThenElseNode>(make<EQNode>(at(a, {int32(0)}), int32(21)), make<ReturnNode>(int32(0))),
           set(a, int32(-1), {int32(9)})})));
  ffi::Tensor ta = tensor({10}, DataType::Int(32));
  for (int x = 0; x < 10; ++x) data<int32_t>(ta)[x] = 5;
  run(ta);
  int expected[] = {21, 22, 5, 24, 25, 26, 5, 5, 5, 5};
  for (int x = 0; x < 10; ++x) CHECK(data<int32_t>(ta)[x] == expected[x]);
}

TEST_CASE("codegen: what cannot be compiled is refused by name", "[codegen]") {
  Var i = make_var("i", DataType::Int(32));
  Buffer odd = buffer("A", {int32(8)}, DataType::Int(4));
  CHECK(failure([&] { compiled(function({odd}, set(odd, int_imm(DataType::Int(4), 1), {int32(0)}))); }) ==
        "ValueError: values of type int4 cannot be compiled for the CPU");
  Buffer a = buffer("A", {int32(8)});
  CHECK(failure([&] {
          compiled(function({a}, loop(i, int32(8), set(a, at(a, {i}), {i}), ForKind::kVectorized)));
        }) == "ValueError: a vectorized loop cannot be compiled for the CPU");
}
