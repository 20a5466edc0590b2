// SPDX-License-Identifier: Apache-2.0
// NumPy's array printing, after numpy/core/arrayprint.py's documented behaviour: one format for all elements
// of an array, chosen from the ones that are shown.
#include "ir/core/array_text.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <vector>

#include "ir/core/array_options.h"
#include "ir/core/error.h"
#include "ir/core/refusal.h"
#include "ir/core/small_float.h"

namespace mlc::ir {

static constexpr ir::Refusals refusals{
    "ValueError",
    {
        {.name = "not-on-host",
         .message = "this tensor is not in the memory of the host; copy it there to see its values"},
    }};
MLC_REFUSALS(core_array_text, refusals);

ArrayOptions& array_options() {
  static thread_local ArrayOptions options;
  return options;
}

namespace {

// Digits and decimal exponent of the shortest text that reads back: value = 0.d1d2d3... * 10^point.
struct Decimal {
  std::string digits;
  int point = 0;
};

Decimal parse_scientific(std::string_view text) {
  Decimal decimal;
  size_t e = text.find('e');
  for (char c : text.substr(0, e)) {
    if (c >= '0' && c <= '9') decimal.digits += c;
  }
  int exponent = 0;
  std::string_view rest = text.substr(e + 1);
  if (rest[0] == '+') rest.remove_prefix(1);
  std::from_chars(rest.data(), rest.data() + rest.size(), exponent);
  decimal.point = exponent + 1;
  return decimal;
}

Decimal shortest(double magnitude, int bits) {
  char buffer[64];
  if (magnitude == 0) return {"0", 1};
  if (bits == 16) {
    // float16 has no to_chars: the fewest digits that come back to the same half.
    uint32_t wanted = encode(half_format, magnitude);
    for (int digits = 0; digits < 8; ++digits) {
      // In the middle of two texts the upper one may read back where the even one does not.
      for (double near : {magnitude, magnitude * (1 + 1e-12)}) {
        auto [end, status] =
            std::to_chars(buffer, buffer + sizeof buffer, near, std::chars_format::scientific, digits);
        double back = 0;
        std::from_chars(buffer, end, back);
        if (encode(half_format, static_cast<float>(back)) != wanted) continue;
        Decimal decimal = parse_scientific({buffer, static_cast<size_t>(end - buffer)});
        while (decimal.digits.size() > 1 && decimal.digits.back() == '0') decimal.digits.pop_back();
        return decimal;
      }
    }
  }
  auto result = bits == 32
                    ? std::to_chars(buffer, buffer + sizeof buffer, static_cast<float>(magnitude),
                                    std::chars_format::scientific)
                    : std::to_chars(buffer, buffer + sizeof buffer, magnitude, std::chars_format::scientific);
  return parse_scientific({buffer, static_cast<size_t>(result.ptr - buffer)});
}

// The decimal rounded to so many digits behind the point. NumPy rounds the exact value (half cases do not
// arise from the shortest digits), so the text of the value itself is rounded.
Decimal rounded(double magnitude, int bits, int behind) {
  Decimal decimal = shortest(magnitude, bits);
  int available = static_cast<int>(decimal.digits.size()) - decimal.point;
  if (available <= behind) return decimal;
  char buffer[512];
  double exact = bits == 32 ? static_cast<double>(static_cast<float>(magnitude)) : magnitude;
  auto [end, status] = std::to_chars(buffer, buffer + sizeof buffer, exact, std::chars_format::fixed, behind);
  std::string_view text(buffer, static_cast<size_t>(end - buffer));
  size_t dot = text.find('.');
  Decimal result;
  std::string_view whole = text.substr(0, dot);
  result.digits = std::string(whole);
  result.point = static_cast<int>(whole.size());
  if (dot != std::string_view::npos) result.digits += text.substr(dot + 1);
  while (result.digits.size() > 1 && result.digits.back() == '0' &&
         static_cast<int>(result.digits.size()) > result.point) {
    result.digits.pop_back();
  }
  return result;
}

std::pair<std::string, std::string> positional(const Decimal& decimal) {
  std::string whole, fraction;
  for (int i = 0; i < std::max(decimal.point, static_cast<int>(decimal.digits.size())); ++i) {
    char c = i < static_cast<int>(decimal.digits.size()) ? decimal.digits[static_cast<size_t>(i)] : '0';
    if (i < decimal.point)
      whole += c;
    else
      fraction += c;
  }
  if (decimal.point < 0) fraction.insert(0, static_cast<size_t>(-decimal.point), '0');
  if (whole.empty()) whole = "0";
  while (!fraction.empty() && fraction.back() == '0') fraction.pop_back();
  return {whole, fraction};
}

std::string pad_left(std::string text, size_t width) {
  if (text.size() < width) text.insert(0, width - text.size(), ' ');
  return text;
}

// One array being printed.
class Printer {
 public:
  Printer(const tvm::ffi::Tensor& tensor)
      : tensor_(*tensor.GetDLTensorPtr()),
        dtype_(tensor_.dtype),
        added_(dtype_.is_bfloat16() ? &bfloat_format : narrow_format(dtype_)) {
    strides_.resize(static_cast<size_t>(tensor_.ndim));
    int64_t step = 1;
    for (int i = tensor_.ndim; i-- > 0;) {
      strides_[static_cast<size_t>(i)] = tensor_.strides != nullptr ? tensor_.strides[i] : step;
      step *= tensor_.shape[i];
      size_ *= tensor_.shape[i];
    }
    summary_ = size_ > options_.threshold;
  }

