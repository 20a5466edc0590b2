// SPDX-License-Identifier: Apache-2.0
#include "frontend/script/core/resolve.h"

#include <algorithm>

#include "frontend/script/core/collector.h"
#include "ir/core/refusal.h"

namespace mlc::script {

static constexpr ir::Refusals refusals{
    "SyntaxError",
    {
        {.name = "unbound-nonlocal",
         .message = "no function around `{}` binds `{}`",
         .meaning = "`nonlocal` names a variable of a function around this one."},
    }};
MLC_REFUSALS(core_resolve, refusals);

using namespace syntax;  // NOLINT: the names of the tree

namespace {

// What begins the qualified names of functions in the body of another: nothing at the top of a file.
std::string scope_of(const FunctionInfo* parent) {
  if (parent == nullptr) return "";
  if (parent->generator != nullptr) return parent->qualified_name + ".";
  return parent->args != nullptr ? parent->qualified_name + ".<locals>." : "";
}

}  // namespace

// Writes the `resolved` words of one function.
struct Resolver::Work final : Visitor {
  Resolver& resolver;
  FunctionInfo& info;
  struct Scope {
    std::unordered_map<Symbol, uint32_t> names;
  };
  std::vector<Scope> comprehensions = {};
  bool rebinds;        // some expression binds a variable of the function: none may be lent
  std::string within;  // "<listcomp>.<dictcomp>.": the comprehensions around an expression, for names
  Work(Resolver& resolver, FunctionInfo& info, bool rebinds)
      : resolver(resolver), info(info), rebinds(rebinds) {}

