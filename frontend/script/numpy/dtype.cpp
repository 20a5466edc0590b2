// SPDX-License-Identifier: Apache-2.0
// Types of elements: their names, NumPy 2's promotion and casting, what np.dtype, np.finfo and np.iinfo tell.
#include <cfloat>
#include <cmath>

#include "frontend/script/numpy/array.h"
#include "frontend/script/numpy/scalar.h"
#include "frontend/script/types/wide_int.h"
#include "ir/core/small_float.h"

namespace mlc::script {

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
  std::string_view name;
  Kind kind;
  DataType dtype;
  std::string_view letter;  // NumPy's one-letter code
};
const DTypeRow dtype_rows[] = {{"bool", Kind::kBool, DataType::Bool(), "?"},
                               {"int8", Kind::kInt8, DataType::Int(8), "b"},
                               {"uint8", Kind::kUInt8, DataType::UInt(8), "B"},
                               {"int16", Kind::kInt16, DataType::Int(16), "h"},
                               {"uint16", Kind::kUInt16, DataType::UInt(16), "H"},
                               {"int32", Kind::kInt32, DataType::Int(32), "i"},
                               {"uint32", Kind::kUInt32, DataType::UInt(32), "I"},
                               {"int64", Kind::kInt64, DataType::Int(64), "l"},
                               {"uint64", Kind::kUInt64, DataType::UInt(64), "L"},
                               {"float16", Kind::kFloat16, DataType::Float(16), "e"},
                               {"float32", Kind::kFloat32, DataType::Float(32), "f"},
                               {"float64", Kind::kFloat64, DataType::Float(64), "d"},
                               {"bfloat16", Kind::kBFloat16, DataType::BFloat16(), "E"}};

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

