// SPDX-License-Identifier: Apache-2.0
#include "frontend/script/types/enum_results.h"

#include "frontend/script/core/importer.h"
#include "frontend/script/types/dtype.h"

namespace mlc::script {

namespace {

struct Counted {
  std::string_view owner, name;          // the row
  std::string_view module, enumeration;  // what its numbers count
};
constexpr Counted all[] = {
    {"mlc.sym.Analyzer", "try_compare", "tvm.sym", "CompareResult"},
    {"mlc.sym.Analyzer", "enabled_extensions", "tvm.sym", "Extension"},
};

}  // namespace

Any result_of_row(Evaluator::State& state, const ir::Api& api, const Any& value) {
  if (!is_int(value)) return dtype_text(value);
  for (const Counted& one : all) {
    if (one.name != api.name || one.owner != api.row.owner) continue;
    Any enumeration = state.self.attribute(state.importer->of_library(std::string(one.module)),
                                           Symbol(one.enumeration), {});
    return state.self.call(enumeration, std::span<const Any>(&value, 1));
  }
  return value;
}

Any number_of_flag(const Any& value) {
  auto* instance = as<InstanceNode>(value);
  if (instance == nullptr || instance->cls->find(Symbol("_value2member_map_")) == nullptr) return value;
  const Any* number = instance->own(Symbol("_value_"));
  return number != nullptr && is_int(*number) ? *number : value;
}

}  // namespace mlc::script
