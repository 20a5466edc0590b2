// SPDX-License-Identifier: Apache-2.0
#include "frontend/script/types/dict_attrs.h"

#include "frontend/script/core/machine.h"
#include "frontend/script/numpy/array.h"
#include "frontend/script/types/dtype.h"
#include "ir/core/module.h"
#include "ir/core/try_get.h"
#include "ir/relax/operator.h"

namespace mlc::script {

using ir::ApiCall;
using Values = ffi::Map<String, Any>;

Any integers_in(ApiCall& call, const Any& sequence) {
  Tuple all;
  for (const Any& value : evaluator_of(call.host).elements_of(sequence, call.span)) {
    auto* constant = value.as<ir::IntImmNode>();
    all.push_back(constant == nullptr ? value : Any(constant->value));
  }
  return all;
}

Any as_read(const Any& object, Symbol name, const Any& value) {
  auto* of_call = object.as<ir::CallNode>();
  bool holds =
      of_call || object.as<ir::BaseFuncNode>() != nullptr || object.as<ir::IRModuleNode>() != nullptr;
  if (!holds || name.str() != "attrs") return dtype_text(value);
  if (of_call) return relax::attrs_of_call(of_call);
  auto values = ir::try_get<Values>(value);
  return values ? Any(ir::make<DictAttrsNode>(*values)) : value;
}

std::string_view class_key(const Any& value) {
  if (auto* attrs = value.as<ir::OpAttrsNode>()) return ir::view(attrs->type_key);
  const TVMFFITypeInfo* info = TVMFFIGetTypeInfo(value.type_index());
  return {info->type_key.data, info->type_key.size};
}

}  // namespace mlc::script
