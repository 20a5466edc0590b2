// SPDX-License-Identifier: Apache-2.0
// Textures: memory of GPUs that is read and written by texels, vectors of the elements of a tensor's last
// dimension.
#pragma once

#include <string_view>

#include "ir/core/expr.h"

namespace mlc::ir {

// Is memory of the scope a texture ("global.texture-nhwc")?
bool is_texture(std::string_view scope);

// A texture is an array of planes. What the dimensions of a tensor in it count, without the last one, which
// is the texel: the first `planes` of them planes, those up to `rows` the rows of a plane, the others the
// texels of a row.
struct TextureAxes {
  size_t planes = 0, rows = 0;
};
// Of a tensor of that rank. Error unknown-texture.
TextureAxes texture_axes(size_t ndim, std::string_view scope);

// Bits of a texel. Error texel-not-constant.
int64_t texel_bits(const BufferTypeNode* type);

}  // namespace mlc::ir
