// SPDX-License-Identifier: Apache-2.0
// tvm-ffi as every file of mlc includes it. Its checks throw through a class whose constructor and destructor are
// inline: with the error's own members 600 bytes to 4 kB of code in each file, compiled again. Here they go through
// one function that lives in ffi.cpp.
#pragma once

#include <tvm/ffi/error.h>

#include <ostream>

namespace mlc::ir {

// What TVM_FFI_THROW writes its message to; the error leaves with the end of the expression.
class FfiError {
 public:
  FfiError(const char* kind, const char* file, int line, const char* function);
  FfiError(const FfiError&) = delete;
  FfiError& operator=(const FfiError&) = delete;
  [[noreturn]] ~FfiError() noexcept(false);
  std::ostream& stream();

 private:
  struct Parts;
  Parts* parts_;
};

}  // namespace mlc::ir

#undef TVM_FFI_THROW
#define TVM_FFI_THROW(ErrorKind) \
  ::mlc::ir::FfiError(#ErrorKind, __FILE__, __LINE__, TVM_FFI_FUNC_SIG).stream()

#include <tvm/ffi/any.h>
#include <tvm/ffi/container/array.h>
#include <tvm/ffi/container/map.h>
#include <tvm/ffi/container/tensor.h>
#include <tvm/ffi/dtype.h>
#include <tvm/ffi/function.h>
#include <tvm/ffi/object.h>
#include <tvm/ffi/string.h>
