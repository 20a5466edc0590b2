// SPDX-License-Identifier: Apache-2.0
#include "transform/pass/lower_opaque.h"

namespace mlc::transform::pass_lower_tirx_opaque {
namespace {

constexpr char doc[] =
    R"(LowerTIRxOpaque(): loops of threads, loops of one iteration and pragmas become statements.

    for i in T.thread_binding(16, "threadIdx.x"):       i = T.launch_thread("threadIdx.x", 16)
        for j in range(1):                          =>      S[j := 0]
            S
needs: nothing; blocks stay as they are.
keeps: every statement. `pragma_*` annotations become attributes around their loops.
What LowerOpaqueBlock is to functions with blocks, this is to those that never had any.)";

PrimFunc apply(const PrimFunc& fn, const PassOptions&) { return lower_opaque(fn, Blocks::kLeave); }

}  // namespace

extern const Pass lower_tirx_opaque{"LowerTIRxOpaque", "tirx.transform", "LowerTIRxOpaque()", doc, apply};

}  // namespace mlc::transform::pass_lower_tirx_opaque
