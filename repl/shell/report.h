// SPDX-License-Identifier: Apache-2.0
// Errors as the command line, the REPL and goldens show them.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "ir/core/error.h"
#include "repl/shell/source.h"

namespace mlc::repl {

// Every diagnostic with file, line, caret, notes and help.
std::string full_report(const ir::Error& error, bool colour);
// The form of goldens: heading, source line and caret, notes and help, without file names and line numbers.
//   error[name]: message
//     sch.split(i, [3, 32])
//                   ^^^^^^^
std::string compact_report(const ir::Error& error);
std::string compact_report(const ir::Diagnostic& diagnostic);
// "`mlc explain split-not-covering` says more", of the errors whose rules have more to say; "" where none
// has.
std::string where_explained(const std::vector<ir::Diagnostic>& errors);
// Of a program that Ctrl-C has stopped, in one line: where it was.
std::string interrupt_report(const ir::Error& error);
// With which `mlc` ends: 130 behind Ctrl-C, 3 out of memory, 2 where its output cannot be written, else 1.
int exit_code_of(const ir::Error& error);
// "error: message", and what would work.
std::string call_report(const CallError& error, bool colour);
// The same as a diagnostic.
ir::Diagnostic call_diagnostic(const CallError& error);
// What a tool reads: one object a line, with what it is as its `event` (docs/json.md).
std::string event_text(std::string_view event, const nlohmann::ordered_json& what);
// To standard output.
void print_event(std::string_view event, const nlohmann::ordered_json& what);
// A line for each, each a `diagnostic`.
std::string event_text(const std::vector<ir::Diagnostic>& diagnostics);
// One line, or so many blanks a level: names of files need not be UTF-8, and JSON is; what is none becomes
// U+FFFD.
std::string json_text(const nlohmann::ordered_json& value, int indent = -1);
// What a defect of mlc itself says; `program` is the file that shows it, or "".
std::string internal_report(const char* what, const std::string& program);

}  // namespace mlc::repl
