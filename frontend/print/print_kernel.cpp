// SPDX-License-Identifier: Apache-2.0
// Statements of the kernel dialect: scope ids, hints, tile primitives.
#include <algorithm>

#include "frontend/print/printer.h"
#include "ir/tir/op.h"

namespace mlc::print {

using namespace ir;  // NOLINT: the printer speaks of nothing else

namespace {

using ir::view;

std::string_view id_function(int32_t binding) {
  static constexpr std::string_view names[] = {
      "cluster_id",    "cta_id",  "cta_id_in_cluster", "warpgroup_id",    "warp_id",
      "warp_id_in_wg", "lane_id", "thread_id",         "thread_id_in_wg", "cta_id_in_pair"};
  return names[binding];
}

std::string_view tile_namespace(const ExecScope& scope) {
  static constexpr std::string_view names[] = {"cluster", "cta", "wg", "warp",
                                               "tile"};  // what runs where nothing is said
  return names[scope->scope_kind - static_cast<int32_t>(ScopeKind::kCluster)];
}

std::vector<std::pair<String, Any>> sorted(const Map<String, Any>& map) {
  std::vector<std::pair<String, Any>> items(map.begin(), map.end());
  std::sort(items.begin(), items.end(),
            [](const auto& a, const auto& b) { return view(a.first) < view(b.first); });
  return items;
}

}  // namespace

// `bx, by = T.cta_id([2, 3])`
void Printer::scope_ids(const ScopeIdDefStmtNode* s) {
  if (classic()) not_classic("the numbers of blocks, warps and threads of a kernel");
  const ScopeIdDefNode& def = *s->def;
  line();
  Capture right(*this);  // extents first: what they need is declared before this line
  tir(id_function(def.scope));
  put("(");
  std::string_view separator;
  At at(*this, "def");
  auto list = [&](std::string_view prefix, const char* field, const Array<Expr>& extents) {
    if (extents.empty()) return;
    put(separator, prefix, "[");
    exprs(field, extents);
    put("]");
    separator = ", ";
  };
  list("", "extents", def.extents);
  list("preferred=", "preferred_extents", def.preferred_extents);
  DataType dtype = def.def_ids[0]->dtype();
  if (!(dtype == DataType::Int(32))) {
    put(separator, "dtype=");
    dtype_literal(dtype);
  }
  put(")");
  std::string text = right.take();
  for (size_t i = 0; i < def.def_ids.size(); ++i) {
    const VarNode* id = def.def_ids[static_cast<int64_t>(i)].get();
    put(i ? ", " : "", names_.define(id, view(id->name)));
  }
  put(" = ", text);
  end_line();
}

// `T.hint("message", key=value)`
void Printer::hint(const Map<String, Any>& attrs) {
  if (classic()) not_classic("a hint");
  call_of("hint", [&] {
    std::string_view separator;
    for (const auto& [key, item] : attrs) {
      if (view(key) != "message") continue;
      value(item);
      separator = ", ";
    }
    for (const auto& [key, item] : attrs) {
      if (view(key) == "message") continue;
      put(separator, view(key), "=");
      value(item);
      separator = ", ";
    }
  });
}

// `T.cta.copy(dst, src, workspace={...}, dispatch="name", setting=value)`. A source equal to the
// destination is left out where it is the last argument.
void Printer::tile_primitive(const TilePrimitiveCallNode* s) {
  if (classic()) not_classic("tile primitives");
  line();
  size_t count = s->args.size();
  while (count > 0 && s->args[static_cast<int64_t>(count) - 1] == nullptr) --count;
  if (count == 2) {
    // Another buffer of the same type has an equal region.
    auto* target = s->args[0].as<TensorRegionNode>();
    auto* source = s->args[1].as<TensorRegionNode>();
    bool same = target && source && target->source.same_as(source->source);
    if (same && structural_equal(s->args[0], s->args[1])) count = 1;
  }
  std::string_view name = op_row(s->op.get()).spelling;
  tir(tile_namespace(s->scope));
  put(".", name, "(");
  std::string_view separator;
  for (size_t i = 0; i < count; ++i) {
    put(separator);
    separator = ", ";
    At at(*this, "args", static_cast<int64_t>(i));
    const Any& arg = s->args[static_cast<int64_t>(i)];
    if (auto lambda = arg.as<LambdaExprNode>()) {
      lambda_expr(lambda);
    } else {
      value(arg);
    }
  }
  if (!s->workspace.empty()) {
    put(separator, "workspace={");
    separator = "";
    for (const auto& [key, item] : sorted(s->workspace)) {
      put(separator, literal(view(key)), ": ");
      value(item);
      separator = ", ";
    }
    put("}");
    separator = ", ";
  }
  if (!s->dispatch.empty()) {
    put(separator, "dispatch=", literal(view(s->dispatch)));
    separator = ", ";
  }
  for (const auto& [key, item] : sorted(s->config)) {
    put(separator, view(key), "=");
    value(item);
    separator = ", ";
  }
  put(")");
  end_line();
}

void Printer::lambda_expr(const LambdaExprNode* node) {
  lambda(node, node->vars, [&] { expr(node->pred); });
}

}  // namespace mlc::print
