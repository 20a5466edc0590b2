// SPDX-License-Identifier: Apache-2.0
// What np.seterr decides: floating-point errors of an operation are ignored, warned about or raised.
#pragma once

#include <cfenv>

#include "frontend/script/numpy/array.h"

namespace mlc::script {

// Looks at the flags of the floating-point unit when it ends.
class FloatErrors {
 public:
  FloatErrors(Evaluator& evaluator, std::string_view operation, ir::Span span)
      : evaluator_(evaluator), operation_(operation), span_(span), exceptions_(std::uncaught_exceptions()) {
    std::feclearexcept(FE_ALL_EXCEPT);
  }
  ~FloatErrors() noexcept(false) {
    if (std::uncaught_exceptions() == exceptions_ &&
        std::fetestexcept(FE_DIVBYZERO | FE_OVERFLOW | FE_UNDERFLOW | FE_INVALID) != 0)
      report();
  }
  FloatErrors(const FloatErrors&) = delete;

 private:
  void report();
  Evaluator& evaluator_;
  std::string_view operation_;
  ir::Span span_;
  int exceptions_;
};

// Raises NotImplementedError unless `where` of a reduction is True.
void refuse_where(const Any& where, ir::Span span);
// A result as a scalar or array, or written to the array given as `out`.
Any into_out(const ffi::Tensor& result, const Any& out, ir::Span span);

}  // namespace mlc::script
