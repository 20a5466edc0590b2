// SPDX-License-Identifier: Apache-2.0
// Names that nothing binds, and calls that do not fit the function they name. Both are found in code that
// has not run: the file is read as a whole, and what it leaves open is not reported.
#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "frontend/review/review.h"
#include "frontend/syntax/walk.h"

namespace mlc::review {

using namespace syntax;  // NOLINT: the names of the tree

namespace {

// The names that statements bind, without what is inside functions and classes.
struct Bindings final : Visitor {
  std::unordered_map<Symbol, size_t> names;  // with how often
  std::unordered_map<Symbol, const FunctionDef*> functions;

  void bind(Symbol name) {
    if (name) ++names[name];
  }
  bool enter(const Stmt& stmt) override {
    if (auto* def = as<FunctionDef>(&stmt)) {
      bind(def->name);
      functions[def->name] = def;
      return false;
    }
    if (auto* def = as<ClassDef>(&stmt)) {
      bind(def->name);
      return false;
    }
    each_import(stmt, [&](Symbol name, const Alias&) { bind(name); });
    if (auto* attempt = as<Try>(&stmt)) {
      for (const ExceptHandler* handler : attempt->handlers) bind(handler->name);
    }
    if (auto* global = as<Global>(&stmt)) {
      for (Symbol name : global->names) bind(name);
    }
    if (auto* outer = as<Nonlocal>(&stmt)) {
      for (Symbol name : outer->names) bind(name);
    }
    return true;
  }
  bool enter(const Expr& expr) override {
    if (expr.kind == ExprKind::kLambda) return false;
    auto* name = as<Name>(&expr);
    if (name != nullptr && name->ctx == Context::kStore) bind(name->id);
    return true;
  }
};

// What makes the text say less than the program does: names that are bound by other means.
struct Open final : Visitor {
  bool found = false;
  std::unordered_set<Symbol> global;
  bool enter(const Stmt& stmt) override {
    if (auto* import = as<ImportFrom>(&stmt)) {
      for (const Alias* alias : import->names) found = found || alias->name == "*";
    }
    if (auto* names = as<Global>(&stmt)) global.insert(names->names.begin(), names->names.end());
    return true;
  }
  bool enter(const Expr& expr) override {
    constexpr std::string_view kMeans[] = {"globals", "locals", "vars", "exec", "eval", "setattr"};
    auto* name = as<Name>(&expr);
    found = found || (name != nullptr &&
                      std::find(std::begin(kMeans), std::end(kMeans), name->id.str()) != std::end(kMeans));
    return true;
  }
};

struct Scope {
  const Scope* outer = nullptr;
  bool is_class = false;
  Bindings bound;
};

class Reader final : public Visitor {
 public:
  Reader(const Scope& scope, const std::unordered_set<Symbol>& builtins,
         const std::unordered_set<Symbol>& global, std::vector<ir::Diagnostic>& found)
      : scope_(scope), builtins_(builtins), global_(global), found_(found) {}

  bool enter(const Stmt& stmt) override {
    if (auto* def = as<FunctionDef>(&stmt)) {
      for (const Expr* decorator : def->decorators) walk(decorator, *this);
      defaults(*def->args);
      if (defines_ir(def->decorators)) return false;
      Scope inside{&scope_, false, {}};
      each_parameter(*def->args, [&](const Arg& arg) { inside.bound.bind(arg.name); });
      for (const TypeParam* each : def->type_params) inside.bound.bind(each->name);
      walk(def->body, inside.bound);
      Reader reader(inside, builtins_, global_, found_);
      walk(def->body, reader);
      return false;
    }
    if (auto* def = as<ClassDef>(&stmt)) {
      for (const Expr* decorator : def->decorators) walk(decorator, *this);
      for (const Expr* base : def->bases) walk(base, *this);
      for (const Keyword* keyword : def->keywords) walk(keyword->value, *this);
      if (defines_ir(def->decorators)) return false;
      Scope inside{&scope_, true, {}};
      for (const TypeParam* each : def->type_params) inside.bound.bind(each->name);
      walk(def->body, inside.bound);
      Reader reader(inside, builtins_, global_, found_);
      walk(def->body, reader);
      return false;
    }
    if (auto* assign = as<AnnAssign>(&stmt)) {
      if (assign->value != nullptr) walk(assign->value, *this);
      if (assign->target->kind != ExprKind::kName) walk(assign->target, *this);
      return false;
    }
    if (auto* attempt = as<Try>(&stmt)) {
      // Whether a name is there may be the question.
      for (const ExceptHandler* handler : attempt->handlers) {
        if (handler->type == nullptr || names_name_error(handler->type)) return false;
      }
    }
    return true;
  }
  bool enter(const Expr& expr) override {
    if (auto* lambda = as<Lambda>(&expr)) {
      defaults(*lambda->args);
      Scope inside{&scope_, false, {}};
      each_parameter(*lambda->args, [&](const Arg& arg) { inside.bound.bind(arg.name); });
      walk(lambda->body, inside.bound);
      Reader reader(inside, builtins_, global_, found_);
      walk(lambda->body, reader);
      return false;
    }
    if (auto* name = as<Name>(&expr)) judge(*name);
    if (auto* call = as<Call>(&expr)) judge(*call);
    return true;
  }

