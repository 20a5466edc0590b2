// SPDX-License-Identifier: Apache-2.0
// What names of a file mean: the modules and functions that its imports bind.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "frontend/syntax/ast.h"

namespace mlc::fix {

struct Binding {
  std::string path;     // as the file has it: `tvm.tir`
  std::string current;  // today's: `tvm.tirx`
  std::string
      name;  // that it is bound to after the fix: `tir` becomes `tirx` where the import gives no other
  const syntax::Stmt* import = nullptr;
};

class Imports {
 public:
  void add(std::string name, Binding binding) { bindings_[std::move(name)] = std::move(binding); }
  void forget(std::string_view name) {
    auto found = bindings_.find(name);
    if (found != bindings_.end()) bindings_.erase(found);
  }
  const Binding* find(std::string_view name) const {
    auto found = bindings_.find(name);
    return found == bindings_.end() ? nullptr : &found->second;
  }
  // `tvm.tir.Schedule` of an attribute chain whose first name an import binds; "" for anything else.
  std::string path_of(const syntax::Expr* expr, const Binding** root = nullptr) const;
  // How the file writes a path of today; nothing when no import reaches it.
  std::optional<std::string> spell(std::string_view path, const Binding& preferred) const;

 private:
  std::map<std::string, Binding, std::less<>> bindings_;
};

}  // namespace mlc::fix
