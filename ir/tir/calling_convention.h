// SPDX-License-Identifier: Apache-2.0
// Who calls a function: its attribute "calling_conv".
#pragma once

#include <optional>

#include "ir/core/module.h"

namespace mlc::ir {

constexpr int64_t kKernelLaunch = 2;  // the host launches it on a device

// nullopt: nothing was decided, or the attribute is no number.
std::optional<int64_t> calling_convention(const BaseFunc& fn);

}  // namespace mlc::ir
