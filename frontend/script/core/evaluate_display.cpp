// SPDX-License-Identifier: Apache-2.0
// The expressions that are not in every loop, and those of code that is not resolved.
#include "frontend/script/core/captured_scope.h"
#include "frontend/script/core/ir_values.h"
#include "frontend/script/core/machine.h"
#include "frontend/script/types/format_value.h"
#include "frontend/script/types/wide_int.h"
#include "frontend/script/types/written_compare.h"
#include "ir/core/refusal.h"

namespace mlc::script {

static constexpr ir::Refusals refusals{
    "SyntaxError",
    {
        {.name = "misplaced-star",
         .message = "can't use starred expression here",
         .meaning = "`*` spreads a list into a call, a list, a tuple or a set, and stands nowhere else."},
        {.name = "not-a-mapping", .kind = "TypeError", .message = "'{}' object is not a mapping"},
        {.name = "unsupported-expression",
         .kind = "ValueError",
         .message = "`:=` has no meaning in a prim_func",
         .help = "assign in a statement of its own",
         .meaning = "An expression of Python that no compiled function can hold.",
         .wrong = R"(@T.prim_func(s_tir=True)
def f(A: T.Buffer((16,), "float32"), n: T.int32):
    A[(k := 0)] = 1.0)",
         .right = R"(@T.prim_func(s_tir=True)
def f(A: T.Buffer((16,), "float32"), n: T.int32):
    A[0] = 1.0)"},
    }};
MLC_REFUSALS(core_evaluate_display, refusals);

using namespace syntax;  // NOLINT: the names of the tree
using State = Evaluator::State;

Any State::constant(const Constant& constant) {
  switch (constant.type) {
    case Constant::Type::kNone:
      return Any(nullptr);
    case Constant::Type::kBool:
      return constant.boolean;
    case Constant::Type::kInt:
      return constant.integer;
    case Constant::Type::kFloat:
      return constant.real;
    case Constant::Type::kStr:
      return str_value(constant.text);
    case Constant::Type::kBytes:
      return ffi::Bytes(std::string(constant.text));
    case Constant::Type::kEllipsis:
      return ellipsis();
    case Constant::Type::kWideInt: {
      std::string digits;
      for (char c : constant.text)
        if (c != '_') digits += c;
      char mark = digits[0] == '0' && digits.size() > 1 ? static_cast<char>(digits[1] | 0x20) : '0';
      int base = mark == 'x' ? 16 : mark == 'o' ? 8 : mark == 'b' ? 2 : 10;
      return whole_of_text(std::string_view(digits).substr(base == 10 ? 0 : 2), base, false);
    }
  }
  __builtin_unreachable();
}

Any State::joined(const JoinedStr& joined, Frame& f) {
  std::string text = std::exchange(spare_text, {});
  text.clear();
  for (const Expr* part : joined.values) {
    if (part->kind == ExprKind::kConstant) {
      text += static_cast<const Constant*>(part)->text;
      continue;
    }
    auto* formatted = static_cast<const FormattedValue*>(part);
    Any value = eval(formatted->value, f);
    if (formatted->conversion == 'r') {
      value = str_value(self.repr(value));
    } else if (formatted->conversion == 's') {
      value = str_value(self.str(value));
    } else if (formatted->conversion == 'a') {
      value = str_value(ascii_text(self.repr(value)));
    }
    ir::Span span = formatted->value->span;
    const JoinedStr* spec = formatted->format_spec;
    if (spec == nullptr) {
      append_formatted(text, self, value, "", span);
    } else if (spec->values.size() == 1 && spec->values[0]->kind == ExprKind::kConstant) {
      append_formatted(text, self, value, static_cast<const Constant*>(spec->values[0])->text, span);
    } else {
      Any made = this->joined(*spec, f);
      append_formatted(text, self, value, text_of(made), span);
    }
  }
  Any result = str_value(text);
  spare_text = std::move(text);
  return result;
}

