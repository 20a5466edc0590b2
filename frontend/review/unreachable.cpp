// SPDX-License-Identifier: Apache-2.0
#include "frontend/review/review.h"
#include "frontend/syntax/fields.h"
#include "ir/core/refusal.h"

namespace mlc::review {

static constexpr ir::Refusals refusals{
    "ValueError",
    {
        {.name = "unreachable-code",
         .meaning =
             "A warning of `mlc check`: the statement stands behind a return, raise, break or continue."},
    }};
MLC_REFUSALS(review_unreachable, refusals);

using namespace syntax;  // NOLINT: the names of the tree

namespace {

// What the statement does instead of going on: "return", or null when it may go on.
const char* way_out(Seq<Stmt> body);
const char* way_out(const Stmt* stmt) {
  switch (stmt->kind) {
    case StmtKind::kReturn:
      return "return";
    case StmtKind::kRaise:
      return "raise";
    case StmtKind::kBreak:
      return "break";
    case StmtKind::kContinue:
      return "continue";
    case StmtKind::kIf: {
      auto* branch = static_cast<const If*>(stmt);
      const char* one = way_out(branch->body);
      const char* other = way_out(branch->orelse);
      return one == nullptr || other == nullptr ? nullptr : one;
    }
    default:
      return nullptr;
  }
}
const char* way_out(Seq<Stmt> body) {
  for (const Stmt* stmt : body) {
    if (const char* way = way_out(stmt)) return way;
  }
  return nullptr;
}

// `return` with a `yield` behind it makes an empty generator; `pass` does nothing anyway.
bool is_meant(const Stmt* stmt) {
  if (stmt->kind == StmtKind::kPass) return true;
  auto* expression = as<ExprStmt>(stmt);
  return expression != nullptr && (as<Yield>(expression->value) || as<YieldFrom>(expression->value));
}

// Looks into the bodies of a statement.
struct EachBody {
  std::vector<ir::Diagnostic>& found;
  EachBody& operator()(std::string_view, Seq<Stmt> body) {
    find_unreachable(body, found);
    return *this;
  }
  EachBody& operator()(std::string_view, Seq<ExceptHandler> handlers) {
    for (const ExceptHandler* handler : handlers) find_unreachable(handler->body, found);
    return *this;
  }
  EachBody& operator()(std::string_view, const auto&) { return *this; }
};

bool makes_ir(const Stmt* stmt) {
  auto* function = as<FunctionDef>(stmt);
  auto* type = as<ClassDef>(stmt);
  return (function != nullptr && defines_ir(function->decorators)) ||
         (type != nullptr && defines_ir(type->decorators));
}

}  // namespace

void find_unreachable(Seq<Stmt> body, std::vector<ir::Diagnostic>& found) {
  const Stmt* leaving = nullptr;
  for (const Stmt* stmt : body) {
    if (leaving != nullptr && !is_meant(stmt)) {
      bool branches = leaving->kind == StmtKind::kIf;
      ir::Diagnostic made = warning(refusals["unreachable-code"].name(), "this is never reached", stmt->span);
      made.notes.push_back(
          {branches ? "both branches leave" : fmt::format("`{}` leaves", way_out(leaving)), leaving->span});
      found.push_back(std::move(made));
      return;
    }
    if (leaving == nullptr && way_out(stmt) != nullptr) leaving = stmt;
    if (makes_ir(stmt)) continue;
    EachBody inside{found};
    dispatch(stmt, [&](const auto& node) { read_fields(inside, node); });
  }
}

}  // namespace mlc::review
