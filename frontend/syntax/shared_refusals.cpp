// SPDX-License-Identifier: Apache-2.0
// Errors that lexer and parser raise, each with a message of its own.
#include "ir/core/refusal.h"

namespace mlc::syntax {

static constexpr ir::Refusals refusals{
    "SyntaxError",
    {
        {.name = "indentation",
         .meaning = "The lines of a block begin in the same column, deeper than the line that opens it."},
        {.name = "left-out",
         .meaning = "A part of Python that is not in this language.",
         .wrong = R"(import asyncio
async def f():
    pass)",
         .right = R"(def f():
    pass)"},
        {.name = "syntax",
         .meaning = "The text does not fit the grammar; the caret stands where reading stopped."},
        {.name = "unclosed", .meaning = "A bracket or string is opened and never closed."},
    }};
MLC_REFUSALS(syntax_shared_refusals, refusals);

}  // namespace mlc::syntax
