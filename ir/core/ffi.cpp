// SPDX-License-Identifier: Apache-2.0
#include "ir/core/ffi.h"

#include <sstream>

namespace mlc::ir {

namespace {
constexpr uint64_t kOneWeak = uint64_t{1} << 32;

// The last strong reference is gone: the object ends, and its memory with the last weak reference.
[[gnu::noinline]] void end(TVMFFIObject* object, uint64_t count) {
  __atomic_thread_fence(__ATOMIC_ACQUIRE);
  if (object->deleter == nullptr) return;
  if (count == kOneWeak + detail::kOneStrong) {
    object->deleter(object, kTVMFFIObjectDeleterFlagBitMaskBoth);
    return;
  }
  object->deleter(object, kTVMFFIObjectDeleterFlagBitMaskStrong);
  if (__atomic_fetch_sub(&object->combined_ref_count, kOneWeak, __ATOMIC_ACQ_REL) == kOneWeak) {
    object->deleter(object, kTVMFFIObjectDeleterFlagBitMaskWeak);
  }
}
}  // namespace

void detail::release(TVMFFIObject* object) noexcept {
  const uint64_t count = __atomic_fetch_sub(&object->combined_ref_count, kOneStrong, __ATOMIC_RELEASE);
  if (static_cast<uint32_t>(count) == kOneStrong) end(object, count);
}

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
