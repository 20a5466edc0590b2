// SPDX-License-Identifier: Apache-2.0
// Where two values first differ, shown in the text of both.
#include <array>

#include "frontend/print/print.h"
#include "ir/core/freeze.h"
#include "ir/core/module.h"
#include "ir/core/refusal.h"
#include "ir/registry/api.h"

namespace mlc::print {

static constexpr ir::Refusals refusals{
    "ValueError",
    {
        {.name = "not-structurally-equal",
         .message = "StructuralEqual check failed, caused by lhs at {}:\n{}\nand rhs at {}:\n{}",
         .meaning = "Two programs differ; the message shows the first difference in both."},
    }};
MLC_REFUSALS(print_mismatch, refusals);

using namespace ir;  // NOLINT: rows of the api speak of IR values

namespace {

using Mismatch = std::optional<std::pair<AccessPath, AccessPath>>;

Mismatch mismatch_of(ApiCall& call) {
  if (call.args[0] == nullptr && call.args[1] == nullptr) return std::nullopt;
  return first_mismatch(freeze(call.args[0]), freeze(call.args[1]), detail::argument<bool>(call, 2));
}

// The text of a value with carets under what stands at `path`.
std::string underlined(ApiCall& call, const Any& given, const AccessPath& path) {
  Any value = freeze(given);
  auto unseen = [&path](const std::string& text) {
    return fmt::format(
        "Access path: {}\nNote: No visible object for this path is rendered in TVMScript.\n\n{}",
        path_text(path), text);
  };
  if (value == nullptr) return unseen("None");
  if (auto array = value.as<Array<Any>>()) {  // a tuple, not what a list is in a function
    std::string text = text_of(value);
    return unseen("(" + text.substr(1, text.size() - 2) + (array->size() == 1 ? ",)" : ")"));
  }
  if (value.as<ffi::MapObj>()) return unseen(text_of(value));
  // Sums of iterators are no part of programs: they are shown as a session shows them.
  if (value.GetTypeKey().starts_with("mlc.sym.")) return unseen(call.host.repr(value));
  if (!printable(value)) return text_of(value);
  PrintOptions options;
  options.syntax_sugar = false;
  options.underline_paths = {path};
  return script(value, options);
}

Any assert_structural_equal(ApiCall& call) {
  Mismatch at = mismatch_of(call);
  if (!at) return nullptr;
  const auto& [left, right] = *at;
  throw ir::refuse(refusals["not-structurally-equal"], path_text(left), underlined(call, call.args[0], left),
                   path_text(right), underlined(call, call.args[1], right))
      .at(call.span);
}

Any get_first_structural_mismatch(ApiCall& call) {
  Mismatch at = mismatch_of(call);
  if (!at) return nullptr;
  return Array<Any>{at->first, at->second};
}

}  // namespace

std::span<const ApiRow> mismatch_rows() {
  static constexpr std::array<ApiRow, 2> rows = {{
      {ApiKind::kFunction, "tvm.ir", "assert_structural_equal(lhs, rhs, map_free_vars=False)",
       "Raises ValueError with both texts and carets where they first differ.", assert_structural_equal},
      {ApiKind::kFunction, "tvm.ir", "get_first_structural_mismatch(lhs, rhs, map_free_vars=False)",
       "Where the two first differ, as a pair of paths; None when they are equal.",
       get_first_structural_mismatch},
  }};
  return rows;
}

}  // namespace mlc::print
