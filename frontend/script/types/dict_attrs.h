// SPDX-License-Identifier: Apache-2.0
// Attributes in scripts: the names are keys of DictAttrs, and fields of the attributes of operators.
#pragma once

#include "frontend/script/core/value.h"
#include "ir/core/attrs.h"
#include "ir/registry/api.h"

namespace mlc::script {

using ir::DictAttrsNode;

Any integers_in(ir::ApiCall& call, const Any& sequence);  // as ints of the script

// What a script gets that reads the field `name`, whose content is `value`, of an object.
Any as_read(const Any& object, Symbol name, const Any& value);

// The name of the type whose class `type(value)` is: attributes of operators have one for each kind.
std::string_view class_key(const Any& value);

}  // namespace mlc::script
