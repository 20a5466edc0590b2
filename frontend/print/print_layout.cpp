// SPDX-License-Identifier: Apache-2.0
// Layouts: `T.TileLayout(T.S[(8, 4):(4 @ Axis.laneid, 1)] + T.R[2:1 @ Axis.warpid] + 5)`.
#include <algorithm>

#include "frontend/print/printer.h"
#include "ir/tir/layout.h"

namespace mlc::print {

using namespace ir;  // NOLINT: the printer speaks of nothing else

namespace {

using ir::view;

}  // namespace

// A value on an axis; memory goes without saying.
void Printer::on_axis(const Expr& value, std::string_view axis, bool in_sum) {
  if (axis == "m") {
    in_sum ? operand(value, Binding::kSum) : expr(value);
    return;
  }
  operand(value, Binding::kProduct);
  put(" @ Axis.", axis);
}

// `T.S[extents:strides]`; a single iterator stands without parentheses.
void Printer::iters(std::string_view kind, const Array<Iter>& all) {
  tir(kind);
  bool several = all.size() != 1;
  put("[", several ? "(" : "");
  list(all, [&](const Iter& iter, int64_t) { expr(iter->extent); });
  put(several ? "):(" : ":");
  list(all, [&](const Iter& iter, int64_t) { on_axis(iter->stride, view(iter->axis->name), false); });
  put(several ? ")]" : "]");
}

void Printer::tile_layout(const TileLayoutNode* layout) {
  tir("TileLayout");
  std::vector<std::pair<String, Expr>> offset;
  for (const auto& [key, value] : layout->offset) offset.emplace_back(key, value);
  if (layout->shard.empty() && layout->replica.empty()) {
    put(".from_iters(");
    for (size_t i = 0; i < offset.size(); ++i) {
      put(i ? ", " : "offset={", literal(view(offset[i].first)), ": ");
      expr(offset[i].second);
    }
    return put(offset.empty() ? ")" : "})");
  }
  std::sort(offset.begin(), offset.end(),
            [](const auto& a, const auto& b) { return view(a.first) < view(b.first); });
  put("(");
  if (!layout->shard.empty()) iters("S", layout->shard);
  if (!layout->replica.empty()) {
    if (!layout->shard.empty()) put(" + ");
    iters("R", layout->replica);
  }
  if (!offset.empty()) {
    put(" + ");
    // On the right of a `+` a sum is one operand.
    auto term = [&](const String& axis, const Expr& value, bool right) {
      bool apart = right && view(axis) == "m" && binding(value) == Binding::kSum;
      if (!apart) return on_axis(value, view(axis), true);
      put("(");
      expr(value);
      put(")");
    };
    if (offset.size() > 1) put("(");
    for (size_t i = 0; i < offset.size(); ++i) {
      if (i) put(" + ");
      term(offset[i].first, offset[i].second, i > 0 || offset.size() == 1);
    }
    if (offset.size() > 1) put(")");
  }
  put(")");
}

void Printer::layout(const ObjectRef& layout) {
  if (!layout.defined()) return put("None");
  if (auto* tile = layout.as<TileLayoutNode>()) return tile_layout(tile);
  auto* compose = layout.as<ComposeLayoutNode>();
  if (!compose) throw Error("not-printable", "a layout of type `{}` has no text form", layout.GetTypeKey());
  tir("ComposeLayout");
  put("(", std::to_string(compose->per_element), ", ", std::to_string(compose->swizzle_len), ", ");
  put(std::to_string(compose->atom_len), ", ");
  tile_layout(compose->tile_layout.get());
  put(compose->swizzle_inner ? ")" : ", swizzle_inner=False)");
}

}  // namespace mlc::print
