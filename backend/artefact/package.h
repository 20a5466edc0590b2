// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>

#include "backend/backend.h"

namespace mlc::backend {

// A library as a folder that can be moved: include/NAME.h, lib/libNAME.so and .a, and what pkg-config and
// CMake find them by. `write_shared` makes the shared library at a path, under the soname that it is passed.
void write_package(
    const std::string& folder, const std::string& header, const ForC& options,
    const std::string& static_library,
    const std::function<void(const std::string& path, const std::string& soname)>& write_shared);

}  // namespace mlc::backend
