// SPDX-License-Identifier: Apache-2.0
// Products of float matrices: blocks are packed so that the innermost loop reads both factors in order, and
// keeps a small tile of the result in registers (K. Goto, R. van de Geijn, 2008).
#include "frontend/script/numpy/matmul.h"

#include <algorithm>

#include "ir/core/interrupt.h"
#include "ir/core/sanitizers.h"

namespace mlc::script {
namespace {

// ThreadSanitizer is not there yet when the loader asks which clone to take.
#if defined(__x86_64__) && defined(__GNUC__) && defined(__OPTIMIZE__) && !defined(MLC_TSAN)
#define MLC_NP_CLONES __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define MLC_NP_CLONES
#endif

constexpr int64_t kDepth = 256;   // of a packed block
constexpr int64_t kHeight = 120;  // rows of a packed block of a

// A tile of rows x columns in vectors of 16 floats or 8 doubles.
template <class T>
struct Tile {
  static constexpr int64_t kRows = 6;
  static constexpr int64_t kLanes = 64 / sizeof(T);
  static constexpr int64_t kColumns = 2 * kLanes;
  typedef T Vector __attribute__((vector_size(64)));
};

template <class T>
[[gnu::always_inline]] inline void tile(const T* a, const T* b, T* c, int64_t depth, int64_t stride) {
  using V = typename Tile<T>::Vector;
  constexpr int64_t rows = Tile<T>::kRows, lanes = Tile<T>::kLanes;
  V sum[rows][2] = {};
  for (int64_t p = 0; p < depth; ++p) {
    V left, right;
    __builtin_memcpy(&left, b, sizeof left);
    __builtin_memcpy(&right, b + lanes, sizeof right);
    for (int64_t i = 0; i < rows; ++i) {
      sum[i][0] += a[i] * left;
      sum[i][1] += a[i] * right;
    }
    a += rows;
    b += 2 * lanes;
  }
  for (int64_t i = 0; i < rows; ++i) {
    T* to = c + i * stride;
    for (int64_t half = 0; half < 2; ++half) {
      V before;
      __builtin_memcpy(&before, to + half * lanes, sizeof before);
      before += sum[i][half];
      __builtin_memcpy(to + half * lanes, &before, sizeof before);
    }
  }
}
MLC_NP_CLONES void tile_of(const float* a, const float* b, float* c, int64_t depth, int64_t stride) {
  tile<float>(a, b, c, depth, stride);
}
MLC_NP_CLONES void tile_of(const double* a, const double* b, double* c, int64_t depth, int64_t stride) {
  tile<double>(a, b, c, depth, stride);
}

template <class T>
void blocked(MatrixView<T> a, MatrixView<T> b, T* c, int64_t m, int64_t k, int64_t n) {
  constexpr int64_t rows = Tile<T>::kRows, columns = Tile<T>::kColumns;
  int64_t wide = (n + columns - 1) / columns * columns;
  std::vector<T> packed_b(static_cast<size_t>(wide * std::min(k, kDepth)));
  std::vector<T> packed_a(static_cast<size_t>((kHeight + rows) * std::min(k, kDepth)));
  std::fill_n(c, m * n, T(0));
  for (int64_t p0 = 0; p0 < k; p0 += kDepth) {
    int64_t depth = std::min(kDepth, k - p0);
    T* to = packed_b.data();
    for (int64_t j0 = 0; j0 < n; j0 += columns) {
      int64_t width = std::min(columns, n - j0);
      for (int64_t p = 0; p < depth; ++p) {
        const T* from = b.data + (p0 + p) * b.row + j0 * b.column;
        for (int64_t j = 0; j < width; ++j) *to++ = from[j * b.column];
        for (int64_t j = width; j < columns; ++j) *to++ = 0;
      }
    }
    for (int64_t i0 = 0; i0 < m; i0 += kHeight) {
      ir::heed_interrupt();
      int64_t height = std::min(kHeight, m - i0);
      to = packed_a.data();
      for (int64_t i1 = 0; i1 < height; i1 += rows) {
        for (int64_t p = 0; p < depth; ++p) {
          for (int64_t i = 0; i < rows; ++i)
            *to++ = i1 + i < height ? a.data[(i0 + i1 + i) * a.row + (p0 + p) * a.column] : T(0);
        }
      }
      for (int64_t j0 = 0; j0 < n; j0 += columns) {
        for (int64_t i1 = 0; i1 < height; i1 += rows) {
          const T* left = packed_a.data() + i1 * depth;
          const T* right = packed_b.data() + j0 * depth;
          T* target = c + (i0 + i1) * n + j0;
          if (j0 + columns <= n && i1 + rows <= height) {
            tile_of(left, right, target, depth, n);
            continue;
          }
          T edge[rows * columns] = {};
          tile_of(left, right, edge, depth, columns);
          for (int64_t i = 0; i < std::min(rows, height - i1); ++i) {
            for (int64_t j = 0; j < std::min(columns, n - j0); ++j)
              target[i * n + j] += edge[i * columns + j];
          }
        }
      }
    }
  }
}

// Small products and products with a vector: sums in order.
template <class T>
void plain(MatrixView<T> a, MatrixView<T> b, T* c, int64_t m, int64_t k, int64_t n) {
  for (int64_t i = 0; i < m; ++i) {
    const T* left = a.data + i * a.row;
    for (int64_t j = 0; j < n; ++j) {
      const T* right = b.data + j * b.column;
      T lanes[8] = {};
      int64_t p = 0;
      if (a.column == 1 && b.row == 1) {
        for (; p + 8 <= k; p += 8) {
          for (int64_t q = 0; q < 8; ++q) lanes[q] += left[p + q] * right[p + q];
        }
      }
      T sum =
          ((lanes[0] + lanes[1]) + (lanes[2] + lanes[3])) + ((lanes[4] + lanes[5]) + (lanes[6] + lanes[7]));
      for (; p < k; ++p) sum += left[p * a.column] * right[p * b.row];
      c[i * n + j] = sum;
    }
  }
}

template <class T>
void choose(MatrixView<T> a, MatrixView<T> b, T* c, int64_t m, int64_t k, int64_t n) {
  if (n < 4 || m < 2 || m * n * k < 4096) return plain(a, b, c, m, k, n);
  blocked(a, b, c, m, k, n);
}

}  // namespace

void multiply(MatrixView<float> a, MatrixView<float> b, float* c, int64_t m, int64_t k, int64_t n) {
  choose(a, b, c, m, k, n);
}
void multiply(MatrixView<double> a, MatrixView<double> b, double* c, int64_t m, int64_t k, int64_t n) {
  choose(a, b, c, m, k, n);
}

}  // namespace mlc::script
