// SPDX-License-Identifier: Apache-2.0
// Images: resizing and sampling.
#include <tvm/ffi/container/list.h>

#include "ir/relax/infer_layout.h"
#include "ir/relax/layout.h"
#include "ir/relax/operand_checks.h"

namespace mlc::relax::operators_image {

static constexpr ir::Refusals refusals{
    "ValueError",
    {
        {.name = "image-size", .message = "`size` of `{}` has {} dimensions, but must have {}"},
        {.name = "image-roi",
         .kind = "NotImplementedError",
         .message = "`roi` of `{}` must be None, a float, or {} floats",
         .help = "the begin along each spatial axis, then the end"},
        {.name = "affine-extent",
         .message = "dimension {} of {} is {}, but must be {} for a `size` of {} dimensions"},
    }};
MLC_REFUSALS(op_image, refusals);

namespace {

enum class ListOfOne : bool { kStandsForAll, kIsOne };

// A shape of this many dimensions, from a number (which stands for all), a list of numbers, or a shape.
Expr size_arg(ApiCall& call, size_t i, size_t count, ListOfOne one = ListOfOne::kStandsForAll) {
  auto* e = call.args[i].as<ir::ExprNode>();
  bool is_number = call.args[i].as<int64_t>() || (e && is_prim(ir::ref(e)));
  if (is_number) call.args[i] = Array<Any>{call.args[i]};
  Expr size = shape_arg(call, i);
  auto* written = as<ShapeExprNode>(size);
  if (!written || written->values.size() != 1 || (!is_number && one == ListOfOne::kIsOne)) return size;
  if (auto given = call.args[i].as<Expr>(); given && *given && !is_prim(*given)) return size;
  Array<Expr> all;
  while (all.size() < count) all.push_back(written->values[0]);
  return make<ShapeExprNode>(all, call.span_of(i));
}

const Array<Expr>* size_operand(const CallNode* call, std::initializer_list<int64_t> ranks) {
  const ShapeTypeNode* size = shape_operand(call, 1);
  for (int64_t rank : ranks) {
    if (size->ndim != rank) continue;
    auto* written = as<ShapeExprNode>(call->args[1]);
    return written ? &written->values : nullptr;
  }
  std::string wanted = ranks.size() == 1 ? fmt::format("{}", *ranks.begin()) : std::string("2 or 3");
  throw ir::refuse(refusals["image-size"], call_name(call),
                   size->knows_ndim() ? fmt::format("{}", size->ndim) : std::string("an unknown number of"),
                   wanted)
      .at(operand_span(call, 1));
}

Type infer_resize(const CallNode* call, std::string_view axes, const InferContext& context) {
  const TensorTypeNode* data = tensor_operand(call, 0);
  auto spatial = static_cast<int64_t>(axes.size()) - 2;
  const Array<Expr>* size = size_operand(call, {spatial});
  LayoutAttr layout = layout_attr(call, "layout", axes);
  DataType dtype = dtype_attr(call, "out_dtype");
  if (dtype.is_void()) dtype = data->data_type();
  auto dims = canonical_dims(call, 0, data, layout, context);
  if (!dims || !size) return tensor_type(dtype, layout.ndim(), data->vdevice);
  for (int64_t k = 0; k < spatial; ++k) dims->Set(k + 2, (*size)[k]);
  return tensor_type(layout.from_canonical(*dims, context), dtype, data->vdevice);
}
Type infer_resize2d(const CallNode* call, const InferContext& context) {
  return infer_resize(call, "NCHW", context);
}
Type infer_resize3d(const CallNode* call, const InferContext& context) {
  return infer_resize(call, "NCDHW", context);
}

Type infer_grid_sample(const CallNode* call, const InferContext& context) {
  const TensorTypeNode* data = tensor_operand(call, 0);
  const TensorTypeNode* grid = tensor_operand(call, 1);
  std::string_view axes = string_attr(call, "layout") == "NCDHW" ? "NCDHW" : "NCHW";
  LayoutAttr layout = layout_attr(call, "layout", axes);
  auto dims = canonical_dims(call, 0, data, layout, context);
  const Array<Expr>* points = written_dims(grid);
  if (!dims || !points) return with_ndim(data, layout.ndim());
  auto rank = static_cast<int64_t>(axes.size());
  if (grid->ndim < rank) refuse_ndim(call, 1, grid->ndim, fmt::format("at least {} dimensions", rank));
  for (size_t k = 2; k < axes.size(); ++k) dims->Set(k, (*points)[k]);
  return with_dims(data, layout.from_canonical(*dims, context));
}

Type infer_affine_grid(const CallNode* call, const InferContext&) {
  const TensorTypeNode* data = tensor_operand(call, 0);
  const Array<Expr>* size = size_operand(call, {2, 3});
  int64_t spatial = shape_operand(call, 1)->ndim;
  check_ndim(call, 0, data, 3);
  const Array<Expr>* dims = written_dims(data);
  if (dims) {
    for (int64_t k = 1; k < 3; ++k) {
      auto extent = ir::const_int((*dims)[k]);
      int64_t wanted = spatial + k - 1;
      if (extent && *extent != wanted)
        throw ir::refuse(refusals["affine-extent"], k, operand_name(call, 0), *extent, wanted, spatial)
            .at(operand_span(call, 0));
    }
  }
  if (!dims || !size) return with_ndim(data, spatial + 2);
  Array<Expr> out{(*dims)[0], dim(spatial)};
  for (const Expr& extent : *size) out.push_back(extent);
  return with_dims(data, out);
}

// The region of interest as float32 constants: None is 0 throughout, one float stands for all.
void complete_roi(ApiCall& call, size_t i, size_t count) {
  const Any given = call.args[i];
  std::vector<Any> values;
  if (auto array = given.as<Array<Any>>()) {
    values.assign(array->begin(), array->end());
  } else if (auto* list = given.as<ffi::ListObj>()) {
    values.assign(list->begin(), list->end());
  } else if (given == nullptr || given.as<double>()) {
    values.assign(count, given == nullptr ? Any(0.0) : given);
  }
  Array<Any> all;
  for (const Any& value : values) {
    if (value.as<ir::FloatImmNode>()) {
      all.push_back(value);
    } else if (auto number = value.as<double>()) {
      all.push_back(Any(make<ir::FloatImmNode>(DataType::Float(32), *number)));
    } else if (auto whole = value.as<int64_t>()) {
      all.push_back(Any(make<ir::FloatImmNode>(DataType::Float(32), static_cast<double>(*whole))));
    }
  }
  if (all.empty() || all.size() != values.size())
    throw ir::refuse(refusals["image-roi"], call.api.path(), count).at(call.span_of(i));
  call.args[i] = all;
}

Any build_resize2d(ApiCall& call) {
  complete_roi(call, 2, 4);
  return call_with_attrs(call, {operand_arg(call, 0), size_arg(call, 1, 2)}, 2);
}
Any build_resize3d(ApiCall& call) {
  complete_roi(call, 2, 6);
  return call_with_attrs(call, {operand_arg(call, 0), size_arg(call, 1, 3)}, 2);
}
Any build_affine_grid(ApiCall& call) {
  return call_with_attrs(call, {operand_arg(call, 0), size_arg(call, 1, 2, ListOfOne::kIsOne)}, 2);
}

constexpr AttrRows kResizeAttrs{{{"roi", AttrKind::kAny},
                                 {"layout", AttrKind::kString},
                                 {"method", AttrKind::kString},
                                 {"coordinate_transformation_mode", AttrKind::kString},
                                 {"rounding_method", AttrKind::kString},
                                 {"cubic_alpha", AttrKind::kFloat},
                                 {"cubic_exclude", AttrKind::kInt},
                                 {"extrapolation_value", AttrKind::kFloat},
                                 {"out_dtype", AttrKind::kDtype}}};

constexpr Operator kRows[] = {
    {.signature = "image.resize2d(data, size, roi=None, layout='NCHW', method='linear', "
                  "coordinate_transformation_mode='half_pixel', rounding_method='round', cubic_alpha=-0.75, "
                  "cubic_exclude=0, extrapolation_value=0.0, out_dtype=None)",
     .doc = "Images of another height and width; methods are nearest_neighbor, linear and cubic.",
     .infer = infer_resize2d,
     .attrs = kResizeAttrs.of("Resize2DAttrs"),
     .build = build_resize2d,
     .precision = Precision::kFollow,
     .layout = layout_resize},
    {.signature = "image.resize3d(data, size, roi=None, layout='NCDHW', method='linear', "
                  "coordinate_transformation_mode='half_pixel', rounding_method='', cubic_alpha=-0.75, "
                  "cubic_exclude=0, extrapolation_value=0.0, out_dtype=None)",
     .doc = "Volumes of another depth, height and width; methods are nearest_neighbor, linear and cubic.",
     .infer = infer_resize3d,
     .attrs = kResizeAttrs.of("Resize3DAttrs"),
     .build = build_resize3d,
     .precision = Precision::kFollow,
     .layout = layout_resize},
    {.signature = "image.grid_sample(data, grid, method='bilinear', layout='NCHW', padding_mode='zeros', "
                  "align_corners=False)",
     .doc =
         "Images at the points of a grid (N, 2, H, W), or volumes at those of (N, 3, D, H, W), in [-1, 1].",
     .infer = infer_grid_sample,
     .attrs = {{{"method", AttrKind::kString},
                {"layout", AttrKind::kString},
                {"padding_mode", AttrKind::kString},
                {"align_corners", AttrKind::kBool}},
               "GridSampleAttrs"},
     .precision = Precision::kFollow},
    {.signature = "image.affine_grid(data, size, align_corners=True)",
     .doc = "The points that affine maps (N, 2, 3) or (N, 3, 4) make of a grid of that size.",
     .infer = infer_affine_grid,
     .attrs = {{{"align_corners", AttrKind::kBool}}, "AffineGridAttrs"},
     .build = build_affine_grid,
     .precision = Precision::kFollow},
};

}  // namespace

extern const Operators image;
const Operators image{kRows};

}  // namespace mlc::relax::operators_image
