// SPDX-License-Identifier: Apache-2.0
// Where loaded code is in memory, and the source of its addresses: what perf and the report of a crash
// need.
#pragma once

#include <llvm/ADT/STLFunctionalExtras.h>
#include <llvm/Object/ObjectFile.h>

#include <atomic>

#include "backend/llvm/code.h"

namespace mlc::llvm_backend {

// The code section of one object while it is loaded.
class LoadedCode {
 public:
  // `address` is where the function `symbol` of the object has been loaded.
  LoadedCode(const Code& code, const std::string& symbol, uintptr_t address);
  ~LoadedCode();
  LoadedCode(const LoadedCode&) = delete;
  LoadedCode& operator=(const LoadedCode&) = delete;

  // Adds a line for each function to /tmp/perf-PID.map: address, size, name.
  void write_perf_map() const;
  // Adds the code and the lines of each function to jit-PID.dump in the current folder (jitdump.cpp).
  void write_jitdump() const;

  // A row of the table of all code that is loaded: read by handlers of signals, so never freed, only used
  // again.
  struct Row {
    std::atomic<uintptr_t> begin = 0;
    std::atomic<uintptr_t> end = 0;  // equal to begin: free
    const Code* code = nullptr;
    uint64_t section = 0;  // in the object
    Row* next = nullptr;
  };

 private:
  Row* row_;
};

// The object as LLVM reads it; it borrows the bytes of `code`.
std::unique_ptr<llvm::object::ObjectFile> object_of(const Code& code);
// Every function in a section of it.
void each_function(const llvm::object::ObjectFile& object, uint64_t section,
                   llvm::function_ref<void(std::string_view name, uint64_t offset, uint64_t size)> use);

}  // namespace mlc::llvm_backend
