// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "frontend/format/line.h"

namespace mlc::format {

// Double quotes, where that needs no more backslashes than before.
std::string normal_string(std::string_view text) {
  size_t quote = text.find_first_of("'\"");
  std::string prefix;
  for (char c : text.substr(0, quote)) {
    if (c == 'u' || c == 'U') continue;
    prefix += c == 'R' ? c : static_cast<char>(c | 0x20);
  }
  std::string_view rest = text.substr(quote);
  if (rest[0] == '"') return prefix + std::string(rest);
  bool triple = rest.size() >= 6 && rest.starts_with("'''");
  size_t width = triple ? 3 : 1;
  std::string_view body = rest.substr(width, rest.size() - 2 * width);
  bool plain = prefix.find_first_of("fF") == std::string::npos;
  bool raw = prefix.find_first_of("rR") != std::string::npos;
  if (body.find('"') != body.npos || (body.empty() && triple)) return prefix + std::string(rest);
  if ((!plain || raw) && body.find_first_of("\\'") != body.npos) return prefix + std::string(rest);
  std::string out = prefix + std::string(width, '"');
  for (size_t i = 0; i < body.size(); ++i) {
    if (body[i] == '\\' && i + 1 < body.size()) {
      if (body[i + 1] != '\'' || triple) out += body[i];
      out += body[++i];
    } else {
      out += body[i];
    }
  }
  return out + std::string(width, '"');
}

// Small letters, but the digits of hexadecimal numbers large.
std::string normal_number(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c; });
  if (out.starts_with("0x")) {
    std::transform(out.begin() + 2, out.end(), out.begin() + 2,
                   [](char c) { return c >= 'a' && c <= 'f' ? static_cast<char>(c & ~0x20) : c; });
  }
  return out;
}

// A blank after `#`, except where the character after it has a meaning of its own: `#!`, `#:`, `#|`.
std::string normal_comment(std::string_view text) {
  size_t end = text.find_last_not_of(" \t\f");
  text = text.substr(0, end + 1);
  if (text.size() < 2 || std::string_view(" !:'|#\t").find(text[1]) != std::string_view::npos)
    return std::string(text);
  return "# " + std::string(text.substr(1));
}

}  // namespace mlc::format
