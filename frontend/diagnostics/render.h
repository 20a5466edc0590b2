// SPDX-License-Identifier: Apache-2.0
// Diagnostics for people and for tools.
#pragma once

#include <string>
#include <vector>

#include "ir/core/error.h"

namespace mlc::diagnostics {

// More errors than this are rather one misunderstanding than many mistakes: the rest are counted.
constexpr size_t kMostShown = 20;

struct RenderOptions {
  bool color = false;  // ANSI escapes
  size_t width = 120;  // columns of source shown; longer lines are cut around the caret
  bool links = false;  // places are links to their files (OSC 8)
  bool source = true;  // the line and the caret; false leaves headings and places
};

// Does the terminal of that descriptor make links of what OSC 8 says? By what terminals say of themselves in the environment;
// FORCE_HYPERLINK decides where it is set, with 0 against it.
bool shows_links(int descriptor);

// In the shape that rustc made a standard:
//   error[name]: message
//     --> file.mlc:12:14
//      |
//   12 | sch.split(i, [3, 32])
//      |              ^^^^^^^
//   note: loop `i` is made here
//     --> file.mlc:5:9
//      …
//   help: what would work
// Ends with a newline. A span over several lines shows the first.
std::string render(const ir::Diagnostic& diagnostic, const RenderOptions& options = {});

// With an empty line between; the first kMostShown, then "and N more". Several end with their number.
std::string render_all(const std::vector<ir::Diagnostic>& diagnostics, const RenderOptions& options = {});

// "3 errors", "1 error, 2 warnings".
std::string count_of(const std::vector<ir::Diagnostic>& diagnostics);

// One object per line: {"severity", "name", "kind", "message", "span", "notes", "help"}; a span is
// {"file", "line", "column", "end_line", "end_column"} (1-based, columns in code points), null without a
// source.
std::string to_json(const ir::Diagnostic& diagnostic);
std::string to_json(const std::vector<ir::Diagnostic>& diagnostics);

}  // namespace mlc::diagnostics
