// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace mlc::fix {

// `{"kind": "cuda", "arch": "sm_80"}` of `cuda -arch=sm_80`; "" of what is not a kind and its options.
std::string target_dict(std::string_view text);

}  // namespace mlc::fix
