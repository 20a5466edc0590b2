// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace mlc::transform {

// Adds everything scripts can call here to ApiRegistry::global().
void register_api();
// The part of transform/te.
void register_te_api();
void register_operation_api();
void register_index_map_api();
void register_analysis_api();
void register_copy_api();
void register_cost_model_api();
void register_graph_api();
// The part of transform/arith: tvm.sym.
void register_arith_api();

}  // namespace mlc::transform
