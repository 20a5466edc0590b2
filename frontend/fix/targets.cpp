// SPDX-License-Identifier: Apache-2.0
// Targets as they were written until 2026: a kind and options, `llvm -mcpu=core-avx2 -num-cores 4`.
#include "frontend/fix/targets.h"

#include <algorithm>
#include <cctype>
#include <vector>

namespace mlc::fix {
namespace {

std::vector<std::string_view> parts(std::string_view text, char separator) {
  std::vector<std::string_view> found;
  while (!text.empty()) {
    size_t end = std::min(text.find(separator), text.size());
    if (end > 0) found.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return found;
}

std::string quoted(std::string_view text) { return "\"" + std::string(text) + "\""; }

std::string value_of(std::string_view key, std::string_view text) {
  if (key == "keys" || key == "libs" || key == "mattr") {
    std::string list;
    for (std::string_view one : parts(text, ',')) list += (list.empty() ? "" : ", ") + quoted(one);
    return "[" + list + "]";
  }
  if (text == "true" || text == "True" || text.empty()) return "True";
  if (text == "false" || text == "False") return "False";
  bool number = std::all_of(text.begin(), text.end(), [](unsigned char c) { return std::isdigit(c) != 0; });
  return number ? std::string(text) : quoted(text);
}

}  // namespace

std::string target_dict(std::string_view text) {
  if (text.find_first_of("\"'\\\n") != std::string_view::npos) return "";
  std::vector<std::string_view> words = parts(text, ' ');
  if (words.empty() || words[0].starts_with("-")) return "";
  std::string dict = "{\"kind\": " + quoted(words[0]);
  for (size_t i = 1; i < words.size(); ++i) {
    std::string_view word = words[i];
    size_t dashes = word.find_first_not_of('-');
    if (dashes == 0 || dashes == std::string_view::npos) return "";
    word.remove_prefix(dashes);
    size_t sign = word.find('=');
    std::string_view key = word.substr(0, sign);
    std::string_view value = sign == std::string_view::npos ? "" : word.substr(sign + 1);
    bool separate = sign == std::string_view::npos && i + 1 < words.size() && !words[i + 1].starts_with("-");
    if (separate) value = words[++i];
    dict += ", " + quoted(key) + ": " + value_of(key, value);
  }
  return dict + "}";
}

}  // namespace mlc::fix
