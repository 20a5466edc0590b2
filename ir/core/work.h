// SPDX-License-Identifier: Apache-2.0
// What a long stage is busy with: the pass, the function that is compiled. Any thread notes it, and whoever shows what
// is at work (repl/shell/progress.h) asks for the last note.
#pragma once

#include <string>

namespace mlc::ir {

void note_work(std::string what);
std::string noted_work();

}  // namespace mlc::ir
