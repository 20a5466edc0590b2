// SPDX-License-Identifier: Apache-2.0
// What a command is about: the module in force, or what its argument names.
#pragma once

#include <string>
#include <string_view>

#include "repl/session/session.h"

namespace mlc::repl {

struct Subject {
  std::string name;      // what the module is bound to: "sch"
  ir::IRModule mod;
  std::string function;  // one of its functions; "" for all
};

// `word`: a module or schedule, a function of the one in force, `sch.main`, a state's number or a branch; "" for the module
// or schedule that a step has made or changed last on the way to the state in force. CallError where there is none.
Subject subject_of(Session& session, std::string_view word);
// The name of the module or schedule that was changed last on the way to a state, and is bound there; "" where none is.
std::string in_force(const Session& session, size_t state);

// The functions of TIR that a subject is about, in the order of their names.
std::vector<std::pair<std::string, ir::PrimFunc>> functions_of(const Subject& subject);
// The module with no other function of TIR than that.
ir::IRModule module_of(const Subject& subject);

// Of the screen; 0 where nothing limits it.
size_t width_of(const Session& session);

}  // namespace mlc::repl
