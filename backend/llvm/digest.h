// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace mlc::llvm_backend {

// The BLAKE3 digest of bytes: 64 hexadecimal digits.
std::string digest(std::string_view bytes);

// HMAC with SHA-256 (RFC 2104) of `parts` one behind the other: 64 hexadecimal digits.
std::string hmac_sha256(std::string_view key, const std::vector<std::string_view>& parts);

}  // namespace mlc::llvm_backend