  int64_t size() const { return size_; }
  DataType dtype() const { return dtype_; }
  bool summarised() const { return summary_; }

  std::string body(std::string_view separator, size_t indent, size_t suffix) {
    collect(0, 0);
    choose_format();
    if (tensor_.ndim == 0) return element(0);
    if (size_ == 0) return "[]";
    return nested(0, 0, std::string(indent + 1, ' '), std::string(separator), options_.width - suffix);
  }
  double real(int64_t offset) const {
    const char* at = address(offset);
    if (dtype_.bits() == 64) return read<double>(at);
    if (dtype_.bits() == 32) return read<float>(at);
    if (added_ != nullptr)
      return decode(*added_, added_->bits == 16 ? read<uint16_t>(at) : read<uint8_t>(at));
    return decode(half_format, read<uint16_t>(at));
  }

 private:
  std::string integer(int64_t offset) const {
    const char* at = address(offset);
    bool is_signed = dtype_.is_int();
    switch (dtype_.bits()) {
      case 8:
        return is_signed ? std::to_string(read<int8_t>(at)) : std::to_string(read<uint8_t>(at));
      case 16:
        return is_signed ? std::to_string(read<int16_t>(at)) : std::to_string(read<uint16_t>(at));
      case 32:
        return is_signed ? std::to_string(read<int32_t>(at)) : std::to_string(read<uint32_t>(at));
      default:
        return is_signed ? std::to_string(read<int64_t>(at)) : std::to_string(read<uint64_t>(at));
    }
  }
  template <class T>
  static T read(const char* at) {
    T value;
    std::memcpy(&value, at, sizeof value);
    return value;
  }
  const char* address(int64_t offset) const {
    return static_cast<const char*>(tensor_.data) + tensor_.byte_offset + offset * dtype_.bytes();
  }

  template <class F>
  void each_shown(int dim, F&& visit) const {
    int64_t n = tensor_.shape[dim];
    if (summary_ && n > 2 * options_.edge) {
      for (int64_t i = 0; i < options_.edge; ++i) visit(i);
      for (int64_t i = n - options_.edge; i < n; ++i) visit(i);
    } else {
      for (int64_t i = 0; i < n; ++i) visit(i);
    }
  }
  void collect(int dim, int64_t offset) {
    if (dim == tensor_.ndim) {
      shown_.push_back(offset);
      return;
    }
    each_shown(dim, [&](int64_t i) { collect(dim + 1, offset + i * strides_[static_cast<size_t>(dim)]); });
  }

