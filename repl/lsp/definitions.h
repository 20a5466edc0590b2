// SPDX-License-Identifier: Apache-2.0
// The functions and modules of the IR in a program, built as they are when it runs, without running it.
//
// A definition at the left margin is built when all that it captures is known from the text, by the judge of `mlc check`
// (review::StaticNames): imports of tvm's modules for scripts, constants, and other such definitions. Whatever else it names, a
// function of the program, a value that it computes, NumPy, leaves the definition unchecked: to know it would
// be to run the program.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "ir/core/error.h"
#include "repl/lsp/read_broken.h"

namespace mlc::lsp {

// What is known of a name once its definition is built.
struct Fact {
  enum class About : uint8_t { kBuffer, kLoop, kIterator, kValue };
  std::string function;
  About about{};
  std::string name;
  std::string text;  // "buffer (128, 128) float32, 64 KiB"
  std::string hint;  // "128"
  uint32_t begin = 0;  // of a value of a graph: where it is bound, counted from the beginning of the definition
};

// A definition that was built. Spans count from its beginning and have no file.
struct Built {
  std::vector<ir::Diagnostic> problems;
  std::vector<Fact> facts;
  std::vector<Fact> values;  // parameters and bindings of graphs, in order of place
};

class Definitions {
 public:
  explicit Definitions(const std::vector<std::string>& builtins);

  // What the program says now. Definitions that say what they said before, and capture the same, stay built.
  void read(const std::string& text, const Reading& reading);
  // Builds what is not yet, beside this process. False when the pipe `wake` has something to read before that
  // is done: what is built by then stays. -1: nothing wakes it.
  bool build(int wake);

  struct Part {
    size_t begin = 0, end = 0;
    const Built* built = nullptr;  // null: not yet
    std::string key;
    std::vector<std::string> sources;  // what runs before it, and it
    std::string name;
  };
  const std::vector<Part>& parts() const { return parts_; }
  size_t unchecked() const { return unchecked_; }  // definitions that capture what is not known

 private:
  std::vector<std::string> builtins_;
  std::vector<Part> parts_;
  std::unordered_map<std::string, Built> built_;
  size_t unchecked_ = 0;
};

// Runs the texts, the last of which defines `name`, in a session of their own.
Built build_definition(const std::vector<std::string>& sources, const std::string& name);
// What a definition is told that mlc fails on.
ir::Diagnostic own_failure(std::string_view what);

// A copy of this process that builds definitions one after the other. Whatever becomes of it, a computation
// without end, all of the memory, a defect of mlc, becomes of it alone; and its memory goes with it.
class BuilderProcess {
 public:
  explicit BuilderProcess(const std::vector<const Definitions::Part*>& parts);
  ~BuilderProcess();
  BuilderProcess(const BuilderProcess&) = delete;

  enum class Event : uint8_t { kBuilt, kWoken, kLate, kEnded };
  // The next definition, in the order of the parts.
  Event next(int wake, Built& built);

 private:
  int process_ = -1;
  int pipe_ = -1;
  std::string buffer_;
};

}  // namespace mlc::lsp
