// SPDX-License-Identifier: Apache-2.0
// How an IR node is declared: a struct of plain fields plus one list that names each field and its role.
// Structural equality, hash, JSON, script attributes, walking and rewriting all follow from that list.
#pragma once

#include "ir/core/object.h"

namespace mlc::ir {

// What a field means to equality, hashing, and renaming.
enum class Role : uint8_t {
  kUse,      // compared; variables in it refer to definitions elsewhere
  kBinder,   // defines the variable(s) in it; their types are uses
  kPattern,  // defines the variable(s) in it and the free variables of their types (parameters)
  kIgnore,   // not part of the meaning: names, spans
};

}  // namespace mlc::ir
