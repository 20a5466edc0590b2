// SPDX-License-Identifier: Apache-2.0
// What of a program can be evaluated without running it: definitions of the IR, what they are made of, and
// imports of the library. Evaluating that reads no file, writes none and calls nothing that a program
// defines.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "frontend/syntax/ast.h"

namespace mlc::repl {

// What is known of the names of a program, statement by statement.
class StaticNames {
 public:
  // `builtins`: the names that mean something before the program binds them.
  StaticNames(const syntax::Module& module, const std::vector<std::string>& builtins);

  // May the statement be evaluated? Where not, `why` says what it needs that only a run knows: "`N`".
  bool is_static(const syntax::Stmt& stmt, std::string& why) const;
  void take(const syntax::Stmt& stmt);  // it was evaluated: its names are known
  void pass(const syntax::Stmt& stmt);  // it was not: what it binds or may change is not
  // Does running it do nothing: a docstring, `pass`, a definition that is no IR, what only `mlc run` runs?
  static bool does_nothing(const syntax::Stmt& stmt);

 private:
  enum class Kind : uint8_t { kValue, kMutable, kModule, kDefinition };
  struct Known {
    Kind kind = Kind::kValue;
    std::string path;  // of a module, or of what was imported from one
  };
  class Judge;

  const Known* find(syntax::Symbol name) const;
  bool is_undefined(syntax::Symbol name) const;  // nothing in the program binds it: using it is an error
  void know(syntax::Symbol name, Known known);
  void forget(syntax::Symbol name) { known_.erase(name); }
  template <class Node>
  bool mentions_mutable(const Node* node) const;
  // "tvm.script.tirx.Buffer" of `T.Buffer`, where T is that module; "" where it begins with something else.
  std::string path_of(const syntax::Expr& expr) const;
  bool is_library(std::string_view module) const;

  std::unordered_map<syntax::Symbol, Known> known_;
  std::unordered_set<syntax::Symbol> global_;  // functions may bind them
  std::unordered_set<syntax::Symbol> bound_;   // builtins, and what any statement binds: others are undefined
  bool imports_all_ = false;                   // `from a import *`
  bool open_ = false;                          // names may be bound by other means than their name
};

}  // namespace mlc::repl
