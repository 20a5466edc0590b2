// SPDX-License-Identifier: Apache-2.0
// Every pass of the pipeline keeps what the interpreter computes.
#include <catch2/catch.hpp>

#include <cstring>

#include "backend/interp/interp.h"
#include "frontend/script/core/evaluator.h"
#include "ir/registry/no_script.h"
#include "ir/tir/verify.h"
#include "pass_kernels.h"
#include "transform/pass/pass_object.h"
#include "transform/pass/pipeline.h"

namespace {

using namespace mlc::ir;  // NOLINT

std::vector<Any> results(const PrimFunc& signature, const IRModule& mod, uint64_t seed) {
  std::vector<Any> args = mlc::interp::random_arguments(signature, seed);
  mlc::interp::run(mod, "main", args, {.check_uninitialized = true});
  return args;
}

bool same_bytes(const std::vector<Any>& a, const std::vector<Any>& b) {
  for (size_t i = 0; i < a.size(); ++i) {
    auto x = a[i].as<ffi::Tensor>();
    auto y = b[i].as<ffi::Tensor>();
    if (!x) continue;
    size_t bytes = ffi::GetDataSize(*x->GetDLTensorPtr());
    if (std::memcmp(x->data_ptr(), y->data_ptr(), bytes) != 0) return false;
  }
  return true;
}

size_t count(const IRModule& mod, const std::function<bool(const Stmt&)>& what) {
  size_t found = 0;
  for (const auto& [name, fn] : mod->functions) {
    post_order(Any(fn).cast<PrimFunc>()->body, nullptr, [&](const Stmt& s) { found += what(s); });
  }
  return found;
}

using mlc::transform::Pipeline;

Target cpu() { return parse_target(String("llvm")); }

// The pipeline of the library, which is written in the language.
const Pipeline& of_library() {
  static mlc::script::Evaluator evaluator;
  static const Any passes = mlc::transform::named_pipeline(String("default"), cpu(), evaluator);
  static const Pipeline pipeline(passes, cpu(), evaluator);
  return pipeline;
}
IRModule lowered(const PrimFunc& fn) { return of_library().lower(module_of(fn)); }

}  // namespace

TEST_CASE("pass: every stage computes the same", "[pass]") {
  for (const kernels::Named& kernel : kernels::all()) {
    IRModule mod = module_of(kernel.fn);
    for (uint64_t seed : {1, 2, 3}) {
      std::vector<Any> expected = results(kernel.fn, mod, seed);
      for (const auto& [name, stage] : of_library().stages(mod)) {
        INFO(kernel.name << " after " << name << ", seed " << seed);
        CHECK_NOTHROW(verify(stage));
        CHECK(same_bytes(expected, results(kernel.fn, stage, seed)));
      }
    }
  }
}

TEST_CASE("pass: what is left after lowering", "[pass]") {
  for (const kernels::Named& kernel : kernels::all()) {
    INFO(kernel.name);
    IRModule mod = lowered(kernel.fn);
    CHECK(count(mod, [](const Stmt& s) { return as<SBlockNode>(s) || as<SBlockRealizeNode>(s); }) == 0);
    CHECK(count(mod, [](const Stmt& s) {
            auto* loop = as<ForNode>(s);
            return loop && (loop->for_kind == ForKind::kVectorized || loop->for_kind == ForKind::kUnrolled ||
                            loop->step);
          }) == 0);
    CHECK(count(mod, [](const Stmt& s) {
            auto* store = as<BufferStoreNode>(s);
            return store && store->indices.size() != 1;
          }) == 0);
    CHECK(structural_equal(mod, lowered(kernel.fn)));
  }
}

TEST_CASE("pass: temporaries share memory when they are not alive together", "[pass]") {
  IRModule mod = lowered(kernels::chain_of_temporaries());
  CHECK(count(mod, [](const Stmt& s) { return as<AllocBufferNode>(s) != nullptr; }) ==
        2);  // one in each version of the function: each step writes over what it reads
}

TEST_CASE("pass: vectors and narrow indices appear", "[pass]") {
  auto vectors = [](const IRModule& mod) {
    return count(mod, [](const Stmt& s) {
      auto* store = as<BufferStoreNode>(s);
      return store && store->value->dtype().is_vector();
    });
  };
  CHECK(vectors(lowered(kernels::tiled_matmul_relu(8, 8, 4, 4, 4))) > 0);
  CHECK(vectors(lowered(kernels::reduction_in_vector_loop())) == 0);
  CHECK(count(lowered(kernels::wide_indices()), [](const Stmt& s) {
          auto* loop = as<ForNode>(s);
          return loop && loop->loop_var->dtype().bits() != 32;
        }) == 0);
}

