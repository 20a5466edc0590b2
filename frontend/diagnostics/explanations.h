// SPDX-License-Identifier: Apache-2.0
// What each error of a program means, with a program that has it and one that has not.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace mlc::diagnostics {

struct Explanation {
  std::string_view name;
  std::string_view meaning;
  // Statements of a function with the parameters of kExampleHead, or a program that begins with `@` or
  // `import`. Empty where no text makes the error: it is made by other parts of the program.
  std::string_view wrong;
  std::string_view right;
  bool script = false;  // the examples are whole programs
};

inline constexpr std::string_view kExampleHead =
    "@T.prim_func(s_tir=True)\n"
    "def f(A: T.Buffer((16,), \"float32\"), B: T.Buffer((16, 16), \"float32\"), n: T.int32, h: T.handle):\n";

std::span<const Explanation> explanations();
const Explanation* explanation(std::string_view name);  // or null
std::string explain(const Explanation& entry);          // as `mlc explain` prints it
// A whole program, with its imports.
std::string example_program(const Explanation& entry, std::string_view example);

}  // namespace mlc::diagnostics
