// SPDX-License-Identifier: Apache-2.0
#include "backend/c/prelude.h"

namespace mlc::c_backend {
namespace {

constexpr PreludeRow prelude_table[] = {
    // ---- integers: they wrap, and division is that of Python or, truncated, that of C on what has a result
    {"mlc_add_$", "static inline $T mlc_add_$W($T a, $T b) { return ($T)(($U)a + ($U)b); }\n"},
    {"mlc_sub_$", "static inline $T mlc_sub_$W($T a, $T b) { return ($T)(($U)a - ($U)b); }\n"},
    {"mlc_mul_$", "static inline $T mlc_mul_$W($T a, $T b) { return ($T)(($U)a * ($U)b); }\n"},
    {"mlc_abs_$", "static inline $T mlc_abs_$W($T a) { return a < 0 ? ($T)(0u - ($U)a) : a; }\n"},
    {"mlc_div_$",
     "static inline $T mlc_div_$W($T a, $T b) { return b == -1 ? ($T)(0u - ($U)a) : ($T)(a / b); }\n"},
    {"mlc_mod_$", "static inline $T mlc_mod_$W($T a, $T b) { return b == -1 ? 0 : ($T)(a % b); }\n"},
    {"mlc_floordiv_$",
     "static inline $T mlc_floordiv_$W($T a, $T b) {\n"
     "  if (b == -1) return ($T)(0u - ($U)a);\n"
     "  return ($T)(a / b - (a % b != 0 && (a < 0) != (b < 0)));\n"
     "}\n"},
    {"mlc_floormod_$",
     "static inline $T mlc_floormod_$W($T a, $T b) {\n"
     "  if (b == -1) return 0;\n"
     "  const $T rest = ($T)(a % b);\n"
     "  return rest != 0 && (rest < 0) != (b < 0) ? ($T)(rest + b) : rest;\n"
     "}\n",
     {},
     "static inline $T mlc_floormod_$W($T a, $T b) { return a - floor$F(a / b) * b; }\n"},
    {"mlc_clz",
     "static inline int mlc_clz(uint64_t value, int bits) {\n"
     "  return value == 0 ? bits : __builtin_clzll(value) - (64 - bits);\n"
     "}\n"},
    {"mlc_multiply_shifts",
     "/* x * 2**left * y / 2**right, rounded */\n"
     "static inline int64_t mlc_multiply_shifts(int64_t x, int64_t y, int64_t left, int64_t right) {\n"
     "  const uint64_t product = ((uint64_t)x << left) * (uint64_t)y;\n"
     "  return (int64_t)(product + (UINT64_C(1) << (right - 1))) >> right;\n"
     "}\n"},
    {"mlc_multiply_shift",
     "/* x * y * 2**(s - q), rounded */\n"
     "static inline int64_t mlc_multiply_shift(int64_t x, int64_t y, int64_t q, int64_t s) {\n"
     "  return mlc_multiply_shifts(x, y, s > 0 ? s : 0, q + (s < 0 ? -s : 0));\n"
     "}\n",
     "mlc_multiply_shifts"},

    // ---- extremes: the second operand where one is NaN, as TVM has it
    {"mlc_min_$", "static inline $T mlc_min_$W($T a, $T b) { return a < b ? a : b; }\n"},
    // A sum of a reduction; elsewhere a product is rounded before it is added.
    {"mlc_fmadd32_$",
     "static inline $T mlc_fmadd32_$W($T a, $T b, $T c) {\n"
     "#ifdef __FP_FAST_FMAF\n"
     "  return __builtin_fmaf(a, b, c);\n"
     "#else\n"
     "  return a * b + c;\n"
     "#endif\n"
     "}\n"},
    {"mlc_fmadd64_$",
     "static inline $T mlc_fmadd64_$W($T a, $T b, $T c) {\n"
     "#ifdef __FP_FAST_FMA\n"
     "  return __builtin_fma(a, b, c);\n"
     "#else\n"
     "  return a * b + c;\n"
     "#endif\n"
     "}\n"},
    {"mlc_max_$", "static inline $T mlc_max_$W($T a, $T b) { return a > b ? a : b; }\n"},

    // ---- floats
    {"mlc_sigmoid_$",
     "static inline $T mlc_sigmoid_$W($T x) {\n"
     "  const $T power = exp$F(-fabs$F(x)); /* e^-x would be infinite where the result is not 0 yet */\n"
     "  return (x < 0 ? power : 1) / (1 + power);\n"
     "}\n"},
    {"mlc_bits_of_$",
     "static inline $U mlc_bits_of_$W($T value) {\n"
     "  $U bits;\n"
     "  memcpy(&bits, &value, sizeof bits);\n"
     "  return bits;\n"
     "}\n"},
    {"mlc_of_bits_$",
     "static inline $T mlc_of_bits_$W($U bits) {\n"
     "  $T value;\n"
     "  memcpy(&value, &bits, sizeof value);\n"
     "  return value;\n"
     "}\n"},
    {"mlc_atomic_add_$",
     "static inline $T mlc_atomic_add_$W(void* at, $T value) {\n"
     "  $T before;\n"
     "  $T after;\n"
     "  __atomic_load(($T*)at, &before, __ATOMIC_RELAXED);\n"
     "  do {\n"
     "    after = before + value;\n"
     "  } while (!__atomic_compare_exchange(($T*)at, &before, &after, false, __ATOMIC_RELAXED, "
     "__ATOMIC_RELAXED));\n"
     "  return before;\n"
     "}\n"},

    // ---- floats of 16 bits and less, as bit patterns: to the nearest, ties to even
    {"mlc_bfloat16_to_float",
     "static inline float mlc_bfloat16_to_float(uint16_t pattern) {\n"
     "  const uint32_t bits = (uint32_t)pattern << 16;\n"
     "  float value;\n"
     "  memcpy(&value, &bits, sizeof value);\n"
     "  return value;\n"
     "}\n"},
    {"mlc_float_to_bfloat16",
     "static inline uint16_t mlc_float_to_bfloat16(float value) {\n"
     "  uint32_t bits;\n"
     "  memcpy(&bits, &value, sizeof bits);\n"
     "  if (isnan(value)) return (uint16_t)((bits >> 16 & 0x8000) | 0x7fc0);\n"
     "  return (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);\n"
     "}\n"},
    {"mlc_float16_to_float",
     "static inline float mlc_float16_to_float(uint16_t pattern) {\n"
     "#ifdef __FLT16_MANT_DIG__\n"
     "  _Float16 half;\n"
     "  memcpy(&half, &pattern, sizeof half);\n"
     "  return (float)half;\n"
     "#else\n"
     "  return (float)mlc_decode(pattern, 5, 10, 15, 0);\n"
     "#endif\n"
     "}\n",
     "mlc_decode"},
    {"mlc_float_to_float16",
     "static inline uint16_t mlc_float_to_float16(float value) { return mlc_double_to_float16(value); }\n",
     "mlc_double_to_float16"},
    {"mlc_double_to_float16",
     "static inline uint16_t mlc_double_to_float16(double value) {\n"
     "#ifdef __FLT16_MANT_DIG__\n"
     "  const _Float16 half = (_Float16)value;\n"
     "  uint16_t pattern;\n"
     "  memcpy(&pattern, &half, sizeof pattern);\n"
     "  return pattern;\n"
     "#else\n"
     "  return (uint16_t)mlc_encode(value, 5, 10, 15, 0);\n"
     "#endif\n"
     "}\n",
     "mlc_encode"},
    {"mlc_largest",
     "/* A format is its exponent's and mantissa's bits, its bias and how it treats what is no number: 0 as "
     "IEEE 754,\n"
     " * 1 without infinity, 2 also without negative zero, whose pattern is NaN, 3 without NaN too, 4 an "
     "exponent\n"
     " * alone. This is the pattern of its greatest number. */\n"
     "static inline uint32_t mlc_largest(int exponent_bits, int mantissa_bits, int special) {\n"
     "  const uint32_t sign = 1u << (exponent_bits + mantissa_bits);\n"
     "  if (special == 0) return (((1u << exponent_bits) - 1) << mantissa_bits) - 1;\n"
     "  return special == 1 || special == 4 ? sign - 2 : sign - 1;\n"
     "}\n"},
    {"mlc_decode",
     "static inline double mlc_decode(uint32_t bits, int exponent_bits, int mantissa_bits, int bias, int "
     "special) {\n"
     "  const uint32_t sign = 1u << (exponent_bits + mantissa_bits);\n"
     "  const uint32_t largest = mlc_largest(exponent_bits, mantissa_bits, special);\n"
     "  if (special == 4) return bits > largest ? (double)NAN : ldexp(1.0, (int)bits - bias);\n"
     "  const bool negative = (bits & sign) != 0;\n"
     "  const uint32_t magnitude = bits & (sign - 1);\n"
     "  if (special == 2 && negative && magnitude == 0) return (double)NAN;\n"
     "  const int exponent = (int)(magnitude >> mantissa_bits);\n"
     "  const uint32_t mantissa = magnitude & ((1u << mantissa_bits) - 1);\n"
     "  double value;\n"
     "  if (magnitude > largest) {\n"
     "    value = special == 0 && mantissa == 0 ? (double)INFINITY : (double)NAN;\n"
     "  } else if (exponent == 0) {\n"
     "    value = ldexp(mantissa, 1 - bias - mantissa_bits);\n"
     "  } else {\n"
     "    value = ldexp(mantissa + (1u << mantissa_bits), exponent - bias - mantissa_bits);\n"
     "  }\n"
     "  return negative ? -value : value;\n"
     "}\n",
     "mlc_largest"},
    {"mlc_encode",
     "static inline uint32_t mlc_encode(double value, int exponent_bits, int mantissa_bits, int bias, int "
     "special) {\n"
     "  const uint32_t largest = mlc_largest(exponent_bits, mantissa_bits, special);\n"
     "  int exponent = 0;\n"
     "  if (special == 4) { /* the nearest power of two, the greater one from the middle on */\n"
     "    if (!(value > 0) || isinf(value)) return largest + 1;\n"
     "    const double part = frexp(value, &exponent);\n"
     "    const int field = exponent - 1 + (part >= 0.75) + bias;\n"
     "    return field < 0 ? 0 : (uint32_t)field > largest + 1 ? largest + 1 : (uint32_t)field;\n"
     "  }\n"
     "  const uint32_t sign_bit = 1u << (exponent_bits + mantissa_bits);\n"
     "  const uint32_t sign = signbit(value) ? sign_bit : 0;\n"
     "  if (isnan(value)) {\n"
     "    if (special == 0) return sign | (largest + 1) | (1u << (mantissa_bits - 1));\n"
     "    return special == 1 ? sign | (largest + 1) : special == 2 ? sign_bit : sign ^ sign_bit;\n"
     "  }\n"
     "  const double magnitude = fabs(value);\n"
     "  uint64_t bits = 0;\n"
     "  if (isinf(magnitude)) {\n"
     "    bits = UINT64_MAX;\n"
     "  } else if (magnitude != 0) {\n"
     "    frexp(magnitude, &exponent);\n"
     "    const int unit = (exponent - 1 > 1 - bias ? exponent - 1 : 1 - bias) - mantissa_bits;\n"
     "    const int field = unit + mantissa_bits + bias - 1;\n"
     "    bits = ((uint64_t)field << mantissa_bits) + (uint64_t)nearbyint(ldexp(magnitude, -unit));\n"
     "  }\n"
     "  if (bits > largest) return special == 2 ? sign_bit : sign | (special == 3 ? largest : largest + 1);\n"
     "  return special == 2 && bits == 0 ? 0 : (uint32_t)bits | sign;\n"
     "}\n",
     "mlc_largest"},

    // ---- memory and threads
    {"mlc_alias_$", "typedef $T mlc_alias_$W __attribute__((may_alias));\n"},
    {"mlc_allocate",
     "static inline void* mlc_allocate(size_t size, int64_t count) {\n"
     "  if (count < 0) count = 0;\n"
     "  if ((uint64_t)count > SIZE_MAX / 2 / size) return NULL;\n"
     "  return aligned_alloc(64, (size * (size_t)count + 64) / 64 * 64);\n"
     "}\n"},
    {"mlc_parallel",
     "/* With -fopenmp the iterations of parallel loops run on all cores, without it in order. */\n"
     "#ifdef _OPENMP\n"
     "#define MLC_PARALLEL_FOR _Pragma(\"omp parallel for\")\n"
     "#define MLC_ATOMIC_WRITE _Pragma(\"omp atomic write\")\n"
     "#else\n"
     "#define MLC_PARALLEL_FOR\n"
     "#define MLC_ATOMIC_WRITE\n"
     "#endif\n"},

    // ---- errors
    {"mlc_fail",
     "static _Thread_local char mlc_error_text[2048];\n"
     "static int mlc_fail(const char* kind, const char* format, ...) {\n"
     "  const int used = snprintf(mlc_error_text, sizeof mlc_error_text, \"%s: \", kind);\n"
     "  va_list values;\n"
     "  va_start(values, format);\n"
     "  vsnprintf(mlc_error_text + used, sizeof mlc_error_text - (size_t)used, format, values);\n"
     "  va_end(values);\n"
     "  return -1;\n"
     "}\n"},
    {"mlc_fail for tvm-ffi",
     "extern void TVMFFIErrorSetRaisedFromCStr(const char* kind, const char* message);\n"
     "static int mlc_fail(const char* kind, const char* format, ...) {\n"
     "  char message[2048];\n"
     "  va_list values;\n"
     "  va_start(values, format);\n"
     "  vsnprintf(message, sizeof message, format, values);\n"
     "  va_end(values);\n"
     "  TVMFFIErrorSetRaisedFromCStr(kind, message);\n"
     "  return -1;\n"
     "}\n"},

    // ---- tvm-ffi's calling convention
    {"mlc_entry",
     "typedef struct { /* TVMFFIAny */\n"
     "  int32_t type_index;\n"
     "  uint32_t zero_padding;\n"
     "  union {\n"
     "    int64_t as_int;\n"
     "    double as_float;\n"
     "    void* as_pointer;\n"
     "  };\n"
     "} MlcAny;\n"
     "enum { kNone, kInt, kBool, kFloat, kPointer, kTensorView = 7, kTensor = 70 };\n"
     "typedef struct { /* DLTensor */\n"
     "  void* data;\n"
     "  int32_t device_type;\n"
     "  int32_t device_id;\n"
     "  int32_t ndim;\n"
     "  uint8_t code;\n"
     "  uint8_t bits;\n"
     "  uint16_t lanes;\n"
     "  int64_t* shape;\n"
     "  int64_t* strides;\n"
     "  uint64_t byte_offset;\n"
     "} MlcTensor;\n"
     "static const char* mlc_type_name(int32_t type_index) {\n"
     "  static const char* const names[] = {\"None\", \"int\", \"bool\", \"float\", \"a pointer\", \"a "
     "dtype\", "
     "\"a device\",\n"
     "                                      \"a tensor\", \"str\", \"bytes\", \"an object\", \"str\", "
     "\"bytes\"};\n"
     "  return type_index >= 0 && type_index < 13 ? names[type_index] : \"an object\";\n"
     "}\n"},
    {"mlc_tensor_of",
     "static inline const MlcTensor* mlc_tensor_of(const MlcAny* given) {\n"
     "  const char* at = (const char*)given->as_pointer;\n"
     "  return (const MlcTensor*)(const void*)(given->type_index == kTensor ? at + 24 : at); /* behind the "
     "object */\n"
     "}\n",
     "mlc_entry"},
    {"mlc_dtype_code",
     "static const char* mlc_dtype_code(int code) {\n"
     "  static const char* const names[] = {\"int\", \"uint\", \"float\", \"handle\", \"bfloat\", "
     "\"complex\", "
     "\"bool\"};\n"
     "  return code < 7 ? names[code] : \"dtype\";\n"
     "}\n"},
    {"mlc_is_compact",
     "static inline bool mlc_is_compact(const MlcTensor* tensor) {\n"
     "  int64_t count = 1;\n"
     "  bool compact = true;\n"
     "  for (int32_t d = tensor->ndim; tensor->strides != NULL && d-- > 0;) {\n"
     "    if (tensor->shape[d] != 1 && tensor->strides[d] != count) compact = false;\n"
     "    count *= tensor->shape[d];\n"
     "  }\n"
     "  return compact || count == 0;\n"
     "}\n",
     "mlc_tensor_of"},
    {"mlc_count",
     "static inline int64_t mlc_count(const MlcTensor* tensor) {\n"
     "  int64_t count = 1;\n"
     "  for (int32_t d = 0; d < tensor->ndim; ++d) count *= tensor->shape[d];\n"
     "  return count;\n"
     "}\n",
     "mlc_tensor_of"},
};

}  // namespace

const PreludeRow* prelude_row(std::string_view name) {
  for (const PreludeRow& row : prelude_table) {
    if (row.name == name) return &row;
  }
  return nullptr;
}

}  // namespace mlc::c_backend
