// SPDX-License-Identifier: Apache-2.0
#include "frontend/review/static_names.h"

#include <fmt/format.h>

#include <algorithm>

#include "frontend/review/review.h"
#include "frontend/syntax/walk.h"

namespace mlc::review {

using namespace syntax;  // NOLINT: the names of the tree

namespace {

// Modules whose functions only make IR, or compute with numbers. (A dot at the end: what is below them.)
constexpr std::string_view kPure[] = {
    "tvm.script.tirx.", "tvm.script.tir.", "tvm.script.ir.", "tvm.script.relax.",
    "tvm.tirx.",        "tvm.tir.",        "math."};
constexpr std::string_view kPureNames[] = {"tvm.script.ir_module", "tvm.target.Target", "tvm.DataType",
                                         "typing.TypeVar"};
// Names that a printed program has without an import.
constexpr std::pair<std::string_view, std::string_view> kDefaultModules[] = {
    {"tvm", "tvm"},           {"I", "tvm.script.ir"},     {"ir", "tvm.script.ir"},
    {"T", "tvm.script.tirx"}, {"tir", "tvm.script.tirx"}, {"tirx", "tvm.script.tirx"},
    {"R", "tvm.script.relax"},
};
// Builtins that have no effect beside their value.
constexpr std::string_view kBuiltins[] = {
    "range", "len",  "int", "float", "bool",      "str",   "min",      "max", "abs", "sum",    "tuple",
    "list",  "dict", "set", "zip",   "enumerate", "round", "reversed", "all", "any", "divmod", "sorted"};
// What may be gone through, or repeated, and how large powers are: beyond that a value could take long to
// compute, or all of the memory.
constexpr int64_t kMostElements = 1'000'000, kLargestExponent = 64;
// Attributes of numpy that are types and numbers.
constexpr std::string_view kNumbers[] = {"float", "int", "uint", "bool", "pi", "inf", "nan", "e"};

bool is_pure(std::string_view path) {
  std::string_view last = path.substr(path.rfind('.') + 1);
  if (last == "build" || last.starts_with("_")) return false;
  if (std::ranges::find(kPureNames, path) != std::end(kPureNames)) return true;
  return std::ranges::any_of(kPure, [&](std::string_view prefix) { return path.starts_with(prefix); });
}
bool is_number(std::string_view path) {
  if (!path.starts_with("numpy.") && !path.starts_with("math.")) return false;
  path.remove_prefix(path.find('.') + 1);
  return std::ranges::any_of(kNumbers, [&](std::string_view prefix) {
    return path.starts_with(prefix) && path.find_first_not_of("0123456789_", prefix.size()) == path.npos;
  });
}
bool is_builtin(Symbol name) { return std::ranges::find(kBuiltins, name.str()) != std::end(kBuiltins); }

// The names that are bound anywhere below.
struct Bound final : Visitor {
  std::unordered_set<Symbol> names, functions;
  bool enter(const Stmt& stmt) override {
    if (auto* def = as<FunctionDef>(&stmt)) {
      names.insert(def->name);
      functions.insert(def->name);
      for (const TypeParam* each : def->type_params) names.insert(each->name);
    }
    if (auto* def = as<ClassDef>(&stmt)) names.insert(def->name);
    if (auto* attempt = as<Try>(&stmt)) {
      for (const ExceptHandler* handler : attempt->handlers) names.insert(handler->name);
    }
    review::each_import(stmt, [&](Symbol name, const Alias&) { names.insert(name); });
    return true;
  }
  bool enter(const Expr& expr) override {
    if (auto* name = as<Name>(&expr); name != nullptr && name->ctx != Context::kLoad) names.insert(name->id);
    return true;
  }
  void parameter(const Arg& arg) override { names.insert(arg.name); }
};

// The names that are bound by the statement itself, not inside of functions and classes.
struct BoundHere final : Visitor {
  std::unordered_set<Symbol> names;
  bool enter(const Stmt& stmt) override {
    if (auto* def = as<FunctionDef>(&stmt)) names.insert(def->name);
    if (auto* def = as<ClassDef>(&stmt)) names.insert(def->name);
    if (auto* attempt = as<Try>(&stmt)) {
      for (const ExceptHandler* handler : attempt->handlers) names.insert(handler->name);
    }
    review::each_import(stmt, [&](Symbol name, const Alias&) { names.insert(name); });
    return stmt.kind != StmtKind::kFunctionDef && stmt.kind != StmtKind::kClassDef;
  }
  bool enter(const Expr& expr) override {
    if (auto* name = as<Name>(&expr); name != nullptr && name->ctx != Context::kLoad) names.insert(name->id);
    return expr.kind != ExprKind::kLambda;
  }
};

bool makes_mutable(const Expr& value) {
  bool found = false;
  each_expr(&value, [&](const Expr& e) {
    found = found || e.kind == ExprKind::kList || e.kind == ExprKind::kDict || e.kind == ExprKind::kSet ||
            e.kind == ExprKind::kListComp || e.kind == ExprKind::kDictComp || e.kind == ExprKind::kSetComp ||
            e.kind == ExprKind::kCall;
    return true;
  });
  return found;
}

bool is_sequence(const Expr& expr) {
  auto* constant = as<Constant>(&expr);
  return expr.kind == ExprKind::kList || expr.kind == ExprKind::kTuple ||
         (constant != nullptr &&
          (constant->type == Constant::Type::kStr || constant->type == Constant::Type::kBytes));
}
bool is_number(const Expr& expr) {
  auto* constant = as<Constant>(&expr);
  return constant != nullptr && constant->type != Constant::Type::kStr &&
         constant->type != Constant::Type::kBytes;
}

bool is_float(const Expr& expr) {
  auto* constant = as<Constant>(&expr);
  return constant != nullptr && constant->type == Constant::Type::kFloat;
}
bool is_wide(const Expr& expr) {
  auto* constant = as<Constant>(&expr);
  return constant != nullptr && constant->type == Constant::Type::kWideInt;
}

bool is_name_of_main(const Expr& test) {
  auto* compare = as<Compare>(&test);
  auto* left = compare == nullptr ? nullptr : as<Name>(compare->left);
  return left != nullptr && left->id.str() == "__name__" && compare->ops.size() == 1 &&
         compare->ops[0] == CmpOperator::kEq;
}

}  // namespace

// Looks at every expression of a statement; the first that only a run can evaluate stays in `why`.
class StaticNames::Judge final : public Visitor {
 public:
  // `is_value`: of an assignment, and not a definition, whose operations may be those of the IR.
  Judge(const StaticNames& names, Bound local, bool is_value)
      : names_(names),
        local_(std::move(local.names)),
        functions_(std::move(local.functions)),
        is_value_(is_value) {}
  std::string why;
  bool is_static = true;

