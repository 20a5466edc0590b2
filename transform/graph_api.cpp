// SPDX-License-Identifier: Apache-2.0
// What scripts ask of functions of graphs that passes do, too.
#include <tvm/ffi/container/dict.h>

#include "ir/core/refusal.h"
#include "ir/registry/api.h"
#include "transform/graph/global_vars.h"
#include "transform/graph/inline_calls.h"
#include "transform/register_api.h"

namespace mlc::transform {

static constexpr ir::Refusals refusals{
    "TypeError",
    {
        {.name = "inlined-not-a-function",
         .message = "`function_map` maps names or GlobalVars to functions of graphs: `{}` is a `{}`"},
        {.name = "inlined-recursive",
         .kind = "ValueError",
         .message = "`{}` reaches itself by calls: its body has no end in the place of a call"},
    }};
MLC_REFUSALS(transform_graph_api, refusals);

namespace {

// Function.inline_functions(function_map)
Any inline_functions(ir::ApiCall& call) {
  auto map = call.args[1].as<ffi::Dict<Any, Any>>();
  if (!map) ir::wrong_argument(call, 1, "a dict from names to functions");
  std::map<std::string, Function> functions;
  std::map<std::string, std::set<std::string>> calls;
  for (const auto& [key, value] : *map) {
    auto* global = key.template as<ir::GlobalVarNode>();
    auto given = key.template try_cast<String>();
    auto* fn = value.template as<relax::FunctionNode>();
    if (!global && !given) throw ir::refuse(refusals["inlined-not-a-function"], "a key", ir::type_name(key));
    std::string name(text(global ? global->name_hint : *given));
    if (!fn) throw ir::refuse(refusals["inlined-not-a-function"], name, ir::type_name(value)).at(call.span_of(1));
    functions.insert_or_assign(name, ref(fn));
    for (const GlobalVar& used : used_functions(ref(fn))) calls[name].emplace(text(used->name_hint));
  }
  std::set<std::string> recursive = recursive_functions(calls);
  for (const auto& [name, fn] : functions) {
    if (recursive.count(name) != 0) throw ir::refuse(refusals["inlined-recursive"], name).at(call.span_of(1));
  }
  auto self = call.args[0].cast<Function>();
  return functions.empty() ? self : inline_calls(self, functions, call.host, IRModule());
}

constexpr ir::ApiRow graph_api_table[] = {
    {ir::ApiKind::kMethod, "mlc.relax.expr.Function", "inline_functions(function_map)",
     "The function with the bodies of others, by name or GlobalVar, in the place of calls of them.", inline_functions},
};

}  // namespace

void register_graph_api() { ir::ApiRegistry::global().add(graph_api_table); }

}  // namespace mlc::transform
