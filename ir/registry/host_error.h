// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <exception>

namespace mlc::ir {

class Host;

// The error that has left a function of a script into compiled code, of this thread. What comes out of the
// code at its other side has only a kind and a text; whoever called it goes on with this one instead.
std::exception_ptr& error_below();

// In a handler: the error leaves a function of the script. What it is at the other side says who runs
// scripts.
[[noreturn]] void leave_script(Host& host);
using Crossing = std::exception_ptr (*)(Host& host, std::exception_ptr error);
void answer_crossings(Crossing crossing);

}  // namespace mlc::ir
