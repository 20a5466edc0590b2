// SPDX-License-Identifier: Apache-2.0
// The loop nest of a function as a list: loops, blocks, branches and the statements that stand in none of the
// blocks, in program order, with what each buffer takes. Of a schedulable function, and of one at any stage
// of its lowering.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ir/core/module.h"

namespace mlc::transform {

struct LoopTree {
  enum class Kind : uint8_t {
    kLoop,
    kThreads,  // an attribute that binds a variable to threads, as lowering makes of loops
    kBlock,
    kInit,    // the part of a block that runs before its first reduction step; its statements are below
    kBranch,  // `if`; its second half is a branch of its own
    kElse,
    kWhile,
    kStore,  // a store in no block
    kCall,   // an expression for its effects, in no block
  };
  struct Node {
    Kind kind = Kind::kLoop;
    size_t depth = 0;  // of the nest: its parent is the nearest node before it that is one less deep
    ir::Stmt stmt;
    std::string name;  // of the loop's variable, the block, the buffer stored to
    // Loops: where they begin and how many iterations they have. `iterations`: where that is a number.
    ir::Expr begin, extent;
    std::optional<int64_t> iterations;
    ir::ForKind loop_kind = ir::ForKind::kSerial;
    std::string thread;  // "threadIdx.x"
    ir::Map<ir::String, ir::Any> annotations;
    // Blocks.
    ir::Array<ir::IterVar> iters;
    ir::Array<ir::Expr> values;  // of them
    ir::Expr condition;          // of a block that runs in some iterations only, of a branch; null: always
    ir::Array<ir::TensorRegion> reads, writes;
    std::vector<size_t> allocates;  // indices into `buffers`: those that live in this node
    // How often it is entered or runs, branches taken to be; nothing where an extent is no number.
    std::optional<double> runs;
  };
  struct Buffer {
    ir::Buffer buffer;
    std::string name;
    std::string scope;                // "global", "shared", "local", ...
    std::optional<int64_t> elements;  // nothing where an extent of its shape is no number
    std::optional<int64_t> bytes;
    bool is_parameter = false;
  };

  std::string function;
  std::vector<Node> nodes;
  std::vector<Buffer> buffers;  // parameters, then allocations in program order

  // A parent's index, or nothing for what stands in the function itself.
  std::optional<size_t> parent_of(size_t node) const;
  // The most bytes of allocations that are alive at once, by scope, in order of appearance.
  std::vector<std::pair<std::string, int64_t>> allocated() const;
};

LoopTree loop_tree(const std::string& name, const ir::PrimFunc& fn);
// Of each function of TIR, in the module's order. Relax functions have no loops.
std::vector<LoopTree> loop_trees(const ir::IRModule& mod);

// "parallel", "threadIdx.x", ...; "" for a serial loop.
std::string kind_of(const LoopTree::Node& loop);
// "SSR": the kinds of a block's iterators, as T.axis.remap writes them.
std::string iterator_kinds(const ir::Array<ir::IterVar>& iters);

}  // namespace mlc::transform
