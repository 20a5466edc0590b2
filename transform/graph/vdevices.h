// SPDX-License-Identifier: Apache-2.0
// Devices that the types of a graph's tensors name.
#pragma once

#include "transform/pass/graph_pass.h"

namespace mlc::transform {

// The devices of the module (`I.module_global_infos({"vdevice": [...]})`), in order.
std::vector<VDevice> vdevices_of(const IRModule& mod);
bool same_vdevice(const VDevice& a, const VDevice& b);
// Are tensors on that device in textures of OpenCL? Storage for them is plain memory.
bool is_opencl_texture(const VDevice& device);
// The type of a tensor, on that device.
Type on_vdevice(const TensorTypeNode* tensor, const VDevice& device);

}  // namespace mlc::transform
