// SPDX-License-Identifier: Apache-2.0
// Texts as bytes: UTF-8, ASCII and Latin-1; what does not fit is an error, left out, or replaced.
#include "frontend/script/core/machine.h"
#include "frontend/script/types/letters.h"
#include "ir/core/refusal.h"

namespace mlc::script {

static constexpr ir::Refusals refusals{
    "UnicodeDecodeError",
    {
        {.name = "bad-text",
         .meaning = "The bytes are no text in this encoding.",
         .wrong = R"(b"\xff".decode())",
         .right = R"(b"\xff".decode("latin-1"))"},
        {.name = "unknown-encoding",
         .kind = "LookupError",
         .meaning = "Text is known in UTF-8, ASCII and Latin 1.",
         .wrong = R"(b"a".decode("ebcdic"))",
         .right = R"(b"a".decode("utf-8"))"},
    }};
MLC_REFUSALS(types_encodings, refusals);

namespace {

enum class Encoding : uint8_t { kUtf8, kAscii, kLatin1 };

Encoding encoding_of(std::string_view given, ir::Span span) {
  std::string name;
  for (char c : given) {
    if (c != '-' && c != '_' && c != ' ') name += c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
  }
  if (name == "utf8") return Encoding::kUtf8;
  if (name == "ascii" || name == "usascii") return Encoding::kAscii;
  if (name == "latin1" || name == "iso88591") return Encoding::kLatin1;
  raise_as(refusals["unknown-encoding"], span, "unknown encoding: {}; known are utf-8, ascii and latin-1",
           given);
}
std::string_view shown(Encoding encoding) {
  return encoding == Encoding::kUtf8 ? "utf-8" : encoding == Encoding::kAscii ? "ascii" : "latin-1";
}
enum class OnError : uint8_t { kStrict, kIgnore, kReplace };

OnError handler_of(std::string_view errors, ir::Span span) {
  if (errors == "strict") return OnError::kStrict;
  if (errors == "ignore") return OnError::kIgnore;
  if (errors == "replace") return OnError::kReplace;
  raise_as(refusals["unknown-encoding"], span,
           "unknown error handler name '{}'; known are strict, ignore and replace", errors);
}

// How many bytes the character at the front takes; 0 and the number of bytes to leave out when it is none.
size_t character_size(std::string_view bytes, bool ascii, size_t& bad, std::string_view& why) {
  auto at = [&](size_t k) { return k < bytes.size() ? static_cast<unsigned char>(bytes[k]) : 0u; };
  unsigned c = at(0);
  if (c < 0x80) return 1;
  bad = 1;
  if (ascii) {
    why = "ordinal not in range(128)";
    return 0;
  }
  size_t size = c >= 0xC2 && c < 0xE0 ? 2 : c >= 0xE0 && c < 0xF0 ? 3 : c >= 0xF0 && c < 0xF5 ? 4 : 0;
  if (size == 0) {
    why = "invalid start byte";
    return 0;
  }
  for (size_t k = 1; k < size; ++k) {
    bad = k;
    if (k >= bytes.size()) {
      why = "unexpected end of data";
      return 0;
    }
    // Overlong forms, surrogates and what is beyond Unicode show in the second byte.
    unsigned low = k == 1 && c == 0xE0 ? 0xA0 : k == 1 && c == 0xF0 ? 0x90 : 0x80;
    unsigned high = k == 1 && c == 0xED ? 0x9F : k == 1 && c == 0xF4 ? 0x8F : 0xBF;
    if (at(k) < low || at(k) > high) {
      why = "invalid continuation byte";
      return 0;
    }
  }
  return size;
}

}  // namespace

std::string_view word_or(const Any* given, std::string_view otherwise, std::string_view parameter,
                         ir::Span span) {
  if (given == nullptr) return otherwise;
  if (is_str(*given)) return text_of(*given);
  raise("TypeError", span, "wrong-type", "argument '{}' must be str, not {}", parameter,
        is_none(*given) ? "None" : ir::type_name(*given));
}

Any text_of_bytes(std::string_view bytes, std::string_view name, ir::Span span, std::string_view errors) {
  Encoding encoding = encoding_of(name, span);
  OnError handler = handler_of(errors, span);
  std::string text;
  if (encoding == Encoding::kLatin1) {
    for (char c : bytes) append_utf8(text, static_cast<unsigned char>(c));
    return str_value(text);
  }
  for (size_t i = 0; i < bytes.size();) {
    size_t bad = 0;
    std::string_view why;
    size_t size = character_size(bytes.substr(i), encoding == Encoding::kAscii, bad, why);
    if (size > 0) {
      text += bytes.substr(i, size);
      i += size;
      continue;
    }
    if (handler == OnError::kStrict) {
      std::string what = bad == 1 ? fmt::format("byte 0x{:02x} in position {}", static_cast<unsigned char>(bytes[i]), i)
                                  : fmt::format("bytes in position {}-{}", i, i + bad - 1);
      raise_as(refusals["bad-text"], span, "'{}' codec can't decode {}: {}", shown(encoding), what, why);
    }
    if (handler == OnError::kReplace) text += "\uFFFD";
    i += bad;
  }
  return str_value(text);
}

Any bytes_of_text(std::string_view text, std::string_view name, std::string_view errors, ir::Span span) {
  Encoding encoding = encoding_of(name, span);
  OnError handler = handler_of(errors, span);
  if (encoding == Encoding::kUtf8) return ffi::Bytes(std::string(text));
  uint32_t limit = encoding == Encoding::kAscii ? 0x80 : 0x100;
  std::string bytes;
  size_t i = 0;
  for (std::string_view rest = text; !rest.empty(); ++i) {
    uint32_t point = take_point(rest);
    if (point < limit) {
      bytes += static_cast<char>(point);
    } else if (handler == OnError::kReplace) {
      bytes += '?';
    } else if (handler == OnError::kStrict) {
      std::string one;
      append_utf8(one, point);
      raise_as(refusals["bad-text"].as("UnicodeEncodeError"), span,
               "'{}' codec can't encode character {} in position {}: ordinal not in "
               "range({})",
               shown(encoding), ascii_text(one), i, limit);
    }
  }
  return ffi::Bytes(bytes);
}

}  // namespace mlc::script
