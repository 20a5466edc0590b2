// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "frontend/format/line.h"

namespace mlc::format {

namespace {

// The body of a literal for the other quotes: those need a backslash now, the ones of before none.
std::string requoted(std::string_view body, char before, char after) {
  std::string out;
  for (size_t i = 0; i < body.size(); ++i) {
    if (body[i] == '\\' && i + 1 < body.size()) {
      if (body[i + 1] != before) out += '\\';
      out += body[++i];
    } else {
      if (body[i] == after) out += '\\';
      out += body[i];
    }
  }
  return out;
}

}  // namespace

// Double quotes, unless single ones need fewer backslashes.
std::string normal_string(std::string_view text) {
  size_t quote = text.find_first_of("'\"");
  std::string prefix;
  for (char c : text.substr(0, quote)) {
    if (c == 'u' || c == 'U') continue;
    prefix += c == 'R' ? c : static_cast<char>(c | 0x20);
  }
  if (prefix == "br" || prefix == "bR") std::swap(prefix[0], prefix[1]);
  std::string_view rest = text.substr(quote);
  bool triple = rest.size() >= 6 && rest[1] == rest[0] && rest[2] == rest[0];
  bool verbatim = prefix.find_first_of("fFrR") != std::string::npos;
  size_t width = triple ? 3 : 1;
  std::string_view body = rest.substr(width, rest.size() - 2 * width);
  if (triple) {
    bool clash = body.find("\"\"\"") != body.npos || body.ends_with('"') || body.empty();
    if (rest[0] == '"' || clash) return prefix + std::string(rest);
    return prefix + "\"\"\"" + std::string(body) + "\"\"\"";
  }
  if (verbatim) {
    if (rest[0] == '"' || body.find_first_of("'\"") != body.npos) return prefix + std::string(rest);
    return prefix + '"' + std::string(body) + '"';
  }
  char other = rest[0] == '"' ? '\'' : '"';
  std::string changed = requoted(body, rest[0], other);
  auto escapes = [](std::string_view s) { return std::count(s.begin(), s.end(), '\\'); };
  bool better = rest[0] == '"' ? escapes(changed) < escapes(body) : escapes(changed) <= escapes(body);
  if (!better) return prefix + std::string(rest);
  return prefix + other + changed + other;
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

// A blank after `#`, except where the character after it has a meaning of its own: `#:`.
// `#|` and `#!` would begin a line of a golden.
std::string normal_comment(std::string_view text) {
  size_t end = text.find_last_not_of(" \t\f");
  text = text.substr(0, end + 1);
  if (text.size() < 2 || std::string_view(" :'#\t").find(text[1]) != std::string_view::npos)
    return std::string(text);
  return "# " + std::string(text.substr(1));
}

}  // namespace mlc::format
