// SPDX-License-Identifier: Apache-2.0
#include "repl/shell/show_program.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <set>

#include "frontend/print/highlight.h"
#include "repl/shell/report.h"

namespace mlc::repl {

std::vector<std::string> names_of(const ir::IRModule& mod) {
  std::set<std::string> names, all;  // the map has no order of its own
  for (const auto& [var, fn] : mod->functions) {
    all.insert(std::string(var->name_hint));
    if (ir::attr(fn, "global_symbol")) names.insert(std::string(var->name_hint));
  }
  if (names.empty()) names = all;
  return {names.begin(), names.end()};
}

void show_program(const CommandLine& line, const NamedModule& module, std::string text) {
  if (!text.ends_with('\n')) text += '\n';
  if (line.json) {
    nlohmann::ordered_json all{{"file", line.file}};
    if (!module.name.empty()) all["module"] = module.name;
    all["functions"] = names_of(module.mod);
    all["text"] = text;
    print_event("result", all);
  } else {
    fmt::print("{}", print::wants_colour(1) ? print::highlight(text) : text);
  }
}

}  // namespace mlc::repl
