// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <iterator>
#include <unordered_map>

#include "frontend/review/review.h"
#include "frontend/syntax/walk.h"
#include "ir/core/refusal.h"
#include "ir/registry/api.h"

namespace mlc::review {

static constexpr ir::Refusals refusals{
    "ValueError",
    {
        {.name = "shadowed-name",
         .meaning = "A warning of `mlc check`: a name of a module or builtin was given to another value, and "
                    "is then used as if it still had its old meaning."},
    }};
MLC_REFUSALS(review_shadowed_names, refusals);

using namespace syntax;  // NOLINT: the names of the tree

namespace {

// What a name stands for before the file binds it to something else: the path of a module, or "" for a
// builtin.
using Originals = std::unordered_map<Symbol, std::string>;

// The modules that the file imports, by the names it gives them.
struct Imports final : Visitor {
  Originals& originals;
  explicit Imports(Originals& originals) : originals(originals) {}
  bool enter(const Expr&) override { return false; }
  bool enter(const Stmt& stmt) override {
    const ir::ApiRegistry& registry = ir::ApiRegistry::global();
    auto* from = as<ImportFrom>(&stmt);
    if (from != nullptr && from->level != 0) return true;
    each_import(stmt, [&](Symbol name, const Alias& alias) {
      std::string path = from != nullptr ? fmt::format("{}.{}", from->module, alias.name)
                                         : std::string(alias.asname ? alias.name : alias.first.str());
      if (registry.is_module(path)) originals[name] = path;
    });
    return true;
  }
};

// Can the value be called? False only where the text says so.
bool never_called(const Expr* value) {
  if (value == nullptr) return false;
  switch (value->kind) {
    case ExprKind::kConstant:
    case ExprKind::kList:
    case ExprKind::kTuple:
    case ExprKind::kDict:
    case ExprKind::kSet:
    case ExprKind::kListComp:
    case ExprKind::kSetComp:
    case ExprKind::kDictComp:
    case ExprKind::kGeneratorExp:
    case ExprKind::kJoinedStr:
    case ExprKind::kCompare:
      return true;
    case ExprKind::kBinOp:
      return never_called(static_cast<const BinOp*>(value)->left) ||
             never_called(static_cast<const BinOp*>(value)->right);
    case ExprKind::kCall: {
      constexpr std::string_view plain[] = {"abs",   "bool", "dict",   "float", "frozenset", "int",
                                            "len",   "list", "max",    "min",   "range",     "repr",
                                            "round", "set",  "sorted", "str",   "sum",       "tuple"};
      auto* name = as<Name>(static_cast<const Call*>(value)->func);
      return name != nullptr &&
             std::find(std::begin(plain), std::end(plain), name->id.str()) != std::end(plain);
    }
    default:
      return false;
  }
}

// Can it be a module? Calls give modules only where they import them.
bool never_module(const Expr* value) {
  if (never_called(value)) return true;
  auto* call = value == nullptr ? nullptr : as<Call>(value);
  if (call == nullptr) return false;
  auto* name = as<Name>(call->func);
  auto* attribute = as<Attribute>(call->func);
  std::string_view last = name != nullptr        ? name->id.str()
                          : attribute != nullptr ? attribute->attr.str()
                                                 : "import";
  return last.find("import") == std::string_view::npos;
}

// One function, or the file, without what is inside its functions and classes.
class ScopeReader final : public Visitor {
 public:
  struct Binding {
    ir::Span span;
    bool never_called;
    bool never_module;
  };

  ScopeReader(const Originals& originals, std::vector<ir::Diagnostic>& found, const ScopeReader* outer)
      : originals_(originals), found_(found), outer_(outer) {}

  void read(Seq<Stmt> body) { walk(body, *this); }
  void hide(Symbol name, ir::Span span) { bind(name, span, false, false); }

