// SPDX-License-Identifier: Apache-2.0
// The loops around a store and the bytes that they touch: what store_features.cpp and store_accesses.cpp
// share.
#pragma once

#include <array>
#include <cmath>
#include <unordered_map>
#include <vector>

#include "transform/arith/analyzer.h"

namespace mlc::transform {

// The logarithm of how large a number is; zero has one, too.
inline double magnitude(double x) { return std::log2(std::abs(x) + 1); }

// Iterations, where that is a constant; else one, which leaves products as they are.
inline int64_t iterations(const ForNode* loop) {
  auto* extent = as<IntImmNode>(loop->extent);
  return extent ? extent->value : 1;
}

// blockIdx.x y z, threadIdx.x y z, virtual threads.
inline constexpr size_t kThreadAxes = 7;

struct LoopNest {
  int64_t product = 1;              // of all iterations
  std::vector<const ForNode*> all;  // the outermost first
  std::vector<const ForNode*> parallel, vectorized, unrolled;
  std::array<std::vector<const ForNode*>, kThreadAxes> threads;
  std::vector<int64_t> unroll_steps;  // of the pragma of automatic unrolling
};

using Numels = std::unordered_map<const VarNode*, std::vector<int64_t>>;
// Elements of each buffer that one run of a loop touches, per store below the loop so far.
using Touched = std::unordered_map<const ForNode*, Numels>;

enum class AccessKind : uint8_t { kRead, kWrite, kReadWrite };
enum class Reuse : uint8_t { kLoopRead, kSerialReadWrite, kNone };

// How one store uses one buffer.
struct BufferAccess {
  const VarNode* buffer;
  AccessKind access;
  std::vector<const Array<Expr>*> indices;   // of all its accesses
  std::vector<std::vector<Expr>> bounded{};  // the same, as their bounds are taken

  std::vector<int64_t> shape{};       // of what is touched by the whole nest
  std::vector<int64_t> loop_numel{};  // elements, by loop
  int64_t min_stride = 0, innermost_stride = 0, unstrided_iterations = 1, continuous_bytes = 1;

  Reuse reuse = Reuse::kNone;
  double reuse_iterations = 0, reuse_bytes = 0;
  int64_t reuse_count = 0;

  double bytes = 0, unique_bytes = 0, lines = 0, unique_lines = 0;
};

// Of one store, the buffer of most lines first. `loop_bytes`: what each loop touches. `touched` gets more.
std::vector<BufferAccess> buffer_accesses(const BufferStoreNode& store, const LoopNest& nest,
                                          int64_t cache_line_bytes, std::vector<double>& loop_bytes,
                                          Touched& touched, Analyzer& analyzer);

// Extents of a buffer; the most that they can be, one where nothing bounds them.
std::vector<int64_t> constant_shape(const VarNode* buffer, Analyzer& analyzer);

inline int64_t element_bytes(const VarNode* buffer) { return (buffer->buffer()->dtype.bits + 7) / 8; }

}  // namespace mlc::transform
