// SPDX-License-Identifier: Apache-2.0
#include "frontend/script/numpy/loop.h"

namespace mlc::script {

Operand operand_of(const ffi::Tensor& tensor) {
  Operand operand{data_of<char>(tensor), strides_of(tensor)};
  for (int64_t& stride : operand.strides) stride *= DataType(tensor.dtype()).bytes();
  return operand;
}
Operand operand_of(const ffi::Tensor& tensor, std::span<const int64_t> shape) {
  return operand_of(broadcast_to(tensor, shape));
}

std::vector<size_t> memory_order(size_t ndim, std::span<const Operand> operands) {
  // A stable insertion sort from the last dimension on. Where operands disagree, row-major wins; a stride of
  // 0 says nothing.
  std::vector<size_t> order(ndim);
  for (size_t i = 0; i < ndim; ++i) order[i] = ndim - 1 - i;
  for (size_t i = 1; i < ndim; ++i) {
    size_t place = i, dim = order[i];
    for (size_t j = i; j-- > 0;) {
      bool compared = false, swap = false;
      for (const Operand& operand : operands) {
        int64_t own = operand.strides[dim], other = operand.strides[order[j]];
        if (own == 0 || other == 0) continue;
        if (std::abs(other) <= std::abs(own))
          swap = false;
        else if (!compared)
          swap = true;
        compared = true;
      }
      if (!compared) continue;
      if (!swap) break;
      place = j;
    }
    std::rotate(order.begin() + static_cast<ptrdiff_t>(place), order.begin() + static_cast<ptrdiff_t>(i),
                order.begin() + static_cast<ptrdiff_t>(i) + 1);
  }
  return order;
}

ffi::Tensor make_in_order(const Shape& shape, const std::vector<size_t>& order, DataType dtype) {
  ffi::Tensor flat = make_array(shape, dtype);
  Shape strides(shape.size());
  int64_t step = 1;
  for (size_t dim : order) {
    strides[dim] = step;
    step *= std::max<int64_t>(shape[dim], 1);
  }
  return strided(flat, shape, strides);
}

Walk::Walk(const Shape& shape, std::span<const Operand> operands) : count_(operands.size()) {
  MLC_CHECK(count_ <= kMost, "a loop over {} arrays", count_);
  for (size_t k = 0; k < count_; ++k) data_[k] = operands[k].data;
  for (int64_t extent : shape) empty_ = empty_ || extent == 0;
  if (empty_) return;
  for (size_t d : memory_order(shape.size(), operands)) {
    if (shape[d] == 1) continue;
    Dim dim{shape[d], {}};
    bool backwards = true, some = false;
    for (size_t k = 0; k < count_; ++k) {
      dim.steps[k] = operands[k].strides[d];
      backwards = backwards && dim.steps[k] <= 0;
      some = some || dim.steps[k] != 0;
    }
    if (backwards && some) {
      for (size_t k = 0; k < count_; ++k) {
        data_[k] += (dim.extent - 1) * dim.steps[k];
        dim.steps[k] = -dim.steps[k];
      }
    }
    bool merges = !dims_.empty();
    for (size_t k = 0; merges && k < count_; ++k)
      merges = dims_.back().extent * dims_.back().steps[k] == dim.steps[k];
    if (merges)
      dims_.back().extent *= dim.extent;
    else
      dims_.push_back(dim);
  }
}

}  // namespace mlc::script
