// SPDX-License-Identifier: Apache-2.0
#include "frontend/syntax/source_text.h"

#include <algorithm>

#include "frontend/syntax/characters.h"
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

void check_is_text(const std::string& name, std::string_view text) {
  // Control characters other than white space say that this is some other kind of file.
  auto is_foreign = [](char c) {
    return c == 0x7f || (c >= 0 && c < ' ' && c != '\n' && c != '\r' && c != '\t' && c != '\f');
  };
  auto control = static_cast<size_t>(std::ranges::find_if(text, is_foreign) - text.begin());
  size_t foreign = std::min(control, first_invalid_utf8(text));
  if (foreign == text.size()) return;
  ir::Error error =
      ir::refuse(refusals["not-text"], name, static_cast<unsigned char>(text[foreign]), foreign);
  for (std::string_view ending : {".onnx", ".gguf", ".pt2"}) {
    if (name.ends_with(ending))
      error.first().help =
          "it is a model, and no program: `mlc import` makes a program of it, and `mlc build` reads .onnx "
          "and .gguf";
  }
  throw error;
}

}  // namespace mlc::syntax
