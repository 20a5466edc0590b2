// SPDX-License-Identifier: Apache-2.0
#include "frontend/model/weights/gguf.h"

#include <algorithm>
#include <cstring>
#include <set>

#include "ir/core/refusal.h"

namespace mlc::model {

static constexpr ir::Refusals refusals{
    "ValueError",
    {
        {.name = "gguf-magic",
         .meaning = "A GGUF file begins with the letters GGUF and a version; 2 and 3 are read, in "
                    "little-endian order."},
        {.name = "gguf-truncated",
         .message = "`{}`: the file ends at byte {}, inside {}: {} bytes from {} on are needed",
         .meaning = "A download that was cut short, or a length in the file that is not true."},
        {.name = "gguf-value",
         .meaning = "The named values of a GGUF file have types and lengths, and each name once."},
        {.name = "gguf-tensor",
         .meaning =
             "A tensor has a name of its own, up to four dimensions, a type that GGUF defines, rows of whole "
             "blocks, and its data inside the file, aligned and apart from those of the others."},
    }};
MLC_REFUSALS(weights_gguf, refusals);

namespace {

constexpr uint32_t kMostDimensions = 4;
constexpr int kMostNesting = 4;  // arrays of arrays

class Reader {
 public:
  explicit Reader(const Source& source) : source_(source) {}

  Gguf file() {
    Gguf all;
    head(all);
    auto tensors = number<uint64_t>("the number of tensors");
    auto fields = number<uint64_t>("the number of values");
    std::set<std::string> names;
    // No room is made ahead: each takes bytes of the file, which ends a wrong number early.
    for (uint64_t i = 0; i < fields; ++i) {
      GgufField one = field();
      if (!names.insert(one.name).second) throw wrong_value("the value `{}` is there twice", one.name);
      if (one.name == "general.alignment") all.alignment = alignment(one);
      all.fields.push_back(std::move(one));
    }
    names.clear();
    for (uint64_t i = 0; i < tensors; ++i) {
      GgufTensor one = tensor();
      if (!names.insert(one.name).second) throw wrong_tensor(one.name, "is there twice");
      all.tensors.push_back(std::move(one));
    }
    all.data = (at_ + all.alignment - 1) / all.alignment * all.alignment;
    for (GgufTensor& one : all.tensors) bring_inside(all, one);
    check_apart(all.tensors);
    return all;
  }

 private:
  const Source& source_;
  uint64_t at_ = 0;
  std::string value_;  // the name of the value that is read

  template <class... Args>
  ir::Error wrong_value(fmt::format_string<const Args&...> text, const Args&... args) {
    std::string what = fmt::format(fmt::runtime(text), args...);
    return ir::refuse_as(refusals["gguf-value"], "`{}`: {}", source_.name, what);
  }
  ir::Error wrong_tensor(const std::string& name, const std::string& what) {
    return ir::refuse_as(refusals["gguf-tensor"], "`{}`: tensor `{}` {}", source_.name, name, what);
  }

  const uint8_t* take(uint64_t count, std::string_view what) {
    if (count > source_.bytes.size() - at_)
      throw ir::refuse(refusals["gguf-truncated"], source_.name, source_.bytes.size(),
                       value_.empty() ? std::string(what) : fmt::format("the value `{}`", value_), count,
                       at_);
    const uint8_t* found = source_.bytes.data() + at_;
    at_ += count;
    return found;
  }
  template <class T>
  T number(std::string_view what) {
    T value;
    std::memcpy(&value, take(sizeof value, what), sizeof value);
    return value;
  }
  std::string text(std::string_view what) {
    auto length = number<uint64_t>(what);
    const uint8_t* first = take(length, what);
    return std::string(reinterpret_cast<const char*>(first), length);
  }
  std::string name(std::string_view what) {
    uint64_t begin = at_;
    std::string found = text(what);
    if (!is_utf8(found)) throw wrong_value("{} at byte {} is no UTF-8", what, begin);
    return found;
  }

  void head(Gguf& all) {
    if (source_.bytes.size() < 8 || std::memcmp(source_.bytes.data(), "GGUF", 4) != 0)
      throw ir::refuse_as(refusals["gguf-magic"],
                          "`{}` does not begin with `GGUF` and a version: it is no GGUF file", source_.name);
    at_ = 4;
    all.version = number<uint32_t>("the version");
    if ((all.version & 0xffffU) == 0)
      throw ir::refuse_as(refusals["gguf-magic"], "`{}` is a GGUF file for big-endian machines",
                          source_.name);
    if (all.version != 2 && all.version != 3)
      throw ir::refuse_as(refusals["gguf-magic"],
                          "`{}` is a GGUF file of version {}; versions 2 and 3 are read", source_.name,
                          all.version);
  }

