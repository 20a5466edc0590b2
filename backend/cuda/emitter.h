// SPDX-License-Identifier: Apache-2.0
// CUDA C++ as a dialect of kernels (backend/gpu).
//
// Small vectors are CUDA's own types (float4, half2); others are the class mlc_vec of the text, which moves
// in words of 16 bytes. Instructions of PTX are inline assembly, made from the rows of ir/tir/ptx.h.
#pragma once

#include "backend/gpu/emitter.h"

namespace mlc::cuda_backend {

using gpu_backend::Text;
using gpu_backend::Value;
using ir::DataType;
using ir::Expr;

class CudaEmitter final : public gpu_backend::KernelEmitter {
 public:
  CudaEmitter(const ir::IRModule& module, const ir::Target& target);

 protected:
  // dialect.cpp
  std::string type(DataType dtype, ir::Span span) override;
  std::string lane(const std::string& vector, DataType dtype, int index) override;
  std::string pack(DataType dtype, const std::vector<Text>& lanes, ir::Span span) override;
  Text load_vector(DataType dtype, const Text& pointer, const Binding& memory, ir::Span span) override;
  std::string store_vector(DataType dtype, const Text& pointer, const std::string& value,
                           const Binding& memory, ir::Span span) override;
  Text thread(std::string_view tag, DataType dtype, ir::Span span) override;
  std::string launch_bounds(const ir::PrimFunc& fn) override;
  std::string parameter_type(const ir::Var& param, bool is_const) override;
  std::string barrier(std::string_view scope, ir::Span span) override;
  Text cast(const Text& value, DataType from, DataType to, ir::Span span) override;
  Text reinterpret(const Text& value, DataType from, DataType to, ir::Span span) override;
  Text extremum(bool is_max, const Text& a, const Text& b, DataType dtype) override;
  Text float_mod(const Text& a, const Text& b, DataType dtype) override;
  Text math(std::string_view name, const std::vector<Text>& args, DataType dtype, DataType from,
            ir::Span span) override;
  std::string function_name(const std::string& name) override;
  std::string preamble() override;
  std::string trap(ir::Span span) override { return "__trap();"; }
  void dynamic_shared(const ir::AllocBufferNode* s) override;
  Text atomic_add(const ir::CallNode* call) override;

  // fragments.cpp: matrices of nvcuda::wmma, and what the older tensor intrinsics call.
  bool device_attr(const ir::AttrStmtNode* s) override;
  bool device_alloc(const ir::AllocBufferNode* s) override;
  std::optional<Value> fragment_call(const ir::CallNode* call, std::string_view name);

  // mma.cpp: what tensor intrinsics call
  std::optional<Value> matrix_call(const ir::CallNode* call, std::string_view name);
  void emit_mma(const ir::CallNode* call);
  Text moved(const ir::CallNode* call, int64_t pointer_at, int64_t offset_at);

  // descriptors.cpp
  void instruction_descriptor(const ir::CallNode* call, bool scaled);
  void wait_until(const ir::CallNode* call);
  std::optional<Value> statement_call(const ir::CallNode* call, std::string_view name);

  // calls.cpp: T.cuda.*
  std::optional<Value> device_call(const ir::CallNode* call, std::string_view name) override;
  std::optional<Value> function_call(const ir::CallNode* call, std::string_view name);
  Value read_only_load(const ir::CallNode* call, std::string_view name);

  // ptx.cpp: T.ptx.*
  Value ptx_call(const ir::CallNode* call, std::string_view name);

 private:
  struct Fragment {
    std::string shape;  // "16, 16, 16"
    std::string layout;
  };
  void include(std::string_view header) { headers_.insert(std::string(header)); }
  void need_bits();  // mlc_bits<To>(value): the same bits in another type
  // The text of every argument from the first one on.
  std::vector<Text> arguments(const ir::CallNode* call, size_t first = 0);

  std::set<std::string> headers_;
  std::map<const ir::VarNode*, Fragment> fragments_;
  std::map<const ir::AllocBufferNode*, int> dynamic_;  // allocations of the function being written
};

}  // namespace mlc::cuda_backend
