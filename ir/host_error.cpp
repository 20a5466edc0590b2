// SPDX-License-Identifier: Apache-2.0
#include "ir/host_error.h"

namespace mlc::ir {

std::exception_ptr& error_below() {
  static thread_local std::exception_ptr error;
  return error;
}

}  // namespace mlc::ir
