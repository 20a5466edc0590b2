// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "frontend/script/core/evaluator.h"

namespace mlc::script {

// format(value, spec) at the end of a text.
void append_formatted(std::string& text, Evaluator& evaluator, const Any& value, std::string_view spec,
                      ir::Span span);

}  // namespace mlc::script
