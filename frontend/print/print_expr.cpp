// SPDX-License-Identifier: Apache-2.0
// Expressions: operators with as few parentheses as Python's precedence allows.
#include <algorithm>
#include <array>

#include "frontend/print/printer.h"
#include "ir/tir/op.h"

namespace mlc::print {

using namespace ir;  // NOLINT: the printer speaks of nothing else

namespace {

struct Operator {
  std::string_view symbol;  // empty: only the function form
  std::string_view function;
  Binding binding;
};

const Operator& operator_of(ExprKind kind) {
  // In the order of MLC_BINARY_KINDS.
  static constexpr std::array<Operator, 22> operators = {{
      {" + ", "Add", Binding::kSum},
      {" - ", "Sub", Binding::kSum},
      {" * ", "Mul", Binding::kProduct},
      {" / ", "Div", Binding::kProduct},
      {"", "truncmod", Binding::kAtom},
      {" // ", "FloorDiv", Binding::kProduct},
      {" % ", "FloorMod", Binding::kProduct},
      {"", "min", Binding::kAtom},
      {"", "max", Binding::kAtom},
      {" == ", "EQ", Binding::kCompare},
      {" != ", "NE", Binding::kCompare},
      {" < ", "LT", Binding::kCompare},
      {" <= ", "LE", Binding::kCompare},
      {" > ", "GT", Binding::kCompare},
      {" >= ", "GE", Binding::kCompare},
      {" and ", "And", Binding::kAnd},
      {" or ", "Or", Binding::kOr},
      {" & ", "BitwiseAnd", Binding::kBitAnd},
      {" | ", "BitwiseOr", Binding::kBitOr},
      {" ^ ", "BitwiseXor", Binding::kBitXor},
      {" << ", "LShift", Binding::kShift},
      {" >> ", "RShift", Binding::kShift},
  }};
  return operators[static_cast<size_t>(kind) - static_cast<size_t>(ExprKind::kAdd)];
}

bool is_constant(const Expr& e) { return e->kind == ExprKind::kIntImm || e->kind == ExprKind::kFloatImm; }
bool is_bare_number(const Expr& e) { return e->kind == ExprKind::kIntImm && e->dtype() == DataType::Int(32); }
bool is_number(const Expr& e, int64_t value) {
  if (auto* imm = as<IntImmNode>(e)) return imm->value == value;
  if (auto* imm = as<FloatImmNode>(e)) return imm->value == static_cast<double>(value);
  return false;
}

// `/` of integers asks which division is meant.
bool divides_integers(const BinaryNode* e) {
  DataType dtype = e->a->dtype();
  return e->kind == ExprKind::kDiv && (dtype.is_int() || dtype.is_uint());
}

using ir::view;

bool is_bitwise(ExprKind kind) {
  return kind == ExprKind::kBitwiseAnd || kind == ExprKind::kBitwiseOr || kind == ExprKind::kBitwiseXor ||
         kind == ExprKind::kLShift || kind == ExprKind::kRShift;
}

}  // namespace

// Measured against TVM's operator functions: two constants fold (not two float16), and so do x+0, x-0,
// x*0, x*1, x//1, 0//x, x%1, 0%x, x<<0, and everything with a constant beside `and` and `or`.
bool would_fold(const BinaryNode* e) {
  const Expr& a = e->a;
  const Expr& b = e->b;
  bool left = is_constant(a);
  bool right = is_constant(b);
  if (!left && !right) return false;
  DataType dtype = a->dtype();
  bool index = dtype.is_int() && (dtype.bits() == 32 || dtype.bits() == 64);
  bool both = left && right && (!dtype.is_floating() || (dtype.is_float() && dtype.bits() >= 32));
  switch (e->kind) {
    case ExprKind::kAdd:
      return both || is_number(a, 0) || is_number(b, 0);
    case ExprKind::kSub:
      return both || is_number(b, 0);
    case ExprKind::kMul:
      return both || is_number(a, 0) || is_number(b, 0) || is_number(a, 1) || is_number(b, 1);
    case ExprKind::kDiv:
      return both || is_number(b, 1) || is_number(a, 0);
    case ExprKind::kFloorDiv:
      return both || is_number(b, 0) || is_number(b, 1) || is_number(a, 0);
    case ExprKind::kFloorMod:
      if (!index) return both && dtype.is_uint();
      return both || is_number(b, 0) || is_number(b, 1) || is_number(a, 0);
    case ExprKind::kEQ:
    case ExprKind::kNE:
    case ExprKind::kLT:
    case ExprKind::kLE:
    case ExprKind::kGT:
    case ExprKind::kGE:
      return left && right;
    case ExprKind::kAnd:
    case ExprKind::kOr:
      return true;
    case ExprKind::kBitwiseAnd:
    case ExprKind::kBitwiseOr:
    case ExprKind::kBitwiseXor:
      return index && both;
    case ExprKind::kLShift:
    case ExprKind::kRShift:
      return index && (both || is_number(b, 0));
    default:
      return false;
  }
}

Expr Printer::end_of(const Expr& min, const Expr& extent) {
  auto* a = as<IntImmNode>(min);
  auto* b = as<IntImmNode>(extent);
  if (a && a->value == 0) return extent;
  if (b && b->value == 0) return min;
  if (a && b) return int_imm(min->dtype(), a->value + b->value);
  return make<AddNode>(min, extent);
}

Binding Printer::binding(const Expr& e) const {
  switch (e->kind) {
    case ExprKind::kNot:
      return Binding::kNot;
    case ExprKind::kBitwiseNot:
      return classic() || is_bare_number(as<BitwiseNotNode>(e)->a) ? Binding::kAtom : Binding::kUnary;
    default:
      break;
  }
  const BinaryNode* two = as_binary(e);
  if (!two) return Binding::kAtom;
  const Operator& op = operator_of(e->kind);
  if (op.symbol.empty() || would_fold(two)) return Binding::kAtom;
  if (divides_integers(two)) return Binding::kAtom;
  if (classic() && is_bitwise(e->kind)) return Binding::kAtom;
  return op.binding;
}

void Printer::operand(const Expr& e, Binding at_least) {
  if (binding(e) >= at_least) return expr(e);
  put("(");
  expr(e);
  put(")");
}

void Printer::exprs(const char* attr, const Array<Expr>& all) {
  list(all, [&](const Expr& e, int64_t i) {
    At at(*this, attr, i);
    expr(e);
  });
}

// TVM names the field twice in the paths of indices.
void Printer::indices(const char* attr, const Array<Expr>& list) {
  put("[");
  if (list.empty()) put("()");
  At at(*this, attr);
  exprs(attr, list);
  put("]");
}

void Printer::binary(const BinaryNode* e) {
  const Operator& op = operator_of(e->kind);
  bool function = classic() && is_bitwise(e->kind);
  if (op.symbol.empty() || divides_integers(e) || function || would_fold(e)) {
    return call_of(op.function, {{"a", e->a}, {"b", e->b}});
  }
  operand("a", e->a, op.binding);
  put(op.symbol);
  operand("b", e->b, static_cast<Binding>(static_cast<int>(op.binding) + 1));
}

void Printer::number(DataType dtype, int64_t value) {
  bool bare = graph_ || (!dtype.is_bool() && dtype.str() == options_.int_dtype);
  bool whole = dtype == DataType::UInt(64);
  if (!bare) {
    tir(dtype.str());
    put("(");
  }
  {
    At at(*this, "value");
    Mark mark(*this, nullptr);
    if (dtype.is_bool()) {
      put(value ? "True" : "False");
    } else {
      put(whole ? std::to_string(static_cast<uint64_t>(value)) : std::to_string(value));
    }
  }
  if (!bare) put(")");
}
void Printer::number(DataType dtype, double value) {
  std::string name = dtype.str();
  bool bare = name == options_.float_dtype;
  if (!bare) {
    tir(name);
    put("(");
  }
  {
    At at(*this, "value");
    Mark mark(*this, nullptr);
    // Whole numbers had no `.0`; `-0` would become an integer, which has no sign there.
    bool is_short = classic() && !bare && std::isfinite(value) && (value != 0 || !std::signbit(value));
    put(is_short ? fmt::format("{:.17g}", value) : float_text(value));
  }
  if (!bare) put(")");
}

void Printer::expr(const Expr& e) {
  Mark mark(*this, e.get());
  if (const BinaryNode* two = as_binary(e)) return binary(two);
  if (is_graph_kind(e->kind)) return graph_expr(e);
  dispatch(e, overloaded{
                  [&](const VarNode* n) { put(name_of(n)); },
                  [&](const GlobalVarNode* n) {
                    if (graph_) return global_var(n);
                    if (module_) return put(module_name_, ".", view(n->name_hint));
                    ir_name("GlobalVar");
                    put("(", literal(view(n->name_hint)), ")");
                  },
                  [&](const IntImmNode* n) { number(n->dtype(), n->value); },
                  [&](const FloatImmNode* n) { number(n->dtype(), n->value); },
                  [&](const StringImmNode* n) {
                    if (!graph_) return text_literal("ir.StringImm", n->value);
                    relax_name("str");
                    put("(", literal(view(n->value)), ")");
                  },
                  [&](const OpNode* n) {
                    ir_name("Op");
                    put("(", literal(view(n->name)), ")");
                  },
                  [&](const CallNode* n) { call(n); },
                  [&](const TupleNode* n) {
                    if (graph_ && n->elements.empty()) {
                      relax_name("tuple");
                      return put("()");
                    }
                    put("(");
                    exprs("fields", n->elements);
                    put(n->elements.size() == 1 ? ",)" : ")");
                  },
                  [&](const TupleGetItemNode* n) {
                    expr("tuple_value", n->tuple_value);
                    put("[", std::to_string(n->index), "]");
                  },
                  [&](const TensorLoadNode* n) {
                    if (tensor_load(n)) return;
                    {
                      At at(*this, "source");
                      Mark source(*this, n->source.get());
                      put(name_of(n->source.get()));
                    }
                    if (!scalars_.contains(n->source.get())) indices("indices", n->indices);
                  },
                  [&](const TensorRegionNode* n) { region(n); },
                  [&](const BinaryNode* n) { binary(n); },
                  [&](const NotNode* n) {
                    put("not ");
                    operand("a", n->a, Binding::kNot);
                  },
                  [&](const BitwiseNotNode* n) {
                    if (classic() || is_bare_number(n->a)) {  // Python would reckon `~31`
                      return call_of("BitwiseNot", {{"a", n->a}});
                    }
                    put("~");
                    operand("a", n->a, Binding::kUnary);
                  },
                  [&](const CastNode* n) {
                    call_of("Cast", [&] {
                      dtype_literal(n->dtype());
                      put(", ");
                      expr("value", n->value);
                    });
                  },
                  [&](const SelectNode* n) {
                    call_of("Select", {{"condition", n->condition},
                                       {"true_value", n->true_value},
                                       {"false_value", n->false_value}});
                  },
                  [&](const RampNode* n) {
                    call_of("Ramp", {{"base", n->base}, {"stride", n->stride}, {"lanes", n->lanes}});
                  },
                  [&](const BroadcastNode* n) {
                    call_of("Broadcast", {{"value", n->value}, {"lanes", n->lanes}});
                  },
                  [&](const ShuffleNode* n) {
                    tir("Shuffle");
                    put("([");
                    exprs("vectors", n->vectors);
                    put("], [");
                    exprs("indices", n->indices);
                    put("])");
                  },
                  [&](const LetNode* n) {
                    // Variables are declared in the order of evaluation: those of the value, this one, those
                    // of the body.
                    if (declaring_) {
                      expr(n->value);
                      name_of(n->var.get());
                      return expr(n->body);
                    }
                    bool declared = std::exchange(lets_declared_, true);
                    if (!declared) declare_all(e);
                    tir("Let");
                    put("(");
                    expr("body", n->body);
                    put(", where={");
                    put(name_of(n->var.get()), ": ");
                    expr("value", n->value);
                    put("})");
                    lets_declared_ = declared;
                  },
                  [&](const ReduceNode* n) { reduce(n); },
              });
}

void Printer::call(const CallNode* e) {
  if (is_graph_call(e)) return graph_call(e);
  if (auto* op = as<OpNode>(e->op)) return op_call(e, op);
  if (auto* global = as<GlobalVarNode>(e->op)) {
    if (auto sum = e->attrs.find("sum"); sum != e->attrs.end() && view(global->name_hint) == "iter_sum")
      return nameless("sym.IterSumExpr", (*sum).second.cast<ffi::ObjectRef>().get());
    // One that the module does not have is a name alone.
    if (module_ && functions_.count(view(global->name_hint)) != 0) put(module_name_, ".");
    put(view(global->name_hint));
  } else {
    expr("op", e->op);
  }
  put("(");
  exprs("args", e->args);
  put(")");
}

void Printer::op_call(const CallNode* e, const OpNode* op) {
  std::string_view name = view(op->name);
  if (name == "tirx.buffer_data" && e->args.size() == 1) {
    At at(*this, "args", 0);
    expr(e->args[0]);
    // The name of a scalar alone means its element.
    auto* var = as<VarNode>(e->args[0]);
    if (var && scalars_.contains(var)) put(".source");
    return put(".data");
  }
  const OpRow& row = op_row(op);
  std::string_view spelling = row.spelling.empty() ? name.substr(name.find('.') + 1) : row.spelling;
  if (spelling.starts_with("tvm_call_") && !spelling.starts_with("tvm_call_trace_"))
    spelling.remove_prefix(4);
  tir(spelling);
  put("(");
  DtypePlace place = row.dtype_place;
  auto data_type = [&] {
    if (!e->dtype().is_handle()) return dtype_literal(e->dtype());
    if (!classic()) {
      type(e->ty);
      return put(out_.back() == ')' ? ".ty" : "().ty");
    }
    Capture pointer(*this);
    type(e->ty);
    std::string text = pointer.take();
    if (text != options_.tir_prefix + ".handle") not_classic(fmt::format("a call that gives `{}`", text));
    put("\"handle\"");
  };
  if (place == DtypePlace::kFirst) {
    data_type();
    if (!e->args.empty()) put(", ");
  }
  if (classic() && !e->attrs.empty()) not_classic(fmt::format("attributes of a call of `{}`", spelling));
  if (name == "tirx.cuda.func_call" || !e->attrs.empty()) {
    keyword_call(e, name);
  } else {
    exprs("args", e->args);
  }
  if (place == DtypePlace::kLast) {
    if (!e->args.empty()) put(", ");
    data_type();
  }
  put(")");
}

// Arguments of a call that has some by name.
void Printer::keyword_call(const CallNode* e, std::string_view name) {
  bool source = name == "tirx.cuda.func_call" && !e->args.empty();
  Array<Expr> args = e->args;
  if (source) args.pop_back();
  exprs("args", args);
  std::string_view separator = args.empty() ? "" : ", ";
  auto keyword = [&](std::string_view key) {
    put(separator, key, "=");
    separator = ", ";
  };
  if (source) {
    keyword("source_code");
    {
      At at(*this, "args", static_cast<int64_t>(args.size()));
      // A text of several lines, but here it stands where it is.
      auto* text = as<StringImmNode>(e->args.back());
      if (text) {
        put(literal(view(text->value)));
      } else {
        expr(e->args.back());
      }
    }
    if (!e->dtype().is_void()) {
      keyword("return_type");
      if (e->ty->kind == TypeKind::kPrim) {
        dtype_literal(e->dtype());
      } else {
        // A type as a value is that of a variable: `T.handle().ty`, `T.handle("float32", "global").ty`.
        size_t begin = out_.size();
        type(e->ty);
        put(out_.size() > begin && out_.back() == ')' ? ".ty" : "().ty");
      }
    }
  }
  // In the order of the functions' signatures.
  static constexpr std::string_view kKeys[] = {"launch_params", "descriptor_dtype", "rank",
                                               "interleave",    "swizzle",          "l2_promotion",
                                               "oob_fill",      "force_cu_dtype"};
  for (std::string_view key : kKeys) {
    auto found = e->attrs.find(String(std::string(key)));
    if (found == e->attrs.end()) continue;
    keyword(key);
    value((*found).second);
  }
  if (name == "tirx.call_ffi_kernel") {
    keyword("ret_ty");
    dtype_literal(e->dtype());
  }
  if (auto lazy = e->attrs.find("lazy_args"); lazy != e->attrs.end()) {
    keyword("lazy_args");
    auto indices = (*lazy).second.cast<Array<Any>>();
    put("(");
    list(indices, [&](const Any& index, int64_t) { value(index); });
    put(indices.size() == 1 ? ",)" : ")");
  }
}

void Printer::comm_reducer(const CommReducerNode* combiner) {
  Array<Var> vars = combiner->lhs;
  for (const Var& var : combiner->rhs) vars.push_back(var);
  tir("comm_reducer");
  put("(");
  lambda(combiner, vars, [&] {
    bool several = combiner->result.size() != 1;
    if (several) put("(");
    exprs("result", combiner->result);
    put(several ? "), [" : ", [");
    exprs("identity_element", combiner->identity_element);
    put("])");
  });
}

void Printer::reduce(const ReduceNode* n) {
  tir("reduce");
  put("(");
  {
    At at(*this, "combiner");
    comm_reducer(n->combiner.get());
  }
  put(", source=[");
  exprs("source", n->source);
  put("], init=[");
  exprs("init", n->init);
  put("], axis=[");
  list(n->axis, [&](const IterVar& iter, int64_t i) {
    At at(*this, "axis", i);
    iter_var(iter.get());
  });
  put("], condition=");
  expr("condition", n->condition);
  put(", value_index=", std::to_string(n->value_index), ")");
}

}  // namespace mlc::print
