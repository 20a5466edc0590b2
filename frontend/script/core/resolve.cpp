// SPDX-License-Identifier: Apache-2.0
#include "frontend/script/core/resolve.h"

#include <algorithm>

#include "frontend/script/core/collector.h"
#include "frontend/script/core/step_program.h"

namespace mlc::script {

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
struct Resolver::Work {
  Resolver& resolver;
  FunctionInfo& info;
  struct Scope {
    std::unordered_map<Symbol, uint32_t> names;
  };
  std::vector<Scope> comprehensions = {};
  bool rebinds = false;  // some expression binds a variable of the function: none may be lent
  std::string within;    // "<listcomp>.<dictcomp>.": the comprehensions around an expression, for names

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
  void statements(Seq<Stmt> body) {
    for (const Stmt* s : body) statement(s);
  }
  void statement(const Stmt* stmt) {
    switch (stmt->kind) {
      case StmtKind::kFunctionDef: {
        auto* def = static_cast<const FunctionDef*>(stmt);
        for (const Expr* e : def->decorators) expression(e);
        defaults(*def->args);
        break;
      }
      case StmtKind::kClassDef: {
        auto* def = static_cast<const ClassDef*>(stmt);
        for (const Expr* e : def->decorators) expression(e);
        for (const Expr* e : def->bases) expression(e);
        for (const Keyword* k : def->keywords) expression(k->value);
        break;
      }
      case StmtKind::kReturn:
        expression(static_cast<const Return*>(stmt)->value);
        break;
      case StmtKind::kDelete:
        expressions(static_cast<const Delete*>(stmt)->targets);
        break;
      case StmtKind::kAssign: {
        auto* assign = static_cast<const Assign*>(stmt);
        expressions(assign->targets);
        expression(assign->value);
        break;
      }
      case StmtKind::kAugAssign:
        expression(static_cast<const AugAssign*>(stmt)->target);
        expression(static_cast<const AugAssign*>(stmt)->value);
        break;
      case StmtKind::kAnnAssign:
        expression(static_cast<const AnnAssign*>(stmt)->target);
        expression(static_cast<const AnnAssign*>(stmt)->value);
        break;
      case StmtKind::kFor: {
        auto* loop = static_cast<const For*>(stmt);
        expression(loop->target);
        expression(loop->iter);
        statements(loop->body);
        statements(loop->orelse);
        break;
      }
      case StmtKind::kWhile: {
        auto* loop = static_cast<const While*>(stmt);
        expression(loop->test);
        statements(loop->body);
        statements(loop->orelse);
        break;
      }
      case StmtKind::kIf: {
        auto* branch = static_cast<const If*>(stmt);
        expression(branch->test);
        statements(branch->body);
        statements(branch->orelse);
        break;
      }
      case StmtKind::kWith: {
        auto* with = static_cast<const With*>(stmt);
        for (const WithItem* item : with->items) {
          expression(item->context_expr);
          expression(item->optional_vars);
        }
        statements(with->body);
        break;
      }
      case StmtKind::kRaise:
        expression(static_cast<const Raise*>(stmt)->exc);
        expression(static_cast<const Raise*>(stmt)->cause);
        break;
      case StmtKind::kTry: {
        auto* attempt = static_cast<const Try*>(stmt);
        statements(attempt->body);
        for (const ExceptHandler* handler : attempt->handlers) {
          expression(handler->type);
          if (handler->name) handler->resolved = resolve(handler->name);
          statements(handler->body);
        }
        statements(attempt->orelse);
        statements(attempt->finalbody);
        break;
      }
      case StmtKind::kAssert:
        expression(static_cast<const Assert*>(stmt)->test);
        expression(static_cast<const Assert*>(stmt)->msg);
        break;
      case StmtKind::kExprStmt:
        expression(static_cast<const ExprStmt*>(stmt)->value);
        break;
      case StmtKind::kImport:
      case StmtKind::kImportFrom:
      case StmtKind::kGlobal:
      case StmtKind::kNonlocal:
      case StmtKind::kPass:
      case StmtKind::kBreak:
      case StmtKind::kContinue:
        break;
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
  void expression(const Expr* expr) {
    if (expr == nullptr) return;
    switch (expr->kind) {
      case ExprKind::kName: {
        auto* name = static_cast<const Name*>(expr);
        name->resolved = resolve(name->id);
        set(expr, storage_of(name->resolved) == Storage::kLocal && !rebinds ? Code::kLocal : Code::kName);
        break;
      }
      case ExprKind::kBoolOp:
        expressions(static_cast<const BoolOp*>(expr)->values);
        break;
      case ExprKind::kNamedExpr: {
        auto* named = static_cast<const NamedExpr*>(expr);
        expression(named->value);
        // A walrus in a comprehension binds in the function around it.
        auto own = info.names.find(named->target->id);
        named->target->resolved = own != info.names.end()
                                      ? own->second
                                      : place(Storage::kGlobal, info.module->slot_of(named->target->id));
        break;
      }
      case ExprKind::kBinOp:
        expression(static_cast<const BinOp*>(expr)->left);
        expression(static_cast<const BinOp*>(expr)->right);
        set(expr, code_of(static_cast<const BinOp*>(expr)->op));
        break;
      case ExprKind::kUnaryOp:
        expression(static_cast<const UnaryOp*>(expr)->operand);
        break;
      case ExprKind::kLambda: {
        auto* lambda = static_cast<const Lambda*>(expr);
        defaults(*lambda->args);
        size_t first = resolver.functions_.size();
        lambda->resolved =
            resolver.lambda_in(*lambda, &info, info.module, [&](Symbol name) { return outer(name); });
        name_within(first);
        break;
      }
      case ExprKind::kIfExp: {
        auto* choice = static_cast<const IfExp*>(expr);
        expression(choice->test);
        expression(choice->body);
        expression(choice->orelse);
        break;
      }
      case ExprKind::kDict:
        expressions(static_cast<const syntax::Dict*>(expr)->keys);
        expressions(static_cast<const syntax::Dict*>(expr)->values);
        break;
      case ExprKind::kSet:
        expressions(static_cast<const syntax::Set*>(expr)->elts);
        break;
      case ExprKind::kListComp: {
        auto* c = static_cast<const ListComp*>(expr);
        c->resolved = comprehension("<listcomp>.", c->generators, c->elt, nullptr);
        break;
      }
      case ExprKind::kSetComp: {
        auto* c = static_cast<const SetComp*>(expr);
        c->resolved = comprehension("<setcomp>.", c->generators, c->elt, nullptr);
        break;
      }
      case ExprKind::kDictComp: {
        auto* c = static_cast<const DictComp*>(expr);
        c->resolved = comprehension("<dictcomp>.", c->generators, c->key, c->value);
        break;
      }
      case ExprKind::kGeneratorExp: {
        auto* c = static_cast<const GeneratorExp*>(expr);
        expression(c->generators[0]->iter);
        size_t first = resolver.functions_.size();
        c->resolved = resolver.generator_in(*c, &info, info.module, [&](Symbol name) { return outer(name); });
        name_within(first);
        break;
      }
      case ExprKind::kYield:
        expression(static_cast<const Yield*>(expr)->value);
        set(expr, Code::kYield);
        break;
      case ExprKind::kYieldFrom:
        expression(static_cast<const YieldFrom*>(expr)->value);
        break;
      case ExprKind::kCompare:
        expression(static_cast<const Compare*>(expr)->left);
        expressions(static_cast<const Compare*>(expr)->comparators);
        if (auto ops = static_cast<const Compare*>(expr)->ops; ops.size() == 1) {
          bool orders = ops[0] <= CmpOperator::kGtE;
          auto first = static_cast<uint8_t>(Code::kEq);
          set(expr, orders ? static_cast<Code>(first + static_cast<uint8_t>(ops[0])) : Code::kCompare);
        }
        break;
      case ExprKind::kCall: {
        auto* call = static_cast<const Call*>(expr);
        expression(call->func);
        expressions(call->args);
        for (const Keyword* k : call->keywords) expression(k->value);
        bool plain = true;
        for (const Expr* arg : call->args) plain = plain && arg->kind != ExprKind::kStarred;
        for (const Keyword* k : call->keywords) plain = plain && k->name;
        if (plain) set(expr, call->keywords.empty() ? Code::kCall : Code::kKeywordCall);
        break;
      }
      case ExprKind::kFormattedValue:
        expression(static_cast<const FormattedValue*>(expr)->value);
        expression(static_cast<const FormattedValue*>(expr)->format_spec);
        break;
      case ExprKind::kJoinedStr:
        expressions(static_cast<const JoinedStr*>(expr)->values);
        break;
      case ExprKind::kConstant:
        constant(static_cast<const Constant&>(*expr));
        break;
      case ExprKind::kAttribute:
        expression(static_cast<const Attribute*>(expr)->value);
        set(expr, Code::kAttribute);
        break;
      case ExprKind::kSubscript:
        expression(static_cast<const Subscript*>(expr)->value);
        expression(static_cast<const Subscript*>(expr)->slice);
        if (!has_slice(static_cast<const Subscript*>(expr)->slice)) set(expr, Code::kSubscript);
        break;
      case ExprKind::kStarred:
        expression(static_cast<const Starred*>(expr)->value);
        break;
      case ExprKind::kList:
        expressions(static_cast<const syntax::List*>(expr)->elts);
        break;
      case ExprKind::kTuple:
        expressions(static_cast<const syntax::Tuple*>(expr)->elts);
        if (!has_slice(expr)) set(expr, Code::kTuple);
        break;
      case ExprKind::kSlice:
        expression(static_cast<const syntax::Slice*>(expr)->lower);
        expression(static_cast<const syntax::Slice*>(expr)->upper);
        expression(static_cast<const syntax::Slice*>(expr)->step);
        break;
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
  info.yields = names.yields > 0;
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
  Work{*this, *info, {}, false, {}}.statements(body);
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
      throw ir::Error("unbound-nonlocal", "no function around `{}` binds `{}`", made->name, name.str())
          .kind("SyntaxError")
          .at(def.name_span);
    }
  }
  if (made->yields) made->steps = step_program(def.body, names.yields);
  Work{*this, *made, {}, names.rebinds, {}}.statements(def.body);
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
  Work{*this, *made, {}, names.rebinds, {}}.expression(lambda.body);
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
  Work work{*this, info, {}, names.rebinds, {}};
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
