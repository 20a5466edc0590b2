// SPDX-License-Identifier: Apache-2.0
// Object detection.
#include "ir/relax/operand_checks.h"
#include "ir/relax/window.h"
#include "ir/tir/arith_ops.h"

namespace mlc::relax::operators_vision {

static constexpr ir::Refusals refusals{
    "ValueError",
    {
        {.name = "vision-index", .message = "`{}` {} of `{}` is out of range for boxes of {} numbers"},
        {.name = "vision-extent", .message = "dimension {} of {} is {}, but must be {}"},
        {.name = "vision-option", .message = "`{}` of `{}` is \"{}\"; it must be {}"},
        {.name = "vision-variances",
         .kind = "InternalError+ValueError",
         .message = "`variances` of `vision.multibox_transform_loc` has {} numbers, but 4 are needed"},
        {.name = "vision-shape-unknown", .message = "the shape of {} must be known"},
    }};
MLC_REFUSALS(op_vision, refusals);

namespace {

const DataType kInt32 = DataType::Int(32);
const DataType kInt64 = DataType::Int(64);

[[noreturn]] void wrong_extent(const CallNode* call, size_t i, size_t axis, const Expr& extent,
                               const std::string& wanted) {
  throw ir::refuse(refusals["vision-extent"], axis, operand_name(call, i), dim_text(extent), wanted)
      .at(operand_span(call, i));
}
// A constant dimension is of this value.
void check_extent(const CallNode* call, size_t i, const Array<Expr>* dims, size_t axis, int64_t wanted) {
  auto extent = dims ? ir::const_int((*dims)[axis]) : std::nullopt;
  if (extent && *extent != wanted) wrong_extent(call, i, axis, (*dims)[axis], fmt::format("{}", wanted));
}
// Two constant dimensions are the same but for a factor.
void check_extents(const CallNode* call, size_t i, const Array<Expr>* dims, size_t axis, const Expr& other,
                   int64_t factor = 1) {
  if (auto wanted = ir::const_int(other)) check_extent(call, i, dims, axis, *wanted * factor);
}
// Attribute `name` is an index in [lowest, length - room).
void check_index(const CallNode* call, std::string_view name, int64_t lowest, int64_t room,
                 const Expr& length) {
  auto extent = ir::const_int(length);
  int64_t index = int_attr(call, name);
  if (extent && (index < lowest || index + room >= *extent))
    throw ir::refuse(refusals["vision-index"], name, index, call_name(call), *extent).at(call->span);
}

Type infer_all_class_nms(const CallNode* call, const InferContext&) {
  std::vector<const TensorTypeNode*> all = tensor_operands(call);
  const Array<Expr>* dims[2];
  for (size_t i = 0; i < 2; ++i) {
    if (all[i]->ndim != 3) refuse_ndim(call, i, all[i]->ndim, "3 dimensions");
    dims[i] = written_dims(all[i]);
    if (!dims[i])
      throw ir::refuse(refusals["vision-shape-unknown"], operand_name(call, i)).at(operand_span(call, i));
  }
  const Expr& batch = (*dims[0])[0];
  const Expr& boxes = (*dims[0])[1];
  const Expr& classes = (*dims[1])[1];
  VDevice vdevice = all[0]->vdevice;
  if (string_attr(call, "output_format") == "onnx") {
    // A row for each box that is selected: how many there are is known when it has run, and at most batch *
    // classes * boxes, which TVM has as the dimension.
    return make<TupleTypeNode>(
        Array<Type>{tensor_type(kInt64, 2, vdevice), tensor_type(Array<Expr>{dim(1)}, kInt64, vdevice)});
  }
  Expr total = ir::mul(classes, boxes);
  return make<TupleTypeNode>(Array<Type>{tensor_type(Array<Expr>{batch, total, dim(2)}, kInt64, vdevice),
                                         tensor_type(Array<Expr>{batch, total}, DataType::Float(32), vdevice),
                                         tensor_type(Array<Expr>{batch}, kInt64, vdevice)});
}

Type infer_valid_counts(const CallNode* call, const InferContext&) {
  const TensorTypeNode* data = tensor_operand(call, 0);
  check_ndim(call, 0, data, 3);
  const Array<Expr>* dims = written_dims(data);
  VDevice vdevice = data->vdevice;
  if (!dims)
    return make<TupleTypeNode>(
        Array<Type>{tensor_type(kInt32, 1, vdevice), with_ndim(data, 3), tensor_type(kInt32, 2, vdevice)});
  check_index(call, "score_index", 0, 0, (*dims)[2]);
  check_index(call, "id_index", -1, 0, (*dims)[2]);
  return make<TupleTypeNode>(Array<Type>{tensor_type(Array<Expr>{(*dims)[0]}, kInt32, vdevice),
                                         with_dims(data, *dims),
                                         tensor_type(Array<Expr>{(*dims)[0], (*dims)[1]}, kInt32, vdevice)});
}

Type infer_nms(const CallNode* call, const InferContext& context) {
  const TensorTypeNode* data = tensor_operand(call, 0);
  const TensorTypeNode* counts = tensor_operand(call, 1);
  const TensorTypeNode* indices = tensor_operand(call, 2);
  check_ndim(call, 0, data, 3);
  check_ndim(call, 1, counts, 1);
  check_ndim(call, 2, indices, 2);
  check_dtype(call, 1, counts, kInt32);
  check_dtype(call, 2, indices, kInt32);
  const Array<Expr>* dims = written_dims(data);
  if (dims) {
    // These must be known to be equal.
    auto check = [&](size_t i, const TensorTypeNode* type, size_t axis) {
      const Array<Expr>* given = written_dims(type);
      if (given && !context.proves_equal((*given)[axis], (*dims)[axis]))
        wrong_extent(call, i, axis, (*given)[axis], dim_text((*dims)[axis]));
    };
    check(1, counts, 0);
    check(2, indices, 0);
    check(2, indices, 1);
    check_index(call, "score_index", 0, 0, (*dims)[2]);
    check_index(call, "coord_start", 0, 3, (*dims)[2]);
    check_index(call, "id_index", -1, 0, (*dims)[2]);
  }
  Type boxes = dims ? with_dims(data, *dims) : with_ndim(data, 3);
  if (!bool_attr(call, "return_indices")) return boxes;
  VDevice vdevice = data->vdevice;
  Type found = dims ? tensor_type(Array<Expr>{(*dims)[0], (*dims)[1]}, kInt32, vdevice)
                    : tensor_type(kInt32, 2, vdevice);
  Type valid =
      dims ? tensor_type(Array<Expr>{(*dims)[0], dim(1)}, kInt32, vdevice) : tensor_type(kInt32, 2, vdevice);
  if (float_attr(call, "soft_nms_sigma") > 0.0) return make<TupleTypeNode>(Array<Type>{boxes, found, valid});
  return make<TupleTypeNode>(Array<Type>{found, valid});
}

Type infer_multibox(const CallNode* call, const InferContext&) {
  const TensorTypeNode* classes = tensor_operand(call, 0);
  const TensorTypeNode* offsets = tensor_operand(call, 1);
  const TensorTypeNode* anchors = tensor_operand(call, 2);
  check_ndim(call, 0, classes, 3);
  check_ndim(call, 1, offsets, 2);
  check_ndim(call, 2, anchors, 3);
  check_same_dtype(call, 0, classes, 1, offsets);
  check_same_dtype(call, 0, classes, 2, anchors);
  const Array<Expr>* class_dims = written_dims(classes);
  const Array<Expr>* offset_dims = written_dims(offsets);
  const Array<Expr>* anchor_dims = written_dims(anchors);
  if (offset_dims) {
    auto extent = ir::const_int((*offset_dims)[1]);
    if (extent && *extent % 4 != 0) wrong_extent(call, 1, 1, (*offset_dims)[1], "4 for each anchor");
  }
  check_extent(call, 2, anchor_dims, 0, 1);
  check_extent(call, 2, anchor_dims, 2, 4);
  if (!class_dims) return make<TupleTypeNode>(Array<Type>{with_ndim(classes, 3), with_ndim(classes, 3)});
  check_extents(call, 1, offset_dims, 0, (*class_dims)[0]);
  check_extents(call, 1, offset_dims, 1, (*class_dims)[2], 4);
  check_extents(call, 2, anchor_dims, 1, (*class_dims)[2]);
  return make<TupleTypeNode>(Array<Type>{with_dims(classes, {(*class_dims)[0], (*class_dims)[2], dim(4)}),
                                         with_dims(classes, *class_dims)});
}

Type infer_roi(const CallNode* call, const InferContext&) {
  const TensorTypeNode* data = tensor_operand(call, 0);
  const TensorTypeNode* rois = tensor_operand(call, 1);
  check_ndim(call, 0, data, 4);
  check_ndim(call, 1, rois, 2);
  const Array<Expr>* regions = written_dims(rois);
  check_extent(call, 1, regions, 1, 5);
  const Array<Expr>* dims = written_dims(data);
  if (!dims || !regions) return with_ndim(data, 4);
  std::vector<int64_t> size = ints_attr(call, "pooled_size");
  if (string_attr(call, "layout") == "NHWC")
    return with_dims(data, {(*regions)[0], dim(size[0]), dim(size[1]), (*dims)[3]});
  return with_dims(data, {(*regions)[0], (*dims)[1], dim(size[0]), dim(size[1])});
}
void check_option(const CallNode* call, std::string_view name, std::string_view a, std::string_view b) {
  std::string value = string_attr(call, name);
  if (value != a && value != b)
    throw ir::refuse(refusals["vision-option"], name, call_name(call), value,
                     b.empty() ? fmt::format("\"{}\"", a) : fmt::format("\"{}\" or \"{}\"", a, b))
        .at(call->span);
}
Type infer_roi_align(const CallNode* call, const InferContext& context) {
  check_option(call, "layout", "NCHW", "NHWC");
  check_option(call, "mode", "avg", "max");
  return infer_roi(call, context);
}
Type infer_roi_pool(const CallNode* call, const InferContext& context) {
  check_option(call, "layout", "NCHW", "NCHW");
  return infer_roi(call, context);
}

Any build_roi(ApiCall& call) {
  complete_ints(call, "pooled_size", 2);
  return call_with_attrs(call, {operand_arg(call, 0), operand_arg(call, 1)}, 2);
}
Any build_multibox(ApiCall& call) {
  if (call.args[5] == nullptr) call.args[5] = Array<Any>{1.0, 1.0, 1.0, 1.0};
  size_t count = attr_arg(call, 5, AttrKind::kFloats).cast<Array<Any>>().size();
  if (count != 4) throw ir::refuse(refusals["vision-variances"], count).at(call.span_of(5));
  return call_with_attrs(call, {operand_arg(call, 0), operand_arg(call, 1), operand_arg(call, 2)}, 3);
}

constexpr Operator kRows[] = {
    {.signature =
         "vision.all_class_non_max_suppression(boxes, scores, max_output_boxes_per_class, iou_threshold, "
         "score_threshold, output_format='onnx')",
     .doc = "For each class, the boxes that overlap none of a higher score too much.",
     .infer = internal_errors_of_tensors<infer_all_class_nms>,
     .attrs = {{{"output_format", AttrKind::kString}}, "AllClassNonMaximumSuppressionAttrs"}},
    {.signature = "vision.get_valid_counts(data, score_threshold=0, id_index=0, score_index=1)",
     .doc = "The boxes above the threshold at the front, their number, and where they were.",
     .infer = infer_valid_counts,
     .attrs = {{{"score_threshold", AttrKind::kFloat},
                {"id_index", AttrKind::kInt},
                {"score_index", AttrKind::kInt}},
               "GetValidCountsAttrs"}},
    {.signature =
         "vision.non_max_suppression(data, valid_count, indices, max_output_size=-1, iou_threshold=0.5, "
         "force_suppress=False, top_k=-1, coord_start=2, score_index=1, id_index=0, return_indices=True, "
         "invalid_to_bottom=False, soft_nms_sigma=0.0, score_threshold=0.0)",
     .doc = "The boxes that overlap none of a higher score too much.",
     .infer = infer_nms,
     .attrs = {{{"max_output_size", AttrKind::kInt},
                {"iou_threshold", AttrKind::kFloat},
                {"force_suppress", AttrKind::kBool},
                {"top_k", AttrKind::kInt},
                {"coord_start", AttrKind::kInt},
                {"score_index", AttrKind::kInt},
                {"id_index", AttrKind::kInt},
                {"return_indices", AttrKind::kBool},
                {"invalid_to_bottom", AttrKind::kBool},
                {"soft_nms_sigma", AttrKind::kFloat},
                {"score_threshold", AttrKind::kFloat}},
               "NonMaximumSuppressionAttrs"}},
    {.signature = "vision.multibox_transform_loc(cls_pred, loc_pred, anchor, clip=False, threshold=0.0, "
                  "variances=None, keep_background=True, apply_softmax=True)",
     .doc = "Boxes and scores from the offsets to anchors that a detector predicts.",
     .infer = infer_multibox,
     .attrs = {{{"clip", AttrKind::kBool},
                {"threshold", AttrKind::kFloat},
                {"variances", AttrKind::kFloats},
                {"keep_background", AttrKind::kBool},
                {"apply_softmax", AttrKind::kBool}},
               "MultiboxTransformLocAttrs"},
     .build = build_multibox},
    {.signature = "vision.roi_align(data, rois, pooled_size, spatial_scale, sample_ratio=-1, aligned=False, "
                  "layout='NCHW', mode='avg')",
     .doc = "Regions of images, each resampled to one size.",
     .infer = infer_roi_align,
     .attrs = {{{"pooled_size", AttrKind::kInts},
                {"spatial_scale", AttrKind::kFloat},
                {"sample_ratio", AttrKind::kInt},
                {"aligned", AttrKind::kBool},
                {"layout", AttrKind::kString},
                {"mode", AttrKind::kString}},
               "ROIAlignAttrs"},
     .build = build_roi,
     .precision = Precision::kFollow},
    {.signature = "vision.roi_pool(data, rois, pooled_size, spatial_scale, layout='NCHW')",
     .doc = "Regions of images, the maximum of each part of a grid over each of them.",
     .infer = infer_roi_pool,
     .attrs = {{{"pooled_size", AttrKind::kInts},
                {"spatial_scale", AttrKind::kFloat},
                {"layout", AttrKind::kString}},
               "ROIPoolAttrs"},
     .build = build_roi,
     .precision = Precision::kFollow},
};

}  // namespace

extern const Operators vision;
const Operators vision{kRows};

}  // namespace mlc::relax::operators_vision
