// SPDX-License-Identifier: Apache-2.0
#include "ir/relax/operator.h"

#include <algorithm>
#include <limits>
#include <unordered_map>

#include "ir/core/attrs.h"
#include "ir/relax/operator_call.h"
#include "ir/tir/op.h"

namespace mlc::relax {

static constexpr ir::Refusals refusals{
    "AttributeError+ValueError",
    {
        {.name = "unknown-operator", .message = "there is no operator `{}`"},
        {.name = "missing-attribute",
         .kind = "ValueError",
         .message = "a call of `{}` without its attribute `{}`"},
    }};
MLC_REFUSALS(relax_operator, refusals);

namespace {

struct Table {
  struct Entry {
    const Operator* row;
    ir::Op object;
  };
  std::unordered_map<std::string, Entry> by_name;
  std::unordered_map<const ir::OpNode*, const Operator*> row_of;

  Table() {
    for (const Operators* file : all_operators()) {
      for (const Operator& row : file->rows) {
        if (row.sugar) continue;
        std::string name = operator_name(row);
        ir::Op one = make<ir::OpNode>(String(name));
        MLC_CHECK(by_name.emplace(name, Entry{&row, one}).second, "two operators `{}`", name);
        row_of[one.get()] = &row;
      }
    }
  }
};
const Table& table() {
  static const Table built;
  return built;
}

// The attributes whose integers scripts see as primitive expressions.
constexpr std::string_view kPrimitive[] = {"indices_or_sections"};

template <class F>
Map<String, Any> with_primitive(const Operator& row, Map<String, Any> attrs, const F& convert) {
  for (const AttrRow& attr : row.attrs.span()) {
    if (std::find(std::begin(kPrimitive), std::end(kPrimitive), attr.name) == std::end(kPrimitive)) continue;
    String name{std::string(attr.name)};
    auto found = attrs.find(name);
    if (found == attrs.end()) continue;
    Any value = (*found).second;
    if (auto several = value.as<Array<Any>>()) {
      Array<Any> all;
      for (const Any& one : *several) all.push_back(convert(one));
      attrs.Set(name, all);
    } else {
      attrs.Set(name, convert(value));
    }
  }
  return attrs;
}

}  // namespace

std::string operator_name(const Operator& row) { return "relax." + std::string(row.short_name()); }
std::string attrs_type_key(const Operator& row) {
  return row.attrs.type.empty() ? std::string() : "relax.attrs." + std::string(row.attrs.type);
}
std::pair<size_t, size_t> operand_count(const Operator& row) {
  size_t least = 0, most = 0;
  std::string_view signature = row.signature;
  auto attrs = row.attrs.span();
  int depth = 0;
  for (size_t i = 0; i < signature.size(); ++i) {
    char c = signature[i];
    bool begins = depth == (c == '(' ? 0 : 1) && (c == '(' || c == ',');
    if (c == '(' || c == '[') ++depth;
    if (c == ')' || c == ']') --depth;
    if (!begins || (row.operands >= 0 && most == static_cast<size_t>(row.operands))) continue;
    size_t first = signature.find_first_not_of(' ', i + 1);
    if (signature[first] == '*') return {least, std::numeric_limits<size_t>::max()};
    size_t end = signature.find_first_of(",=)", first);
    std::string_view name = signature.substr(first, end - first);
    bool attribute = std::any_of(attrs.begin(), attrs.end(), [&](const AttrRow& attr) { return attr.name == name; });
    if (name.empty() || attribute) continue;
    ++most;
    if (signature[end] != '=') least = most;
  }
  return {least, most};
}
Map<String, Any> held_attrs(const Operator& row, Map<String, Any> attrs) {
  return with_primitive(row, std::move(attrs), [](const Any& one) {
    auto* imm = one.as<ir::IntImmNode>();
    return imm ? Any(imm->value) : one;
  });
}
Any attrs_of_call(const CallNode* call) {
  if (call->attrs.empty()) return nullptr;
  const Operator* row = operator_of(call->op);
  if (row == nullptr || row->attrs.type.empty()) return Any(make<ir::DictAttrsNode>(call->attrs));
  Map<String, Any> shown = with_primitive(*row, call->attrs, [](const Any& one) {
    auto number = one.as<int64_t>();
    return number ? Any(ir::int_imm(DataType::Int(64), *number)) : one;
  });
  return Any(make<ir::OpAttrsNode>(attrs_type_key(*row), shown));
}

const Operator* find_operator(std::string_view name) {
  auto found = table().by_name.find(std::string(name));
  return found == table().by_name.end() ? nullptr : found->second.row;
}
const Operator* operator_of(const Expr& callee) {
  auto* op = ir::as<ir::OpNode>(callee);
  if (!op) return nullptr;
  auto found = table().row_of.find(op);
  return found == table().row_of.end() ? nullptr : found->second;
}

ir::Op op(std::string_view name) {
  auto found = table().by_name.find(std::string(name));
  if (found != table().by_name.end()) return found->second.object;
  std::vector<std::string> names;
  for (const auto& [known, entry] : table().by_name) names.push_back(known);
  std::sort(names.begin(), names.end());
  throw ir::refuse(refusals["unknown-operator"], name).help(ir::did_you_mean(name, names));
}

Call make_call(std::string_view name, Array<Expr> args, Map<String, Any> attrs, Array<Type> ty_args,
               Span span) {
  return make<CallNode>(Type(nullptr), Expr(op(name)), std::move(args), std::move(attrs), span,
                        std::move(ty_args));
}

Any attr(const CallNode* call, std::string_view name) {
  auto found = call->attrs.find(String(std::string(name)));
  if (found != call->attrs.end()) return (*found).second;
  auto* op = ir::as<ir::OpNode>(call->op);
  throw ir::refuse(refusals["missing-attribute"], op ? view(op->name) : "a function", name).at(call->span);
}
int64_t int_attr(const CallNode* call, std::string_view name) { return attr(call, name).cast<int64_t>(); }
bool bool_attr(const CallNode* call, std::string_view name) { return attr(call, name).cast<bool>(); }
double float_attr(const CallNode* call, std::string_view name) { return attr(call, name).cast<double>(); }
std::string string_attr(const CallNode* call, std::string_view name) {
  Any value = attr(call, name);
  return value == nullptr ? std::string() : std::string(view(value.cast<String>()));
}
DataType dtype_attr(const CallNode* call, std::string_view name) {
  Any value = attr(call, name);
  return value == nullptr ? DataType::Void() : DataType(value.cast<DLDataType>());
}
std::vector<int64_t> ints_attr(const CallNode* call, std::string_view name) {
  std::vector<int64_t> all;
  for (const Any& each : attr(call, name).cast<Array<Any>>()) all.push_back(each.cast<int64_t>());
  return all;
}
std::optional<std::vector<int64_t>> optional_ints_attr(const CallNode* call, std::string_view name) {
  if (attr(call, name) == nullptr) return std::nullopt;
  return ints_attr(call, name);
}
std::optional<int64_t> optional_int_attr(const CallNode* call, std::string_view name) {
  Any value = attr(call, name);
  if (value == nullptr) return std::nullopt;
  return value.cast<int64_t>();
}

}  // namespace mlc::relax
