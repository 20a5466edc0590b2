// SPDX-License-Identifier: Apache-2.0
// Where things come from: source files and the byte ranges in them.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace mlc::ir {

// A byte range [begin, end) in a registered source file. File 0 means "no source": a node that a
// pass made. Twelve bytes, copied freely; line and column are computed on demand.
struct Span {
  uint32_t file = 0;
  uint32_t begin = 0;
  uint32_t end = 0;

  explicit operator bool() const { return file != 0; }
  bool operator==(const Span&) const = default;
  // The smallest range that covers both (same file; an empty span is neutral).
  static Span cover(Span a, Span b);
};

// One text that was read: a file, standard input, or a line of the REPL.
struct SourceFile {
  std::string name;  // as the user wrote it; "<stdin>", "<repl>"
  std::string text;
  std::vector<uint32_t> lines;  // byte offset of each line start
  // For a file without text that represents a span made by a script: that object (span_node.h).
  std::shared_ptr<const void> span_node;

  std::string_view line(uint32_t number) const;  // 1-based, without the newline
};

// A position as people count it: both 1-based, the column in code points.
struct Position {
  uint32_t line = 0;
  uint32_t column = 0;
};

// The texts of one session: a program that runs, a document of an editor, a golden. It grows while it lives,
// a SourceFile never moves, so views into it stay valid; with it all texts go. Ids of files are unique in the
// process: a node that outlives its session has a span that resolves to nothing, never to another
// text.
class SourceMap {
 public:
  SourceMap();
  ~SourceMap();
  SourceMap(const SourceMap&) = delete;
  SourceMap& operator=(const SourceMap&) = delete;

  // That of the innermost Use of this thread; outside of any one that lives as long as the thread.
  static SourceMap& current();
  // While it lives, this thread reads into `map`.
  class Use {
   public:
    explicit Use(SourceMap& map);
    ~Use();
    Use(const Use&) = delete;
    Use& operator=(const Use&) = delete;

   private:
    SourceMap* before_;
  };

  uint32_t add(std::string name, std::string text);  // -> file id, never 0
  // A nameless file without text where this map has none of that id.
  const SourceFile& file(uint32_t id) const;
  std::vector<const SourceFile*> files() const;  // in the order in which they were added
  Position position(uint32_t id, uint32_t offset) const;
  std::string_view text(Span span) const;
  std::string describe(Span span) const;  // "file.mlc:3:7", or "" without a source
  // Makes the file represent a span of a script.
  void set_span_node(uint32_t id, std::shared_ptr<const void> node);

 private:
  std::vector<uint32_t> ids_;  // of files_, ascending
  std::vector<std::unique_ptr<SourceFile>> files_;
};

}  // namespace mlc::ir
