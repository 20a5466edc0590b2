// SPDX-License-Identifier: Apache-2.0
// Incremental parsing: an editor asks for the tree of nearly the same text at each keystroke. A statement at
// the left margin whose tokens are those of the reading before is copied from its tree, and ANTLR, which
// takes most of the time, sees the other statements alone.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "frontend/syntax/ast.h"

namespace mlc::syntax {

// A reading that found no mistake.
struct LastReading {
  struct Token {
    uint32_t begin, end;
    uint16_t type;
  };
  // What the parser made of the tokens [first, end): one statement, or several with `;` between them.
  struct Statement {
    size_t first, end;
    size_t body_first, body_end;  // in the body of the module
  };

  std::string text;
  std::vector<Token> tokens;
  std::vector<Statement> statements;  // in order of place
  std::shared_ptr<const Tree> tree;   // null: there is none yet
  size_t reused = 0;                  // how many of the statements were those of the reading before
};

// As parse_file of parse.h. Throws what that throws, and `last` stays as it was; else `last` is this reading.
std::shared_ptr<const Tree> parse_file(uint32_t file_id, LastReading& last);

// The statement as a part of another tree, `shift` bytes further on.
const Stmt* copy_statement(const Stmt* stmt, Tree& into, int64_t shift);

}  // namespace mlc::syntax
