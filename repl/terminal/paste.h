// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace mlc::repl {

// A pasted text as one input: line ends of all systems become '\n'; where its first line has the prompt of a session
// (`>>> `, `In [3]: `, `mlc> `) the prompts are taken off and the lines without one, what that session showed, are left
// out; what all lines are indented by is taken off; no empty line ends it.
std::string cell_of_paste(std::string_view pasted);

}  // namespace mlc::repl
