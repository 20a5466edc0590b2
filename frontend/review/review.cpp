// SPDX-License-Identifier: Apache-2.0
#include "frontend/review/review.h"

#include <algorithm>
#include <iterator>

namespace mlc::review {

using namespace syntax;  // NOLINT: the names of the tree

bool defines_ir(Seq<Expr> decorators) {
  constexpr std::string_view kinds[] = {"prim_func", "function", "ir_module", "macro",
                                        "inline",    "jit",      "rewriter"};
  return std::any_of(decorators.begin(), decorators.end(), [&](const Expr* decorator) {
    if (auto* call = as<Call>(decorator)) decorator = call->func;
    auto* name = as<Name>(decorator);
    auto* attribute = as<Attribute>(decorator);
    if (name == nullptr && attribute == nullptr) return false;
    std::string_view last = name != nullptr ? name->id.str() : attribute->attr.str();
    return std::find(std::begin(kinds), std::end(kinds), last) != std::end(kinds);
  });
}

ir::Diagnostic warning(std::string_view name, std::string message, ir::Span span) {
  ir::Diagnostic made;
  made.severity = ir::Diagnostic::Severity::kWarning;
  made.name = name;
  made.kind = "UserWarning";
  made.message = std::move(message);
  made.span = span;
  return made;
}

std::vector<ir::Diagnostic> warnings_of(const Module& module, const std::vector<std::string>& builtins,
                                        const std::vector<std::string>& handle_makers) {
  std::vector<ir::Diagnostic> found;
  find_unused_handles(module.body, handle_makers, found);
  find_shadowed_names(module.body, builtins, found);
  find_unreachable(module.body, found);
  find_undefined_names(module.body, builtins, found);
  std::stable_sort(found.begin(), found.end(), [](const ir::Diagnostic& a, const ir::Diagnostic& b) {
    return a.span.begin < b.span.begin;
  });
  return found;
}

}  // namespace mlc::review
