// SPDX-License-Identifier: Apache-2.0
// Calling and folding universal functions.
#include "frontend/script/numpy/ufunc.h"

#include "ir/core/refusal.h"

namespace mlc::script {

static constexpr ir::Refusals refusals{
    "ValueError",
    {
        {.name = "bad-axes",
         .message = "reduction operation '{}' is not reorderable, so at most one axis may be specified"},
        {.name = "bad-cast",
         .kind = "UFuncTypeError",
         .meaning = "The values would lose something in the new type, which this operation does not allow.",
         .wrong = R"(import numpy as np
a = np.array([1])
a += 1.5)",
         .right = R"(import numpy as np
a = np.array([1.0])
a += 1.5)"},
        {.name = "wrong-ufunc",
         .message = "reduce only supported for binary functions",
         .meaning = "Only a function of two arguments can fold an array.",
         .wrong = R"(import numpy as np
np.negative.reduce(np.zeros(2)))",
         .right = R"(import numpy as np
np.add.reduce(np.zeros(2)))"},
    }};
MLC_REFUSALS(numpy_ufunc, refusals);

namespace {

[[noreturn]] void no_loop(const UfuncRow& row, ir::Span span) {
  raise("TypeError", span, "unsupported-operand",
        "ufunc '{}' not supported for the input types, and the inputs could not be safely coerced to any "
        "supported types according to the casting rule ''safe''",
        row.name);
}

bool is_narrow_type(DataType dtype) { return index_of(kind_of(dtype)) >= kPlainKinds; }

// The type of the loop that values of these types go through; `common` is what they have in common.
Kind loop_kind(const UfuncRow& row, DataType common, std::span<const DataType> types, ir::Span span) {
  if (row.rule == Rule::kDivide && common.is_integral()) return Kind::kFloat64;
  // Neighbours are of the type itself, not of float32.
  if (row.name == "nextafter" && common.is_floating() && common.bits() < 32) no_loop(row, span);
  if (is_narrow_type(common)) {
    if (row.loops[index_of(Kind::kFloat32)] == nullptr) no_loop(row, span);
    return kind_of(common);
  }
  if (common.is_bool() && row.name == "subtract") {
    raise("TypeError", span, "unsupported-operand",
          "numpy boolean subtract, the `-` operator, is not supported, use the bitwise_xor, the `^` "
          "operator, or "
          "the logical_xor function instead.");
  }
  if (common.is_bool() && row.name == "negative") {
    raise("TypeError", span, "unsupported-operand",
          "The numpy boolean negative, the `-` operator, is not supported, use the `~` operator or the "
          "logical_not function instead.");
  }
  if (common.is_bool() && (row.name == "positive" || row.name == "sign")) {
    raise("UFuncTypeError", span, "unsupported-operand",
          "ufunc '{}' did not contain a loop with signature matching types <class 'numpy.dtypes.BoolDType'> "
          "-> None",
          row.name);
  }
  if (row.loops[index_of(kind_of(common))] != nullptr) return kind_of(common);
  for (size_t k = 0; k < kPlainKinds; ++k) {
    if (row.loops[k] == nullptr) continue;
    DataType to = type_of(static_cast<Kind>(k));
    bool fits = std::all_of(types.begin(), types.end(),
                            [&](DataType from) { return can_cast(from, to, Casting::kSafe); });
    if (fits) return static_cast<Kind>(k);
  }
  no_loop(row, span);
}

struct Call {
  std::vector<ffi::Tensor> inputs;
  Loop loop = nullptr;
  DataType result;
  DataType rounded = DataType::Void();  // what a narrow float's results are rounded to
};

// A Python int beyond the other operand's integers: decided by its sign.
bool beyond(const Any& value, DataType dtype) {
  if (!is_int(value) || !dtype.is_integral() || dtype.is_bool()) return false;
  int64_t integer = raw_int(value);
  if (dtype.is_uint()) return integer < 0 || (dtype.bits() < 64 && integer >> dtype.bits() != 0);
  return dtype.bits() < 64 && integer != integer << (64 - dtype.bits()) >> (64 - dtype.bits());
}

Call resolve(Evaluator& evaluator, const UfuncRow& row, std::span<const Any> inputs,
             const UfuncOptions& options, ir::Span span) {
  Call call;
  DataType common = result_type(evaluator, inputs, span, true);
  if (row.result && !options.dtype.is_void() && options.dtype != *row.result) {
    raise("TypeError", span, "unsupported-operand",
          "No loop matching the specified signature and casting was found for ufunc {}", row.name);
  }
  if (row.rule == Rule::kCompare && inputs.size() == 2) {
    if (beyond(inputs[0], common) || beyond(inputs[1], common)) {
      // Both as int64: the Python int keeps its value, and no value of the array reaches it.
      if (common != DataType::UInt(64)) common = DataType::Int(64);
    } else if (common == DataType::Float(64) && !is_weak(inputs[0]) && !is_weak(inputs[1])) {
      DataType x = element_type(evaluator, inputs[0], span), y = element_type(evaluator, inputs[1], span);
      if (x.is_integral() && y.is_integral()) {
        raise("NotImplementedError", span, "left-out",
              "{} and {} have no common type: compare after astype('int64') or astype('uint64')", x.str(),
              y.str());
      }
    }
  }
  Kind kind;
  if (options.dtype.is_void()) {
    std::vector<DataType> types;
    for (const Any& input : inputs) {
      DataType own = is_weak(input) ? common : element_type(evaluator, input, span);
      types.push_back(own.is_void() ? DataType::Float(64) : own);
    }
    kind = loop_kind(row, common, types, span);
  } else {
    kind = kind_of(options.dtype);
    if (row.loops[index_of(is_narrow_type(options.dtype) ? Kind::kFloat32 : kind)] == nullptr)
      no_loop(row, span);
  }
  DataType wanted = type_of(kind);
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (!options.dtype.is_void() && !is_weak(inputs[i])) {
      DataType own = element_type(evaluator, inputs[i], span);
      if (!own.is_void() && !can_cast(own, wanted, options.casting)) {
        raise_as(refusals["bad-cast"], span,
                 "Cannot cast ufunc '{}' input {} from dtype('{}') to dtype('{}') with casting rule '{}'",
                 row.name, i, own.str(), wanted.str(), casting_name(options.casting));
      }
    }
    // What is only asked for its truth need not fit.
    Any value = row.name.starts_with("logical") && beyond(inputs[i], wanted) ? Any(true) : inputs[i];
    call.inputs.push_back(to_tensor(evaluator, value, span, wanted));
  }
  if (is_narrow_type(wanted)) {
    for (ffi::Tensor& input : call.inputs) input = cast_to(input, DataType::Float(32));
    kind = Kind::kFloat32;
    if (!row.result) call.rounded = wanted;
  }
  call.loop = row.loops[index_of(kind)];
  call.result = row.result.value_or(type_of(kind));
  return call;
}

