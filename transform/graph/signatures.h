// SPDX-License-Identifier: Apache-2.0
// Private functions of graphs whose parameters or results change, together with the calls of them.
#pragma once

#include <map>
#include <set>

#include "transform/pass/graph_pass.h"

namespace mlc::transform {

// How the functions of a module are used in its graphs.
struct FunctionUses {
  std::map<std::string, std::vector<Call>> calls;  // by callee
  std::set<std::string> values;                    // those that are used other than by a call

  explicit FunctionUses(const IRModule& mod);
};
// Functions that only the module's own calls reach: private (no `global_symbol`), and never a value.
std::vector<std::pair<GlobalVar, Function>> internal_functions(const IRModule& mod, const FunctionUses& uses);

struct ChangedSignature {
  Function fn;
  // The arguments of a call instead of those that it has; null: the same.
  std::function<Array<Expr>(const CallNode*)> arguments = nullptr;
  // Of a tuple result: for each element which one it is now, or -1: it is gone, and nothing takes it. One
  // that is left is no tuple. Empty: the same.
  std::vector<int64_t> results = {};
};
// The module with these functions, by name, and with what calls them.
IRModule change_signatures(const IRModule& mod, const std::map<std::string, ChangedSignature>& changed,
                           Host& host);

// The function with the type of result that its body has, as far as its parameters define it.
Function with_result_of_body(const Function& fn, const InferContext& context);

}  // namespace mlc::transform
