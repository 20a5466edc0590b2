// SPDX-License-Identifier: Apache-2.0
// What each error of a program means, with a program that has it and one that has not.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "ir/core/refusal.h"

namespace mlc::diagnostics {

struct Explanation {
  std::string_view name;
  std::string_view meaning;
  // Statements of a function with the parameters of kExampleHead, or a program that begins with `@` or
  // `import`. Empty where no text makes the error: it is made by other parts of the program.
  std::string_view wrong;
  std::string_view right;
  bool script = false;    // the examples are whole programs
  bool schedule = false;  // they go on behind kScheduleHead, which makes the schedule `sch`
};

inline constexpr std::string_view kExampleHead =
    "@T.prim_func(s_tir=True)\n"
    "def f(A: T.Buffer((16,), \"float32\"), B: T.Buffer((16, 16), \"float32\"), n: T.int32, h: T.handle):\n";

// Of three blocks: `double` makes D of A, `product` P of D and B, `shifted` C of P.
inline constexpr std::string_view kScheduleHead = R"(import tvm
from tvm.script import ir as I, tirx as T


@T.prim_func(s_tir=True)
def main(
    A: T.Buffer((16, 16), "float32"),
    B: T.Buffer((16, 16), "float32"),
    C: T.Buffer((16, 16), "float32"),
):
    D = T.sblock_alloc_buffer((16, 16))
    P = T.sblock_alloc_buffer((16, 16))
    for i, j in T.grid(16, 16):
        with T.sblock("double"):
            vi, vj = T.axis.remap("SS", [i, j])
            D[vi, vj] = A[vi, vj] * 2.0
    for i, j, k in T.grid(16, 16, 16):
        with T.sblock("product"):
            vi, vj, vk = T.axis.remap("SSR", [i, j, k])
            with T.init():
                P[vi, vj] = 0.0
            P[vi, vj] = P[vi, vj] + D[vi, vk] * B[vk, vj]
    for i, j in T.grid(16, 16):
        with T.sblock("shifted"):
            vi, vj = T.axis.remap("SS", [i, j])
            C[vi, vj] = P[vi, vj] + 1.0


sch = tvm.s_tir.Schedule(main)
)";

std::span<const Explanation> explanations();
const Explanation* explanation(std::string_view name);  // or null
std::string explain(const Explanation& entry);          // as `mlc explain` prints it
std::string explain(const ir::Refusal& rule);           // the same of a row at the top of a primitive or pass
// A whole program, with its imports.
std::string example_program(const Explanation& entry, std::string_view example);
std::string example_program(const ir::Refusal& rule, std::string_view example);

}  // namespace mlc::diagnostics
