// SPDX-License-Identifier: Apache-2.0
// Types of elements: their names, NumPy 2's promotion and casting, what np.dtype tells.
#include <cmath>

#include "frontend/script/numpy/array.h"
#include "frontend/script/numpy/scalar.h"
#include "frontend/script/types/wide_int.h"
#include "ir/core/refusal.h"
#include "ir/core/small_float.h"
#include "ir/core/split_words.h"

namespace mlc::script {

static constexpr ir::Refusals refusals{
    "DTypePromotionError",
    {
        {.name = "no-common-dtype",
         .message = "{} and {} have no common type: use astype",
         .meaning = "No type holds the values of both."},
        {.name = "not-an-array",
         .kind = "TypeError",
         .message = "an array cannot be made of '{}' objects",
         .meaning = "Arrays hold numbers and bools.",
         .wrong = R"(import numpy as np
np.array([{}]))",
         .right = R"(import numpy as np
np.array([1]))"},
    }};
MLC_REFUSALS(numpy_dtype, refusals);

using ir::ApiKind;
using ir::ApiRow;
using ir::native;

// An abstract class of NumPy: np.integer. Only isinstance and issubdtype ask it.
struct NumpyAbstractNode final : ffi::Object {
  std::string_view name, kinds;
  NumpyAbstractNode(std::string_view name, std::string_view kinds) : name(name), kinds(kinds) {}
  MLC_NODE("mlc.np.abstract", NumpyAbstractNode, ffi::Object);
};

namespace {

struct DTypeRow {
  std::string_view names;  // members of np, the first of which is the dtype's own
  DataType dtype;
  std::string_view codes;  // how a str may spell it as well; the first is NumPy's letter
};
// In the order of Kind.
const DTypeRow dtype_rows[] = {{"bool bool_", DataType::Bool(), "? b1"},
                               {"int8 byte", DataType::Int(8), "b i1"},
                               {"uint8 ubyte", DataType::UInt(8), "B u1"},
                               {"int16 short", DataType::Int(16), "h i2"},
                               {"uint16 ushort", DataType::UInt(16), "H u2"},
                               {"int32 intc", DataType::Int(32), "i i4"},
                               {"uint32 uintc", DataType::UInt(32), "I u4"},
                               {"int64 int_ intp long longlong", DataType::Int(64), "l i8 q p int"},
                               {"uint64 uint uintp ulong ulonglong", DataType::UInt(64), "L u8 Q P"},
                               {"float16 half", DataType::Float(16), "e f2"},
                               {"float32 single", DataType::Float(32), "f f4"},
                               {"float64 double", DataType::Float(64), "d f8 float"},
                               {"", DataType::BFloat16(), "E bfloat16"}};

// Abstract classes: np.integer, np.floating and their like.
struct AbstractRow {
  std::string_view name;
  std::string_view kinds;  // of which letters of `kind`
};
const AbstractRow abstract_rows[] = {{"generic", "biufV"},   {"number", "iuf"},        {"integer", "iu"},
                                     {"signedinteger", "i"}, {"unsignedinteger", "u"}, {"inexact", "f"},
                                     {"floating", "f"}};

char kind_letter(DataType dtype) {
  if (dtype.is_bool()) return 'b';
  if (dtype.is_int()) return 'i';
  if (dtype.is_uint()) return 'u';
  return is_added_float(dtype) && dtype.code() != kDLFloat8_e5m2 ? 'V' : 'f';
}

}  // namespace

Kind kind_of(DataType dtype) {
  if (dtype.is_bool()) return Kind::kBool;
  int log = dtype.bits() == 8 ? 0 : dtype.bits() == 16 ? 1 : dtype.bits() == 32 ? 2 : 3;
  if (dtype.is_int()) return static_cast<Kind>(static_cast<int>(Kind::kInt8) + 2 * log);
  if (dtype.is_uint()) return static_cast<Kind>(static_cast<int>(Kind::kUInt8) + 2 * log);
  if (dtype.is_bfloat16()) return Kind::kBFloat16;
  if (is_added_float(dtype))
    return static_cast<Kind>(static_cast<int>(Kind::kNarrow) + dtype.code() - kDLFloat8_e3m4);
  return static_cast<Kind>(static_cast<int>(Kind::kFloat16) + log - 1);
}
DataType type_of(Kind kind) {
  size_t index = index_of(kind);
  return index < kPlainKinds ? dtype_rows[index].dtype : ir::narrow_formats()[index - kPlainKinds].dtype();
}

