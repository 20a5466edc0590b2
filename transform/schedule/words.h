// SPDX-License-Identifier: Apache-2.0
// What a script is told of a refusal: `str(error)`, in TVM's words.
#pragma once

#include "transform/schedule/primitive.h"

namespace mlc::transform {

// As much as the schedule's error level asks for: the module with what is wrong underlined and a message, one
// line, or nothing. Refusals that TVM does not know say what their report says. Empty: the report says it,
// because the error is no ScheduleError and TVM has no words of its own.
std::string told_to_scripts(const Error& error, Step& step);
// Of an argument of a wrong type; empty: nothing that TVM says in other words.
std::string wrong_type_words(std::string_view parameter, const Step& step);

}  // namespace mlc::transform
