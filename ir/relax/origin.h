// SPDX-License-Identifier: Apache-2.0
// Types in words, and where a dimension comes from: what messages about types that do not fit are made of.
#pragma once

#include "ir/core/error.h"
#include "ir/relax/infer.h"

namespace mlc::relax {

// "a tensor of float32 with shape (2, 3)", "a tuple of 2", "a number of type int64".
std::string describe(const Type& type);

// Operand i as the program calls it, "`w`", or "operand 2".
std::string operand_text(const CallNode* call, size_t i);
// Where operand i is defined, when it is a variable of the program.
void note_definition(ir::Error& error, const CallNode* call, size_t i);

// Adds a note that leads to the value that fixed dimension `axis` of an operand: back through the bindings that hand it
// on, to the parameter, cast or call that it stands in. Nothing for operands that are no variables.
void explain_dim(ir::Error& error, const Expr& operand, size_t axis, const InferContext& context);
// Of the dimension that is this very expression.
void explain_dim(ir::Error& error, const Expr& operand, const Expr& dim, const InferContext& context);

// Where a value is not of the type that it is declared to have, in words: of a tuple the first element that differs.
struct Clash {
  std::string path;  // "element 1 of ", or nothing
  std::string wanted, given;
};
Clash find_clash(const Type& wanted, const Type& given, const InferContext& context);
// Where the dimensions of the value come from that are not those of `wanted`.
void explain_clash(ir::Error& error, const Expr& value, const Type& wanted, const InferContext& context);

// An argument does not fit its parameter: which symbolic variables of the parameter got their value from which argument
// before, and where the dimensions that differ come from.
void explain_argument(ir::Error& error, const CallNode* call, const FuncTypeNode* fn, size_t i, const ir::VarMap& bound,
                      const InferContext& context);

}  // namespace mlc::relax
