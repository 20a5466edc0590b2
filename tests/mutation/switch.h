// SPDX-License-Identifier: Apache-2.0
// The switch between the program and its mutants, all of which are compiled into it. sites.py writes the calls.
#pragma once
#include <type_traits>

namespace mlc_mutation {

enum : unsigned char { kActive = 1, kNoteReached = 2, kNoteDiffers = 4 };
extern unsigned char mutants[];

bool is_active(int mutant);         // notes that it was reached, where that is asked for
void note_difference(int mutant);  // that what it computes is another value than the right one, at least once

inline bool on(int mutant) { return __builtin_expect(mutants[mutant] != 0, 0) && is_active(mutant); }

// A condition that the mutant takes for `value`. The right one is evaluated either way.
inline bool fixed(int mutant, bool value, bool right) {
  if (__builtin_expect(mutants[mutant] == 0, 1)) return right;
  if (value != right) note_difference(mutant);
  return is_active(mutant) ? value : right;
}

// Either value, both of which can be computed whatever happens.
template <typename Mutated, typename Right>
std::decay_t<decltype(true ? Mutated() : Right())> either(int mutant, Mutated mutated, Right right) {
  if (__builtin_expect(mutants[mutant] == 0, 1)) return right;
  if (mutated != right) note_difference(mutant);
  return is_active(mutant) ? mutated : right;
}

}  // namespace mlc_mutation
