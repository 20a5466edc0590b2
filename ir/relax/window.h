// SPDX-License-Identifier: Apache-2.0
// Attributes of operators that move a window over the spatial axes of a tensor (convolution, pooling): one
// number stands for all axes, and padding is kept for both ends of each.
#pragma once

#include "ir/relax/operator.h"

namespace mlc::relax {

// The index of the parameter of that name.
size_t parameter_index(const ApiCall& call, std::string_view name);
// Makes the argument a list of `count` integers: one integer is repeated. Error window-length.
void complete_ints(ApiCall& call, std::string_view name, size_t count);
// Makes it the padding before each of `axes` axes, then that after each, from one integer, one for each axis
// or all of them. Error window-length.
void complete_padding(ApiCall& call, std::string_view name, size_t axes);
// Where it is None it is what the other argument is.
void default_to(ApiCall& call, std::string_view name, std::string_view other);

// The attributes of a pool and of its gradient.
inline constexpr AttrRows kPoolAttrs{{{"pool_size", AttrKind::kInts},
                               {"strides", AttrKind::kInts},
                               {"dilation", AttrKind::kInts},
                               {"padding", AttrKind::kInts},
                               {"ceil_mode", AttrKind::kBool},
                               {"count_include_pad", AttrKind::kBool},
                               {"layout", AttrKind::kString},
                               {"out_layout", AttrKind::kString}}};

}  // namespace mlc::relax
