// SPDX-License-Identifier: Apache-2.0
// Schedules from C++: refused steps change nothing, untouched parts are shared, handles follow rewrites.
#include <catch2/catch.hpp>

#include "ir/registry/api.h"
#include "transform/register_api.h"
#include "transform/schedule/primitive.h"

namespace mlc::transform {
namespace {

class NoHost final : public Host {
 public:
  Any call(const Any&, std::span<const Any>) override { return nullptr; }
  bool callable(const Any&) override { return false; }
  std::vector<std::string> parameter_names(const Any&) override { return {}; }
  std::string repr(const Any&) override { return ""; }
  void print(std::string_view) override {}
};

void register_once() {
  static bool done = [] {
    register_nodes();
    if (!ApiRegistry::global().find("tvm.s_tir.Schedule")) register_api();
    return true;
  }();
  (void)done;
}

Any call(const Schedule& schedule, std::string_view method, std::vector<Any> args) {
  static NoHost host;
  const Api* api = ApiRegistry::global().method(ScheduleNode::RuntimeTypeIndex(), method);
  REQUIRE(api);
  args.insert(args.begin(), Any(schedule));
  return call_api(*api, host, {args, {}, {}, {}, {}});
}
Any item(const Any& list, size_t i) { return list.cast<ffi::List<Any>>()[i]; }

Buffer buffer(const char* name, int64_t n) {
  Type type = make<BufferTypeNode>(DataType::Float(32), "global", Array<Expr>{int32(n), int32(n)},
                                   Array<Expr>{}, Expr(int32(0)));
  return make<VarNode>(name, type);
}

// B[i, j] = A[i, j] + 1, as one block in two loops.
PrimFunc elementwise(int64_t n) {
  Buffer a = buffer("A", n), b = buffer("B", n);
  Array<IterVar> iters;
  Array<Expr> indices, loops;
  Array<Range> points;
  std::vector<Var> vars;
  for (const char* name : {"i", "j"}) {
    Var iter = make_var(String(std::string("v") + name), DataType::Int(32));
    iters.push_back(
        make<IterVarNode>(make<RangeNode>(Expr(int32(0)), Expr(int32(n))), iter, IterType::kDataPar));
    indices.push_back(iter);
    points.push_back(make<RangeNode>(Expr(iter), Expr(int32(1))));
    vars.push_back(make_var(name, DataType::Int(32)));
    loops.push_back(vars.back());
  }
  Expr value = add(make<TensorLoadNode>(a, indices), make_const(DataType::Float(32), 1.0));
  SBlock block = make<SBlockNode>(iters, Array<TensorRegion>{make<TensorRegionNode>(a, points)},
                                  Array<TensorRegion>{make<TensorRegionNode>(b, points)}, "B",
                                  Stmt(make<BufferStoreNode>(b, value, indices)));
  Stmt body = make<SBlockRealizeNode>(loops, Expr(bool_imm(true)), block);
  for (size_t i = 2; i-- > 0;)
    body = make<ForNode>(vars[i], Expr(int32(0)), Expr(int32(n)), ForKind::kSerial, body);
  SBlock root =
      make<SBlockNode>(Array<IterVar>{}, Array<TensorRegion>{}, Array<TensorRegion>{}, "root", body);
  return make<PrimFuncNode>(Array<Var>{a, b}, void_type(),
                            make<SBlockRealizeNode>(Array<Expr>{}, Expr(bool_imm(true)), root));
}

Schedule schedule_of(size_t functions) {
  register_once();
  IRModule mod = make<IRModuleNode>();
  for (size_t i = 0; i < functions; ++i) {
    mod = with_function(mod, make<GlobalVarNode>(String(i == 0 ? "main" : fmt::format("other{}", i))),
                        elementwise(16));
  }
  return make_schedule(mod, 1, true);
}

}  // namespace

TEST_CASE("a refused primitive changes nothing", "[schedule]") {
  Schedule schedule = schedule_of(1);
  Any loops = call(schedule, "get_loops", {call(schedule, "get_sblock", {String("B")})});
  IRModule before = schedule->state->mod();
  size_t steps = schedule->trace->instructions.size();
  CHECK_THROWS_AS(call(schedule, "split", {item(loops, 0), Array<Any>{int64_t{3}, int64_t{4}}}), Error);
  CHECK_THROWS_AS(call(schedule, "fuse", {item(loops, 1), item(loops, 0)}), Error);
  CHECK_THROWS_AS(call(schedule, "compute_inline", {String("B")}), Error);
  CHECK(schedule->state->mod().same_as(before));
  CHECK(schedule->trace->instructions.size() == steps);
}

TEST_CASE("a step copies one function and shares the others", "[schedule]") {
  Schedule schedule = schedule_of(50);
  IRModule before = schedule->state->mod();
  Any block = call(schedule, "get_sblock", {String("B")});
  Any loops = call(schedule, "get_loops", {block});
  call(schedule, "split", {item(loops, 0), Array<Any>{nullptr, int64_t{4}}});
  const SBlockNode* now = schedule->handles.at(block.as<ffi::Object>())->block();
  IRModule after = schedule->state->mod();
  size_t changed = 0;
  for (const auto& [name, fn] : after->functions) changed += !fn.same_as(before->functions[name]);
  CHECK(changed == 1);
  // The block itself is not touched by a split: only what it is bound to.
  Any again = call(schedule, "get_sblock", {String("B")});
  CHECK(schedule->handles.at(again.as<ffi::Object>())->block() == now);
}

TEST_CASE("a copy goes its own way with the same handles", "[schedule]") {
  Schedule schedule = schedule_of(1);
  Any loops = call(schedule, "get_loops", {call(schedule, "get_sblock", {String("B")})});
  Schedule copy = copy_schedule(*schedule);
  call(schedule, "fuse", {item(loops, 0), item(loops, 1)});
  CHECK_THROWS_AS(call(schedule, "unroll", {item(loops, 1)}), Error);
  call(copy, "unroll", {item(loops, 1)});
  CHECK(call(copy, "get_loops", {String("B")}).cast<ffi::List<Any>>().size() == 2);
  CHECK(call(schedule, "get_loops", {String("B")}).cast<ffi::List<Any>>().size() == 1);
}

TEST_CASE("a trace repeats its steps on another module", "[schedule]") {
  Schedule schedule = schedule_of(1);
  Any loops = call(schedule, "get_loops", {call(schedule, "get_sblock", {String("B")})});
  Any parts = call(schedule, "split", {item(loops, 1), Array<Any>{nullptr, int64_t{5}}});
  call(schedule, "reorder", {item(parts, 1), item(loops, 0)});
  call(schedule, "parallel", {item(loops, 0)});
  Schedule other = schedule_of(1);
  static NoHost host;
  apply_trace(*schedule->trace, mutable_schedule(other), host);
  CHECK(structural_equal(other->state->mod(), schedule->state->mod()));
  CHECK(other->trace->as_python() == schedule->trace->as_python());
}

}  // namespace mlc::transform
