// SPDX-License-Identifier: Apache-2.0
// Making one block of a loop nest around a block: what blockize and tensorize share.
#pragma once

#include "transform/schedule/primitive.h"

namespace mlc::transform {

// The loop's body as an outer block that has the loop and what is below inside. `reuse` learns what the block
// below became. Errors: blockize-several-blocks, blockize-not-divisible.
SBlockRealize blockized_loop(Step& step, const LoopArg& loop, bool preserve_unit_iters, BlockReuse& reuse);

// After an outer block was put into the module: whether it and what is inside are affine and stage pipelines.
SRefNode* settle_outer_block(Step& step, const SBlock& outer);

// The blocks, adjacent in the body of their parent, in one outer block. Errors: as above,
// blockize-different-iterators, blockize-not-neighbours, blockize-outer-reduction.
SRefNode* blockize_blocks(Step& step, const std::vector<BlockArg>& blocks, bool preserve_unit_iters);

}  // namespace mlc::transform
