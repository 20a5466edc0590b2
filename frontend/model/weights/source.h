// SPDX-License-Identifier: Apache-2.0
// Where weights come from: the bytes of a mapped file, or of memory.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "ir/core/ndarray.h"

namespace mlc::model {

namespace ffi = ::tvm::ffi;

struct Source {
  std::string name;                // for messages: the path, or `<bytes>`
  std::shared_ptr<uint8_t> owner;  // of the bytes
  std::span<uint8_t> bytes;
  bool mapped = false;
};

// The file's bytes, mapped copy-on-write: pages that nobody touches cost no memory, and what scripts write
// into the tensors stays in memory. Scripts may write over the file (ir/core/mapped_files.h); where another
// process cuts it short, this one ends (SIGBUS), as with any mapped file. Nothing, and errno, where the
// system refuses.
std::optional<Source> map_file(const std::string& path);
Source source_of(std::string bytes, std::string name = "<bytes>");

// The tensor whose row-major elements lie at `begin`. The caller has checked that they are inside
// (MLC_CHECK). Part of a mapped file where the elements are aligned there; otherwise a copy.
ffi::Tensor tensor_at(const Source& source, uint64_t begin, uint64_t size, ir::DataType dtype,
                      std::span<const int64_t> shape);

// The number of elements; nothing where a dimension is negative or the number is beyond 2^63.
std::optional<int64_t> element_count(std::span<const int64_t> shape);

// Is it UTF-8, as names have to be?
bool is_utf8(std::string_view text);

}  // namespace mlc::model
