// SPDX-License-Identifier: Apache-2.0
// Errors that several builders raise, each with a message of its own.
#include "ir/core/refusal.h"

namespace mlc::tvmscript {

static constexpr ir::Refusals refusals{
    "ValueError",
    {
        {.name = "region-as-value",
         .meaning =
             "A region names a part of a buffer, for T.reads, T.writes and T.match_buffer. Only where it is "
             "one vector, along the last dimension and of a length that is known, is it a value.",
         .wrong = "A[0] = B[0]",
         .right = "A[0] = B[0, 0]"},
        {.name = "repeated-attribute",
         .meaning = "An attribute is set once.",
         .wrong = R"(T.func_attr({"k": 1})
T.func_attr({"k": 2}))",
         .right = R"(T.func_attr({"k": 2}))"},
        {.name = "unsupported-statement",
         .meaning = "A statement of Python that no compiled function can hold.",
         .wrong = R"(for i in range(4):
    A[i] = 1.0
else:
    A[0] = 2.0)",
         .right = R"(for i in range(4):
    A[i] = 1.0
A[0] = 2.0)"},
    }};
MLC_REFUSALS(builder_shared_refusals, refusals);

}  // namespace mlc::tvmscript
