// SPDX-License-Identifier: Apache-2.0
// What `torch.save` writes of a state dict: a zip archive with a pickle that names tensors, and their
// storages. Of the pickle's program only what makes dicts of tensors is run: nothing is imported, nothing is
// called.
#pragma once

#include "frontend/model/weights/zip.h"

namespace mlc::model {

struct TorchTensor {
  std::string name;  // the keys of nested dicts, with dots between
  ir::DataType dtype;
  std::vector<int64_t> shape, strides;  // in elements
  std::string storage;                  // its entry of the archive
  int64_t offset = 0;                   // in the storage, in elements
};

struct TorchFile {
  std::vector<ZipEntry> entries;
  std::vector<TorchTensor> tensors;  // in the order of the dicts
};

// Checks all of it, so that each tensor lies inside its storage. Raises ValueError.
TorchFile read_torch(const Source& source);
ffi::Tensor torch_tensor(const Source& source, const TorchFile& file, const TorchTensor& tensor);

// Do all elements lie in a storage of so many? Offset and strides count elements; none is negative.
bool inside_storage(std::span<const int64_t> shape, std::span<const int64_t> strides, int64_t offset,
                    int64_t elements);
// A view of a storage, all of whose elements lie inside (MLC_CHECK): a part of it where they are in their
// order.
ffi::Tensor strided_tensor(const Source& storage, ir::DataType dtype, std::span<const int64_t> shape,
                           std::span<const int64_t> strides, int64_t offset);

}  // namespace mlc::model