  GgufValueType value_type() {
    auto code = number<uint32_t>("the type of a value");
    if (code >= kGgufValueTypes)
      throw wrong_value("a value at byte {} has the type {}, which GGUF does not define", at_ - 4, code);
    return static_cast<GgufValueType>(code);
  }
  GgufField field() {
    GgufField one;
    one.offset = at_;
    one.name = name("the name of a value");
    value_ = one.name;
    GgufValueType type = value_type();
    one.types.push_back(type);
    one.value = type == GgufValueType::kArray ? array(one, 1) : scalar(type);
    value_.clear();
    return one;
  }
  Any scalar(GgufValueType type) {
    constexpr std::string_view of = "a value";
    auto whole = [&](auto value) { return Any(static_cast<int64_t>(value)); };
    switch (type) {
      case GgufValueType::kUint8:
        return whole(number<uint8_t>(of));
      case GgufValueType::kInt8:
        return whole(number<int8_t>(of));
      case GgufValueType::kUint16:
        return whole(number<uint16_t>(of));
      case GgufValueType::kInt16:
        return whole(number<int16_t>(of));
      case GgufValueType::kUint32:
        return whole(number<uint32_t>(of));
      case GgufValueType::kInt32:
        return whole(number<int32_t>(of));
      case GgufValueType::kInt64:
        return whole(number<int64_t>(of));
      case GgufValueType::kFloat32:
        return static_cast<double>(number<float>(of));
      case GgufValueType::kFloat64:
        return number<double>(of);
      case GgufValueType::kUint64: {
        auto value = number<uint64_t>(of);
        if (value > static_cast<uint64_t>(std::numeric_limits<int64_t>::max()))
          throw wrong_value("`{}` is {}: numbers below 2^63 are read", value_, value);
        return whole(value);
      }
      case GgufValueType::kBool: {
        auto value = number<uint8_t>(of);
        if (value > 1) throw wrong_value("`{}` is a bool of the value {}", value_, value);
        return value == 1;
      }
      case GgufValueType::kString: {
        std::string value = text(of);
        if (is_utf8(value)) return ffi::String(value);
        return ffi::Bytes(std::move(value));
      }
      case GgufValueType::kArray:
        break;
    }
    MLC_CHECK(false, "an array is no scalar");
  }
  Any array(GgufField& field, int depth) {
    if (depth > kMostNesting)
      throw wrong_value("`{}` is an array of arrays, {} deep and more", field.name, depth);
    GgufValueType type = value_type();
    if (field.types.size() == static_cast<size_t>(depth)) field.types.push_back(type);
    auto count = number<uint64_t>("a value");
    ffi::Array<Any> all;
    for (uint64_t i = 0; i < count; ++i)
      all.push_back(type == GgufValueType::kArray ? array(field, depth + 1) : scalar(type));
    return all;
  }
  uint64_t alignment(const GgufField& field) {
    if (field.types.front() != GgufValueType::kUint32)
      throw wrong_value("`{}` is not of the type UINT32", field.name);
    auto value = static_cast<uint64_t>(field.value.cast<int64_t>());
    if (value == 0 || (value & (value - 1)) != 0)
      throw wrong_value("`{}` is {}: alignments are powers of two", field.name, value);
    return value;
  }

  GgufTensor tensor() {
    GgufTensor one;
    one.name = name("the name of a tensor");
    auto dimensions = number<uint32_t>("a tensor's number of dimensions");
    if (dimensions > kMostDimensions)
      throw wrong_tensor(one.name, fmt::format("has {} dimensions, and {} at most are possible", dimensions,
                                               kMostDimensions));
    for (uint32_t i = 0; i < dimensions; ++i) {
      auto extent = number<uint64_t>("the shape of a tensor");
      if (extent > static_cast<uint64_t>(std::numeric_limits<int64_t>::max()))
        throw wrong_tensor(one.name, fmt::format("has a dimension of {}", extent));
      one.shape.push_back(static_cast<int64_t>(extent));
    }
    auto code = number<uint32_t>("the type of a tensor");
    one.type = gguf_type(code);
    if (one.type == nullptr)
      throw wrong_tensor(one.name, fmt::format("has the type {}, which GGUF does not define", code));
    one.begin = number<uint64_t>("the offset of a tensor");
    auto count = element_count(one.shape);
    if (!count)
      throw wrong_tensor(one.name,
                         fmt::format("has [{}] elements, more than 2^63", fmt::join(one.shape, ", ")));
    one.elements = *count;
    int64_t row = one.shape.empty() ? 1 : one.shape[0];
    if (row % one.type->elements != 0)
      throw wrong_tensor(one.name, fmt::format("has rows of {}, which are no whole blocks of {} ({} numbers)",
                                               row, one.type->name, one.type->elements));
    auto blocks = static_cast<uint64_t>(one.elements / one.type->elements);
    if (__builtin_mul_overflow(blocks, static_cast<uint64_t>(one.type->bytes), &one.size))
      throw wrong_tensor(one.name, fmt::format("has {} elements, more than any file", one.elements));
    return one;
  }
  // Its offset counts from the first byte of the data.
  void bring_inside(const Gguf& all, GgufTensor& one) {
    uint64_t file = source_.bytes.size();
    if (one.begin % all.alignment != 0)
      throw wrong_tensor(one.name, fmt::format("begins at {}, which is no multiple of the alignment {}",
                                               one.begin, all.alignment));
    uint64_t offset = one.begin;
    if (__builtin_add_overflow(offset, all.data, &one.begin) || one.begin > file ||
        one.size > file - one.begin)
      throw wrong_tensor(one.name,
                         fmt::format("has {} bytes at offset {} of the data, which begin at {} and end at {}",
                                     one.size, offset, all.data, file));
  }
  void check_apart(const std::vector<GgufTensor>& tensors) {
    std::vector<const GgufTensor*> order;
    for (const GgufTensor& one : tensors) {
      if (one.size > 0) order.push_back(&one);
    }
    std::sort(order.begin(), order.end(),
              [](const GgufTensor* a, const GgufTensor* b) { return a->begin < b->begin; });
    for (size_t i = 1; i < order.size(); ++i) {
      if (order[i]->begin < order[i - 1]->begin + order[i - 1]->size)
        throw wrong_tensor(order[i]->name, fmt::format("overlaps with tensor `{}`", order[i - 1]->name));
    }
  }
};

}  // namespace

Gguf read_gguf(const Source& source) { return Reader(source).file(); }

}  // namespace mlc::model
