// SPDX-License-Identifier: Apache-2.0
// Data types as scripts see them: texts that know what they name (tvm.DataType).
#pragma once

#include "frontend/script/core/value.h"

namespace mlc::script {

Any dtype_text(const Any& value);  // of a raw data type; any other value stays as it is

}  // namespace mlc::script
