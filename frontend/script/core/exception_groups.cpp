// SPDX-License-Identifier: Apache-2.0
// `except*`: each clause takes its part of a group of exceptions; what is left, and what the clauses raise,
// goes on as a group. The groups themselves are written in the language
// (stdlib/python/_exception_groups.mlc).
#include "frontend/script/core/library.h"
#include "frontend/script/core/machine.h"

namespace mlc::script {

using namespace syntax;  // NOLINT: the names of the tree
using State = Evaluator::State;

namespace {

constexpr std::string_view kModule = "_exception_groups";

}  // namespace

Flow State::handle_group(const Try& attempt, const Any& exception, Frame& f) {
  Any rest = exception;
  List raised;
  for (const ExceptHandler* handler : attempt.handlers) {
    ir::Span at = handler->type->span;
    Any type = while_handling(exception, [&] { return eval(handler->type, f); });
    Any parts = while_handling(exception, [&] {
      return call_values(library_member(self, std::string(kModule), "take"), {rest, type}, at);
    });
    Any match = elements(parts)[0];
    rest = elements(parts)[1];
    if (is_none(match)) continue;
    if (handler->name) store_name(handler->name, handler->resolved, match, f);
    // Nothing is in a C++ catch block while the clause runs: it may suspend a generator.
    std::unique_ptr<ScriptError> failed;
    try {
      while_handling(match, [&] { return exec_block(handler->body, f); });
    } catch (ir::Error& error) {
      failed = std::make_unique<ScriptError>(error.all(), exception_of(error));
    }
    if (handler->name) store_name(handler->name, handler->resolved, unbound(), f);
    if (failed != nullptr) raised.push_back(failed->exception);
  }
  if (!is_none(rest)) raised.push_back(rest);
  Any left =
      call_values(library_member(self, std::string(kModule), "left_of"), {exception, raised}, attempt.span);
  if (is_none(left)) return Flow::kNext;
  throw_exception(left, as<InstanceNode>(left)->raised_at ? as<InstanceNode>(left)->raised_at : attempt.span);
}

}  // namespace mlc::script
