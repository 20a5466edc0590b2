// SPDX-License-Identifier: Apache-2.0
#include "backend/interp/gpu/ptx_call.h"

#include <algorithm>

#include "backend/interp/machine.h"
#include "ir/core/split_words.h"

namespace mlc::interp {

PtxCall::PtxCall(const ir::CallNode* node, std::string_view name) : node_(node) {
  constexpr std::string_view kPrefix = "tirx.ptx.";
  form_ = name.starts_with(kPrefix) ? ir::ptx_form(name.substr(kPrefix.size())) : nullptr;
  if (form_ == nullptr) unsupported(node->span, fmt::format("`{}`", name));
  auto count = static_cast<int64_t>(node->args.size()), slots = static_cast<int64_t>(form_->slots.size());
  if (count < slots + 1) unsupported(node->span, fmt::format("`{}` without its modifiers", name));
  for (int64_t i = count - slots - 1; i < count; ++i) {
    auto* text = ir::as<ir::StringImmNode>(node->args[i]);
    if (text == nullptr) unsupported(node->span, fmt::format("this form of `{}`", name));
    texts_.emplace_back(text->value);
  }
  modifiers_.assign(texts_.begin(), texts_.end() - 1);
  std::string marks = texts_.back();
  std::replace(marks.begin(), marks.end(), ',', ' ');
  int64_t last = count - slots - 1;
  if (ir::has_word(marks, "pred")) predicate_ = node->args[--last];
  int64_t at = 0;
  int lane_at = 0;
  for (const ir::PtxOperand& operand : form_->operands) {
    std::vector<ir::Expr> registers;
    for (int lane = operand.lanes_at(modifiers_); lane > 0; --lane, ++lane_at) {
      if (ir::has_word(marks, fmt::format("s{}", lane_at))) {
        registers.emplace_back();
      } else if (at < last) {
        registers.push_back(node->args[at++]);
      } else {
        unsupported(node->span, fmt::format("`{}` with so few operands", name));
      }
    }
    operands_.emplace_back(operand.name, std::move(registers));
  }
}

std::string PtxCall::text() const {
  std::string text = fmt::format("T.ptx.{}", form_->row->family);
  if (!texts_.empty() && !texts_[0].empty() && texts_[0].find(':') == std::string::npos)
    text += "." + texts_[0];
  return text;
}

std::string_view PtxCall::modifier(std::string_view slot) const {
  for (size_t i = 0; i < form_->slots.size(); ++i)
    if (form_->slots[i].name == slot) return modifiers_[i];
  return {};
}

void PtxCall::without(std::string_view slot) const {
  if (std::string_view given = modifier(slot); !given.empty())
    unsupported(span(), fmt::format("`{}` with `{}`", text(), given));
}

void PtxCall::only(std::string_view slot, std::string_view choices) const {
  std::string_view given = modifier(slot);
  if (!given.empty() && !ir::has_word(choices, given))
    unsupported(span(), fmt::format("`{}` with `{}`", text(), given));
}

std::span<const ir::Expr> PtxCall::all(std::string_view operand) const {
  for (const auto& [name, registers] : operands_)
    if (name == operand) return registers;
  return {};
}

const ir::Expr& PtxCall::one(std::string_view operand) const {
  std::span<const ir::Expr> registers = all(operand);
  if (registers.empty()) unsupported(span(), fmt::format("`{}` without its operand `{}`", text(), operand));
  return registers[0];
}

int64_t PtxCall::constant(std::string_view operand) const {
  auto value = ir::const_int(one(operand));
  if (!value) unsupported(span(), fmt::format("`{}` whose operand `{}` is no constant", text(), operand));
  return *value;
}

}  // namespace mlc::interp
