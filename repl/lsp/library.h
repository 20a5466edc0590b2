// SPDX-License-Identifier: Apache-2.0
// What the library says of itself: documentation and members, by dotted name. Library modules run when they
// are first asked for, programs never do.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "ir/registry/context.h"
#include "repl/shell/interpreter.h"

namespace mlc::lsp {

struct LibraryName {
  std::string name;
  std::string doc;        // one line
  std::string signature;  // "split(loop, factors)", "" where it is none
};

class Library {
 public:
  Library();
  ~Library();

  // What `mlc explain` says of a name; "" where nothing is called so.
  const std::string& explain(const std::string& path);
  // What can stand behind the dot: of a module, or of a type that is named as in `Schedule`.
  const std::vector<LibraryName>& members(const std::string& path);
  // Of a function or method the parameters that can be named; none where that is not known.
  std::vector<std::string> parameters(const std::string& path) const;
  const std::vector<std::string>& builtins() const { return builtins_; }
  // The tensor intrinsics that the library registers.
  const std::vector<std::string>& intrinsics();

 private:
  std::vector<LibraryName> read_members(const std::string& path);

  ir::Context context_;
  std::unique_ptr<repl::Interpreter> evaluator_;
  std::map<std::string, std::string, std::less<>> docs_;
  std::map<std::string, std::vector<LibraryName>, std::less<>> members_;
  std::vector<std::string> builtins_;
  std::vector<std::string> intrinsics_;
};

}  // namespace mlc::lsp