namespace {
// The class of a dtype object: "numpy.dtypes.Float32DType", "numpy.dtype[bfloat16]".
std::string dtype_class_name(DataType dtype) {
  std::string name = dtype.str();
  if (is_added_float(dtype)) return "numpy.dtype[" + name + "]";
  size_t letters = name[0] == 'u' ? 2 : 1;
  for (size_t i = 0; i < letters; ++i) name[i] = static_cast<char>(name[i] - 'a' + 'A');
  return "numpy.dtypes." + name + "DType";
}
}  // namespace

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
    std::string x = dtype_class_name(a), y = dtype_class_name(b);
    raise("DTypePromotionError", span, "no-common-dtype",
          "The DType <class '{}'> could not be promoted by <class '{}'>. This means that no common DType "
          "exists for the given inputs. For example they cannot be stored in a single array unless the dtype "
          "is `object`. The full list of DTypes is: (<class '{}'>, <class '{}'>)",
          y, x, x, y);
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
  raise("TypeError", span, "not-an-array", "an array cannot be made of '{}' objects",
        type_name_of(evaluator, value));
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
  if (index < kPlainKinds) return std::string(dtype_rows[index].letter);
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
    static const std::unordered_map<std::string, std::string> short_names = {
        {"f2", "float16"},     {"f4", "float32"},   {"f8", "float64"},     {"i1", "int8"},
        {"i2", "int16"},       {"i4", "int32"},     {"i8", "int64"},       {"u1", "uint8"},
        {"u2", "uint16"},      {"u4", "uint32"},    {"u8", "uint64"},      {"b1", "bool"},
        {"float", "float64"},  {"int", "int64"},    {"half", "float16"},   {"single", "float32"},
        {"double", "float64"}, {"uint", "uint64"},  {"q", "int64"},        {"Q", "uint64"},
        {"p", "int64"},        {"P", "uint64"},     {"long", "int64"},     {"ulong", "uint64"},
        {"byte", "int8"},      {"ubyte", "uint8"},  {"short", "int16"},    {"ushort", "uint16"},
        {"intc", "int32"},     {"uintc", "uint32"}, {"longlong", "int64"}, {"intp", "int64"},
        {"bool_", "bool"}};
    if (!text.empty() && (text[0] == '<' || text[0] == '=' || text[0] == '|')) text.erase(0, 1);
    for (const DTypeRow& row : dtype_rows) {
      if (row.letter == text) return row.dtype;
    }
    auto found = short_names.find(text);
    if (found != short_names.end()) text = found->second;
    for (const DTypeRow& row : dtype_rows) {
      if (row.name == text) return row.dtype;
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
  std::string text = type.str();
  bool narrow = type.bits() <= 8;
  if (name == "name" || name == "__name__") {
    out = str_value(text);
  } else if (name == "itemsize" || name == "alignment") {
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
  } else if (name == "ndim") {
    out = int64_t{0};
  } else if (name == "shape") {
    out = Tuple();
  } else if (name == "isbuiltin") {
    out = int64_t{1};
  } else if (name == "isnative") {
    out = true;
  } else if (name == "hasobject" || name == "isalignedstruct") {
    out = false;
  } else if (name == "flags") {
    out = int64_t{0};
  } else if (name == "base") {
    out = dtype_value(type);
  } else if (name == "descr") {
    Any text;
    dtype_member(type, is_class, "str", text);
    out = List{Any(Tuple{str_value(""), text})};
  } else if (name == "names" || name == "fields" || name == "subdtype" || name == "metadata") {
    out = nullptr;
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
  DataType type = scalar->dtype;
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

// ---- finfo and iinfo ----

// np.finfo(t) and np.iinfo(t): the limits of a type.
struct TypeInfoNode final : ffi::Object {
  DLDataType dtype;
  explicit TypeInfoNode(DataType dtype) : dtype(dtype) {}
  MLC_NODE("mlc.np.typeinfo", TypeInfoNode, ffi::Object);
};
using TypeInfo = ir::Ref<TypeInfoNode>;

namespace {

struct FloatLimits {
  int mantissa, least_exponent, digits;  // stored bits; of the least normal number; exact decimal digits
  double max, tiny, subnormal, epsilon, half_epsilon;
};
FloatLimits float_limits(DataType dtype) {
  if (const ir::SmallFloat* f = ir::narrow_format(dtype)) {
    double epsilon = std::ldexp(1.0, -f->mantissa_bits);
    double least = std::ldexp(1.0, 1 - f->bias);
    if (f->special == ir::SmallFloat::kScale) least = std::ldexp(1.0, -f->bias);
    bool tiny = dtype.bits() < 8;
    return {f->mantissa_bits,
            f->special == ir::SmallFloat::kScale ? -f->bias : 1 - f->bias,
            tiny ? 0 : 1,
            ir::decode(*f, f->largest()),
            least,
            std::ldexp(least, -f->mantissa_bits),
            epsilon,
            tiny ? epsilon : epsilon / 2};
  }
  if (dtype.is_bfloat16())
    return {7, -126, 2, 3.3895313892515355e38, FLT_MIN, 9.183549615799121e-41, 0.0078125, 0.00390625};
  if (dtype.bits() == 16)
    return {10, -14, 3, 65504, 6.103515625e-05, 5.960464477539063e-08, 0.0009765625, 0.00048828125};
  if (dtype.bits() == 32) return {23, -126, 6, FLT_MAX, FLT_MIN, FLT_TRUE_MIN, FLT_EPSILON, FLT_EPSILON / 2};
  return {52, -1022, 15, DBL_MAX, DBL_MIN, DBL_TRUE_MIN, DBL_EPSILON, DBL_EPSILON / 2};
}
int64_t integer_least(DataType dtype) { return dtype.is_uint() ? 0 : INT64_MIN >> (64 - dtype.bits()); }
uint64_t integer_greatest(DataType dtype) {
  return ~uint64_t{0} >> (64 - dtype.bits() + (dtype.is_uint() ? 0 : 1));
}

Any type_info(ApiCall& call, const Any& value, bool real, bool added = false) {
  Evaluator& evaluator = evaluator_of(call.host);
  DataType dtype;
  if (as<NumpyDTypeNode>(value) || is_str(value) || as<ClassNode>(value) ||
      value.type_index() == kTVMFFIDataType) {
    dtype = dtype_argument(evaluator, value, call.span_of(0));
  } else {
    dtype = element_type(evaluator, value, call.span_of(0));
  }
  if (real != dtype.is_floating() || (is_added_float(dtype) && !added)) {
    if (real)
      raise("ValueError", call.span_of(0), "unsupported-dtype", "data type {} not inexact",
            *numpy_scalar_text(is_added_float(dtype) ? dtype_class_value(dtype) : dtype_value(dtype), true));
    raise("ValueError", call.span_of(0), "unsupported-dtype", "Invalid integer data type '{}'.",
          std::string(1, kind_letter(dtype)));
  }
  return Any(ir::make<TypeInfoNode>(dtype));
}

Any limit(const TypeInfo& self, double FloatLimits::*member) {
  DataType dtype = self->dtype;
  return scalar_value(dtype, float_limits(dtype).*member);
}

constexpr std::string_view kInfo = "mlc.np.typeinfo";
constexpr std::string_view kDType = "mlc.np.dtype";

Any call_dtype(ApiCall& call, const Any& self, const Any& value) {
  Evaluator& evaluator = evaluator_of(call.host);
  DataType dtype = as<NumpyDTypeNode>(self)->dtype;
  if (!as<NumpyDTypeNode>(self)->is_class)
    raise("TypeError", call.span, "not-callable", "'numpy.dtypes.{}DType' object is not callable",
          dtype.str());
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

template <int code, int bits>
Any dtype_class(ApiCall&) {
  return dtype_class_value(DataType(code, bits));
}
Any abstract_class(ApiCall& call) {
  for (const AbstractRow& row : abstract_rows) {
    if (row.name == call.api.name) return Any(ir::make<NumpyAbstractNode>(row.name, row.kinds));
  }
  MLC_CHECK(false, "no abstract class {}", call.api.name);
}

#define MLC_NP_TYPE(name, doc, code, bits) \
  ApiRow { ApiKind::kValue, "numpy", name, doc, dtype_class<code, bits> }
#define MLC_NP_ADDED(name, code, bits) \
  ApiRow { ApiKind::kValue, "ml_dtypes", name, "Floats of a byte or less.", dtype_class<code, bits> }
#define MLC_NP_ABSTRACT(name, doc) \
  ApiRow { ApiKind::kValue, "numpy", name, doc, abstract_class }
#define MLC_NP_LIMIT(name, doc, member)                                         \
  ApiRow {                                                                      \
    ApiKind::kProperty, kInfo, name, doc,                                       \
        native([](TypeInfo self) { return limit(self, &FloatLimits::member); }) \
  }

const ApiRow rows[] = {
    {ApiKind::kFunction, "numpy", "dtype(dtype)", "A data type object.", native([](ApiCall& call, Any value) {
       return dtype_value(dtype_argument(evaluator_of(call.host), value, call.span_of(0)));
     })},
    {ApiKind::kMethod, kDType, "__call__(x=None)", "The value as a scalar of this type.",
     native([](ApiCall& call, Any self, Any value) { return call_dtype(call, self, value); })},
    {ApiKind::kMethod, kDType, "newbyteorder(new_order='S')",
     "The same type: only the machine's order is known.",
     native([](ApiCall& call, Any self, std::string order) {
       if (order != "=" && order != "<" && order != "native" && order != "little")
         raise("ValueError", call.span, "unsupported-dtype",
               "only the machine's own byte order is supported");
       return self;
     })},
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
    {ApiKind::kFunction, "numpy", "finfo(dtype)", "The limits of a type of floats.",
     native([](ApiCall& call, Any value) { return type_info(call, value, true); })},
    {ApiKind::kFunction, "ml_dtypes", "finfo(dtype)", "The limits of a type of floats.",
     native([](ApiCall& call, Any value) { return type_info(call, value, true, true); })},
    {ApiKind::kFunction, "ml_dtypes", "iinfo(type)", "The limits of a type of integers.",
     native([](ApiCall& call, Any value) { return type_info(call, value, false); })},
    {ApiKind::kFunction, "numpy", "iinfo(type)", "The limits of a type of integers.",
     native([](ApiCall& call, Any value) { return type_info(call, value, false); })},
    {ApiKind::kProperty, kInfo, "dtype", "The type.",
     native([](TypeInfo self) { return dtype_value(self->dtype); })},
    {ApiKind::kProperty, kInfo, "kind", "The letter of its kind.",
     native([](TypeInfo self) { return str_value(std::string(1, kind_letter(self->dtype))); })},
    {ApiKind::kProperty, kInfo, "key", "The letter of its kind and its bits.", native([](TypeInfo self) {
       return str_value(fmt::format("{}{}", kind_letter(self->dtype), self->dtype.bits));
     })},
    {ApiKind::kProperty, kInfo, "machep", "The exponent of eps.",
     native([](TypeInfo self) { return -static_cast<int64_t>(float_limits(self->dtype).mantissa); })},
    {ApiKind::kProperty, kInfo, "negep", "The exponent of epsneg.", native([](TypeInfo self) {
       return static_cast<int64_t>(std::ilogb(float_limits(self->dtype).half_epsilon));
     })},
    {ApiKind::kProperty, kInfo, "iexp", "Bits of the exponent.", native([](TypeInfo self) {
       return static_cast<int64_t>(self->dtype.bits - float_limits(self->dtype).mantissa - 1);
     })},
    {ApiKind::kProperty, kInfo, "nexp", "Bits of the exponent.", native([](TypeInfo self) {
       return static_cast<int64_t>(self->dtype.bits - float_limits(self->dtype).mantissa - 1);
     })},
    {ApiKind::kProperty, kInfo, "bits", "Its bits.",
     native([](TypeInfo self) { return static_cast<int64_t>(self->dtype.bits); })},
    {ApiKind::kProperty, kInfo, "max", "The greatest value.", native([](TypeInfo self) -> Any {
       DataType dtype = self->dtype;
       if (dtype.is_floating()) return scalar_value(dtype, float_limits(dtype).max);
       if (dtype.is_uint() && dtype.bits() == 64) return scalar_value(dtype, int64_t{-1});
       return static_cast<int64_t>(integer_greatest(dtype));
     })},
    {ApiKind::kProperty, kInfo, "min", "The least value.", native([](TypeInfo self) -> Any {
       DataType dtype = self->dtype;
       if (dtype.is_floating()) return scalar_value(dtype, -float_limits(dtype).max);
       return integer_least(dtype);
     })},
    MLC_NP_LIMIT("eps", "The distance from 1 to the next number.", epsilon),
    MLC_NP_LIMIT("epsneg", "The distance from 1 to the number before.", half_epsilon),
    MLC_NP_LIMIT("tiny", "The least normal number above 0.", tiny),
    MLC_NP_LIMIT("smallest_normal", "The least normal number above 0.", tiny),
    MLC_NP_LIMIT("smallest_subnormal", "The least number above 0.", subnormal),
    {ApiKind::kProperty, kInfo, "resolution", "The decimal resolution.", native([](TypeInfo self) {
       return scalar_value(self->dtype, std::pow(10.0, -float_limits(self->dtype).digits));
     })},
    {ApiKind::kProperty, kInfo, "precision", "Decimal digits that are exact.",
     native([](TypeInfo self) { return static_cast<int64_t>(float_limits(self->dtype).digits); })},
    {ApiKind::kProperty, kInfo, "nmant", "Bits of the mantissa.",
     native([](TypeInfo self) { return static_cast<int64_t>(float_limits(self->dtype).mantissa); })},
    {ApiKind::kProperty, kInfo, "minexp", "The least exponent.",
     native([](TypeInfo self) { return static_cast<int64_t>(float_limits(self->dtype).least_exponent); })},
    {ApiKind::kProperty, kInfo, "maxexp", "The exponent of the first power of two that overflows.",
     native(
         [](TypeInfo self) { return static_cast<int64_t>(std::ilogb(float_limits(self->dtype).max) + 1); })},
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
    MLC_NP_TYPE("bool_", "The type bool.", kDLBool, 8),
    MLC_NP_TYPE("bool", "The type bool.", kDLBool, 8),
    MLC_NP_TYPE("int8", "Integers of 8 bits.", kDLInt, 8),
    MLC_NP_TYPE("byte", "Integers of 8 bits.", kDLInt, 8),
    MLC_NP_TYPE("int16", "Integers of 16 bits.", kDLInt, 16),
    MLC_NP_TYPE("longlong", "Integers of 64 bits.", kDLInt, 64),
    MLC_NP_TYPE("ushort", "Natural numbers of 16 bits.", kDLUInt, 16),
    MLC_NP_TYPE("uintc", "Natural numbers of 32 bits.", kDLUInt, 32),
    MLC_NP_TYPE("ulong", "Natural numbers of 64 bits.", kDLUInt, 64),
    MLC_NP_TYPE("short", "Integers of 16 bits.", kDLInt, 16),
    MLC_NP_TYPE("int32", "Integers of 32 bits.", kDLInt, 32),
    MLC_NP_TYPE("intc", "Integers of 32 bits.", kDLInt, 32),
    MLC_NP_TYPE("int64", "Integers of 64 bits.", kDLInt, 64),
    MLC_NP_TYPE("int_", "Integers of 64 bits.", kDLInt, 64),
    MLC_NP_TYPE("intp", "Integers of 64 bits.", kDLInt, 64),
    MLC_NP_TYPE("long", "Integers of 64 bits.", kDLInt, 64),
    MLC_NP_TYPE("uint8", "Natural numbers of 8 bits.", kDLUInt, 8),
    MLC_NP_TYPE("ubyte", "Natural numbers of 8 bits.", kDLUInt, 8),
    MLC_NP_TYPE("uint16", "Natural numbers of 16 bits.", kDLUInt, 16),
    MLC_NP_TYPE("uint32", "Natural numbers of 32 bits.", kDLUInt, 32),
    MLC_NP_TYPE("uint64", "Natural numbers of 64 bits.", kDLUInt, 64),
    MLC_NP_TYPE("ulonglong", "Natural numbers of 64 bits.", kDLUInt, 64),
    MLC_NP_TYPE("uint", "Natural numbers of 64 bits.", kDLUInt, 64),
    MLC_NP_TYPE("uintp", "Natural numbers of 64 bits.", kDLUInt, 64),
    MLC_NP_TYPE("float16", "Floats of 16 bits.", kDLFloat, 16),
    MLC_NP_TYPE("half", "Floats of 16 bits.", kDLFloat, 16),
    MLC_NP_TYPE("float32", "Floats of 32 bits.", kDLFloat, 32),
    MLC_NP_TYPE("single", "Floats of 32 bits.", kDLFloat, 32),
    MLC_NP_TYPE("float64", "Floats of 64 bits.", kDLFloat, 64),
    MLC_NP_TYPE("double", "Floats of 64 bits.", kDLFloat, 64),
    {ApiKind::kValue, "ml_dtypes", "bfloat16", "Floats of 16 bits with the exponent of float32.",
     dtype_class<kDLBfloat, 16>},
    MLC_NP_ADDED("float8_e3m4", kDLFloat8_e3m4, 8),
    MLC_NP_ADDED("float8_e4m3", kDLFloat8_e4m3, 8),
    MLC_NP_ADDED("float8_e4m3b11fnuz", kDLFloat8_e4m3b11fnuz, 8),
    MLC_NP_ADDED("float8_e4m3fn", kDLFloat8_e4m3fn, 8),
    MLC_NP_ADDED("float8_e4m3fnuz", kDLFloat8_e4m3fnuz, 8),
    MLC_NP_ADDED("float8_e5m2", kDLFloat8_e5m2, 8),
    MLC_NP_ADDED("float8_e5m2fnuz", kDLFloat8_e5m2fnuz, 8),
    MLC_NP_ADDED("float8_e8m0fnu", kDLFloat8_e8m0fnu, 8),
    MLC_NP_ADDED("float6_e2m3fn", kDLFloat6_e2m3fn, 6),
    MLC_NP_ADDED("float6_e3m2fn", kDLFloat6_e3m2fn, 6),
    MLC_NP_ADDED("float4_e2m1fn", kDLFloat4_e2m1fn, 4),
    MLC_NP_ABSTRACT("generic", "The class of all scalars."),
    MLC_NP_ABSTRACT("number", "The class of numbers."),
    MLC_NP_ABSTRACT("integer", "The class of integers."),
    MLC_NP_ABSTRACT("signedinteger", "The class of integers with a sign."),
    MLC_NP_ABSTRACT("unsignedinteger", "The class of natural numbers."),
    MLC_NP_ABSTRACT("inexact", "The class of floats."),
    MLC_NP_ABSTRACT("floating", "The class of floats."),
};

}  // namespace

std::span<const ir::ApiRow> np_dtype_rows() { return rows; }

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

// A limit as a scalar of the type prints.
static std::string limit_text(DataType dtype, double number) {
  return *numpy_scalar_text(scalar_value(dtype, number), false);
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
  if (auto* info = as<TypeInfoNode>(value)) {
    DataType dtype = info->dtype;
    std::string line(63, '-');
    if (!repr && !dtype.is_floating()) {
      return fmt::format("Machine parameters for {}\n{}\nmin = {}\nmax = {}\n{}\n", dtype.str(), line,
                         integer_least(dtype), integer_greatest(dtype), line);
    }
    if (!repr) {
      FloatLimits limits = float_limits(dtype);
      auto shown = [&](double number) { return limit_text(dtype, number); };
      return fmt::format(
          "Machine parameters for {}\n{}\nprecision = {}   resolution = {}\nmachep = {}   eps =        {}\n"
          "negep = {:>4}   epsneg =     {}\nminexp = {}   tiny =       {}\nmaxexp = {}   max =        {}\n"
          "nexp = {:>3}   min =        -max\nsmallest_normal = {}   smallest_subnormal = {}\n{}\n",
          dtype.str(), line, limits.digits, shown(std::pow(10.0, -limits.digits)), -limits.mantissa,
          shown(limits.epsilon), -limits.mantissa - 1, shown(limits.half_epsilon), limits.least_exponent,
          shown(limits.tiny), std::ilogb(limits.max) + 1, shown(limits.max),
          dtype.bits() - limits.mantissa - 1, shown(limits.tiny), shown(limits.subnormal), line);
    }
    if (!dtype.is_floating()) {
      return fmt::format("iinfo(min={}, max={}, dtype={})", integer_least(dtype), integer_greatest(dtype),
                         dtype.str());
    }
    FloatLimits limits = float_limits(dtype);
    auto shown = [&](double number) { return limit_text(dtype, number); };
    return fmt::format("finfo(resolution={}, min={}, max={}, dtype={})",
                       shown(std::pow(10.0, -limits.digits)), shown(-limits.max), shown(limits.max),
                       dtype.str());
  }
  return std::nullopt;
}

std::optional<Any> numpy_type_of(const Any& value) {
  if (auto* scalar = as<NumpyScalarNode>(value)) return dtype_class_value(scalar->dtype);
  auto* dtype = as<NumpyDTypeNode>(value);
  if (dtype == nullptr) return std::nullopt;
  if (dtype->is_class) return Any(types().type);
  // The class of each dtype object: numpy.dtypes.Float32DType.
  static auto& classes = *new std::vector<Ref<ClassNode>>(kKinds);
  Ref<ClassNode>& found = classes[index_of(kind_of(dtype->dtype))];
  if (found.get() == nullptr) {
    std::string name = numpy_type_name(value);
    size_t dot = name.find('[') == std::string::npos ? name.rfind('.') : name.find('.');
    found = ir::make<ClassNode>(name.substr(dot + 1));
    auto* cls = const_cast<ClassNode*>(found.get());
    cls->module = name.substr(0, dot);
    cls->bases = {types().object};
    cls->mro = {cls, const_cast<ClassNode*>(types().object.get())};
  }
  return Any(found);
}

std::string numpy_type_name(const Any& value) {
  if (auto* scalar = as<NumpyScalarNode>(value)) {
    DataType dtype = scalar->dtype;
    return (is_added_float(dtype) ? "ml_dtypes." : "numpy.") + dtype.str();
  }
  if (as<ir::NDArrayNode>(value)) return "numpy.ndarray";
  if (auto* dtype = as<NumpyDTypeNode>(value)) {
    return dtype->is_class ? "type" : dtype_class_name(dtype->dtype);
  }
  if (as<NumpyAbstractNode>(value)) return "type";
  if (as<TypeInfoNode>(value))
    return DataType(as<TypeInfoNode>(value)->dtype).is_floating() ? "numpy.finfo" : "numpy.iinfo";
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