void check_dtype(DataType dtype, ir::Span span) {
  for (const DTypeRow& row : dtype_rows) {
    if (row.dtype == dtype) return;
  }
  if (const ir::SmallFloat* narrow = ir::narrow_format(dtype); narrow && narrow->dtype() == dtype) return;
  raise("TypeError", span, "unsupported-dtype", "data type '{}' is not understood by np", dtype.str());
}

// ---- promotion and casting ----

DataType promote(DataType a, DataType b, ir::Span span, bool lenient) {
  if (a == b) return a;
  if (a.is_bool()) return b;
  if (b.is_bool()) return a;
  if (is_added_float(a) || is_added_float(b)) {
    DataType added = is_added_float(a) ? a : b;
    DataType other = is_added_float(a) ? b : a;
    if (other.is_float() && other.bits() >= 32) return other;
    if (other.is_integral() && other.bits() == 8) return added;
    // float8_e5m2 alone is of the kind of NumPy's own floats.
    if (added.code() == kDLFloat8_e5m2 && !is_added_float(other)) lenient = true;
    if (lenient) return DataType::Float(other.is_integral() && other.bits() >= 32 ? 64 : 32);
    raise(refusals["no-common-dtype"], span, a.str(), b.str());
  }
  if (a.is_float() && b.is_float()) return a.bits() > b.bits() ? a : b;
  if (a.is_float() || b.is_float()) {
    DataType real = a.is_float() ? a : b;
    DataType integer = a.is_float() ? b : a;
    int needed = integer.bits() <= 8 ? 16 : integer.bits() <= 16 ? 32 : 64;
    return DataType::Float(std::max(real.bits(), needed));
  }
  if (a.is_int() == b.is_int()) return a.bits() > b.bits() ? a : b;
  DataType with_sign = a.is_int() ? a : b;
  DataType without = a.is_int() ? b : a;
  if (with_sign.bits() > without.bits()) return with_sign;
  return without.bits() >= 64 ? DataType::Float(64) : DataType::Int(without.bits() * 2);
}

bool can_cast(DataType from, DataType to, Casting casting) {
  if (from == to || casting == Casting::kUnsafe) return true;
  if (casting < Casting::kSafe) return false;
  bool safe;
  if (is_added_float(from)) {
    safe = to.is_float() && to.bits() >= 32;
  } else if (is_added_float(to)) {
    safe = from.is_bool() || (from.is_integral() && from.bits() == 8);
  } else {
    safe = promote(from, to) == to;
  }
  if (safe || casting == Casting::kSafe) return safe;
  // Same kind: downwards within a kind, and from a lesser kind to a greater.
  auto rank = [](DataType dtype) {
    return dtype.is_bool() ? 0 : dtype.is_uint() ? 1 : dtype.is_int() ? 2 : 3;
  };
  return rank(from) <= rank(to);
}
std::string_view casting_name(Casting casting) {
  static constexpr std::string_view names[] = {"no", "equiv", "safe", "same_kind", "unsafe"};
  return names[static_cast<size_t>(casting)];
}
Casting casting_argument(const Any& value, ir::Span span) {
  std::string_view text = is_str(value) ? text_of(value) : std::string_view();
  for (auto casting : {Casting::kNo, Casting::kEquiv, Casting::kSafe, Casting::kSameKind, Casting::kUnsafe}) {
    if (text == casting_name(casting)) return casting;
  }
  raise("ValueError", span, "wrong-value",
        "casting must be one of 'no', 'equiv', 'safe', 'same_kind', 'unsafe' (got '{}')", text);
}

bool is_weak(const Any& value) { return is_int(value) || is_float(value); }

