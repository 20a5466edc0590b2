// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace mlc::backend {

// Writes a file whole; who is killed or finds the disk full while writing leaves what was there, and nothing
// next to it. Links are followed, permissions kept. `executable` where it is a program or a library. Error:
// cannot-write.
void write_file(const std::string& path, std::string_view bytes, bool executable = false);

}  // namespace mlc::backend
