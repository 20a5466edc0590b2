// SPDX-License-Identifier: Apache-2.0
#include "frontend/script/ir_values.h"
#include "frontend/script/machine.h"

namespace mlc::script {

using namespace syntax;  // NOLINT: the names of the tree
using State = Evaluator::State;

namespace {

// The operators on two ints that cannot fail; false when the general way must answer.
inline bool fast_int(BinOperator op, int64_t a, int64_t b, Any& out) {
  int64_t r;
  switch (op) {
    case BinOperator::kAdd:
      if (__builtin_add_overflow(a, b, &r)) return false;
      break;
    case BinOperator::kSub:
      if (__builtin_sub_overflow(a, b, &r)) return false;
      break;
    case BinOperator::kMult:
      if (__builtin_mul_overflow(a, b, &r)) return false;
      break;
    case BinOperator::kFloorDiv:
      if (b == 0 || b == -1) return false;
      r = a / b - ((a % b != 0) && ((a ^ b) < 0));
      break;
    case BinOperator::kMod:
      if (b == 0 || b == -1) return false;
      r = a % b;
      if (r != 0 && (r ^ b) < 0) r += b;
      break;
    case BinOperator::kBitAnd:
      r = a & b;
      break;
    case BinOperator::kBitOr:
      r = a | b;
      break;
    case BinOperator::kBitXor:
      r = a ^ b;
      break;
    default:
      return false;
  }
  out = r;
  return true;
}
inline bool fast_float(BinOperator op, double a, double b, Any& out) {
  switch (op) {
    case BinOperator::kAdd:
      out = a + b;
      return true;
    case BinOperator::kSub:
      out = a - b;
      return true;
    case BinOperator::kMult:
      out = a * b;
      return true;
    case BinOperator::kDiv:
      if (b == 0) return false;
      out = a / b;
      return true;
    default:
      return false;
  }
}
inline bool fast_binary(BinOperator op, const Any& a, const Any& b, Any& out) {
  if (is_int(a) && is_int(b)) return fast_int(op, raw_int(a), raw_int(b), out);
  if (is_float(a)) {
    if (is_float(b)) return fast_float(op, raw_float(a), raw_float(b), out);
    if (is_int(b)) return fast_float(op, raw_float(a), static_cast<double>(raw_int(b)), out);
  } else if (is_float(b) && is_int(a)) {
    return fast_float(op, static_cast<double>(raw_int(a)), raw_float(b), out);
  }
  return false;
}

template <class T>
inline int compare_numbers(CmpOperator op, T a, T b) {
  switch (op) {
    case CmpOperator::kEq:
      return a == b;
    case CmpOperator::kNotEq:
      return a != b;
    case CmpOperator::kLt:
      return a < b;
    case CmpOperator::kLtE:
      return a <= b;
    case CmpOperator::kGt:
      return a > b;
    case CmpOperator::kGtE:
      return a >= b;
    default:
      return -1;
  }
}
// 0, 1, or -1 when the general way must answer.
inline int fast_compare(CmpOperator op, const Any& a, const Any& b) {
  if (is_int(a) && is_int(b)) return compare_numbers(op, raw_int(a), raw_int(b));
  if (is_float(a) && is_float(b)) return compare_numbers(op, raw_float(a), raw_float(b));
  if (op == CmpOperator::kIs || op == CmpOperator::kIsNot) {
    bool same = a.same_as(b) || (is_str(a) && is_str(b) && text_of(a) == text_of(b));
    return same == (op == CmpOperator::kIs);
  }
  return -1;
}

// Nothing runs between looking at a variable and using it when the other operand is one of these.
inline bool is_plain(const Expr* expr) {
  return expr->kind == ExprKind::kName || expr->kind == ExprKind::kConstant;
}

}  // namespace

inline const Any* State::operand(const Expr* expr, Frame& f, Any& temporary) {
  if (const Any* variable = peek(expr, f)) return variable;
  if (expr->kind == ExprKind::kConstant) {
    auto& constant = static_cast<const Constant&>(*expr);
    if (constant.type == Constant::Type::kInt) {
      temporary = constant.integer;
      return &temporary;
    }
  }
  temporary = eval(expr, f);
  return &temporary;
}

const Any* State::find_dynamic(Symbol name, Frame& f) {
  bool in_class = true;  // a comprehension in a class body is still in it
  for (Frame* at = &f; at != nullptr; at = at->outer) {
    for (size_t i = at->locals.size(); i-- > 0;) {
      if (at->locals[i].first == name) return &at->locals[i].second;
    }
    // A class body sees its own names; the functions in it do not, but those are resolved.
    if (at->cls != nullptr && in_class) {
      if (const Any* own = at->cls->own(name)) return own;
    }
    in_class = in_class && at->cls == nullptr && at->dynamic;
    if (at->names != nullptr) {
      if (const Any* found = at->names->find(name)) return found;
    }
    if (!at->dynamic && at->info != nullptr) {
      auto place = at->info->names.find(name);
      if (place != at->info->names.end()) {
        const Any* value = &at->slots[index_of(place->second)];
        if (storage_of(place->second) == Storage::kCell)
          value = &static_cast<CellNode*>(raw_object(*value))->value;
        if (!is_unbound(*value)) return value;
      }
    }
  }
  if (const Any* global = f.module->find(name)) return global;
  auto builtin = builtins.find(name);
  return builtin == builtins.end() ? nullptr : &builtin->second;
}

void State::undefined(Symbol name, Frame& f, ir::Span span) {
  std::vector<std::string> candidates;
  for (Frame* at = &f; at != nullptr; at = at->outer) {
    if (at->names != nullptr) {
      auto more = at->names->names();
      candidates.insert(candidates.end(), more.begin(), more.end());
    }
    if (at->info != nullptr) {
      for (const auto& [known_name, place] : at->info->names) {
        if (known_name != name) candidates.emplace_back(known_name.str());
      }
    }
  }
  for (const ModuleNode::Slot* slot : f.module->bound()) candidates.emplace_back(slot->name.str());
  for (const auto& [builtin, value] : builtins) candidates.emplace_back(builtin.str());
  bool local = !f.dynamic && f.info != nullptr && f.info->names.contains(name);
  if (local && storage_of(f.info->names.at(name)) == Storage::kLocal) {
    raise("UnboundLocalError", span, "unbound-local",
          "cannot access local variable '{}' where it is not associated with a value", name.str());
  }
  throw ir::Error("undefined-name", "name '{}' is not defined", name.str())
      .kind("NameError")
      .at(span)
      .help(ir::did_you_mean(name.str(), candidates));
}

Any State::load_slow(const Name& name, Frame& f) {
  if (storage_of(name.resolved) == Storage::kDynamic || f.dynamic) {
    if (const Any* found = find_dynamic(name.id, f)) return *found;
  } else if (storage_of(name.resolved) == Storage::kCell) {
    // A closure made where names are looked up by name takes globals by name too.
    if (const Any* found = f.module->find(name.id)) return *found;
    auto builtin = builtins.find(name.id);
    if (builtin != builtins.end()) return builtin->second;
  }
  undefined(name.id, f, name.span);
}

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
  }
  __builtin_unreachable();
}

