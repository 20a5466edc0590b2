// SPDX-License-Identifier: Apache-2.0
// The tokens of one text, in one flat array that ANTLR's parser reads in place.
#pragma once

#include <antlr4-runtime.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "MlcParser.h"

namespace mlc::syntax {

using grammar::MlcParser;

// A token knows its type and its bytes; lines and columns belong to the source map.
class SourceToken final : public antlr4::Token {
 public:
  static constexpr uint16_t kEnd = 0xFFFF;  // stands for ANTLR's EOF

  SourceToken(uint16_t type, uint32_t begin, uint32_t end, uint32_t index)
      : begin(begin), end(end), index(index), type(type) {}

  uint32_t begin;
  uint32_t end;
  uint32_t index;
  uint16_t type;

  size_t getType() const override { return type == kEnd ? antlr4::Token::EOF : type; }
  size_t getTokenIndex() const override { return index; }
  size_t getStartIndex() const override { return begin; }
  size_t getStopIndex() const override { return end - 1; }
  size_t getChannel() const override { return DEFAULT_CHANNEL; }
  std::string getText() const override { return {}; }
  size_t getLine() const override { return 0; }
  size_t getCharPositionInLine() const override { return 0; }
  antlr4::TokenSource* getTokenSource() const override { return nullptr; }
  antlr4::CharStream* getInputStream() const override { return nullptr; }
  std::string toString() const override { return {}; }
};

inline const SourceToken& source_token(const antlr4::Token* token) {
  return static_cast<const SourceToken&>(*token);
}

class TokenList final : public antlr4::TokenStream {
 public:
  void reserve(size_t count) { tokens_.reserve(count); }
  void push(size_t type, size_t begin, size_t end) {
    tokens_.emplace_back(static_cast<uint16_t>(type), static_cast<uint32_t>(begin),
                         static_cast<uint32_t>(end), static_cast<uint32_t>(tokens_.size()));
  }
  void truncate(size_t count) {
    tokens_.erase(tokens_.begin() + static_cast<ptrdiff_t>(count), tokens_.end());
  }
  size_t count() const { return tokens_.size(); }
  SourceToken& at(size_t index) { return tokens_[index]; }
  const SourceToken& at(size_t index) const { return tokens_[index]; }
  // The type of the token that was pushed last, 0 when there is none.
  size_t last_type() const { return tokens_.empty() ? 0 : tokens_.back().type; }

  const SourceToken& current() const { return tokens_[position_]; }

  void consume() override { position_ += position_ + 1 < tokens_.size() ? 1 : 0; }
  size_t LA(ssize_t offset) override { return LT(offset)->getType(); }
  antlr4::Token* LT(ssize_t offset) override {
    size_t index =
        offset > 0 ? position_ + static_cast<size_t>(offset) - 1 : position_ - static_cast<size_t>(-offset);
    if (index >= tokens_.size()) index = offset > 0 ? tokens_.size() - 1 : 0;
    return &tokens_[index];
  }
  ssize_t mark() override { return 0; }
  void release(ssize_t) override {}
  size_t index() override { return position_; }
  void seek(size_t index) override { position_ = index < tokens_.size() ? index : tokens_.size() - 1; }
  size_t size() override { return tokens_.size(); }
  std::string getSourceName() const override { return "mlc"; }
  antlr4::Token* get(size_t index) const override { return const_cast<SourceToken*>(&tokens_[index]); }
  antlr4::TokenSource* getTokenSource() const override { return nullptr; }
  std::string getText(const antlr4::misc::Interval&) override { return {}; }
  std::string getText() override { return {}; }
  std::string getText(antlr4::RuleContext*) override { return {}; }
  std::string getText(antlr4::Token*, antlr4::Token*) override { return {}; }

 private:
  std::vector<SourceToken> tokens_;
  size_t position_ = 0;
};

}  // namespace mlc::syntax
