// SPDX-License-Identifier: Apache-2.0
#include "transform/pass/convert_ssa.h"
#include "transform/pass/pass.h"

namespace mlc::transform::pass_convert_ssa_blocks {
namespace {

constexpr char doc[] =
    R"(ConvertSSA(): every variable is defined once in the whole module, as by tirx's ConvertSSA.

    for i in range(4): S                    for i in range(4): S
    for i in range(4): T                =>  for i_1 in range(4): T[i := i_1]
needs: nothing; functions may have blocks.
keeps: every statement.
The name under which functions with blocks ask for it.)";

IRModule apply(const IRModule& mod, const PassOptions&) { return with_unique_definitions(mod); }

}  // namespace

extern const Pass convert_ssa_blocks{"ConvertSSA", "s_tir.transform", "ConvertSSA()", doc, nullptr, apply};

}  // namespace mlc::transform::pass_convert_ssa_blocks
