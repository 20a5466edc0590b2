// SPDX-License-Identifier: Apache-2.0
// What a scope holds besides its blocks and their loops: conditions, `let`, attributes, plain statements.
#pragma once

#include "transform/schedule/analysis.h"

namespace mlc::transform {

// Do the statements of `body` outside of blocks leave to the blocks what the blocks access, and the order of
// statements as it is written?
bool leaves_blocks_alone(const Stmt& body, const Dependences& deps);

// Throws not-stage-pipeline where a condition or attribute is between the scope and one of `moved`, which
// the primitive would take out of it, or where one of the blocks `involved` needs a variable that a `let` in
// the scope defines.
void require_straight(ScheduleState& state, const SRefNode& scope, const std::vector<const SRefNode*>& moved,
                      const std::vector<SRefNode*>& involved, std::string_view primitive);

// Behind the statements before all blocks of a scope that allocate, declare or store `buffer`: the first
// place where it can be read. Throws not-stage-pipeline where a later one, outside of blocks, does so: what the
// primitive copies there would be too old.
size_t place_behind_made(const Stmt& body, const Buffer& buffer, std::string_view primitive);

// Throws not-stage-pipeline where `block`, which the primitive takes to `place` before it, accesses a buffer
// that the scope allocates between the two.
void require_allocated_before(const SRefNode& scope, const SRefNode& place, const SRefNode& block,
                              std::string_view primitive);

// The same as `require_straight` for a primitive that copies what `block` does with `buffer` elsewhere, and
// leaves the block where it is: attributes around it stay, as do conditions around what reads; nothing that
// distinguishes the copied part may be a `let`'s.
void require_copy_straight(ScheduleState& state, const SRefNode& scope, const SRefNode& block,
                           const Buffer& buffer, bool write, std::string_view primitive);
// The refusal of a copy back that would overwrite what `block` leaves alone under a condition.
Error condition_not_kept(const SRefNode& block, Span written, std::string_view primitive);

}  // namespace mlc::transform
