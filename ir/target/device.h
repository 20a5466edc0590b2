// SPDX-License-Identifier: Apache-2.0
// Devices as people name them.
#pragma once

#include <dlpack/dlpack.h>

#include <string>
#include <string_view>

namespace mlc::ir {

// "cpu"; "device" where nothing is known of it.
std::string_view device_name(int type);
// "cpu:0"
std::string device_text(DLDevice device);
// "cpu", "cpu:1", "llvm": throws Error unknown-device with what there is.
DLDevice parse_device(std::string_view text, int64_t index = 0);

}  // namespace mlc::ir
