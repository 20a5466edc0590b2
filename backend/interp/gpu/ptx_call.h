// SPDX-License-Identifier: Apache-2.0
// A call of a PTX instruction, taken apart by its form: modifiers by slot, operands by name.
#pragma once

#include "ir/core/expr.h"
#include "ir/tir/ptx_forms.h"

namespace mlc::interp {

class PtxCall {
 public:
  // `name`: of the operator. Error: interpret-unsupported where the call is of no form.
  PtxCall(const ir::CallNode* node, std::string_view name);

  const ir::CallNode* node() const { return node_; }
  ir::Span span() const { return node_->span; }
  std::string_view row() const { return form_->row->name; }
  std::string text() const;                                // "T.ptx.mbarrier.arrive"
  std::string_view modifier(std::string_view slot) const;  // empty: left out
  // Refuses a modifier that is there, or is none of those named ("a b c").
  void without(std::string_view slot) const;
  void only(std::string_view slot, std::string_view choices) const;
  bool has(std::string_view operand) const { return !all(operand).empty(); }
  // The registers of an operand, in order; null: the result is discarded.
  std::span<const ir::Expr> all(std::string_view operand) const;
  const ir::Expr& one(std::string_view operand) const;
  int64_t constant(std::string_view operand) const;
  const ir::Expr& predicate() const { return predicate_; }  // null: always

 private:
  const ir::CallNode* node_;
  const ir::PtxForm* form_;
  ir::PtxModifiers modifiers_;
  std::vector<std::string> texts_;
  std::vector<std::pair<std::string_view, std::vector<ir::Expr>>> operands_;
  ir::Expr predicate_;
};

}  // namespace mlc::interp
