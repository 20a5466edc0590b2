// SPDX-License-Identifier: Apache-2.0
// Loop nests as text for people: a line for a loop or a block, and buffers.
#pragma once

#include <string>

#include "repl/session/subject.h"

namespace mlc::repl {

// Of the functions of TIR that a subject is about, in the order of their names. `width` 0: nothing limits it.
std::string loop_nests(const Subject& subject, size_t width, bool coloured);

}  // namespace mlc::repl