TEST_CASE("pass: refusals name what is wrong", "[pass]") {
  using mlc::transform::find_pass;
  NoScript host;
  auto run_pass = [&](const mlc::transform::Pass& pass, const IRModule& mod, std::span<const Any> args = {}) {
    return mlc::transform::run_pass(pass, mod, host, args);
  };
  auto failure = [](const std::function<void()>& run) -> std::string {
    try {
      run();
    } catch (const Error& error) {
      return error.first().name;
    }
    return "none";
  };
  IRModule blocks = module_of(kernels::padded_conv(4, 4));
  CHECK(failure([&] { run_pass(find_pass("FlattenBuffer"), blocks); }) == "block-not-lowered");
  CHECK(failure([&] { run_pass(find_pass("LowerOpaqueBlock"), blocks); }) == "block-not-opaque");
  CHECK(failure([&] { run_pass(find_pass("ConvertBlocksToOpaque"), blocks); }) == "init-not-lowered");
  CHECK(failure([&] { find_pass("FlattenBufer"); }) == "unknown-pass");
  CHECK(failure([&] { Pipeline(Array<Any>{}, parse_target(String("hexagon")), host); }) ==
        "pipeline-not-available");

  Var n = kernels::index("n"), i = kernels::index("i");
  Buffer a = kernels::buffer("A", {n});
  for (ForKind kind : {ForKind::kVectorized, ForKind::kUnrolled}) {
    PrimFunc open = kernels::function({a}, kernels::loop(i, n, kernels::set(a, {i}, kernels::f32(1)), kind));
    bool lanes = kind == ForKind::kVectorized;
    const Any enabled[] = {true};
    CHECK(failure([&] {
            run_pass(find_pass(lanes ? "VectorizeLoop" : "UnrollLoop"), module_of(open), enabled);
          }) == (lanes ? "vectorize-extent" : "unroll-extent"));
    CHECK(failure([&] { lowered(open); }) == "none");  // SplitDynamicLoops comes before
  }
}

TEST_CASE("pass: a pipeline of passes lowers without a script", "[pass]") {
  using mlc::transform::pass_object;
  const Any bits[] = {32};
  const Array<Any> passes{pass_object("s_tir.CanonicalizeLoop"),
                          pass_object("s_tir.LowerInitBlock"),
                          pass_object("s_tir.PlanAndUpdateBufferAllocationLocation"),
                          pass_object("s_tir.ConvertBlocksToOpaque"),
                          pass_object("s_tir.CompactBufferAllocation"),
                          pass_object("s_tir.LowerMatchBuffer"),
                          pass_object("s_tir.LowerOpaqueBlock"),
                          pass_object("tirx.FlattenBuffer"),
                          pass_object("tirx.NarrowDataType", bits)};
  NoScript host;
  Pipeline pipeline(passes, cpu(), host);
  CHECK(pipeline.pass_name(7) == "FlattenBuffer");
  for (const kernels::Named& kernel : kernels::all()) {
    INFO(kernel.name);
    IRModule flat = pipeline.lower(module_of(kernel.fn));
    CHECK_NOTHROW(verify(flat, Stage::kFlat));
    CHECK(same_bytes(results(kernel.fn, module_of(kernel.fn), 5), results(kernel.fn, flat, 5)));
  }
  CHECK_THROWS_AS(Pipeline(Array<Any>{1}, cpu(), host), Error);
  CHECK_THROWS_AS(mlc::transform::named_pipeline(String("default"), cpu(), host), Error);
  const Any many[] = {32, 64};
  CHECK_THROWS_AS(pass_object("tirx.NarrowDataType", many), Error);
}

TEST_CASE("pass: what a pass breaks is found after it", "[pass]") {
  using mlc::transform::Pass;
  using mlc::transform::PassOptions;
  // A use of a variable that nothing defines; a block where there was none.
  auto use_undefined = +[](const PrimFunc& fn, const PassOptions&) {
    Stmt use = make<EvaluateNode>(Expr(kernels::index("nobody")));
    return mlc::transform::with_body(fn, seq({fn->body, use}));
  };
  auto put_in_block = +[](const PrimFunc& fn, const PassOptions&) {
    Array<TensorRegion> none;
    auto block = make<SBlockNode>(Array<IterVar>{}, none, none, String("root"), fn->body);
    return mlc::transform::with_body(
        fn, make<SBlockRealizeNode>(Array<Expr>{}, Expr(bool_imm(true)), block));
  };
  const Pass undefined{"Undefined", "tirx.transform", "Undefined()", "", use_undefined};
  const Pass back{"Back", "tirx.transform", "Back()", "", put_in_block};
  NoScript host;
  Var i = kernels::index("i");
  Buffer a = kernels::buffer("A", {int32(4)});
  Stmt body = kernels::loop(i, int32(4), kernels::set(a, {i}, kernels::f32(1)));
  IRModule mod = module_of(mlc::transform::with_body(kernels::function({a}, body), body));  // without a block
  auto failure = [&](const Pass& pass) -> std::string {
    try {
      mlc::transform::run_pass(pass, mod, host);
    } catch (const Error& error) {
      return error.first().name;
    }
    return "none";
  };
  CHECK(failure(undefined) == "undefined-variable");
  CHECK(failure(back) == "block-after-lowering");
  mlc::transform::verify_after_passes() = false;
  CHECK(failure(undefined) == "none");
  mlc::transform::verify_after_passes() = true;
}
