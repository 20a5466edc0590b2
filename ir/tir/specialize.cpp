// SPDX-License-Identifier: Apache-2.0
#include "ir/tir/specialize.h"

#include "ir/core/refusal.h"
#include "ir/core/visit.h"
#include "ir/tir/arith_ops.h"
#include "ir/tir/layout.h"
#include "ir/tir/linear.h"

namespace mlc::ir {

static constexpr ir::Refusals refusals{
    "ValueError",
    {
        {.name = "not-a-parameter", .message = "`{}` is no parameter of the function"},
        {.name = "specialize-mismatch",
         .meaning = "A value does not fit the parameter that it is to take the place of."},
    }};
MLC_REFUSALS(tir_specialize, refusals);

namespace {

class Specializer final : public Rewriter {
 public:
  explicit Specializer(VarMap values) : values_(std::move(values)) {}
  using Rewriter::rewrite;

  Expr rewrite(const Expr& e) override {
    if (auto* var = as<VarNode>(e)) {
      auto found = values_.find(var);
      return found == values_.end() ? Expr(rewrite_buffer(ref(var))) : found->second;
    }
    if (auto* binary = as_binary(e)) {
      Expr a = rewrite(binary->a);
      Expr b = rewrite(binary->b);
      return a.same_as(binary->a) && b.same_as(binary->b) ? e : build(e->kind, a, b, e->span);
    }
    if (auto* negation = as<NotNode>(e)) {
      Expr a = rewrite(negation->a);
      return a.same_as(negation->a) ? e : logical_not(a, e->span);
    }
    return rewrite_children(e);
  }
  Buffer rewrite_buffer(const Buffer& buffer) override {
    auto found = buffers_.find(buffer.get());
    return found == buffers_.end() ? buffer : found->second;
  }
  // Where a buffer is defined its type may mention parameters.
  Var rewrite_def(const Var& var) override {
    auto* type = var->buffer();
    if (type == nullptr) return var;
    auto seen = buffers_.find(var.get());
    if (seen != buffers_.end()) return seen->second;
    Array<Expr> shape = rewrite(type->shape);
    Array<Expr> strides = rewrite(type->strides);
    Expr offset = type->elem_offset ? rewrite(type->elem_offset) : Expr();
    ObjectRef layout = type->layout;
    if (layout.defined()) layout = map_layout(layout, [this](const Expr& e) { return rewrite(e); });
    if (shape.same_as(type->shape) && strides.same_as(type->strides) && offset.same_as(type->elem_offset) &&
        layout.same_as(type->layout)) {
      return var;
    }
    BufferType changed = with(ref(type), [&](BufferTypeNode& node) {
      node.shape = shape;
      node.strides = strides;
      node.elem_offset = offset;
      node.layout = layout;
    });
    Buffer made = make<VarNode>(var->name, Type(changed), var->span);
    buffers_.emplace(var.get(), made);
    return made;
  }

 private:
  VarMap values_;
  std::unordered_map<const VarNode*, Buffer> buffers_;
};

// Gives values to the variables of a parameter's type from the type of the buffer it becomes.
class Match {
 public:
  Match(VarMap& values, Span span) : values_(values), span_(span) {}

  void buffer(const Var& param, const BufferTypeNode* own, const BufferTypeNode* given) {
    same_number("dimensions", param, own->shape.size(), given->shape.size());
    same_number("strides", param, own->strides.size(), given->strides.size());
    if (DataType(own->dtype) != DataType(given->dtype)) {
      throw ir::refuse_as(refusals["specialize-mismatch"], "`{}` holds `{}`, the buffer given holds `{}`",
                          param->name.c_str(), DataType(own->dtype).str(), DataType(given->dtype).str())
          .at(span_);
    }
    for (size_t i = 0; i < own->shape.size(); ++i) value(param, own->shape[i], given->shape[i]);
    for (size_t i = 0; i < own->strides.size(); ++i) value(param, own->strides[i], given->strides[i]);
    if (own->elem_offset && given->elem_offset) value(param, own->elem_offset, given->elem_offset);
    if (own->data_alignment != given->data_alignment || own->offset_factor != given->offset_factor) {
      throw ir::refuse_as(refusals["specialize-mismatch"],
                          "alignment or offset factor of `{}` differ from the buffer's", param->name.c_str())
          .at(span_);
    }
  }

