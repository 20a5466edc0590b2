// SPDX-License-Identifier: Apache-2.0
// T.float32, T.int8x4, ... : a constant, a cast, a new variable, or a type, depending on where they stand.
#include <cmath>
#include <deque>
#include <limits>

#include "frontend/script/types/wide_int.h"
#include "frontend/tvmscript/builder/arguments.h"
#include "frontend/tvmscript/builder/rows.h"
#include "ir/core/refusal.h"
#include "ir/tir/arith_ops.h"

namespace mlc::tvmscript {

static constexpr ir::Refusals refusals{"ValueError",
                                       {
                                           {.name = "bad-literal"},
                                       }};
MLC_REFUSALS(tir_rows_dtype, refusals);

namespace {

struct Alias {
  std::string_view name;
  std::string_view dtype;
};
constexpr Alias aliases[] = {{"f16", "float16"}, {"f32", "float32"}, {"f64", "float64"}, {"bf16", "bfloat16"},
                             {"i8", "int8"},     {"i16", "int16"},   {"i32", "int32"},   {"i64", "int64"},
                             {"u8", "uint8"},    {"u16", "uint16"},  {"u32", "uint32"},  {"u64", "uint64"},
                             {"boolean", "bool"}};
constexpr std::string_view bases[] = {"int8",           "int16",
                                      "int32",          "int64",
                                      "uint8",          "uint16",
                                      "uint32",         "uint64",
                                      "float16",        "float32",
                                      "float64",        "float8_e3m4",
                                      "float8_e4m3",    "float8_e4m3b11fnuz",
                                      "float8_e4m3fn",  "float8_e4m3fnuz",
                                      "float8_e5m2",    "float8_e5m2fnuz",
                                      "float8_e8m0fnu", "float6_e2m3fn",
                                      "float6_e3m2fn",  "float4_e2m1fn"};
constexpr int lanes[] = {1, 2, 4, 8, 16, 32, 64};

DataType dtype_named(const ir::Api& api) {
  static thread_local std::unordered_map<const ir::Api*, DataType> known;
  auto found = known.find(&api);
  if (found != known.end()) return found->second;
  std::string_view name = api.name;
  for (const Alias& alias : aliases) {
    if (alias.name == name) name = alias.dtype;
  }
  return known.emplace(&api, DataType::parse(name)).first->second;
}

Expr from_text(DataType dtype, std::string_view text, Span span) {
  double value = 0;
  if (text == "inf") {
    value = std::numeric_limits<double>::infinity();
  } else if (text == "-inf") {
    value = -std::numeric_limits<double>::infinity();
  } else if (text == "nan") {
    value = std::numeric_limits<double>::quiet_NaN();
  } else {
    throw ir::refuse_as(refusals["bad-literal"], "`\"{}\"` is no number", text)
        .at(span)
        .help("use \"inf\", \"-inf\" or \"nan\"");
  }
  if (!dtype.is_floating()) {
    throw ir::refuse_as(refusals["bad-literal"], "`{}` has no `{}`", dtype.str(), text).at(span);
  }
  return ir::make<ir::FloatImmNode>(dtype, value, span);
}

// Half floats and integers are checked where they are cast.
void check_fits(DataType dtype, double value, Span span) {
  bool narrow = dtype.is_float() && dtype.bits() == 32;
  if (!narrow || !std::isfinite(value) || std::abs(value) <= std::numeric_limits<float>::max()) return;
  throw ir::Error("literal-out-of-range", "{} does not fit into `{}`", value, dtype.str())
      .at(span)
      .help("write `\"inf\"` if infinity is meant, or take a wider type");
}

Any construct(ApiCall& call) {
  DataType dtype = dtype_named(call.api);
  const Any& value = call.args[0];
  if (script::is_none(value)) {
    Var made = ir::make<ir::VarNode>(String(), Type(ir::prim_type(dtype)), call.span);
    Builder* builder = Builder::current_or_null();
    if (builder && !builder->in_signature()) builder->announce(made.get());
    return Expr(made);
  }
  if (script::is_str(value)) return from_text(dtype, script::text_of(value), call.span_of(0));
  Span span = call.span;
  if (script::is_float(value)) check_fits(dtype, script::raw_float(value), call.span_of(0));
  if (auto* wide = script::as_wide(value)) {
    if (dtype.is_floating() && dtype.is_scalar()) {
      check_fits(dtype, script::double_of(*wide), call.span_of(0));
      Expr real = ir::make<ir::FloatImmNode>(DataType::Float(64), script::double_of(*wide), span);
      return ir::cast(dtype, real, span);
    }
    if (dtype != DataType::UInt(64) || !script::unsigned_of(value)) {
      throw ir::Error("literal-out-of-range", "{} does not fit into `{}`", script::whole_text(value),
                      dtype.str())
          .at(call.span_of(0))
          .kind("ValueError");
    }
  }
  if (dtype.is_scalar()) {
    // The plain cases without an intermediate constant.
    if (script::is_float(value) && dtype.is_float() && dtype.bits() >= 32) {
      return Expr(ir::make<ir::FloatImmNode>(dtype, script::raw_float(value), span));
    }
    if (script::is_int(value)) {
      return ir::cast(dtype, ir::make<ir::IntImmNode>(DataType::Int(64), script::raw_int(value), span), span);
    }
  }
  return ir::cast(dtype, script::as_expr(value, call.span_of(0), "the value"), span);
}

Any construct_handle(ApiCall& call) {
  Type type = void_pointer();
  if (is_given(call, 0)) {
    std::string_view name = script::is_str(call.args[0]) ? script::text_of(call.args[0]) : std::string_view();
    if (name == "TensorMap" || name == "tensormap" || name == "CUtensorMap" || name == "cuTensorMap")
      return Expr(ir::make<ir::VarNode>(String(), ir::tensor_map_type(), call.span));
    String scope = str_arg(call, 1);  // first: None for it is a TypeError, whatever the data type
    type = ir::make<ir::PointerTypeNode>(Type(ir::prim_type(dtype_arg(call, 0))), scope);
  } else if (view(str_arg(call, 1)) != "global") {
    type = ir::make<ir::PointerTypeNode>(Type(ir::prim_type(DataType::Void())), str_arg(call, 1));
  }
  return Expr(ir::make<ir::VarNode>(String(), type, call.span));
}

constexpr std::string_view dtype_doc =
    "A constant, a cast, a new variable (no argument) or a type (as annotation).";

std::span<const ir::ApiRow> all_dtypes() {
  static std::deque<std::string> text;
  static std::vector<ir::ApiRow> rows;
  if (!rows.empty()) return rows;
  auto add = [](std::string_view name) {
    std::string_view signature = text.emplace_back(fmt::format("{}(expr=None)", name));
    rows.push_back({ir::ApiKind::kFunction, kT, signature, dtype_doc, construct});
  };
  for (std::string_view base : bases) {
    for (int n : lanes) add(n == 1 ? std::string(base) : fmt::format("{}x{}", base, n));
  }
  add("bfloat16");
  add("bool");
  for (const Alias& alias : aliases) add(alias.name);
  auto handle = [](std::string_view signature, std::string_view doc) {
    rows.push_back({ir::ApiKind::kFunction, kT, signature, doc, construct_handle});
  };
  handle("handle(dtype=None, storage_scope=\"global\")",
         "A pointer, to what is not said or to values of one type.");
  handle("ptr(dtype, storage_scope=\"global\")", "A pointer to values of a type.");
  handle("Ptr(dtype, storage_scope=\"global\")", "A pointer to values of a type.");
  handle("buffer_var(dtype, storage_scope=\"global\")",
         "A pointer to values of a type (older name of `T.handle`).");
  rows.push_back({ir::ApiKind::kFunction, kT, "TensorMap()", "A descriptor of a tensor for the copy engine.",
                  +[](ApiCall& call) -> Any {
                    return Expr(ir::make<ir::VarNode>(String(), ir::tensor_map_type(), call.span));
                  }});
  rows.push_back({ir::ApiKind::kFunction, kT, "var(dtype, name=\"\")",
                  "A new variable (older form of `T.int32()`).", +[](ApiCall& call) -> Any {
                    DataType dtype = dtype_arg(call, 0);
                    Type type = dtype.is_handle() ? Type(void_pointer()) : Type(ir::prim_type(dtype));
                    return Expr(ir::make<ir::VarNode>(str_arg(call, 1), type, call.span));
                  }});
  rows.push_back({ir::ApiKind::kFunction, kT, "void()", "The type of no value.",
                  +[](ApiCall& call) -> Any { return ir::make<TypeValueNode>(Type(ir::void_type())); }});
  rows.push_back(
      {ir::ApiKind::kFunction, kT, "Tuple(*fields)", "The type of a tuple.", +[](ApiCall& call) -> Any {
         Array<Type> fields;
         for (const Any& field : items(call.args[0], call.span)) {
           Any made = field;
           if (script::as<script::ApiFunctionNode>(field)) made = call.host.call(field, {});
           if (auto* type = frame<TypeValueNode>(made)) {
             fields.push_back(type->type);
           } else if (auto* expr = made.as<ir::ExprNode>()) {
             fields.push_back(expr->ty);
           } else {
             ir::wrong_argument(call, 0, "types");
           }
         }
         return ir::make<TypeValueNode>(Type(ir::make<ir::TupleTypeNode>(fields)));
       }});
  rows.push_back({ir::ApiKind::kValue, kT, "let", "As annotation: an immutable name, `x: T.let = value`.",
                  +[](ApiCall& call) -> Any { return ir::make<LetAnnotationNode>(Type()); }});
  return rows;
}

}  // namespace

std::span<const ir::ApiRow> dtype_rows() { return all_dtypes(); }

}  // namespace mlc::tvmscript
