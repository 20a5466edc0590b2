// SPDX-License-Identifier: Apache-2.0
#include "frontend/model/weights/safetensors.h"

#include <algorithm>
#include <cstring>
#include <nlohmann/json.hpp>
#include <set>

#include "ir/core/refusal.h"

namespace mlc::model {

static constexpr ir::Refusals refusals{
    "ValueError",
    {
        {.name = "safetensors-truncated",
         .meaning =
             "The file ends before what its header promises: a download that was cut short, or a wrong "
             "length in its first eight bytes."},
        {.name = "safetensors-header",
         .meaning =
             "The header is a JSON object: a name, a dtype, a shape and two offsets for each tensor, and "
             "`__metadata__` with texts."},
        {.name = "safetensors-dtype",
         .message = "`{}`: tensor `{}` has the dtype `{}`, which safetensors does not define",
         .meaning = "The types are BOOL, U8, I8, ... F32, F64, BF16 and some small floats."},
        {.name = "safetensors-offsets",
         .meaning =
             "The data of the tensors follow each other without gaps and without overlapping, and each has "
             "as many bytes as its shape and dtype need."},
        {.name = "safetensors-write",
         .kind = "TypeError",
         .message = "tensor `{}` is of {}, which safetensors has no name for",
         .help = "convert it: `array.astype(\"float32\")`",
         .meaning = "The format has names for bools, integers and most floats."},
    }};
MLC_REFUSALS(weights_safetensors, refusals);

namespace {

using nlohmann::json;

constexpr uint64_t kMostHeader = 100'000'000;  // the format's own limit

ir::DataType no_type() { return ir::DataType::Void(); }

const SafetensorsType* find_type(std::string_view name) {
  for (const SafetensorsType& type : safetensors_types()) {
    if (type.name == name) return &type;
  }
  return nullptr;
}

// Raises on a name that an object has twice, of which JSON readers keep one.
json parsed(const Source& source, std::string_view text) {
  std::vector<std::set<std::string>> names;
  auto check = [&](int depth, json::parse_event_t event, json& value) {
    if (event == json::parse_event_t::object_start) names.emplace_back();
    if (event == json::parse_event_t::object_end && !names.empty()) names.pop_back();
    if (event == json::parse_event_t::key && !names.empty() &&
        !names.back().insert(value.get<std::string>()).second)
      throw ir::refuse_as(refusals["safetensors-header"], "`{}`: the header has `{}` twice", source.name,
                          value.get<std::string>());
    if (depth > 8)
      throw ir::refuse_as(refusals["safetensors-header"], "`{}`: the header is nested too deep", source.name);
    return true;
  };
  try {
    json header = json::parse(text, check);
    if (!header.is_object())
      throw ir::refuse_as(refusals["safetensors-header"],
                          "`{}`: the header is of the type {}, not an object of JSON", source.name,
                          header.type_name());
    return header;
  } catch (const json::parse_error& error) {
    throw ir::refuse_as(refusals["safetensors-header"],
                        "`{}`: the header is no JSON: it breaks at byte {} of {}", source.name, error.byte,
                        text.size());
  }
}

std::map<std::string, std::string> metadata_of(const Source& source, const json& value) {
  std::map<std::string, std::string> metadata;
  bool texts = value.is_object();
  if (texts) {
    for (const auto& [name, text] : value.items()) {
      texts &= text.is_string();
      if (texts) metadata[name] = text.get<std::string>();
    }
  }
  if (!texts)
    throw ir::refuse_as(refusals["safetensors-header"], "`{}`: `__metadata__` is not an object of texts",
                        source.name);
  return metadata;
}

bool is_count(const json& value) {
  return value.is_number_unsigned() &&
         value.get<uint64_t>() <= static_cast<uint64_t>(std::numeric_limits<int64_t>::max());
}

// One tensor; its offsets are those of the header, from the first byte of the data.
SafetensorsEntry entry_of(const Source& source, const std::string& name, const json& value) {
  auto malformed = [&](std::string_view what) {
    return ir::refuse_as(refusals["safetensors-header"], "`{}`: tensor `{}` {}", source.name, name, what);
  };
  if (!value.is_object()) throw malformed("is not described by an object of JSON");
  for (const auto& [field, unused] : value.items()) {
    if (field != "dtype" && field != "shape" && field != "data_offsets")
      throw malformed(fmt::format("has a field `{}`, which the format does not define", field));
  }
  SafetensorsEntry entry{name, nullptr, {}, 0, 0};
  auto dtype = value.find("dtype"), shape = value.find("shape"), offsets = value.find("data_offsets");
  if (dtype == value.end() || !dtype->is_string()) throw malformed("has no `dtype`");
  entry.type = find_type(dtype->get_ref<const std::string&>());
  if (entry.type == nullptr)
    throw ir::refuse(refusals["safetensors-dtype"], source.name, name, dtype->get_ref<const std::string&>());
  if (shape == value.end() || !shape->is_array()) throw malformed("has no `shape`");
  for (const json& extent : *shape) {
    if (!is_count(extent)) throw malformed(fmt::format("has a shape with {}", extent.dump()));
    entry.shape.push_back(extent.get<int64_t>());
  }
  if (offsets == value.end() || !offsets->is_array() || offsets->size() != 2 || !is_count((*offsets)[0]) ||
      !is_count((*offsets)[1]))
    throw malformed("has no `data_offsets` of two numbers");
  entry.begin = (*offsets)[0].get<uint64_t>();
  entry.end = (*offsets)[1].get<uint64_t>();
  return entry;
}

// How many bytes the elements take; nothing where they are no whole number, or too many.
std::optional<uint64_t> bytes_of(const SafetensorsEntry& entry) {
  auto count = element_count(entry.shape);
  uint64_t bits = 0;
  if (!count ||
      __builtin_mul_overflow(static_cast<uint64_t>(*count), static_cast<uint64_t>(entry.type->bits), &bits) ||
      bits % 8 != 0)
    return std::nullopt;
  return bits / 8;
}

void check_offsets(const Source& source, const std::vector<SafetensorsEntry>& tensors, uint64_t data) {
  uint64_t at = 0;
  for (const SafetensorsEntry& entry : tensors) {
    auto wrong = [&](std::string text) {
      return ir::refuse_as(refusals["safetensors-offsets"], "`{}`: tensor `{}` {}", source.name, entry.name,
                           text);
    };
    if (entry.end < entry.begin)
      throw wrong(fmt::format("ends at {} before it begins at {}", entry.end, entry.begin));
    if (entry.end > data)
      throw ir::refuse_as(refusals["safetensors-truncated"],
                          "`{}`: tensor `{}` ends at byte {} of the data, of which the file has {}",
                          source.name, entry.name, entry.end, data);
    if (entry.begin < at)
      throw wrong(fmt::format("begins at {}, inside the one before, which ends at {}", entry.begin, at));
    if (entry.begin > at)
      throw wrong(fmt::format("begins at {}, behind a gap: the one before ends at {}", entry.begin, at));
    auto size = bytes_of(entry);
    if (!size || *size != entry.end - entry.begin)
      throw wrong(
          fmt::format("has {} bytes, but its shape [{}] of {} needs {}", entry.end - entry.begin,
                      fmt::join(entry.shape, ", "), entry.type->name,
                      size ? std::to_string(*size) : std::string("no whole number of bytes, or too many")));
    at = entry.end;
  }
  if (at != data)
    throw ir::refuse_as(refusals["safetensors-offsets"],
                        "`{}`: {} bytes behind the last tensor belong to none", source.name, data - at);
}

void append_json(std::string& text, std::string_view value) { text += json(value).dump(); }

}  // namespace

std::span<const SafetensorsType> safetensors_types() {
  using ir::DataType;
  static const SafetensorsType types[] = {
      {"BOOL", 8, DataType::Bool()},
      {"F4", 4, no_type()},
      {"F6_E2M3", 6, no_type()},
      {"F6_E3M2", 6, no_type()},
      {"U8", 8, DataType::UInt(8)},
      {"I8", 8, DataType::Int(8)},
      {"F8_E5M2", 8, DataType(kDLFloat8_e5m2, 8)},
      {"F8_E4M3", 8, DataType(kDLFloat8_e4m3fn, 8)},
      {"F8_E8M0", 8, DataType(kDLFloat8_e8m0fnu, 8)},
      {"F8_E4M3FNUZ", 8, DataType(kDLFloat8_e4m3fnuz, 8)},
      {"F8_E5M2FNUZ", 8, DataType(kDLFloat8_e5m2fnuz, 8)},
      {"I16", 16, DataType::Int(16)},
      {"U16", 16, DataType::UInt(16)},
      {"F16", 16, DataType::Float(16)},
      {"BF16", 16, DataType(kDLBfloat, 16)},
      {"I32", 32, DataType::Int(32)},
      {"U32", 32, DataType::UInt(32)},
      {"F32", 32, DataType::Float(32)},
      {"C64", 64, no_type()},
      {"F64", 64, DataType::Float(64)},
      {"I64", 64, DataType::Int(64)},
      {"U64", 64, DataType::UInt(64)},
  };
  return types;
}

Safetensors read_safetensors(const Source& source) {
  std::span<const uint8_t> bytes = source.bytes;
  if (bytes.size() < 8)
    throw ir::refuse_as(refusals["safetensors-truncated"],
                        "`{}`: {} bytes are no safetensors file: it begins with eight", source.name,
                        bytes.size());
  uint64_t length = 0;
  std::memcpy(&length, bytes.data(), 8);
  if (length > kMostHeader)
    throw ir::refuse_as(refusals["safetensors-header"],
                        "`{}`: a header of {} bytes is no safetensors header, which has {} at most",
                        source.name, length, kMostHeader);
  if (length > bytes.size() - 8)
    throw ir::refuse_as(refusals["safetensors-truncated"],
                        "`{}`: the header has {} bytes, and the file {} behind its length", source.name,
                        length, bytes.size() - 8);
  json header = parsed(source, {reinterpret_cast<const char*>(bytes.data()) + 8, length});
  Safetensors all;
  for (const auto& [name, value] : header.items()) {
    if (name == "__metadata__") {
      all.metadata = metadata_of(source, value);
    } else {
      all.tensors.push_back(entry_of(source, name, value));
    }
  }
  // Tensors without elements stand where others begin.
  std::sort(all.tensors.begin(), all.tensors.end(), [](const SafetensorsEntry& a, const SafetensorsEntry& b) {
    return std::tie(a.begin, a.end, a.name) < std::tie(b.begin, b.end, b.name);
  });
  uint64_t data = 8 + length;
  check_offsets(source, all.tensors, bytes.size() - data);
  for (SafetensorsEntry& entry : all.tensors) {
    entry.begin += data;
    entry.end += data;
  }
  return all;
}

std::string safetensors_header(std::vector<NamedTensor>& tensors,
                               const std::optional<std::map<std::string, std::string>>& metadata) {
  auto types = safetensors_types();
  auto type_of = [&](const NamedTensor& one) -> const SafetensorsType* {
    for (const SafetensorsType& type : types) {
      if (type.dtype == ir::DataType(one.tensor.dtype()) && type.dtype != no_type()) return &type;
    }
    throw ir::refuse(refusals["safetensors-write"], one.name, ir::DataType(one.tensor.dtype()).str());
  };
  for (const NamedTensor& one : tensors) type_of(one);
  // As the reference writes them: the widest types first, so that all are aligned.
  std::sort(tensors.begin(), tensors.end(), [&](const NamedTensor& a, const NamedTensor& b) {
    const SafetensorsType *left = type_of(a), *right = type_of(b);
    return left != right ? left > right : a.name < b.name;
  });
  std::string text = "{";
  if (metadata) {
    text += "\"__metadata__\":{";
    for (const auto& [name, value] : *metadata) {
      if (text.back() != '{') text += ',';
      append_json(text, name);
      text += ':';
      append_json(text, value);
    }
    text += '}';
  }
  uint64_t at = 0;
  for (const NamedTensor& one : tensors) {
    if (text.size() > 1) text += ',';
    append_json(text, one.name);
    uint64_t end = at + ffi::GetDataSize(*one.tensor.GetDLTensorPtr());
    text += fmt::format(R"(:{{"dtype":"{}","shape":[{}],"data_offsets":[{},{}]}})", type_of(one)->name,
                        fmt::join(one.tensor.shape(), ","), at, end);
    at = end;
  }
  text += '}';
  text.resize((text.size() + 7) / 8 * 8, ' ');
  uint64_t length = text.size();
  return std::string(reinterpret_cast<const char*>(&length), 8) + text;
}

}  // namespace mlc::model
