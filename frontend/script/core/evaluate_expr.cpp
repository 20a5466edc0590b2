// SPDX-License-Identifier: Apache-2.0
// Expressions. `run` answers those of every loop, by the code that the resolver gave them; the values of
// operands travel in registers, and variables of the frame lend theirs without counting a reference.
#include "frontend/script/core/hints.h"
#include "frontend/script/core/ir_values.h"
#include "frontend/script/core/machine.h"
#include "frontend/script/modules/traceback.h"
#include "frontend/script/types/arithmetic.h"
#include "frontend/script/types/written_compare.h"
#include "frontend/syntax/walk.h"
#include "ir/core/refusal.h"

namespace mlc::script {

static constexpr ir::Refusals refusals{
    "NameError",
    {
        {.name = "unbound-local",
         .meaning = "A function assigns to the name somewhere, which makes it a local one, and reads it "
                    "before. For the name outside of the function say `global` or `nonlocal`.",
         .wrong = R"(n = 0
def count():
    n += 1
count())",
         .right = R"(n = 0
def count():
    global n
    n += 1
count())"},
        {.name = "undefined-name", .message = "name '{}' is not defined"},
    }};
MLC_REFUSALS(core_evaluate_expr, refusals);

using namespace syntax;  // NOLINT: the names of the tree
using State = Evaluator::State;

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
        if (f.cls != nullptr && at->function != nullptr && class_binds(f.cls, name)) break;
        return value;  // unbound: what the function binds is not looked for farther out
      }
    }
  }
  if (const Any* global = f.module->find(name)) return global;
  return find_builtin(name);
}

namespace {

// What programs import under these names; data types are texts.
std::string missing_import(std::string_view name) {
  static constexpr std::pair<std::string_view, std::string_view> usual[] = {
      {"T", "from tvm.script import tirx as T"},
      {"I", "from tvm.script import ir as I"},
      {"tvm", "import tvm"},
      {"te", "from tvm import te"},
      {"tirx", "from tvm import tirx"},
      {"topi", "from tvm import topi"},
      {"np", "import numpy as np"},
      {"numpy", "import numpy"},
      {"math", "import math"},
      {"prim_func", "from tvm.script.tirx import prim_func"},
      {"ir_module", "from tvm.script.ir import ir_module"},
      {"sqrt", "from math import sqrt"},
      {"pi", "from math import pi"},
      {"reduce", "from functools import reduce"},
      {"partial", "from functools import partial"},
      {"defaultdict", "from collections import defaultdict"},
      {"deque", "from collections import deque"},
      {"Counter", "from collections import Counter"},
      {"namedtuple", "from collections import namedtuple"},
      {"OrderedDict", "from collections import OrderedDict"},
      {"dataclass", "from dataclasses import dataclass"},
      {"Path", "from pathlib import Path"},
      {"os", "import os"},
      {"sys", "import sys"},
      {"time", "import time"},
      {"json", "import json"},
      {"re", "import re"},
      {"random", "import random"},
      {"itertools", "import itertools"},
      {"functools", "import functools"},
      {"collections", "import collections"},
  };
  for (const auto& [known, statement] : usual) {
    if (name == known) return fmt::format("write `{}` at the top of the program", statement);
  }
  static constexpr std::pair<std::string_view, std::string_view> spelled_here[] = {
      {"true", "True"},       {"false", "False"},  {"null", "None"},     {"nil", "None"},
      {"NULL", "None"},       {"nullptr", "None"}, {"none", "None"},     {"TRUE", "True"},
      {"FALSE", "False"},     {"this", "self"},    {"xrange", "range"},  {"string", "str"},
      {"raw_input", "input"}, {"unicode", "str"},  {"unichr", "chr"},    {"long", "int"},
      {"boolean", "bool"},    {"array", "list"},   {"println", "print"}, {"printf", "print"},
      {"echo", "print"},      {"puts", "print"},   {"length", "len"},    {"Tensor", "R.Tensor"},
  };
  for (const auto& [foreign, own] : spelled_here) {
    if (name == foreign) return fmt::format("write `{}`", own);
  }
  for (std::string_view stem : {"float", "bfloat", "int", "uint"}) {
    if (name.size() <= stem.size() || !name.starts_with(stem)) continue;
    std::string_view bits = name.substr(stem.size());
    for (std::string_view width : {"8", "16", "32", "64"}) {
      if (bits == width) return fmt::format("data types are written as text: `\"{}\"`", name);
    }
  }
  return "";
}

// Whether a method asks for a name that its object has.
bool is_of_self(Symbol name, const Frame& f) {
  if (f.dynamic || f.info == nullptr || f.info->positional == 0 || f.function == nullptr ||
      as<ClassNode>(f.function->owner) == nullptr) {
    return false;
  }
  auto* cell = as<CellNode>(f.slots[0]);
  auto* self = as<InstanceNode>(cell != nullptr ? cell->value : f.slots[0]);
  return self != nullptr && (self->own(name) != nullptr || self->cls->find(name) != nullptr);
}

}  // namespace

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
  if (local && storage_of(f.info->names.at(name)) != Storage::kGlobal) {
    raise_as(refusals["unbound-local"].as("UnboundLocalError"), span,
             "cannot access local variable '{}' where it is not associated with a value", name.str());
  }
  std::string help = missing_import(name.str());
  if (help.empty() && is_of_self(name, f))
    help = fmt::format("did you mean `{}.{}`?", f.info->parameters[0].str(), name.str());
  throw ir::refuse(refusals["undefined-name"], name.str())
      .at(span)
      .help(help.empty() ? ir::did_you_mean(name.str(), candidates) : help);
}

