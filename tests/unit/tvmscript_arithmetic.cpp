// SPDX-License-Identifier: Apache-2.0
// Type rules and folding of the arithmetic builders, and linear forms.
#include <catch2/catch.hpp>

#include "ir/core/visit.h"
#include "ir/tir/arith_ops.h"
#include "ir/tir/linear.h"

using namespace mlc::ir;

namespace {

DataType meeting(const char* a, const char* b) {
  Expr x = make_var("x", DataType::parse(a));
  Expr y = make_var("y", DataType::parse(b));
  match_types(x, y);
  REQUIRE(x->dtype() == y->dtype());
  return x->dtype();
}
std::string name_of_error(const std::function<void()>& f) {
  try {
    f();
  } catch (const Error& error) {
    return error.first().name;
  }
  return "";
}

}  // namespace

TEST_CASE("operands meet in one type", "[tvmscript]") {
  struct Row {
    const char *a, *b, *common;
  };
  for (const Row& row :
       {Row{"int32", "int64", "int64"}, Row{"int8", "uint8", "uint8"}, Row{"uint32", "int64", "int64"},
        Row{"uint8", "int32", "int32"}, Row{"bool", "int8", "int8"}, Row{"int64", "float16", "float16"},
        Row{"float16", "float32", "float32"}, Row{"bfloat16", "float16", "float16"},
        Row{"bfloat16", "int32", "bfloat16"}, Row{"int32x4", "float32", "float32x4"},
        Row{"int8", "int32x4", "int32x4"}, Row{"boolx4", "int32", "int32x4"}}) {
    INFO(row.a << " and " << row.b);
    CHECK(meeting(row.a, row.b) == DataType::parse(row.common));
    CHECK(meeting(row.b, row.a) == DataType::parse(row.common));
  }
  CHECK(name_of_error([] { meeting("int32x4", "int32x8"); }) == "type-mismatch");
  CHECK(name_of_error([] { meeting("handle", "int32"); }) == "type-mismatch");
}

TEST_CASE("constants fold in their own width", "[tvmscript]") {
  auto i8 = [](int64_t v) { return Expr(int_imm(DataType::Int(8), v)); };
  auto u8 = [](int64_t v) { return Expr(int_imm(DataType::UInt(8), v)); };
  CHECK(const_int(add(i8(100), i8(100))) == -56);
  CHECK(const_int(add(u8(200), u8(100))) == 44);
  CHECK(const_int(add(int32(2147483647), int32(1))) == -2147483648LL);
  CHECK(const_int(floordiv(int32(7), int32(-2))) == -4);
  CHECK(const_int(floormod(int32(7), int32(-2))) == -1);
  CHECK(const_int(truncdiv(int32(-7), int32(2))) == -3);
  CHECK(const_int(truncmod(int32(-7), int32(2))) == -1);
  CHECK(const_int(shift_right(int32(-8), int32(1))) == -4);
  CHECK(name_of_error([] { floordiv(int32(1), int32(0)); }) == "division-by-zero");
  CHECK(name_of_error([] { shift_left(int32(1), int32(32)); }) == "shift-out-of-range");
  CHECK(name_of_error([&] { sub(u8(0), u8(1)); }) == "literal-out-of-range");
  CHECK(const_int(sub(u8(2), u8(5))) == 253);
  CHECK(name_of_error([] { cast(DataType::Int(8), int32(200)); }) == "literal-out-of-range");
  CHECK(name_of_error([] { div(int32(4), int32(2)); }) == "integer-division");
  // float32 rounds to float32, narrow formats are not folded.
  Expr added = add(make_const(DataType::Float(32), 0.1), make_const(DataType::Float(32), 0.2));
  auto* sum = as<FloatImmNode>(added);
  REQUIRE(sum);
  CHECK(sum->value == static_cast<double>(static_cast<float>(0.1 + 0.2)));
  CHECK(as<AddNode>(add(make_const(DataType::Float(16), 1), make_const(DataType::Float(16), 2))));
}

TEST_CASE("identities keep the node", "[tvmscript]") {
  Expr v = make_var("v", DataType::Int(32));
  CHECK(add(v, int32(0)).get() == v.get());
  CHECK(mul(int32(1), v).get() == v.get());
  CHECK(floordiv(v, int32(1)).get() == v.get());
  CHECK(max(v, v).get() == v.get());
  CHECK(is_const_int(mul(v, int32(0)), 0));
  CHECK(is_const_int(floormod(v, int32(1)), 0));
  CHECK(as<SubNode>(sub(v, v)));
  CHECK(logical_and(bool_imm(true), lt(v, int32(3)))->kind == ExprKind::kLT);
}

TEST_CASE("linear forms", "[tvmscript]") {
  Expr x = make_var("x", DataType::Int(32));
  Expr y = make_var("y", DataType::Int(32));
  CHECK(constant_difference(x * 4 + 3, x * 4) == 3);
  CHECK(constant_difference((x + 1) * 2, x + x) == 2);
  CHECK(constant_difference(floordiv(x * 4 + 3, int32(4)), x) == 0);
  CHECK(constant_difference(floormod(x * 4 + 3, int32(4)), int32(3)) == 0);
  CHECK_FALSE(constant_difference(x, y).has_value());
  CHECK(structural_equal(Any(simplify_linear(y * 2 - x + 5 + y)), Any(y * 3 + 5 - x), true));
}
