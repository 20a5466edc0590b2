// SPDX-License-Identifier: Apache-2.0
// Storage and tensors in it, as passes make them on the way to the virtual machine.
#include <tvm/ffi/container/list.h>

#include "ir/relax/operand_checks.h"
#include "ir/tir/arith_ops.h"

namespace mlc::relax::operators_memory {

static constexpr ir::Refusals refusals{
    "TypeError",
    {
        {.name = "not-a-data-type", .message = "{} must be a data type, such as `R.dtype(\"float32\")`"},
        {.name = "alloc-shape",
         .kind = "InternalError+ValueError",
         .message = "the shape of `{}` must be written out, such as `R.shape([n, 4])`"},
        {.name = "arguments-not-a-tuple",
         .message = "the arguments of `{}` must be a tuple, not one {}",
         .help = "write `R.tuple(x)`"},
        {.name = "storage-scope", .message = "`storage_scope` of `{}` must be a string"},
        {.name = "device-index", .message = "`{}` of `{}` must be an integer"},
        {.name = "view-operand", .message = "{} must be {}, but is a {}"},
        {.name = "view-out-of-bounds",
         .kind = "ValueError",
         .message = "a view of {} {} into a tensor of {}",
         .help = "a view lies within the tensor; give it a smaller `shape` or `relative_byte_offset`"},
    }};
MLC_REFUSALS(op_memory, refusals);

namespace {

Type infer_any(const CallNode*, const InferContext&) { return any_type(); }
Type infer_void(const CallNode*, const InferContext&) { return ir::void_type(); }
Type infer_same(const CallNode* call, const InferContext&) { return same_type(tensor_operand(call, 0)); }
Type infer_any_same(const CallNode* call, const InferContext&) { return call->args[0]->ty; }

std::optional<DataType> constant_dtype(const Expr& e) {
  auto* constant = as<GenericConstNode>(e);
  if (!constant) return std::nullopt;
  auto dtype = constant->value.as<DLDataType>();
  return dtype ? std::optional<DataType>(DataType(*dtype)) : std::nullopt;
}
DataType dtype_operand(const CallNode* call, size_t i) {
  if (auto dtype = constant_dtype(call->args[i])) return *dtype;
  throw ir::refuse(refusals["not-a-data-type"], operand_name(call, i)).at(operand_span(call, i));
}

// The vdevice of the module whose number the operand is, or null.
VDevice vdevice_operand(const CallNode* call, size_t i, const InferContext& context) {
  auto number = ir::const_int(call->args[i]);
  if (!number || *number < 0 || !context.mod) return {};
  auto found = context.mod->global_infos.find("vdevice");
  if (found == context.mod->global_infos.end()) return {};
  auto devices = (*found).second.cast<Array<Any>>();
  if (*number >= static_cast<int64_t>(devices.size())) return {};
  return devices[static_cast<size_t>(*number)].as<VDevice>().value_or(VDevice());
}

Type infer_builtin_alloc_tensor(const CallNode* call, const InferContext& context) {
  if (!as<ShapeExprNode>(call->args[0]))
    throw ir::refuse(refusals["alloc-shape"], call_name(call)).at(operand_span(call, 0));
  return make<TensorTypeNode>(call->args[0], dtype_operand(call, 1), vdevice_operand(call, 2, context));
}
Type infer_memory_alloc_tensor(const CallNode* call, const InferContext& context) {
  shape_operand(call, 2);
  return make<TensorTypeNode>(call->args[2], dtype_operand(call, 3), vdevice_operand(call, 4, context));
}
Type infer_vm_alloc_tensor(const CallNode* call, const InferContext& context) {
  const ShapeTypeNode* shape = shape_operand(call, 2);
  DataType dtype = dtype_operand(call, 3);
  VDevice vdevice = vdevice_operand(call, 4, context);
  return shape->values ? tensor_type(shape->values.value(), dtype, vdevice)
                       : tensor_type(dtype, shape->ndim, vdevice);
}

// ---- views ----

bool is_void(const Expr& e) {
  const auto* tuple = type_as<TupleTypeNode>(e);
  return tuple && tuple->elements.empty();
}
bool is_null_value(const Expr& e) {
  auto* call = as<CallNode>(e);
  return call && call->op.same_as(op("relax.null_value"));
}

Type infer_view(const CallNode* call, const InferContext& context) {
  const TensorTypeNode* data = tensor_operand(call, 0);
  bool reshaped = !is_void(call->args[1]);
  const ShapeTypeNode* shape = reshaped ? shape_operand(call, 1) : nullptr;

  const Expr type = context.value_of(call->args[2]);
  bool retyped = !is_void(type) && !is_null_value(type);
  DataType dtype = data->data_type();
  if (retyped) {
    auto known = constant_dtype(type);
    if (!known && type->ty->kind != TypeKind::kAny)
      throw ir::refuse(refusals["view-operand"], operand_name(call, 2), "a data type", kind_name(type->ty))
          .at(operand_span(call, 2));
    dtype = known ? *known : DataType::Void();
  }

  Expr offset = dim(0);
  if (!is_void(call->args[3])) {
    offset = call->args[3];
    if (!is_prim(offset) || offset->dtype() != DataType::Int(64))
      throw ir::refuse(refusals["view-operand"], operand_name(call, 3), "a 64-bit integer",
                       kind_name(offset->ty))
          .at(operand_span(call, 3));
  }

  auto given = data->dims();
  std::optional<Array<Expr>> dims = given;
  if (shape) dims = shape->values ? std::optional<Array<Expr>>(shape->values.value()) : std::nullopt;

  // The view ends within the tensor, as far as that is known.
  auto bytes = [](DataType type) { return dim((type.bits() * type.lanes() + 7) / 8); };
  bool knows_sizes = data->knows_dtype() && !dtype.is_void();
  Expr have;
  Expr want;
  std::string_view unit = "bytes";
  if (given && dims && knows_sizes) {
    have = ir::mul(product(*given, context), bytes(data->data_type()));
    want = ir::add(ir::mul(product(*dims, context), bytes(dtype)), offset);
  } else if (knows_sizes && !reshaped) {
    have = bytes(data->data_type());
    want = bytes(dtype);
    unit = "bytes for each element";
  } else if (given && dims && !retyped) {
    have = product(*given, context);
    want = product(*dims, context);
    unit = "elements";
  } else if (!reshaped && !retyped) {
    have = dim(0);
    want = offset;
    unit = "bytes behind the end";
  }
  if (have) {
    auto excess = ir::const_int(context.simplify(ir::sub(want, have)));
    if (excess && *excess > 0)
      throw ir::refuse(refusals["view-out-of-bounds"], dim_text(context.simplify(want)), unit,
                       dim_text(context.simplify(have)))
          .at(call->span);
  }
  if (dims) return tensor_type(*dims, dtype, data->vdevice);
  return tensor_type(dtype, shape ? shape->ndim : data->ndim, data->vdevice);
}

// ---- calls ----

// A data type by name is a constant.
Expr dtype_arg(const ApiCall& call, size_t i) {
  if (auto e = call.args[i].as<Expr>(); e && *e) return *e;
  Any dtype = attr_arg(call, i, AttrKind::kDtype);
  if (dtype == nullptr)
    throw ir::refuse(refusals["not-a-data-type"], fmt::format("`{}`", call.api.params[i].name))
        .at(call.span_of(i));
  return make<GenericConstNode>(dtype, any_type(), call.span_of(i));
}
// A list of dimensions is a shape; other values are operands as they are.
Expr size_arg(const ApiCall& call, size_t i) {
  bool is_list = call.args[i].as<Array<Any>>().has_value() || call.args[i].as<ffi::ListObj>();
  return is_list ? shape_arg(call, i) : wide_operand_arg(call, i);
}

Expr scope_arg(const ApiCall& call, size_t i) {
  Expr scope = wide_operand_arg(call, i);
  if (as<ir::StringImmNode>(scope)) return scope;
  throw ir::refuse(refusals["storage-scope"], call.api.path()).at(call.span_of(i));
}
Expr device_index_arg(const ApiCall& call, size_t i) {
  Expr index = wide_operand_arg(call, i);
  if (is_prim(index)) return index;
  throw ir::refuse(refusals["device-index"], call.api.params[i].name, call.api.path()).at(call.span_of(i));
}

Any build_builtin_alloc_tensor(ApiCall& call) {
  Array<Expr> args{size_arg(call, 0), dtype_arg(call, 1), device_index_arg(call, 2), scope_arg(call, 3)};
  // What CallTIRRewrite makes has the type of the result beside it, and is printed with it.
  return make_call("relax.builtin.alloc_tensor", args, {}, types_arg(call, 4), call.span);
}
Any build_memory_alloc_storage(ApiCall& call) {
  return call_with_attrs(
      call, {size_arg(call, 0), device_index_arg(call, 1), scope_arg(call, 2), dtype_arg(call, 3)}, 4);
}
Any build_vm_alloc_storage(ApiCall& call) {
  return call_with_attrs(
      call, {size_arg(call, 0), device_index_arg(call, 1), dtype_arg(call, 2), scope_arg(call, 3)}, 4);
}
Any build_alloc_tensor(ApiCall& call) {
  return call_with_attrs(call,
                         {operand_arg(call, 0), wide_operand_arg(call, 1), size_arg(call, 2),
                          dtype_arg(call, 3), wide_operand_arg(call, 4)},
                         5);
}
Any build_view(ApiCall& call) {
  Expr nothing = make<TupleNode>(Array<Expr>());
  Expr shape = call.args[1] == nullptr ? nothing : size_arg(call, 1);
  Expr dtype = call.args[2] == nullptr ? Expr(make_call("relax.null_value", {}, {}, {}, call.span))
                                       : dtype_arg(call, 2);
  Expr offset = call.args[3] == nullptr ? nothing : wide_operand_arg(call, 3);
  return call_with_attrs(call, {operand_arg(call, 0), shape, dtype, offset}, 4);
}

Any build_call_tir_dyn(ApiCall& call) {
  Expr args = tensors_arg(call, 1);
  if (args->kind != ExprKind::kTuple)
    throw ir::refuse(refusals["arguments-not-a-tuple"], call.api.path(), kind_name(args->ty))
        .at(call.span_of(1));
  return make_call("relax.vm.call_tir_dyn", {operand_arg(call, 0), args}, {}, {}, call.span);
}

constexpr Operator kRows[] = {
    {.signature =
         "builtin.alloc_tensor(shape, dtype, runtime_device_index, storage_scope='global', *, ty_args=None)",
     .arguments = "shape Expr; dtype GenericConst; runtime_device_index PrimExpr; storage_scope StringImm",
     .doc = "A new tensor, of unknown contents.",
     .infer = infer_builtin_alloc_tensor,
     .operands = 4,
     .build = build_builtin_alloc_tensor},
    {.signature = "builtin.stop_lift_params(x)",
     .arguments = "x Expr",
     .doc = "The tensor; what is computed from it is not moved to the function that transforms parameters.",
     .infer = infer_same},
    {.signature = "memory.alloc_storage(size, virtual_device_index, storage_scope, dtype)",
     .arguments =
         "total_space Expr; virtual_device_index PrimExpr; storage_scope StringImm; dtype GenericConst",
     .doc = "New storage.",
     .infer = infer_any,
     .operands = 4,
     .build = build_memory_alloc_storage},
    {.signature = "memory.alloc_tensor(storage, offset, shape, dtype, runtime_device_ind=0)",
     .arguments =
         "storage Expr; offset PrimExpr; shape Expr; dtype GenericConst; runtime_device_index PrimExpr",
     .doc = "A tensor in storage, from the offset on.",
     .infer = infer_memory_alloc_tensor,
     .operands = 5,
     .build = build_alloc_tensor},
    {.signature = "memory.kill_storage(storage)",
     .doc = "Storage is used no more.",
     .infer = infer_void,
     .pure = false},
    {.signature = "memory.kill_tensor(tensor)",
     .arguments = "tensor Expr",
     .doc = "A tensor is used no more.",
     .infer = infer_void,
     .pure = false},
    {.signature = "memory.view(data, shape=None, dtype=None, relative_byte_offset=None)",
     .arguments = "x Tensor; shape Shape; dtype DataType; relative_byte_offset Prim(\"int64\")",
     .doc = "The memory of a tensor as a tensor of another shape and data type, from an offset on.",
     .infer = infer_view,
     .operands = 4,
     .build = build_view},
    {.signature = "memory.ensure_zero_offset(data)",
     .arguments = "x Tensor",
     .doc = "The tensor at the begin of its memory: a copy where it is not.",
     .infer = infer_any_same},
    {.signature = "vm.alloc_storage(shape, runtime_device_index, dtype, storage_scope='global')",
     .arguments = "size Expr; dtype GenericConst; runtime_device_index PrimExpr; storage_scope StringImm",
     .doc = "New storage, by the virtual machine.",
     .infer = infer_any,
     .operands = 4,
     .build = build_vm_alloc_storage},
    {.signature = "vm.alloc_tensor(storage, offset, shape, dtype, runtime_device_ind=0)",
     .arguments =
         "storage Expr; offset PrimExpr; shape Expr; dtype GenericConst; runtime_device_index PrimExpr",
     .doc = "A tensor in storage, by the virtual machine.",
     .infer = infer_vm_alloc_tensor,
     .operands = 5,
     .build = build_alloc_tensor},
    {.signature = "vm.call_tir_dyn(func, args)",
     .doc =
         "Calls a tensor function whose symbolic variables are given by a shape at the end of the arguments.",
     .infer = infer_void,
     .build = build_call_tir_dyn,
     .pure = false},
    {.signature = "vm.kill_object(obj)",
     .doc = "A register is used no more.",
     .infer = infer_void,
     .pure = false},
};

}  // namespace

extern const Operators memory;
const Operators memory{kRows};

}  // namespace mlc::relax::operators_memory
