// SPDX-License-Identifier: Apache-2.0
// Names in a row of a table, separated by blanks: "conv1d conv2d conv3d".
#pragma once

#include <algorithm>
#include <string_view>

namespace mlc::ir {

// Is there a word that `holds` is true of? They are asked in order, and none after the first.
template <class F>
bool any_word(std::string_view words, const F& holds) {
  for (size_t at = 0; at < words.size();) {
    size_t end = std::min(words.find(' ', at), words.size());
    if (holds(words.substr(at, end - at))) return true;
    at = end + 1;
  }
  return false;
}

template <class F>
void each_word(std::string_view words, const F& visit) {
  any_word(words, [&](std::string_view one) {
    visit(one);
    return false;
  });
}

inline bool has_word(std::string_view words, std::string_view wanted) {
  return any_word(words, [&](std::string_view one) { return one == wanted; });
}

}  // namespace mlc::ir
