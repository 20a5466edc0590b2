// SPDX-License-Identifier: Apache-2.0
#include "transform/schedule/layout.h"

#include <cmath>

#include "ir/core/try_get.h"
#include "transform/schedule/refusals.h"

namespace mlc::transform {
namespace {

struct Shown {
  std::string text;
  // Of its operator: 6 times, 5 plus, 4 shifts, 3 to 1 `&`, `^`, `|`, 0 comparisons, -1 not, -2 and, -3 or; 9
  // none.
  int level;
};

using NameOf = std::function<std::string(const Var&)>;

Shown shown(const Expr& e, const NameOf& name_of) {
  if (auto* var = as<VarNode>(e)) return {name_of ? name_of(ref(var)) : std::string(var->name), 9};
  if (auto* number = as<IntImmNode>(e)) {
    std::string text = fmt::format("{}", number->value);
    bool plain = e->dtype() == DataType::Int(32);
    return {plain ? text : fmt::format("T.{}({})", e->dtype().str(), text), 9};
  }
  if (auto* number = as<FloatImmNode>(e)) {
    std::string text = fmt::format("{}", number->value);
    if (!std::isfinite(number->value)) return {fmt::format("T.{}(\"{}\")", e->dtype().str(), text), 9};
    if (text.find_first_of(".en") == std::string::npos) text += ".0";
    return {fmt::format("T.{}({})", e->dtype().str(), text), 9};
  }
  if (auto* cast = as<CastNode>(e))
    return {fmt::format("T.Cast(\"{}\", {})", e->dtype().str(), shown(cast->value, name_of).text), 9};
  auto call = [&](std::string_view name, const Array<Expr>& args) -> Shown {
    std::string text;
    for (const Expr& arg : args) text += (text.empty() ? "" : ", ") + shown(arg, name_of).text;
    return {fmt::format("T.{}({})", name, text), 9};
  };
  if (auto* select = as<SelectNode>(e))
    return call("Select", {select->condition, select->true_value, select->false_value});
  if (auto* not_ = as<NotNode>(e)) {
    Shown a = shown(not_->a, name_of);
    return {"not " + (a.level < 0 ? "(" + a.text + ")" : a.text), -1};
  }
  if (auto* inverted = as<BitwiseNotNode>(e)) {
    Shown a = shown(inverted->a, name_of);
    return {"~" + (a.level < 9 ? "(" + a.text + ")" : a.text), 9};
  }
  if (auto* called = as<CallNode>(e)) {
    auto* op = as<OpNode>(called->op);
    if (op == nullptr) return {type_name(e), 9};
    std::string_view name(op->name.data(), op->name.size());
    return call(name.substr(name.rfind('.') + 1), called->args);
  }
  auto* two = as_binary(e);
  if (!two) return {type_name(e), 9};
  auto infix = [&](const char* op, int level) -> Shown {
    Shown a = shown(two->a, name_of), b = shown(two->b, name_of);
    if (a.level < level) a.text = "(" + a.text + ")";
    if (b.level <= level) b.text = "(" + b.text + ")";
    return {fmt::format("{} {} {}", a.text, op, b.text), level};
  };
  struct Infix {
    ExprKind kind;
    const char* sign;
    int level;
  };
  static constexpr Infix signs[] = {
      {ExprKind::kAdd, "+", 5},        {ExprKind::kSub, "-", 5},        {ExprKind::kMul, "*", 6},
      {ExprKind::kFloorDiv, "//", 6},  {ExprKind::kFloorMod, "%", 6},   {ExprKind::kDiv, "/", 6},
      {ExprKind::kEQ, "==", 0},        {ExprKind::kNE, "!=", 0},        {ExprKind::kLT, "<", 0},
      {ExprKind::kLE, "<=", 0},        {ExprKind::kGT, ">", 0},         {ExprKind::kGE, ">=", 0},
      {ExprKind::kAnd, "and", -2},     {ExprKind::kOr, "or", -3},       {ExprKind::kBitwiseOr, "|", 1},
      {ExprKind::kBitwiseXor, "^", 2}, {ExprKind::kBitwiseAnd, "&", 3}, {ExprKind::kLShift, "<<", 4},
      {ExprKind::kRShift, ">>", 4}};
  for (const Infix& one : signs)
    if (one.kind == e->kind) return infix(one.sign, one.level);
  return call(e->kind == ExprKind::kMod   ? "truncmod"
              : e->kind == ExprKind::kMin ? "min"
                                          : "max",
              {two->a, two->b});
}

}  // namespace

std::string expr_text(const Expr& e, const std::function<std::string(const Var&)>& name_of) {
  return shown(e, name_of).text;
}

std::string shape_text(const Array<Expr>& shape) {
  std::string text;
  for (const Expr& dim : shape) {
    std::string size = expr_text(dim);
    text += (text.empty() ? "" : ", ") + size;
  }
  return text;
}

IndexMap with_samples(const IndexMap& map, const std::function<std::optional<Expr>(const Var&)>& value_of) {
  VarMap values;
  for (const Expr& index : map->final_indices) {
    for (const Var& var : free_vars(index)) {
      bool own = std::any_of(map->initial_indices.begin(), map->initial_indices.end(),
                             [&](const Var& initial) { return initial.same_as(var); });
      if (own || values.contains(var.get())) continue;
      if (std::optional<Expr> value = value_of(var)) values[var.get()] = *value;
    }
  }
  if (values.empty()) return map;
  return make<IndexMapNode>(map->initial_indices, substitute(map->final_indices, values));
}

std::string index_map_text(const IndexMap& map) {
  std::string names, indices;
  for (const Var& var : map->initial_indices)
    names += fmt::format("{}{}", names.empty() ? "" : ", ", var->name.c_str());
  for (const Expr& index : map->final_indices)
    indices += fmt::format("{}{},", indices.empty() ? "" : " ", shown(index, {}).text);
  std::string forward = fmt::format("lambda {}: ({})", names, indices);
  if (!map->inverse_index_map) return forward;
  return fmt::format("tvm.tirx.IndexMap.from_func({}, inverse_index_map={})", forward,
                     index_map_text(map->inverse_index_map));
}

std::string access_ranges_text(const AccessRanges& ranges) {
  std::string names, pairs;
  for (const Var& var : ranges->ends->initial_indices)
    names += fmt::format("{}{}", names.empty() ? "" : ", ", var->name.c_str());
  const Array<Expr>& ends = ranges->ends->final_indices;
  for (size_t i = 0; i + 1 < ends.size(); i += 2)
    pairs += fmt::format("{}({}, {})", i ? ", " : "", shown(ends[i], {}).text, shown(ends[i + 1], {}).text);
  return fmt::format("lambda {}: [{}]", names, pairs);
}

Array<Expr> kept_strides(const BufferTypeNode& type, const Array<Expr>& shape, bool allocated) {
  if (type.strides.size() != shape.size()) return {};
  int64_t row = 1;  // elements from the first to behind the last of what one index holds
  for (size_t d = shape.size(); d-- > 0;) {
    auto stride = const_int(type.strides[d]), extent = const_int(shape[d]);
    if (!stride || !extent) return allocated ? Array<Expr>{} : type.strides;
    if (*stride < row) return {};
    row = *stride * *extent;
  }
  return type.strides;
}

DataType index_type(const SBlockNode& block) {
  for (const IterVar& iter : block.iter_vars) return iter->var->dtype();
  for (const auto& regions : {block.reads, block.writes}) {
    for (const TensorRegion& region : regions)
      for (const Expr& dim : region->source->buffer()->shape) return dim->dtype();
  }
  return DataType::Int(64);
}

Buffer buffer_at_position(Step& step, size_t argument, const SRefNode& sref) {
  Any& given = step.call.args[argument];
  const SBlockNode* block = sref.block();
  auto chosen = [&](bool write, int64_t i) {
    given = make<BufferPositionNode>(write, i);
    return (write ? block->writes : block->reads)[i]->source;
  };
  // A buffer that is both read and written counts as written.
  auto first = [&](auto&& is_it) -> Buffer {
    for (bool write : {true, false}) {
      const Array<TensorRegion>& regions = write ? block->writes : block->reads;
      for (size_t i = 0; i < regions.size(); ++i)
        if (is_it(regions[i]->source)) return chosen(write, static_cast<int64_t>(i));
    }
    return nullptr;
  };
  std::string asked;
  if (auto position = ir::try_get<BufferPosition>(given)) {
    int64_t size = ((*position)->write ? block->writes : block->reads).size();
    if ((*position)->index < size) return chosen((*position)->write, (*position)->index);
    asked = fmt::format("buffer number {}", (*position)->index);
  } else if (auto name = given.try_cast<String>()) {
    if (Buffer found = first([&](const Buffer& buffer) { return buffer->name == *name; })) return found;
    asked = fmt::format("buffer `{}`", name->c_str());
  } else if (auto var = ir::try_get<Var>(given)) {
    if (Buffer found = first([&](const Buffer& buffer) { return buffer.same_as(*var); })) return found;
    asked = fmt::format("buffer `{}`", (*var)->name.c_str());
  } else {
    auto pair = given == nullptr ? std::nullopt : given.as<Array<Any>>();
    auto role = pair && pair->size() == 2 ? (*pair)[0].try_cast<String>() : std::nullopt;
    bool write = role && *role == "write";
    if (role && !write && *role != "read") {
      throw refuse_as(shared_refusals["unknown-buffer-role"], "there are no `{}` buffers", role->c_str())
          .kind("AssertionError+ScheduleError")
          .at(step.span(argument));
    }
    if (!role || (*pair)[1].type_index() != ffi::TypeIndex::kTVMFFIInt)
      wrong_argument(step.call, argument, "(\"read\", number), (\"write\", number) or the name of a buffer");
    int64_t i = (*pair)[1].cast<int64_t>();
    int64_t size = (write ? block->writes : block->reads).size();
    if (i >= 0 && i < size) return chosen(write, i);
    asked = fmt::format("{} buffer number {}", role->c_str(), i);
  }
  std::string list;
  for (bool write : {false, true}) {
    const Array<TensorRegion>& regions = write ? block->writes : block->reads;
    for (size_t i = 0; i < regions.size(); ++i)
      list += fmt::format("{}(\"{}\", {}): `{}`", list.empty() ? "" : ", ", write ? "write" : "read", i,
                          regions[i]->source->name.c_str());
  }
  throw refuse_as(shared_refusals["no-such-buffer"], "block `{}` has no {}", sref.name.c_str(), asked)
      .kind("AssertionError+ScheduleError")
      .at(step.span(argument))
      .help(list.empty() ? "it reads and writes nothing" : "it has " + list);
}

}  // namespace mlc::transform
