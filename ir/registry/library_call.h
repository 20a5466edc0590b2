// SPDX-License-Identifier: Apache-2.0
// Functions of the library that are written in the language (stdlib/), for native code that has no script at
// hand. Whoever runs scripts answers.
#pragma once

#include "ir/registry/api.h"

namespace mlc::ir {

struct LibraryResult {
  Any value;
  Host& host;  // whose value it is
};
using LibraryCall = LibraryResult (*)(std::string_view module, std::string_view function,
                                      std::span<const Any> args);
void answer_library_calls(LibraryCall call);

LibraryResult call_library(std::string_view module, std::string_view function, std::span<const Any> args);

}  // namespace mlc::ir
