// SPDX-License-Identifier: Apache-2.0
// What follows from field lists: equality up to renaming, hash, JSON, rewriting that keeps what it can.
#include <catch2/catch.hpp>

#include "ir/core/visit.h"
#include "ir/tir/arith_ops.h"
#include "ir/tir/verify.h"

namespace mlc::ir {
namespace {

Buffer vector_of(const char* name, int64_t extent) {
  return make<VarNode>(name,
                       Type(make<BufferTypeNode>(DataType::Float(32), "global", Array<Expr>{int32(extent)},
                                                 Array<Expr>{}, Expr(int32(0)))));
}

// for i in range(n): C[i] = A[i] + A[i + shift]
PrimFunc shifted_add(const char* loop, int64_t n, int64_t shift) {
  Buffer a = vector_of("A", n);
  Buffer c = vector_of("C", n);
  Var i = make_var(loop, DataType::Int(32));
  Expr sum = make<AddNode>(make<TensorLoadNode>(a, Array<Expr>{i}),
                           make<TensorLoadNode>(a, Array<Expr>{binary(ExprKind::kAdd, i, int32(shift))}));
  Stmt store = make<BufferStoreNode>(c, sum, Array<Expr>{i});
  Stmt body = make<ForNode>(i, int32(0), int32(n), ForKind::kSerial, store);
  return make<PrimFuncNode>(Array<Var>{a, c}, void_type(), body);
}

std::string error_name(const PrimFunc& fn, Stage stage = Stage::kSchedulable) {
  try {
    verify(fn, stage);
  } catch (const Error& error) {
    return error.first().name;
  }
  return "";
}

}  // namespace

TEST_CASE("equality ignores the names of bound variables and nothing else", "[ir]") {
  register_nodes();
  CHECK(structural_equal(shifted_add("i", 8, 1), shifted_add("j", 8, 1)));
  CHECK(structural_hash(shifted_add("i", 8, 1)) == structural_hash(shifted_add("j", 8, 1)));
  CHECK_FALSE(structural_equal(shifted_add("i", 8, 1), shifted_add("i", 8, 2)));
  CHECK_FALSE(structural_equal(shifted_add("i", 8, 1), shifted_add("i", 9, 1)));
  CHECK(first_mismatch(shifted_add("i", 8, 1), shifted_add("i", 8, 2)));
  CHECK_FALSE(first_mismatch(shifted_add("i", 8, 1), shifted_add("k", 8, 1)));
}

TEST_CASE("a module survives JSON", "[ir]") {
  register_nodes();
  PrimFunc fn = with_attr(shifted_add("i", 8, 1), "global_symbol", String("main"));
  IRModule mod = module_of(fn);
  Any back = load_json(save_json(mod));
  CHECK(structural_equal(mod, back));
  CHECK(back.cast<IRModule>()->find("main"));
}

TEST_CASE("a rewrite that changes nothing returns the same node", "[ir]") {
  register_nodes();
  PrimFunc fn = shifted_add("i", 8, 1);
  struct Nothing : Rewriter {};
  CHECK(Nothing().rewrite(fn->body).same_as(fn->body));
  auto* loop = as<ForNode>(fn->body);
  REQUIRE(loop);
  Var other = make_var("o", DataType::Int(32));
  Stmt changed = substitute(loop->body, {{loop->loop_var.get(), other}});
  CHECK_FALSE(changed.same_as(loop->body));
  CHECK(uses_var(changed, [&](const VarNode* v) { return v == other.get(); }));
  CHECK_FALSE(uses_var(changed, [&](const VarNode* v) { return v == loop->loop_var.get(); }));
}

TEST_CASE("a substitution that changes types computes result types anew", "[ir]") {
  Var i = make_var("i", DataType::Int(32));
  Expr sum = binary(ExprKind::kAdd, i, i);
  Expr wide = substitute(sum, {{i.get(), make_var("w", DataType::Int(64))}});
  CHECK(wide->dtype() == DataType::Int(64));
}

TEST_CASE("verify finds what is wrong", "[ir]") {
  register_nodes();
  CHECK(error_name(shifted_add("i", 8, 1)).empty());
  PrimFunc fn = shifted_add("i", 8, 1);
  auto* loop = as<ForNode>(fn->body);
  CHECK(error_name(with(fn, [&](PrimFuncNode& n) { n.body = loop->body; })) == "undefined-variable");
  Stmt nested = make<ForNode>(loop->loop_var, int32(0), int32(2), ForKind::kSerial, fn->body);
  CHECK(error_name(with(fn, [&](PrimFuncNode& n) { n.body = nested; })) == "redefined-variable");
  Stmt outside =
      make<BufferStoreNode>(fn->params[1], make_const(DataType::Float(32), 1), Array<Expr>{int32(8)});
  std::vector<Diagnostic> warnings = verify(with(fn, [&](PrimFuncNode& n) { n.body = outside; }));
  REQUIRE(warnings.size() == 1);
  CHECK(warnings[0].name == "index-out-of-range");
  Stmt two = make<BufferStoreNode>(fn->params[1], make_const(DataType::Float(32), 1),
                                   Array<Expr>{int32(0), int32(0)});
  CHECK(error_name(with(fn, [&](PrimFuncNode& n) { n.body = two; })) == "wrong-number-of-indices");
  Stmt wrong = make<BufferStoreNode>(fn->params[1], int32(1), Array<Expr>{int32(0)});
  CHECK(error_name(with(fn, [&](PrimFuncNode& n) { n.body = wrong; })) == "type-mismatch");
}

TEST_CASE("data types read what they print", "[ir]") {
  for (const char* text : {"float32", "int8x4", "bool", "handle", "uint1", "bfloat16x2", "float8_e4m3fn",
                           "float32xvscalex4", "int64", "float4_e2m1fn"}) {
    CHECK(DataType::parse(text).str() == text);
  }
  CHECK_THROWS_AS(DataType::parse("flaot32"), Error);
  CHECK_THROWS_AS(DataType::parse("float33"), Error);
  CHECK_THROWS_AS(DataType::parse("int32x0"), Error);
}

}  // namespace mlc::ir
