// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace mlc::backend {

// Writes a file whole. Error: cannot-write.
void write_file(const std::string& path, std::string_view bytes);

}  // namespace mlc::backend
