// SPDX-License-Identifier: Apache-2.0
// Some rows of a function are the rows that the whole function computes; where that is not so there is no
// sample.
#include <catch2/catch.hpp>
#include <string>

#include "backend/interp/compare.h"
#include "ir/core/ndarray.h"
#include "repl/shell/interpreter.h"
#include "repl/shell/row_sample.h"

namespace {

using namespace mlc;  // NOLINT

ir::PrimFunc parsed(const std::string& definition) {
  repl::Interpreter evaluator;
  std::string text = "from tvm.script import tirx as T\n" + definition;
  evaluator.run_source(ir::SourceMap::current().add("<test>", text));
  return evaluator.global("f")->cast<ir::PrimFunc>();
}

// Runs both, and compares the rows that are sampled. How many elements that were.
size_t compared_rows(const ir::PrimFunc& fn, const repl::RowSample& sample) {
  std::vector<ir::Any> args = interp::random_arguments(fn, 3);
  std::vector<ir::Any> whole = interp::interpret(ir::module_of(fn), "f", args);
  std::vector<ir::Any> some = interp::interpret(ir::module_of(sample.fn), "f", args);
  size_t compared = 0;
  for (size_t i = 0; i < args.size(); ++i) {
    auto expected = whole[i].cast<ir::ffi::Tensor>(), actual = some[i].cast<ir::ffi::Tensor>();
    auto shape = expected.shape();
    for (int64_t at = 0; at < expected.numel(); ++at) {
      int64_t rest = at, row = 0;
      for (size_t d = shape.size(); d-- > 0; rest /= shape[d])
        if (sample.dimensions[i] == d) row = rest % shape[d];
      if (sample.dimensions[i] && !sample.has(row)) continue;
      REQUIRE(static_cast<int32_t*>(expected.data_ptr())[at] == static_cast<int32_t*>(actual.data_ptr())[at]);
      ++compared;
    }
  }
  return compared;
}

const std::string kTwoNests = R"(
@T.prim_func(s_tir=True)
def f(A: T.Buffer((40, 24), "int32"), B: T.Buffer((24, 40), "int32"), D: T.Buffer((40,), "int32")):
    C = T.sblock_alloc_buffer((40, 24), "int32")
    for i, j in T.grid(40, 24):
        with T.sblock("C"):
            vi, vj = T.axis.remap("SS", [i, j])
            C[vi, vj] = A[vi, vj] * 2
    for i, j in T.grid(40, 24):
        with T.sblock("B"):
            vi, vj = T.axis.remap("SS", [i, j])
            B[vj, vi] = C[vi, vj] + C[vi, 23 - vj]
    for i, k in T.grid(40, 24):
        with T.sblock("D"):
            vi, vk = T.axis.remap("SR", [i, k])
            with T.init():
                D[vi] = 0
            D[vi] = D[vi] + B[vk, vi] * C[vi, vk]
)";

}  // namespace

TEST_CASE("rows are cut along the dimension that each buffer has them in", "[row-sample]") {
  ir::PrimFunc fn = parsed(kTwoNests);
  double all = interp::work(fn->body);
  auto sample = repl::sample_rows(fn, all / 2);
  REQUIRE(sample);
  REQUIRE(sample->rows == 40);
  REQUIRE(sample->count == 16);
  REQUIRE(sample->has(39));
  REQUIRE(sample->dimensions[0] == std::nullopt);  // A is read
  REQUIRE(sample->dimensions[1] == 1);
  REQUIRE(sample->dimensions[2] == 0);
  REQUIRE(interp::work(sample->fn->body) <= all / 2);
  REQUIRE(compared_rows(fn, *sample) == 40 * 24 + 16 * 24 + 16);
}

TEST_CASE("what another row needs is computed whole", "[row-sample]") {
  // E has one row of C for each of its own, but a later one reads all of E.
  ir::PrimFunc fn = parsed(R"(
@T.prim_func(s_tir=True)
def f(A: T.Buffer((32, 32), "int32"), B: T.Buffer((32, 32), "int32")):
    E = T.sblock_alloc_buffer((32,), "int32")
    for i, k in T.grid(32, 32):
        with T.sblock("E"):
            vi, vk = T.axis.remap("SR", [i, k])
            with T.init():
                E[vi] = 0
            E[vi] = E[vi] + A[vi, vk]
    for i, j in T.grid(32, 32):
        with T.sblock("B"):
            vi, vj = T.axis.remap("SS", [i, j])
            B[vi, vj] = A[vi, vj] + E[31 - vi]
)");
  auto sample = repl::sample_rows(fn, interp::work(fn->body) * 0.8);
  REQUIRE(sample);
  REQUIRE(sample->dimensions[1] == 0);
  REQUIRE(compared_rows(fn, *sample) > 32 * 32);
  // With less, no number of rows of B would do: all of E must be computed.
  REQUIRE(!repl::sample_rows(fn, interp::work(fn->body) * 0.3));
}

TEST_CASE("where rows use each other there is no sample", "[row-sample]") {
  for (
      const char* body : {
          "for i in range(32):\n        A[31 - i] = B[i]",              // another row than its iteration's
          "for r, i in T.grid(4, 32):\n        A[i] = A[31 - i] + r",   // a row of an earlier iteration
          "for i in range(1, 32):\n        A[i] = A[i - 1] + B[i]",     // the row before
          "A[0] = B[0]\n    for i in range(32):\n        B[i] = A[0]",  // one that a statement has written
          "for i in range(32):\n        A[i] = B[i]\n    for i in range(16):\n        B[i] = A[i * 2]",  // two
                                                                                                         // sizes
      }) {
    INFO(body);
    ir::PrimFunc fn =
        parsed(fmt::format("@T.prim_func(s_tir=True)\ndef f(A: T.Buffer((32,), \"int32\"), B: "
                           "T.Buffer((32,), \"int32\")):\n    {}\n",
                           body));
    auto sample = repl::sample_rows(fn, interp::work(fn->body) * 0.9);
    if (!sample) continue;
    // One that cuts something else must be right all the same.
    compared_rows(fn, *sample);
    REQUIRE(std::string(body).find("B[i] = A[0]") != std::string::npos);
  }
}
