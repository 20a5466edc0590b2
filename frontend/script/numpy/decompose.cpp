// SPDX-License-Identifier: Apache-2.0
// Singular values and the eigenvalues of symmetric matrices, by rotations (C. Jacobi, 1846; M. Hestenes,
// 1958). Vectors are known up to their sign; it is chosen as LAPACK's usually comes out.
#include <cfloat>
#include <cmath>
#include <numeric>

#include "frontend/script/numpy/array.h"

namespace mlc::script {

using ir::ApiKind;
using ir::ApiRow;
using ir::native;

namespace {

// A dense matrix in double precision, row-major.
struct Matrix {
  int64_t rows, columns;
  std::vector<double> data;
  Matrix(int64_t rows, int64_t columns)
      : rows(rows), columns(columns), data(static_cast<size_t>(rows * columns)) {}
  double& at(int64_t i, int64_t j) { return data[static_cast<size_t>(i * columns + j)]; }
};

Matrix matrix_argument(ApiCall& call, const Any& value) {
  ffi::Tensor tensor =
      row_major(to_tensor(evaluator_of(call.host), value, call.span_of(0)), DataType::Float(64));
  MLC_CHECK(tensor.ndim() == 2, "a matrix has two dimensions, not {}", tensor.ndim());
  Matrix matrix(tensor.size(0), tensor.size(1));
  std::copy_n(data_of<double>(tensor), matrix.data.size(), matrix.data.begin());
  for (double element : matrix.data) {
    if (!std::isfinite(element))
      raise("LinAlgError", call.span, "linalg-error", "the decomposition did not converge: {} is an element",
            element);
  }
  return matrix;
}
Any matrix_value(const Matrix& matrix) {
  int64_t shape[] = {matrix.rows, matrix.columns};
  ffi::Tensor tensor = make_array(shape, DataType::Float(64));
  std::copy(matrix.data.begin(), matrix.data.end(), data_of<double>(tensor));
  return array_value(tensor);
}
Any vector_value(const std::vector<double>& values) {
  int64_t shape[] = {static_cast<int64_t>(values.size())};
  ffi::Tensor tensor = make_array(shape, DataType::Float(64));
  std::copy(values.begin(), values.end(), data_of<double>(tensor));
  return array_value(tensor);
}

// The rotation that makes the pair (p, q) with the product `mixed` independent.
struct Rotation {
  double c, s;
  Rotation(double p, double q, double mixed) {
    double zeta = (q - p) / (2 * mixed);
    double t = std::copysign(1.0, zeta) / (std::fabs(zeta) + std::sqrt(1 + zeta * zeta));
    c = 1 / std::sqrt(1 + t * t);
    s = c * t;
  }
  void apply(double& x, double& y) const {
    double before = x;
    x = c * before - s * y;
    y = s * before + c * y;
  }
};
constexpr int kSweeps = 60;

// Eigenvalues in rising order, and vectors as columns; the lower triangle counts.
Any eigh(ApiCall& call, const Any& value, bool upper) {
  Matrix a = matrix_argument(call, value);
  int64_t n = a.rows;
  for (int64_t i = 0; i < n; ++i) {
    for (int64_t j = 0; j < i; ++j) (upper ? a.at(i, j) : a.at(j, i)) = upper ? a.at(j, i) : a.at(i, j);
  }
  Matrix v(n, n);
  for (int64_t i = 0; i < n; ++i) v.at(i, i) = 1;
  for (int sweep = 0; sweep < kSweeps; ++sweep) {
    bool rotated = false;
    for (int64_t p = 0; p < n; ++p) {
      for (int64_t q = p + 1; q < n; ++q) {
        double mixed = a.at(p, q);
        if (std::fabs(mixed) <= DBL_MIN ||
            std::fabs(mixed) <= DBL_EPSILON / 8 * std::sqrt(std::fabs(a.at(p, p)) * std::fabs(a.at(q, q))))
          continue;
        rotated = true;
        Rotation rotation(a.at(p, p), a.at(q, q), mixed);
        for (int64_t k = 0; k < n; ++k) rotation.apply(a.at(k, p), a.at(k, q));
        for (int64_t k = 0; k < n; ++k) rotation.apply(a.at(p, k), a.at(q, k));
        a.at(p, q) = a.at(q, p) = 0;
        for (int64_t k = 0; k < n; ++k) rotation.apply(v.at(k, p), v.at(k, q));
      }
    }
    if (!rotated) break;
  }
  std::vector<int64_t> order(static_cast<size_t>(n));
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](int64_t x, int64_t y) { return a.at(x, x) < a.at(y, y); });
  std::vector<double> values;
  Matrix vectors(n, n);
  for (int64_t j = 0; j < n; ++j) {
    int64_t from = order[static_cast<size_t>(j)];
    values.push_back(a.at(from, from));
    double sign = v.at(n - 1, from) < 0 ? -1 : 1;
    for (int64_t i = 0; i < n; ++i) vectors.at(i, j) = sign * v.at(i, from);
  }
  return Tuple{vector_value(values), matrix_value(vectors)};
}