// The elements that `*x` puts into a display.
std::vector<Any> State::unpacked(const Starred& starred, Frame& f) {
  Any more = eval(starred.value, f);
  if (!iterable(more)) {
    raise("TypeError", starred.span, "not-iterable", "Value after * must be an iterable, not {}",
          type_name_of(self, more));
  }
  return self.elements_of(more, starred.value->span);
}

Any State::eval_slice(const Expr* expr, Frame& f) {
  if (auto* slice = syntax::as<syntax::Slice>(expr)) {
    auto part = [&](const Expr* e) { return e == nullptr ? Any(nullptr) : eval(e, f); };
    Any lower = part(slice->lower);
    Any upper = part(slice->upper);
    return Any(ir::make<SliceNode>(std::move(lower), std::move(upper), part(slice->step)));
  }
  if (auto* tuple = syntax::as<syntax::Tuple>(expr)) {
    Tuple indices;
    for (const Expr* e : tuple->elts) {
      if (auto* starred = syntax::as<Starred>(e)) {
        for (Any& value : self.elements_of(eval(starred->value, f), starred->span)) indices.push_back(value);
      } else {
        indices.push_back(eval_slice(e, f));
      }
    }
    return indices;
  }
  return eval(expr, f);
}

// In a builder's expression `a and b` and `a < b < c` of IR values build IR.
Any State::ir_bool_chain(const BoolOp& op, size_t at, Any value, Frame& f) {
  for (size_t i = at + 1; i < op.values.size(); ++i)
    value = ir_bool_op(op.op, value, eval(op.values[i], f), op.span);
  return value;
}
Any State::ir_compare_chain(const Compare& compare, size_t at, Any result, Any left, Frame& f) {
  for (size_t i = at + 1; i < compare.ops.size(); ++i) {
    Any right = eval(compare.comparators[i], f);
    result = ir_bool_op(BoolOperator::kAnd, result,
                        written_compare(*this, compare.ops[i], left, right, compare.span), compare.span);
    left = std::move(right);
  }
  return result;
}

// Would CPython's compiler make a constant of this?
bool is_folded(const Expr* expr) {
  if (auto* unary = syntax::as<UnaryOp>(expr)) return is_folded(unary->operand);
  if (auto* binary = syntax::as<BinOp>(expr)) return is_folded(binary->left) && is_folded(binary->right);
  if (auto* tuple = syntax::as<syntax::Tuple>(expr))
    return std::all_of(tuple->elts.begin(), tuple->elts.end(), [](const Expr* e) { return is_folded(e); });
  return expr->kind == ExprKind::kConstant;
}

Any State::set_display(const syntax::Set& set, bool iterated, Frame& f) {
  Ref<SetNode> result = ir::make<SetNode>();
  bool constants = true;
  for (const Expr* e : set.elts) {
    constants = constants && is_folded(e);
    if (auto* starred = syntax::as<Starred>(e)) {
      set_update(self, const_cast<SetNode*>(result.get()), eval(starred->value, f), starred->value->span);
    } else {
      const_cast<SetNode*>(result.get())->add(self, eval(e, f));
    }
  }
  // CPython makes three or more constants a frozenset first, and that anew when it merges equal constants;
  // the order shows it. Where a display is only iterated, it stays that frozenset.
  if (!constants || (!iterated && set.elts.size() < 3)) return Any(result);
  Ref<SetNode> anew = ir::make<SetNode>(), merged = ir::make<SetNode>();
  for (const Any& value : result->elements()) const_cast<SetNode*>(anew.get())->add(self, value);
  if (iterated) return Any(anew);
  const_cast<SetNode*>(merged.get())->merge(self, *anew.get());
  return Any(merged);
}
Any State::iterated(const Expr* expr, Frame& f) {
  auto* set = syntax::as<syntax::Set>(expr);
  return set == nullptr ? eval(expr, f) : set_display(*set, true, f);
}

