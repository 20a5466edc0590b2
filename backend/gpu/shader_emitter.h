// SPDX-License-Identifier: Apache-2.0
// What languages of shaders (GLSL, WGSL) share beyond the grammar of kernels: no pointers. Memory of the
// device is arrays, which are read and written by elements.
#pragma once

#include "backend/gpu/emitter.h"

namespace mlc::gpu_backend {

class ShaderEmitter : public KernelEmitter {
 public:
  using KernelEmitter::KernelEmitter;

 protected:
  // The type of an element of the device's memory; Error unsupported-dtype.
  virtual std::string storage_type(DataType dtype, ir::Span span) = 0;

  Text load_vector(DataType dtype, const Text& pointer, const Binding& memory, ir::Span span) override;
  std::string store_vector(DataType dtype, const Text& pointer, const std::string& value,
                           const Binding& memory, ir::Span span) override;
  std::string parameter_type(const Var& param, bool is_const) override;
};

}  // namespace mlc::gpu_backend
