// SPDX-License-Identifier: Apache-2.0
#include <bit>
#include <cstring>

#include "frontend/model/onnx/wire.h"
#include "ir/core/refusal.h"

namespace mlc::model {

static constexpr ir::Refusals refusals{
    "TypeError",
    {
        {.name = "onnx-field",
         .message = "`{}.{}` takes {}, not this value: {}",
         .meaning = "Each field of an ONNX message has one type of value."},
    }};
MLC_REFUSALS(onnx_encode, refusals);

namespace onnx {

namespace {

void varint(std::string& out, uint64_t value) {
  for (; value >= 0x80; value >>= 7) out += static_cast<char>(value | 0x80);
  out += static_cast<char>(value);
}
template <class Word>
void fixed(std::string& out, Word word) {
  out.append(reinterpret_cast<const char*>(&word), sizeof word);
}
void tag(std::string& out, const Field& field, uint32_t wire) {
  varint(out, uint64_t{field.number} << 3 | wire);
}

std::string_view kind_name(Kind kind) {
  switch (kind) {
    case Kind::kInt:
    case Kind::kUnsigned:
      return "an int";
    case Kind::kFloat:
    case Kind::kDouble:
      return "a float";
    case Kind::kText:
      return "a str";
    case Kind::kBytes:
      return "bytes";
    default:
      return "a message";
  }
}

class Encoder {
 public:
  explicit Encoder(const Message& message) : message_(message) {}

  std::string text(const Dict& fields) {
    std::string out;
    for (const Field& field : message_.fields) {
      auto found = fields.find(ffi::String(field.name.data(), field.name.size()));
      if (found == fields.end()) continue;
      const Any& value = (*found).second;
      if (!field.repeated) {
        one(out, field, value);
        continue;
      }
      auto list = value.try_cast<List>();
      if (!list) refuse(field, value);
      // Numbers are packed: one length, then one behind the other.
      if (field.kind == Kind::kText || field.kind == Kind::kBytes || field.kind == Kind::kMessage) {
        for (const Any& each : *list) one(out, field, each);
      } else if (!list->empty()) {
        std::string packed;
        for (const Any& each : *list) number(packed, field, each);
        tag(out, field, 2);
        varint(out, packed.size());
        out += packed;
      }
    }
    return out;
  }

 private:
  const Message& message_;

  [[noreturn]] void refuse(const Field& field, const Any& value) const {
    throw ir::refuse(refusals["onnx-field"], message_.name, field.name, kind_name(field.kind),
                     value.GetTypeKey());
  }
  void number(std::string& out, const Field& field, const Any& value) {
    if (field.kind == Kind::kInt || field.kind == Kind::kUnsigned) {
      auto whole = value.try_cast<int64_t>();
      if (!whole) refuse(field, value);
      return varint(out, static_cast<uint64_t>(*whole));
    }
    auto real = value.try_cast<double>();
    if (!real) refuse(field, value);
    field.kind == Kind::kFloat ? fixed(out, std::bit_cast<uint32_t>(static_cast<float>(*real)))
                               : fixed(out, std::bit_cast<uint64_t>(*real));
  }
  void one(std::string& out, const Field& field, const Any& value) {
    if (field.kind == Kind::kInt || field.kind == Kind::kUnsigned) {
      tag(out, field, 0);
      return number(out, field, value);
    }
    if (field.kind == Kind::kFloat || field.kind == Kind::kDouble) {
      tag(out, field, field.kind == Kind::kFloat ? 5 : 1);
      return number(out, field, value);
    }
    std::string bytes;
    if (field.kind == Kind::kMessage) {
      auto inner = value.try_cast<Dict>();
      if (!inner) refuse(field, value);
      bytes = Encoder(*find_message(field.message)).text(*inner);
    } else if (auto* raw = value.as<RawDataNode>()) {
      bytes = raw->bytes();
    } else if (auto given = value.try_cast<ffi::Bytes>(); given && field.kind == Kind::kBytes) {
      bytes.assign(given->data(), given->size());
    } else if (auto given = value.try_cast<ffi::String>(); given && field.kind == Kind::kText) {
      bytes.assign(given->data(), given->size());
    } else {
      refuse(field, value);
    }
    tag(out, field, 2);
    varint(out, bytes.size());
    out += bytes;
  }
};

}  // namespace

std::string encode(const Dict& fields, const Message& message) { return Encoder(message).text(fields); }

}  // namespace onnx
}  // namespace mlc::model
