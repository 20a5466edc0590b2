// SPDX-License-Identifier: Apache-2.0
// Access regions of blocks that no script can write: several statements, shadowed loops, views.
#include <catch2/catch.hpp>

#include "ir/core/visit.h"
#include "ir/tir/arith_ops.h"
#include "ir/tir/region.h"
#include "transform/arith/simplify.h"

using namespace mlc::ir;

namespace {

Buffer buffer(const char* name, int64_t extent) {
  return make<VarNode>(String(name),
                       Type(make<BufferTypeNode>(DataType::Float(32), String("global"),
                                                 Array<Expr>{int32(extent)}, Array<Expr>{}, int32(0))));
}
Expr load(const Buffer& b, Expr at) { return make<TensorLoadNode>(b, Array<Expr>{std::move(at)}); }
Stmt store(const Buffer& b, Expr at, Expr value) {
  return make<BufferStoreNode>(b, std::move(value), Array<Expr>{std::move(at)});
}
SBlock block(Stmt body, Stmt init = nullptr, Array<Buffer> allocs = {}) {
  return make<SBlockNode>(Array<IterVar>{}, Array<TensorRegion>{}, Array<TensorRegion>{}, String("b"),
                          std::move(body), std::move(init), std::move(allocs));
}
Stmt loop(const Var& var, int64_t extent, Stmt body) {
  return make<ForNode>(var, int32(0), int32(extent), ForKind::kSerial, std::move(body));
}

}  // namespace

TEST_CASE("loops relax, buffers inside do not count", "[tvmscript]") {
  Buffer a = buffer("a", 64), b = buffer("b", 64), local = buffer("local", 64);
  Var i = make_var("i", DataType::Int(32)), v = make_var("v", DataType::Int(32));
  Stmt body = loop(i, 8, seq({store(local, i, load(a, Expr(v) * 8 + Expr(i))), store(b, i, load(local, i))}));
  AccessRegions found = detect_access_regions(block(body, nullptr, {local}), mlc::transform::simplify);
  REQUIRE(found.reads.size() == 1);
  REQUIRE(found.writes.size() == 1);
  CHECK(found.reads[0]->source.get() == a.get());
  CHECK(constant_difference(found.reads[0]->region[0]->min, Expr(v) * 8) == 0);
  CHECK(is_const_int(found.reads[0]->region[0]->extent, 8));
  CHECK(is_const_int(found.writes[0]->region[0]->extent, 8));
}

TEST_CASE("what init writes is not read", "[tvmscript]") {
  Buffer a = buffer("a", 64), b = buffer("b", 64);
  Var v = make_var("v", DataType::Int(32));
  Stmt update = store(a, v, add(load(a, v), load(b, v)));
  CHECK(detect_access_regions(block(update), mlc::transform::simplify).reads.size() == 2);
  AccessRegions found = detect_access_regions(block(update, store(a, v, make_const(DataType::Float(32), 0))),
                                              mlc::transform::simplify);
  REQUIRE(found.reads.size() == 1);
  CHECK(found.reads[0]->source.get() == b.get());
}

TEST_CASE("a condition narrows within its branch only", "[tvmscript]") {
  Buffer a = buffer("a", 64), b = buffer("b", 64);
  Var i = make_var("i", DataType::Int(32));
  Expr zero = make_const(DataType::Float(32), 0);
  Stmt body = loop(i, 16, seq({make<IfThenElseNode>(lt(i, int32(4)), store(a, i, zero)), store(b, i, zero)}));
  AccessRegions found = detect_access_regions(block(body), mlc::transform::simplify);
  REQUIRE(found.writes.size() == 2);
  CHECK(is_const_int(found.writes[0]->region[0]->extent, 4));
  CHECK(is_const_int(found.writes[1]->region[0]->extent, 16));
}

TEST_CASE("an escaping address is opaque", "[tvmscript]") {
  Buffer a = buffer("a", 64);
  AccessRegions found = detect_access_regions(block(make<EvaluateNode>(Expr(a))), mlc::transform::simplify);
  REQUIRE(found.opaque.size() == 1);
  CHECK(found.opaque[0].get() == a.get());
}
