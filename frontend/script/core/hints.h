// SPDX-License-Identifier: Apache-2.0
// What would probably work instead: one suggestion beside an error, where there is a good one.
#pragma once

#include "frontend/script/core/machine.h"

namespace mlc::script {

// The operator at `op.span` failed: says the operands, and how to bring them together.
void operator_failed(ir::Error& error, Evaluator& evaluator, const syntax::BinOp& op, const Any& left,
                     const Any& right);
// `object[index]` failed: says the index and what there is.
void subscript_failed(ir::Error& error, Evaluator& evaluator, const syntax::Subscript& subscript,
                      const Any& object, const Any& index);
// What to write for `name`, which this object has not; "" where nothing is known. Names that other languages
// use, and other types of this one.
std::string attribute_hint(Evaluator& evaluator, const Any& object, std::string_view name);
// `object` was None: notes the assignment that made it so, if that is plain.
void note_none(ir::Error& error, Evaluator& evaluator, const syntax::Expr* object);
// The same for the object whose attribute at `span` was asked for.
void note_origin_of_none(ir::Error& error, Evaluator& evaluator, ir::Span span);
// What to write instead of a call of this value; "" where nothing is known.
std::string call_hint(Evaluator& evaluator, const Any& callee);
// The keyword nearest to one that is not accepted, or those there are.
std::string keyword_hint(std::string_view name, const std::vector<std::string>& accepted);
// The key nearest to one that is missing: "did you mean `...`?", or "".
std::string key_hint(Evaluator& evaluator, const Any& dict, const Any& key);

}  // namespace mlc::script
