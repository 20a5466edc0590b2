// SPDX-License-Identifier: Apache-2.0
// Calls of operators from the arguments of script functions.
#include <tvm/ffi/container/list.h>

#include <deque>
#include <unordered_map>

#include "ir/core/ndarray.h"
#include "ir/core/visit.h"
#include "ir/registry/registry.h"
#include "ir/relax/operator.h"

namespace mlc::relax {

static constexpr ir::Refusals refusals{
    "TypeError",
    {
        {.name = "not-an-operand",
         .message = "argument `{}` of `{}` must be an expression of a graph, not `{}`",
         .help = "constants are made by `R.const(value, dtype)`"},
        {.name = "not-a-shape",
         .message = "argument `{}` of `{}` must be a shape or a list of dimensions, not `{}`"},
        {.name = "dimension-not-integer",
         .kind = "InternalError+TypeError",
         .message = "a dimension of argument `{}` of `{}` has the data type `{}`; dimensions are integers"},
        {.name = "wrong-attribute", .message = "argument `{}` of `{}` must be {}, not `{}`"},
    }};
MLC_REFUSALS(relax_operator_build, refusals);

namespace {

// What a list or tuple of the script holds; nullopt for other values.
std::optional<std::vector<Any>> items_of(const Any& value) {
  if (auto array = value.as<Array<Any>>()) return std::vector<Any>(array->begin(), array->end());
  if (auto* list = value.as<ffi::ListObj>()) return std::vector<Any>(list->begin(), list->end());
  return std::nullopt;
}

[[noreturn]] void refuse_operand(const ApiCall& call, const Any& value, size_t i) {
  throw ir::refuse(refusals["not-an-operand"], call.api.params[i].name, call.api.path(), ir::type_name(value))
      .at(call.span_of(i));
}
// The data type of an integer that is written beside operands of `call`: that of the first one of integers, so that
// `R.add(i, 1)`, as the sum of an int64 tensor and T.int64(1) is printed, reads back; int32 without one.
DataType dtype_beside(const ApiCall& call) {
  for (const Any& each : call.args) {
    auto* e = each.as<ir::ExprNode>();
    if (!e || !e->ty) continue;
    DataType dtype = DataType::Void();
    if (auto* tensor = as_type<TensorTypeNode>(e->ty)) dtype = tensor->data_type();
    if (is_prim(ref(e))) dtype = e->dtype();
    if (dtype.is_int() || dtype.is_uint()) return dtype;
  }
  return DataType::Int(32);
}

// How numbers and lists become expressions. Most operands are handed over as they are: a number is narrow, a list
// is none. Where an operator takes any values (arguments of calls, bounds of slices), numbers have 64 bits.
enum class Conversion : uint8_t { kDirect, kWide };

Expr operand_of(const ApiCall& call, const Any& value, size_t i, Conversion conversion);
Expr tuple_of(const ApiCall& call, const std::vector<Any>& items, size_t i, Conversion conversion) {
  Array<Expr> fields;
  for (const Any& item : items) fields.push_back(operand_of(call, item, i, conversion));
  return make<TupleNode>(fields, call.span_of(i));
}
Expr operand_of(const ApiCall& call, const Any& value, size_t i, Conversion conversion) {
  bool wide = conversion == Conversion::kWide;
  if (value == nullptr) refuse_operand(call, value, i);  // None converts to any reference, and is no expression
  if (auto e = value.as<Expr>()) return *e;
  if (auto* array = value.as<ir::NDArrayNode>()) return make<GenericConstNode>(Any(array->tensor), call.span_of(i));
  if (value.as<ffi::Tensor>()) return make<GenericConstNode>(value, call.span_of(i));
  if (auto items = wide ? items_of(value) : std::nullopt) return tuple_of(call, *items, i, conversion);
  if (auto flag = value.as<bool>()) {
    if (wide) return ir::int_imm(DataType::Int(64), *flag ? 1 : 0, call.span_of(i));
    return ir::bool_imm(*flag);
  }
  if (auto number = value.as<int64_t>())
    return ir::int_imm(wide ? DataType::Int(64) : dtype_beside(call), *number, call.span_of(i));
  if (auto number = value.as<double>())
    return make<ir::FloatImmNode>(DataType::Float(wide ? 64 : 32), *number, call.span_of(i));
  if (auto text = value.try_cast<String>()) return make<ir::StringImmNode>(*text, call.span_of(i));
  refuse_operand(call, value, i);
}

[[noreturn]] void wrong_attribute(const ApiCall& call, size_t i, std::string_view wanted) {
  throw ir::refuse(refusals["wrong-attribute"], call.api.params[i].name, call.api.path(), wanted,
                   ir::type_name(call.args[i]))
      .at(call.span_of(i));
}

// Attributes are numbers of the script: an expression such as `T.int64(1)` is none, as in TVM.
std::optional<int64_t> as_int(const Any& value) {
  if (auto flag = value.as<bool>()) return *flag ? 1 : 0;
  if (auto number = value.as<int64_t>()) return *number;
  return std::nullopt;
}
std::optional<double> as_float(const Any& value) {
  if (auto number = value.as<double>()) return *number;
  if (auto number = as_int(value)) return static_cast<double>(*number);
  return std::nullopt;
}

Any dtype_of(const ApiCall& call, size_t i) {
  const Any& value = call.args[i];
  if (value == nullptr) return nullptr;
  DataType dtype = DataType::Void();
  if (auto text = value.try_cast<String>()) {
    if (text->empty() || view(*text) == "void") return nullptr;
    dtype = DataType::parse(view(*text));
  } else if (auto type = value.as<DLDataType>()) {
    dtype = *type;
  } else if (auto* prim = value.as<ir::PrimTypeNode>()) {
    dtype = prim->dtype;
  } else {
    wrong_attribute(call, i, "a data type such as \"float32\"");
  }
  if (dtype.is_void()) return nullptr;
  return Any(static_cast<DLDataType>(dtype));
}

template <class F>
Any list_of(const ApiCall& call, size_t i, std::string_view wanted, F one) {
  const Any& value = call.args[i];
  Array<Any> all;
  auto add = [&](const Any& item) {
    Any made = one(item);
    if (made == nullptr) wrong_attribute(call, i, wanted);
    all.push_back(made);
  };
  if (auto items = items_of(value)) {
    for (const Any& item : *items) add(item);
  } else {
    add(value);
  }
  return all;
}

Any plain(const Any& value) {
  if (auto items = items_of(value)) {
    Array<Any> all;
    for (const Any& item : *items) all.push_back(plain(item));
    return all;
  }
  return value;
}

const Operator& row_of(const ApiCall& call) {
  static constexpr std::string_view kOwner = "tvm.relax.op.";
  std::string path = call.api.path();
  const Operator* row = find_operator("relax." + path.substr(kOwner.size()));
  MLC_CHECK(row, "`{}` is the function of no operator", path);
  return *row;
}

bool is_attribute(const Operator& row, std::string_view name) {
  for (const AttrRow& attr : row.attrs.span()) {
    if (attr.name == name) return true;
  }
  return false;
}

Any build_operator(ApiCall& call) {
  const Operator& row = row_of(call);
  if (row.build) return row.build(call);
  Array<Expr> args;
  size_t operands = 0;
  for (size_t i = 0; i < call.api.params.size(); ++i) {
    if (row.operands >= 0 ? i >= static_cast<size_t>(row.operands) : is_attribute(row, call.api.params[i].name)) break;
    // By these names go operands of several tensors.
    std::string_view name = call.api.params[i].name;
    bool several = name == "tensors" || name == "operands" || name == "args" || (name == "indices" && row.short_name().starts_with("index_"));
    args.push_back(several ? tensors_arg(call, i) : operand_arg(call, i));
    ++operands;
  }
  return call_with_attrs(call, args, operands);
}

}  // namespace

Expr operand_arg(const ApiCall& call, size_t i) { return operand_of(call, call.args[i], i, Conversion::kDirect); }
Expr wide_operand_arg(const ApiCall& call, size_t i) { return operand_of(call, call.args[i], i, Conversion::kWide); }
Expr tensors_arg(const ApiCall& call, size_t i) {
  if (auto items = items_of(call.args[i])) return tuple_of(call, *items, i, Conversion::kDirect);
  return operand_arg(call, i);
}

Expr shape_arg(const ApiCall& call, size_t i) {
  const Any& value = call.args[i];
  if (auto e = value.as<Expr>(); e && *e && !is_prim(*e)) {
    if (auto* tuple = as<TupleNode>(*e)) return make<ShapeExprNode>(tuple->elements, e->get()->span);
    return *e;
  }
  auto dim_of = [&](const Any& item) -> Expr {
    if (auto e = item.as<Expr>(); e && *e && is_prim(*e)) {
      if (DataType dtype = e->get()->dtype(); !dtype.is_int())
        throw ir::refuse(refusals["dimension-not-integer"], call.api.params[i].name, call.api.path(),
                         dtype.str())
            .at(call.span_of(i));
      if (auto value = ir::const_int(*e)) return ir::int_imm(DataType::Int(64), *value);
      if (DataType dtype = e->get()->dtype(); dtype.bits() != 64)
        throw ir::refuse(refusals["dimension-not-integer"], call.api.params[i].name, call.api.path(), dtype.str())
            .kind("InternalError")
            .at(call.span_of(i));
      return *e;
    }
    if (auto number = as_int(item)) return ir::int_imm(DataType::Int(64), *number);
    if (item.as<double>())
      throw ir::refuse(refusals["dimension-not-integer"], call.api.params[i].name, call.api.path(), "float")
          .at(call.span_of(i));
    throw ir::refuse(refusals["not-a-shape"], call.api.params[i].name, call.api.path(), ir::type_name(item))
        .at(call.span_of(i));
  };
  Array<Expr> dims;
  auto items = items_of(value);
  if (!items)
    throw ir::refuse(refusals["not-a-shape"], call.api.params[i].name, call.api.path(), ir::type_name(value))
        .at(call.span_of(i));
  for (const Any& item : *items) dims.push_back(dim_of(item));
  return make<ShapeExprNode>(dims, call.span_of(i));
}

Any attr_arg(const ApiCall& call, size_t i, AttrKind kind) {
  const Any& value = call.args[i];
  auto int_item = [](const Any& item) {
    auto number = as_int(item);
    return number ? Any(*number) : Any(nullptr);
  };
  bool none = value == nullptr;
  switch (kind) {
    case AttrKind::kOptInt:
      if (none) return nullptr;
      [[fallthrough]];
    case AttrKind::kInt:
      if (auto number = as_int(value)) return *number;
      wrong_attribute(call, i, "an integer");
    case AttrKind::kOptBool:
      if (none) return nullptr;
      [[fallthrough]];
    case AttrKind::kBool:
      if (auto number = as_int(value)) return *number != 0;
      wrong_attribute(call, i, "True or False");
    case AttrKind::kOptFloat:
      if (none) return nullptr;
      [[fallthrough]];
    case AttrKind::kFloat:
      if (auto number = as_float(value)) return *number;
      wrong_attribute(call, i, "a number");
    case AttrKind::kOptString:
      if (none) return nullptr;
      [[fallthrough]];
    case AttrKind::kString:
      if (auto text = value.try_cast<String>()) return *text;
      wrong_attribute(call, i, "a string");
    case AttrKind::kDtype: {
      // None stands for the data type of an operand, where the signature says so.
      const ir::ApiParam& param = call.api.params[i];
      if (none && param.name == "dtype" && !(param.has_default && param.default_value == nullptr) &&
          !row_of(call).none_dtype)
        wrong_attribute(call, i, "a data type such as \"float32\"");
      return dtype_of(call, i);
    }
    case AttrKind::kOptInts:
      if (none) return nullptr;
      [[fallthrough]];
    case AttrKind::kInts:
      return list_of(call, i, "a list of integers", int_item);
    case AttrKind::kFloats:
      return list_of(call, i, "a list of numbers", [](const Any& item) {
        auto number = as_float(item);
        return number ? Any(*number) : Any(nullptr);
      });
    case AttrKind::kStrings:
      return list_of(call, i, "a list of strings", [](const Any& item) {
        auto text = item.try_cast<String>();
        return text ? Any(*text) : Any(nullptr);
      });
    case AttrKind::kExpr:
      return operand_arg(call, i);
    case AttrKind::kAny:
      return plain(value);
  }
  return value;
}

Call call_with_attrs(const ApiCall& call, Array<Expr> args, size_t first_attr) {
  const Operator& row = row_of(call);
  Map<String, Any> attrs;
  for (const AttrRow& attr : row.attrs.span()) {
    size_t i = first_attr;
    while (i < call.api.params.size() && call.api.params[i].name != attr.name) ++i;
    MLC_CHECK(i < call.api.params.size(), "`{}` has no parameter for its attribute `{}`", row.short_name(), attr.name);
    attrs.Set(String(std::string(attr.name)), attr_arg(call, i, attr.kind));
  }
  return make_call(operator_name(row), std::move(args), attrs, {}, call.span);
}

Any call_operator(std::string_view name, ir::Host& host, std::span<const Any> args, Span span,
                  std::span<const Span> arg_spans) {
  const ir::Api* api = ir::ApiRegistry::global().find(fmt::format("tvm.relax.op.{}", name));
  MLC_CHECK(api, "no operator `{}`", name);
  return ir::call_api(*api, host, {args, {}, span, arg_spans, {}});
}

std::span<const ir::ApiRow> operator_api_rows() {
  static const std::vector<ir::ApiRow> rows = [] {
    static std::deque<std::string> owners;
    std::vector<ir::ApiRow> all;
    for (const Operators* file : all_operators()) {
      for (const Operator& row : file->rows) {
        if (row.internal) continue;
        std::string_view name = row.short_name();
        size_t dot = name.rfind('.');
        std::string_view below = dot == name.npos ? std::string_view() : name.substr(0, dot);
        owners.push_back(below.empty() ? "tvm.relax.op" : fmt::format("tvm.relax.op.{}", below));
        all.push_back({ir::ApiKind::kFunction, owners.back(),
                       row.signature.substr(dot == name.npos ? 0 : dot + 1), row.doc,
                       row.sugar ? row.build : build_operator});
      }
    }
    return all;
  }();
  return rows;
}

}  // namespace mlc::relax
