// SPDX-License-Identifier: Apache-2.0
// Errors that several rooms raise, each with a message of its own: `Error("wrong-type", ...)`.
#include "ir/core/refusal.h"

namespace mlc::ir {

static constexpr ir::Refusals refusals{
    "ValueError",
    {
        {.name = "division-by-zero",
         .meaning = "The divisor is the constant 0.",
         .wrong = "T.evaluate(n // 0)",
         .right = "T.evaluate(n // 2)"},
        {.name = "index-not-integer",
         .meaning = "Elements of a buffer are counted: an index is an integer.",
         .wrong = "A[0.5] = 1.0",
         .right = "A[0] = 1.0"},
        {.name = "index-out-of-range",
         .meaning = "A constant index lies outside of the buffer: the first element of a dimension is 0, the "
                    "last its extent minus 1. Negative indices do not count from the end.",
         .wrong = "A[-1] = 1.0",
         .right = "A[15] = 1.0"},
        {.name = "literal-out-of-range",
         .meaning = "The type cannot hold this constant.",
         .wrong = "T.evaluate(T.int8(200))",
         .right = "T.evaluate(T.uint8(200))"},
        {.name = "missing-argument",
         .meaning = "A call lacks an argument that has no default.",
         .wrong = "T.evaluate(T.exp())",
         .right = "T.evaluate(T.exp(A[0]))"},
        {.name = "no-attribute",
         .meaning = "The object has nothing of that name: it is misspelt, or was renamed since.",
         .wrong = "T.evaluate(T.sqrtt(A[0]))",
         .right = "T.evaluate(T.sqrt(A[0]))"},
        {.name = "no-such-function",
         .meaning = "The module has no function of that name.",
         .wrong = R"(import tvm
tvm.IRModule({})["main"])",
         .right = R"(import tvm
print("main" in tvm.IRModule({})))"},
        {.name = "not-callable",
         .meaning = "The value is no function. A missing operator, or a name that was given another value, "
                    "makes such calls.",
         .wrong = R"(import tvm
n = 3
n(4))",
         .right = R"(import tvm
n = 3
n * (4))"},
        {.name = "not-constructible",
         .meaning = "Objects of this class are made by others, not by calling it."},
        {.name = "not-supported",
         .meaning = "A part of Python or of TVM that mlc has not; the message says which."},
        {.name = "read-only", .meaning = "The attribute can be read but not changed."},
        {.name = "too-many-arguments", .meaning = "The function takes fewer arguments."},
        {.name = "target-needed", .meaning = "The pass needs to know the target: run BindTarget first."},
        {.name = "type-mismatch",
         .meaning = "Two types that must agree do not.",
         .wrong = "T.evaluate(~A[0])",
         .right = "T.evaluate(~n)"},
        {.name = "undefined-variable",
         .meaning = "The variable exists, but nothing gives it a value before it is used: no parameter, no "
                    "shape, no loop.",
         .wrong = R"(m = T.int32()
A[m] = 1.0)",
         .right = R"(m: T.int32 = 3
A[m] = 1.0)"},
        {.name = "unknown-keyword",
         .meaning = "The function has no argument of this name.",
         .wrong = R"(for i in T.serial(4, annotation={}):
    A[i] = 1.0)",
         .right = R"(for i in T.serial(4, annotations={}):
    A[i] = 1.0)"},
        {.name = "unsupported",
         .meaning = "TVM has this and mlc does not, yet. The message says what it is."},
        {.name = "wrong-arguments",
         .meaning = "The number of arguments does not fit.",
         .wrong = R"(for i in range(1, 2, 3, 4):
    A[i] = 1.0)",
         .right = R"(for i in range(1, 4):
    A[i] = 1.0)"},
        {.name = "wrong-number-of-indices",
         .meaning = "An element of a buffer has one index for each dimension.",
         .wrong = "A[0, 0] = 1.0",
         .right = "A[0] = 1.0"},
        {.name = "wrong-type",
         .meaning = "A value of another kind was expected here.",
         .wrong = R"(A[0] = "text")",
         .right = "A[0] = 1.0"},
    }};
MLC_REFUSALS(core_shared_refusals, refusals);

}  // namespace mlc::ir
