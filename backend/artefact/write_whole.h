// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace mlc::backend {

// Makes `place`, which is a file or nothing, a file of these bytes; whoever is killed or fails meanwhile
// leaves what was there. The file has no name before it is whole, where the system has such files, else one
// beside its place. 0, or the number of the error (errno). Needs the C library alone: the launcher has no
// other.
int write_whole(const std::string& place, std::string_view bytes, bool executable);

// Writes all bytes to an open file; 0, or the number of the error.
int write_all(int file, std::string_view bytes);

}  // namespace mlc::backend
