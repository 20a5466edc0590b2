// SPDX-License-Identifier: Apache-2.0
// What messages an ONNX file is made of: the fields of the published schema (onnx.proto3), by message.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace mlc::model::onnx {

enum class Kind : uint8_t { kInt, kUnsigned, kFloat, kDouble, kText, kBytes, kMessage };

struct Field {
  uint32_t number;
  std::string_view name;
  Kind kind;
  bool repeated = false;
  std::string_view message = {};  // of kMessage: which
};

struct Message {
  std::string_view name;  // `TensorProto.Segment` is Segment, nested in TensorProto
  std::span<const Field> fields;
};

const Message* find_message(std::string_view name);
const Field* find_field(const Message& message, uint32_t number);
const Field* find_field(const Message& message, std::string_view name);

}  // namespace mlc::model::onnx