namespace {

// Which type the elements of nested lists ask for together.
void scan(Evaluator& evaluator, const Any& value, DataType& found, ir::Span span) {
  auto add = [&](DataType dtype) { found = found.is_void() ? dtype : promote(found, dtype, span); };
  if (is_bool(value)) return add(DataType::Bool());
  if (is_int(value)) return add(DataType::Int(64));
  if (unsigned_of(value)) return add(DataType::UInt(64));
  if (as_wide(value) != nullptr)
    raise("OverflowError", span, "integer-overflow", "Python int too large to convert to C long");
  if (is_float(value)) return add(DataType::Float(64));
  if (auto* array = as<ir::NDArrayNode>(value)) return add(array->tensor.dtype());
  if (auto* scalar = as<NumpyScalarNode>(value)) return add(scalar->dtype);
  if (value.type_index() == kTVMFFITensor) return add(value.cast<ffi::Tensor>().dtype());
  if (value.type_index() == kTVMFFIList || value.type_index() == kTVMFFIArray) {
    for (const Any& element : elements(value)) scan(evaluator, element, found, span);
    return;
  }
  if (is_list_like(value)) {
    if (evaluator.length(value, span) > 0) add(DataType::Int(64));
    return;
  }
  raise(refusals["not-an-array"], span, type_name_of(evaluator, value));
}

}  // namespace

DataType element_type(Evaluator& evaluator, const Any& value, ir::Span span) {
  DataType found = DataType::Void();
  scan(evaluator, value, found, span);
  return found;
}

DataType result_type(Evaluator& evaluator, std::span<const Any> operands, ir::Span span, bool lenient) {
  DataType found = DataType::Void();
  for (const Any& operand : operands) {
    if (is_weak(operand)) continue;
    DataType own = DataType::Void();
    scan(evaluator, operand, own, span);
    if (own.is_void()) own = DataType::Float(64);
    found = found.is_void() ? own : promote(found, own, span, lenient);
  }
  for (const Any& operand : operands) {
    if (!is_weak(operand)) continue;
    bool real = is_float(operand);
    if (found.is_void()) {
      found = real ? DataType::Float(64) : DataType::Int(64);
    } else if (real && !found.is_float()) {
      found = DataType::Float(lenient && is_added_float(found) ? 32 : 64);
    } else if (!real && found.is_bool()) {
      found = DataType::Int(64);
    }
  }
  return found;
}

// ---- dtype objects ----

namespace {
// One object per type: `a.dtype is b.dtype`.
const Any& dtype_object(DataType dtype, bool is_class) {
  static const auto& objects = *[] {
    auto* made = new std::vector<Any>;
    for (bool each_class : {false, true}) {
      for (size_t k = 0; k < kKinds; ++k)
        made->push_back(Any(ir::make<NumpyDTypeNode>(type_of(static_cast<Kind>(k)), each_class)));
    }
    return made;
  }();
  return objects[index_of(kind_of(dtype)) + (is_class ? kKinds : 0)];
}
}  // namespace
Any dtype_value(DataType dtype) { return dtype_object(dtype, false); }
Any dtype_class_value(DataType dtype) { return dtype_object(dtype, true); }
std::string dtype_char(DataType dtype) {
  size_t index = index_of(kind_of(dtype));
  if (index < kPlainKinds) return std::string(1, dtype_rows[index].codes[0]);
  return std::string(1, "37L4G5CW890"[index - kPlainKinds]);
}

DataType dtype_argument(Evaluator& evaluator, const Any& given, ir::Span span) {
  const Any& value = is_str(builtin_value_of(given)) ? builtin_value_of(given) : given;
  auto refuse = [&] {
    raise("TypeError", span, "unsupported-dtype", "Cannot interpret '{}' as a data type",
          evaluator.repr(value));
  };
  if (auto* node = as<NumpyDTypeNode>(value)) return node->dtype;
  DataType dtype;
  if (value.type_index() == kTVMFFIDataType) {
    dtype = value.cast<DLDataType>();
  } else if (as<NumpyAbstractNode>(value)) {
    refuse();
  } else if (is_str(value)) {
    std::string text(text_of(value));
    if (!text.empty() && (text[0] == '<' || text[0] == '=' || text[0] == '|')) text.erase(0, 1);
    for (const DTypeRow& row : dtype_rows) {
      if (ir::has_word(row.names, text) || ir::has_word(row.codes, text)) return row.dtype;
    }
    try {
      dtype = DataType::parse(text);
    } catch (ir::Error&) {
      raise("TypeError", span, "unsupported-dtype", "data type '{}' not understood", text_of(value));
    }
  } else if (auto* cls = as<ClassNode>(value)) {
    if (cls == types().real.get()) return DataType::Float(64);
    if (cls == types().integer.get()) return DataType::Int(64);
    if (cls == types().boolean.get()) return DataType::Bool();
    refuse();
  } else {
    Any inner;
    if (is_none(value)) return DataType::Float(64);
    if (!is_object(value) || !evaluator.find_attribute(value, Symbol("dtype"), inner)) refuse();
    return dtype_argument(evaluator, inner, span);
  }
  check_dtype(dtype, span);
  return dtype;
}
DataType dtype_or(ApiCall& call, const Any& value, size_t index, DataType otherwise) {
  return is_none(value) ? otherwise : dtype_argument(evaluator_of(call.host), value, call.span_of(index));
}

