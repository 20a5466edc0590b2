// SPDX-License-Identifier: Apache-2.0
// What a refused step of a schedule could be instead. A row for each rule of refusal says what to try
// (ways_out_rows.cpp); what is offered has run, and was taken back.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "frontend/script/core/evaluator.h"
#include "transform/schedule/analysis.h"
#include "transform/schedule/schedule.h"

namespace mlc::repl {

// The call of a schedule's method that was refused, in its statement.
struct RefusedCall {
  struct Argument {
    std::string keyword;   // "" for one by position
    std::string text;      // as it was written
    ir::Any value;         // of a name or a constant; else None
    ir::Stmt stmt;         // the loop or block that it refers to now; null where it is none
    std::string gone;      // the name of the loop or block that it referred to and that is no longer there
    bool is_loop = false;  // of these two
    bool blamed = false;   // the error points at it
  };

  script::Evaluator& evaluator;
  const ir::Diagnostic& error;
  transform::Schedule schedule;
  std::string receiver;  // "sch"
  std::string method;    // "split"
  std::vector<Argument> arguments;

  // The same call with another argument, or of another method.
  std::string with(size_t argument, const std::string& text) const { return with(argument, text, method); }
  std::string with(size_t argument, const std::string& text, std::string_view other_method) const;
  std::string calling(std::string_view other_method) const;
  std::string call(std::string_view other_method, const std::vector<std::string>& texts) const;

  // The first argument that is a loop, a block or its name; nothing where there is none.
  std::optional<size_t> loop_argument() const;
  std::optional<size_t> block_argument() const;
  const transform::SRefNode* loop(size_t argument) const;
  const transform::SRefNode* block(size_t argument) const;  // a handle's, or the only one of that name

  // Loops and blocks of the function that is worked on, or of all, in program order; no root blocks.
  std::vector<transform::SRefNode*> loops() const { return places(true); }
  std::vector<transform::SRefNode*> blocks() const { return places(false); }
  // How a script refers to it: by a name that is bound to it, else by what finds it.
  std::string text_of(const transform::SRefNode& place) const;
  transform::ScheduleState& state() const { return *transform::mutable_schedule(schedule).state; }

 private:
  std::vector<transform::SRefNode*> places(bool loops) const;
};

struct WayOutRow {
  std::string_view rule;
  // Calls to try instead, best first, each an expression or several statements with `;` between them, the
  // last of which takes the place of the refused call.
  std::vector<std::string> (*candidates)(const RefusedCall& call);
};
std::span<const WayOutRow> way_out_rows();

// At most three statements that take the place of the one that was refused with `error`. `try_out` runs
// something, takes back what it has changed, and is false when it ends in an error.
std::vector<std::string> ways_out(script::Evaluator& evaluator, const ir::Error& error,
                                  const std::function<bool(const std::function<void()>&)>& try_out);

}  // namespace mlc::repl