Shape shape_of_all(const std::vector<ffi::Tensor>& tensors, ir::Span span) {
  Shape shape;
  for (const ffi::Tensor& tensor : tensors) {
    std::optional<Shape> next = common_shape(shape, shape_of(tensor));
    if (!next) {
      std::string shapes;
      for (const ffi::Tensor& each : tensors) shapes += shape_text(shape_of(each)) + " ";
      raise("ValueError", span, "shape-mismatch", "operands could not be broadcast together with shapes {}",
            shapes);
    }
    shape = *next;
  }
  return shape;
}

}  // namespace

Any call_ufunc(Evaluator& evaluator, const UfuncRow& row, std::span<const Any> inputs, ir::Span span,
               const UfuncOptions& options) {
  Call call = resolve(evaluator, row, inputs, options, span);
  const ir::NDArrayNode* out = nullptr;
  if (!is_none(options.out)) {
    check_writeable(options.out, "output array", span);
    out = as<ir::NDArrayNode>(options.out);
    if (out == nullptr) raise("TypeError", span, "wrong-type", "return arrays must be of ArrayType");
    DataType result = call.rounded.is_void() ? call.result : call.rounded;
    if (!can_cast(result, out->tensor.dtype(), options.casting)) {
      raise_as(refusals["bad-cast"], span,
               "Cannot cast ufunc '{}' output from dtype('{}') to dtype('{}') with casting rule '{}'",
               row.name, result.str(), DataType(out->tensor.dtype()).str(), casting_name(options.casting));
    }
  }
  if (row.check != nullptr) row.check(call.inputs, span);
  Shape shape = shape_of_all(call.inputs, span);
  if (out != nullptr) {
    Shape own = shape_of(out->tensor);
    std::optional<Shape> whole = common_shape(shape, own);
    if (!whole || *whole != own) {
      raise("ValueError", span, "shape-mismatch",
            "non-broadcastable output operand with shape {} doesn't match the broadcast shape {}",
            shape_text(own), shape_text(whole.value_or(shape)));
    }
    shape = own;
  }
  std::vector<Operand> operands;
  for (const ffi::Tensor& input : call.inputs) operands.push_back(operand_of(input, shape));
  bool direct = out != nullptr && DataType(out->tensor.dtype()) == call.result && call.rounded.is_void();
  for (const ffi::Tensor& input : call.inputs) {
    // An element may be written once it is read, but not before another reads it.
    if (direct && shares_memory(input, out->tensor))
      direct = data_of<char>(input) == data_of<char>(out->tensor) && shape_of(input) == shape &&
               strides_of(input) == strides_of(out->tensor);
  }
  ffi::Tensor result =
      direct ? out->tensor : make_in_order(shape, memory_order(shape.size(), operands), call.result);
  operands.push_back(operand_of(result));
  Walk(shape, operands).run_in_parts(call.loop);
  if (!call.rounded.is_void()) result = cast_to(result, call.rounded);
  if (out == nullptr) return scalar_or_array(result);
  if (!direct) copy_into(out->tensor, result);
  return options.out;
}