  bool enter(const Stmt& stmt) override {
    if (auto* def = as<FunctionDef>(&stmt)) {
      for (const Expr* decorator : def->decorators) walk(decorator, *this);
      for (const Expr* value : def->args->defaults) walk(value, *this);
      bind(def->name, def->name_span, false, true);
      if (defines_ir(def->decorators)) return false;
      ScopeReader inside(originals_, found_, this);
      each_parameter(*def->args, [&](const Arg& arg) { inside.hide(arg.name, arg.span); });
      inside.read(def->body);
      return false;
    }
    if (auto* def = as<ClassDef>(&stmt)) {
      for (const Expr* decorator : def->decorators) walk(decorator, *this);
      for (const Expr* base : def->bases) walk(base, *this);
      bind(def->name, def->name_span, false, true);
      if (defines_ir(def->decorators)) return false;
      ScopeReader inside(originals_, found_, this);
      inside.read(def->body);
      return false;
    }
    if (auto* assign = as<Assign>(&stmt)) {
      walk(assign->value, *this);
      for (const Expr* target : assign->targets) bind_target(target, assign->value);
      return false;
    }
    if (auto* loop = as<For>(&stmt)) {
      walk(loop->iter, *this);
      bind_target(loop->target, nullptr);
      walk(loop->body, *this);
      walk(loop->orelse, *this);
      return false;
    }
    each_import(stmt, [&](Symbol name, const Alias&) { bindings_.erase(name); });
    if (auto* global = as<Global>(&stmt)) {
      for (Symbol name : global->names) bind(name, global->span, false, false);
    }
    if (auto* removed = as<Delete>(&stmt)) {
      for (const Expr* target : removed->targets) {
        if (auto* name = as<Name>(target)) bindings_.erase(name->id);
      }
      return false;
    }
    return true;
  }
  bool enter(const Expr& expr) override {
    switch (expr.kind) {
      // Variables of their own: what they hide is theirs.
      case ExprKind::kLambda:
      case ExprKind::kListComp:
      case ExprKind::kSetComp:
      case ExprKind::kDictComp:
      case ExprKind::kGeneratorExp:
        return false;
      case ExprKind::kCall: {
        auto* name = as<Name>(static_cast<const Call&>(expr).func);
        if (name != nullptr) judge(*name, "");
        return true;
      }
      case ExprKind::kAttribute: {
        auto& attribute = static_cast<const Attribute&>(expr);
        if (auto* name = as<Name>(attribute.value)) judge(*name, attribute.attr.str());
        return true;
      }
      default:
        return true;
    }
  }

 private:
  void bind(Symbol name, ir::Span span, bool never_called, bool never_module) {
    if (originals_.contains(name))
      bindings_.insert_or_assign(name, Binding{span, never_called, never_module});
  }
  void bind_target(const Expr* target, const Expr* value) {
    if (auto* name = as<Name>(target))
      return bind(name->id, name->span, never_called(value), never_module(value));
    if (auto* star = as<Starred>(target)) {
      if (auto* name = as<Name>(star->value)) bind(name->id, name->span, true, true);
      return;
    }
    Seq<Expr> parts, values;
    if (auto* tuple = as<Tuple>(target)) parts = tuple->elts;
    if (auto* list = as<List>(target)) parts = list->elts;
    if (auto* tuple = value == nullptr ? nullptr : as<Tuple>(value)) values = tuple->elts;
    for (size_t i = 0; i < parts.size(); ++i)
      bind_target(parts[i], values.size() == parts.size() ? values[i] : nullptr);
    if (parts.empty()) walk(target, *this);
  }
  const Binding* binding(Symbol name) const {
    for (const ScopeReader* at = this; at != nullptr; at = at->outer_) {
      if (auto found = at->bindings_.find(name); found != at->bindings_.end()) return &found->second;
    }
    return nullptr;
  }
  // A use as the original: a builtin that is called, a member of the module.
  void judge(const Name& name, std::string_view member) {
    auto original = originals_.find(name.id);
    const Binding* bound = original == originals_.end() ? nullptr : binding(name.id);
    if (bound == nullptr) return;
    const std::string& module = original->second;
    if (module.empty() ? !bound->never_called : !bound->never_module) return;
    if (module.empty() != member.empty()) return;
    if (!module.empty() && ir::ApiRegistry::global().find(module + "." + std::string(member)) == nullptr &&
        !ir::ApiRegistry::global().is_module(module + "." + std::string(member)))
      return;
    std::string use = module.empty() ? fmt::format("`{}(...)` calls it", name.id.str())
                                     : fmt::format("`{}.{}` looks into it", name.id.str(), member);
    std::string what =
        module.empty() ? fmt::format("builtin `{}`", name.id.str()) : fmt::format("module `{}`", module);
    ir::Diagnostic made = warning(refusals["shadowed-name"].name(),
                                  fmt::format("`{}` hides the {}", name.id.str(), what), bound->span);
    made.notes.push_back({use + " here", name.span});
    made.help = "give the new value another name";
    bool again = std::any_of(found_.begin(), found_.end(), [&](const ir::Diagnostic& other) {
      return other.name == made.name && other.span == made.span;
    });
    if (!again) found_.push_back(std::move(made));
  }

  const Originals& originals_;
  std::vector<ir::Diagnostic>& found_;
  const ScopeReader* outer_;
  std::unordered_map<Symbol, Binding> bindings_;
};

}  // namespace

void find_shadowed_names(Seq<Stmt> body, const std::vector<std::string>& builtins,
                         std::vector<ir::Diagnostic>& found) {
  Originals originals;
  for (const std::string& name : builtins) originals.emplace(Symbol(name), std::string());
  Imports imports(originals);
  walk(body, imports);
  ScopeReader(originals, found, nullptr).read(body);
}

}  // namespace mlc::review