 private:
  static bool names_name_error(const Expr* type) {
    if (auto* name = as<Name>(type))
      return name->id.str() == "NameError" || name->id.str() == "Exception" ||
             name->id.str() == "BaseException";
    auto* tuple = as<Tuple>(type);
    return tuple != nullptr && std::any_of(tuple->elts.begin(), tuple->elts.end(), names_name_error);
  }
  void defaults(const Arguments& args) {
    for (const Expr* value : args.defaults) walk(value, *this);
    for (const Expr* value : args.kw_defaults) {
      if (value != nullptr) walk(value, *this);
    }
  }
  // The scope a name is found in; null where there is none.
  const Scope* scope_of(Symbol name) const {
    for (const Scope* at = &scope_; at != nullptr; at = at->outer) {
      if (at != &scope_ && at->is_class) continue;
      if (at->bound.names.contains(name)) return at;
    }
    return nullptr;
  }

  void judge(const Name& name) {
    std::string_view text = name.id.str();
    if (name.ctx == Context::kStore || (text.starts_with("__") && text.ends_with("__"))) return;
    if (scope_of(name.id) != nullptr || builtins_.contains(name.id) || global_.contains(name.id)) return;
    std::vector<std::string> near;
    bool of_class = false;  // functions do not see the names of the class around them
    for (const Scope* at = &scope_; at != nullptr; at = at->outer) {
      of_class = of_class || at->bound.names.contains(name.id);
      for (const auto& [each, count] : at->bound.names) near.emplace_back(each.str());
    }
    for (Symbol each : builtins_) near.emplace_back(each.str());
    std::sort(near.begin(), near.end());
    ir::Diagnostic made =
        warning("undefined-name", fmt::format("nothing binds the name `{}`", text), name.span);
    made.help = of_class ? fmt::format("it is a name of the class around: write `self.{}`", text)
                         : ir::did_you_mean(text, near);
    found_.push_back(std::move(made));
  }

  // A call of a function of the file that has this one meaning.
  void judge(const Call& call) {
    auto* name = as<Name>(call.func);
    const Scope* scope = name == nullptr ? nullptr : scope_of(name->id);
    if (scope == nullptr || scope->is_class || global_.contains(name->id)) return;
    auto def = scope->bound.functions.find(name->id);
    if (def == scope->bound.functions.end() || scope->bound.names.at(name->id) != 1) return;
    if (!def->second->decorators.empty()) return;
    judge(call, *def->second);
  }
  void judge(const Call& call, const FunctionDef& def) {
    const Arguments& args = *def.args;
    auto starred = [](const Expr* each) { return each->kind == ExprKind::kStarred; };
    auto spread = [](const Keyword* each) { return !each->name; };
    if (std::any_of(call.args.begin(), call.args.end(), starred) ||
        std::any_of(call.keywords.begin(), call.keywords.end(), spread))
      return;
    std::vector<Symbol> names;
    for (Seq<Arg> list : {args.posonlyargs, args.args}) {
      for (const Arg* arg : list) names.push_back(arg->name);
    }
    size_t positional = names.size();
    for (const Arg* arg : args.kwonlyargs) names.push_back(arg->name);
    auto report = [&](std::string_view kind, std::string message, ir::Span span, std::string help = "") {
      ir::Diagnostic made = warning(kind, std::move(message), span);
      made.notes.push_back({fmt::format("`{}` is defined here", def.name.str()), def.name_span});
      made.help = std::move(help);
      found_.push_back(std::move(made));
    };
    if (call.args.size() > positional && args.vararg == nullptr) {
      return report("too-many-arguments",
                    fmt::format("`{}` takes {} argument{} by place, {} are given", def.name.str(), positional,
                                positional == 1 ? "" : "s", call.args.size()),
                    call.args[positional]->span);
    }
    std::unordered_set<Symbol> given(
        names.begin(), names.begin() + static_cast<ptrdiff_t>(std::min(call.args.size(), positional)));
    for (const Keyword* keyword : call.keywords) {
      bool known = std::find(names.begin() + static_cast<ptrdiff_t>(args.posonlyargs.size()), names.end(),
                             keyword->name) != names.end();
      if (!known && args.kwarg == nullptr) {
        std::vector<std::string> near;
        for (Symbol each : names) near.emplace_back(each.str());
        return report("unknown-keyword",
                      fmt::format("`{}` has no parameter `{}`", def.name.str(), keyword->name.str()),
                      keyword->name_span, ir::did_you_mean(keyword->name.str(), near));
      }
      given.insert(keyword->name);
    }
    std::string missing;
    size_t first_default = positional - args.defaults.size();
    for (size_t i = 0; i < names.size(); ++i) {
      bool has_default = i < positional ? i >= first_default : args.kw_defaults[i - positional] != nullptr;
      if (has_default || given.contains(names[i])) continue;
      missing += fmt::format("{}`{}`", missing.empty() ? "" : ", ", names[i].str());
    }
    if (!missing.empty()) {
      report("missing-argument", fmt::format("this call of `{}` does not give {}", def.name.str(), missing),
             call.span);
    }
  }

  const Scope& scope_;
  const std::unordered_set<Symbol>& builtins_;
  const std::unordered_set<Symbol>& global_;
  std::vector<ir::Diagnostic>& found_;
};

}  // namespace

void find_undefined_names(Seq<Stmt> body, const std::vector<std::string>& builtins,
                          std::vector<ir::Diagnostic>& found) {
  Open open;
  walk(body, open);
  if (open.found) return;
  std::unordered_set<Symbol> known;
  for (const std::string& name : builtins) known.insert(Symbol(name));
  Scope file;
  walk(body, file.bound);
  Reader reader(file, known, open.global, found);
  walk(body, reader);
}

}  // namespace mlc::review
