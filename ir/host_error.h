// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <exception>

namespace mlc::ir {

// The error that has left a function of a script into compiled code, of this thread. What comes out of the code at
// its other side has only a kind and a text; whoever called it goes on with this one instead.
std::exception_ptr& error_below();

}  // namespace mlc::ir
