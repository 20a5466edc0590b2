// SPDX-License-Identifier: Apache-2.0
// Every pass of the pipeline keeps what the interpreter computes.
#include <catch2/catch.hpp>

#include <cstring>

#include "backend/interp/interp.h"
#include "ir/tir/verify.h"
#include "pass_kernels.h"
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

IRModule lowered(const PrimFunc& fn) {
  return mlc::transform::lower(module_of(fn), parse_target(String("llvm")));
}

}  // namespace

TEST_CASE("pass: every stage computes the same", "[pass]") {
  for (const kernels::Named& kernel : kernels::all()) {
    IRModule mod = module_of(kernel.fn);
    for (uint64_t seed : {1, 2, 3}) {
      std::vector<Any> expected = results(kernel.fn, mod, seed);
      for (const auto& [name, stage] : mlc::transform::lower_stages(mod, parse_target(String("llvm")))) {
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
        1);  // each step writes over what it reads
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
  using mlc::transform::run_pass;
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
  CHECK(failure([&] { mlc::transform::lower(blocks, parse_target(String("cuda"))); }) ==
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
