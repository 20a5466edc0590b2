// SPDX-License-Identifier: Apache-2.0
// The tree of a program that is being typed: as good as its mistakes allow.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "frontend/syntax/ast.h"
#include "frontend/syntax/reuse.h"
#include "ir/core/error.h"

namespace mlc::lsp {

struct Reading {
  std::shared_ptr<const syntax::Tree> tree;         // never null; offsets are those of the text
  std::vector<ir::Diagnostic> problems;             // of the text as it stands
  std::vector<std::pair<size_t, size_t>> left_out;  // lines that the tree does not have
};

// Reads into the source map in force. Lines in which a mistake was seen are replaced by statements of the
// same length that do nothing, a header by one that opens a block, until the rest parses. `last` is what was
// read of the text before its last change, then what is read now.
Reading read_broken(const std::string& text, syntax::LastReading& last);

}  // namespace mlc::lsp