  void choose_format() {
    if (added_ != nullptr) return;  // each element by itself
    if (dtype_.is_floating()) {
      choose_float_format();
      return;
    }
    if (dtype_.is_bool()) {
      width_ = tensor_.ndim == 0 ? 0 : 5;
      return;
    }
    for (int64_t offset : shown_) width_ = std::max(width_, element_text(offset).size());
  }
  // NumPy's rule: exponents when the largest value reaches 1e8 (1e6 for float32), the smallest is under 1e-4,
  // or they are more than a thousand apart.
  void choose_float_format() {
    double largest = 0, smallest = HUGE_VAL;
    bool finite = false, special = false;
    for (int64_t offset : shown_) {
      double value = real(offset);
      if (!std::isfinite(value)) {
        special = true;
        continue;
      }
      finite = true;
      double magnitude = std::abs(value);
      if (magnitude == 0) continue;
      largest = std::max(largest, magnitude);
      smallest = std::min(smallest, magnitude);
    }
    if (largest > 0) {
      // NumPy compares in the array's own type.
      if (dtype_.bits() == 64) {
        exponent_ =
            largest >= 1e8 || (!options_.suppress && (smallest < 1e-4 || largest / smallest > 1000.0));
      } else if (dtype_.bits() == 32) {
        auto high = static_cast<float>(largest), low = static_cast<float>(smallest);
        exponent_ = high >= 1e6F || (!options_.suppress && (low < 1e-4F || high / low > 1000.0F));
      } else {
        exponent_ = largest >= 1e3 ||
                    (!options_.suppress &&
                     (smallest < 1.0001659393310547e-4 ||
                      decode(half_format, encode(half_format, static_cast<float>(largest / smallest))) > 1000.0));
      }
    }
    size_t left = 0, right = 0;
    if (exponent_) {
      for (int64_t offset : shown_) {
        double value = real(offset);
        if (!std::isfinite(value)) continue;
        Decimal decimal = scientific_digits(value, options_.precision);
        right = std::max(right, decimal.digits.size() - 1);
        left = std::max<size_t>(left, sign_of(value).size() + 1);
        int e = decimal.point - 1;
        exponent_width_ = std::max<size_t>(exponent_width_, std::to_string(std::abs(e)).size());
      }
      exponent_width_ = std::max<size_t>(exponent_width_, 2);
      fraction_ = right;
      width_ = left + 1 + right + 2 + exponent_width_;
      left_ = left;
    } else if (finite) {
      for (int64_t offset : shown_) {
        double value = real(offset);
        if (!std::isfinite(value)) continue;
        auto [whole, fraction] = positional(rounded(std::abs(value), dtype_.bits(), options_.precision));
        left = std::max(left, whole.size() + sign_of(value).size());
        right = std::max(right, fraction.size());
      }
      fraction_ = right;
      left_ = left;
      width_ = left + 1 + right;
    }
    if (special) {
      size_t needed = 0;
      for (int64_t offset : shown_) {
        double value = real(offset);
        if (std::isnan(value))
          needed = std::max<size_t>(needed, 3);
        else if (std::isinf(value))
          needed = std::max(needed, 3 + sign_of(value).size());
      }
      if (!finite) {
        left_ = 0;
        width_ = needed;
      } else {
        // The integer part grows until the words fit.
        if (width_ < needed) left_ += needed - width_;
        width_ = std::max(width_, needed);
      }
    }
  }
  Decimal scientific_digits(double value, int precision) const {
    double magnitude = std::abs(value);
    Decimal decimal = shortest(magnitude, dtype_.bits());
    if (static_cast<int>(decimal.digits.size()) > precision + 1) {
      char buffer[64];
      double exact = dtype_.bits() == 32 ? static_cast<double>(static_cast<float>(magnitude)) : magnitude;
      auto [end, status] =
          std::to_chars(buffer, buffer + sizeof buffer, exact, std::chars_format::scientific, precision);
      decimal = parse_scientific({buffer, static_cast<size_t>(end - buffer)});
      while (decimal.digits.size() > 1 && decimal.digits.back() == '0') decimal.digits.pop_back();
    }
    return decimal;
  }