// ---- folds ----

namespace {

// The loop of a type with two inputs; narrow floats go through that of float32, rounded each time.
struct TypedLoop {
  Loop loop;
  DataType narrow = DataType::Void();
  int8_t inputs = 2;
  void operator()(char* const* p, int64_t n, const int64_t* s) const {
    if (narrow.is_void()) return loop(p, n, s);
    with_type(narrow, [&](auto tag) {
      using T = decltype(tag);
      if constexpr (is_narrow<T>) {
        for (int64_t i = 0; i < n; ++i) {
          float numbers[] = {load<T>(p[0] + i * s[0]), load<T>(p[1] + i * s[1]), 0};
          char* pointers[] = {reinterpret_cast<char*>(numbers), reinterpret_cast<char*>(numbers + 1),
                              reinterpret_cast<char*>(numbers + 2)};
          int64_t steps[] = {0, 0, 0};
          loop(pointers, 1, steps);
          *reinterpret_cast<T*>(p[inputs] + i * s[inputs]) = T(numbers[inputs]);
        }
      }
    });
  }
};
TypedLoop loop_of(const UfuncRow& row, DataType dtype, ir::Span span) {
  bool narrow = is_narrow_type(dtype);
  Loop loop = row.loops[narrow ? index_of(Kind::kFloat32) : index_of(kind_of(dtype))];
  if (loop == nullptr) no_loop(row, span);
  return {loop, narrow ? dtype : DataType::Void(), row.inputs};
}

constexpr int64_t kBuffer = 8192;  // elements NumPy casts at a time

void check_foldable(const UfuncRow& row, ir::Span span) {
  if (row.inputs != 2) raise(refusals["wrong-ufunc"], span);
}
// The type of the accumulator: small integers are added and multiplied in 64 bits.
DataType fold_type(const UfuncRow& row, DataType from, DataType asked, ir::Span span) {
  if (!asked.is_void()) return asked;
  if (row.name == "add" || row.name == "multiply") {
    if (from.is_bool() || (from.is_int() && from.bits() < 64)) return DataType::Int(64);
    if (from.is_uint() && from.bits() < 64) return DataType::UInt(64);
  }
  if (row.result) return *row.result;
  return type_of(loop_kind(row, from, std::span<const DataType>(&from, 1), span));
}

}  // namespace

