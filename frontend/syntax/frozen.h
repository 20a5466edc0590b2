// SPDX-License-Identifier: Apache-2.0
// Syntax trees as bytes. The modules of the library are parsed when the program is built; to read the bytes
// takes a tenth of the time of parsing their texts.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "frontend/syntax/ast.h"

namespace mlc::syntax {

// The tree of a module: its names, then each node as its kind and its fields, those of fields.h.
std::string freeze(const Tree& tree);

// Do the two say the same, wherever it stands in their texts?
bool same_but_places(const Tree& a, const Tree& b);

// The tree of which `frozen` is the form, at the same places of the file `file_id`. The bytes are those of
// freeze(), not checked, and outlive the tree: texts of constants point into them.
std::shared_ptr<const Tree> thaw(std::string_view frozen, uint32_t file_id);

}  // namespace mlc::syntax
