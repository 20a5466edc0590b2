// SPDX-License-Identifier: Apache-2.0
// What differs between two modules, for people: by loops, blocks and buffers, or by lines of text.
#pragma once

#include <string>
#include <vector>

#include "repl/session/session.h"

namespace mlc::repl {

enum class DiffStyle : uint8_t { kSemantic, kText, kSide };

// The words of a command's arguments without `--text` and `--side`, and which of the two was there.
struct DiffArguments {
  DiffStyle style = DiffStyle::kSemantic;
  std::vector<std::string> words;
};
// CallError for more words than `most`.
DiffArguments diff_arguments(std::string_view command, std::string_view arguments, size_t most);

// "" where the modules are equal. `before` may be null: all is new then.
std::string module_diff(Session& session, const ir::IRModule& before, const ir::IRModule& after, DiffStyle style);

// The first changes of loops, blocks and buffers in a few words, and how many more there are; lines added and removed
// where there is none of these.
std::string diff_in_brief(Session& session, const ir::IRModule& before, const ir::IRModule& after);

}  // namespace mlc::repl
