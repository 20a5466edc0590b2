// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace mlc::backend {

// Runs a program of the system, by $PATH and without a shell, with nothing to read. The exit status, -1 where it does not start,
// 128 where a signal has ended it; what it writes goes to `log`.
int run_tool(const std::vector<std::string>& words, const std::string& log);

}  // namespace mlc::backend
