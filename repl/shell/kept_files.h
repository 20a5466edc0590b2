// SPDX-License-Identifier: Apache-2.0
// Files that nothing is written over: what the program is made from, and what mlc has not made.
#pragma once

#include <filesystem>
#include <string_view>

#include "backend/backend.h"

namespace mlc::repl {

// Do the first lines say that `mlc build` wrote this C, LLVM or assembly? A text that names mlc in a string is none of them.
bool is_built_text(std::string_view text);

// Each of these throws CallError where the file may not be written. What the program has read, by whatever name: an artefact
// in place of the source would be its end.
void refuse_input(const std::filesystem::path& out, const char* help);
// What is there and ends like a program or like data, or is a text that mlc has not made.
void refuse_source(const std::filesystem::path& out, const backend::Artefact& artefact);
void refuse_other_header(const std::filesystem::path& header);  // that mlc has not made
void refuse_other_program(const std::filesystem::path& stage);  // that --dump has not made
void refuse_other_page(const std::filesystem::path& page);      // that is no page or drawing of mlc
// That does not begin with `mark`, as what `mlc bench` saves does.
void refuse_other_baseline(const std::filesystem::path& baseline, std::string_view mark);

}  // namespace mlc::repl
