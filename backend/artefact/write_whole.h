// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace mlc::backend {

// Makes `place`, which is a regular file or nothing, a file of these bytes; whoever is killed or fails
// meanwhile, on a full disk for one, leaves what was there. The file has no name before it is whole, where the
// system has such files, else one next to it. A file that is replaced passes on its permissions and, where
// that is allowed, its owner; one that may not be written is not replaced. 0, or the number of the error
// (errno).
int write_whole(const std::string& place, std::string_view bytes, bool executable);

// Writes all bytes to an open file; 0, or the number of the error.
int write_all(int file, std::string_view bytes);

}  // namespace mlc::backend
