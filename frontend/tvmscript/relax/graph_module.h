// SPDX-License-Identifier: Apache-2.0
// Functions of graphs among the definitions of a module or a text.
#pragma once

#include "frontend/tvmscript/relax/graph_builder.h"

namespace mlc::tvmscript {

inline constexpr std::string_view kGraphFunctionPath = "tvm.script.relax.function";

// Of the keywords of `@R.function(...)`.
GraphOptions graph_options(const Any& arguments);
relax::Function build_graph(Evaluator& evaluator, const syntax::FunctionDef& definition, const GraphOptions& options,
                            script::Scope where, const Outside& outside = {});
// A tensor without dimensions, of the type that a plain number has: int32, float32, bool.
ffi::Tensor scalar_tensor(const Any& number);

}  // namespace mlc::tvmscript