Any State::joined(const JoinedStr& joined, Frame& f) {
  std::string text;
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
    if (formatted->format_spec == nullptr) {
      if (is_str(value)) {
        text += text_of(value);
      } else {
        text += format_value(self, value, "", formatted->value->span);
      }
    } else {
      Any spec = this->joined(*formatted->format_spec, f);
      text += format_value(self, value, text_of(spec), formatted->value->span);
    }
  }
  return str_value(text);
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

Any State::compare_chain(const Compare& compare, Frame& f) {
  Any left = eval(compare.left, f);
  for (size_t i = 0; i < compare.ops.size(); ++i) {
    Any right = eval(compare.comparators[i], f);
    bool last = i + 1 == compare.ops.size();
    int fast = fast_compare(compare.ops[i], left, right);
    if (fast >= 0) {
      if (last || fast == 0) return fast == 1;
    } else {
      Any result = self.compare(compare.ops[i], left, right, compare.span);
      if (builds_ir(f) && is_ir_value(result) && !last)
        return ir_compare_chain(compare, i, std::move(result), right, f);
      if (last || !self.truth(result, compare.span)) return result;
    }
    left = std::move(right);
  }
  __builtin_unreachable();
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
    result = ir_bool_op(BoolOperator::kAnd, result, self.compare(compare.ops[i], left, right, compare.span),
                        compare.span);
    left = std::move(right);
  }
  return result;
}