// Fills the columns from `first` on with unit vectors at right angles to those before.
void complete(Matrix& u, int64_t first) {
  int64_t next = 0;
  for (int64_t j = first; j < u.columns; ++j) {
    for (;; ++next) {
      MLC_CHECK(next < u.rows, "no unit vector is left");
      std::vector<double> column(static_cast<size_t>(u.rows), 0.0);
      column[static_cast<size_t>(next)] = 1;
      for (int pass = 0; pass < 2; ++pass) {
        for (int64_t k = 0; k < j; ++k) {
          double along = 0;
          for (int64_t i = 0; i < u.rows; ++i) along += u.at(i, k) * column[static_cast<size_t>(i)];
          for (int64_t i = 0; i < u.rows; ++i) column[static_cast<size_t>(i)] -= along * u.at(i, k);
        }
      }
      double size = std::sqrt(std::inner_product(column.begin(), column.end(), column.begin(), 0.0));
      if (size < 0.1 / std::sqrt(static_cast<double>(u.rows))) continue;
      for (int64_t i = 0; i < u.rows; ++i) u.at(i, j) = column[static_cast<size_t>(i)] / size;
      ++next;
      break;
    }
  }
}

// u of m rows (all its columns if `full`), singular values in falling order, and v with vectors as columns,
// of a matrix with at least as many rows as columns.
Any svd(ApiCall& call, const Any& value, bool full) {
  Matrix a = matrix_argument(call, value);
  int64_t m = a.rows, n = a.columns;
  MLC_CHECK(m >= n, "the matrix is wide");
  Matrix v(n, n);
  for (int64_t i = 0; i < n; ++i) v.at(i, i) = 1;
  for (int sweep = 0; sweep < kSweeps; ++sweep) {
    bool rotated = false;
    for (int64_t p = 0; p < n; ++p) {
      for (int64_t q = p + 1; q < n; ++q) {
        double pp = 0, qq = 0, mixed = 0;
        for (int64_t k = 0; k < m; ++k) {
          pp += a.at(k, p) * a.at(k, p);
          qq += a.at(k, q) * a.at(k, q);
          mixed += a.at(k, p) * a.at(k, q);
        }
        if (std::fabs(mixed) <= DBL_MIN || std::fabs(mixed) <= DBL_EPSILON * std::sqrt(pp * qq)) continue;
        rotated = true;
        Rotation rotation(pp, qq, mixed);
        for (int64_t k = 0; k < m; ++k) rotation.apply(a.at(k, p), a.at(k, q));
        for (int64_t k = 0; k < n; ++k) rotation.apply(v.at(k, p), v.at(k, q));
      }
    }
    if (!rotated) break;
  }
  std::vector<double> sizes(static_cast<size_t>(n));
  for (int64_t j = 0; j < n; ++j) {
    double sum = 0;
    for (int64_t k = 0; k < m; ++k) sum = std::hypot(sum, a.at(k, j));
    sizes[static_cast<size_t>(j)] = sum;
  }
  std::vector<size_t> order(static_cast<size_t>(n));
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](size_t x, size_t y) { return sizes[x] > sizes[y]; });
  std::vector<double> values;
  Matrix u(m, full ? m : n), vectors(n, n);
  int64_t rank = 0;
  double least = order.empty() ? 0 : sizes[order[0]] * DBL_EPSILON * static_cast<double>(m);
  for (int64_t j = 0; j < n; ++j) {
    auto from = static_cast<int64_t>(order[static_cast<size_t>(j)]);
    double size = sizes[static_cast<size_t>(from)];
    values.push_back(size);
    double sign = 1;
    if (size > least) {
      ++rank;
      int64_t lead = 0;
      while (lead + 1 < m && std::fabs(a.at(lead, from)) <= size * DBL_EPSILON) ++lead;
      sign = a.at(lead, from) > 0 ? -1 : 1;
      for (int64_t i = 0; i < m; ++i) u.at(i, j) = sign * a.at(i, from) / size;
    }
    for (int64_t i = 0; i < n; ++i) vectors.at(i, j) = sign * v.at(i, from);
  }
  complete(u, rank);
  return Tuple{matrix_value(u), vector_value(values), matrix_value(vectors)};
}

const ApiRow rows[] = {
    {ApiKind::kFunction, "numpy.linalg", "_eigh(a, upper)", "Eigenvalues and vectors of a symmetric matrix.",
     native([](ApiCall& call, Any a, bool upper) { return eigh(call, a, upper); })},
    {ApiKind::kFunction, "numpy.linalg", "_svd(a, full)", "Singular values and vectors of a tall matrix.",
     native([](ApiCall& call, Any a, bool full) { return svd(call, a, full); })},
};

}  // namespace

std::span<const ir::ApiRow> np_decompose_rows() { return rows; }

}  // namespace mlc::script
