// SPDX-License-Identifier: Apache-2.0
// MLC_MUTANT=N turns mutant N on. MLC_MUTANTS_REACHED=FILE appends `N reached` or `N differs` to the file the first
// time that happens in a process: at once, so that neither a crash nor a fork loses it.
#include "ir/core/mutation_switch.h"

#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace mlc_mutation {

constexpr int kMost = 100000;
unsigned char mutants[kMost];

namespace {

// Before what other files compute at start.
[[gnu::constructor(101)]] void read_environment() {
  if (std::getenv("MLC_MUTANTS_REACHED") != nullptr) std::memset(mutants, kNoteReached | kNoteDiffers, kMost);
  const char* active = std::getenv("MLC_MUTANT");
  int mutant = active == nullptr ? -1 : std::atoi(active);
  if (mutant >= 0 && mutant < kMost) mutants[mutant] |= kActive;
}

void note(int mutant, const char* event) {
  char line[40];
  int size = std::snprintf(line, sizeof line, "%d %s\n", mutant, event);
  int file = open(std::getenv("MLC_MUTANTS_REACHED"), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
  if (file < 0 || write(file, line, size) != size) std::abort();
  close(file);
}

}  // namespace

bool is_active(int mutant) {
  if ((mutants[mutant] & kNoteReached) != 0) {
    mutants[mutant] &= ~kNoteReached;
    note(mutant, "reached");
  }
  return (mutants[mutant] & kActive) != 0;
}

void note_difference(int mutant) {
  if ((mutants[mutant] & kNoteDiffers) == 0) return;
  mutants[mutant] &= ~kNoteDiffers;
  note(mutant, "differs");
}

}  // namespace mlc_mutation
