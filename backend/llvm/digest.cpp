// SPDX-License-Identifier: Apache-2.0
#include "backend/llvm/digest.h"

#include <fmt/format.h>
#include <llvm/ADT/ArrayRef.h>
#include <llvm/ADT/StringRef.h>
#include <llvm/Support/BLAKE3.h>
#include <llvm/Support/SHA256.h>

#include <array>
#include <cstring>

namespace mlc::llvm_backend {

namespace {

template <class Bytes>
std::string hexadecimal(const Bytes& bytes) {
  std::string text;
  for (uint8_t byte : bytes) text += fmt::format("{:02x}", byte);
  return text;
}

llvm::StringRef reference(std::string_view text) { return {text.data(), text.size()}; }

}  // namespace

std::string digest(std::string_view bytes) {
  llvm::BLAKE3 hasher;
  hasher.update(reference(bytes));
  return hexadecimal(hasher.final());
}

std::string hmac_sha256(std::string_view key, const std::vector<std::string_view>& parts) {
  std::array<uint8_t, 64> block{};  // the key, padded to a block of SHA-256
  if (key.size() > block.size()) {
    llvm::SHA256 hasher;
    hasher.update(reference(key));
    auto short_key = hasher.final();
    std::memcpy(block.data(), short_key.data(), short_key.size());
  } else {
    std::memcpy(block.data(), key.data(), key.size());
  }
  auto begin = [&](uint8_t pad) {
    llvm::SHA256 hasher;
    std::array<uint8_t, 64> padded = block;
    for (uint8_t& byte : padded) byte ^= pad;
    hasher.update(llvm::ArrayRef<uint8_t>(padded.data(), padded.size()));
    return hasher;
  };
  llvm::SHA256 inner = begin(0x36);
  for (std::string_view part : parts) inner.update(reference(part));
  auto digest_of_parts = inner.final();
  llvm::SHA256 outer = begin(0x5c);
  outer.update(llvm::ArrayRef<uint8_t>(digest_of_parts.data(), digest_of_parts.size()));
  return hexadecimal(outer.final());
}

}  // namespace mlc::llvm_backend
