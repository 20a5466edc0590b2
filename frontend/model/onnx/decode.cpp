// SPDX-License-Identifier: Apache-2.0
#include <bit>
#include <cstring>

#include "frontend/model/onnx/wire.h"
#include "ir/core/refusal.h"

namespace mlc::model {

static constexpr ir::Refusals refusals{
    "ValueError",
    {
        {.name = "onnx-wire",
         .meaning =
             "The bytes are not those of an ONNX model: the file was cut short, is damaged, or is of another "
             "format. The message says where in the file and in which field."},
    }};
MLC_REFUSALS(onnx_decode, refusals);

namespace onnx {

namespace {

constexpr int kDeepest = 100;  // messages in each other, as protobuf's own readers have it

class Decoder {
 public:
  explicit Decoder(const Source& source) : source_(source), end_(source.bytes.size()) {}

  // From here to end_.
  Dict fields(const Message& message) {
    Dict result;
    while (at_ < end_) {
      uint64_t tag = varint();
      auto wire = static_cast<uint32_t>(tag & 7);
      if (tag >> 3 == 0 || tag >> 3 >= 1U << 29) fail(fmt::format("a field has the number {}", tag >> 3));
      const Field* field = find_field(message, static_cast<uint32_t>(tag >> 3));
      if (field == nullptr) {  // of a newer schema
        skip(wire, 0);
        continue;
      }
      Any key = ffi::String(field->name.data(), field->name.size());
      auto before = result.find(key);
      path_.emplace_back(field->name);
      if (field->repeated) {
        List list = before == result.end() ? List() : (*before).second.cast<List>();
        if (before == result.end()) result.Set(key, list);
        if (field->kind == Kind::kMessage) path_.back() += fmt::format("[{}]", list.size());
        elements(*field, wire, list);
      } else {
        Any value = one(*field, wire);
        if (field->kind == Kind::kMessage && before != result.end()) {
          merge((*before).second.cast<Dict>(), value.cast<Dict>());
        } else {
          result.Set(key, value);
        }
      }
      path_.pop_back();
    }
    return result;
  }

 private:
  const Source& source_;
  size_t at_ = 0;
  size_t end_;  // of the message that is being read
  std::vector<std::string> path_;

  [[noreturn]] void fail(std::string_view what) const {
    std::string path;
    for (size_t i = 0; i < path_.size(); ++i) {
      if (i == 4 && path_.size() > 8) {  // of a path of many names its ends
        path += "...";
        i = path_.size() - 4;
      }
      path += (path.empty() ? "" : ".") + path_[i];
    }
    throw ir::refuse_as(refusals["onnx-wire"], "`{}` is no ONNX model: {}, at byte {}{}", source_.name, what,
                        at_, path.empty() ? "" : fmt::format(" in `{}`", path))
        .help("an ONNX model is a protobuf message ModelProto: is the download complete?");
  }

  uint64_t varint() {
    uint64_t value = 0;
    for (unsigned shift = 0; shift < 70; shift += 7) {
      if (at_ == end_) fail("a number ends with the bytes around it");
      uint8_t byte = source_.bytes[at_++];
      if (shift == 63 && byte > 1) break;
      value |= static_cast<uint64_t>(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
    fail("a number has more than 64 bits");
  }
  template <class T>
  T fixed() {
    if (end_ - at_ < sizeof(T)) fail("a number ends with the bytes around it");
    T value;
    std::memcpy(&value, source_.bytes.data() + at_, sizeof value);
    at_ += sizeof value;
    return value;
  }
  // The end of what has its length in front.
  size_t delimited() {
    uint64_t length = varint();
    if (length > end_ - at_) fail(fmt::format("{} bytes are promised where {} are left", length, end_ - at_));
    return at_ + length;
  }

  void skip(uint32_t wire, int depth) {
    if (wire == 0) {
      varint();
    } else if (wire == 1) {
      fixed<uint64_t>();
    } else if (wire == 2) {
      at_ = delimited();
    } else if (wire == 5) {
      fixed<uint32_t>();
    } else if (wire == 3 && depth < kDeepest) {
      for (;;) {
        uint64_t tag = varint();
        if ((tag & 7) == 4) return;
        skip(static_cast<uint32_t>(tag & 7), depth + 1);
      }
    } else {
      fail(fmt::format("a field has the wire type {}", wire));
    }
  }

  static uint32_t wire_of(Kind kind) {
    switch (kind) {
      case Kind::kInt:
      case Kind::kUnsigned:
        return 0;
      case Kind::kDouble:
        return 1;
      case Kind::kFloat:
        return 5;
      default:
        return 2;
    }
  }
  Any number(Kind kind) {
    if (kind == Kind::kFloat) return static_cast<double>(std::bit_cast<float>(fixed<uint32_t>()));
    if (kind == Kind::kDouble) return std::bit_cast<double>(fixed<uint64_t>());
    return static_cast<int64_t>(varint());
  }
  Any delimited_value(const Field& field) {
    size_t after = delimited();
    if (field.kind == Kind::kMessage) {
      if (path_.size() >= kDeepest) fail("messages lie too deep in each other");
      size_t outer = std::exchange(end_, after);
      Dict inner = fields(*find_message(field.message));
      end_ = outer;
      return inner;
    }
    std::string_view bytes(reinterpret_cast<const char*>(source_.bytes.data()) + at_, after - at_);
    if (field.kind == Kind::kText && !is_utf8(bytes)) fail("a text is not UTF-8");
    size_t begin = std::exchange(at_, after);
    if (field.kind == Kind::kText) return ffi::String(bytes.data(), bytes.size());
    if (field.name == "raw_data") return ir::make<RawDataNode>(source_, begin, after - begin);
    return ffi::Bytes(bytes.data(), bytes.size());
  }

  Any one(const Field& field, uint32_t wire) {
    if (wire != wire_of(field.kind))
      fail(fmt::format("the field has the wire type {} instead of {}", wire, wire_of(field.kind)));
    return wire == 2 ? delimited_value(field) : number(field.kind);
  }
  // Numbers may come one by one, or many behind one length.
  void elements(const Field& field, uint32_t wire, List list) {
    if (wire != 2 || wire_of(field.kind) == 2) return list.push_back(one(field, wire));
    size_t after = delimited(), outer = std::exchange(end_, after);
    while (at_ < end_) list.push_back(number(field.kind));
    end_ = outer;
  }
  // A message that comes twice is one, with the fields of both.
  static void merge(Dict into, const Dict& more) {
    for (const auto& [key, value] : more) {
      auto before = into.find(key);
      if (before != into.end() && value.type_index() == ffi::TypeIndex::kTVMFFIList) {
        for (const Any& each : value.cast<List>()) (*before).second.cast<List>().push_back(each);
      } else if (before != into.end() && value.type_index() == ffi::TypeIndex::kTVMFFIDict) {
        merge((*before).second.cast<Dict>(), value.cast<Dict>());
      } else {
        into.Set(key, value);
      }
    }
  }
};

}  // namespace

Dict decode(const Source& source, const Message& message) { return Decoder(source).fields(message); }

}  // namespace onnx
}  // namespace mlc::model
