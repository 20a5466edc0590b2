// SPDX-License-Identifier: Apache-2.0
// What several passes refuse; the rows of one file are at its top.
#pragma once

#include "ir/core/error_kinds.h"
#include "ir/core/refusal.h"

namespace mlc::transform {

inline constexpr ir::Refusals pass_refusals{
    "ValueError",
    {
        {.name = "auto-copy", .kind = "TypeError", .message = "loop `{}` of a copy has no constant extent"},
        {.name = "block-not-lowered",
         .kind = ir::kRefusedValue,
         .message = "a block declares `{}`",
         .meaning = "A pass works on loops and buffers alone; blocks are taken away before.",
         .wrong = "tvm.tirx.transform.FlattenBuffer()(sch.mod)"},
        {.name = "block-not-opaque",
         .kind = ir::kRefusedValue,
         .message = "CompactBufferAllocation only works on opaque blocks: block `{}` still has iterators",
         .meaning =
             "`LowerOpaqueBlock` takes blocks that other passes have prepared: without iterators, inits "
             "and views.",
         .wrong = "tvm.s_tir.transform.LowerOpaqueBlock()(sch.mod)"},
        {.name = "buffer-not-flat", .kind = ir::kRefusedValue, .message = "`{}` has {} dimensions"},
        {.name = "no-attribute", .kind = "AttributeError", .message = "`{}` has no attribute '{}'"},
        {.name = "packed-type",
         .kind = ir::kRefusedValue,
         .message = "the parameter `{}` of type {} cannot be an argument of a packed call"},
        {.name = "pass-not-available",
         .kind = "NotImplementedError",
         .message = "`{}` does not lower {}: mlc does not have it yet"},
        {.name = "software-pipeline-not-possible",
         .message = "the loop cannot be pipelined: a statement depends on the asynchronous stages {} and {}"},
        {.name = "thread-extents-differ",
         .message = "loops bound to `{}` have different extents in one kernel"},
        {.name = "unknown-pass", .message = "there is no pass `{}`"},
        {.name = "wrong-annotation", .message = "`{}` is a text or a number, not `{}`"},
        {.name = "wrong-number-of-indices",
         .message = "`{}` has {} dimensions and is accessed with {} indices"},
        {.name = "wrong-type", .kind = "TypeError", .message = "`{}` is no instrument of passes"},
    }};

}  // namespace mlc::transform
