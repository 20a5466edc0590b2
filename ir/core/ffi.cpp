// SPDX-License-Identifier: Apache-2.0
#include "ir/core/ffi.h"

#include <memory>
#include <sstream>
#include <string>

namespace mlc::ir {

struct FfiError::Parts {
  std::string kind;
  std::string backtrace;
  std::ostringstream message;
};

FfiError::FfiError(const char* kind, const char* file, int line, const char* function)
    : parts_(new Parts{kind, {}, {}}) {
  const TVMFFIByteArray* frames = TVMFFIBacktrace(file, line, function, 0);
  parts_->backtrace.assign(frames->data, frames->size);
}

FfiError::~FfiError() noexcept(false) {
  std::unique_ptr<Parts> parts(parts_);
  throw tvm::ffi::Error(std::move(parts->kind), parts->message.str(), std::move(parts->backtrace));
}

std::ostream& FfiError::stream() { return parts_->message; }

}  // namespace mlc::ir
