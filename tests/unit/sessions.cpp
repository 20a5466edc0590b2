// SPDX-License-Identifier: Apache-2.0
// Sessions side by side: several programs in one process, in threads and one after the other.
#include <malloc.h>

#include <atomic>
#include <catch2/catch.hpp>
#include <string>
#include <thread>
#include <vector>

#include "backend/register_api.h"
#include "frontend/print/print.h"
#include "ir/core/module.h"
#include "ir/registry/context.h"
#include "repl/shell/build_rows.h"
#include "repl/shell/interpreter.h"

namespace {

using namespace mlc;  // NOLINT

void register_rest() {
  if (ir::ApiRegistry::global().find("tvm.build") != nullptr) return;
  backend::register_api();
  repl::register_build_api();
}

// A program from its text to numbers: parsed, scheduled, lowered, compiled, run.
std::string program(int rows, int factor) {
  return fmt::format(R"(
import numpy as np
import tvm
from tvm.script import tirx as T

@T.prim_func(s_tir=True)
def scale(A: T.Buffer(({0}, 8), "float32"), B: T.Buffer(({0}, 8), "float32")):
    for i, j in T.grid({0}, 8):
        with T.sblock("B"):
            vi, vj = T.axis.remap("SS", [i, j])
            B[vi, vj] = A[vi, vj] * T.float32({1})

with tvm.target.Target("llvm"):
    sch = tvm.s_tir.Schedule(scale)
    i, j = sch.get_loops(sch.get_sblock("B", "main"))
    outer, inner = sch.split(i, [None, 2])
    sch.vectorize(j)
    with tvm.transform.PassContext(config={{"tirx.disable_vectorize": {2}}}):
        built = tvm.build(sch.mod)
a = np.arange({0} * 8, dtype="float32").reshape({0}, 8)
b = tvm.runtime.tensor(np.zeros(({0}, 8), dtype="float32"))
built["main"](tvm.runtime.tensor(a), b)
print(float(b.numpy().sum()), sch.trace is not None, tvm.target.Target.current())
)",
                     rows, factor, factor % 2 == 0 ? "True" : "False");
}

std::string expected(int rows, int factor) {
  int64_t count = int64_t{8} * rows;
  return fmt::format("{:.1f} True None\n", static_cast<double>(factor * (count * (count - 1) / 2)));
}

// Runs a program in a session of its own: what it prints.
std::string output_of(const std::string& text) {
  ir::SourceMap sources;
  ir::SourceMap::Use use(sources);
  std::string printed;
  repl::Interpreter session;
  session.out = [&](std::string_view part) { printed += part; };
  try {
    session.run_source(sources.add("program.mlc", text));
  } catch (const ir::Error& error) {
    printed += error.what();
  }
  return printed;
}

}  // namespace

TEST_CASE("a session gives its texts back", "[session]") {
  size_t before = ir::SourceMap::current().files().size();
  std::string text = "# " + std::string(100'000, 'x') + "\nx = [i * i for i in range(10)]\nprint(x[-1])\n";
  auto read = [&] { CHECK(output_of(text) == "81\n"); };
  for (int i = 0; i < 20; ++i) read();  // what is kept for good is there now
  size_t bytes = mallinfo2().uordblks;
  for (int i = 0; i < 1000; ++i) read();
  // A thousand texts are a hundred megabytes.
  CHECK(mallinfo2().uordblks < bytes + (size_t{4} << 20));
  CHECK(ir::SourceMap::current().files().size() == before);
}

TEST_CASE("a place in a session that has ended is unknown, not in another text", "[session]") {
  ir::Span span;
  {
    ir::SourceMap sources;
    ir::SourceMap::Use use(sources);
    span = {sources.add("gone.mlc", "first\n"), 0, 5};
    CHECK(ir::SourceMap::current().describe(span) == "gone.mlc:1:1");
  }
  ir::SourceMap sources;
  ir::SourceMap::Use use(sources);
  sources.add("next.mlc", "second\n");
  CHECK(ir::SourceMap::current().describe(span).empty());
  CHECK(ir::SourceMap::current().text(span).empty());
}

TEST_CASE("two sessions in one thread see nothing of each other", "[session]") {
  register_rest();
  repl::Interpreter first, second;
  std::string printed;
  first.out = second.out = [&](std::string_view part) { printed += part; };
  auto run = [&](repl::Interpreter& session, std::string text) {
    session.run_source(ir::SourceMap::current().add("<test>", std::move(text)));
  };
  run(first, "x = 1\nimport mlc.pipeline\nmlc.pipeline.register('own', lambda: None)\n");
  run(second, "x = 2\n");
  run(first, "import mlc.pipeline\nprint(x, mlc.pipeline.names())\n");
  run(second, "import mlc.pipeline\nprint(x, mlc.pipeline.names())\n");
  CHECK(printed ==
        "1 ['default', 'gpu', 'graph', 'own', 'standalone', 'threads', 'tirx', 'trn']\n"
        "2 ['default', 'gpu', 'graph', 'standalone', 'threads', 'tirx', 'trn']\n");
}

TEST_CASE("sessions run side by side in threads", "[session]") {
  register_rest();
  constexpr int kThreads = 2, kPrograms = 6;
  std::vector<std::string> wrong(kThreads);
  std::vector<std::thread> threads;
  std::atomic<int> ready = 0;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      for (++ready; ready < kThreads;) std::this_thread::yield();
      for (int i = 0; i < kPrograms; ++i) {
        int rows = 4 + 2 * i, factor = 1 + t + i;
        std::string found = output_of(program(rows, factor));
        if (found != expected(rows, factor)) wrong[t] += found;
      }
      if (!ir::Context::current().targets.empty()) wrong[t] += "a target is left\n";
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const std::string& each : wrong) CHECK(each == "");
}
