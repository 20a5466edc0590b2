// SPDX-License-Identifier: Apache-2.0
// A tensor function over whole tensors as what each worker of a mesh computes on its parts. After TVM's
// DistributedBufferCompactor.
#pragma once

#include "ir/relax/distributed.h"
#include "transform/pass/graph_pass.h"

namespace mlc::transform {

struct LocalView {
  PrimFunc fn;
  // How the workers' results are combined where they are partial ("sum", "prod", "min", "max"); empty: they are not.
  std::string reduction;
};
// `types`: how the buffers among the parameters lie, in their order. Errors partition-unclear, partition-uneven,
// reduction-unclear, reduction-used.
LocalView local_view(const PrimFunc& fn, const std::vector<DTensorType>& types);

}  // namespace mlc::transform
