// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "frontend/tvmscript/builder/frame.h"
#include "ir/tir/layout_algebra.h"

namespace mlc::tvmscript {

// Trainium: dimensions over partitions (P) and along them (F), as `annotation` says of each.
ir::TileLayout trainium_layout(std::string_view annotation, const Array<Expr>& shape, bool psum, Span span);
// The same with the F axis cut into banks of the accumulator.
ir::TileLayout psum_layout(const ir::TileLayout& layout, Span span);

}  // namespace mlc::tvmscript
