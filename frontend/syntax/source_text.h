// SPDX-License-Identifier: Apache-2.0
// What a file must be before it is read as a program.
#pragma once

#include <string>
#include <string_view>

namespace mlc::syntax {

// Throws when the bytes are no UTF-8 text; `name` is the file's.
void check_is_text(const std::string& name, std::string_view text);

}  // namespace mlc::syntax
