// SPDX-License-Identifier: Apache-2.0
// What an error tells of the calls it has passed and of the values it met. All of it runs on the way of an
// error only, and none of it runs any of the program.
#pragma once

#include <initializer_list>
#include <string>

#include "frontend/script/core/machine.h"

namespace mlc::script {

// Does the place lie in a module that is part of mlc? Reports show places of the program only.
bool stands_in_library(ir::Span span);

// A value in a few words: "3", "'text'", "[1, 2, ...] of 100 elements", "an array of float32, shape (2, 3)".
std::string shown(Evaluator& evaluator, const Any& value);

// The error leaves the function of a frame, which was called, or asked for its next value, at `span`. That is
// empty when a builtin did it, which then says where it stands itself.
void left_function(ir::Error& error, Evaluator& evaluator, const Frame& frame, ir::Span span,
                   ir::PassedCall::How how = ir::PassedCall::How::kCalled);
// The error leaves a builtin that was called at `span`; "" for a loop.
void left_builtin(ir::Error& error, std::string_view name, ir::Span span);

// `__traceback__`: the frames that an exception has left, from the one that caught it to the one that raised
// it. They are made when they are asked for, of what the error kept of its way.
Any make_traceback(const InstanceNode& exception);
bool is_traceback(const InstanceNode& object);
const Ref<ClassNode>& code_class();  // of `__code__` and of frames; that of a frame knows less

// A part of the failing expression and what it was.
struct Part {
  const syntax::Expr* expr;
  const Any& value;
};
// Notes the values of the parts that are no literals, if it is the expression at `span` itself that failed.
void note_values(ir::Error& error, Evaluator& evaluator, ir::Span span, std::initializer_list<Part> parts);

}  // namespace mlc::script
