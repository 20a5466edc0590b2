// SPDX-License-Identifier: Apache-2.0
#include "backend/artefact/entry_text.h"

#include "ir/core/visit.h"

namespace mlc::backend {

using ir::DataType;
using ir::Expr;
using ir::Var;
using ir::VarNode;

std::string extent_text(const Expr& e, const std::function<std::string(const VarNode*)>& named, bool typed,
                        bool inside) {
  if (auto value = ir::const_int(e)) {
    if (typed && inside && e->dtype() != DataType::Int(32))
      return fmt::format("T.{}({})", e->dtype().str(), *value);
    return std::to_string(*value);
  }
  if (auto* var = ir::as<VarNode>(e)) return named(var);
  const ir::BinaryNode* binary = ir::as_binary(e);
  if (binary == nullptr) return "?";
  std::string a = extent_text(binary->a, named, typed, true);
  std::string b = extent_text(binary->b, named, typed, true);
  static constexpr std::tuple<ir::ExprKind, std::string_view, std::string_view> forms[] = {
      {ir::ExprKind::kAdd, "{} + {}", "{} + {}"},
      {ir::ExprKind::kSub, "{} - {}", "{} - {}"},
      {ir::ExprKind::kMul, "{} * {}", "{} * {}"},
      {ir::ExprKind::kFloorDiv, "{} // {}", "floordiv({}, {})"},
      {ir::ExprKind::kFloorMod, "{} % {}", "floormod({}, {})"},
      {ir::ExprKind::kMin, "T.min({}, {})", "min({}, {})"},
      {ir::ExprKind::kMax, "T.max({}, {})", "max({}, {})"}};
  for (const auto& [kind, in_script, bare] : forms)
    if (kind == binary->kind) return fmt::format(fmt::runtime(typed ? in_script : bare), a, b);
  return "?";
}
std::string own_name(const VarNode* var) { return std::string(var->name); }

std::string signature_text(const std::string& name, const std::vector<Var>& params) {
  std::string text = name + "(";
  for (size_t i = 0; i < params.size(); ++i) {
    const Var& param = params[i];
    text += (i == 0 ? "" : ", ") + std::string(param->name) + ": ";
    const ir::BufferTypeNode* type = param->buffer();
    if (type == nullptr) {
      text += (param->dtype().is_handle() ? "T." : "") + param->dtype().str();
      continue;
    }
    text += "Tensor([";
    for (size_t d = 0; d < type->shape.size(); ++d)
      text += (d == 0 ? "" : ", ") + extent_text(type->shape[static_cast<int64_t>(d)], own_name, true);
    text += "], " + DataType(type->dtype).str() + ")";
  }
  return text + ")";
}

}  // namespace mlc::backend
