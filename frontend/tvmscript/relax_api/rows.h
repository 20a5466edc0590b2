// SPDX-License-Identifier: Apache-2.0
// The graph language for scripts: `tvm.relax` over its nodes (ir/relax/). What needs no C++ stands in
// stdlib/tvm/relax*.mlc; natives of those modules are below `tvm.relax._ffi_api`.
#pragma once

#include <memory>
#include <span>

#include "frontend/tvmscript/builder/node_arguments.h"
#include "ir/registry/api.h"
#include "ir/relax/infer.h"
#include "ir/relax/normalize.h"

namespace mlc::tvmscript {

inline constexpr std::string_view kRelax = "tvm.relax";
inline constexpr std::string_view kRelaxNatives = "tvm.relax._ffi_api";

std::span<const ir::ApiRow> relax_expr_rows();
std::span<const ir::ApiRow> relax_type_rows();
std::span<const ir::ApiRow> relax_function_rows();
std::span<const ir::ApiRow> relax_builder_rows();
std::span<const ir::ApiRow> relax_gradient_rows();
std::span<const ir::ApiRow> relax_rewrite_rows();
std::span<const ir::ApiRow> relax_analysis_rows();
std::span<const ir::ApiRow> relax_distributed_rows();
// All of them, and the names under which TVM shows the nodes.
void register_relax_api();

// Argument i as an expression of a graph; lists are tuples. Error wrong-type otherwise.
relax::Expr graph_arg(const ApiCall& call, size_t i);
relax::Type type_arg(const ApiCall& call, size_t i);
relax::Function function_arg(const ApiCall& call, size_t i);
// Argument 0, the handle of a BlockBuilder of a script.
std::shared_ptr<relax::BlockBuilder> builder_arg(const ApiCall& call);
template <class N>
ffi::Array<ir::Ref<N>> array_of(const std::vector<ir::Ref<N>>& all) {
  return ffi::Array<ir::Ref<N>>(all.begin(), all.end());
}

}  // namespace mlc::tvmscript
