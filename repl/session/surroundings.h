// SPDX-License-Identifier: Apache-2.0
// What statements change that no name leads to: tables of the process and of its session, which go back in
// time with the rest.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "frontend/script/core/evaluator.h"
#include "ir/registry/context.h"

namespace mlc::repl {

struct Surroundings {
  // By the program, not by the library: that registers once, when it is first asked for.
  std::map<std::string, std::optional<ir::ffi::Function>>
      functions;                                  // register_global_func; nullopt: removed
  std::map<std::string, ir::Any> tensor_intrins;  // TensorIntrin.register
  std::map<std::string, std::string, std::less<>> target_tags;
  std::vector<ir::Target> targets;     // that `__enter__` has put in force
  std::vector<ir::Any> pass_contexts;  // likewise
  bool solver = false;
  std::vector<std::string> variables;  // "NAME=value" of the environment
  std::string folder;                  // the current one

  static Surroundings now();
};

bool same(const Surroundings& a, const Surroundings& b);
void put_back(script::Evaluator& evaluator, const Surroundings& held);

}  // namespace mlc::repl