namespace {

// Is this name inside of a comprehension, but for the iterable that is evaluated outside of it? To CPython
// that is a function of its own, and the variables of the one around it are free there.
class InComprehension final : public syntax::Visitor {
 public:
  explicit InComprehension(const Name& name) : id_(name.id), name_(name.span) {}
  bool found = false;
  bool enter(const syntax::Stmt& stmt) override { return holds(stmt.span); }
  bool enter(const Expr& expr) override {
    if (!holds(expr.span)) return false;
    if (auto* list = syntax::as<syntax::ListComp>(&expr)) look(list->generators);
    if (auto* set = syntax::as<syntax::SetComp>(&expr)) look(set->generators);
    if (auto* dict = syntax::as<syntax::DictComp>(&expr)) look(dict->generators);
    return true;
  }

 private:
  bool holds(ir::Span span) const {
    return span.file == name_.file && span.begin <= name_.begin && name_.end <= span.end;
  }
  // The innermost one decides; its own variables are local to it.
  void look(syntax::Seq<syntax::Comprehension> generators) {
    if (holds(generators[0]->iter->span)) return;
    Binds own(id_);
    for (const syntax::Comprehension* each : generators) syntax::walk(each->target, own);
    found = !own.found;
  }
  struct Binds final : syntax::Visitor {
    Symbol id;
    bool found = false;
    explicit Binds(Symbol id) : id(id) {}
    bool enter(const Expr& expr) override {
      if (auto* name = syntax::as<Name>(&expr)) found = found || name->id == id;
      return true;
    }
  };
  Symbol id_;
  ir::Span name_;
};
bool in_comprehension(const FunctionInfo* info, const Name& name) {
  if (info == nullptr) return false;
  InComprehension visitor(name);
  if (info->expr != nullptr) {
    syntax::walk(info->expr, visitor);
  } else {
    syntax::walk(info->body, visitor);
  }
  return visitor.found;
}

}  // namespace

