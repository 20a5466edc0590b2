// SPDX-License-Identifier: Apache-2.0
#include "ir/tir/result_type.h"

#include <optional>

#include "ir/core/visit.h"
#include "ir/tir/op.h"
#include "ir/tir/stmt.h"

namespace mlc::ir {

namespace {

// Does control never leave the end of the statement?
bool ends_with_return(const Stmt& stmt) {
  if (auto* seq = as<SeqStmtNode>(stmt)) return ends_with_return(seq->seq.back());
  if (auto* branch = as<IfThenElseNode>(stmt))
    return branch->else_case && ends_with_return(branch->then_case) && ends_with_return(branch->else_case);
  if (auto* realize = as<SBlockRealizeNode>(stmt))
    return is_const_int(realize->predicate, 1) && ends_with_return(realize->block->body);
  if (auto* attr = as<AttrStmtNode>(stmt)) return ends_with_return(attr->body);
  return as<ReturnNode>(stmt) != nullptr;
}

}  // namespace

DataType result_type(const PrimFunc& fn) {
  if (fn->ret_type && fn->ret_type->kind == TypeKind::kPrim)
    return static_cast<const PrimTypeNode*>(fn->ret_type.get())->dtype;
  bool says_nothing =
      !fn->ret_type || (fn->ret_type->kind == TypeKind::kTuple &&
                        static_cast<const TupleTypeNode*>(fn->ret_type.get())->elements.empty());
  if (!says_nothing || !ends_with_return(fn->body)) return DataType::Void();
  std::optional<DataType> type;
  bool agree = true;
  post_order(
      fn->body, [](const Expr&) {},
      [&](const Stmt& stmt) {
        auto* given = as<ReturnNode>(stmt);
        if (given == nullptr) return;
        DataType one = given->value ? given->value->dtype() : DataType::Void();
        if (type && *type != one) agree = false;
        type = one;
      });
  return agree && type ? *type : DataType::Void();
}

}  // namespace mlc::ir
