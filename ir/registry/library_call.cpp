// SPDX-License-Identifier: Apache-2.0
#include "ir/registry/library_call.h"

namespace mlc::ir {
namespace {

LibraryCall& answering() {
  static LibraryCall call = nullptr;
  return call;
}

}  // namespace

void answer_library_calls(LibraryCall call) { answering() = call; }

LibraryResult call_library(std::string_view module, std::string_view function, std::span<const Any> args) {
  MLC_CHECK(answering() != nullptr, "nothing here runs `{}.{}`", module, function);
  return answering()(module, function, args);
}

}  // namespace mlc::ir
