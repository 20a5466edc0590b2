// SPDX-License-Identifier: Apache-2.0
// Names of a module's functions, and what uses them.
#pragma once

#include <map>

#include "transform/pass/graph_pass.h"

namespace mlc::transform {

// The module with functions under other names: those of the map, by old name. Uses in graphs and in tensor code
// follow.
IRModule rename_functions(const IRModule& mod, const std::map<std::string, std::string>& names);
// The functions of the module that a function uses, in order of first use.
std::vector<GlobalVar> used_functions(const BaseFunc& fn);
// The module without functions that neither an exported function (attribute `global_symbol`) nor one of `entries`
// reaches.
IRModule without_unreached_functions(const IRModule& mod, const Array<String>& entries = {});

}  // namespace mlc::transform