Any State::load_slow(const Name& name, Frame& f) {
  if (storage_of(name.resolved) == Storage::kDynamic || f.dynamic) {
    const Any* found = find_dynamic(name.id, f);
    if (found != nullptr && !is_unbound(*found)) return *found;
    if (found != nullptr) {
      raise_as(refusals["unbound-local"], name.span,
               "cannot access free variable '{}' where it is not associated with a value in enclosing scope",
               name.id.str());
    }
  } else if (storage_of(name.resolved) == Storage::kCell && f.info != nullptr) {
    const FunctionInfo::Free* free = nullptr;
    for (const FunctionInfo::Free& each : f.info->free_variables) {
      if (each.slot == index_of(name.resolved)) free = &each;
    }
    if (free != nullptr && free->outer != kByName) {
      raise_as(refusals["unbound-local"], name.span,
               "cannot access free variable '{}' where it is not associated with a value in enclosing scope",
               name.id.str());
    }
    if (free != nullptr) {
      // A closure made where names are looked up by name takes globals by name too.
      if (const Any* found = f.module->find(name.id)) return *found;
      if (const Any* builtin = find_builtin(name.id)) return *builtin;
    }
  }
  if (name.id == known().cls && f.function != nullptr && as<ClassNode>(f.function->owner) != nullptr)
    return f.function->owner;
  bool unbound = storage_of(name.resolved) == Storage::kLocal || storage_of(name.resolved) == Storage::kCell;
  if (unbound && !f.dynamic && in_comprehension(f.info, name)) {
    raise_as(refusals["unbound-local"], name.span,
             "cannot access free variable '{}' where it is not associated with a value in enclosing scope",
             name.id.str());
  }
  if (storage_of(name.resolved) == Storage::kLocal && !f.dynamic) {
    raise_as(refusals["unbound-local"].as("UnboundLocalError"), name.span,
             "cannot access local variable '{}' where it is not associated with a value", name.id.str());
  }
  undefined(name.id, f, name.span);
}

bool plain_operator(BinOperator op, RawValue a, RawValue b, RawValue& out) {
  switch (op) {
    case BinOperator::kAdd:
      return plain_operator<BinOperator::kAdd>(a, b, out);
    case BinOperator::kSub:
      return plain_operator<BinOperator::kSub>(a, b, out);
    case BinOperator::kMult:
      return plain_operator<BinOperator::kMult>(a, b, out);
    case BinOperator::kDiv:
      return plain_operator<BinOperator::kDiv>(a, b, out);
    case BinOperator::kFloorDiv:
      return plain_operator<BinOperator::kFloorDiv>(a, b, out);
    case BinOperator::kMod:
      return plain_operator<BinOperator::kMod>(a, b, out);
    case BinOperator::kBitAnd:
      return plain_operator<BinOperator::kBitAnd>(a, b, out);
    case BinOperator::kBitOr:
      return plain_operator<BinOperator::kBitOr>(a, b, out);
    case BinOperator::kBitXor:
      return plain_operator<BinOperator::kBitXor>(a, b, out);
    default:
      return false;
  }
}

RawValue State::binary_of(const BinOp& op, OwnedValue left, OwnedValue right) {
  RawValue out;
  if (plain_operator(op.op, left.words, right.words, out)) return out;
  try {
    return release(self.binary(op.op, borrow(left.words), borrow(right.words), op.span));
  } catch (ir::Error& error) {
    operator_failed(error, self, op, borrow(left.words), borrow(right.words));
    throw;
  }
}

template <BinOperator op>
[[gnu::noinline]] RawValue State::run_binary(const BinOp& expr, Frame& f) {
  OwnedValue left = fetch(expr.left, f);
  OwnedValue right = fetch(expr.right, f);
  RawValue out;
  if (plain_operator<op>(left.words, right.words, out)) [[likely]]
    return out;
  return binary_of(expr, std::move(left), std::move(right));
}

RawValue State::compare_of(const Compare& compare, OwnedValue left, OwnedValue right) {
  try {
    return release(written_compare(*this, compare.ops[0], borrow(left.words), borrow(right.words), compare.span));
  } catch (ir::Error& error) {
    note_values(error, self, compare.span,
                {{compare.left, borrow(left.words)}, {compare.comparators[0], borrow(right.words)}});
    throw;
  }
}

namespace {
uint32_t order_of(const Compare& compare) { return compare.code - static_cast<uint32_t>(Code::kEq); }
}  // namespace

RawValue State::item_of(const Subscript& subscript, const RawValue& object, const RawValue& index) {
  if (index.type_index == kTVMFFIInt &&
      (object.type_index == kTVMFFIList || object.type_index == kTVMFFIArray)) {
    std::span<Any> all = elements(borrow(object));
    int64_t i = index.v_int64;
    if (i < 0) i += static_cast<int64_t>(all.size());
    if (i >= 0 && i < static_cast<int64_t>(all.size())) [[likely]]
      return copy(all[static_cast<size_t>(i)]);
  }
  try {
    return release(self.subscript(borrow(object), borrow(index), subscript.span, subscript.slice->span));
  } catch (ir::Error& error) {
    subscript_failed(error, self, subscript, borrow(object), borrow(index));
    throw;
  }
}

