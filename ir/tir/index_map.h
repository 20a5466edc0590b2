// SPDX-License-Identifier: Apache-2.0
// A map of indices: what a layout does to the indices of a buffer or the iterators of a block.
#pragma once

#include "ir/core/expr.h"

namespace mlc::ir {

// lambda initial_indices: final_indices
struct IndexMapNode final : ffi::Object {
  Array<Var> initial_indices;
  Array<Expr> final_indices;
  Ref<IndexMapNode> inverse_index_map;  // where its maker knows better than a computation; may be null

  IndexMapNode(Array<Var> initial_indices, Array<Expr> final_indices,
               Ref<IndexMapNode> inverse_index_map = nullptr)
      : initial_indices(std::move(initial_indices)),
        final_indices(std::move(final_indices)),
        inverse_index_map(std::move(inverse_index_map)) {}
  template <class F>
  static void fields(F& f) {
    f.binder("initial_indices", &IndexMapNode::initial_indices);
    f("final_indices", &IndexMapNode::final_indices);
    f.ignored("inverse_index_map", &IndexMapNode::inverse_index_map);
  }
  static constexpr TVMFFISEqHashKind _type_s_eq_hash_kind = kTVMFFISEqHashKindTreeNode;
  MLC_NODE("mlc.tirx.IndexMap", IndexMapNode, ffi::Object);
};
using IndexMap = Ref<IndexMapNode>;

}  // namespace mlc::ir