namespace {

bool dtype_member(DataType type, bool is_class, std::string_view name, Any& out) {
  bool narrow = type.bits() <= 8;
  if (name == "name" || name == "__name__") {
    out = str_value(type.str());
  } else if (name == "itemsize") {
    out = static_cast<int64_t>(type.bytes());
  } else if (name == "kind") {
    out = str_value(std::string(1, kind_letter(type)));
  } else if (name == "char") {
    out = str_value(dtype_char(type));
  } else if (name == "str") {
    out = str_value(
        fmt::format("{}{}{}", narrow && !is_added_float(type) ? "|" : "<", kind_letter(type), type.bytes()));
  } else if (name == "byteorder") {
    out = str_value(narrow ? "|" : "=");
  } else if (name == "num") {
    constexpr int64_t numbers[] = {0,   1,   2,   3,   4,   5,   6,   7,   8,   23,  11,  12,
                                   256, 257, 258, 259, 260, 261, 262, 263, 267, 264, 265, 266};
    out = numbers[index_of(kind_of(type))];
  } else if (name == "type") {
    out = dtype_class_value(type);
  } else if (name == "__module__" && is_class) {
    out = str_value(is_added_float(type) ? "ml_dtypes" : "numpy");
  } else {
    return false;
  }
  return true;
}

}  // namespace

bool numpy_attribute(Evaluator& evaluator, const Any& object, Symbol name, Any& out) {
  if (auto* dtype = as<NumpyDTypeNode>(object)) {
    return dtype_member(dtype->dtype, dtype->is_class, name.str(), out);
  }
  auto* scalar = as<NumpyScalarNode>(object);
  if (scalar == nullptr) return false;
  if (name.str() == "is_integer" || name.str() == "as_integer_ratio" || name.str() == "bit_length" ||
      name.str() == "numerator" || name.str() == "denominator" || name.str() == "hex") {
    return evaluator.find_attribute(plain_number(object), name, out);
  }
  // A scalar has the attributes and methods of an array of no dimensions.
  Any array = array_value(to_tensor(evaluator, object, {}));
  const ir::Api* api = ir::ApiRegistry::global().method(array.type_index(), name.str());
  if (api == nullptr) return false;
  return evaluator.find_attribute(array, name, out);
}