Any State::eval_rare(const Expr* expr, Frame& f) {
  switch (expr->kind) {
    case ExprKind::kName: {
      if (const Any* value = peek(expr, f)) return *value;
      return load_slow(static_cast<const Name&>(*expr), f);
    }
    case ExprKind::kConstant:
      return constant(static_cast<const Constant&>(*expr));
    case ExprKind::kBinOp: {
      auto& op = static_cast<const BinOp&>(*expr);
      OwnedValue left = fetch(op.left, f);
      return take(binary_of(op, std::move(left), fetch(op.right, f)));
    }
    case ExprKind::kCompare: {
      auto& compare = static_cast<const Compare&>(*expr);
      return compare_chain(compare, f);
    }
    case ExprKind::kCall:
      return eval_call(static_cast<const Call&>(*expr), f);
    case ExprKind::kAttribute: {
      auto& attribute = static_cast<const Attribute&>(*expr);
      return take(attribute_of(attribute, eval(attribute.value, f)));
    }
    case ExprKind::kSubscript: {
      auto& subscript = static_cast<const Subscript&>(*expr);
      OwnedValue object = fetch(subscript.value, f);
      Any index = eval_slice(subscript.slice, f);
      return take(item_of(subscript, object.words, raw_of(index)));
    }
    case ExprKind::kBoolOp: {
      auto& op = static_cast<const BoolOp&>(*expr);
      bool stop_at = op.op == BoolOperator::kOr;
      Any value;
      for (size_t i = 0; i < op.values.size(); ++i) {
        Any next = eval(op.values[i], f);
        // `flag and i < n`: the flag is a constant of the condition.
        bool joined = i > 0 && is_bool(value) && builds_ir(f) && is_ir_value(next);
        value = joined ? ir_bool_op(op.op, value, next, op.span) : std::move(next);
        if (i + 1 == op.values.size()) break;
        if (builds_ir(f) && is_ir_value(value)) return ir_bool_chain(op, i, std::move(value), f);
        if (self.truth(value, op.values[i]->span) == stop_at) break;
      }
      return value;
    }
    case ExprKind::kUnaryOp: {
      auto& op = static_cast<const UnaryOp&>(*expr);
      if (op.op == UnaryOperator::kNot && !builds_ir(f)) return !test(op.operand, f);
      Any value = eval(op.operand, f);
      if (op.op == UnaryOperator::kNot && is_ir_value(value)) return ir_unary(op.op, value, expr->span);
      if (op.op == UnaryOperator::kUSub) {
        if (is_int(value) && raw_int(value) != INT64_MIN) return -raw_int(value);
        if (is_float(value)) return -raw_float(value);
      }
      return self.unary(op.op, value, expr->span);
    }
    case ExprKind::kIfExp: {
      auto& choice = static_cast<const IfExp&>(*expr);
      if (builds_ir(f)) {
        Any condition = eval(choice.test, f);
        if (is_ir_value(condition)) {
          Any yes = eval(choice.body, f);
          return ir_if_exp(condition, yes, eval(choice.orelse, f), expr->span);
        }
        return self.truth(condition, choice.test->span) ? eval(choice.body, f) : eval(choice.orelse, f);
      }
      return test(choice.test, f) ? eval(choice.body, f) : eval(choice.orelse, f);
    }
    case ExprKind::kNamedExpr: {
      auto& named = static_cast<const NamedExpr&>(*expr);
      if (f.names != nullptr) {
        throw ir::refuse(refusals["unsupported-expression"]).at(expr->span);
      }
      Any value = eval(named.value, f);
      store_name(named.target->id, named.target->resolved, value, f);
      return value;
    }
    case ExprKind::kLambda: {
      auto& lambda = static_cast<const Lambda&>(*expr);
      const FunctionInfo* info;
      if (lambda.resolved != 0) {
        info = resolver.info(lambda.resolved);
      } else if (f.cls != nullptr) {
        info = resolver.lambda_of_class(lambda, function_info(f), f.module, f.cls->name);
      } else {
        const NameList captured = captured_names(*this, resolver.free_names(lambda), f);
        info = resolver.lambda(lambda, f.module, captured, builds_ir(f));
      }
      return make_function(info, *lambda.args, f);
    }
    case ExprKind::kTuple: {
      auto& tuple = static_cast<const syntax::Tuple&>(*expr);
      if (code_of(expr) == Code::kTuple) return take(run_tuple(tuple, f));
      Mark mark(*this);
      for (const Expr* e : tuple.elts) {
        if (auto* starred = syntax::as<Starred>(e)) {
          for (Any& value : unpacked(*starred, f)) push(std::move(value));
        } else {
          push(eval(e, f));
        }
      }
      return Tuple(std::make_move_iterator(mark.base), std::make_move_iterator(top));
    }
    case ExprKind::kList: {
      auto& list = static_cast<const syntax::List&>(*expr);
      List result;
      result.reserve(static_cast<int64_t>(list.elts.size()));
      for (const Expr* e : list.elts) {
        if (auto* starred = syntax::as<Starred>(e)) {
          for (Any& value : unpacked(*starred, f)) result.push_back(value);
        } else {
          result.push_back(eval(e, f));
        }
      }
      return result;
    }
    case ExprKind::kSet:
      return set_display(static_cast<const syntax::Set&>(*expr), false, f);
    case ExprKind::kDict: {
      auto& dict = static_cast<const syntax::Dict&>(*expr);
      Dict result;
      // CPython computes up to fifteen pairs before it hashes the first.
      constexpr size_t kTogether = 15;
      std::vector<std::pair<Any, Any>> pairs;
      auto hash_pairs = [&](size_t end) {
        size_t first = end - pairs.size();
        for (size_t k = 0; k < pairs.size(); ++k)
          dict_set(self, result, pairs[k].first, pairs[k].second, dict.keys[first + k]->span);
        pairs.clear();
      };
      pairs.reserve(std::min(dict.keys.size(), kTogether));
      for (size_t i = 0; i < dict.keys.size(); ++i) {
        if (dict.keys[i] == nullptr) {
          hash_pairs(i);
          Any more = as_mapping(self, eval(dict.values[i], f));
          if (more.type_index() != kTVMFFIDict && more.type_index() != kTVMFFIMap) {
            raise(refusals["not-a-mapping"], dict.values[i]->span, type_name_of(self, more));
          }
          for (const auto& [key, value] : *static_cast<ffi::MapBaseObj*>(raw_object(more))) {
            dict_set(self, result, plain_key(key), value);
          }
          continue;
        }
        Any key = eval(dict.keys[i], f);
        Any value = eval(dict.values[i], f);
        pairs.emplace_back(std::move(key), std::move(value));
        if (pairs.size() == kTogether) hash_pairs(i + 1);
      }
      hash_pairs(dict.keys.size());
      return result;
    }
    case ExprKind::kListComp:
      return list_comprehension(static_cast<const ListComp&>(*expr), f);
    case ExprKind::kSetComp:
      return set_comprehension(static_cast<const SetComp&>(*expr), f);
    case ExprKind::kDictComp:
      return dict_comprehension(static_cast<const DictComp&>(*expr), f);
    case ExprKind::kGeneratorExp:
      return generator_expression(static_cast<const GeneratorExp&>(*expr), f);
    case ExprKind::kJoinedStr:
      return joined(static_cast<const JoinedStr&>(*expr), f);
    case ExprKind::kSlice:
      return eval_slice(expr, f);
    case ExprKind::kStarred:
      raise(refusals["misplaced-star"], expr->span);
    case ExprKind::kFormattedValue:
      return Any(nullptr);  // only inside of JoinedStr
    case ExprKind::kYield: {
      auto& yield = static_cast<const Yield&>(*expr);
      return take(yield_value(yield.value == nullptr ? raw_none() : run(yield.value, f), f, expr->span));
    }
    case ExprKind::kYieldFrom: {
      auto& yield = static_cast<const YieldFrom&>(*expr);
      return yield_all(eval(yield.value, f), f, expr->span);
    }
  }
  __builtin_unreachable();
}

}  // namespace mlc::script
