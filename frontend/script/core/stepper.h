// SPDX-License-Identifier: Apache-2.0
// Walks the steps of a generator function (FunctionInfo::steps). It stands at a step, not on the C++ stack:
// it leaves at a yield and comes back by plain returns and calls.
#pragma once

#include "frontend/script/core/generator.h"
#include "frontend/script/core/step_program.h"

namespace mlc::script {

class Stepper {
 public:
  explicit Stepper(const StepProgram& program)
      : program_(program), at_(program.start), walks_(std::make_unique<Walk[]>(program.walks)) {}

  // Runs to the next yield, whose value the caller then owns. False at the end: `f.result` is what the
  // function returned. `sent` is what the yield before it is worth.
  bool step(Evaluator::State& state, Frame& f, Any& sent, RawValue& out);
  // What a `yield from` at which it waits walks; None elsewhere.
  const Any& delegate() const { return delegate_; }
  // Hands a message on to that. True with a value in `out`; false when the `yield from` is over, and `step`
  // goes on.
  bool pass(Evaluator::State& state, Frame& f, Message message, Any& out);
  void end();

 private:
  using Step = StepProgram::Step;
  // What a `for` walks.
  struct Walk {
    enum class Kind : uint8_t { kRange, kSequence, kIterator };
    Kind kind = Kind::kIterator;
    Any source = {};
    int64_t value = 0;  // of a range; the index in a sequence
    int64_t left = 0;
  };
  void begin(Evaluator::State& state, Walk& walk, const syntax::For& loop, Frame& f);
  bool advance(Evaluator::State& state, Walk& walk, const syntax::For& loop, RawValue& out);

  const StepProgram& program_;
  const Step* at_;
  std::unique_ptr<Walk[]> walks_;         // NOLINT(modernize-avoid-c-arrays): as many as the program says
  Any delegate_ = nullptr;                // the iterator of `yield from`
  const syntax::Expr* target_ = nullptr;  // of `target = yield`, at which it waits
};

}  // namespace mlc::script
