// SPDX-License-Identifier: Apache-2.0
#include <set>

#include "transform/graph/global_vars.h"

namespace mlc::transform::pass_normalize_global_var {

static constexpr ir::Refusals refusals{"ValueError",
                                       {
                                           {.name = "symbol-exported-twice",
                                            .kind = "InternalError+ValueError",
                                            .message = "two functions of the module are exported as `{}`",
                                            .help = "give one another `global_symbol`"},
                                       }};
MLC_REFUSALS(normalize_global_var, refusals);

namespace {

constexpr char doc[] =
    R"(NormalizeGlobalVar(): call exported functions by the symbol that they are exported under.

    @R.function                                    @R.function
    def f(...): ...   # global_symbol "main"  =>   def main(...): ...
needs: no two functions are exported under one symbol.
keeps: bodies, but for the names of functions. A private function that has the name of a symbol gets a number.
The parser does so already; passes that set `global_symbol` may leave other names.)";

IRModule apply(const IRModule& mod, const PassOptions&) {
  std::set<std::string> taken;
  std::map<std::string, std::string> names;
  for (const auto& [name, fn] : mod->functions) {
    auto symbol = ir::attr(fn, "global_symbol");
    if (!symbol) continue;
    std::string wanted(text(symbol->cast<String>()));
    if (!taken.insert(wanted).second)
      throw ir::refuse(refusals["symbol-exported-twice"], wanted).at(fn->span);
    if (wanted != text(name->name_hint)) names[std::string(text(name->name_hint))] = wanted;
  }
  if (names.empty()) return mod;
  for (const auto& [name, fn] : mod->functions) {
    if (ir::attr(fn, "global_symbol")) continue;
    std::string old(text(name->name_hint));
    std::string wanted = old;
    for (int i = 1; !taken.insert(wanted).second; ++i) wanted = fmt::format("{}{}", old, i);
    if (wanted != old) names[old] = wanted;
  }
  return rename_functions(mod, names);
}

}  // namespace

extern const Pass normalize_global_var =
    graph_module_pass("NormalizeGlobalVar", "NormalizeGlobalVar()", doc, apply);

}  // namespace mlc::transform::pass_normalize_global_var
