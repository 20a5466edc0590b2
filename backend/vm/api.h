// SPDX-License-Identifier: Apache-2.0
// The virtual machine for scripts: executables, the builder of their instructions, code of modules.
#pragma once

namespace mlc::vm {

void register_api();

}  // namespace mlc::vm