  uint32_t resolve(Symbol name) {
    for (size_t i = comprehensions.size(); i-- > 0;) {
      auto found = comprehensions[i].names.find(name);
      if (found != comprehensions[i].names.end()) return found->second;
    }
    auto found = info.names.find(name);
    if (found != info.names.end()) return found->second;
    uint32_t slot = info.module->slot_of(name);
    return place(Storage::kGlobal, slot);
  }
  void statements(Seq<Stmt> body) { walk(body, *this); }
  void expression(const Expr* expr) { walk(expr, *this); }
  bool enter(const Stmt& stmt) override {
    switch (stmt.kind) {
      case StmtKind::kFunctionDef: {
        auto& def = static_cast<const FunctionDef&>(stmt);
        expressions(def.decorators);
        defaults(*def.args);
        return false;
      }
      case StmtKind::kClassDef: {
        auto& def = static_cast<const ClassDef&>(stmt);
        expressions(def.decorators);
        expressions(def.bases);
        for (const Keyword* k : def.keywords) expression(k->value);
        return false;
      }
      case StmtKind::kAnnAssign:
        expression(static_cast<const AnnAssign&>(stmt).target);
        expression(static_cast<const AnnAssign&>(stmt).value);
        return false;
      case StmtKind::kTry:
        for (const ExceptHandler* handler : static_cast<const Try&>(stmt).handlers)
          if (handler->name) handler->resolved = resolve(handler->name);
        return true;
      default:
        return true;
    }
  }
  template <class T>
  void expressions(Seq<T> list) {
    for (const Expr* e : list) expression(e);
  }
  void defaults(const syntax::Arguments& args) {
    expressions(args.defaults);
    expressions(args.kw_defaults);
  }
  bool enter(const Expr& expr) override {
    switch (expr.kind) {
      case ExprKind::kName: {
        auto& name = static_cast<const Name&>(expr);
        name.resolved = resolve(name.id);
        set(&expr, storage_of(name.resolved) == Storage::kLocal && !rebinds ? Code::kLocal : Code::kName);
        return false;
      }
      case ExprKind::kNamedExpr: {
        auto& named = static_cast<const NamedExpr&>(expr);
        expression(named.value);
        // A walrus in a comprehension binds in the function around it.
        auto own = info.names.find(named.target->id);
        named.target->resolved = own != info.names.end()
                                     ? own->second
                                     : place(Storage::kGlobal, info.module->slot_of(named.target->id));
        return false;
      }
      case ExprKind::kBinOp:
        set(&expr, code_of(static_cast<const BinOp&>(expr).op));
        return true;
      case ExprKind::kLambda: {
        auto& lambda = static_cast<const Lambda&>(expr);
        defaults(*lambda.args);
        size_t first = resolver.functions_.size();
        lambda.resolved =
            resolver.lambda_in(lambda, &info, info.module, [&](Symbol name) { return outer(name); });
        name_within(first);
        return false;
      }
      case ExprKind::kListComp: {
        auto& c = static_cast<const ListComp&>(expr);
        c.resolved = comprehension("<listcomp>.", c.generators, c.elt, nullptr);
        return false;
      }
      case ExprKind::kSetComp: {
        auto& c = static_cast<const SetComp&>(expr);
        c.resolved = comprehension("<setcomp>.", c.generators, c.elt, nullptr);
        return false;
      }
      case ExprKind::kDictComp: {
        auto& c = static_cast<const DictComp&>(expr);
        c.resolved = comprehension("<dictcomp>.", c.generators, c.key, c.value);
        return false;
      }
      case ExprKind::kGeneratorExp: {
        auto& c = static_cast<const GeneratorExp&>(expr);
        expression(c.generators[0]->iter);
        size_t first = resolver.functions_.size();
        c.resolved = resolver.generator_in(c, &info, info.module, [&](Symbol name) { return outer(name); });
        name_within(first);
        return false;
      }
      case ExprKind::kYield:
        set(&expr, Code::kYield);
        return true;
      case ExprKind::kCompare:
        if (auto ops = static_cast<const Compare&>(expr).ops; ops.size() == 1) {
          bool orders = ops[0] <= CmpOperator::kGtE;
          auto first = static_cast<uint8_t>(Code::kEq);
          set(&expr, orders ? static_cast<Code>(first + static_cast<uint8_t>(ops[0])) : Code::kCompare);
        }
        return true;
      case ExprKind::kCall: {
        auto& call = static_cast<const Call&>(expr);
        bool plain = call.keywords.empty();
        for (const Expr* arg : call.args) plain = plain && arg->kind != ExprKind::kStarred;
        if (plain) set(&expr, Code::kCall);
        return true;
      }
      case ExprKind::kConstant:
        constant(static_cast<const Constant&>(expr));
        return true;
      case ExprKind::kAttribute:
        set(&expr, Code::kAttribute);
        return true;
      case ExprKind::kSubscript:
        if (!has_slice(static_cast<const Subscript&>(expr).slice)) set(&expr, Code::kSubscript);
        return true;
      case ExprKind::kTuple:
        if (!has_slice(&expr)) set(&expr, Code::kTuple);
        return true;
      default:
        return true;
    }
  }
  static void set(const Expr* expr, Code code) { expr->code = static_cast<uint8_t>(code); }
  static Code code_of(BinOperator op) {
    switch (op) {
      case BinOperator::kAdd:
        return Code::kAdd;
      case BinOperator::kSub:
        return Code::kSub;
      case BinOperator::kMult:
        return Code::kMult;
      case BinOperator::kDiv:
        return Code::kDiv;
      case BinOperator::kFloorDiv:
        return Code::kFloorDiv;
      case BinOperator::kMod:
        return Code::kMod;
      default:
        return Code::kBinary;
    }
  }
  // Whether an index needs the brackets to be understood.
  static bool has_slice(const Expr* index) {
    if (auto* tuple = syntax::as<syntax::Tuple>(index)) {
      return std::any_of(tuple->elts.begin(), tuple->elts.end(), has_slice);
    }
    return index->kind == ExprKind::kSlice || index->kind == ExprKind::kStarred;
  }
  void constant(const Constant& constant) {
    switch (constant.type) {
      case Constant::Type::kInt:
        return set(&constant, Code::kInt);
      case Constant::Type::kNone:
      case Constant::Type::kBool:
      case Constant::Type::kFloat:
        return set(&constant, Code::kPlain);
      case Constant::Type::kStr:
        constant.resolved = static_cast<uint32_t>(resolver.texts_.size());
        resolver.texts_.push_back(str_value(constant.text));
        return set(&constant, Code::kText);
      case Constant::Type::kBytes:
      case Constant::Type::kEllipsis:
      case Constant::Type::kWideInt:
        return;
    }
  }
  // The functions made since there were `first` of them are qualified by the comprehensions around them, too.
  void name_within(size_t first) {
    for (size_t i = within.empty() ? resolver.functions_.size() : first; i < resolver.functions_.size(); ++i)
      resolver.functions_[i]->qualified_name.insert(scope_of(&info).size(), within);
  }
  // -> 1, or 2 when closures keep some of its variables.
  uint32_t comprehension(std::string_view kind, Seq<Comprehension> generators, const Expr* a, const Expr* b) {
    bool shared = false;
    expression(generators[0]->iter);
    // Which of its variables do closures inside it keep?
    Collector inside(resolver);
    for (const Comprehension* c : generators) {
      if (c != generators[0]) inside.expression(c->iter);
      for (const Expr* e : c->ifs) inside.expression(e);
    }
    inside.expression(a);
    inside.expression(b);
    Scope scope;
    for (const Comprehension* c : generators) {
      each_target(c->target, [&](const Name& name) {
        if (scope.names.contains(name.id)) return;
        uint32_t slot = info.slots++;
        bool kept = inside.inner_free.contains(name.id);
        shared = shared || kept;
        scope.names[name.id] = place(kept ? Storage::kCell : Storage::kLocal, slot);
      });
    }
    comprehensions.push_back(std::move(scope));
    within += kind;
    bool first = true;
    for (const Comprehension* c : generators) {
      if (!first) expression(c->iter);
      first = false;
      expression(c->target);
      expressions(c->ifs);
    }
    expression(a);
    expression(b);
    within.resize(within.size() - kind.size());
    comprehensions.pop_back();
    return shared ? 2 : 1;
  }