RawValue State::attribute_of(const Attribute& attribute, const Any& object) {
  if (object.type_index() == instance_type) {
    auto* instance = static_cast<InstanceNode*>(raw_object(object));
    const Any* member = instance->cls->find(attribute.attr);
    bool plain =
        member == nullptr || (as<PropertyNode>(*member) == nullptr && member->type_index() != instance_type);
    if (plain) {
      if (const Any* own = instance->own(attribute.attr, attribute.place)) return copy(*own);
    }
  }
  return release(
      self.attribute(object, attribute.attr, attribute.attr_span ? attribute.attr_span : attribute.span));
}

Any State::compare_chain(const Compare& compare, Frame& f) {
  Any left = eval(compare.left, f);
  for (size_t i = 0; i < compare.ops.size(); ++i) {
    Any right = eval(compare.comparators[i], f);
    bool last = i + 1 == compare.ops.size();
    int fast = plain_compare(compare.ops[i], raw_of(left), raw_of(right));
    if (fast >= 0) {
      if (last || fast == 0) return fast == 1;
    } else {
      Any result = written_compare(*this, compare.ops[i], left, right, compare.span);
      if (builds_ir(f) && is_ir_value(result) && !last)
        return ir_compare_chain(compare, i, std::move(result), right, f);
      if (last || !self.truth(result, compare.span)) return result;
    }
    left = std::move(right);
  }
  __builtin_unreachable();
}

[[gnu::noinline]] bool State::test_compare(const Compare& compare, Frame& f) {
  OwnedValue left = fetch(compare.left, f);
  OwnedValue right = fetch(compare.comparators[0], f);
  CmpOperator op = compare.ops[0];
  if (code_of(&compare) == Code::kCompare && (op == CmpOperator::kIn || op == CmpOperator::kNotIn)) {
    auto* set = as<SetNode>(borrow(right.words));
    bool found = set != nullptr ? set->contains(self, borrow(left.words))
                                : self.contains(borrow(right.words), borrow(left.words), compare.span);
    return found == (op == CmpOperator::kIn);
  }
  int plain = code_of(&compare) == Code::kCompare ? plain_compare(op, left.words, right.words)
                                                  : plain_order(order_of(compare), left.words, right.words);
  if (plain >= 0) [[likely]]
    return plain == 1;
  OwnedValue result(compare_of(compare, std::move(left), std::move(right)));
  return self.truth(borrow(result.words), compare.span);
}

bool State::test(const Expr* expr, Frame& f) {
  if (code_of(expr) >= Code::kEq && code_of(expr) <= Code::kCompare)
    return test_compare(static_cast<const Compare&>(*expr), f);
  return test_any(expr, f);
}
bool State::test_any(const Expr* expr, Frame& f) {
  if (expr->kind == ExprKind::kBoolOp) {
    auto* op = static_cast<const BoolOp*>(expr);
    bool stop_at = op->op == BoolOperator::kOr;
    for (const Expr* e : op->values) {
      if (test(e, f) == stop_at) return stop_at;
    }
    return !stop_at;
  }
  if (expr->kind == ExprKind::kUnaryOp) {
    auto* op = static_cast<const UnaryOp*>(expr);
    if (op->op == UnaryOperator::kNot) return !test(op->operand, f);
  }
  OwnedValue value = fetch(expr, f);
  if (value.type() == kTVMFFIBool || value.type() == kTVMFFIInt) return value.words.v_int64 != 0;
  return self.truth(borrow(value.words), expr->span);
}

