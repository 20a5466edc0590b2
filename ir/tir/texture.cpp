// SPDX-License-Identifier: Apache-2.0
#include "ir/tir/texture.h"

#include <algorithm>

#include "ir/core/error_kinds.h"
#include "ir/core/refusal.h"
#include "ir/tir/arith_ops.h"

namespace mlc::ir {

static constexpr Refusals refusals{
    "ValueError",
    {
        {.name = "unknown-texture",
         .kind = kRefusedValue,
         .message = "there is no layout of textures `{}`",
         .help = "layouts are `global.texture`, `global.texture-nhwc` and `global.texture-weight`"},
        {.name = "texel-not-constant",
         .kind = "TypeError",
         .message = "the last dimension of a tensor in a texture is no constant",
         .meaning = "The last dimension of a tensor in a texture is a texel: the elements of one vector."},
    }};
MLC_REFUSALS(texture, refusals);

bool is_texture(std::string_view scope) { return scope.find("texture") != scope.npos; }

TextureAxes texture_axes(size_t ndim, std::string_view scope) {
  size_t outer = ndim == 0 ? 0 : ndim - 1;
  size_t rows = 0;
  if (scope == "global.texture") {
    rows = outer == 0 ? 0 : outer - 1;
  } else if (scope == "global.texture-nhwc") {
    rows = 2;
  } else if (scope == "global.texture-weight") {
    rows = 1;
  } else {
    throw refuse(refusals["unknown-texture"], scope);
  }
  // Of a tensor without rows all dimensions count planes.
  return {std::min(rows == 0 ? outer : rows - 1, outer), std::min(rows == 0 ? outer : rows, outer)};
}

int64_t texel_bits(const BufferTypeNode* type) {
  if (type->shape.empty()) return DataType(type->dtype).bits();
  const Expr& last = type->shape.back();
  auto lanes = const_int(last);
  if (!lanes) throw refuse(refusals["texel-not-constant"]).at(last->span);
  return DataType(type->dtype).bits() * *lanes;
}

}  // namespace mlc::ir
