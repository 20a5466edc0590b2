// SPDX-License-Identifier: Apache-2.0
// The reference interpreter of graphs: runs a function of the graph language at any stage, from operators to planned
// memory and calls of the virtual machine. Operators run as what they are legalised to; tensor functions in the
// interpreter of tensor code. It is the judge of passes: what it computes is what the program means.
#pragma once

#include "backend/interp/interp.h"
#include "ir/registry/host.h"
#include "ir/relax/expr.h"

namespace mlc::interp {

// Runs a function of graphs. Tensors are ffi::Tensor or ir::NDArray, tuples lists, shapes lists of int; so is what
// comes back. `host`: whose library legalises operators.
// Errors: wrong-argument-count, wrong-argument, shape-mismatch, cast-mismatch, interpret-unsupported,
// no-such-function, and those of tensor functions.
ir::Any run_graph(const ir::IRModule& mod, std::string_view function, std::span<const ir::Any> args, ir::Host& host);

// A callable that does; operators are legalised once.
ir::ffi::Function compile_graph(const ir::IRModule& mod, std::string_view function, ir::Host& host);

// Random arguments that fit the parameters of `fn`; symbolic dimensions are from 1 to 5, equal where they are one.
// nullopt where a parameter is neither a tensor, a shape, a number nor a tuple of these, or of unknown size.
std::optional<std::vector<ir::Any>> random_graph_arguments(const relax::Function& fn, uint64_t seed);

}  // namespace mlc::interp