bool State::test(const Expr* expr, Frame& f) {
  if (expr->kind == ExprKind::kCompare) {
    auto* compare = static_cast<const Compare*>(expr);
    if (compare->ops.size() == 1) {
      const Expr* right_expr = compare->comparators[0];
      Any left_value, right_value;
      const Any* left = is_plain(right_expr) ? operand(compare->left, f, left_value)
                                             : &(left_value = eval(compare->left, f));
      const Any* right = operand(right_expr, f, right_value);
      int fast = fast_compare(compare->ops[0], *left, *right);
      if (fast >= 0) return fast == 1;
      return self.truth(self.compare(compare->ops[0], *left, *right, compare->span), expr->span);
    }
  } else if (expr->kind == ExprKind::kBoolOp) {
    auto* op = static_cast<const BoolOp*>(expr);
    bool stop_at = op->op == BoolOperator::kOr;
    for (const Expr* e : op->values) {
      if (test(e, f) == stop_at) return stop_at;
    }
    return !stop_at;
  } else if (expr->kind == ExprKind::kUnaryOp) {
    auto* op = static_cast<const UnaryOp*>(expr);
    if (op->op == UnaryOperator::kNot) return !test(op->operand, f);
  }
  Any value = eval(expr, f);
  if (is_bool(value) || is_int(value)) return raw_int(value) != 0;
  return self.truth(value, expr->span);
}

Any State::eval_binary(const BinOp& op, Frame& f) {
  Any left_value, right_value;
  const Any* left = is_plain(op.right) ? operand(op.left, f, left_value) : &(left_value = eval(op.left, f));
  const Any* right = operand(op.right, f, right_value);
  Any result;
  if (fast_binary(op.op, *left, *right, result)) return result;
  return self.binary(op.op, *left, *right, op.span);
}

Any State::eval_subscript(const Subscript& subscript, Frame& f) {
  Any value, index_value;
  const Any* object =
      is_plain(subscript.slice) ? operand(subscript.value, f, value) : &(value = eval(subscript.value, f));
  const Any* index = peek(subscript.slice, f);
  if (index == nullptr) index = &(index_value = eval_slice(subscript.slice, f));
  if (is_int(*index) && (object->type_index() == kTVMFFIList || object->type_index() == kTVMFFIArray)) {
    std::span<Any> all = elements(*object);
    int64_t i = raw_int(*index);
    if (i < 0) i += static_cast<int64_t>(all.size());
    if (i >= 0 && i < static_cast<int64_t>(all.size())) return all[static_cast<size_t>(i)];
  }
  return self.subscript(*object, *index, subscript.span, subscript.slice->span);
}

Any State::eval(const Expr* expr, Frame& f) {
  switch (expr->kind) {
    case ExprKind::kName: {
      if (const Any* value = peek(expr, f)) return *value;
      return load_slow(static_cast<const Name&>(*expr), f);
    }
    case ExprKind::kConstant: {
      auto& literal = static_cast<const Constant&>(*expr);
      if (literal.type == Constant::Type::kInt) return literal.integer;
      return constant(literal);
    }
    case ExprKind::kBinOp:
      return eval_binary(static_cast<const BinOp&>(*expr), f);
    case ExprKind::kCall:
      return eval_call(static_cast<const Call&>(*expr), f);
    case ExprKind::kSubscript:
      return eval_subscript(static_cast<const Subscript&>(*expr), f);
    default:
      return eval_rare(expr, f);
  }
}

