// SPDX-License-Identifier: Apache-2.0
// `mlc jupyter`: telling Jupyter of the kernel, and the kernel itself, which front ends start.
#pragma once

#include <string>

namespace mlc::repl::jupyter {

// Writes the kernel's description where Jupyter looks for it: the user's own folder, or
// `prefix`/share/jupyter. Returns the folder. Throws CallError where it cannot be written.
std::string install(const std::string& prefix);

// Serves the connection that a front end has written to a file; the exit code. Throws CallError.
int serve(const std::string& connection_file);

}  // namespace mlc::repl::jupyter
