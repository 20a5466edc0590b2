// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "transform/graph/bindings_argument.h"

namespace mlc::transform::pass_bind_symbolic_vars {

static constexpr ir::Refusals refusals{
    "ValueError",
    {
        {.name = "unknown-dimension",
         .kind = "InternalError+ValueError",
         .message = "no function of the module has a symbolic variable `{}`"},
    }};
MLC_REFUSALS(bind_symbolic_vars, refusals);

namespace {

constexpr char doc[] =
    R"(BindSymbolicVars(binding_map, func_name=None): put values in the place of symbolic dimensions.

    def main(x: R.Tensor((n, 4), "float32")):      =>      def main(x: R.Tensor((8, 4), "float32")):
needs: `binding_map` maps symbolic variables, or their names, to integers or expressions. Each is of some function.
keeps: other variables, and other functions where `func_name` names one.
What is known about shapes lets later passes plan memory and schedules generate better code.)";

Expr dimension(const Any& value) {
  if (auto number = value.try_cast<int64_t>()) return ir::int_imm(DataType::Int(64), *number);
  if (auto e = value.as<Expr>(); e && is_prim(*e)) return *e;
  throw Error("wrong-type", "the value of a dimension is of type `{}`, not an integer or an expression",
              type_name(value))
      .kind("TypeError");
}

bool is_key_of(const Any& key, const Var& var) {
  if (auto* itself = key.as<VarNode>()) return var.get() == itself;
  return key.cast<String>() == var->name;
}

IRModule apply(const IRModule& mod, const PassOptions& options) {
  Bindings values = bindings_argument(options, 0, "binding_map", dimension);
  Host& host = *options.host;
  if (options.args[1] != nullptr) {
    std::string name(text(options.args[1].cast<String>()));
    BaseFunc fn = mod->lookup(name);
    auto* graph = Any(fn).as<FunctionNode>();
    if (!graph) throw Error("wrong-type", "`{}` is no function of graphs", name).kind("TypeError");
    return with_function(mod, mod->find(name), relax::bind_symbolic_vars(ref(graph), values, host, {}, mod));
  }
  std::vector<bool> used(values.size(), false);
  IRModule result = map_functions(mod, [&](const GlobalVar&, const Function& fn) {
    Bindings own;
    std::vector<Var> vars = defined_symbolic_vars(fn);
    for (size_t i = 0; i < values.size(); ++i) {
      if (std::none_of(vars.begin(), vars.end(),
                       [&](const Var& var) { return is_key_of(values[i].first, var); }))
        continue;
      used[i] = true;
      own.push_back(values[i]);
    }
    return relax::bind_symbolic_vars(fn, own, host, {}, mod);
  });
  for (size_t i = 0; i < values.size(); ++i) {
    if (used[i]) continue;
    const Any& key = values[i].first;
    auto* var = key.as<VarNode>();
    throw ir::refuse(refusals["unknown-dimension"], text(var ? var->name : key.cast<String>()));
  }
  return result;
}

}  // namespace

extern const Pass bind_symbolic_vars =
    of_first_level(graph_module_pass("BindSymbolicVars", "BindSymbolicVars(binding_map, func_name=None)", doc, apply));

}  // namespace mlc::transform::pass_bind_symbolic_vars
