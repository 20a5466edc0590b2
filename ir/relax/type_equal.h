// SPDX-License-Identifier: Apache-2.0
// Structural equality of types, and a hash that equal types share. Tensors of known shape, which most types are, are
// compared without reflection.
#pragma once

#include "ir/relax/type.h"

namespace mlc::relax {

bool same_type(const Type& a, const Type& b);
uint64_t type_hash(const Type& type);

}  // namespace mlc::relax
