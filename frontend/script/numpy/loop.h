// SPDX-License-Identifier: Apache-2.0
// Walking several arrays of one shape together, in the order NumPy's iterator takes: the dimension of the
// smallest strides innermost, dimensions merged where memory allows.
#pragma once

#include <algorithm>
#include <cstdlib>

#include "frontend/script/numpy/array.h"
#include "ir/core/interrupt.h"

namespace mlc::script {

// Memory of an array as a loop sees it; strides in bytes, one per dimension of the walk.
struct Operand {
  char* data = nullptr;
  Shape strides;
};
Operand operand_of(const ffi::Tensor& tensor);
// The same seen in a larger shape.
Operand operand_of(const ffi::Tensor& tensor, std::span<const int64_t> shape);

// The order of dimensions from the innermost outwards that suits these operands.
std::vector<size_t> memory_order(size_t ndim, std::span<const Operand> operands);
// Row-major in the given order of dimensions: what a fresh result gets.
ffi::Tensor make_in_order(const Shape& shape, const std::vector<size_t>& order, DataType dtype);

class Walk {
 public:
  static constexpr size_t kMost = 6;  // operands
  Walk(const Shape& shape, std::span<const Operand> operands);

  // The same for an `inner` that does each element by itself: in parts, between which Ctrl-C is heeded.
  template <class F>
  void run_in_parts(F&& inner) {
    run([&, since = int64_t{0}](char** at, int64_t count, const int64_t* steps) mutable {
      constexpr int64_t kPart = int64_t{1} << 18;
      for (int64_t done = 0; done < count; done += kPart) {
        if ((since += std::min(kPart, count - done)) > kPart) ir::heed_interrupt(), since = 0;
        inner(at, std::min(kPart, count - done), steps);
        for (size_t k = 0; k < count_; ++k) at[k] += kPart * steps[k];
      }
    });
  }

  // inner(pointers, count, steps in bytes)
  template <class F>
  void run(F&& inner) {
    if (empty_) return;
    char* at[kMost];
    std::copy_n(data_, count_, at);
    if (dims_.empty()) {
      int64_t steps[kMost] = {};
      inner(static_cast<char**>(at), int64_t{1}, static_cast<const int64_t*>(steps));
      return;
    }
    std::vector<int64_t> index(dims_.size(), 0);
    const Dim& innermost = dims_[0];
    for (;;) {
      char* pointers[kMost];
      std::copy_n(at, count_, pointers);
      inner(static_cast<char**>(pointers), innermost.extent, static_cast<const int64_t*>(innermost.steps));
      size_t d = 1;
      for (; d < dims_.size(); ++d) {
        const Dim& dim = dims_[d];
        for (size_t k = 0; k < count_; ++k) at[k] += dim.steps[k];
        if (++index[d] < dim.extent) break;
        for (size_t k = 0; k < count_; ++k) at[k] -= dim.extent * dim.steps[k];
        index[d] = 0;
      }
      if (d == dims_.size()) return;
    }
  }

 private:
  struct Dim {
    int64_t extent;
    int64_t steps[kMost];
  };
  std::vector<Dim> dims_;  // innermost first
  char* data_[kMost];
  size_t count_;
  bool empty_ = false;
};

// Walks all elements of `tensor` in row-major order; visit(offset in elements).
template <class F>
void each_offset(const ffi::Tensor& tensor, F&& visit) {
  Shape shape = shape_of(tensor), strides = strides_of(tensor);
  int64_t count = product(shape);
  if (count == 0) return;
  size_t n = shape.size();
  if (n == 0) {
    visit(int64_t{0});
    return;
  }
  std::vector<int64_t> index(n, 0);
  int64_t offset = 0;
  int64_t inner = shape[n - 1], step = strides[n - 1];
  for (;;) {
    int64_t at = offset;
    for (int64_t i = 0; i < inner; ++i, at += step) visit(at);
    size_t d = n - 1;
    for (;;) {
      if (d == 0) return;
      --d;
      offset += strides[d];
      if (++index[d] < shape[d]) break;
      offset -= shape[d] * strides[d];
      index[d] = 0;
    }
  }
}

}  // namespace mlc::script
