// SPDX-License-Identifier: Apache-2.0
// Primitives that change a buffer everywhere, where it is allocated and in all its uses, or in some of these.
#pragma once

#include "transform/schedule/primitive.h"

namespace mlc::transform {

// The block around `block`, or itself, that allocates the buffer. Error: buffer-not-allocated.
SRefNode& allocating_block(SRefNode& block, const Buffer& buffer, std::string_view primitive, Span span);
// Changes the type of a buffer in the block that allocates it and in all below, views through
// `T.match_buffer` included; `suffix` goes behind their names. A changed element type puts casts around loads
// and stores.
void change_buffer(Step& step, SRefNode& allocator, const Buffer& buffer,
                   const std::function<void(BufferTypeNode&)>& change, const std::string& suffix);
// `copy` in place of `buffer`; views through `T.match_buffer` take its storage scope.
Stmt use_copy(const Stmt& stmt, const Buffer& buffer, const Buffer& copy);

}  // namespace mlc::transform
