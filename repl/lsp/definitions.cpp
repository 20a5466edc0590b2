// SPDX-License-Identifier: Apache-2.0
#include "repl/lsp/definitions.h"

#include <algorithm>
#include <optional>
#include <set>

#include "frontend/review/review.h"
#include "frontend/review/static_names.h"
#include "frontend/syntax/walk.h"
#include "repl/shell/program.h"

namespace mlc::lsp {

using namespace syntax;  // NOLINT: the names of the tree

namespace {

// A statement at the left margin.
struct Statement {
  const Stmt* stmt;
  size_t begin, end;
  bool is_static = false;  // it can be evaluated without running the program
  std::set<Symbol> binds;
  std::set<Symbol> reads;
};

struct Names final : Visitor {
  std::set<Symbol> reads, binds;
  std::set<Symbol> globals;  // which functions bind outside of themselves

  bool enter(const Expr& expr) override {
    if (auto* name = as<Name>(&expr)) (name->ctx == Context::kLoad ? reads : binds).insert(name->id);
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

class Program {
 public:
  Program(const std::string& text, const Reading& reading, const std::vector<std::string>& builtins)
      : text_(text), reading_(reading), static_(*reading.tree->module, builtins, repl::is_library_module) {
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
          if (!statements_[i].is_static) return std::nullopt;
          if (i < at) binder = i;
        }
        if (binder && found.insert(*binder).second) open.push_back(*binder);
      }
    }
    return found;
  }

 private:
  void add(const Stmt& stmt) {
    Statement made{&stmt, stmt.span.begin, stmt.span.end, false, {}, {}};
    Seq<Expr> decorators;
    if (auto* def = as<FunctionDef>(&stmt)) decorators = def->decorators;
    if (auto* def = as<ClassDef>(&stmt)) decorators = def->decorators;
    if (!decorators.empty()) made.begin = std::min<size_t>(made.begin, decorators[0]->span.begin);
    size_t newline = made.begin == 0 ? std::string::npos : text_.rfind('\n', made.begin - 1);
    size_t line = newline == std::string::npos ? 0 : newline + 1;
    bool alone = text_.find_first_not_of('@', line) >= made.begin;  // and not behind another, after a `;`
    made.begin = std::min(made.begin, line);
    Names names;
    walk(&stmt, names);
    made.binds = names.binds;
    made.reads = names.reads;
    bool broken = std::ranges::any_of(reading_.left_out, [&](const auto& lines) {
      return lines.first < made.end && lines.second > made.begin;
    });
    std::string why;
    made.is_static = !broken && alone && static_.is_static(stmt, why);
    made.is_static ? static_.take(stmt) : static_.pass(stmt);
    if (as<FunctionDef>(&stmt) != nullptr || as<ClassDef>(&stmt) != nullptr) inner_names(stmt, made);
    made.binds.insert(names.globals.begin(), names.globals.end());
    for (Symbol name : made.binds) binders_[name].push_back(statements_.size());
    statements_.push_back(std::move(made));
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
  review::StaticNames static_;
  std::vector<Statement> statements_;
  std::unordered_map<Symbol, std::vector<size_t>> binders_;  // the statements that bind a name
};

}  // namespace

Definitions::Definitions(const std::vector<std::string>& builtins) : builtins_(builtins) {}

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
    if (each.is_static) needed = program.needed_by(i);
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
