// SPDX-License-Identifier: Apache-2.0
// Files in the format of TVM's streams: numbers in little-endian order, strings and lists behind their 64-bit
// length.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "ir/core/error.h"

namespace mlc::backend {

class ByteWriter {
 public:
  template <class T>
  void number(T value) {
    out_.append(reinterpret_cast<const char*>(&value), sizeof value);
  }
  void text(std::string_view value) {
    number<uint64_t>(value.size());
    out_ += value;
  }
  void numbers(const std::vector<int64_t>& values) {
    number<uint64_t>(values.size());
    for (int64_t value : values) number(value);
  }
  void bytes(const void* data, size_t size) { out_.append(static_cast<const char*>(data), size); }
  std::string take() { return std::move(out_); }

 private:
  std::string out_;
};

// Reads what a stream says it holds, and nothing past its end. `damaged` makes the error: of what was to be
// read, and the byte where.
class ByteReader {
 public:
  using Damaged = ir::Error (*)(std::string_view what, size_t at);
  ByteReader(std::string_view bytes, Damaged damaged) : bytes_(bytes), damaged_(damaged) {}

  template <class T>
  T number(std::string_view what) {
    T value;
    std::memcpy(&value, raw(sizeof value, what), sizeof value);
    return value;
  }
  // Of parts that have at least `least` bytes each.
  size_t count(size_t least, std::string_view what) {
    auto value = number<uint64_t>(what);
    if (value > left() / least) damaged(what);
    return static_cast<size_t>(value);
  }
  std::string text(std::string_view what) {
    size_t size = count(1, what);
    return {raw(size, what), size};
  }
  std::vector<int64_t> numbers(std::string_view what) {
    std::vector<int64_t> values(count(sizeof(int64_t), what));
    for (int64_t& value : values) value = number<int64_t>(what);
    return values;
  }
  const char* raw(size_t size, std::string_view what) {
    if (size > left()) damaged(what);
    const char* begin = bytes_.data() + at_;
    at_ += size;
    return begin;
  }
  size_t left() const { return bytes_.size() - at_; }
  [[noreturn]] void damaged(std::string_view what) const { throw damaged_(what, at_); }

 private:
  std::string_view bytes_;
  Damaged damaged_;
  size_t at_ = 0;
};

}  // namespace mlc::backend