  // Where a function inside this one finds a name; 0 when it is global.
  uint32_t outer(Symbol name) {
    uint32_t where = resolve(name);
    return storage_of(where) == Storage::kGlobal ? 0 : where;
  }
};

namespace {

void add_parameters(FunctionInfo& info, const syntax::Arguments& args) {
  info.args = &args;
  for (const Arg* a : args.posonlyargs) info.parameters.push_back(a->name);
  for (const Arg* a : args.args) info.parameters.push_back(a->name);
  info.positional_only = args.posonlyargs.size();
  info.positional = info.parameters.size();
  for (const Arg* a : args.kwonlyargs) info.parameters.push_back(a->name);
  info.keyword_only = args.kwonlyargs.size();
  info.has_vararg = args.vararg != nullptr;
  info.has_kwarg = args.kwarg != nullptr;
  if (info.has_vararg) info.parameters.push_back(args.vararg->name);
  if (info.has_kwarg) info.parameters.push_back(args.kwarg->name);
  for (Symbol name : info.parameters) info.parameter_texts.push_back(name.str());
}

// Gives every name of the function its slot.
void place_names(FunctionInfo& info, const Collector& names, const std::function<uint32_t(Symbol)>& outer) {
  info.yields = names.yields;
  auto add = [&](Symbol name) {
    uint32_t slot = info.slots++;
    bool shared = names.inner_free.contains(name);
    if (shared) info.cells.push_back(slot);
    info.names[name] = place(shared ? Storage::kCell : Storage::kLocal, slot);
  };
  for (Symbol name : info.parameters) add(name);
  info.simple = info.keyword_only == 0 && !info.has_vararg && !info.has_kwarg && info.cells.empty();
  for (Symbol name : names.bound_order) {
    if (names.globals.contains(name) || names.nonlocals.contains(name) || info.names.contains(name)) continue;
    add(name);
  }
  for (Symbol name : names.free()) {
    uint32_t where = outer(name);
    if (where == 0) continue;
    uint32_t slot = info.slots++;
    info.free_variables.push_back({name, slot, where});
    info.names[name] = place(Storage::kCell, slot);
  }
}

std::function<uint32_t(Symbol)> places_in(const FunctionInfo* parent) {
  return [parent](Symbol name) -> uint32_t {
    if (parent == nullptr) return 0;
    auto found = parent->names.find(name);
    return found == parent->names.end() ? 0 : found->second;
  };
}

std::string docstring(Seq<Stmt> body) {
  if (body.empty()) return "";
  auto* first = syntax::as<ExprStmt>(body[0]);
  auto* text = first == nullptr ? nullptr : syntax::as<Constant>(first->value);
  return text != nullptr && text->type == Constant::Type::kStr ? std::string(text->text) : "";
}

}  // namespace

uint32_t Resolver::keep(std::unique_ptr<FunctionInfo> info) {
  functions_.push_back(std::move(info));
  return static_cast<uint32_t>(functions_.size());
}

std::unique_ptr<FunctionInfo> Resolver::module(Seq<Stmt> body, ModuleNode* module) {
  auto info = std::make_unique<FunctionInfo>();
  info->name = info->qualified_name = "<module>";
  info->module = module;
  info->body = body;
  Work(*this, *info, false).statements(body);
  return info;
}

const FunctionInfo* Resolver::function(const FunctionDef& def, const FunctionInfo* parent, ModuleNode* module,
                                       std::string_view scope_name) {
  if (def.resolved != 0) return info(def.resolved);
  auto made = std::make_unique<FunctionInfo>();
  made->name = std::string(def.name.str());
  made->qualified_name = scope_name.empty() ? made->name : std::string(scope_name) + "." + made->name;
  made->doc = docstring(def.body);
  made->parent = parent;
  made->module = module;
  made->body = def.body;
  made->returns = def.returns;
  made->span = def.name_span;
  made->text = def.decorators.empty() ? def.span : ir::Span::cover(def.decorators[0]->span, def.span);
  add_parameters(*made, *def.args);
  Collector names(*this);
  names.parameters(*def.args);
  names.statements(def.body);
  place_names(*made, names, places_in(parent));
  for (Symbol name : names.nonlocals) {
    if (!made->names.contains(name)) {
      throw ir::refuse(refusals["unbound-nonlocal"], made->name, name.str()).at(def.name_span);
    }
  }
  Work(*this, *made, names.rebinds).statements(def.body);
  def.resolved = keep(std::move(made));
  return info(def.resolved);
}

uint32_t Resolver::lambda_in(const Lambda& lambda, const FunctionInfo* parent, ModuleNode* module,
                             const Outer& outer) {
  auto made = std::make_unique<FunctionInfo>();
  made->name = "<lambda>";
  made->qualified_name = scope_of(parent) + made->name;
  made->parent = parent;
  made->module = module;
  made->expr = lambda.body;
  made->span = made->text = lambda.span;
  add_parameters(*made, *lambda.args);
  Collector names(*this);
  names.parameters(*lambda.args);
  names.expression(lambda.body);
  place_names(*made, names, outer);
  Work(*this, *made, names.rebinds).expression(lambda.body);
  return keep(std::move(made));
}

uint32_t Resolver::generator_in(const GeneratorExp& generator, const FunctionInfo* parent, ModuleNode* module,
                                const Outer& outer) {
  auto made = std::make_unique<FunctionInfo>();
  made->name = "<genexpr>";
  made->qualified_name = scope_of(parent) + made->name;
  made->parent = parent;
  made->module = module;
  made->generator = &generator;
  made->span = made->text = generator.span;
  made->slots = generator.generators.size();  // the iterators
  resolve_comprehension(*made, generator.generators, generator.elt, nullptr, outer);
  return keep(std::move(made));
}

void Resolver::resolve_comprehension(FunctionInfo& info, Seq<Comprehension> generators, const Expr* a,
                                     const Expr* b, const Outer& outer) {
  Collector names(*this);
  names.function_of(generators, a, b);
  place_names(info, names, outer);
  Work work(*this, info, names.rebinds);
  for (const Comprehension* c : generators) {
    if (c != generators[0]) work.expression(c->iter);
    work.expression(c->target);
    work.expressions(c->ifs);
  }
  work.expression(a);
  work.expression(b);
}

const FunctionInfo* Resolver::lambda_of_class(const Lambda& lambda, const FunctionInfo* parent,
                                              ModuleNode* module, std::string_view scope_name) {
  if (lambda.resolved == 0) {
    lambda.resolved = lambda_in(lambda, parent, module, places_in(parent));
    functions_[lambda.resolved - 1]->qualified_name = std::string(scope_name) + ".<lambda>";
  }
  return info(lambda.resolved);
}
const FunctionInfo* Resolver::generator_of_class(const GeneratorExp& generator, const FunctionInfo* parent,
                                                 ModuleNode* module, std::string_view scope_name) {
  if (generator.resolved == 0) {
    generator.resolved = generator_in(generator, parent, module, places_in(parent));
    functions_[generator.resolved - 1]->qualified_name = std::string(scope_name) + ".<genexpr>";
  }
  return info(generator.resolved);
}
const FunctionInfo* Resolver::comprehension_of_class(Seq<Comprehension> generators, const Expr* a,
                                                     const Expr* b, const FunctionInfo* parent,
                                                     ModuleNode* module) {
  uint32_t& resolved = of_class_[a];
  if (resolved == 0) {
    auto made = std::make_unique<FunctionInfo>();
    made->name = made->qualified_name = "<comprehension>";
    made->parent = parent;
    made->module = module;
    resolve_comprehension(*made, generators, a, b, places_in(parent));
    resolved = keep(std::move(made));
  }
  return info(resolved);
}

namespace {

std::function<uint32_t(Symbol)> by_name_of(const NameList& names) {
  return [&names](Symbol name) -> uint32_t {
    return std::find(names.begin(), names.end(), name) == names.end() ? 0 : kByName;
  };
}

}  // namespace

const FunctionInfo* Resolver::lambda(const Lambda& lambda, ModuleNode* module, const NameList& by_name,
                                     bool builds_ir) {
  if (lambda.resolved == 0) {
    lambda.resolved = lambda_in(lambda, nullptr, module, by_name_of(by_name));
    functions_[lambda.resolved - 1]->builds_ir = builds_ir;
  }
  return info(lambda.resolved);
}
const FunctionInfo* Resolver::generator(const GeneratorExp& generator, ModuleNode* module,
                                        const NameList& by_name) {
  if (generator.resolved == 0)
    generator.resolved = generator_in(generator, nullptr, module, by_name_of(by_name));
  return info(generator.resolved);
}
const NameList& Resolver::free_names(const Lambda& lambda) { return Collector(*this).lambda_free(lambda); }
const NameList& Resolver::free_names(const GeneratorExp& generator) {
  return Collector(*this).generator_free(generator);
}

}  // namespace mlc::script
