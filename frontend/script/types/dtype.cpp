// SPDX-License-Identifier: Apache-2.0
// tvm.DataType: a str that knows what it names. Data types that the registry hands out, as fields or as
// results, become values of this class; functions of the registry take its text.
#include "frontend/script/types/dtype.h"

#include "frontend/script/core/machine.h"
#include "ir/core/split_words.h"
#include "ir/registry/api.h"

namespace mlc::script {

using ir::ApiCall;
using ir::ApiKind;
using ir::ApiRow;
using ir::DataType;

namespace {

DataType parsed(const Any& value) { return DataType::parse(text_of(builtin_value_of(value))); }

Any construct(Evaluator& evaluator, const Ref<ClassNode>&, const Arguments& args) {
  if (args.size() != 1) {
    raise("TypeError", args.span, "wrong-argument-count", "dtype() takes one argument, got {}", args.size());
  }
  if (args[0].type_index() == kTVMFFIDataType) return dtype_text(args[0]);
  try {
    return dtype_text(Any(DLDataType(DataType::parse(evaluator.str(args[0])))));
  } catch (ir::Error& error) {
    throw std::move(error).at(args.span_of(0)).kind("ValueError");
  }
}

Any bits(Evaluator&, const Arguments& args) { return int64_t{parsed(args[0]).bits()}; }
Any lanes(Evaluator&, const Arguments& args) { return int64_t{parsed(args[0]).lanes()}; }
Any type_code(Evaluator&, const Arguments& args) { return int64_t{parsed(args[0]).code()}; }
Any item_size(Evaluator&, const Arguments& args) {
  DataType dtype = parsed(args[0]);
  if (dtype.is_scalable()) {
    raise("ValueError", args.span, "wrong-value", "the size of `{}` is known when it runs only", dtype.str());
  }
  return int64_t{(dtype.bits() * dtype.lanes() + 7) / 8};
}
Any with_lanes(Evaluator&, const Arguments& args) {
  if (!is_int(args[1]) || raw_int(args[1]) < 1 || raw_int(args[1]) > 32767) {
    raise("ValueError", args.span_of(1), "wrong-value", "a vector has from 1 to 32767 lanes");
  }
  return dtype_text(Any(DLDataType(parsed(args[0]).with_lanes(static_cast<int>(raw_int(args[1]))))));
}
Any dtype_repr(Evaluator&, const Arguments& args) {
  return str_value(fmt::format("dtype({})", quote(text_of(builtin_value_of(args[0])))));
}

template <bool (DataType::*kIs)() const>
Any is_kind(Evaluator&, const Arguments& args) {
  return (parsed(args[0]).*kIs)();
}
Any is_integer(Evaluator&, const Arguments& args) {
  DataType dtype = parsed(args[0]);
  return dtype.is_int() || dtype.is_uint();
}

const BuiltinRow properties[] = {
    {"bits", "", "The bits of one lane.", bits, 0, 0},
    {"lanes", "", "The number of lanes.", lanes, 0, 0},
    {"type_code", "", "The kind of number: DLPack's code.", type_code, 0, 0},
    {"itemsize", "", "The bytes of a value.", item_size, 0, 0},
    {"is_bool", "", "Is it the type of truth values?", is_kind<&DataType::is_bool>, 0, 0},
    {"is_float", "", "Is it a type of floats?", is_kind<&DataType::is_floating>, 0, 0},
    {"is_handle", "", "Is it the type of addresses?", is_kind<&DataType::is_handle>, 0, 0},
    {"is_integer", "", "Is it a type of integers?", is_integer, 0, 0},
};
const BuiltinRow methods[] = {
    {"with_lanes", "(lanes)", "The vector of so many lanes.", with_lanes, 1, 1},
    {"__repr__", "()", "dtype('float32')", dtype_repr, 0, 0},
};

const Ref<ClassNode>& dtype_class() {
  static thread_local const Ref<ClassNode> made = [] {
    Ref<ClassNode> ref = new_class("dtype", "tvm_ffi._dtype", types().str);
    auto* cls = const_cast<ClassNode*>(ref.get());
    cls->construct = construct;
    cls->data = types().str.get();
    for (const BuiltinRow& row : properties) {
      cls->set(Symbol(row.name),
               Any(ir::make<PropertyNode>(builtin_value(&row, "dtype"), Any(nullptr), Any(nullptr))));
    }
    for (const BuiltinRow& row : methods) cls->set(Symbol(row.name), builtin_value(&row, "dtype"));
    return ref;
  }();
  return made;
}

Any the_class(ApiCall&) { return Any(dtype_class()); }

constexpr std::string_view constants =
    "bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 float32 float64 bfloat16 float8_e3m4 "
    "float8_e4m3 "
    "float8_e4m3b11fnuz float8_e4m3fn float8_e4m3fnuz float8_e5m2 float8_e5m2fnuz float8_e8m0fnu "
    "float6_e2m3fn "
    "float6_e3m2fn float4_e2m1fn";
Any constant(ApiCall& call) { return dtype_text(Any(DLDataType(DataType::parse(call.api.name)))); }

}  // namespace

Any dtype_text(const Any& value) {
  if (value.type_index() != kTVMFFIDataType) return value;
  Ref<InstanceNode> made = ir::make<InstanceNode>(dtype_class());
  const_cast<InstanceNode*>(made.get())->payload = str_value(DataType(value.cast<DLDataType>()).str());
  return Any(made);
}

std::span<const ApiRow> dtype_rows() {
  static const std::vector<ApiRow> rows = [] {
    std::vector<ApiRow> made = {
        {ApiKind::kValue, "tvm_ffi", "dtype", "The class of data types, which are texts.", the_class}};
    ir::each_word(constants, [&](std::string_view name) {
      made.push_back({ApiKind::kValue, "tvm_ffi", name, "A data type.", constant});
    });
    return made;
  }();
  return rows;
}

}  // namespace mlc::script
