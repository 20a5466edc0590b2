// SPDX-License-Identifier: Apache-2.0
// A session that another program drives: requests and events, a JSON object a line.
#pragma once

#include <string>

namespace mlc::repl {

// Reads requests from standard input until it ends, and writes events to standard output (docs/session.md). `program`: a
// file that the session begins with, or "". Returns the exit code.
int run_events(const std::string& program);

}  // namespace mlc::repl
