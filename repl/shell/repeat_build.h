// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace mlc::repl {

// Makes the file of a recorded build again, where the circumstances and inputs are those of the record; `arguments`
// are the words after the program's name. Needs nothing of mlc to be set up, so that a build that is known takes a
// few milliseconds. False where the build is not known, or nothing was written.
bool repeat_build(char** arguments);

}  // namespace mlc::repl
