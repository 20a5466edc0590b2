// SPDX-License-Identifier: Apache-2.0
#include "transform/graph/canonicalize.h"

namespace mlc::transform::pass_canonicalize_bindings {
namespace {

constexpr char doc[] = R"(CanonicalizeBindings(): write away bindings that say nothing new.

    with R.dataflow():                        with R.dataflow():
        a = x                                     gv = R.add(x, x)
        t = (a, x)                    =>          R.output(gv)
        lv = R.add(t[0], t[1])
        gv = lv
        R.output(gv)
needs: nothing.
keeps: values and checks: a match_cast goes only where its value is of that type in any case. What nothing uses stays;
DeadCodeElimination removes it.
Symbolic variables that a match_cast defines as known sizes are written as these, and variables that are not seen
outside of their dataflow block become dataflow variables.)";

Function apply(const Function& fn, const IRModule& mod, const PassOptions& options) {
  return canonicalize_bindings(fn, mod, *options.host);
}

}  // namespace

extern const Pass canonicalize_bindings =
    graph_pass("CanonicalizeBindings", "CanonicalizeBindings()", doc, apply);

}  // namespace mlc::transform::pass_canonicalize_bindings
