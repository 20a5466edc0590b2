// SPDX-License-Identifier: Apache-2.0
// Matrices of nvcuda::wmma: memory of the scopes wmma.*, whose shape and layout attributes say
// (InferFragment), and the operators on them.
#include <cstdio>

#include "backend/cuda/emitter.h"
#include "ir/core/error.h"
#include "ir/core/try_get.h"

namespace mlc::cuda_backend {

using ir::view;

bool CudaEmitter::device_attr(const ir::AttrStmtNode* s) {
  std::string_view key = view(s->attr_key);
  if (key == "fragment_shape" || key == "fragment_layout") {
    auto buffer = ir::try_get<ir::Var>(s->node);
    auto* text = ir::as<ir::StringImmNode>(s->value);
    if (!buffer || !*buffer || text == nullptr) refuse(fmt::format("the attribute `{}`", key), s->span);
    Fragment& fragment = fragments_[buffer->get()];
    (key == "fragment_shape" ? fragment.shape : fragment.layout) = std::string(view(text->value));
    emit(s->body);
    return true;
  }
  // Copies that were started and are not waited for: the pass that made them counts groups.
  if (key == "async_commit_queue_scope") {
    emit(s->body);
    line("asm volatile(\"cp.async.commit_group;\" ::: \"memory\");");
    return true;
  }
  if (key == "async_wait_queue_scope") {
    auto* inner = ir::as<ir::AttrStmtNode>(s->body);
    if (inner == nullptr || view(inner->attr_key) != "async_wait_inflight_count")
      refuse("`async_wait_queue_scope` without a count", s->span);
    auto count = ir::const_int(inner->value);
    if (!count) refuse("a wait for a computed number of copies", s->span);
    line(fmt::format("asm volatile(\"cp.async.wait_group {};\" ::: \"memory\");", *count));
    emit(inner->body);
    return true;
  }
  return false;
}

bool CudaEmitter::device_alloc(const ir::AllocBufferNode* s) {
  const ir::BufferTypeNode* type = s->buffer->buffer();
  std::string_view scope = view(type->storage_scope);
  if (!scope.starts_with("wmma.")) return false;
  auto found = fragments_.find(s->buffer.get());
  int m = 0, n = 0, k = 0;
  if (found == fragments_.end() || std::sscanf(found->second.shape.c_str(), "%d, %d, %d", &m, &n, &k) != 3)
    refuse(fmt::format("a matrix fragment without a shape (`{}`)", view(s->buffer->name)), s->span,
           "InferFragment finds it from the operators on it");
  bool accumulator = scope == "wmma.accumulator";
  int64_t size = 1;
  for (const Expr& extent : type->shape) {
    auto known = ir::const_int(extent);
    if (!known) refuse("a number of matrix fragments that is computed", s->span);
    size *= *known;
  }
  int64_t each = accumulator ? int64_t{m} * n : scope == "wmma.matrix_a" ? int64_t{m} * k : int64_t{n} * k;
  if (size % each != 0) refuse("memory that is no multiple of a matrix fragment", s->span);
  DataType dtype = type->dtype;
  std::string element = dtype.is_int() && dtype.bits() == 4    ? "nvcuda::wmma::experimental::precision::s4"
                        : dtype.is_uint() && dtype.bits() == 4 ? "nvcuda::wmma::experimental::precision::u4"
                        : dtype.is_int() && dtype.bits() == 1  ? "nvcuda::wmma::experimental::precision::b1"
                        : dtype.is_float() && dtype.bits() == 32 && !accumulator
                            ? "nvcuda::wmma::precision::tf32"
                            : this->type(dtype, s->span);
  include("mma.h");
  std::string layout = accumulator ? "" : fmt::format(", nvcuda::wmma::{}", found->second.layout);
  std::string name = fresh(view(s->buffer->name));
  line(fmt::format("nvcuda::wmma::fragment<nvcuda::wmma::{}, {}, {}{}> {}[{}];", scope.substr(5),
                   found->second.shape, element, layout, name, size / each));
  Binding made;
  made.text = {name};
  made.element = dtype;
  made.scope = std::string(scope);
  bindings_[s->buffer.get()] = std::move(made);
  return true;
}

std::optional<Value> CudaEmitter::fragment_call(const ir::CallNode* call, std::string_view name) {
  const auto& args = call->args;
  auto fragment = [&](int64_t buffer, int64_t index_at) {
    const Expr& data = args[buffer];
    auto* var = ir::as<ir::VarNode>(data);
    if (auto* inner = ir::as_call_to(data, "tirx.buffer_data")) var = ir::as<ir::VarNode>(inner->args[0]);
    if (var == nullptr) refuse("a matrix fragment that is no buffer", call->span);
    return fmt::format("{}[{}]", binding(var, call->span).text.text, index(args[index_at]));
  };
  size_t wanted = name == "tvm_fill_fragment" ? 6 : 8;
  auto enough = [&] {
    if (args.size() != wanted)
      throw ir::Error("wrong-argument-count", "`tirx.{}` takes {} arguments, not {}", name, wanted,
                      args.size())
          .at(call->span);
  };
  auto memory_layout = [&] { return fmt::format("nvcuda::wmma::mem_{}", text_argument(call, 7)); };
  if (name == "tvm_fill_fragment") {
    enough();
    return of(call->dtype(),
              {fmt::format("nvcuda::wmma::fill_fragment({}, {})", fragment(0, 4), scalar(args[5]).text)});
  }
  if (name == "tvm_load_matrix_sync") {
    enough();
    auto* var = ir::as<ir::VarNode>(args[0]);
    if (auto* inner = ir::as_call_to(args[0], "tirx.buffer_data")) var = ir::as<ir::VarNode>(inner->args[0]);
    bool accumulator = var != nullptr && binding(var, call->span).scope == "wmma.accumulator";
    std::string layout = accumulator ? ", " + memory_layout() : "";
    line(fmt::format("nvcuda::wmma::load_matrix_sync({}, {}, {}{});", fragment(0, 4), scalar(args[5]).text,
                     index(args[6]), layout));
    return of(call->dtype(), {""});
  }
  if (name == "tvm_store_matrix_sync") {
    enough();
    return of(call->dtype(),
              {fmt::format("nvcuda::wmma::store_matrix_sync({}, {}, {}, {})", scalar(args[5]).text,
                           fragment(0, 4), index(args[6]), memory_layout())});
  }
  if (name == "tvm_mma_sync" || name == "tvm_bmma_sync") {
    enough();
    return of(call->dtype(), {fmt::format("nvcuda::wmma::{}({}, {}, {}, {})",
                                          name == "tvm_mma_sync" ? "mma_sync" : "bmma_sync", fragment(0, 1),
                                          fragment(2, 3), fragment(4, 5), fragment(6, 7))});
  }
  return std::nullopt;
}

}  // namespace mlc::cuda_backend
