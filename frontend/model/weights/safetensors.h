// SPDX-License-Identifier: Apache-2.0
// safetensors: eight bytes with the length of a header, the header in JSON, the elements of the tensors
// without gaps. Published at github.com/huggingface/safetensors (README, "Format").
#pragma once

#include <map>

#include "frontend/model/weights/source.h"

namespace mlc::model {

// A type of elements: its name in files, and what arrays have for it (void: nothing; such tensors are listed,
// not read). In the order in which the writer of the format sorts, backwards.
struct SafetensorsType {
  std::string_view name;
  int bits;
  ir::DataType dtype;
};
std::span<const SafetensorsType> safetensors_types();

struct SafetensorsEntry {
  std::string name;
  const SafetensorsType* type = nullptr;
  std::vector<int64_t> shape;
  uint64_t begin = 0, end = 0;  // in the file
};

struct Safetensors {
  std::vector<SafetensorsEntry> tensors;  // by offset
  std::optional<std::map<std::string, std::string>> metadata;
};

// Checks all of it: the header, types, shapes, offsets that cover the data exactly. Raises ValueError.
Safetensors read_safetensors(const Source& source);

struct NamedTensor {
  std::string name;
  ffi::Tensor tensor;  // compact
};
// What stands before the data; brings the tensors into the order of their data.
std::string safetensors_header(std::vector<NamedTensor>& tensors,
                               const std::optional<std::map<std::string, std::string>>& metadata);

}  // namespace mlc::model
