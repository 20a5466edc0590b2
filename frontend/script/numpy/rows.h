// SPDX-License-Identifier: Apache-2.0
// Rows of arrays' methods.
#pragma once

#include "frontend/script/numpy/array.h"

namespace mlc::script {

constexpr std::string_view kNdarray = "mlc.np.ndarray";
// The rows, and below them methods of arrays for the functions named: the function without its first
// parameter.
std::vector<ir::ApiRow> with_methods(std::span<const ir::ApiRow> rows, std::string_view names);

}  // namespace mlc::script
