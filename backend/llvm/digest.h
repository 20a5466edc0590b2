// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace mlc::llvm_backend {

// The BLAKE3 digest of bytes: 64 hexadecimal digits.
std::string digest(std::string_view bytes);

}  // namespace mlc::llvm_backend