  Decimal exact_digits(double value, size_t behind) const {
    char buffer[512];
    auto [end, status] = std::to_chars(buffer, buffer + sizeof buffer, std::abs(value),
                                       std::chars_format::scientific, static_cast<int>(behind));
    return parse_scientific({buffer, static_cast<size_t>(end - buffer)});
  }

  std::string element_text(int64_t offset) const {
    if (dtype_.is_bool()) return read<uint8_t>(address(offset)) != 0 ? "True" : "False";
    return integer(offset);
  }
  std::string element(int64_t offset) const {
    if (added_ != nullptr) return std::isnan(real(offset)) ? "nan" : fmt::format("{:g}", real(offset));
    if (!dtype_.is_floating()) return pad_left(element_text(offset), width_);
    double value = real(offset);
    if (std::isnan(value)) return pad_left("nan", width_);
    std::string sign = sign_of(value);
    if (std::isinf(value)) return pad_left(sign + "inf", width_);
    if (exponent_) {
      Decimal decimal = scientific_digits(value, options_.precision);
      // The shortest digits of the longest number set the width; shorter ones are filled with their exact
      // digits.
      if (value != 0 && decimal.digits.size() - 1 < fraction_) decimal = exact_digits(value, fraction_);
      int e = value == 0 ? 0 : decimal.point - 1;
      std::string fraction = decimal.digits.substr(1);
      fraction.resize(fraction_, '0');
      std::string digits = std::to_string(std::abs(e));
      if (digits.size() < exponent_width_) digits.insert(0, exponent_width_ - digits.size(), '0');
      return pad_left(
          sign + decimal.digits.substr(0, 1) + "." + fraction + "e" + (e < 0 ? "-" : "+") + digits, width_);
    }
    auto [whole, fraction] = positional(rounded(std::abs(value), dtype_.bits(), options_.precision));
    fraction.resize(fraction_, ' ');
    return pad_left(sign + whole, left_) + "." + fraction;
  }

  // The rows of one dimension; each level of brackets leaves one column less.
  std::string nested(int dim, int64_t offset, const std::string& hanging, const std::string& separator,
                     size_t room) {
    int64_t n = tensor_.shape[dim];
    int64_t stride = strides_[static_cast<size_t>(dim)];
    bool cut = summary_ && n > 2 * options_.edge;
    int64_t leading = cut ? options_.edge : 0;
    int64_t trailing = cut ? options_.edge : n;
    std::string next_hanging = hanging + " ";
    size_t next_width = room - 1;
    std::string text;
    if (dim + 1 == tensor_.ndim) {
      std::string line = hanging;
      const size_t element_room = room - std::max(trim_right(separator).size(), size_t{1});
      auto add = [&](const std::string& word) {
        if (line.size() + word.size() > element_room && line.size() > hanging.size()) {
          text += trim_right(line) + "\n";
          line = hanging;
        }
        line += word;
      };
      for (int64_t i = 0; i < leading; ++i) {
        add(element(offset + i * stride));
        line += separator;
      }
      if (cut) {
        add("...");
        line += separator;
      }
      for (int64_t i = n - trailing; i < n - 1; ++i) {
        add(element(offset + i * stride));
        line += separator;
      }
      if (n > 0) add(element(offset + (n - 1) * stride));
      text += line;
    } else {
      std::string between = trim_right(separator);
      size_t lines = static_cast<size_t>(tensor_.ndim - dim - 1);
      between += std::string(lines, '\n');
      auto add = [&](int64_t i, bool last) {
        std::string inner = nested(dim + 1, offset + i * stride, next_hanging, separator, next_width);
        text += hanging + inner;
        if (!last) text += between;
      };
      for (int64_t i = 0; i < leading; ++i) add(i, false);
      if (cut) text += hanging + "..." + between;
      for (int64_t i = n - trailing; i < n; ++i) add(i, i + 1 == n);
    }
    return "[" + text.substr(std::min(hanging.size(), text.size())) + "]";
  }
  static std::string trim_right(std::string text) {
    while (!text.empty() && text.back() == ' ') text.pop_back();
    return text;
  }

