// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace mlc::backend {

void register_runtime_functions();

}  // namespace mlc::backend
