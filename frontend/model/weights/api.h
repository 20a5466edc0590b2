// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace mlc::model {

// The module `_weights`, on which stdlib/python/safetensors.mlc and its neighbours stand.
void register_api();

}  // namespace mlc::model
