// SPDX-License-Identifier: Apache-2.0
// Errors that many files of the interpreter raise, each with a message of its own: `raise("ValueError", span,
// "wrong-value", ...)`.
#include "ir/core/refusal.h"

namespace mlc::script {

static constexpr ir::Refusals refusals{
    "ValueError",
    {
        {.name = "empty-sequence",
         .meaning = "There is no largest, smallest or first of nothing.",
         .wrong = R"(import numpy as np
np.argmax(np.array([])))",
         .right = R"(import numpy as np
np.argmax(np.array([3, 5])))"},
        {.name = "integer-overflow",
         .meaning = "A number is beyond what is asked for: a float, a count, a type of an array.",
         .wrong = R"(int(float("inf")))",
         .right = "int(1e9)"},
        {.name = "not-a-number",
         .meaning = "The text or value is no number.",
         .wrong = R"(int("12a"))",
         .right = R"(int("12"))"},
        {.name = "not-iterable",
         .meaning = "The value has no elements to go over.",
         .wrong = R"(for i in 5:
    pass)",
         .right = R"(for i in range(5):
    pass)"},
        {.name = "out-of-range",
         .meaning = "The number is outside of what the function takes.",
         .wrong = "chr(-1)",
         .right = "chr(65)"},
        {.name = "shape-mismatch",
         .meaning =
             "The shapes do not go together. From the last axis on, extents are equal or one of them is 1.",
         .wrong = R"(import numpy as np
np.zeros((2, 3)) + np.zeros(2))",
         .right = R"(import numpy as np
np.zeros((2, 3)) + np.zeros((2, 1)))"},
        {.name = "too-large", .meaning = "The text is larger than any program."},
        {.name = "unsupported-dtype",
         .meaning = "Arrays are of bools, integers, floats and bfloat16.",
         .wrong = R"(import numpy as np
np.zeros(2, "complex64"))",
         .right = R"(import numpy as np
np.zeros(2, "float32"))"},
        {.name = "unsupported-operand", .meaning = "The operator has no meaning for a value of this kind."},
        {.name = "wrong-argument-count",
         .meaning = "The function takes fewer arguments, or more.",
         .wrong = "iter()",
         .right = "iter([])"},
        {.name = "wrong-index",
         .meaning = "Lists and texts are indexed with ints and slices.",
         .wrong = R"([1, 2]["0"])",
         .right = "[1, 2][0]"},
        {.name = "wrong-value",
         .meaning = "The function knows some values for this argument; the message names them."},
    }};
MLC_REFUSALS(core_shared_refusals, refusals);

}  // namespace mlc::script
