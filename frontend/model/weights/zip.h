// SPDX-License-Identifier: Apache-2.0
// Zip archives, as PyTorch and NumPy write them: stored or deflated entries, large ones too (zip64).
#pragma once

#include "frontend/model/weights/source.h"

namespace mlc::model {

struct ZipEntry {
  std::string name;
  bool deflated = false;
  uint64_t begin = 0, packed = 0;  // its bytes in the file
  uint64_t size = 0;               // unpacked
  uint32_t checksum = 0;
};

// Checks the directory: entries inside the file and apart from each other, sizes that deflate can reach and
// that no bomb has. Nothing is unpacked. Raises ValueError.
std::vector<ZipEntry> read_zip(const Source& source);

// The bytes of an entry, their checksum compared: a part of the source where they are stored.
Source zip_content(const Source& source, const ZipEntry& entry);

}  // namespace mlc::model