namespace {

constexpr std::string_view kDType = "mlc.np.dtype";

Any call_dtype(ApiCall& call, const Any& self, const Any& value) {
  Evaluator& evaluator = evaluator_of(call.host);
  DataType dtype = as<NumpyDTypeNode>(self)->dtype;
  if (!as<NumpyDTypeNode>(self)->is_class)
    raise("TypeError", call.span, "not-callable", "'numpy.dtype' object is not callable");
  if (is_none(value)) return scalar_value(dtype, int64_t{0});
  if (is_str(value)) {
    Any number = evaluator.call(Any(types().real), std::span<const Any>(&value, 1), {}, call.span);
    return scalar_value(dtype, raw_float(number));
  }
  return scalar_or_array(to_tensor(evaluator, value, call.span_of(1), dtype));
}

bool is_subtype(Evaluator& evaluator, const Any& value, const Any& parent, ir::Span span) {
  auto* abstract_value = as<NumpyAbstractNode>(value);
  if (auto* abstract = as<NumpyAbstractNode>(parent)) {
    if (abstract_value != nullptr) {
      return abstract_value->kinds.size() <= abstract->kinds.size() &&
             abstract->kinds.find(abstract_value->kinds) != std::string_view::npos;
    }
    DataType dtype = dtype_argument(evaluator, value, span);
    return abstract->kinds.find(kind_letter(dtype)) != std::string_view::npos;
  }
  if (abstract_value != nullptr) return false;
  return dtype_argument(evaluator, value, span) == dtype_argument(evaluator, parent, span);
}

// np.float32, ml_dtypes.float8_e5m2, np.floating: the classes by their names.
Any dtype_class(ApiCall& call) {
  for (const DTypeRow& row : dtype_rows) {
    if (ir::has_word(row.names, call.api.name)) return dtype_class_value(row.dtype);
  }
  return dtype_class_value(DataType::parse(call.api.name));
}
Any abstract_class(ApiCall& call) {
  for (const AbstractRow& row : abstract_rows) {
    if (row.name == call.api.name) return Any(ir::make<NumpyAbstractNode>(row.name, row.kinds));
  }
  MLC_CHECK(false, "no abstract class {}", call.api.name);
}

const ApiRow dtype_functions[] = {
    {ApiKind::kFunction, "numpy", "dtype(dtype)", "A data type object.", native([](ApiCall& call, Any value) {
       return dtype_value(dtype_argument(evaluator_of(call.host), value, call.span_of(0)));
     })},
    {ApiKind::kMethod, kDType, "__call__(x=None)", "The value as a scalar of this type.",
     native(calls<call_dtype>)},
    {ApiKind::kMethod, kDType, "__eq__(other)", "Is it the same type?",
     native([](ApiCall& call, Any self, Any other) -> Any {
       if (is_none(other)) return false;
       try {
         DataType dtype = as<NumpyDTypeNode>(self)->dtype;
         return dtype == dtype_argument(evaluator_of(call.host), other, call.span);
       } catch (ir::Error&) {
         return false;
       }
     })},
    {ApiKind::kFunction, "numpy", "issubdtype(arg1, arg2)", "Is the type of this kind?",
     native([](ApiCall& call, Any value, Any parent) {
       return is_subtype(evaluator_of(call.host), value, parent, call.span);
     })},
    {ApiKind::kFunction, "numpy", "promote_types(type1, type2)", "The smallest type that both fit.",
     native([](ApiCall& call, Any a, Any b) {
       Evaluator& evaluator = evaluator_of(call.host);
       return dtype_value(promote(dtype_argument(evaluator, a, call.span_of(0)),
                                  dtype_argument(evaluator, b, call.span_of(1)), call.span));
     })},
    {ApiKind::kFunction, "numpy", "result_type(*arrays_and_dtypes)", "The type of an operation on these.",
     native([](ApiCall& call, Tuple values) {
       Evaluator& evaluator = evaluator_of(call.host);
       std::vector<Any> operands;
       for (const Any& value : values) {
         if (as<NumpyDTypeNode>(value) || is_str(value) || as<ClassNode>(value))
           operands.push_back(scalar_value(dtype_argument(evaluator, value, call.span), int64_t{0}));
         else
           operands.push_back(value);
       }
       if (operands.empty())
         raise("ValueError", call.span, "empty-sequence", "at least one array or dtype is required");
       return dtype_value(result_type(evaluator, operands, call.span));
     })},
    {ApiKind::kFunction, "numpy", "can_cast(from_, to, casting='safe')", "May values be cast by this rule?",
     native([](ApiCall& call, Any from, Any to, Any casting) {
       Evaluator& evaluator = evaluator_of(call.host);
       if (is_weak(from))
         raise("TypeError", call.span_of(0), "wrong-type",
               "can_cast() does not support Python ints, floats, and complex because the result used to "
               "depend on "
               "the value.");
       auto* array = as<ir::NDArrayNode>(from);
       auto* scalar = as<NumpyScalarNode>(from);
       DataType type = array    ? DataType(array->tensor.dtype())
                       : scalar ? DataType(scalar->dtype)
                                : dtype_argument(evaluator, from, call.span_of(0));
       return can_cast(type, dtype_argument(evaluator, to, call.span_of(1)),
                       casting_argument(casting, call.span_of(2)));
     })},
};

}  // namespace

std::span<const ir::ApiRow> np_dtype_rows() {
  static const std::vector<ApiRow> rows = [] {
    std::vector<ApiRow> made(std::begin(dtype_functions), std::end(dtype_functions));
    for (const DTypeRow& row : dtype_rows) {
      ir::each_word(row.names, [&](std::string_view name) {
        made.push_back({ApiKind::kValue, "numpy", name, "A type of numbers, by kind and bits.", dtype_class});
      });
    }
    for (const AbstractRow& row : abstract_rows)
      made.push_back(
          {ApiKind::kValue, "numpy", row.name, "A class of types, for isinstance.", abstract_class});
    made.push_back({ApiKind::kValue, "ml_dtypes", "bfloat16",
                    "Floats of 16 bits with the exponent of float32.", dtype_class});
    for (const ir::SmallFloat& format : ir::narrow_formats())
      made.push_back({ApiKind::kValue, "ml_dtypes", format.name, "Floats of a byte or less.", dtype_class});
    return made;
  }();
  return rows;
}

