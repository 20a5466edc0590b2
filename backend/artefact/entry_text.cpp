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
  auto called = [&](std::string_view function) { return fmt::format("{}({}, {})", function, a, b); };
  switch (binary->kind) {
    case ir::ExprKind::kAdd:
      return fmt::format("{} + {}", a, b);
    case ir::ExprKind::kSub:
      return fmt::format("{} - {}", a, b);
    case ir::ExprKind::kMul:
      return fmt::format("{} * {}", a, b);
    case ir::ExprKind::kFloorDiv:
      return typed ? fmt::format("{} // {}", a, b) : called("floordiv");
    case ir::ExprKind::kFloorMod:
      return typed ? fmt::format("{} % {}", a, b) : called("floormod");
    case ir::ExprKind::kMin:
      return called(typed ? "T.min" : "min");
    case ir::ExprKind::kMax:
      return called(typed ? "T.max" : "max");
    default:
      return "?";
  }
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