ffi::Tensor fold_tensor(const UfuncRow& row, const ffi::Tensor& tensor, const FoldOptions& options,
                        ir::Span span) {
  check_foldable(row, span);
  DataType dtype = fold_type(row, tensor.dtype(), options.dtype, span);
  bool casts = DataType(tensor.dtype()) != dtype;
  ffi::Tensor input = cast_to(tensor, dtype);
  size_t kind = index_of(kind_of(dtype));
  TypedLoop loop = loop_of(row, dtype, span);
  Loop fold = row.folds[kind];
  Shape shape = shape_of(input), kept_shape, shown_shape, start_shape;
  size_t gone = 0;
  int64_t reduced = 1;
  for (size_t d = 0; d < shape.size(); ++d) {
    if (options.axes[d]) ++gone, reduced *= shape[d];
    start_shape.push_back(options.axes[d] ? 1 : shape[d]);
    if (!options.axes[d]) kept_shape.push_back(shape[d]);
    if (!options.axes[d] || options.keepdims) shown_shape.push_back(start_shape.back());
  }
  Operand source = operand_of(input);
  std::vector<size_t> order = memory_order(shape.size(), std::span<const Operand>(&source, 1));
  ffi::Tensor out = make_in_order(start_shape, order, dtype);
  if (gone == 0 && !row.identity && !options.initial) {
    copy_into(out, input);
    return out;
  }
  if (options.initial) {
    copy_into(out, *options.initial);
  } else if (row.identity) {
    copy_into(out, filled({}, dtype, *row.identity));
  } else {
    if (reduced == 0 && product(kept_shape) != 0) {
      raise("ValueError", span, "empty-sequence",
            "zero-size array to reduction operation {} which has no identity", row.name);
    }
    if (product(shape) != 0) {
      // The first of each row starts; a fold that may not see it twice goes on behind it.
      copy_into(out, strided(input, start_shape, strides_of(input)));
      // Narrow floats have no folds of their own, but the order does not matter where float32 has one.
      bool twice = !loop.narrow.is_void() && row.folds[index_of(Kind::kFloat32)] != nullptr;
      if (fold == nullptr && !twice) {
        if (gone > 1) {
          raise(refusals["bad-axes"], span, row.name);
        }
        for (size_t d = 0; d < shape.size(); ++d) {
          if (!options.axes[d]) continue;
          --shape[d];
          input = strided(input, shape, strides_of(input), strides_of(input)[d]);
        }
      }
    }
  }
  Operand operands[] = {operand_of(out, shape), operand_of(input)};
  Walk walk(shape, operands);
  walk.run([&](char* const* p, int64_t n, const int64_t* s) {
    if (s[0] == 0 && fold != nullptr) {
      int64_t step = casts ? kBuffer : n;
      for (int64_t done = 0; done < n; done += step) {
        char* pointers[] = {p[0], p[1] + done * s[1]};
        fold(pointers, std::min(step, n - done), s);
      }
      return;
    }
    char* pointers[] = {p[0], p[1], p[0]};
    int64_t steps[] = {s[0], s[1], s[0]};
    loop(pointers, n, steps);
  });
  return options.keepdims || gone == 0 ? out : reshape_to(out, kept_shape, span);
}

ffi::Tensor accumulate_tensor(const UfuncRow& row, const ffi::Tensor& tensor, int64_t axis, DataType dtype,
                              ir::Span span) {
  check_foldable(row, span);
  dtype = fold_type(row, tensor.dtype(), dtype, span);
  TypedLoop loop = loop_of(row, dtype, span);
  ffi::Tensor out = row_major(tensor, dtype, true);
  if (out.numel() == 0) return out;
  Shape shape = shape_of(out), strides = strides_of(out);
  auto d = static_cast<size_t>(axis);
  int64_t count = shape[d], step = strides[d] * dtype.bytes();
  shape[d] = 1;
  Operand first = operand_of(strided(out, shape, strides));
  Walk walk(shape, std::span<const Operand>(&first, 1));
  if (count == 1) return out;
  walk.run([&](char* const* p, int64_t n, const int64_t* s) {
    if (n >= count) {
      for (int64_t i = 1; i < count; ++i) {
        char* pointers[] = {p[0] + (i - 1) * step, p[0] + i * step, p[0] + i * step};
        int64_t steps[] = {s[0], s[0], s[0]};
        loop(pointers, n, steps);
      }
      return;
    }
    for (int64_t i = 0; i < n; ++i) {
      char* at = p[0] + i * s[0];
      for (int64_t k = 1; k < count; ++k, at += step) {
        char* pointers[] = {at, at + step, at + step};
        int64_t steps[] = {step, step, step};
        loop(pointers, 1, steps);
      }
    }
  });
  return out;
}

// ---- the registry's view ----

