// SPDX-License-Identifier: Apache-2.0
// Bindings that only weights decide: which of a function's can be computed once, before it runs.
#pragma once

#include "transform/graph/model_params.h"

namespace mlc::transform {

using VarSet = std::unordered_set<const VarNode*>;  // of values and of sizes (symbolic)

struct LiftedBindings {
  std::vector<Binding> bindings;  // in order
  VarSet from_weights;  // weights, and what is computed of them; constants alone are not worth keeping
  VarSet at_run_time;   // what the rest of the function uses
  // What is kept for the function: weights that it still uses, then what was computed for it.
  std::vector<Var> outputs(const Array<Var>& weights) const;
};

// The bindings of dataflow blocks that depend on weights alone; of those, only what `shared` has where it is
// given.
LiftedBindings find_lifted(const Function& fn, const std::unordered_map<const VarNode*, Var>* shared);

// The same binding in all of several functions, whose weights correspond one to one.
struct SharedBindings {
  std::vector<Binding> bindings;  // those of the first function
  std::unordered_map<const VarNode*, Var>
      first;  // the variable or size of the first function that one stands for
};
// Error weights-differ.
SharedBindings find_shared(const std::vector<Function>& functions);

}  // namespace mlc::transform
