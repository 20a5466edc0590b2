// SPDX-License-Identifier: Apache-2.0
// What `mlc build` writes, and where: nothing that somebody has written himself.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "backend/backend.h"
#include "ir/target/target.h"
#include "repl/shell/command_line.h"

namespace mlc::repl {

namespace fs = std::filesystem;

// What is built, and for what. An artefact that only another backend makes is for the first target of that
// one, unless a target was named. CallError where neither --emit nor the ending of -o says what it is.
struct Plan {
  backend::Choice choice;
  ir::Target target;
  std::string target_text;
};
Plan plan_of(const CommandLine& line);

// -o, or the name of the program with the artefact's ending. CallError where it cannot be written.
fs::path output_path(const CommandLine& line, const backend::Artefact& kind);
// What a C program gets beside the code; nothing where no header is wanted.
std::optional<backend::ForC> for_c(const CommandLine& line, const backend::Artefact& kind,
                                   const fs::path& out);

// `/dev/stdout`, a pipe: what comes out stands alone there.
bool is_stream(const fs::path& path);

// `-o -`: the artefact is made in a folder of its own, and copied to standard output.
class StandardOutput {
 public:
  StandardOutput(const CommandLine& line, const backend::Artefact& artefact);
  ~StandardOutput();
  StandardOutput(const StandardOutput&) = delete;

  bool wanted() const { return !folder_.empty(); }
  const fs::path& file() const { return file_; }
  void write() const;

 private:
  fs::path folder_, file_;
};

}  // namespace mlc::repl
