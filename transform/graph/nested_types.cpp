// SPDX-License-Identifier: Apache-2.0
#include "transform/graph/nested_types.h"

namespace mlc::transform {

bool is_tensors(const Type& type) {
  if (const auto* tuple = as_type<TupleTypeNode>(type))
    return std::all_of(tuple->elements.begin(), tuple->elements.end(), is_tensors);
  return as_type<TensorTypeNode>(type) != nullptr;
}

}  // namespace mlc::transform
