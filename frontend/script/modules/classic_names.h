// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace mlc::script {

void register_classic_names();
std::string_view same_module(std::string_view path);  // the module whose names `path` shows, or `path` itself
// The package that shows a name which TVM has in this module and this program does not, or "".
std::string_view shown_in(std::string_view module, std::string_view name);
// What to write today instead of a name that no longer exists, as a sentence, or "".
std::string_view spelled_now(std::string_view module, std::string_view name);  // aliases in the api registry
// Why there is no such module here, as such a sentence, or "".
std::string_view why_not_here(std::string_view module);

}  // namespace mlc::script
