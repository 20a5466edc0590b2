// SPDX-License-Identifier: Apache-2.0
#include "repl/lsp/definitions.h"

#include <algorithm>
#include <array>
#include <optional>
#include <set>

#include "frontend/review/review.h"
#include "frontend/syntax/walk.h"
#include "ir/registry/classic_names.h"

namespace mlc::lsp {

using namespace syntax;  // NOLINT: the names of the tree

namespace {

bool is_one_of(std::string_view word, std::span<const std::string_view> words) {
  return std::ranges::find(words, word) != words.end();
}

// What definitions may take from tvm: what describes, and neither loads, runs nor writes.
constexpr std::array kDescribes = std::to_array<std::string_view>(
    {"tvm.script", "tvm.tirx", "tvm.ir", "tvm.te", "tvm.DataType"});
constexpr std::array kActs =
    std::to_array<std::string_view>({"build", "compile", "load_module", "get_global_func",
                                     "register_global_func", "Schedule", "tune", "system_lib"});
constexpr std::array kBuiltins = std::to_array<std::string_view>(
    {"range", "len",   "int",        "float", "bool",      "str",      "min",    "max",   "abs",
     "sum",   "tuple", "list",       "zip",   "enumerate", "reversed", "sorted", "round", "divmod",
     "all",   "any",   "isinstance", "slice", "dict",      "set",      "None"});
// Numbers beyond that could make a value that takes long to compute, or all of the memory.
constexpr int64_t kLargestExponent = 64;

bool describes(std::string_view path) {
  if (path == "tvm") return true;  // what is taken from it is looked at
  bool known = std::ranges::any_of(kDescribes, [&](std::string_view each) {
    return path == each || (path.starts_with(each) && path[each.size()] == '.');
  });
  return known && !is_one_of(path.substr(path.rfind('.') + 1), kActs);
}

bool is_number(const Expr* expr) {
  auto* constant = as<Constant>(expr);
  return constant != nullptr &&
         (constant->type == Constant::Type::kInt || constant->type == Constant::Type::kFloat);
}
bool is_small(const Expr* expr) {
  auto* constant = as<Constant>(expr);
  return constant != nullptr && constant->type == Constant::Type::kInt && constant->integer >= 0 &&
         constant->integer <= kLargestExponent;
}
bool is_sequence(const Expr* expr) {
  auto* constant = as<Constant>(expr);
  return as<List>(expr) != nullptr || as<Tuple>(expr) != nullptr ||
         (constant != nullptr &&
          (constant->type == Constant::Type::kStr || constant->type == Constant::Type::kBytes));
}

// A statement at the left margin.
struct Statement {
  enum class Kind : uint8_t { kOther, kImport, kConstant, kDefinition };
  const Stmt* stmt;
  size_t begin, end;
  Kind kind = Kind::kOther;
  std::set<Symbol> binds;
  std::set<Symbol> reads;
};

struct Names final : Visitor {
  std::set<Symbol> reads, binds;
  std::set<Symbol> globals;  // which functions bind outside of themselves
  std::unordered_map<Symbol, std::string>* paths = nullptr;  // of imports; checks what is taken from them
  bool harmless = true;