  // Expressions of a parameter's type are what the buffer given has, once their variables have their values.
  void check_expressions() {
    for (const Expression& each : expressions_) {
      Expr own = substitute(each.own, values_);
      if (structural_equal(own, each.given)) continue;
      auto difference = const_int(simplify_linear(own - cast(own->dtype(), each.given)));
      if (difference != 0) refuse_value(each.param, each.own);
    }
  }

 private:
  void same_number(std::string_view what, const Var& param, size_t own, size_t given) {
    if (own == given) return;
    throw ir::refuse_as(refusals["specialize-mismatch"], "`{}` has {} {}, the buffer given has {}",
                        param->name.c_str(), own, what, given)
        .at(span_);
  }
  void value(const Var& param, const Expr& own, const Expr& given) {
    if (structural_equal(own, given)) return;
    auto own_value = const_int(own);
    if (own_value && own_value == const_int(given)) return;  // of another width
    auto* var = as<VarNode>(own);
    if (var == nullptr && !own_value) {
      expressions_.push_back({param, own, given});
      return;
    }
    if (var == nullptr) refuse_value(param, own);
    auto [known, fresh] = values_.emplace(var, given);
    if (!fresh && !structural_equal(known->second, given)) {
      throw ir::refuse_as(refusals["specialize-mismatch"], "`{}` would have two values", var->name.c_str())
          .at(span_);
    }
  }

  [[noreturn]] void refuse_value(const Var& param, const Expr& own) {
    auto n = const_int(own);
    throw ir::refuse_as(refusals["specialize-mismatch"],
                        "the type of `{}` leaves no choice where the buffer given differs{}", param->name.c_str(),
                        n ? fmt::format(": it says {}", *n) : "")
        .at(span_)
        .kind("TypeError");
  }

  struct Expression {
    Var param;
    Expr own, given;
  };
  VarMap& values_;
  Span span_;
  std::vector<Expression> expressions_;
};

}  // namespace

PrimFunc specialize(const PrimFunc& fn, const std::vector<std::pair<Var, Any>>& values, Span span) {
  VarMap map;
  Match match(map, span);
  for (const auto& [param, value] : values) {
    bool known = false;
    for (const Var& each : fn->params) known = known || each.same_as(param);
    if (!known) {
      throw ir::refuse(refusals["not-a-parameter"], param->name.c_str()).at(span);
    }
    auto* given = value.as<VarNode>();
    bool wants_buffer = param->buffer() != nullptr;
    bool is_buffer = given != nullptr && given->buffer() != nullptr;
    if (wants_buffer != is_buffer) {
      throw ir::refuse_as(refusals["specialize-mismatch"], "`{}` is {} buffer, the value is {}",
                          param->name.c_str(), wants_buffer ? "a" : "no", is_buffer ? "one" : "none")
          .at(span);
    }
    if (is_buffer) {
      match.buffer(param, param->buffer(), given->buffer());
      continue;
    }
    auto expr = value.as<Expr>();
    MLC_CHECK(expr.has_value(), "values of scalars are expressions");
    map.insert_or_assign(param.get(), *expr);
  }
  match.check_expressions();
  if (map.empty()) return fn;
  Specializer specializer(map);
  Array<Var> params;
  for (const Var& param : fn->params) {
    if (map.contains(param.get())) continue;
    params.push_back(specializer.rewrite_def(param));
  }
  Stmt body = specializer.rewrite(fn->body);
  return with(fn, [&](PrimFuncNode& changed) {
    changed.params = params;
    changed.body = body;
  });
}

}  // namespace mlc::ir
