// SPDX-License-Identifier: Apache-2.0
// The body of a generator function whose yields are statements, in nothing but loops and conditions
// (FunctionInfo::stepwise). It runs over a list of its open blocks, not on the C++ stack: it leaves at a
// yield and comes back by plain returns and calls.
#pragma once

#include "frontend/script/generator.h"

namespace mlc::script {

class Stepper {
 public:
  explicit Stepper(const FunctionInfo& info) : info_(info) { open(Level::Kind::kBlock, info.body); }

  // Runs to the next yield, whose value the caller then owns. False at the end: `f.result` is what the
  // function returned. `sent` is what the yield before it is worth.
  bool step(Evaluator::State& state, Frame& f, Any& sent, Words& out);
  // What a `yield from` at which it waits walks; None elsewhere.
  Any delegate() const {
    return levels_.empty() || levels_.back().kind != Level::Kind::kYieldFrom ? Any(nullptr)
                                                                             : levels_.back().source;
  }
  // Hands a message on to that. True with a value in `out`; false when the `yield from` is over, and `step`
  // goes on.
  bool pass(Evaluator::State& state, Frame& f, Message message, Any& out);
  void end() { levels_.clear(); }

 private:
  struct Level {
    enum class Kind : uint8_t { kBlock, kWhile, kRange, kSequence, kIterator, kYieldFrom };
    Kind kind;
    syntax::Seq<syntax::Stmt> block;
    size_t at = 0;                       // the next statement
    const syntax::Stmt* loop = nullptr;  // kWhile to kIterator
    Any source = {};                     // what a `for` walks; the iterator of `yield from`
    int64_t value = 0;                   // of a range; the index in a sequence
    int64_t left = 0;
    bool is_loop() const { return kind >= Kind::kWhile && kind <= Kind::kIterator; }
  };
  bool suspends(const syntax::Stmt* stmt) const;
  void open(Level::Kind kind, syntax::Seq<syntax::Stmt> block, const syntax::Stmt* loop = nullptr) {
    levels_.push_back({.kind = kind, .block = block, .loop = loop});
  }
  void open_for(Evaluator::State& state, const syntax::For& loop, Frame& f);
  bool yield(Evaluator::State& state, const syntax::Expr* expr, const syntax::Expr* target, Frame& f,
             Words& out);
  bool end_of_block(Evaluator::State& state, Frame& f, Words& out);
  bool advance(Evaluator::State& state, Level& level, Words& out);
  void leave(Flow flow);

  const FunctionInfo& info_;
  std::vector<Level> levels_;
  const syntax::Expr* target_ = nullptr;  // of `target = yield`, at which it waits
};

}  // namespace mlc::script