  std::string path(const Expr* expr) const {
    if (auto* attribute = as<Attribute>(expr)) {
      std::string base = path(attribute->value);
      return base.empty() ? base : base + "." + std::string(attribute->attr.str());
    }
    auto* name = as<Name>(expr);
    if (name == nullptr || paths == nullptr) return "";
    auto found = paths->find(name->id);
    return found == paths->end() ? "" : found->second;
  }
  bool enter(const Expr& expr) override {
    if (auto* name = as<Name>(&expr)) (name->ctx == Context::kLoad ? reads : binds).insert(name->id);
    if (auto* attribute = as<Attribute>(&expr)) {
      // The way from a value to what lies behind it: `f.__globals__`.
      harmless = harmless && !attribute->attr.str().starts_with("__");
      if (std::string whole = path(attribute); !whole.empty()) {
        harmless = harmless && describes(ir::current_path(whole));
        const Expr* base = attribute;  // the whole is judged, not its beginning, `tvm`
        while (auto* inner = as<Attribute>(base)) base = inner->value;
        reads.insert(static_cast<const Name*>(base)->id);
        return false;
      }
    }
    if (auto* operation = as<BinOp>(&expr)) {
      bool grows = operation->op == BinOperator::kPow || operation->op == BinOperator::kLShift;
      bool repeats = operation->op == BinOperator::kMult &&
                     (is_sequence(operation->left) || is_sequence(operation->right));
      if (grows) harmless = harmless && (is_small(operation->right) || !is_number(operation->left));
      if (repeats) harmless = harmless && (is_small(operation->left) || is_small(operation->right));
    }
    return true;
  }
  bool enter(const Stmt& stmt) override {
    if (auto* def = as<FunctionDef>(&stmt)) binds.insert(def->name);
    if (auto* def = as<ClassDef>(&stmt)) binds.insert(def->name);
    review::each_import(stmt, [&](Symbol name, const Alias&) { binds.insert(name); });
    if (auto* attempt = as<Try>(&stmt)) {
      for (const ExceptHandler* handler : attempt->handlers) binds.insert(handler->name);
    }
    if (auto* names = as<Global>(&stmt)) globals.insert(names->names.begin(), names->names.end());
    return true;
  }
  void parameter(const Arg& arg) override { binds.insert(arg.name); }
};

// Made of literals and of names.
bool is_constant(const Expr* expr) {
  if (auto* constant = as<Constant>(expr)) return constant->type != Constant::Type::kWideInt;
  if (as<Name>(expr) != nullptr) return true;
  if (auto* operation = as<UnaryOp>(expr)) return is_constant(operation->operand);
  if (auto* operation = as<BinOp>(expr)) {
    using enum BinOperator;
    constexpr std::array kPlain = {kAdd, kSub, kMult, kDiv, kFloorDiv, kMod};
    bool plain = std::ranges::find(kPlain, operation->op) != kPlain.end() || is_small(operation->right);
    return plain && !is_sequence(operation->left) && !is_sequence(operation->right) &&
           is_constant(operation->left) && is_constant(operation->right);
  }
  Seq<Expr> parts;
  if (auto* tuple = as<Tuple>(expr))
    parts = tuple->elts;
  else if (auto* list = as<List>(expr))
    parts = list->elts;
  else
    return false;
  return std::ranges::all_of(parts, is_constant);
}

class Program {
 public:
  Program(const std::string& text, const Reading& reading, const std::set<Symbol>& builtins)
      : text_(text), reading_(reading), builtins_(builtins) {
    for (const Stmt* stmt : reading.tree->module->body) add(*stmt);
  }

  const std::vector<Statement>& statements() const { return statements_; }

  // The statements that must run before one of them does; none where one of them may not.
  std::optional<std::set<size_t>> needed_by(size_t index) const {
    std::set<size_t> found;
    std::vector<size_t> open{index};
    while (!open.empty()) {
      size_t at = open.back();
      open.pop_back();
      for (Symbol name : statements_[at].reads) {
        std::optional<size_t> binder;
        auto binders = binders_.find(name);
        for (size_t i : binders == binders_.end() ? std::vector<size_t>() : binders->second) {
          if (statements_[i].kind == Statement::Kind::kOther) return std::nullopt;
          if (i < at) binder = i;
        }
        if (binder && found.insert(*binder).second) open.push_back(*binder);
        // What nothing binds is an error to report, unless it is one of Python's that does something.
        bool acts = builtins_.contains(name) && !is_one_of(name.str(), kBuiltins);
        if (!binder && (star_ || acts)) return std::nullopt;
      }
    }
    return found;
  }

 private:
  void add(const Stmt& stmt) {
    Statement made{&stmt, stmt.span.begin, stmt.span.end, Statement::Kind::kOther, {}, {}};
    Seq<Expr> decorators;
    if (auto* def = as<FunctionDef>(&stmt)) decorators = def->decorators;
    if (auto* def = as<ClassDef>(&stmt)) decorators = def->decorators;
    if (!decorators.empty()) made.begin = std::min<size_t>(made.begin, decorators[0]->span.begin);
    size_t newline = made.begin == 0 ? std::string::npos : text_.rfind('\n', made.begin - 1);
    size_t line = newline == std::string::npos ? 0 : newline + 1;
    bool alone = text_.find_first_not_of('@', line) >= made.begin;  // and not behind another, after a `;`
    made.begin = std::min(made.begin, line);
    Names names;
    names.paths = &paths_;
    walk(&stmt, names);
    made.binds = names.binds;
    made.reads = names.reads;
    bool broken = std::ranges::any_of(reading_.left_out, [&](const auto& lines) {
      return lines.first < made.end && lines.second > made.begin;
    });
    if (!broken && alone) made.kind = kind_of(stmt, decorators, names);
    if (as<FunctionDef>(&stmt) != nullptr || as<ClassDef>(&stmt) != nullptr) inner_names(stmt, made);
    made.binds.insert(names.globals.begin(), names.globals.end());
    for (Symbol name : made.binds) binders_[name].push_back(statements_.size());
    statements_.push_back(std::move(made));
  }

