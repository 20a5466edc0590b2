// SPDX-License-Identifier: Apache-2.0
// Definitions that are built where they are used: @T.inline and @T.macro, whose statements are put in place
// of a call, and @T.jit, a function for which compile-time parameters are still missing.
#pragma once

#include "frontend/script/core/captured_scope.h"
#include "frontend/tvmscript/builder/builder.h"

namespace mlc::tvmscript {

struct InlineNode final : ffi::Object {
  const syntax::FunctionDef* definition;
  bool hygienic;                                 // names are those around the definition, not the use
  std::shared_ptr<script::NameScope> around;     // what the definition sees; null inside a prim_func
  const Builder* owner = nullptr;                // the prim_func that it is defined in
  uint64_t home = 0;                             // the names of the owner, or of an expansion, that it sees
  size_t depth = 0;                              // as many scopes of them
  std::vector<std::pair<Symbol, Any>> defaults;  // of parameters, evaluated once
  size_t uses = 0;                               // names of blocks get `_1`, `_2` from the second use on
  bool graph = false;                            // under `@R.macro`: a value of a function of graphs

  InlineNode(const syntax::FunctionDef* definition, bool hygienic)
      : definition(definition), hygienic(hygienic) {}
  static constexpr bool _type_mutable = true;
  MLC_NODE("mlc.tvmscript.inline", InlineNode, ffi::Object);
};

struct JitNode final : ffi::Object {
  const syntax::FunctionDef* definition;
  FunctionOptions options;
  std::shared_ptr<script::NameScope> around;
  std::vector<Symbol> constants;                                // parameters annotated T.constexpr
  std::vector<Symbol> optional;                                 // parameters annotated T.Optional(...)
  std::vector<std::pair<Symbol, Any>> defaults;                 // of the constants
  std::vector<std::pair<std::vector<Any>, ir::PrimFunc>> made;  // by values, one per name in order

  JitNode(const syntax::FunctionDef* definition, FunctionOptions options)
      : definition(definition), options(options) {}
  static constexpr bool _type_mutable = true;
  MLC_NODE("mlc.tvmscript.TIRJit", JitNode, ffi::Object);
};

// The value of a definition under @T.inline or @T.macro outside of functions.
Any make_inline(Evaluator& evaluator, const syntax::FunctionDef& definition, bool hygienic,
                script::Scope where, const Outside& outside = {});
// What the parameters stand for in a call at `span`. Errors missing-argument, too-many-arguments,
// unknown-keyword.
std::vector<std::pair<Symbol, Any>> inline_arguments(const InlineNode& inlined, std::span<const Any> given,
                                                     std::span<const std::pair<std::string, Any>> keywords,
                                                     Span span);
// Is it the decorator of such a definition?
bool is_inline_decorator(std::string_view path);

}  // namespace mlc::tvmscript
