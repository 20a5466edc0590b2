// SPDX-License-Identifier: Apache-2.0
// Threads of scripts (stdlib/python/threading.mlc), which take turns: one runs until it waits, then another
// that can. Each is a generator with a stack of its own.
#pragma once

#include "frontend/script/core/evaluator.h"

namespace mlc::script {

void make_strand(const Any& generator);  // one that has not begun
bool pause_strand();                     // goes back to whoever resumed this thread; false in the first one

// `time.sleep`: others go on meanwhile. False where there are none.
bool sleep_together(Evaluator& evaluator, double seconds);
void run_at_end(Evaluator& evaluator);
void forget_strands(const Evaluator& evaluator);

}  // namespace mlc::script
