// SPDX-License-Identifier: Apache-2.0
// Bodies of graph functions in the place of calls of them.
#pragma once

#include <map>
#include <set>
#include <string>

#include "transform/pass/graph_pass.h"

namespace mlc::transform {

// The function with the bodies of `functions`, by name, in the place of calls of them; then without copies of variables
// and unused bindings. None of them may reach itself by calls.
Function inline_calls(const Function& fn, const std::map<std::string, Function>& functions, Host& host,
                      const IRModule& mod);

// The names that reach themselves by calls, from the names that each one calls.
std::set<std::string> recursive_functions(const std::map<std::string, std::set<std::string>>& calls);

}  // namespace mlc::transform
