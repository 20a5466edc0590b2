// SPDX-License-Identifier: Apache-2.0
#include "backend/llvm/digest.h"

#include <fmt/format.h>
#include <llvm/Support/BLAKE3.h>

namespace mlc::llvm_backend {

std::string digest(std::string_view bytes) {
  llvm::BLAKE3 hasher;
  hasher.update(llvm::StringRef(bytes.data(), bytes.size()));
  std::string text;
  for (uint8_t byte : hasher.final()) text += fmt::format("{:02x}", byte);
  return text;
}

}  // namespace mlc::llvm_backend
