// SPDX-License-Identifier: Apache-2.0
// What a program does and hardly means: warnings of `mlc check`, found in the text alone. Definitions of the
// IR are left to their own verifier.
#pragma once

#include <string>
#include <vector>

#include "frontend/syntax/ast.h"
#include "ir/core/error.h"

namespace mlc::review {

// In order of place. `builtins`: the names that mean something before the program binds them; `handle_makers`: the
// methods of a schedule that return loops or blocks.
std::vector<ir::Diagnostic> warnings_of(const syntax::Module& module,
                                        const std::vector<std::string>& builtins,
                                        const std::vector<std::string>& handle_makers);

// The parts, each for one mistake. unused-handle: a block or loop of a schedule that is named and never
// looked at.
void find_unused_handles(syntax::Seq<syntax::Stmt> body, const std::vector<std::string>& handle_makers,
                         std::vector<ir::Diagnostic>& found);
// shadowed-name: a module or builtin whose name now means something else, used as if it did not.
void find_shadowed_names(syntax::Seq<syntax::Stmt> body, const std::vector<std::string>& builtins,
                         std::vector<ir::Diagnostic>& found);
// unreachable-code: what stands after a statement that never ends.
void find_unreachable(syntax::Seq<syntax::Stmt> body, std::vector<ir::Diagnostic>& found);

// undefined-name: a name that nothing in the file binds. too-many-arguments, missing-argument,
// unknown-keyword: a call that does not fit the function of the file it names.
void find_undefined_names(syntax::Seq<syntax::Stmt> body, const std::vector<std::string>& builtins,
                          std::vector<ir::Diagnostic>& found);

// The names that an import binds, each with its alias; none for other statements.
template <class F>
void each_import(const syntax::Stmt& stmt, F act) {
  syntax::Seq<syntax::Alias> names;
  if (auto* import = syntax::as<syntax::Import>(&stmt)) names = import->names;
  if (auto* import = syntax::as<syntax::ImportFrom>(&stmt)) names = import->names;
  for (const syntax::Alias* alias : names) act(alias->asname ? alias->asname : alias->first, *alias);
}
template <class F>
void each_parameter(const syntax::Arguments& args, F act) {
  for (syntax::Seq<syntax::Arg> list : {args.posonlyargs, args.args, args.kwonlyargs})
    for (const syntax::Arg* arg : list) act(*arg);
  for (const syntax::Arg* arg : {args.vararg, args.kwarg})
    if (arg != nullptr) act(*arg);
}

// Is it a definition of the IR: `@T.prim_func`, `@R.function`, `@I.ir_module`, a macro?
bool defines_ir(syntax::Seq<syntax::Expr> decorators);
ir::Diagnostic warning(std::string_view name, std::string message, ir::Span span);

}  // namespace mlc::review
