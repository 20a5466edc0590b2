// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace mlc::script {

// The text of a module of Python's standard library that is written in the language (stdlib/python/*.mlc);
// empty when there is none of that name.
std::string_view stdlib_text(std::string_view module);

}  // namespace mlc::script