  static std::string sign_of(double value) { return std::signbit(value) ? "-" : ""; }

  const ArrayOptions& options_ = array_options();
  DLTensor tensor_;
  DataType dtype_;
  const SmallFloat* added_;  // of a type that NumPy itself does not have
  std::vector<int64_t> strides_;
  int64_t size_ = 1;
  bool summary_ = false;
  std::vector<int64_t> shown_;
  bool exponent_ = false;
  size_t width_ = 0, left_ = 0, fraction_ = 0, exponent_width_ = 0;
};

std::string shape_text(const tvm::ffi::Tensor& tensor) {
  std::string text = "(";
  for (int i = 0; i < tensor.ndim(); ++i) text += (i > 0 ? ", " : "") + std::to_string(tensor.size(i));
  return text + (tensor.ndim() == 1 ? ",)" : ")");
}

}  // namespace

std::string shortest_float(double value, int bits) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  std::string sign = std::signbit(value) ? "-" : "";
  double magnitude = std::abs(value);
  Decimal decimal = shortest(magnitude, bits);
  int exponent = decimal.point - 1;
  int largest = bits == 64 ? 16 : bits == 32 ? 6 : 3;
  if (magnitude != 0 && (exponent < -4 || exponent >= largest)) {
    std::string text = decimal.digits.substr(0, 1);
    if (decimal.digits.size() > 1) text += "." + decimal.digits.substr(1);
    std::string digits = std::to_string(std::abs(exponent));
    if (digits.size() < 2) digits.insert(0, "0");
    return sign + text + "e" + (exponent < 0 ? "-" : "+") + digits;
  }
  auto [whole, fraction] = positional(decimal);
  return sign + whole + "." + (fraction.empty() ? "0" : fraction);
}

std::string array_body(const tvm::ffi::Tensor& tensor, std::string_view separator, size_t prefix,
                       size_t suffix) {
  return Printer(tensor).body(separator, prefix, suffix);
}

std::string array_text(const tvm::ffi::Tensor& tensor, ArrayStyle style) {
  if (tensor.device().device_type != kDLCPU) {
    throw ir::refuse(refusals["not-on-host"]);
  }
  Printer printer(tensor);
  if (style == ArrayStyle::kStr) {
    if (tensor.ndim() == 0 && printer.dtype().is_float())
      return shortest_float(printer.real(0), printer.dtype().bits());
    return printer.body(" ", 0, 0);
  }
  std::string head;
  if (style == ArrayStyle::kTensorRepr) {
    head = "<tvm.runtime.Tensor shape=" + shape_text(tensor) + ", cpu:";
    head += std::to_string(tensor.device().device_id) + ">\n";
  }
  DataType dtype = printer.dtype();
  std::string text = "array(" + printer.body(", ", 6, 1);
  std::string extras;
  bool empty = printer.size() == 0;
  if ((empty && tensor.ndim() != 1) || printer.summarised()) extras = "shape=" + shape_text(tensor);
  bool implied = dtype.is_bool() || (dtype.bits() == 64 && (dtype.is_int() || dtype.is_float()));
  if (!implied || empty) {
    std::string name = dtype.str();
    if (name.find('_') != std::string::npos) name = "'" + name + "'";
    extras += (extras.empty() ? "dtype=" : ", dtype=") + name;
  }
  if (extras.empty()) return head + text + ")";
  text += ",";
  extras += ")";
  size_t last_line = text.size() - (text.rfind('\n') + 1);  // also right when there is one line only
  return head + text + (last_line + extras.size() + 1 > array_options().width ? "\n      " : " ") + extras;
}

}  // namespace mlc::ir
