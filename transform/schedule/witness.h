// SPDX-License-Identifier: Apache-2.0
// Examples for refusals: iterations, found by going through some of them, in which what a rule forbids
// happens.
#pragma once

#include "transform/schedule/analysis.h"

namespace mlc::transform {

// Two iterations that differ in `loop` and write the same element: "with `k` = 0 and `k` = 1 it writes
// `C[0, 0]`". Empty when none was found among the first.
std::string element_written_twice(const SBlockRealize& realize, const std::vector<SRefNode*>& loops,
                                  const SRefNode& loop);

// Two iterations of these loops that run one instance of the block: "iterations (i, j) = (0, 4) and (1, 0)
// are one: `vi` = 4". Empty when none was found among the first.
std::string instance_met_twice(const SBlockRealize& realize, const std::vector<SRefNode*>& loops);

// Do iterations of these loops, all around them fixed, each run an instance of their own? Counted, where they
// are few and what the enclosing loops add to the iterators is separable; else false.
bool each_instance_once(const SBlockRealize& realize, const std::vector<SRefNode*>& loops);

// A value in the domain of an iterator that it takes in no iteration, or two iterations in which all of them have
// the same values. Empty when there is none among the first.
std::string uncovered_value(const SBlockRealize& realize, const std::vector<SRefNode*>& loops);

// An index that leaves its buffer, and for which iterators of the block: "index 0 of `A` is -1 where `vi` is
// 0". Empty when all stay inside, or that is not known.
std::string index_outside(const SBlockNode& block, const Buffer& buffer, const Array<Expr>& indices);

// An element of this part of a buffer, the part that runs of these loops write in, that none of them writes:
// "no iteration writes `C[1, 0]`", counted from the part's begin where that is not constant. Empty when all
// are written, or that is not known.
std::string element_not_written(const SBlockRealize& realize, const std::vector<SRefNode*>& loops,
                                const TensorRegion& write, const std::vector<Interval>& part);

// An element that a block reads, but that none of the blocks before it writes in the same iteration of the
// loops around all of them: "with `i` = 1 block `C` reads `B[0]`, which is written with `i` = 0". Of those
// that no iteration writes only when not `written`. Empty when there is none, or that is not known.
std::string element_from_elsewhere(ScheduleState& state, const Dependences& deps, const SRefNode& reader,
                                   const TensorRegion& read, bool written = false);

// An iteration of a block that reads what its producers write in different iterations of `loop`: "with `i` =
// 3 block `C` reads `B[3]`, which is written with `i_0` = 0, and `B[4]`, which is written with `i_0` = 1".
// Empty when none was found among the first.
std::string instance_of_two_iterations(ScheduleState& state, const SRefNode& block, SRefNode& loop,
                                       const std::vector<SRefNode*>& producers);

// An element that one block writes and another one does not read: "block `B` writes `B[4]`, which
// block `C` does not read". Empty when all are read, or that is not known.
std::string element_left_unread(ScheduleState& state, const SRefNode& producer, const SRefNode& reader,
                                const Buffer& buffer);

// An element that a block reads in one iteration and writes in another: "with `i` = 1 block `B` reads `A[1]`,
// which it writes with `i` = 0". Empty when none was found among the first.
std::string element_carried(ScheduleState& state, const SRefNode& block);

// Elements for which `next` is the same and `old`, their index in the buffer, is not: "`A[0, 1]` and `A[1,
// 0]` would both be at `[1]`". Empty when none was found among the first.
std::string two_in_one_place(const std::vector<LoopRange>& iters, const Array<Expr>& next,
                             const Array<Expr>& old, const Buffer& buffer);

// Does `old` have the same values in iterations where `next` has the same? Counted, where they are
// few; else false.
bool equal_together(const std::vector<LoopRange>& iters, const Array<Expr>& next, const Array<Expr>& old);

// The witness as a note, when there is one.
void add_witness(Error& error, const std::string& witness);

}  // namespace mlc::transform
