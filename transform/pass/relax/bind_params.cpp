// SPDX-License-Identifier: Apache-2.0
#include "ir/core/ndarray.h"
#include "transform/graph/bindings_argument.h"

namespace mlc::transform::pass_bind_params {

static constexpr ir::Refusals refusals{
    "ValueError",
    {
        {.name = "not-a-parameter-value",
         .kind = "AssertionError",
         .message = "the value of a parameter is a tensor or an array, not `{}`",
         .help = "`tvm.runtime.tensor(...)` makes a tensor of numbers"},
    }};
MLC_REFUSALS(bind_params, refusals);

namespace {

constexpr char doc[] = R"(BindParams(func_name, params): put constant tensors in the place of parameters.

    def main(x, w):                      def main(x):
        y = R.matmul(x, w)      =>           y = R.matmul(x, metadata["ir.GenericConst"][0])
needs: `params` maps parameters, or their names, to tensors or arrays that fit their types.
keeps: other parameters and functions. Symbolic dimensions become those of the tensors.
Of exported functions `func_name` is the exported symbol. Before FoldConstant, which computes what depends on constants
alone.)";

Expr constant(const Any& value) {
  if (auto* array = value.as<ir::NDArrayNode>()) return make<GenericConstNode>(Any(array->tensor));
  if (value.as<ffi::Tensor>()) return make<GenericConstNode>(value);
  if (auto* known = value.as<GenericConstNode>()) return ref(known);
  throw ir::refuse(refusals["not-a-parameter-value"], type_name(value));
}

IRModule apply(const IRModule& mod, const PassOptions& options) {
  auto name = options.args[0].cast<String>();
  Bindings values = bindings_argument(options, 1, "params", constant);
  return map_functions(mod, [&](const GlobalVar& global, const Function& fn) {
    auto symbol = ir::attr(fn, "global_symbol");
    String known = symbol ? symbol->cast<String>() : global->name_hint;
    return known == name ? relax::bind_params(fn, values, *options.host, {}, mod) : fn;
  });
}

}  // namespace

extern const Pass bind_params = graph_module_pass("BindParams", "BindParams(func_name, params)", doc, apply);

}  // namespace mlc::transform::pass_bind_params
