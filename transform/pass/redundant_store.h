// SPDX-License-Identifier: Apache-2.0
// A[i] = A[i]: a store of what is there already.
#pragma once

#include "transform/arith/simplify_value.h"
#include "transform/pass/pass.h"

namespace mlc::transform {

inline bool stores_what_is_there(const BufferStoreNode& store, Analyzer& analyzer) {
  Expr value = as<TensorLoadNode>(store.value) ? store.value : simplify_value(store.value, analyzer);
  auto* load = as<TensorLoadNode>(value);
  if (!load || !load->source.same_as(store.buffer)) return false;
  for (size_t d = 0; d < store.indices.size(); ++d) {
    if (!structural_equal(load->indices[d], store.indices[d]) &&
        !analyzer.can_prove_equal(load->indices[d], store.indices[d])) {
      return false;
    }
  }
  return true;
}

}  // namespace mlc::transform
