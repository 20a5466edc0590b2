// SPDX-License-Identifier: Apache-2.0
#include "transform/pass/graph_pass.h"

namespace mlc::transform::pass_normalize {
namespace {

constexpr char doc[] = R"(Normalize(): bring functions of graphs into normal form.

    gv = R.add(R.exp(x), y)      =>      lv = R.exp(x)
                                         gv = R.add(lv, y)
needs: nothing.
keeps: what is in normal form already, names and blocks.
In normal form operands are variables, constants, shapes and tuples of these, and every expression has its type. The
parser and all passes leave it; a script that builds nodes by hand calls this before the first pass.)";

Function apply(const Function& fn, const IRModule& mod, const PassOptions& options) {
  return relax::normalize(fn, InferContext(*options.host, mod));
}

}  // namespace

extern const Pass normalize{.name = "Normalize",
                            .owner = "relax.transform",
                            .signature = "Normalize()",
                            .doc = doc,
                            .apply_graph = apply};

}  // namespace mlc::transform::pass_normalize
