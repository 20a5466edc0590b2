// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ir/module.h"
#include "transform/te/tensor.h"

namespace mlc::transform::te {

// The schedulable function that computes what is asked for. `args`: tensors and scalar variables, in the
// order of the parameters; inputs must be among them, other tensors in between become block buffers.
// One block per operation, in an order in which everything is computed before it is used.
PrimFunc create_prim_func(const Array<Any>& args, Span span = {});

}  // namespace mlc::transform::te
