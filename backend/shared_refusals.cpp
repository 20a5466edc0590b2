// SPDX-License-Identifier: Apache-2.0
// Errors that several backends raise, each with a message of its own.
#include "ir/core/refusal.h"

namespace mlc::backend {

static constexpr ir::Refusals refusals{
    "ValueError",
    {
        {.name = "cannot-write", .meaning = "The system refused to write the file."},
        {.name = "codegen-unsupported"},
        {.name = "duplicate-symbol"},
    }};
MLC_REFUSALS(backend_shared_refusals, refusals);

}  // namespace mlc::backend
