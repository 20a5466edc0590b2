// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace mlc::diagnostics {

// The text with control characters written out, `\x1b`: names of files and programs come from anywhere, and a
// terminal obeys what it is shown. Line ends and tabs stay.
std::string visible(std::string_view text);

}  // namespace mlc::diagnostics
