// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <iterator>
#include <unordered_map>
#include <unordered_set>

#include "frontend/review/review.h"
#include "frontend/syntax/walk.h"
#include "ir/core/refusal.h"

namespace mlc::review {

static constexpr ir::Refusals refusals{
    "ValueError",
    {
        {.name = "unused-handle",
         .meaning = "A warning of `mlc check`: a block or loop of a schedule was given a name that nothing "
                    "reads. A name that begins with an underscore says that this is meant."},
    }};
MLC_REFUSALS(review_unused_handles, refusals);

using namespace syntax;  // NOLINT: the names of the tree

namespace {

std::string_view last_name(const Expr* expr) {
  if (auto* name = as<Name>(expr)) return name->id.str();
  if (auto* attribute = as<Attribute>(expr)) return attribute->attr.str();
  return "";
}

// The names that hold schedules: made by `Schedule(...)`, annotated so, or called `sch`.
struct Schedules final : Visitor {
  std::unordered_set<Symbol> names{Symbol("sch")};
  bool enter(const Stmt& stmt) override {
    if (auto* assign = as<Assign>(&stmt)) {
      auto* call = as<Call>(assign->value);
      if (call != nullptr && last_name(call->func) == "Schedule") {
        for (const Expr* target : assign->targets) {
          if (auto* name = as<Name>(target)) names.insert(name->id);
        }
      }
    }
    return true;
  }
  void parameter(const Arg& arg) override {
    if (arg.annotation != nullptr && last_name(arg.annotation) == "Schedule") names.insert(arg.name);
  }
};

// The names that are read, `del` and `x += 1` included.
struct Reads final : Visitor {
  std::unordered_set<Symbol> names;
  bool enter(const Expr& expr) override {
    auto* name = as<Name>(&expr);
    if (name != nullptr && name->ctx != Context::kStore) names.insert(name->id);
    return true;
  }
  bool enter(const Stmt& stmt) override {
    if (auto* assign = as<AugAssign>(&stmt)) {
      if (auto* name = as<Name>(assign->target)) names.insert(name->id);
    }
    if (auto* names_of = as<Global>(&stmt)) names.insert(names_of->names.begin(), names_of->names.end());
    if (auto* names_of = as<Nonlocal>(&stmt)) names.insert(names_of->names.begin(), names_of->names.end());
    return true;
  }
};

struct Finder final : Visitor {
  const std::unordered_set<Symbol>& schedules;
  const std::vector<std::string>& makers;
  std::vector<ir::Diagnostic>& found;
  std::vector<std::unordered_set<Symbol>> reads;  // of the functions around the statement, the file first

  Finder(const std::unordered_set<Symbol>& schedules, const std::vector<std::string>& makers,
         std::vector<ir::Diagnostic>& found)
      : schedules(schedules), makers(makers), found(found) {}

  bool enter(const Expr&) override { return false; }
  bool enter(const Stmt& stmt) override {
    if (auto* def = as<ClassDef>(&stmt)) return !defines_ir(def->decorators);
    if (auto* def = as<FunctionDef>(&stmt)) {
      if (defines_ir(def->decorators)) return false;
      Reads inside;
      walk(def->body, inside);
      reads.push_back(std::move(inside.names));
      return true;
    }
    if (auto* assign = as<Assign>(&stmt)) look_at(*assign);
    return true;
  }
  void leave(const Stmt& stmt) override {
    auto* def = as<FunctionDef>(&stmt);
    if (def != nullptr && !defines_ir(def->decorators)) reads.pop_back();
  }
  void look_at(const Assign& assign) {
    auto* call = as<Call>(assign.value);
    auto* method = call == nullptr ? nullptr : as<Attribute>(call->func);
    auto* schedule = method == nullptr ? nullptr : as<Name>(method->value);
    if (schedule == nullptr || !schedules.contains(schedule->id)) return;
    if (std::find(makers.begin(), makers.end(), method->attr.str()) == makers.end()) return;
    for (const Expr* target : assign.targets) {
      if (auto* name = as<Name>(target)) {
        judge(*name, method->attr.str(),
              fmt::format("leave out `{} =`, or call it `_{}`", name->id.str(), name->id.str()));
      }
      Seq<Expr> parts;
      if (auto* tuple = as<Tuple>(target)) parts = tuple->elts;
      if (auto* list = as<List>(target)) parts = list->elts;
      for (const Expr* part : parts) {
        auto* star = as<Starred>(part);
        if (auto* name = as<Name>(star == nullptr ? part : star->value))
          judge(*name, method->attr.str(), fmt::format("call it `_{}` if it is not needed", name->id.str()));
      }
    }
  }
  void judge(const Name& name, std::string_view method, std::string help) {
    if (name.id.str().starts_with('_') || reads.back().contains(name.id)) return;
    ir::Diagnostic made =
        warning(refusals["unused-handle"].name(),
                fmt::format("`{}`, of `{}`, is never used", name.id.str(), method), name.span);
    made.help = std::move(help);
    found.push_back(std::move(made));
  }
};

}  // namespace

void find_unused_handles(Seq<Stmt> body, const std::vector<std::string>& handle_makers,
                         std::vector<ir::Diagnostic>& found) {
  Schedules schedules;
  walk(body, schedules);
  Reads everywhere;
  walk(body, everywhere);
  Finder finder(schedules.names, handle_makers, found);
  finder.reads.push_back(std::move(everywhere.names));
  walk(body, finder);
}

}  // namespace mlc::review
