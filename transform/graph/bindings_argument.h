// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tvm/ffi/container/dict.h>

#include "ir/relax/bind.h"
#include "transform/pass/graph_pass.h"

namespace mlc::transform {

// Argument `index` of a pass, a dictionary from variables or their names, with values as `to_expr` has them.
template <class F>
Bindings bindings_argument(const PassOptions& options, size_t index, std::string_view name, F to_expr) {
  auto given = options.args[index].as<ffi::Dict<Any, Any>>();
  if (!given) {
    throw Error("wrong-type", "`{}` is of type `{}`, not a dict", name, type_name(options.args[index]))
        .kind("TypeError");
  }
  Bindings all;
  for (const auto& [key, value] : *given) {
    auto text = key.template try_cast<String>();
    if (!text && !key.template as<VarNode>()) {
      throw Error("wrong-type", "a key of `{}` is of type `{}`, not a variable or its name", name,
                  type_name(key))
          .kind("TypeError");
    }
    all.emplace_back(text ? Any(*text) : key, to_expr(value));
  }
  return all;
}

}  // namespace mlc::transform