  bool enter(const Stmt& stmt) override {
    switch (stmt.kind) {
      case StmtKind::kImport:
      case StmtKind::kImportFrom:
      case StmtKind::kGlobal:
      case StmtKind::kNonlocal:
      case StmtKind::kTry:
      case StmtKind::kDelete:
        refuse("a statement in it");
        break;
      case StmtKind::kFor:
        loop_ = static_cast<const For&>(stmt).iter;  // a loop of the IR has no iterations yet
        break;
      default:
        break;
    }
    return is_static;
  }

  bool enter(const Expr& expr) override {
    if (!is_static) return false;
    if (auto* attribute = as<Attribute>(&expr)) {
      if (attribute->attr.str().starts_with("__")) refuse(fmt::format("`{}`", attribute->attr.str()));
      std::string path = path_of(expr);
      if (path.empty()) return is_static;  // of a value; what that is comes next
      if (!is_pure(path) && !is_number(path)) refuse(fmt::format("`{}`", path));
      return false;
    }
    if (auto* name = as<Name>(&expr)) judge(*name);
    if (auto* call = as<Call>(&expr)) judge(*call);
    if (auto* operation = as<BinOp>(&expr)) judge(*operation);
    if (expr.kind == ExprKind::kYield || expr.kind == ExprKind::kYieldFrom) refuse("`yield`");
    return is_static;
  }

