// SPDX-License-Identifier: Apache-2.0
// What every thread of a script has of its own: targets and contexts that are entered by `with`.
#pragma once

#include <vector>

#include "ir/core/node.h"

namespace mlc::ir {

// Gives out what is held now and takes in what the argument held: None at a thread's beginning.
using Exchange = void (*)(Any& kept);
void add_own(Exchange exchange);
void exchange_own(std::vector<Any>& kept);

// Of a stack of objects that stand in a vector.
template <class T>
void exchange_stack(std::vector<T>& stack, Any& kept) {
  Array<Any> now(stack.begin(), stack.end());
  stack.clear();
  if (kept != nullptr) {
    for (const Any& one : kept.cast<Array<Any>>()) stack.push_back(one.cast<T>());
  }
  kept = now;
}

}  // namespace mlc::ir
