// SPDX-License-Identifier: Apache-2.0
// Memory of the virtual machine: storages, and tensors in them.
#pragma once

#include <tvm/ffi/container/tensor.h>

#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "ir/core/dtype.h"
#include "ir/core/object.h"

namespace mlc::vm {

namespace ffi = ir::ffi;

// Memory that storages come from and go back to. A pool outlives its machine while tensors live in it; threads
// may share it.
class Pool {
 public:
  // naive: memory goes back to the system at once, else it is kept for the next storage of its size. `device`: whose
  // memory it is.
  explicit Pool(bool naive, DLDevice device = {kDLCPU, 0}) : naive_(naive), device_(device) {}
  ~Pool() { release(); }
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;

  struct Block {
    void* data = nullptr;
    size_t size = 0;
  };
  // At least `size` bytes, at a multiple of 64. Error: vm-out-of-memory.
  Block take(size_t size);
  void give(Block block);
  void release();                 // what is kept goes back to the system
  DLDevice device() const { return device_; }
  size_t taken() const { return taken_; }  // bytes that come from the system now
  size_t most() const { return most_; }    // the most there ever were

 private:
  void* fresh(size_t size) const;
  void free(void* data) const;

  bool naive_;
  DLDevice device_;
  std::mutex mutex_;
  std::multimap<size_t, void*> kept_;
  size_t taken_ = 0, most_ = 0;
};

struct StorageNode final : ffi::Object {
  std::shared_ptr<Pool> pool;
  Pool::Block block;
  size_t size;  // as asked for

  StorageNode(std::shared_ptr<Pool> pool, size_t size) : pool(std::move(pool)), size(size) {
    block = this->pool->take(size);
  }
  ~StorageNode() { pool->give(block); }
  StorageNode(const StorageNode&) = delete;
  StorageNode& operator=(const StorageNode&) = delete;
  static constexpr int _type_child_slots [[maybe_unused]] = 0;
  static constexpr bool _type_final [[maybe_unused]] = true;
  MLC_NODE_BASE("mlc.vm.Storage", StorageNode, ffi::Object);
};
using Storage = ir::Ref<StorageNode>;

// A tensor at a byte of a storage, which lives as long. Error: vm-storage-too-small.
ffi::Tensor tensor_in(const Storage& storage, int64_t offset, const ffi::Shape& shape, ir::DataType dtype);
// The bytes of a compact tensor. Error: vm-negative-dimension.
int64_t bytes_of(const ffi::Shape& shape, ir::DataType dtype);

}  // namespace mlc::vm
