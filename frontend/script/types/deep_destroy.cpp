// SPDX-License-Identifier: Apache-2.0
#include "frontend/script/types/deep_destroy.h"

namespace mlc::script {

namespace {

constexpr int kMostEnding = 200;  // deleters that run, one inside the other
int ending = 0;

struct Waiting {
  void* object;
  ffi::FObjectDeleter end;
};
std::vector<Waiting>& waiting() {
  static auto& all = *new std::vector<Waiting>;
  return all;
}

// `type` tells the two kinds of sequences apart: each has a deleter of its own, the same for all of them.
template <int32_t type>
struct InTurn {
  static inline ffi::FObjectDeleter plain = nullptr;

  static void end(void* object, int flags) {
    // What a weak reference outlives is taken apart at once: its memory goes later, by itself.
    if (flags == kTVMFFIObjectDeleterFlagBitMaskBoth && ending == kMostEnding) {
      waiting().push_back({object, plain});
      return;
    }
    ++ending;
    plain(object, flags);
    while (ending == 1 && !waiting().empty()) {
      Waiting next = waiting().back();
      waiting().pop_back();
      next.end(next.object, kTVMFFIObjectDeleterFlagBitMaskBoth);
    }
    --ending;
  }
  static void install(ffi::Object* object) {
    auto* header = ffi::details::ObjectUnsafe::GetHeader(object);
    if (header->deleter == end) return;
    if (plain == nullptr) plain = header->deleter;
    if (header->deleter == plain) header->deleter = end;  // else it was made elsewhere: by a library
  }
};

}  // namespace

void deep_destroy(const Any& sequence) {
  if (sequence.type_index() == kTVMFFIList) {
    InTurn<kTVMFFIList>::install(raw_object(sequence));
  } else {
    InTurn<kTVMFFIArray>::install(raw_object(sequence));
  }
}

}  // namespace mlc::script
