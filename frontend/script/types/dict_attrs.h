// SPDX-License-Identifier: Apache-2.0
// The attributes of a function or module as a script sees them: a map whose keys are attributes as well.
#pragma once

#include "frontend/script/core/value.h"
#include "ir/registry/api.h"

namespace mlc::script {

struct DictAttrsNode final : ffi::Object {
  ffi::Map<String, Any> values;
  explicit DictAttrsNode(ffi::Map<String, Any> values) : values(std::move(values)) {}
  MLC_NODE("mlc.ir.DictAttrs", DictAttrsNode, ffi::Object);
};

Any integers_in(ir::ApiCall& call, const Any& sequence);  // as ints of the script

// What a script gets that reads the field `name`, whose content is `value`, of an object.
Any as_read(const Any& object, Symbol name, const Any& value);

}  // namespace mlc::script
