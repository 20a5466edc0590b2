// SPDX-License-Identifier: Apache-2.0
// The classes of operators' attributes, `tvm.relax.op.op_attrs.SoftmaxAttrs(axis)`, from the rows of the
// operators.
#include <deque>
#include <map>

#include "frontend/tvmscript/builder/arguments.h"
#include "ir/core/attrs.h"
#include "ir/relax/operator.h"

namespace mlc::tvmscript {

namespace {

// An operator that has attributes of each type, by the name of the type.
const std::map<std::string, const relax::Operator*>& types_of_attrs() {
  static const auto types = [] {
    std::map<std::string, const relax::Operator*> all;
    for (const relax::Operators* file : relax::all_operators()) {
      for (const relax::Operator& row : file->rows)
        if (!row.attrs.type.empty()) all.emplace(attrs_type_key(row), &row);
    }
    return all;
  }();
  return types;
}

Any op_attrs(ApiCall& call) {
  std::string type_key(call.api.row.type_key);
  Map<String, Any> values;
  size_t i = 0;
  for (const relax::AttrRow& attr : types_of_attrs().at(type_key)->attrs.span())
    values.Set(String(std::string(attr.name)), relax::attr_arg(call, i++, attr.kind));
  return Any(ir::make<ir::OpAttrsNode>(String(type_key), values));
}

}  // namespace

std::span<const ir::ApiRow> op_attrs_rows() {
  static const std::vector<ir::ApiRow> rows = [] {
    static std::deque<std::string> texts;
    auto kept = [](std::string text) -> std::string_view { return texts.emplace_back(std::move(text)); };
    std::vector<ir::ApiRow> all;
    for (const auto& [type_key, row] : types_of_attrs()) {
      std::vector<std::string_view> names;
      for (const relax::AttrRow& attr : row->attrs.span()) names.push_back(attr.name);
      all.push_back({ir::ApiKind::kClass, "tvm.relax.op.op_attrs",
                     kept(fmt::format("{}({})", row->attrs.type, fmt::join(names, ", "))),
                     kept(fmt::format("The attributes of calls of `{}`.", operator_name(*row))), op_attrs,
                     type_key});
    }
    return all;
  }();
  return rows;
}

}  // namespace mlc::tvmscript
