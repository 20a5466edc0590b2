// SPDX-License-Identifier: Apache-2.0
// GGUF, llama.cpp's files: named values, then tensors, many of them in blocks of a few bits per number.
// Published in ggml's docs/gguf.md.
#pragma once

#include "frontend/model/weights/source.h"

namespace mlc::model {

using ffi::Any;

// A type of tensors. `elements` numbers take `bytes` bytes; plain ones have a dtype, blocks a function that
// unpacks one of them. A type with neither is listed, not read.
struct GgufType {
  uint32_t code;
  std::string_view name;
  int64_t elements, bytes;
  ir::DataType dtype;
  void (*unpack)(const uint8_t* block, float* numbers) = nullptr;

  bool plain() const { return !dtype.is_void(); }
};
std::span<const GgufType> gguf_types();
const GgufType* gguf_type(uint32_t code);  // null: none

// Codes of the types of named values.
enum class GgufValueType : uint32_t {
  kUint8,
  kInt8,
  kUint16,
  kInt16,
  kUint32,
  kInt32,
  kFloat32,
  kBool,
  kString,
  kArray,
  kUint64,
  kInt64,
  kFloat64
};
constexpr uint32_t kGgufValueTypes = 13;

struct GgufField {
  std::string name;
  uint64_t offset = 0;
  std::vector<GgufValueType> types;  // of an array: kArray, then that of its elements
  Any value;                         // int, float, bool, str, bytes (what is no UTF-8), a list of them
};

struct GgufTensor {
  std::string name;
  const GgufType* type = nullptr;
  std::vector<int64_t> shape;  // as in the file: the innermost dimension first
  int64_t elements = 0;
  uint64_t begin = 0, size = 0;  // in the file, in bytes
};

struct Gguf {
  uint32_t version = 0;
  uint64_t alignment = 32;
  uint64_t data = 0;  // where the data begin
  std::vector<GgufField> fields;
  std::vector<GgufTensor> tensors;
};

// Checks all of it: names, types, shapes, that the tensors are inside the file and do not overlap. Raises
// ValueError.
Gguf read_gguf(const Source& source);

// The numbers of whole blocks.
void unpack_blocks(const GgufType& type, std::span<const uint8_t> blocks, float* numbers);

}  // namespace mlc::model
