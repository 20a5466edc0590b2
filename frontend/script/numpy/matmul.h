// SPDX-License-Identifier: Apache-2.0
// Products of two matrices with any strides.
#pragma once

#include "frontend/script/numpy/array.h"

namespace mlc::script {

template <class T>
struct MatrixView {
  const T* data;
  int64_t row, column;  // strides in elements
};

// c = a b for a of m x k and b of k x n; c is row-major.
void multiply(MatrixView<float> a, MatrixView<float> b, float* c, int64_t m, int64_t k, int64_t n);
void multiply(MatrixView<double> a, MatrixView<double> b, double* c, int64_t m, int64_t k, int64_t n);

template <class T>
void multiply(MatrixView<T> a, MatrixView<T> b, T* c, int64_t m, int64_t k, int64_t n) {
  using C = Compute<T>;
  std::vector<C> row(static_cast<size_t>(n));
  for (int64_t i = 0; i < m; ++i) {
    std::fill(row.begin(), row.end(), C{});
    for (int64_t p = 0; p < k; ++p) {
      C x = static_cast<C>(a.data[i * a.row + p * a.column]);
      const T* from = b.data + p * b.row;
      for (int64_t j = 0; j < n; ++j) {
        C& sum = row[static_cast<size_t>(j)];
        C y = static_cast<C>(from[j * b.column]);
        if constexpr (std::is_integral_v<T>) {
          sum = static_cast<C>(static_cast<uint64_t>(sum) +
                               static_cast<uint64_t>(x) * static_cast<uint64_t>(y));
        } else {
          sum += x * y;
        }
      }
    }
    for (int64_t j = 0; j < n; ++j) c[i * n + j] = static_cast<T>(row[static_cast<size_t>(j)]);
  }
}
template <>
inline void multiply<bool>(MatrixView<bool> a, MatrixView<bool> b, bool* c, int64_t m, int64_t k, int64_t n) {
  for (int64_t i = 0; i < m; ++i) {
    for (int64_t j = 0; j < n; ++j) {
      bool some = false;
      for (int64_t p = 0; p < k && !some; ++p)
        some = a.data[i * a.row + p * a.column] && b.data[p * b.row + j * b.column];
      c[i * n + j] = some;
    }
  }
}

}  // namespace mlc::script
