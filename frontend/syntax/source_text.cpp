// SPDX-License-Identifier: Apache-2.0
#include "frontend/syntax/source_text.h"

#include "ir/core/error.h"
#include "ir/core/refusal.h"

namespace mlc::syntax {

static constexpr ir::Refusals refusals{
    "SyntaxError",
    {
        {.name = "not-text",
         .message = "`{}` is not a text file: byte 0x{:02x} at offset {} is not UTF-8 text",
         .help = "mlc reads programs in UTF-8",
         .meaning = "A file is text in UTF-8."},
    }};
MLC_REFUSALS(syntax_source_text, refusals);

namespace {

// The offset of the first byte that is no part of a UTF-8 text, or npos. Control characters other than
// white space count: they say that this is some other kind of file.
size_t first_foreign_byte(std::string_view text) {
  for (size_t i = 0; i < text.size();) {
    auto byte = static_cast<unsigned char>(text[i]);
    if (byte < 0x80) {
      bool control = byte < 0x20 && byte != '\n' && byte != '\r' && byte != '\t' && byte != '\f';
      if (control || byte == 0x7f) return i;
      ++i;
      continue;
    }
    size_t length = byte >= 0xf5 ? 0 : byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc2 ? 2 : 0;
    if (length == 0 || i + length > text.size()) return i;
    for (size_t k = 1; k < length; ++k) {
      if ((static_cast<unsigned char>(text[i + k]) & 0xc0) != 0x80) return i;
    }
    i += length;
  }
  return std::string_view::npos;
}

}  // namespace

void check_is_text(const std::string& name, std::string_view text) {
  size_t foreign = first_foreign_byte(text);
  if (foreign == std::string_view::npos) return;
  throw ir::refuse(refusals["not-text"], name, static_cast<unsigned char>(text[foreign]), foreign);
}

}  // namespace mlc::syntax
