// SPDX-License-Identifier: Apache-2.0
#include "frontend/diagnostics/visible.h"

#include <fmt/format.h>

namespace mlc::diagnostics {

std::string visible(std::string_view text) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    auto c = static_cast<unsigned char>(text[i]);
    auto next = static_cast<unsigned char>(i + 1 < text.size() ? text[i + 1] : 0);
    if ((c < 0x20 && c != '\n' && c != '\t') || c == 0x7f) {
      out += fmt::format("\\x{:02x}", c);
    } else if (c == 0xc2 && next >= 0x80 &&
               next < 0xa0) {  // U+0080 to U+009F, one of which is another escape
      out += fmt::format("\\x{:02x}", next);
      ++i;
    } else {
      out += text[i];
    }
  }
  return out;
}

}  // namespace mlc::diagnostics
