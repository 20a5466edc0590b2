// SPDX-License-Identifier: Apache-2.0
// Quantization: data / scale + zero_point in few bits, and back.
#include <algorithm>

#include "ir/relax/operand_checks.h"

namespace mlc::relax::operators_qdq {

static constexpr ir::Refusals refusals{
    "TypeError",
    {
        {.name = "quantize-dtype", .message = "`{}`: {} must be one of {}, not `{}`"},
        {.name = "quantize-shape-unknown",
         .kind = "RuntimeError",
         .message = "the shape of {} is unknown, which must have as many elements as `data` along its axis",
         .help = "say what is known with `R.match_cast`"},
        {.name = "quantize-size",
         .kind = "ValueError",
         .message = "{} has the shape {}; it must be a scalar, or a vector of the length {} of `data` along "
                    "axis {}"},
    }};
MLC_REFUSALS(op_qdq, refusals);

namespace {

void check_one_of(const CallNode* call, std::string_view what, DataType dtype,
                  std::span<const std::string_view> all, Span span) {
  std::string text = dtype.is_void() ? "void" : dtype.str();
  if (std::find(all.begin(), all.end(), text) != all.end()) return;
  std::string wanted;
  for (std::string_view each : all) wanted += (wanted.empty() ? "" : ", ") + std::string(each);
  throw ir::refuse(refusals["quantize-dtype"], call_name(call), what, wanted, text).at(span);
}

constexpr std::string_view kScales[] = {"float16", "float32"};
constexpr std::string_view kZeroPoints[] = {"int8", "uint8", "int16", "uint16", "int32", "uint32", "float16"};
constexpr std::string_view kQuantized[] = {"int8",   "uint8",         "int16",
                                           "uint16", "float8_e4m3fn", "float8_e5m2"};
constexpr std::string_view kDequantizable[] = {"int8",    "uint8",   "int16",         "uint16",     "int32",
                                               "float16", "float32", "float8_e4m3fn", "float8_e5m2"};

Type infer_qdq(const CallNode* call, const InferContext& context, std::span<const std::string_view> from,
               std::span<const std::string_view> to) {
  std::vector<const TensorTypeNode*> x = tensor_operands(call);
  DataType out = dtype_attr(call, "out_dtype");
  check_one_of(call, "`out_dtype`", out, to, call->span);
  for (const TensorTypeNode* each : x) {
    if (!each->knows_dtype()) return with_dtype(x[0], DataType::Void());
  }
  check_one_of(call, "the data type of `data`", x[0]->dtype, from, operand_span(call, 0));
  check_one_of(call, "the data type of `scale`", x[1]->dtype, kScales, operand_span(call, 1));
  check_one_of(call, "the data type of `zero_point`", x[2]->dtype, kZeroPoints, operand_span(call, 2));
  if (!x[0]->knows_ndim()) refuse_ndim(call, 0, x[0]->ndim, "the dimension `axis`");
  int64_t axis = normalize_axis(int_attr(call, "axis"), x[0]->ndim, call);
  auto data = x[0]->dims();
  for (size_t i = 1; i < 3; ++i) {
    auto dims = x[i]->dims();
    if (!dims)
      throw ir::refuse(refusals["quantize-shape-unknown"], operand_name(call, i)).at(operand_span(call, i));
    if (dims->empty() || (dims->size() == 1 && ir::is_const_int((*dims)[0], 1))) continue;
    if (!data)
      throw ir::refuse(refusals["quantize-shape-unknown"], operand_name(call, 0)).at(operand_span(call, 0));
    if (dims->size() == 1 && context.proves_equal((*dims)[0], (*data)[axis])) continue;
    throw ir::refuse(refusals["quantize-size"], operand_name(call, i), shape_text(*dims),
                     dim_text((*data)[axis]), axis)
        .at(operand_span(call, i));
  }
  return with_dtype(x[0], out);
}

Type infer_quantize(const CallNode* call, const InferContext& context) {
  return infer_qdq(call, context, kScales, kQuantized);
}
Type infer_dequantize(const CallNode* call, const InferContext& context) {
  return infer_qdq(call, context, kDequantizable, kScales);
}

constexpr AttrRows kAttrs = {{{"out_dtype", AttrKind::kDtype}, {"axis", AttrKind::kInt}}};
constexpr Operator kRows[] = {
    {.signature = "quantize(data, scale, zero_point, axis=-1, out_dtype='int8')",
     .doc = "round(data / scale) + zero_point, kept in the range of out_dtype; scale and zero_point along an "
            "axis.",
     .infer = infer_quantize,
     .operands = 3,
     .attrs = kAttrs.of("QuantizeAttrs")},
    {.signature = "dequantize(data, scale, zero_point, axis=-1, out_dtype='float32')",
     .doc = "(data - zero_point) * scale; scale and zero_point along an axis.",
     .infer = infer_dequantize,
     .operands = 3,
     .attrs = kAttrs.of("QuantizeAttrs")},
};

}  // namespace

extern const Operators qdq;
const Operators qdq{kRows};

}  // namespace mlc::relax::operators_qdq
