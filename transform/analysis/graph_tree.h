// SPDX-License-Identifier: Apache-2.0
// A function of graphs as a list: blocks, bindings, branches and local functions in program order, with what each
// binding calls, what it uses and who uses it.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "ir/core/module.h"
#include "ir/relax/expr.h"

namespace mlc::transform {

struct GraphTree {
  enum class Kind : uint8_t {
    kParam,
    kBlock,     // bindings that may have effects
    kDataflow,  // bindings without
    kBinding,
    kIf,        // the binding of what a branch yields; the branches are below
    kElse,
    kFunction,  // the binding of a local function; its body is below
    kResult,    // what a function or branch yields
  };
  // How a value is computed, as far as that can be seen.
  enum class Nature : uint8_t {
    kPlain,           // variables, constants, tuples, shapes
    kOperator,        // of the graph
    kMemory,          // allocates, frees, or looks at memory in another way
    kTensorFunction,  // a function of the module on tensors
    kGraph,           // another graph of the module
    kOpaque,          // a packed function, a closure: nothing is known of it
  };
  struct Node {
    Kind kind = Kind::kBinding;
    size_t depth = 0;  // of blocks, branches and local functions around it
    ir::Var var = ir::Var(nullptr);      // that is bound; null for blocks and results
    ir::Expr value = ir::Expr(nullptr);
    std::string what = {};    // what is called or made: "matmul", "call_tir", "tuple", "match_cast"
    std::string callee = {};  // of what is no operator: "fused_matmul_relu"; "" else
    Nature nature = Nature::kPlain;
    std::vector<std::string> operands = {};  // as they are written: names, "const", "(a, b)"
    std::vector<size_t> uses = {}, users = {};  // nodes, each once
    bool inplace = false;               // its result lies in an operand
    bool is_output = false;             // of a dataflow block
  };

  std::string function;
  relax::Function fn;
  std::vector<Node> nodes;
};

// Prints expressions: dimensions, numbers.
using TextOf = std::function<std::string(const ir::Any&)>;

// `mod`: the module of the function, which says what its calls are; null where there is none.
GraphTree graph_tree(const std::string& name, const relax::Function& fn, const ir::IRModule& mod, const TextOf& text);

// "float32(n, 8)", "shape(n, 4)", "(float32(2), int64)".
std::string short_type(const ir::Type& type, const TextOf& text);

// Runs of bindings that say the same again and again, as layers of a network do: what they call, with how many operands,
// and the types of their results. Those of one block, at least three times, longest first where several begin at one
// binding. Time is linear in the number of nodes.
struct Repeat {
  size_t begin;   // node
  size_t period;  // nodes
  size_t times;
};
std::vector<Repeat> repeats_in(const GraphTree& tree, const TextOf& text);

}  // namespace mlc::transform