namespace {

using ir::ApiKind;
using ir::ApiRow;
using ir::native;
using Ufunc = ir::Ref<NumpyUfuncNode>;

const std::pair<std::string_view, std::string_view> other_names[] = {
    {"abs", "absolute"},       {"true_divide", "divide"}, {"mod", "remainder"}, {"pow", "power"},
    {"bitwise_not", "invert"}, {"asin", "arcsin"},        {"acos", "arccos"},   {"atan", "arctan"},
    {"asinh", "arcsinh"},      {"acosh", "arccosh"},      {"atanh", "arctanh"}, {"atan2", "arctan2"}};

Any ufunc_value(ApiCall& call) {
  std::string_view name = call.api.name;
  for (auto [other, own] : other_names) {
    if (name == other) name = own;
  }
  return Any(ir::make<NumpyUfuncNode>(&find_ufunc(name)));
}

UfuncOptions options_of(Evaluator& evaluator, const UfuncRow& row, ffi::Map<String, Any> keywords,
                        ir::Span span) {
  UfuncOptions options;
  for (const auto& [key, value] : keywords) {
    std::string_view name(key.data(), key.size());
    if (name == "out") {
      options.out = value.type_index() == kTVMFFIArray ? elements(value)[0] : value;
    } else if (name == "where") {
      refuse_where(value, span);
    } else if (name == "dtype") {
      if (!is_none(value)) options.dtype = dtype_argument(evaluator, value, span);
    } else if (name == "casting") {
      options.casting = casting_argument(value, span);
    } else if (name != "order" && name != "subok") {
      raise("TypeError", span, "unknown-keyword", "{}() got an unexpected keyword argument '{}'", row.name,
            name);
    }
  }
  return options;
}

Any call_row(ApiCall& call, const Ufunc& self, const Tuple& args, const ffi::Map<String, Any>& keywords) {
  Evaluator& evaluator = evaluator_of(call.host);
  const UfuncRow& row = *self->row;
  UfuncOptions options = options_of(evaluator, row, keywords, call.span);
  auto least = static_cast<size_t>(row.inputs), most = least + 1;
  if (args.size() < least || args.size() > most) {
    raise("TypeError", call.span, "wrong-arguments",
          "{}() takes from {} to {} positional arguments but {} {} given", row.name, least, most, args.size(),
          args.size() == 1 ? "was" : "were");
  }
  if (args.size() == most) options.out = args[least];
  std::vector<Any> inputs(args.begin(), args.begin() + static_cast<ptrdiff_t>(least));
  return call_ufunc(evaluator, row, inputs, call.span, options);
}

Any reduce_row(ApiCall& call, const Ufunc& self, const Any& array, const Any& axis, const Any& dtype,
               const Any& out, bool keepdims, const Any& initial, const Any& where) {
  Evaluator& evaluator = evaluator_of(call.host);
  ffi::Tensor tensor = to_tensor(evaluator, array, call.span_of(1));
  FoldOptions options{.axes = axes_argument(evaluator, tensor.ndim() == 0 ? Any(nullptr) : axis,
                                            tensor.ndim(), call.span_of(2)),
                      .keepdims = keepdims};
  if (!is_none(dtype)) options.dtype = dtype_argument(evaluator, dtype, call.span_of(3));
  if (!is_none(initial)) options.initial = to_tensor(evaluator, initial, call.span);
  refuse_where(where, call.span);
  ffi::Tensor result = fold_tensor(*self->row, tensor, options, call.span);
  return into_out(result, out, call.span);
}

constexpr std::string_view kUfunc = "mlc.np.ufunc";

const ApiRow method_rows[] = {
    {ApiKind::kMethod, kUfunc, "__call__(*args, **kwargs)", "Applies the function to each element.",
     native([](ApiCall& call, Ufunc self, Tuple args, ffi::Map<String, Any> keywords) {
       return call_row(call, self, args, keywords);
     })},
    {ApiKind::kMethod, kUfunc,
     "reduce(array, axis=0, dtype=None, out=None, keepdims=False, initial=None, where=True)",
     "Folds dimensions away.", native(calls<reduce_row>)},
    {ApiKind::kMethod, kUfunc, "at(a, indices, b=None)", "Applies the function in place, once per index.",
     native([](ApiCall& call, Ufunc self, Any a, Any indices, Any b) {
       Evaluator& evaluator = evaluator_of(call.host);
       const UfuncRow& row = *self->row;
       if (as<ir::NDArrayNode>(a) == nullptr)
         raise("TypeError", call.span_of(1), "wrong-type", "first operand must be array");
       check_writeable(a, "array", call.span);
       // The places, then one after the other.
       const ffi::Tensor& target = as<ir::NDArrayNode>(a)->tensor;
       ffi::Tensor numbers = make_array(shape_of(target), DataType::Int(64));
       for (int64_t i = 0; i < numbers.numel(); ++i) data_of<int64_t>(numbers)[i] = i;
       Any chosen = array_subscript(evaluator, array_value(numbers), indices, call.span_of(2));
       ffi::Tensor places = row_major(to_tensor(evaluator, chosen, call.span), DataType::Int(64));
       ffi::Tensor flat = reshape_to(row_major(target, target.dtype()), {-1}, call.span);
       std::optional<ffi::Tensor> values;
       if (row.inputs == 2)
         values = row_major(
             broadcast_to(to_tensor(evaluator, b, call.span_of(3), target.dtype()), shape_of(places)),
             target.dtype());
       TypedLoop loop = loop_of(row, target.dtype(), call.span);
       int64_t bytes = DataType(target.dtype()).bytes();
       int64_t steps[] = {0, 0, 0};
       for (int64_t i = 0; i < places.numel(); ++i) {
         char* at = data_of<char>(flat) + data_of<int64_t>(places)[i] * bytes;
         char* pointers[] = {at, row.inputs == 2 ? data_of<char>(*values) + i * bytes : at, at};
         loop(pointers, 1, steps);
       }
       copy_into(target, reshape_to(flat, shape_of(target), call.span));
     })},
    {ApiKind::kProperty, kUfunc, "__name__", "The name.",
     native([](Ufunc self) { return str_value(self->row->name); })},
    {ApiKind::kClass, "numpy", "ufunc()", "The type of universal functions.", native([](ApiCall& call) {
       raise("TypeError", call.span, "not-constructible", "cannot create 'numpy.ufunc' instances");
     }),
     kUfunc, "numpy.ufunc"},
};

}  // namespace

