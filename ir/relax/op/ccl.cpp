// SPDX-License-Identifier: Apache-2.0
// Communication between the workers that run one program together.
#include <algorithm>

#include "ir/relax/infer_layout.h"
#include "ir/relax/operand_checks.h"
#include "ir/tir/arith_ops.h"

namespace mlc::relax::operators_ccl {

static constexpr ir::Refusals refusals{
    "ValueError",
    {
        {.name = "reduction-of-workers",
         .kind = "AssertionError",
         .message = "`op_type` of `ccl.allreduce` is \"{}\"; it must be \"sum\", \"prod\", \"min\", \"max\" "
                    "or \"avg\""},
        {.name = "scatter-shape-unknown",
         .kind = "InternalError",
         .message = "`{}` needs a tensor of known shape"},
        {.name = "scatter-axis",
         .kind = "IndexError",
         .message = "`{}`: axis {} is out of range for a tensor of {} dimensions"},
        {.name = "scatter-not-divisible",
         .message = "`{}`: axis {} of extent {} does not divide among {} workers"},
        {.name = "gather-scalar",
         .kind = "IndexError",
         .message = "`ccl.allgather` of a tensor without dimensions"},
    }};
MLC_REFUSALS(op_ccl, refusals);

namespace {

Type infer_same(const CallNode* call, const InferContext&) { return same_type(tensor_operand(call, 0)); }

Type infer_allgather(const CallNode* call, const InferContext&) {
  const TensorTypeNode* x = tensor_operand(call, 0);
  auto dims = x->dims();
  if (!dims) return same_type(x);
  if (dims->empty()) throw ir::refuse(refusals["gather-scalar"]).at(operand_span(call, 0));
  dims->Set(0, ir::mul((*dims)[0], dim(int_attr(call, "num_workers"))));
  return with_dims(x, *dims);
}

Type infer_scatter(const CallNode* call, const InferContext& context) {
  const TensorTypeNode* x = tensor_operand(call, 0);
  auto dims = x->dims();
  if (!dims) throw ir::refuse(refusals["scatter-shape-unknown"], call_name(call)).at(operand_span(call, 0));
  int64_t workers = int_attr(call, "num_workers");
  int64_t axis = int_attr(call, "axis");
  auto rank = static_cast<int64_t>(dims->size());
  if (axis < 0 || axis >= rank)
    throw ir::refuse(refusals["scatter-axis"], call_name(call), axis, rank).at(call->span);
  const Expr extent = (*dims)[axis];
  auto rest = workers == 0 ? std::optional<int64_t>(1)
                           : ir::const_int(context.simplify(ir::floormod(extent, dim(workers))));
  if (rest && *rest != 0)
    throw ir::refuse(refusals["scatter-not-divisible"], call_name(call), axis, dim_text(extent), workers)
        .at(operand_span(call, 0));
  dims->Set(axis, ir::truncdiv(extent, dim(workers)));
  return with_dims(x, *dims);
}

Any build_allreduce(ApiCall& call) {
  constexpr std::string_view kTypes[] = {"sum", "prod", "min", "max", "avg"};
  std::string type = std::string(view(attr_arg(call, 1, AttrKind::kString).cast<String>()));
  if (std::ranges::find(kTypes, type) == std::end(kTypes))
    throw ir::refuse(refusals["reduction-of-workers"], type).at(call.span_of(1));
  return call_with_attrs(call, {operand_arg(call, 0)}, 1);
}

constexpr Operator kRows[] = {
    {.signature = "ccl.allreduce(x, op_type='sum', in_group=True)",
     .doc = "The reduction of the tensors of all workers, at each of them.",
     .infer = infer_same,
     .attrs = {{{"op_type", AttrKind::kString}, {"in_group", AttrKind::kBool}}, "AllReduceAttrs"},
     .build = build_allreduce,
     .layout = layout_elementwise},
    {.signature = "ccl.allgather(x, num_workers, in_group=True)",
     .doc = "The tensors of all workers one behind the other along axis 0, at each of them.",
     .infer = infer_allgather,
     .attrs = {{{"num_workers", AttrKind::kInt}, {"in_group", AttrKind::kBool}}, "AllGatherAttrs"},
     .layout = layout_allgather},
    {.signature = "ccl.broadcast_from_worker0(x)",
     .doc = "The tensor of worker 0, at each worker.",
     .infer = infer_same,
     .layout = layout_elementwise},
    {.signature = "ccl.scatter_from_worker0(x, num_workers, axis=0)",
     .doc = "The tensor of worker 0 in equal parts along the axis, one at each worker.",
     .infer = infer_scatter,
     .attrs = {{{"num_workers", AttrKind::kInt}, {"axis", AttrKind::kInt}}, "ScatterCollectiveAttrs"}},
    {.signature = "dist.redistribute_replica_to_shard(input, num_workers, axis)",
     .doc = "Of a tensor that all workers have, the part along the axis that is this worker's.",
     .infer = infer_scatter,
     .attrs = {{{"num_workers", AttrKind::kInt}, {"axis", AttrKind::kInt}}, "ScatterCollectiveAttrs"}},
};

}  // namespace

extern const Operators ccl;
const Operators ccl{kRows};

}  // namespace mlc::relax::operators_ccl
