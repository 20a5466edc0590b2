// SPDX-License-Identifier: Apache-2.0
// The syntax errors of one text while it is read.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "ir/core/error.h"

namespace mlc::syntax {

class Problems {
 public:
  // More than this many errors are rather one misunderstanding than twenty mistakes.
  static constexpr size_t kMost = 20;

  explicit Problems(uint32_t file) : file_(file) {}

  // `token` is the index of the token at which the problem was seen; see `line_is_blamed`.
  ir::Diagnostic& add(std::string_view name, size_t begin, size_t end, std::string message, size_t token) {
    ir::Diagnostic& diagnostic = all_.emplace_back();
    diagnostic.name = name;
    diagnostic.kind = name == "indentation" ? "IndentationError" : "SyntaxError";
    diagnostic.message = std::move(message);
    diagnostic.span = span(begin, end);
    tokens_.push_back(token);
    return diagnostic;
  }
  void add(const ir::Error& error) {
    all_.push_back(error.first());
    tokens_.push_back(static_cast<size_t>(-1));
  }

  // True when a problem was already seen in the tokens [first, last]: what the parser thinks of a line in
  // which the lexer stumbled would only confuse.
  bool line_is_blamed(size_t first, size_t last) const {
    return std::any_of(tokens_.begin(), tokens_.end(), [&](size_t t) { return t >= first && t <= last; });
  }

  // Forgets what was seen from a token on, whose line begins at `at`: it will be read again. What was seen
  // between the token before and that line stays.
  void drop(size_t first, size_t at) {
    for (size_t i = all_.size(); i-- > 0;) {
      if (tokens_[i] < first || tokens_[i] == static_cast<size_t>(-1)) continue;
      if (tokens_[i] == first && all_[i].span.begin < at) continue;
      all_.erase(all_.begin() + static_cast<ptrdiff_t>(i));
      tokens_.erase(tokens_.begin() + static_cast<ptrdiff_t>(i));
    }
  }

  bool empty() const { return all_.empty(); }
  bool full() const { return all_.size() >= kMost; }
  ir::Span span(size_t begin, size_t end) const {
    return {file_, static_cast<uint32_t>(begin), static_cast<uint32_t>(end)};
  }

  // In order of position, at most kMost.
  std::vector<ir::Diagnostic> take() {
    std::stable_sort(all_.begin(), all_.end(),
                     [](const auto& a, const auto& b) { return a.span.begin < b.span.begin; });
    if (all_.size() > kMost) all_.erase(all_.begin() + kMost, all_.end());
    return std::move(all_);
  }

 private:
  uint32_t file_;
  std::vector<ir::Diagnostic> all_;
  std::vector<size_t> tokens_;
};

}  // namespace mlc::syntax
