// SPDX-License-Identifier: Apache-2.0
#include "transform/graph/global_vars.h"

namespace mlc::transform::pass_attach_global_symbol {
namespace {

constexpr char doc[] = R"(AttachGlobalSymbol(): give each function its name in the module as the symbol it is exported under.

    @R.function(private=True)           @R.function
    def main(...): ...          =>      def main(...): ...       # attrs["global_symbol"] = "main"
needs: nothing. With the module attribute `system_lib_prefix` tensor functions are renamed to begin with that.
keeps: bodies, but for the names of functions that are renamed.
Last before code generation: earlier passes may still rename and remove functions.)";

IRModule apply(const IRModule& mod, const PassOptions&) {
  std::string prefix;
  if (auto found = mod->attrs.find("system_lib_prefix"); found != mod->attrs.end())
    prefix = std::string(text((*found).second.cast<String>()));
  IRModule result = mod;
  std::map<std::string, std::string> names;
  for (const auto& [name, fn] : mod->functions) {
    auto* graph = Any(fn).as<FunctionNode>();
    auto* prim = Any(fn).as<PrimFuncNode>();
    if (!graph && !prim) continue;
    std::string symbol(text(name->name_hint));
    if (prim && !prefix.empty()) {
      symbol = prefix + symbol;
      names[std::string(text(name->name_hint))] = symbol;
    }
    auto old = ir::attr(fn, "global_symbol");
    if (old && text(old->cast<String>()) == symbol) continue;
    BaseFunc next = graph ? BaseFunc(relax::with_attr(ref(graph), "global_symbol", String(symbol)))
                          : BaseFunc(ir::with_attr(ref(prim), "global_symbol", String(symbol)));
    result = with_function(result, name, next);
  }
  return rename_functions(result, names);
}

}  // namespace

extern const Pass attach_global_symbol = graph_module_pass("AttachGlobalSymbol", "AttachGlobalSymbol()", doc, apply);

}  // namespace mlc::transform::pass_attach_global_symbol
