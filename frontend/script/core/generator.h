// SPDX-License-Identifier: Apache-2.0
// What generator functions and generator expressions have in common, as their methods see it.
#pragma once

#include "frontend/script/core/machine.h"

namespace mlc::script {

// What a suspended generator goes on with: a value for its `yield`, or an exception to raise there.
struct Message {
  Any sent = nullptr;
  Any thrown = nullptr;  // None: `sent` counts
};

struct GeneratorBase : IteratorNode {
  Ref<FunctionNode> fn;
  enum class Phase : uint8_t { kNew, kSuspended, kRunning, kDone } phase = Phase::kNew;
  Any returned;  // until somebody was told

  explicit GeneratorBase(Ref<FunctionNode> fn) : IteratorNode("generator"), fn(std::move(fn)) {}
  virtual bool resume(Evaluator& evaluator, Message message, Any& out) = 0;  // false at the end
  virtual void forget() = 0;                                                 // its variables
};

GeneratorBase* generator_of(const Any& value);  // null for other iterators

// generator_methods.cpp
// Goes on with what `yield from` walks: true with its next value in `out`, false at the end with its result.
bool resume_delegate(Evaluator& evaluator, const Any& iterator, Message message, Any& out, ir::Span span);
// Raises an exception where a generator waits; what is handled meanwhile is not its context.
[[noreturn]] void throw_given(Evaluator::State& state, const Any& exception);
// StopIteration that a generator lets out would end a loop elsewhere: throws a RuntimeError that it caused.
// Comes back for all other errors.
void stopped_inside(Evaluator::State& state, const ir::Error& raised);
bool is_exception_of(const Any& exception, std::string_view cls);

}  // namespace mlc::script
