// SPDX-License-Identifier: Apache-2.0
// The steps of a session: how long each took, and what is known of it.
#pragma once

#include <optional>

#include "repl/report/page.h"
#include "repl/session/session.h"

namespace mlc::repl {

struct StepRow {
  size_t state = 0;
  std::string source;   // the first line of the statement
  std::string effect;   // in one line
  std::string verdict;  // "" where no schedule took a step and no pass ran
  double seconds = 0;
  std::optional<size_t> line;  // of the program beside
};

// On the way to the state in force. Lines are those of Session::program.
std::vector<StepRow> step_rows(Session& session);
// CallError where there are none.
Plot steps_plot(const std::vector<StepRow>& rows, std::string program);

// Comments and blank lines that a statement's source begins with.
size_t lines_before(std::string_view source);

// The class of kDrawingStyle for a verdict: "proved", "tested", "unchecked", "wrong", "none".
std::string_view verdict_style(std::string_view verdict);

}  // namespace mlc::repl