// ---- scalars and what the evaluator asks of types ----

Any plain_number(const Any& value) {
  auto* scalar = as<NumpyScalarNode>(value);
  if (scalar == nullptr) return value;
  DataType dtype = scalar->dtype;
  if (dtype.is_floating()) return scalar->real;
  if (dtype.is_bool()) return scalar->integer != 0;
  return scalar->integer;
}

Any plain_value(const Any& value) {
  if (auto* dtype = as<NumpyDTypeNode>(value)) return str_value(DataType(dtype->dtype).str());
  return plain_number(value);
}

std::optional<DataType> numpy_scalar_dtype(const Any& value) {
  if (auto* scalar = as<NumpyScalarNode>(value)) return scalar->dtype;
  return std::nullopt;
}

std::optional<std::string> numpy_scalar_text(const Any& value, bool repr) {
  if (auto* scalar = as<NumpyScalarNode>(value)) {
    DataType dtype = scalar->dtype;
    std::string text = is_added_float(dtype)
                           ? (std::isnan(scalar->real) ? "nan" : fmt::format("{:g}", scalar->real))
                       : dtype.is_float() ? ir::shortest_float(scalar->real, dtype.bits())
                       : dtype.is_bool()  ? (scalar->integer != 0 ? "True" : "False")
                       : dtype.is_uint()  ? std::to_string(static_cast<uint64_t>(scalar->integer))
                                          : std::to_string(scalar->integer);
    if (!repr || is_added_float(dtype)) return text;
    if (dtype.is_bool()) return "np." + text + "_";
    return "np." + dtype.str() + "(" + text + ")";
  }
  if (auto* dtype = as<NumpyDTypeNode>(value)) {
    std::string name = DataType(dtype->dtype).str();
    if (dtype->is_class)
      return "<class '" + std::string(is_added_float(dtype->dtype) ? "ml_dtypes." : "numpy.") + name + "'>";
    return !repr ? name : is_added_float(dtype->dtype) ? "dtype(" + name + ")" : "dtype('" + name + "')";
  }
  if (auto text = ufunc_text(value)) return text;
  if (auto* abstract = as<NumpyAbstractNode>(value)) return fmt::format("<class 'numpy.{}'>", abstract->name);
  return std::nullopt;
}

std::optional<Any> numpy_type_of(const Any& value) {
  if (auto* scalar = as<NumpyScalarNode>(value)) return dtype_class_value(scalar->dtype);
  auto* dtype = as<NumpyDTypeNode>(value);
  if (dtype == nullptr) return std::nullopt;
  if (dtype->is_class) return Any(types().type);
  static thread_local const Ref<ClassNode> found = new_class("dtype", "numpy");
  return Any(found);
}

std::string numpy_type_name(const Any& value) {
  if (auto* scalar = as<NumpyScalarNode>(value)) {
    DataType dtype = scalar->dtype;
    return (is_added_float(dtype) ? "ml_dtypes." : "numpy.") + dtype.str();
  }
  if (as<ir::NDArrayNode>(value)) return "numpy.ndarray";
  if (auto* dtype = as<NumpyDTypeNode>(value)) {
    return dtype->is_class ? "type" : "numpy.dtype";
  }
  if (as<NumpyAbstractNode>(value)) return "type";
  return value.GetTypeKey();
}

std::optional<bool> numpy_instance(const Any& value, const Any& type) {
  auto* scalar = as<NumpyScalarNode>(value);
  if (auto* abstract = as<NumpyAbstractNode>(type))
    return scalar != nullptr && abstract->kinds.find(kind_letter(scalar->dtype)) != std::string_view::npos;
  if (auto* dtype = as<NumpyDTypeNode>(type)) {
    if (!dtype->is_class) return std::nullopt;
    return scalar != nullptr && DataType(scalar->dtype) == DataType(dtype->dtype);
  }
  if (scalar != nullptr && as<ClassNode>(type) == types().real.get())
    return DataType(scalar->dtype) == DataType::Float(64);
  return std::nullopt;
}

}  // namespace mlc::script
