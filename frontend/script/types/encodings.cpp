// SPDX-License-Identifier: Apache-2.0
// Texts as bytes: UTF-8, ASCII and Latin-1, with Python's ways of treating errors.
#include "frontend/script/core/machine.h"
#include "frontend/script/types/letters.h"

namespace mlc::script {
namespace {

enum class Encoding : uint8_t { kUtf8, kAscii, kLatin1 };

Encoding encoding_of(std::string_view given, ir::Span span) {
  std::string name;
  for (char c : given) {
    if (c == '-' || c == '_' || c == ' ') continue;
    name += c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
  }
  if (name == "utf8" || name == "u8") return Encoding::kUtf8;
  if (name == "ascii" || name == "usascii" || name == "646") return Encoding::kAscii;
  if (name == "latin1" || name == "iso88591" || name == "latin" || name == "l1" || name == "8859")
    return Encoding::kLatin1;
  if (name.starts_with("utf16") || name.starts_with("utf32") || name.starts_with("cp") ||
      name.starts_with("iso8859"))
    raise("NotImplementedError", span, "not-supported",
          "the encoding {} is left out: UTF-8, ASCII and Latin-1 are known", quote(given));
  raise("LookupError", span, "unknown-encoding", "unknown encoding: {}", given);
}
std::string_view shown(Encoding encoding) {
  return encoding == Encoding::kUtf8 ? "utf-8" : encoding == Encoding::kAscii ? "ascii" : "latin-1";
}
void unknown_handler(std::string_view errors, ir::Span span) {
  raise("LookupError", span, "unknown-encoding", "unknown error handler name '{}'", errors);
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
  throw ir::Error("wrong-type", "argument '{}' must be str, not {}", parameter,
                  is_none(*given) ? "None" : ir::type_name(*given))
      .kind("TypeError")
      .at(span);
}

Any text_of_bytes(std::string_view bytes, std::string_view name, ir::Span span, std::string_view errors) {
  Encoding encoding = encoding_of(name, span);
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
    if (errors == "strict") {
      throw_codec_error("UnicodeDecodeError", shown(encoding), ffi::Bytes(std::string(bytes)), i, i + bad,
                        why, span);
    } else if (errors == "replace") {
      text += "\uFFFD";
    } else if (errors == "backslashreplace") {
      for (size_t k = 0; k < bad; ++k)
        text += fmt::format("\\x{:02x}", static_cast<unsigned char>(bytes[i + k]));
    } else if (errors == "surrogateescape" || errors == "surrogatepass") {
      raise("NotImplementedError", span, "not-supported",
            "errors='{}' is left out: a str has no surrogates here", errors);
    } else if (errors != "ignore") {
      unknown_handler(errors, span);
    }
    i += bad;
  }
  return str_value(text);
}

Any bytes_of_text(std::string_view text, std::string_view name, std::string_view errors, ir::Span span) {
  Encoding encoding = encoding_of(name, span);
  if (encoding == Encoding::kUtf8) return ffi::Bytes(std::string(text));
  uint32_t limit = encoding == Encoding::kAscii ? 0x80 : 0x100;
  std::vector<uint32_t> points;
  for (std::string_view rest = text; !rest.empty();) points.push_back(take_point(rest));
  std::string bytes;
  for (size_t i = 0; i < points.size(); ++i) {
    uint32_t point = points[i];
    if (point < limit) {
      bytes += static_cast<char>(point);
      continue;
    }
    std::string one;
    append_utf8(one, point);
    if (errors == "strict") {
      size_t end = i;
      while (end < points.size() && points[end] >= limit) ++end;
      throw_codec_error("UnicodeEncodeError", shown(encoding), str_value(text), i, end,
                        fmt::format("ordinal not in range({})", limit), span);
    } else if (errors == "replace") {
      bytes += '?';
    } else if (errors == "backslashreplace") {
      bytes += ascii_text(one);
    } else if (errors == "xmlcharrefreplace") {
      bytes += fmt::format("&#{};", point);
    } else if (errors != "ignore") {
      unknown_handler(errors, span);
    }
  }
  return ffi::Bytes(bytes);
}

}  // namespace mlc::script