 private:
  void refuse(std::string what) {
    if (!is_static) return;
    is_static = false;
    why = std::move(what);
  }
  std::string path_of(const Expr& expr) const {
    const Expr* root = &expr;
    while (auto* attribute = as<Attribute>(root)) root = attribute->value;
    auto* name = as<Name>(root);
    return name == nullptr || local_.contains(name->id) ? "" : names_.path_of(expr);
  }
  void judge(const Name& name) {
    if (name.ctx != Context::kLoad) return;
    const Known* known = names_.find(name.id);
    if (local_.contains(name.id)) {
      // `tvm = tvm` would give a local name all that the module can do.
      bool hides = known != nullptr && known->kind == Kind::kModule && !is_pure(known->path + ".x");
      if (hides) refuse(fmt::format("`{}`", name.id.str()));
      return;
    }
    if (known == nullptr && (is_builtin(name.id) || names_.is_undefined(name.id))) return;
    bool usable = known != nullptr &&
                  (known->kind == Kind::kModule ? is_pure(known->path) || is_number(known->path) : true);
    if (!usable) refuse(fmt::format("`{}`", name.id.str()));
  }
  void judge(const Call& call) {
    std::string path = path_of(*call.func);
    if (!path.empty()) {
      if (!is_pure(path) && !is_number(path)) refuse(fmt::format("`{}`", path));
      return;
    }
    auto* name = as<Name>(call.func);
    if (name == nullptr) {  // a method of a value: of a buffer, of text
      if (call.func->kind != ExprKind::kAttribute) refuse("a call");
      return;
    }
    if (local_.contains(name->id)) {
      if (!functions_.contains(name->id)) refuse(fmt::format("`{}(...)`", name->id.str()));
      return;
    }
    const Known* known = names_.find(name->id);
    if (known == nullptr && name->id.str() == "range" && &call != loop_) judge_range(call);
    if (known == nullptr && names_.is_undefined(name->id)) return;
    bool callable = known == nullptr ? is_builtin(name->id) : known->kind == Kind::kDefinition;
    if (!callable) refuse(fmt::format("`{}(...)`", name->id.str()));
  }

  // Every number of it small; in a definition some may be known when it is built.
  void judge_range(const Call& call) {
    for (const Expr* each : call.args) {
      auto number = names_.integer_of(*each);
      bool large = is_wide(*each) || (number && (*number > kMostElements || *number < -kMostElements));
      if (large || (!number && is_value_)) refuse("what a long `range` gives");
    }
  }
  // A power, a shift or a repetition of a sequence.
  void judge(const BinOp& operation) {
    auto left = names_.integer_of(*operation.left), right = names_.integer_of(*operation.right);
    auto within = [](std::optional<int64_t> number, int64_t most) { return number && *number <= most; };
    if (operation.op == BinOperator::kPow || operation.op == BinOperator::kLShift) {
      bool of_numbers = is_value_ || left || is_number(*operation.left);
      if (of_numbers && !is_float(*operation.right) && !within(right, kLargestExponent))
        refuse("a large power");
    } else if (operation.op == BinOperator::kMult) {
      bool too_often =
          (is_sequence(*operation.left) && (is_value_ || right) && !within(right, kMostElements)) ||
          (is_sequence(*operation.right) && (is_value_ || left) && !within(left, kMostElements)) ||
          (is_value_ && !left && right && !within(right, kMostElements) && !is_number(*operation.left)) ||
          (is_value_ && !right && left && !within(left, kMostElements) && !is_number(*operation.right));
      if (too_often) refuse("a long sequence");
    }
  }

