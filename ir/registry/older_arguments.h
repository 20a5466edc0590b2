// SPDX-License-Identifier: Apache-2.0
// Arguments as older versions took them, of functions that take them otherwise today.
#pragma once

#include <optional>
#include <vector>

#include "ir/registry/api.h"

namespace mlc::ir {

// What a call gave, in today's form.
struct RenewedArguments {
  std::vector<Any> positional;
  std::vector<std::pair<std::string_view, Any>> keywords;
  std::vector<Span> positional_spans, keyword_spans;

  ApiArguments view(Span span) const { return {positional, keywords, span, positional_spans, keyword_spans}; }
};

// Nothing for a call that is in today's form already.
std::optional<RenewedArguments> renewed_arguments(const Api& api, const ApiArguments& given);

// Is a keyword of a function of today's module without effect? `is_size_var` of `T.int64`.
bool is_idle_keyword(std::string_view module, std::string_view name, std::string_view keyword);
// What a keyword of such a function is called today, or "": `dtype` of `tir.Var` is `ty`.
std::string_view renamed_keyword(std::string_view module, std::string_view name, std::string_view keyword);

}  // namespace mlc::ir
