// SPDX-License-Identifier: Apache-2.0
#include "backend/gpu/shader_emitter.h"

namespace mlc::gpu_backend {

Text ShaderEmitter::load_vector(DataType, const Text&, const Binding&, ir::Span span) {
  refuse("a pointer to vectors", span);
}
std::string ShaderEmitter::store_vector(DataType, const Text&, const std::string&, const Binding&,
                                        ir::Span span) {
  refuse("a pointer to vectors", span);
}

std::string ShaderEmitter::parameter_type(const Var& param, bool) {
  if (const ir::BufferTypeNode* buffer = param->buffer()) return storage_type(buffer->dtype, param->span);
  if (param->ty->kind == ir::TypeKind::kPrim && !param->dtype().is_handle())
    return type(param->dtype(), param->span);
  auto* pointer = param->ty->kind == ir::TypeKind::kPointer
                      ? static_cast<const ir::PointerTypeNode*>(param->ty.get())
                      : nullptr;
  auto* element = pointer != nullptr && pointer->element_type->kind == ir::TypeKind::kPrim
                      ? static_cast<const ir::PrimTypeNode*>(pointer->element_type.get())
                      : nullptr;
  if (element == nullptr || ir::DataType(element->dtype).is_void())
    refuse(fmt::format("the parameter `{}`, of whose elements nothing is known,", ir::view(param->name)),
           param->span);
  return storage_type(element->dtype, param->span);
}

}  // namespace mlc::gpu_backend
