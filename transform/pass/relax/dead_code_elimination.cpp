// SPDX-License-Identifier: Apache-2.0
#include "transform/graph/dead_code.h"
#include "transform/pass/pass_context.h"

namespace mlc::transform::pass_dead_code_elimination {
namespace {

constexpr char doc[] =
    R"(DeadCodeElimination(entry_functions=None): remove bindings and functions that nothing uses.

    a = R.exp(x)                  b = R.tanh(x)
    b = R.tanh(x)        =>       return b
    return b
needs: nothing.
keeps: calls with effects and match_cast, which checks; functions that are exported (attribute `global_symbol`), those
of the names `entry_functions`, and what these use.
After passes that leave what they replace, as CanonicalizeBindings and FoldConstant do.)";

IRModule apply(const IRModule& mod, const PassOptions& options) {
  return without_dead_code(mod, as_names(options.args[0]));
}

}  // namespace

extern const Pass dead_code_elimination =
    of_first_level(graph_module_pass("DeadCodeElimination", "DeadCodeElimination(entry_functions=None)", doc, apply));

}  // namespace mlc::transform::pass_dead_code_elimination
