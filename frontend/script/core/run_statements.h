// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "frontend/script/core/evaluator.h"
#include "frontend/syntax/ast.h"

namespace mlc::script {

// Runs statements that stand in a row in a tree, as Evaluator::run_source() a text: the program a part at a
// time, without reading it again. Each at most once. `typed`: as Evaluator::evaluate_repl(), with the value
// of a last expression.
Any run_statements(Evaluator& evaluator, const std::shared_ptr<const syntax::Tree>& tree,
                   syntax::Seq<syntax::Stmt> statements, bool typed = false);

}  // namespace mlc::script
