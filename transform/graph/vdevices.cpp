// SPDX-License-Identifier: Apache-2.0
#include "transform/graph/vdevices.h"

#include "ir/tir/texture.h"

namespace mlc::transform {

std::vector<VDevice> vdevices_of(const IRModule& mod) {
  std::vector<VDevice> all;
  auto found = mod->global_infos.find("vdevice");
  if (found == mod->global_infos.end()) return all;
  for (const Any& each : (*found).second.cast<Array<Any>>()) {
    if (auto device = each.as<VDevice>()) all.push_back(*device);
  }
  return all;
}

bool same_vdevice(const VDevice& a, const VDevice& b) {
  return a.same_as(b) || (a && b && ir::structural_equal(Any(a), Any(b)));
}

bool is_opencl_texture(const VDevice& device) {
  return device && device->target && device->target->kind == "opencl" &&
         ir::is_texture(text(device->memory_scope));
}

Type on_vdevice(const TensorTypeNode* tensor, const VDevice& device) {
  if (tensor->shape) return make<TensorTypeNode>(tensor->shape, tensor->data_type(), device);
  return make<TensorTypeNode>(tensor->data_type(), tensor->ndim, device);
}

}  // namespace mlc::transform