[[gnu::noinline]] RawValue State::run_other_binary(const BinOp& op, Frame& f) {
  OwnedValue left = fetch(op.left, f);
  return binary_of(op, std::move(left), fetch(op.right, f));
}
[[gnu::noinline]] RawValue State::run_compare(const Compare& compare, Frame& f) {
  OwnedValue left = fetch(compare.left, f);
  OwnedValue right = fetch(compare.comparators[0], f);
  int plain = code_of(&compare) == Code::kCompare ? plain_compare(compare.ops[0], left.words, right.words)
                                                  : plain_order(order_of(compare), left.words, right.words);
  if (plain >= 0) return raw_bool(plain == 1);
  return compare_of(compare, std::move(left), std::move(right));
}
[[gnu::noinline]] RawValue State::run_subscript(const Subscript& subscript, Frame& f) {
  OwnedValue object = fetch(subscript.value, f);
  OwnedValue index = fetch(subscript.slice, f);
  return item_of(subscript, object.words, index.words);
}
[[gnu::noinline]] RawValue State::run_attribute(const Attribute& attribute, Frame& f) {
  OwnedValue object = fetch(attribute.value, f);
  return attribute_of(attribute, borrow(object.words));
}
[[gnu::noinline]] RawValue State::run_tuple(const syntax::Tuple& tuple, Frame& f) {
  Mark mark(*this);
  for (const Expr* e : tuple.elts) push(run(e, f));
  return release(Any(Tuple(std::make_move_iterator(mark.base), std::make_move_iterator(top))));
}
[[gnu::noinline]] RawValue State::run_yield(const Yield& yield, Frame& f) {
  return yield_value(yield.value == nullptr ? raw_none() : run(yield.value, f), f, yield.span);
}
[[gnu::noinline]] RawValue State::run_rare(const Expr* expr, Frame& f) { return release(eval_rare(expr, f)); }

// Only a jump: what needs registers of its own stands in functions of its own.
RawValue State::run(const Expr* expr, Frame& f) {
  switch (code_of(expr)) {
    case Code::kLocal: {
      auto* name = static_cast<const Name*>(expr);
      const Any& value = f.slots[index_of(name->resolved)];
      if (is_unbound(value)) [[unlikely]]
        break;
      return copy(value);
    }
    case Code::kName: {
      if (const Any* value = peek(expr, f)) return copy(*value);
      break;
    }
    case Code::kInt:
      return raw_int(static_cast<const Constant*>(expr)->integer);
    case Code::kPlain: {
      auto* constant = static_cast<const Constant*>(expr);
      if (constant->type == Constant::Type::kFloat) return raw_float(constant->real);
      if (constant->type == Constant::Type::kBool) return raw_bool(constant->boolean);
      return raw_none();
    }
    case Code::kText:
      return copy(resolver.text(*static_cast<const Constant*>(expr)));
    case Code::kAdd:
      return run_binary<BinOperator::kAdd>(static_cast<const BinOp&>(*expr), f);
    case Code::kSub:
      return run_binary<BinOperator::kSub>(static_cast<const BinOp&>(*expr), f);
    case Code::kMult:
      return run_binary<BinOperator::kMult>(static_cast<const BinOp&>(*expr), f);
    case Code::kDiv:
      return run_binary<BinOperator::kDiv>(static_cast<const BinOp&>(*expr), f);
    case Code::kFloorDiv:
      return run_binary<BinOperator::kFloorDiv>(static_cast<const BinOp&>(*expr), f);
    case Code::kMod:
      return run_binary<BinOperator::kMod>(static_cast<const BinOp&>(*expr), f);
    case Code::kBinary:
      return run_other_binary(static_cast<const BinOp&>(*expr), f);
    case Code::kEq:
    case Code::kNotEq:
    case Code::kLt:
    case Code::kLtE:
    case Code::kGt:
    case Code::kGtE:
    case Code::kCompare:
      return run_compare(static_cast<const Compare&>(*expr), f);
    case Code::kSubscript:
      return run_subscript(static_cast<const Subscript&>(*expr), f);
    case Code::kAttribute:
      return run_attribute(static_cast<const Attribute&>(*expr), f);
    case Code::kCall:
      return run_call(static_cast<const Call&>(*expr), f);
    case Code::kTuple:
      return run_tuple(static_cast<const syntax::Tuple&>(*expr), f);
    case Code::kYield:
      return run_yield(static_cast<const Yield&>(*expr), f);
    case Code::kByKind:
      break;
  }
  return run_rare(expr, f);
}

}  // namespace mlc::script
