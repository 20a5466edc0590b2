// SPDX-License-Identifier: Apache-2.0
#include "transform/graph/global_vars.h"
#include "transform/graph/inline_calls.h"
#include "transform/graph/signatures.h"

namespace mlc::transform::pass_inline_private_graphs {
namespace {

constexpr char doc[] =
    R"(InlinePrivateFunctions(): put the bodies of private functions in the place of their calls.

    @R.function(private=True)                y = R.exp(a)
    def f(x):                        =>      z = R.add(y, y)
        y = R.exp(x)
        return R.add(y, y)
    z = cls.f(a)
needs: nothing. Functions that call themselves, also through others, stay, and so do those that are values.
keeps: values. The inlined functions go; all others lose copies of variables and dead code.
A dataflow block is split where the body that comes into it has bindings outside of dataflow blocks.)";

IRModule apply(const IRModule& mod, const PassOptions& options) {
  Host& host = *options.host;
  std::map<std::string, std::set<std::string>> calls;
  for (const auto& [name, fn] : mod->functions) {
    for (const GlobalVar& used : used_functions(fn))
      calls[std::string(text(name->name_hint))].emplace(text(used->name_hint));
  }
  std::set<std::string> recursive = recursive_functions(calls);
  std::map<std::string, Function> inlined;
  for (const auto& [name, fn] : internal_functions(mod, FunctionUses(mod))) {
    std::string known(text(name->name_hint));
    if (recursive.count(known) == 0) inlined.emplace(known, fn);
  }
  if (inlined.empty()) return mod;
  Map<GlobalVar, BaseFunc> functions;
  for (const auto& [name, fn] : mod->functions) {
    if (inlined.count(std::string(text(name->name_hint))) != 0) continue;
    auto* graph = Any(fn).as<FunctionNode>();
    functions.Set(name, graph ? BaseFunc(inline_calls(ref(graph), inlined, host, mod)) : fn);
  }
  return with(mod, [&](IRModuleNode& n) { n.functions = functions; });
}

}  // namespace

extern const Pass inline_private_graphs =
    graph_module_pass("InlinePrivateFunctions", "InlinePrivateFunctions()", doc, apply);

}  // namespace mlc::transform::pass_inline_private_graphs
