// SPDX-License-Identifier: Apache-2.0
#include "ir/registry/host_error.h"

namespace mlc::ir {

namespace {

Crossing& answering() {
  static Crossing crossing = nullptr;
  return crossing;
}

}  // namespace

std::exception_ptr& error_below() {
  static thread_local std::exception_ptr error;
  return error;
}

void leave_script(Host& host) {
  std::exception_ptr error = std::current_exception();
  if (answering() != nullptr) error = answering()(host, error);
  error_below() = error;
  std::rethrow_exception(error);
}
void answer_crossings(Crossing crossing) { answering() = crossing; }

}  // namespace mlc::ir