void refuse_where(const Any& where, ir::Span span) {
  if (is_bool(where) && raw_int(where) != 0) return;
  raise("NotImplementedError", span, "left-out",
        "`where` is left out: use np.where(mask, a, value), or a[mask]");
}

Any into_out(const ffi::Tensor& result, const Any& out, ir::Span span) {
  if (is_none(out)) return scalar_or_array(result);
  const Any& target = out.type_index() == kTVMFFIArray ? elements(out)[0] : out;
  auto* array = as<ir::NDArrayNode>(target);
  if (array == nullptr) raise("TypeError", span, "wrong-type", "output must be an array");
  if (shape_of(array->tensor) != shape_of(result)) {
    raise("ValueError", span, "shape-mismatch", "output array has the wrong shape: {} instead of {}",
          shape_text(shape_of(array->tensor)), shape_text(shape_of(result)));
  }
  check_writeable(target, "output array", span);
  copy_into(array->tensor, result);
  return target;
}

const UfuncRow& find_ufunc(std::string_view name) {
  for (auto rows : {arithmetic_ufuncs(), math_ufuncs()}) {
    for (const UfuncRow& row : rows) {
      if (row.name == name) return row;
    }
  }
  MLC_CHECK(false, "there is no ufunc {}", name);
}

std::optional<std::string> ufunc_text(const Any& value) {
  auto* ufunc = as<NumpyUfuncNode>(value);
  if (ufunc == nullptr) return std::nullopt;
  return fmt::format("<ufunc '{}'>", ufunc->row->name);
}

std::span<const ir::ApiRow> np_ufunc_rows() {
  static const std::vector<ApiRow> rows = [] {
    std::vector<ApiRow> all(std::begin(method_rows), std::end(method_rows));
    for (auto table : {arithmetic_ufuncs(), math_ufuncs()}) {
      for (const UfuncRow& row : table)
        all.push_back({ApiKind::kValue, "numpy", row.name, row.doc, ufunc_value});
    }
    for (auto [other, own] : other_names)
      all.push_back({ApiKind::kValue, "numpy", other, find_ufunc(own).doc, ufunc_value});
    return all;
  }();
  return rows;
}

}  // namespace mlc::script
