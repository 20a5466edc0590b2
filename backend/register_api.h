// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace mlc::backend {

// Adds the rows of this room: build and compile, modules, tensors, devices, targets, timing, the interpreter.
void register_api();

}  // namespace mlc::backend
