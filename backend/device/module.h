// SPDX-License-Identifier: Apache-2.0
// Kernels as a tvm-ffi module, and host code that launches them: what is the same for every kind of device.
#pragma once

#include <tvm/ffi/extra/module.h>

#include <string>

#include "backend/backend.h"
#include "backend/device/kernels.h"

namespace mlc::device {

// What host code imports.
class KernelModule : public ir::ffi::ModuleObj {
 public:
  int GetPropertyMask() const final {
    return ir::ffi::Module::kBinarySerializable | ir::ffi::Module::kRunnable;
  }
  ir::ffi::Optional<ir::ffi::Function> GetFunction(const ir::ffi::String& name) final;
  ir::ffi::Bytes SaveToBytes() const override;
  ir::ffi::Array<ir::ffi::String> GetWriteFormats() const final;
  // Errors: unknown-emit-kind, those of code_as().
  ir::ffi::String InspectSource(const ir::ffi::String& format) const final;
  void WriteToFile(const ir::ffi::String& path, const ir::ffi::String& format) const final;

 protected:
  explicit KernelModule(Kernels kernels) : kernels_(std::move(kernels)) {}
  // What the code can be had as; the first is the text that people read.
  virtual std::vector<std::string> formats() const = 0;
  virtual std::string code_as(const std::string& format) const = 0;
  // What is written into libraries, under the name that TVM 0.27 has for it ("cl", "cubin").
  virtual std::string stored_format() const = 0;
  // Starts the kernel on the thread's current device; returns when it is in the queue.
  virtual void launch(const KernelInfo& kernel, ir::ffi::PackedArgs args) = 0;

 private:
  const Kernels kernels_;
};

// Compiles the functions of the host by the backend of the target's host, and has `make_kernels` make a
// module of the rest, which the result imports. Errors: mixed-targets, no-host-function.
ir::ffi::Module make_module(const ir::IRModule& lowered, const ir::Target& target,
                            const std::function<ir::ffi::Module(const ir::IRModule& kernels,
                                                                const ir::Target& target)>& make_kernels);
// A shared library of such a module; `tvm_ffi.load_module` makes both of it again.
void write_library(const ir::ffi::Module& module, const std::string& path);

}  // namespace mlc::device