Any State::eval_rare(const Expr* expr, Frame& f) {
  switch (expr->kind) {
    case ExprKind::kName: {
      if (const Any* value = peek(expr, f)) return *value;
      return load_slow(static_cast<const Name&>(*expr), f);
    }
    case ExprKind::kConstant:
      return constant(static_cast<const Constant&>(*expr));
    case ExprKind::kBinOp:
      return eval_binary(static_cast<const BinOp&>(*expr), f);
    case ExprKind::kCompare: {
      auto& compare = static_cast<const Compare&>(*expr);
      return compare_chain(compare, f);
    }
    case ExprKind::kCall:
      return eval_call(static_cast<const Call&>(*expr), f);
    case ExprKind::kAttribute: {
      auto& attribute = static_cast<const Attribute&>(*expr);
      Any object = eval(attribute.value, f);
      return self.attribute(object, attribute.attr, attribute.attr_span ? attribute.attr_span : expr->span);
    }
    case ExprKind::kSubscript:
      return eval_subscript(static_cast<const Subscript&>(*expr), f);
    case ExprKind::kBoolOp: {
      auto& op = static_cast<const BoolOp&>(*expr);
      bool stop_at = op.op == BoolOperator::kOr;
      Any value;
      for (size_t i = 0; i < op.values.size(); ++i) {
        value = eval(op.values[i], f);
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
        throw ir::Error("unsupported-expression", "`:=` has no meaning in a prim_func")
            .at(expr->span)
            .help("assign in a statement of its own");
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
      } else {
        NameList by_name;
        for (Symbol name : resolver.free_names(lambda)) {
          const Any* found = find_dynamic(name, f);
          if (found != nullptr && found != f.module->find(name) && !builtins.contains(name))
            by_name.push_back(name);
        }
        info = resolver.lambda(lambda, f.module, by_name, builds_ir(f));
      }
      return make_function(info, *lambda.args, f);
    }
    case ExprKind::kTuple: {
      auto& tuple = static_cast<const syntax::Tuple&>(*expr);
      Mark mark(*this);
      for (const Expr* e : tuple.elts) {
        if (auto* starred = syntax::as<Starred>(e)) {
          for (Any& value : self.elements_of(eval(starred->value, f), starred->value->span))
            push(std::move(value));
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
          Any more = eval(starred->value, f);
          if (!iterable(more)) {
            raise("TypeError", starred->span, "not-iterable", "Value after * must be an iterable, not {}",
                  type_name_of(self, more));
          }
          for (Any& value : self.elements_of(more, starred->value->span)) result.push_back(value);
        } else {
          result.push_back(eval(e, f));
        }
      }
      return result;
    }
    case ExprKind::kSet: {
      auto& set = static_cast<const syntax::Set&>(*expr);
      Ref<SetNode> result = ir::make<SetNode>();
      for (const Expr* e : set.elts) {
        if (auto* starred = syntax::as<Starred>(e)) {
          for (Any& value : self.elements_of(eval(starred->value, f), starred->value->span)) {
            const_cast<SetNode*>(result.get())->add(self, value);
          }
        } else {
          const_cast<SetNode*>(result.get())->add(self, eval(e, f));
        }
      }
      // CPython makes three or more constants a frozenset first, and that anew when it merges equal
      // constants; the order shows it.
      bool constants = set.elts.size() >= 3;
      for (const Expr* e : set.elts) constants = constants && e->kind == ExprKind::kConstant;
      if (constants) {
        Ref<SetNode> anew = ir::make<SetNode>(), merged = ir::make<SetNode>();
        for (const Any& value : result->elements()) const_cast<SetNode*>(anew.get())->add(self, value);
        const_cast<SetNode*>(merged.get())->merge(self, *anew.get());
        result = merged;
      }
      return Any(result);
    }
    case ExprKind::kDict: {
      auto& dict = static_cast<const syntax::Dict&>(*expr);
      Dict result;
      for (size_t i = 0; i < dict.keys.size(); ++i) {
        if (dict.keys[i] == nullptr) {
          Any more = eval(dict.values[i], f);
          if (more.type_index() != kTVMFFIDict && more.type_index() != kTVMFFIMap) {
            raise("TypeError", dict.values[i]->span, "not-a-mapping", "'{}' object is not a mapping",
                  type_name_of(self, more));
          }
          for (const auto& [key, value] : *static_cast<ffi::MapBaseObj*>(raw_object(more))) {
            dict_set(self, result, plain_key(key), value);
          }
          continue;
        }
        Any key = eval(dict.keys[i], f);
        Any value = eval(dict.values[i], f);
        dict_set(self, result, key, value, dict.keys[i]->span);
      }
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
      raise("SyntaxError", expr->span, "misplaced-star", "can't use starred expression here");
    case ExprKind::kFormattedValue:
      return Any(nullptr);  // only inside of JoinedStr
    case ExprKind::kYield: {
      auto& yield = static_cast<const Yield&>(*expr);
      return yield_value(yield.value == nullptr ? Any(nullptr) : eval(yield.value, f), f, expr->span);
    }
    case ExprKind::kYieldFrom: {
      auto& yield = static_cast<const YieldFrom&>(*expr);
      return yield_all(eval(yield.value, f), f, expr->span);
    }
  }
  __builtin_unreachable();
}

}  // namespace mlc::script
