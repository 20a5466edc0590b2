// SPDX-License-Identifier: Apache-2.0
#include "transform/graph/op_pattern.h"
#include "transform/pass/graph_pass.h"

namespace mlc::transform::pass_annotate_tir_op_pattern {
namespace {

constexpr char doc[] = R"(AnnotateTIROpPattern(): say of each tensor function how fusion may treat it.

    @T.prim_func                =>      T.func_attr({"op_pattern": 4})
    def matmul(...)
needs: schedulable functions. 0 elementwise, 1 broadcast, 2 injective, 3 reduction, 4 results can be consumed
elementwise (products of matrices), 8 opaque. An annotation that is there stays.
keeps: everything else.
After LegalizeOps, before FuseOps.)";

PrimFunc apply(const PrimFunc& fn, const PassOptions&) {
  if (ir::attr(fn, "op_pattern")) return fn;
  return ir::with_attr(fn, "op_pattern", static_cast<int64_t>(op_pattern(fn)));
}

}  // namespace

extern const Pass annotate_tir_op_pattern{"AnnotateTIROpPattern", "relax.transform", "AnnotateTIROpPattern()", doc,
                                          apply};

}  // namespace mlc::transform::pass_annotate_tir_op_pattern
