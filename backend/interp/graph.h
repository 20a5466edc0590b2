// SPDX-License-Identifier: Apache-2.0
// The reference interpreter of graphs: runs a function of the graph language at any stage, from operators to planned
// memory and calls of the virtual machine. Operators run as what they are legalised to; tensor functions in the
// interpreter of tensor code. It is the judge of passes: what it computes is what the program means.
#pragma once

#include <functional>
#include <optional>

#include "backend/interp/interp.h"
#include "ir/registry/host.h"
#include "ir/relax/expr.h"

namespace mlc::interp {

// The tensor that a value is; none of nothing, which tvm-ffi takes for a reference to no tensor.
std::optional<ir::ffi::Tensor> as_tensor(const ir::Any& value);

// Makes a tensor function of a module callable.
using TensorFunctions = std::function<ir::ffi::Function(const ir::IRModule& mod, std::string_view name)>;

// A callable that runs a function of graphs; operators are legalised once. Tensors are ffi::Tensor or ir::NDArray,
// tuples lists, shapes lists of int; so is what comes back. `host`: whose library legalises operators.
// `tensor_functions`: the interpreter of tensor code unless given.
// Errors when it is called: graph-argument-count, graph-wrong-argument, graph-shape-mismatch, graph-unsupported,
// graph-assertion-failed, no-such-function, and those of tensor functions.
ir::ffi::Function compile_graph(const ir::IRModule& mod, std::string_view function, ir::Host& host,
                                const TensorFunctions& tensor_functions = {});

// With operators as calls of what they are legalised to, as graphs run.
ir::IRModule legalized(const ir::IRModule& mod, ir::Host& host);

// What random arguments are drawn from. Floats are quarters in [-2, 2]: sums of products are the same in every order.
struct GraphValues {
  int64_t least_integer = -8, greatest_integer = 8;
  std::optional<int64_t> size = {};  // of symbolic dimensions; otherwise 1 to 5
};
// Random arguments that fit the parameters of `fn`; a symbolic dimension has one value everywhere. nullopt where a
// parameter is neither a tensor, a shape, a number nor a tuple of these, or of unknown size: `why` names it.
std::optional<std::vector<ir::Any>> random_graph_arguments(const relax::Function& fn, uint64_t seed, ir::Host& host,
                                                           const GraphValues& values = {}, std::string* why = nullptr);

}  // namespace mlc::interp
