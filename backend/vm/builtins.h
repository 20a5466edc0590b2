// SPDX-License-Identifier: Apache-2.0
// The functions that compiled graphs call beside tensor functions: vm.builtin.* and relax.run.*, with TVM 0.27's names and arguments.
#pragma once

namespace mlc::vm {

void register_shape_builtins();
void register_value_builtins();
void register_search_builtins();

}  // namespace mlc::vm
