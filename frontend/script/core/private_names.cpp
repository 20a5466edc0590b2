// SPDX-License-Identifier: Apache-2.0
// Private names: `__x` in the body of class `A` is `_A__x`, so that classes which derive from one another do
// not meet. The names of the tree are changed once, before the body runs first.
#include "frontend/script/core/machine.h"
#include "frontend/syntax/walk.h"

namespace mlc::script {

using namespace syntax;  // NOLINT: the names of the tree
using State = Evaluator::State;

namespace {

bool is_private(std::string_view name) {
  return name.size() > 2 && name.starts_with("__") && !name.ends_with("__") &&
         name.find('.') == std::string_view::npos;
}

// Whether a private name may stand in this text: most classes have none, and are not walked.
bool mentions_private(std::string_view text) {
  auto in_name = [](char c) { return c == '_' || std::isalnum(static_cast<unsigned char>(c)) || c < 0; };
  for (size_t at = text.find("__"); at != std::string_view::npos; at = text.find("__", at)) {
    bool begins = at == 0 || !in_name(text[at - 1]);
    size_t end = at;
    while (end < text.size() && in_name(text[end])) ++end;
    if (begins && is_private(text.substr(at, end - at))) return true;
    at = end;
  }
  return false;
}

class Renaming final : public Visitor {
 public:
  explicit Renaming(std::string_view prefix) : prefix_(prefix) {}

  bool enter(const Expr& expr) override {
    if (auto* name = as<Name>(&expr)) {
      rename(name->id);
    } else if (auto* attribute = as<Attribute>(&expr)) {
      rename(attribute->attr);
    } else if (auto* call = as<Call>(&expr)) {
      for (const Keyword* keyword : call->keywords) rename(keyword->name);
    }
    return true;
  }
  bool enter(const Stmt& stmt) override {
    switch (stmt.kind) {
      case StmtKind::kFunctionDef:
        rename(static_cast<const FunctionDef&>(stmt).name);
        return true;
      case StmtKind::kClassDef:  // its names are its own; it is asked when it runs
        rename(static_cast<const ClassDef&>(stmt).name);
        return false;
      case StmtKind::kTry:
        for (const ExceptHandler* handler : static_cast<const Try&>(stmt).handlers) rename(handler->name);
        return true;
      case StmtKind::kGlobal:
        for (const Symbol& name : static_cast<const Global&>(stmt).names) rename(name);
        return true;
      case StmtKind::kNonlocal:
        for (const Symbol& name : static_cast<const Nonlocal&>(stmt).names) rename(name);
        return true;
      case StmtKind::kImport:
        for (const Alias* alias : static_cast<const Import&>(stmt).names) rename(alias->asname);
        return true;
      case StmtKind::kImportFrom:
        for (const Alias* alias : static_cast<const ImportFrom&>(stmt).names) rename(alias->asname);
        return true;
      default:
        return true;
    }
  }
  void parameter(const Arg& arg) override { rename(arg.name); }

 private:
  void rename(const Symbol& name) {
    if (name && is_private(name.str())) const_cast<Symbol&>(name) = Symbol(prefix_ + std::string(name.str()));
  }
  template <class T>
  static const T* as(const Expr* expr) {
    return expr->kind == T::kKind ? static_cast<const T*>(expr) : nullptr;
  }
  std::string prefix_;
};

}  // namespace

void State::rename_private(const ClassDef& def) {
  if (def.resolved != 0) return;
  def.resolved = 1;
  std::string_view name = def.name.str();
  size_t letters = name.find_first_not_of('_');
  if (letters == std::string_view::npos) return;
  if (!mentions_private(ir::SourceMap::global().text(def.span))) return;
  Renaming renaming("_" + std::string(name.substr(letters)));
  walk(def.body, renaming);
  resolver.forget_free_names();
}

}  // namespace mlc::script
