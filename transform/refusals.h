// SPDX-License-Identifier: Apache-2.0
// All that primitives, checks and passes refuse, by name: the rows at the tops of their files.
#pragma once

#include "ir/core/refusal.h"

namespace mlc::transform {

std::vector<const ir::RefusalList*> refusal_lists();  // generated, by file
// In order of name, each once.
const std::vector<const ir::Refusal*>& refusals();
const ir::Refusal* find_refusal(std::string_view name);  // or null

}  // namespace mlc::transform
