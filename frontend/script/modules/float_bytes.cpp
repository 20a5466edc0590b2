// SPDX-License-Identifier: Apache-2.0
// Floats as bytes, for the module struct.
#include <bit>
#include <cmath>
#include <cstring>

#include "frontend/script/numpy/array.h"

namespace mlc::script {
namespace {

using ir::ApiCall;
using ir::ApiKind;
using ir::native;

std::string bytes_argument(ApiCall& call, size_t i) {
  const Any& plain = builtin_value_of(call.args[i]);
  if (!is_bytes(plain)) {
    raise("TypeError", call.span_of(i), "wrong-type", "a bytes-like object is required, not '{}'",
          type_name_of(evaluator_of(call.host), call.args[i]));
  }
  return bytes_of(plain);
}

// The machines that mlc runs on have the lowest byte first.
template <class Word, class Value>
Any bytes_with(Value value) {
  auto word = std::bit_cast<Word>(value);
  return ffi::Bytes(std::string(reinterpret_cast<const char*>(&word), sizeof word));
}
template <class Value>
Value value_of(const std::string& bytes) {
  Value value;
  std::memcpy(&value, bytes.data(), sizeof value);
  return value;
}

// A float in 2, 4 or 8 bytes, the lowest first. What is too large for them becomes None.
Any float_bytes(double value, int64_t size) {
  if (size == 8) return bytes_with<uint64_t>(value);
  if (size == 4) {
    auto narrow = static_cast<float>(value);
    return std::isinf(narrow) && !std::isinf(value) ? Any(nullptr) : bytes_with<uint32_t>(narrow);
  }
  if (std::isfinite(value) && std::abs(value) >= 65520) return nullptr;
  return bytes_with<uint16_t>(Half(value).bits);
}
Any bytes_float(ApiCall& call) {
  std::string bytes = bytes_argument(call, 0);
  if (bytes.size() == 8) return value_of<double>(bytes);
  if (bytes.size() == 4) return static_cast<double>(value_of<float>(bytes));
  Half half;
  half.bits = value_of<uint16_t>(bytes);
  return static_cast<double>(static_cast<float>(half));
}

const ir::ApiRow rows[] = {
    {ApiKind::kFunction, "mlc", "float_bytes(value, size)", "A float as bytes, the lowest first: for struct.",
     native(calls<float_bytes>)},
    {ApiKind::kFunction, "mlc", "bytes_float(data)", "The float of such bytes: for struct.", bytes_float},
};

}  // namespace

std::span<const ir::ApiRow> float_bytes_rows() { return rows; }

}  // namespace mlc::script
