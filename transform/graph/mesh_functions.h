// SPDX-License-Identifier: Apache-2.0
// Functions of graphs over tensors on meshes.
#pragma once

#include "ir/relax/distributed.h"
#include "transform/pass/graph_pass.h"

namespace mlc::transform {

// A pass of `tvm.relax.distributed.transform`.
constexpr Pass mesh_pass(std::string_view name, std::string_view signature, std::string_view doc, WholePass apply) {
  return {name, "relax.distributed.transform", signature, doc, nullptr, apply};
}
constexpr Pass mesh_function_pass(std::string_view name, std::string_view signature, std::string_view doc,
                                  GraphPass apply) {
  return {name, "relax.distributed.transform", signature, doc, nullptr, nullptr, {}, {}, nullptr, apply};
}

// Do its parameters lie on meshes? Error mesh-parameters-mixed where some tensors do and others do not.
bool is_mesh_function(const Function& fn);
bool is_annotated(const Function& fn);  // has a call of R.dist.annotate_sharding

}  // namespace mlc::transform
