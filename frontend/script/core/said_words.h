// SPDX-License-Identifier: Apache-2.0
// What a script is told of an error: `str(error)`, in TVM's words where mlc's own differ. Reports keep mlc's.
#pragma once

#include <string>

#include "ir/core/error.h"

namespace mlc::script {

// Empty: the script is told what the report says.
std::string raw_of(const ir::Diagnostic& error);
// Of an error in the text of a prim_func or module: TVM's heading, the words and the line, underlined.
std::string parser_words_of(const ir::Diagnostic& error);

}  // namespace mlc::script
