// SPDX-License-Identifier: Apache-2.0
// A text that an editor has open, and what is known of it.
#pragma once

#include <memory>
#include <optional>

#include "ir/registry/context.h"
#include "repl/lsp/definitions.h"
#include "repl/lsp/index.h"
#include "repl/lsp/text.h"

namespace mlc::lsp {

// What a run of the program's beginning has ended in.
struct RefusedStep {
  ir::Diagnostic error;           // its span counts from the beginning of the text
  size_t begin = 0, end = 0;      // of the statement
  std::vector<std::string> ways;  // what can stand in its place; each was tried
};

class Document {
 public:
  Document(std::string uri, std::string text, int64_t version, const std::vector<std::string>& builtins);

  const std::string uri;
  int64_t version;
  const Text& text() const { return text_; }
  // The whole text, or a part of it, is another one now.
  void replace(std::optional<std::pair<Position, Position>> range, std::string_view with);

  // Of the text as it stands, half-typed or not.
  const Reading& reading();
  const Index& index();
  const Definitions& definitions();
  // The definitions of the IR built as well (Definitions::build).
  bool check(int wake);
  // Everything that is wrong with it, definitions that are not built yet excepted. Spans count from the
  // beginning of the text, and have no file where they have no place.
  std::vector<ir::Diagnostic> diagnostics();
  std::optional<RefusedStep> refused;  // since the text has changed
  bool published = false;  // was that told to the editor since the text has changed?

  // What the IR says of a buffer, loop or iterator; null where its definition is not built.
  const Fact* fact(const Entity& entity);
  // The value of a graph that is bound there, or null. The last binding of an `if` is that of its branch, and at its end
  // that of the `if`.
  enum class Bound : uint8_t { kThere, kAtTheEnd };
  const Fact* value_bound_at(size_t offset, Bound which = Bound::kThere);

 private:
  void read();

  Text text_;
  std::vector<std::string> builtins_;
  std::unique_ptr<ir::Context> context_;  // of the reading, whose tree points into its text
  std::optional<Reading> reading_;
  syntax::LastReading last_;
  std::optional<Index> index_;
  std::vector<ir::Diagnostic> warnings_;
  Definitions definitions_;
  bool definitions_read_ = false;
};

}  // namespace mlc::lsp