  const StaticNames& names_;
  std::unordered_set<Symbol> local_, functions_;  // bound in the statement; by definitions
  bool is_value_;
  const Expr* loop_ = nullptr;  // what the last loop goes through
};

template <class Node>
bool StaticNames::mentions_mutable(const Node* node) const {
  bool found = false;
  each_expr(node, [&](const Expr& expr) {
    auto* name = as<Name>(&expr);
    auto known = name == nullptr ? known_.end() : known_.find(name->id);
    found = found || (known != known_.end() && known->second.kind == Kind::kMutable);
    return true;
  });
  return found;
}

StaticNames::StaticNames(const Module& module, const std::vector<std::string>& builtins, IsLibrary is_library)
    : is_library_(std::move(is_library)) {
  for (const std::string& name : builtins) bound_.insert(Symbol(name));
  for (const Stmt* stmt : module.body) {
    BoundHere bound;
    walk(stmt, bound);
    bound_.merge(bound.names);
    auto* import = as<ImportFrom>(stmt);
    if (import == nullptr) continue;
    for (const Alias* alias : import->names) imports_all_ = imports_all_ || alias->name == "*";
  }
  for (auto [name, path] : kDefaultModules) known_[Symbol(name)] = {Kind::kModule, std::string(path)};
  struct Means final : Visitor {
    std::unordered_set<Symbol> global;
    bool open = false;
    bool enter(const Stmt& stmt) override {
      if (auto* names = as<Global>(&stmt)) global.insert(names->names.begin(), names->names.end());
      return true;
    }
    bool enter(const Expr& expr) override {
      constexpr std::string_view kMeans[] = {"globals", "locals",  "vars",   "exec",
                                             "eval",    "setattr", "delattr"};
      auto* name = as<Name>(&expr);
      open = open || (name != nullptr && std::ranges::find(kMeans, name->id.str()) != std::end(kMeans));
      return true;
    }
  } means;
  walk(module.body, means);
  global_ = std::move(means.global);
  open_ = means.open;
}

const StaticNames::Known* StaticNames::find(Symbol name) const {
  if (open_ || global_.contains(name)) return nullptr;
  auto known = known_.find(name);
  return known == known_.end() ? nullptr : &known->second;
}

bool StaticNames::is_undefined(Symbol name) const {
  return !open_ && !imports_all_ && !global_.contains(name) && !bound_.contains(name);
}

void StaticNames::know(Symbol name, Known known) { known_[name] = std::move(known); }

std::string StaticNames::path_of(const Expr& expr) const {
  if (auto* name = as<Name>(&expr)) {
    const Known* known = find(name->id);
    return known != nullptr && known->kind == Kind::kModule ? known->path : "";
  }
  auto* attribute = as<Attribute>(&expr);
  if (attribute == nullptr) return "";
  std::string module = path_of(*attribute->value);
  return module.empty() ? "" : fmt::format("{}.{}", module, attribute->attr.str());
}

std::optional<int64_t> StaticNames::integer_of(const Expr& expr) const {
  if (auto* constant = as<Constant>(&expr))
    return constant->type == Constant::Type::kInt ? std::optional(constant->integer) : std::nullopt;
  if (auto* name = as<Name>(&expr)) {
    const Known* known = find(name->id);
    return known == nullptr ? std::nullopt : known->integer;
  }
  if (auto* operation = as<UnaryOp>(&expr)) {
    auto number = integer_of(*operation->operand);
    bool negates = operation->op == UnaryOperator::kUSub && number && *number != INT64_MIN;
    return negates ? std::optional(-*number) : std::nullopt;
  }
  auto* operation = as<BinOp>(&expr);
  auto left = operation == nullptr ? std::nullopt : integer_of(*operation->left);
  auto right = left ? integer_of(*operation->right) : std::nullopt;
  if (!left || !right) return std::nullopt;
  int64_t made = 1;
  switch (operation->op) {
    case BinOperator::kAdd:
      return __builtin_add_overflow(*left, *right, &made) ? std::nullopt : std::optional(made);
    case BinOperator::kSub:
      return __builtin_sub_overflow(*left, *right, &made) ? std::nullopt : std::optional(made);
    case BinOperator::kMult:
      return __builtin_mul_overflow(*left, *right, &made) ? std::nullopt : std::optional(made);
    case BinOperator::kFloorDiv:
      return *left >= 0 && *right > 0 ? std::optional(*left / *right) : std::nullopt;
    case BinOperator::kMod:
      return *left >= 0 && *right > 0 ? std::optional(*left % *right) : std::nullopt;
    case BinOperator::kLShift:
      if (*right < 0 || *right > 62) return std::nullopt;
      return __builtin_mul_overflow(*left, int64_t{1} << *right, &made) ? std::nullopt : std::optional(made);
    case BinOperator::kPow:
      if (*right < 0 || *right > kLargestExponent) return std::nullopt;
      for (int64_t i = 0; i < *right; ++i)
        if (__builtin_mul_overflow(made, *left, &made)) return std::nullopt;
      return made;
    default:
      return std::nullopt;
  }
}

bool StaticNames::is_static(const Stmt& stmt, std::string& why) const {
  if (auto* import = as<Import>(&stmt)) {
    for (const Alias* alias : import->names) {
      if (is_library_(alias->name)) continue;
      why = fmt::format("`{}`", alias->name);
      return false;
    }
    return true;
  }
  if (auto* import = as<ImportFrom>(&stmt)) {
    bool all = std::ranges::any_of(import->names, [](const Alias* alias) { return alias->name == "*"; });
    why = fmt::format("`{}`", import->module);
    return import->level == 0 && !all && is_library_(import->module);
  }
  Seq<Expr> decorators;
  const Expr* value = nullptr;
  if (auto* def = as<FunctionDef>(&stmt)) decorators = def->decorators;
  if (auto* def = as<ClassDef>(&stmt)) decorators = def->decorators;
  bool names_only = true;
  if (auto* assign = as<Assign>(&stmt)) {
    value = assign->value;
    for (const Expr* target : assign->targets) {
      auto* tuple = as<Tuple>(target);
      names_only = names_only && (target->kind == ExprKind::kName ||
                                  (tuple != nullptr && std::ranges::all_of(tuple->elts, [](const Expr* each) {
                                     return each->kind == ExprKind::kName;
                                   })));
    }
  }
  if (auto* assign = as<AnnAssign>(&stmt)) {
    value = assign->value;
    names_only = assign->simple;
  }
  if (value == nullptr && !review::defines_ir(decorators)) return false;
  if (!names_only) return false;
  Bound bound;
  if (value == nullptr)
    walk(&stmt, bound);
  else
    walk(value, bound);
  Judge judge(*this, std::move(bound), value != nullptr);
  if (value == nullptr)
    walk(&stmt, judge);
  else
    walk(value, judge);
  why = std::move(judge.why);
  return judge.is_static;
}

void StaticNames::take(const Stmt& stmt) {
  if (auto* import = as<Import>(&stmt)) {
    for (const Alias* alias : import->names) {
      bool named = static_cast<bool>(alias->asname);
      know(named ? alias->asname : alias->first,
           {Kind::kModule, named ? std::string(alias->name) : std::string(alias->first.str())});
    }
    return;
  }
  if (auto* import = as<ImportFrom>(&stmt)) {
    for (const Alias* alias : import->names)
      know(alias->asname ? alias->asname : Symbol(alias->name),
           {Kind::kModule, fmt::format("{}.{}", import->module, alias->name)});
    return;
  }
  BoundHere bound;
  walk(&stmt, bound);
  const Expr* value = nullptr;
  if (auto* assign = as<Assign>(&stmt)) value = assign->value;
  if (auto* assign = as<AnnAssign>(&stmt)) value = assign->value;
  Kind kind = value == nullptr ? Kind::kDefinition : makes_mutable(*value) ? Kind::kMutable : Kind::kValue;
  if (kind == Kind::kValue && mentions_mutable(value)) kind = Kind::kMutable;
  std::optional<int64_t> integer = value == nullptr ? std::nullopt : integer_of(*value);
  auto* assign = as<Assign>(&stmt);
  bool to_names = assign == nullptr || std::ranges::all_of(assign->targets, [](const Expr* each) {
                    return each->kind == ExprKind::kName;
                  });
  if (!to_names) integer.reset();
  for (Symbol name : bound.names) know(name, {kind, "", integer});
  // `N, K = 64, 128`
  if (assign == nullptr || to_names) return;
  for (const Expr* target : assign->targets) {
    auto *names = as<Tuple>(target), *values = as<Tuple>(assign->value);
    if (names == nullptr || values == nullptr || names->elts.size() != values->elts.size()) continue;
    std::vector<std::optional<int64_t>> integers;
    for (const Expr* each : values->elts) integers.push_back(integer_of(*each));
    for (size_t i = 0; i < integers.size(); ++i)
      if (auto* name = as<Name>(names->elts[i])) known_[name->id].integer = integers[i];
  }
}

void StaticNames::pass(const Stmt& stmt) {
  if (auto* import = as<ImportFrom>(&stmt)) {
    for (const Alias* alias : import->names) {
      if (alias->name == "*") known_.clear();
    }
  }
  BoundHere bound;
  walk(&stmt, bound);
  for (Symbol name : bound.names) forget(name);
  // A list that it has in its hands may be another one afterwards, and so may others that hold it or are in
  // it.
  if (mentions_mutable(&stmt))
    std::erase_if(known_, [](const auto& each) { return each.second.kind == Kind::kMutable; });
}

bool StaticNames::does_nothing(const Stmt& stmt) {
  if (stmt.kind == StmtKind::kPass) return true;
  if (auto* expr = as<ExprStmt>(&stmt)) return expr->value->kind == ExprKind::kConstant;
  if (auto* branch = as<If>(&stmt)) return is_name_of_main(*branch->test) && branch->orelse.empty();
  if (auto* def = as<FunctionDef>(&stmt)) return def->decorators.empty();
  return false;
}

}  // namespace mlc::review
