// SPDX-License-Identifier: Apache-2.0
#include "transform/pass/packed_arguments.h"

#include "ir/core/error_kinds.h"
#include "ir/target/device.h"
#include "transform/pass/pass.h"
#include "transform/pass/refusals.h"

namespace mlc::transform {
namespace {

// Types whose tensors have no layout that all frameworks agree on: neither type nor shape is checked.
bool packed_by_others(DataType dtype) {
  return dtype == DataType::Int(4) || dtype == DataType::UInt(4) || dtype == DataType::Int(1);
}
DataType index_dtype(const BufferTypeNode* type) {
  return type->shape.empty() ? DataType::Int(32) : type->shape[0]->dtype();
}
Expr element(const Expr& array, size_t i, DataType dtype) {
  return cast(dtype,
              packed_get(array, static_cast<int64_t>(i), PackedField::kInt64Element, DataType::Int(64)));
}

std::string type_text(const Var& param) {
  if (param->ty->kind != TypeKind::kPointer) return param->dtype().str();
  auto* pointer = static_cast<const PointerTypeNode*>(param->ty.get());
  auto element = Any(pointer->element_type).as<PrimType>();
  if (!element || DataType((*element)->dtype).is_void()) return "T.handle";
  return fmt::format("T.handle(\"{}\", \"{}\")", DataType((*element)->dtype).str(),
                     pointer->storage_scope.c_str());
}
std::string signature_text(const PrimFunc& fn, const std::string& symbol, Host& host) {
  std::string params;
  for (const Var& param : fn->params) {
    if (!params.empty()) params += ", ";
    params += std::string(param->name) + ": ";
    const BufferTypeNode* buffer = param->buffer();
    if (!buffer) {
      params += type_text(param);
      continue;
    }
    std::string shape;
    for (const Expr& dim : buffer->shape) shape += (shape.empty() ? "" : ", ") + host.str(dim);
    params += fmt::format("Tensor([{}], {})", shape, DataType(buffer->dtype).str());
  }
  return fmt::format("{}({})", symbol, params);
}

}  // namespace

PackedArguments::PackedArguments(const PrimFunc& fn, std::string symbol, int device, Host& host)
    : args(make<VarNode>(String("args"), void_pointer_type())),
      num_args(make_var("num_args", DataType::Int(32))),
      host_(host),
      symbol_(std::move(symbol)),
      signature_(signature_text(fn, symbol_, host)),
      device_(device) {
  std::string count = std::to_string(fn->params.size());
  auto arity = static_cast<int64_t>(fn->params.size());
  binds_.push_back(check(eq(num_args, int32(arity)), "TypeError", {"Expected ", count, " arguments"}, {"`"}));
  if (arity)
    binds_.push_back(check(logical_not(is_null(args)), "TypeError", {"args pointer is NULL"}, {"`"}));

  std::vector<std::pair<size_t, Var>> tensors;
  for (size_t i = 0; i < fn->params.size(); ++i) {
    const Var& param = fn->params[i];
    read(param, i);
    if (param->buffer()) tensors.emplace_back(i, as<BindNode>(binds_.back())->var);
  }
  for (const auto& [i, handle] : tensors) tensor(fn->params[i], i, handle);
  if (!device_id_) return;
  auto about_device = [&](std::string_view key, const Expr& value) {
    binds_.push_back(make<AttrStmtNode>(Any(String("default")), String(std::string(key)), value, Stmt()));
  };
  about_device("device_id", device_id_);
  about_device("device_type", int32(device_));
}

Var PackedArguments::name(std::string name, const Expr& value) {
  Var var = make<VarNode>(String(std::move(name)), value->ty);
  binds_.push_back(make<BindNode>(var, value));
  return var;
}

Stmt PackedArguments::check(const Expr& condition, std::string_view kind, std::vector<std::string> what,
                            std::vector<std::string> wanted) const {
  Array<String> parts;
  for (std::string& part : what) parts.push_back(String(std::move(part)));
  parts.push_back(when_);
  parts.push_back(String(signature_));
  for (std::string& part : wanted) parts.push_back(String(std::move(part)));
  return make<AssertStmtNode>(condition, String(std::string(kind)), parts);
}
Stmt PackedArguments::expect_type(const Expr& condition, size_t i, std::string_view type) const {
  return check(condition, "TypeError", {"Mismatched type on argument #", std::to_string(i)},
               {"`,\n  expected ", std::string(type)});
}

void PackedArguments::read(const Var& param, size_t i) {
  auto index = static_cast<int64_t>(i);
  std::string called(param->name);
  DataType dtype = param->dtype();
  bool pointer = param->buffer() || param->ty->kind == TypeKind::kPointer;
  if (!pointer && (!dtype.is_scalar() || !(dtype.is_integral() || dtype.is_float()))) {
    throw refuse(pass_refusals["packed-type"], called, dtype.str())
        .kind("ValueError")
        .at(param->span)
        .help("take an integer, a float of 16, 32 or 64 bits, a bool, a pointer or a buffer");
  }
  Var type =
      name(called + ".type_index", packed_get(args, index, PackedField::kTypeIndex, DataType::Int(32)));
  auto is = [&](int64_t one) { return eq(type, int32(one)); };
  auto value = [&](DataType as) { return packed_get(args, index, PackedField::kValue, as); };
  if (pointer) {
    Expr known =
        logical_or(logical_or(logical_or(is(kPackedNone), is(kPackedPointer)), is(kPackedTensorPointer)),
                   ge(type, int32(kPackedObject)));
    binds_.push_back(expect_type(known, i, param->buffer() ? "Tensor" : "pointer"));
    // A tensor object has its description behind the header of objects.
    constexpr int64_t header = 24;
    Expr raw = packed_get(args, index, PackedField::kValue, void_pointer_type());
    Expr inside = make<CallNode>(void_pointer_type(), op("tirx.handle_add_byte_offset"),
                                 Array<Expr>{raw, int32(header)});
    Expr handle = make<CallNode>(void_pointer_type(), op("tirx.if_then_else"),
                                 Array<Expr>{is(kPackedTensor), inside, raw});
    if (param->buffer()) {
      name(called + ".handle", handle);
      return;
    }
    Expr typed = make<CallNode>(param->ty, op("tirx.reinterpret"), Array<Expr>{handle});
    binds_.push_back(make<BindNode>(param, typed));
  } else if (dtype.is_bool()) {
    binds_.push_back(expect_type(logical_or(is(kPackedBool), is(kPackedInt)), i, "boolean"));
    binds_.push_back(make<BindNode>(param, cast(dtype, value(DataType::Int(64)))));
  } else if (dtype.is_integral()) {
    binds_.push_back(expect_type(logical_or(is(kPackedInt), is(kPackedBool)), i, "int"));
    binds_.push_back(make<BindNode>(param, cast(dtype, value(DataType::Int(64)))));
  } else {
    Expr known = logical_or(logical_or(is(kPackedFloat), is(kPackedInt)), is(kPackedBool));
    binds_.push_back(expect_type(known, i, "float"));
    binds_.push_back(
        make<BindNode>(param, make<SelectNode>(is(kPackedFloat), cast(dtype, value(DataType::Float(64))),
                                               cast(dtype, value(DataType::Int(64))))));
  }
  known_[param.get()] = called;
}

void PackedArguments::bind(const Expr& expected, const Expr& value, std::string path, size_t i) {
  if (expected->dtype() != value->dtype()) {
    throw refuse_as(pass_refusals["packed-type"],
                    "`{}` is of type {}, what a packed call says of it is of type {}", path,
                    expected->dtype().str(), value->dtype().str())
        .at(expected->span)
        .help("use one integer type for the shape and strides of a buffer");
  }
  auto* var = as<VarNode>(expected);
  if (!var) {
    later_.push_back({expected, value, std::move(path), i});
    return;
  }
  if (auto found = known_.find(var); found != known_.end()) {
    Expr same = analyzer_.simplify(eq(expected, value));
    if (is_const_int(same, 1)) return;
    checks_.push_back(check(same, "ValueError",
                            {"Mismatched ", std::move(path), " on argument #", std::to_string(i)},
                            {"`,\n  expected to match ", found->second}));
    return;
  }
  known_[var] = std::move(path);
  binds_.push_back(make<BindNode>(ref(var), value));
}

Expr PackedArguments::shape_of(const Buffer& buffer, size_t i, const Var& handle) {
  const BufferTypeNode* type = buffer->buffer();
  std::string called(buffer->name);
  Expr shape = name(fmt::format("{}.{}_shape", symbol_, called),
                    packed_get(handle, 0, PackedField::kShape, pointer_to(DataType::Int(64))));
  if (packed_by_others(type->dtype)) return shape;
  for (size_t k = 0; k < type->shape.size(); ++k) {
    const Expr& dim = type->shape[k];
    bind(dim, element(shape, k, dim->dtype()), fmt::format("{}.shape[{}]", called, k), i);
  }
  return shape;
}

void PackedArguments::strides_of(const Buffer& buffer, size_t i, const Var& handle, const Expr& shape) {
  const BufferTypeNode* type = buffer->buffer();
  std::string called(buffer->name);
  Expr strides = name(fmt::format("{}.{}_strides", symbol_, called),
                      packed_get(handle, 0, PackedField::kStrides, pointer_to(DataType::Int(64))));
  DataType dtype = index_dtype(type);
  Expr compact = int_imm(dtype, 1);
  if (type->strides.empty()) {
    if (type->shape.empty()) return;
    Expr all = bool_imm(true);
    for (size_t k = type->shape.size(); k-- > 0;) {
      const Expr& dim = type->shape[k];
      // The stride of a dimension of one element does not matter.
      all =
          logical_and(all, logical_or(eq(dim, const_like(dim, 1)), eq(compact, element(strides, k, dtype))));
      compact = compact * dim;
    }
    Stmt is_compact =
        check(all, "ValueError", {"Mismatched ", called, ".strides on argument #", std::to_string(i)},
              {"`,\n  expected to be compact array"});
    checks_.push_back(make<IfThenElseNode>(logical_not(is_null(strides)), is_compact));
    return;
  }
  for (size_t k = type->strides.size(); k-- > 0;) {
    DataType read = type->shape[k]->dtype();
    Expr value = if_then_else(is_null(strides), compact, element(strides, k, read));
    bind(type->strides[k], value, fmt::format("{}.strides[{}]", called, k), i);
    compact = compact * element(shape, k, read);
  }
}

void PackedArguments::offset_of(const Buffer& buffer, size_t i, const Var& handle) {
  const BufferTypeNode* type = buffer->buffer();
  std::string path = std::string(buffer->name) + ".byte_offset";
  DataType bytes_type = DataType::UInt(64);
  int64_t bytes = packed_bytes(type->dtype);
  Expr offset = packed_get(handle, 0, PackedField::kByteOffset, bytes_type);
  if (auto constant = const_int(type->elem_offset)) {
    bind(int_imm(bytes_type, *constant * bytes), offset, path, i);
    return;
  }
  if (bytes > 1) offset = truncdiv(offset, int_imm(bytes_type, bytes));
  // An offset that is known already is checked where it comes from.
  auto* var = as<VarNode>(type->elem_offset);
  bool fresh = var && !known_.contains(var);
  bind(type->elem_offset, cast(type->elem_offset->dtype(), offset), path, i);
  if (!fresh || type->offset_factor <= 1) return;
  Expr factor = const_like(type->elem_offset, type->offset_factor);
  binds_.push_back(
      check(eq(truncmod(type->elem_offset, factor), const_like(factor, 0)), "ValueError",
            {"Misaligned Tensor data on argument #", std::to_string(i)},
            {"`,\n  expected data alignment=", std::to_string(type->offset_factor * bytes), " bytes"}));
}

void PackedArguments::data_of_tensor(const Buffer& buffer, size_t i, const Var& handle) {
  const BufferTypeNode* type = buffer->buffer();
  Type pointer = make<PointerTypeNode>(Type(prim_type(type->dtype)), type->storage_scope);
  Expr raw = packed_get(handle, 0, PackedField::kData, void_pointer_type());
  Expr data = make<CallNode>(pointer, op("tirx.reinterpret"), Array<Expr>{raw});
  Expr elements = number_of_elements(type->shape);
  checks_.push_back(
      check(logical_or(eq(elements, const_like(elements, 0)), logical_not(is_null(data))), "ValueError",
            {std::string(buffer->name), " data pointer is NULL on argument #", std::to_string(i)},
            {"`,\n  expected non-NULL data pointer"}));
  views_.push_back(make<DeclBufferNode>(buffer, data));
}

void PackedArguments::tensor(const Buffer& buffer, size_t i, const Var& handle) {
  const BufferTypeNode* type = buffer->buffer();
  std::string called(buffer->name), number = std::to_string(i);
  binds_.push_back(expect_type(logical_not(is_null(handle)), i, "Tensor"));
  auto of_tensor = [&](const Expr& condition, std::string_view kind, std::string_view field,
                       std::string wanted) {
    binds_.push_back(check(condition, kind,
                           {"Mismatched ", called, fmt::format(".{} on argument #", field), number},
                           {"`,\n  expected ", std::move(wanted)}));
  };
  auto dimensions = static_cast<int64_t>(type->shape.size());
  of_tensor(eq(int32(dimensions), packed_get(handle, 0, PackedField::kDimensions, DataType::Int(32))),
            "ValueError", "ndim", std::to_string(dimensions));
  DataType dtype = type->dtype;
  if (!packed_by_others(dtype)) {
    auto part = [&](PackedField field, int bits, int value) {
      return eq(packed_get(handle, 0, field, DataType::UInt(bits)), int_imm(DataType::UInt(bits), value));
    };
    Expr same = logical_and(logical_and(part(PackedField::kTypeCode, 8, dtype.code()),
                                        part(PackedField::kTypeBits, 8, dtype.bits())),
                            part(PackedField::kTypeLanes, 16, dtype.lanes()));
    of_tensor(same, "TypeError", "dtype", dtype.str());
  }
  Expr shape = shape_of(buffer, i, handle);
  strides_of(buffer, i, handle, shape);
  offset_of(buffer, i, handle);
  of_tensor(eq(packed_get(handle, 0, PackedField::kDeviceType, DataType::Int(32)), int32(device_)),
            "ValueError", "device_type", std::string(device_name(device_)));
  if (!device_id_) device_id_ = make_var("dev_id", DataType::Int(32));
  bind(device_id_, packed_get(handle, 0, PackedField::kDeviceId, DataType::Int(32)), called + ".device_id",
       i);
  data_of_tensor(buffer, i, handle);
  binds_.push_back(make<AttrStmtNode>(Any(buffer), String("storage_alignment"),
                                      Expr(int32(type->data_alignment)), Stmt()));
}

// The expression with what its variables are read from: "A.shape[0] * 2". Meant for people, so without
// parentheses and types.
std::string PackedArguments::path_text(const Expr& e) const {
  if (auto* var = as<VarNode>(e)) {
    auto found = known_.find(var);
    return found == known_.end() ? std::string(var->name) : found->second;
  }
  if (auto* number = as<IntImmNode>(e)) return std::to_string(number->value);
  if (auto* converted = as<CastNode>(e)) return path_text(converted->value);
  auto* two = as_binary(e);
  if (!two) return host_.str(e);
  static constexpr std::pair<ExprKind, std::string_view> forms[] = {{ExprKind::kAdd, "{} + {}"},
                                                                    {ExprKind::kSub, "{} - {}"},
                                                                    {ExprKind::kMul, "{} * {}"},
                                                                    {ExprKind::kDiv, "{} / {}"},
                                                                    {ExprKind::kMod, "{} % {}"},
                                                                    {ExprKind::kFloorDiv, "floordiv({}, {})"},
                                                                    {ExprKind::kFloorMod, "floormod({}, {})"},
                                                                    {ExprKind::kMin, "min({}, {})"},
                                                                    {ExprKind::kMax, "max({}, {})"}};
  for (const auto& [kind, form] : forms)
    if (kind == e->kind) return fmt::format(fmt::runtime(form), path_text(two->a), path_text(two->b));
  return host_.str(e);
}

Stmt PackedArguments::around(const Stmt& body) const {
  Array<Stmt> inner = checks_;
  Analyzer analyzer;
  for (const Later& one : later_) {
    Expr same = analyzer.simplify(eq(one.expected, one.value));
    if (is_const_int(same, 1)) continue;
    inner.push_back(check(same, "ValueError",
                          {"Invalid ", one.path, " on argument #", std::to_string(one.argument)},
                          {"`,\n  expected ", path_text(one.expected)}));
  }
  for (const Stmt& view : views_) inner.push_back(view);
  if (device_id_ && device_ != kDLCPU) {
    Array<Expr> call{make<StringImmNode>(String("__tvm_set_device")), int32(device_), device_id_};
    inner.push_back(make<EvaluateNode>(call_op(DataType::Int(32), "tirx.tvm_call_packed", call)));
  }
  inner.push_back(body);
  Stmt result = seq(inner);
  for (size_t k = binds_.size(); k-- > 0;) {
    auto* attr = as<AttrStmtNode>(binds_[k]);
    result = attr && !attr->body ? Stmt(make<AttrStmtNode>(attr->node, attr->attr_key, attr->value, result))
                                 : seq({binds_[k], result});
  }
  return result;
}

}  // namespace mlc::transform
