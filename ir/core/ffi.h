// SPDX-License-Identifier: Apache-2.0
// tvm-ffi as every file of mlc includes it, with two of its inline functions out of line (ffi.cpp).
#pragma once

#include <tvm/ffi/base_details.h>
#include <tvm/ffi/c_api.h>

#include <atomic>
#include <memory>
#include <ostream>
#include <string>

// A reference that ends takes 90 bytes of code and two calls of a deleter where it stands: a third of all code, and as
// much of the time of its compilation. What tvm-ffi subtracts from the count of strong references is subtracted by
// release(), which does the rest, too; the 0 that it returns makes the rest here unreachable. The subtraction can be
// told by its builtin alone.
namespace mlc::ir::detail {
#ifdef __clang__
[[clang::preserve_most]]  // the registers of the caller stay as they are
#endif
void release(TVMFFIObject* object) noexcept;

inline constexpr uint64_t kOneStrong = 1;

template <uint64_t by, int order>
uint64_t subtract(uint64_t* count) {
  if constexpr (by == kOneStrong) {
    static_assert(offsetof(TVMFFIObject, combined_ref_count) == 0);
    release(reinterpret_cast<TVMFFIObject*>(count));
    return 0;
  } else {
    return __atomic_fetch_sub(count, by, order);
  }
}
}  // namespace mlc::ir::detail

#define __atomic_fetch_sub(count, by, order) ::mlc::ir::detail::subtract<(by), (order)>(count)
#include <tvm/ffi/object.h>
#undef __atomic_fetch_sub

#include <tvm/ffi/error.h>

// Checks of tvm-ffi throw through a class whose constructor and destructor are inline: with the error's own members 600
// bytes to 4 kB of code in each file, compiled again. Here they go through one function.

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
