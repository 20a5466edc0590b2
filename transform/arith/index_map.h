// SPDX-License-Identifier: Apache-2.0
// Applying index maps, and turning them round.
#pragma once

#include "ir/tir/index_map.h"
#include "transform/arith/analyzer.h"

namespace mlc::transform {

// The map at these indices, simplified. One index for each of the map's.
Array<Expr> map_indices(const IndexMap& map, const Array<Expr>& indices, Analyzer& analyzer);
// The shape of what a buffer of this shape becomes. Throws Error index-map-not-affine when it cannot be computed.
Array<Expr> map_shape(const IndexMap& map, const Array<Expr>& shape, Analyzer& analyzer);
// The map back from the image of the box. Throws Error index-map-not-bijective.
IndexMap inverse(const IndexMap& map, const std::vector<Range>& box, Analyzer& analyzer);

struct PaddedInverse {
  IndexMap map;
  Expr padding;  // holds where the result is outside of the box
};
// The map back from an image that has room for more than the box. Throws Error index-map-not-bijective.
PaddedInverse non_surjective_inverse(const IndexMap& map, const std::vector<Range>& box, Analyzer& analyzer);

}  // namespace mlc::transform
