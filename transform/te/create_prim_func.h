// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ir/core/module.h"
#include "transform/te/tensor.h"

namespace mlc::transform::te {

// The schedulable function that computes what is asked for. `args`: tensors and scalar variables, in the
// order of the parameters; inputs must be among them, other tensors in between become block buffers.
// One block per operation, in an order in which everything is computed before it is used.
PrimFunc create_prim_func(const Array<Any>& args, Span span = {});

// `fn` with shapes, loops, block iterators and indices of an integer type; the values stay what they are.
PrimFunc with_index_type(const PrimFunc& fn, DataType type);

}  // namespace mlc::transform::te
