// SPDX-License-Identifier: Apache-2.0
// Functions whose first parameters are inputs, which change from run to run, and whose others are weights.
#pragma once

#include "transform/pass/graph_pass.h"

namespace mlc::transform {

// The attribute `num_input`: how many of the first parameters are inputs. Nothing where the function has no
// such attribute. Error too-many-inputs.
std::optional<int64_t> number_of_inputs(const Function& fn);
// The function with its weights as one parameter, a tuple of that name. Without the attribute it stays.
Function bundle_weights(const Function& fn, const IRModule& mod, Host& host,
                        const String& name = "model_params");
// All functions of the module. The variables that are read from their tuples have different names in all
// of it.
IRModule bundle_weights(const IRModule& mod, Host& host, const String& name);

}  // namespace mlc::transform
