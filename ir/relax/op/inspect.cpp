// SPDX-License-Identifier: Apache-2.0
// What a tensor says of itself when the program runs.
#include "ir/relax/operand_checks.h"

namespace mlc::relax::operators_inspect {

static constexpr ir::Refusals refusals{
    "ValueError",
    {
        {.name = "inspect-axis-negative",
         .kind = "InternalError+ValueError",
         .message = "`{}`: axis {} is negative; axes are counted from the first, which is 0"},
        {.name = "inspect-axis", .message = "`{}`: axis {} is out of range for a tensor of {} dimensions"},
    }};
MLC_REFUSALS(op_inspect, refusals);

namespace {

template <uint8_t kCode, uint8_t kBits>
Type infer_field(const CallNode* call, const InferContext&) {
  tensor_operand(call, 0);
  return ir::prim_type(DataType(DLDataType{kCode, kBits, 1}));
}
// Of one axis.
Type infer_axis_field(const CallNode* call, const InferContext&) {
  const TensorTypeNode* tensor = tensor_operand(call, 0);
  auto axis = ir::const_int(prim_int_operand(call, 1));
  if (axis && *axis < 0)
    throw ir::refuse(refusals["inspect-axis-negative"], call_name(call), *axis).at(operand_span(call, 1));
  if (axis && tensor->knows_ndim() && *axis >= tensor->ndim)
    throw ir::refuse(refusals["inspect-axis"], call_name(call), *axis, tensor->ndim)
        .at(operand_span(call, 1));
  return ir::prim_type(DataType::Int(64));
}

constexpr Operator kRows[] = {
    {.signature = "inspect.tensor_dtype_code(tensor)",
     .doc = "The kind of the data type, as DLPack numbers them.",
     .infer = infer_field<kDLUInt, 8>},
    {.signature = "inspect.tensor_dtype_bits(tensor)",
     .doc = "The bits of the data type.",
     .infer = infer_field<kDLUInt, 8>},
    {.signature = "inspect.tensor_dtype_lanes(tensor)",
     .doc = "The lanes of the data type.",
     .infer = infer_field<kDLUInt, 16>},
    {.signature = "inspect.tensor_ndim(tensor)",
     .doc = "The number of dimensions.",
     .infer = infer_field<kDLInt, 32>},
    {.signature = "inspect.tensor_shape_i(tensor, axis)",
     .doc = "The extent of a dimension.",
     .infer = infer_axis_field},
    {.signature = "inspect.tensor_stride_i(tensor, axis)",
     .doc = "The stride of a dimension, in elements.",
     .infer = infer_axis_field},
    {.signature = "inspect.tensor_byte_offset(tensor)",
     .doc = "The offset of the first element in the memory, in bytes.",
     .infer = infer_field<kDLUInt, 64>},
    {.signature = "inspect.tensor_elem_offset(tensor)",
     .doc = "The offset of the first element in the memory, in elements.",
     .infer = infer_field<kDLUInt, 64>},
};

}  // namespace

extern const Operators inspect;
const Operators inspect{kRows};

}  // namespace mlc::relax::operators_inspect