  Statement::Kind kind_of(const Stmt& stmt, Seq<Expr> decorators, const Names& names) {
    using enum Statement::Kind;
    if (as<Import>(&stmt) != nullptr || as<ImportFrom>(&stmt) != nullptr) return import_kind(stmt);
    auto* assign = as<Assign>(&stmt);
    bool names_only = assign != nullptr && std::ranges::all_of(assign->targets, [](const Expr* target) {
                        return as<Name>(target) != nullptr || as<Tuple>(target) != nullptr;
                      });
    if (names_only && is_constant(assign->value)) return kConstant;
    return review::defines_ir(decorators) && names.harmless ? kDefinition : kOther;
  }
  Statement::Kind import_kind(const Stmt& stmt) {
    auto* from = as<ImportFrom>(&stmt);
    bool known = true;
    review::each_import(stmt, [&](Symbol name, const Alias& alias) {
      star_ = star_ || alias.name == "*";
      std::string path = from == nullptr ? std::string(alias.name)
                                         : std::string(from->module) + "." + std::string(alias.name);
      known = known && alias.name != "*" && (from == nullptr || from->level == 0) &&
              describes(ir::current_path(path));
      paths_[name] = from == nullptr && !alias.asname ? std::string(name.str()) : path;
    });
    return known ? Statement::Kind::kImport : Statement::Kind::kOther;
  }
  // Of a function or class the names that it binds inside are its own, and only its name is bound outside.
  void inner_names(const Stmt& stmt, Statement& made) {
    Symbol own = as<FunctionDef>(&stmt) != nullptr ? static_cast<const FunctionDef&>(stmt).name
                                                   : static_cast<const ClassDef&>(stmt).name;
    std::erase_if(made.reads,
                  [&](Symbol name) { return made.binds.contains(name) && !binders_.contains(name); });
    made.binds = {own};
    made.reads.erase(own);
  }

  const std::string& text_;
  const Reading& reading_;
  const std::set<Symbol>& builtins_;
  std::vector<Statement> statements_;
  std::unordered_map<Symbol, std::vector<size_t>> binders_;  // the statements that bind a name
  std::unordered_map<Symbol, std::string> paths_;
  bool star_ = false;  // names come in that the text does not say
};

}  // namespace

Definitions::Definitions(const std::vector<std::string>& builtins) {
  for (const std::string& name : builtins) builtins_.insert(Symbol(name));
}

void Definitions::read(const std::string& text, const Reading& reading) {
  parts_.clear();
  unchecked_ = 0;
  Program program(text, reading, builtins_);
  const auto& statements = program.statements();
  for (size_t i = 0; i < statements.size(); ++i) {
    const Statement& each = statements[i];
    auto* function = as<FunctionDef>(each.stmt);
    auto* cls = as<ClassDef>(each.stmt);
    bool defines = (function != nullptr && review::defines_ir(function->decorators)) ||
                   (cls != nullptr && review::defines_ir(cls->decorators));
    if (!defines) continue;
    std::optional<std::set<size_t>> needed;
    if (each.kind == Statement::Kind::kDefinition) needed = program.needed_by(i);
    if (!needed) {
      ++unchecked_;
      continue;
    }
    Part part;
    part.begin = each.begin;
    part.end = each.end;
    part.name = function != nullptr ? function->name.str() : cls->name.str();
    for (size_t before : *needed) {
      const Statement& other = statements[before];
      part.sources.push_back(text.substr(other.begin, other.end - other.begin) + "\n");
    }
    part.sources.push_back(text.substr(each.begin, each.end - each.begin) + "\n");
    for (const std::string& source : part.sources) part.key += source + '\0';
    parts_.push_back(std::move(part));
  }
  std::unordered_map<std::string, Built> kept;
  for (Part& part : parts_) {
    auto known = built_.find(part.key);
    if (known != built_.end()) kept.insert(built_.extract(known));
  }
  built_ = std::move(kept);
  for (Part& part : parts_) {
    auto known = built_.find(part.key);
    if (known != built_.end()) part.built = &known->second;
  }
}

bool Definitions::build(int wake) {
  auto settle = [this] {
    std::vector<const Part*> open;
    for (Part& part : parts_) {
      auto known = built_.find(part.key);
      if (known != built_.end())
        part.built = &known->second;
      else if (std::ranges::find(open, part.key, &Part::key) == open.end())
        open.push_back(&part);
    }
    return open;
  };
  for (std::vector<const Part*> open = settle(); !open.empty(); open = settle()) {
    BuilderProcess builder(open);
    for (const Part* part : open) {
      Built built;
      BuilderProcess::Event event = builder.next(wake, built);
      if (event == BuilderProcess::Event::kWoken) {
        settle();
        return false;
      }
      // What takes too long stays unchecked; what ends the builder is a defect of mlc. The others get a new
      // one.
      if (event == BuilderProcess::Event::kEnded)
        built.problems.push_back(own_failure("it ended without a word"));
      built_.emplace(part->key, std::move(built));
      if (event != BuilderProcess::Event::kBuilt) break;
    }
  }
  return true;
}

}  // namespace mlc::lsp
