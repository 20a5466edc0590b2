// SPDX-License-Identifier: Apache-2.0
#include "frontend/script/core/ir_values.h"

#include "frontend/script/types/equality.h"
#include "frontend/script/types/wide_int.h"

#include <cmath>
#include <limits>

#include "frontend/script/core/graph_values.h"
#include "frontend/script/core/machine.h"
#include "frontend/script/core/missing_type.h"
#include "ir/core/error_kinds.h"
#include "ir/core/refusal.h"
#include "ir/core/try_get.h"
#include "ir/core/visit.h"
#include "ir/relax/expr.h"
#include "ir/tir/arith_ops.h"
#include "ir/tir/linear.h"
#include "ir/tir/op.h"

namespace mlc::script {

static constexpr ir::Refusals refusals{
    "ValueError",
    {
        {.name = "buffer-as-value",
         .kind = "TypeError",
         .message = "`{}` on the buffer `{}`, which is no value"},
        {.name = "not-subscriptable",
         .meaning = "Only buffers, tuples and lists have elements.",
         .wrong = R"(@T.prim_func(s_tir=True)
def f(A: T.Buffer((16,), "float32"), n: T.int32):
    A[0] = n[0])",
         .right = R"(@T.prim_func(s_tir=True)
def f(A: T.Buffer((16,), "float32"), n: T.int32):
    A[0] = A[1])"},
        {.name = "slice-with-step",
         .message = "a region of a buffer has no step",
         .help = "write `A[start:stop]`",
         .meaning = "A region of a buffer is a box without gaps.",
         .wrong = R"(@T.prim_func(s_tir=True)
def f(A: T.Buffer((16,), "float32"), n: T.int32):
    x: T.let = A[0:8:2])",
         .right = R"(@T.prim_func(s_tir=True)
def f(A: T.Buffer((16,), "float32"), n: T.int32):
    x: T.let = A[T.Ramp(0, 2, 4)])"},
        {.name = "unsupported-operator",
         .meaning = "The operator has no meaning for these values.",
         .wrong = R"(@T.prim_func(s_tir=True)
def f(A: T.Buffer((16,), "float32"), n: T.int32):
    T.evaluate(n ** 2))",
         .right = R"(@T.prim_func(s_tir=True)
def f(A: T.Buffer((16,), "float32"), n: T.int32):
    T.evaluate(n * n))"},
        {.name = "vector-index",
         .kind = "InternalError",
         .message = "only the last index may be a vector, this is index {} of `{}`"},
    }};
MLC_REFUSALS(core_ir_values, refusals);

namespace {

using ir::Array;
using ir::DataType;
using ir::Error;
using ir::Expr;
using ir::ExprNode;
using syntax::BinOperator;
using syntax::CmpOperator;

// The expression in `value`, an IterVar's variable included; null for plain script values.
Expr expr_in(const Any& value) {
  if (!is_object(value)) return nullptr;
  if (auto expr = ir::try_get<Expr>(settled(value)))
    return value.as<ir::BaseFuncNode>() ? Expr(nullptr) : *expr;  // functions are called, not reckoned with
  if (auto* iter = value.as<ir::IterVarNode>()) return iter->var;
  return nullptr;
}

Expr number(const Any& given, Span span) {
  Any value = is_object(given) ? plain_number(given) : given;
  // A member of an enumeration is its number.
  if (auto* instance = as<InstanceNode>(value); instance != nullptr && is_int(instance->payload))
    value = instance->payload;
  if (is_int(value)) {
    int64_t v = raw_int(value);
    bool narrow = v >= INT32_MIN && v <= INT32_MAX;
    DataType dtype = DataType::Int(narrow ? 32 : 64);
    return span ? Expr(ir::make<ir::IntImmNode>(dtype, v, span)) : Expr(ir::int_imm(dtype, v));
  }
  if (as_wide(value) != nullptr) {
    std::optional<uint64_t> fits = unsigned_of(value);
    if (!fits) {
      raise("ValueError", span, "literal-out-of-range", "{} does not fit into 64 bits", whole_text(value));
    }
    return ir::make<ir::IntImmNode>(DataType::UInt(64), static_cast<int64_t>(*fits), span);
  }
  if (is_float(value)) {
    double real = raw_float(value);
    if (std::isfinite(real) && std::abs(real) > std::numeric_limits<float>::max()) {
      throw Error("literal-out-of-range", "{} does not fit into `float32`, which a plain float is", real)
          .at(span)
          .help("write its type: `T.float64(...)`, in a script `tirx.const(..., \"float64\")`");
    }
    return ir::make<ir::FloatImmNode>(DataType::Float(32), real, span);
  }
  if (is_bool(value)) return ir::bool_imm(raw_int(value) != 0);
  return nullptr;
}

// Where `e` is used: a variable's own span is that of its definition.
Span use_of(const Expr& e, Span span) { return e->kind == ir::ExprKind::kVar || !e->span ? span : e->span; }

[[noreturn]] void unsupported(std::string_view op, const Any& a, const Any& b, Span span) {
  throw ir::refuse_as(refusals["unsupported-operator"], "`{}` is not defined for `{}` and `{}`", op,
                      ir::type_name(a), ir::type_name(b))
      .at(span)
      .kind(is_none(a) || is_none(b) ? ir::kNothingGiven : "TypeError");
}

// `A[i, 4:8]` as a value: the vector of these elements. Null where the region is no vector: several rows, a
// length that is not constant, a whole row of a matrix (which is more likely an index forgotten).
Expr vector_load(const ir::TensorRegionNode* region, Span span) {
  const auto& shape = region->source->buffer()->shape;
  Array<Expr> indices;
  auto last = static_cast<int64_t>(region->region.size()) - 1;
  for (int64_t i = 0; i <= last; ++i) {
    const ir::Range& range = region->region[i];
    auto extent = ir::const_int(range->extent);
    if (!extent || *extent < 1 || (i < last && *extent != 1)) return nullptr;
    if (*extent == 1) {
      indices.push_back(range->min);
      continue;
    }
    if (last > 0 && ir::const_int(shape[i]) == extent) return nullptr;
    indices.push_back(ir::make<ir::RampNode>(range->min, ir::const_like(range->min, 1),
                                             ir::int32(static_cast<int>(*extent)), span));
  }
  return ir::make<ir::TensorLoadNode>(region->source, std::move(indices), region->span);
}

// An operand of arithmetic: a primitive value. Buffers and regions are none.
Expr operand(const Any& value, std::string_view op, const Any& a, const Any& b, Span span) {
  Expr e = expr_in(value);
  if (!e) e = number(value, {});
  if (!e) unsupported(op, a, b, span);
  if (auto* region = ir::as<ir::TensorRegionNode>(e)) {
    if (Expr load = vector_load(region, span)) return load;
    const auto& shape = region->source->buffer()->shape;
    size_t given = shape.size();  // dimensions ahead of those that are whole
    while (given > 0 && ir::structural_equal(region->region[given - 1]->extent, shape[given - 1])) --given;
    std::string name = region->source->name.c_str();
    Error error =
        given == shape.size()
            ? Error("region-as-value", "`{}` on a region of `{}`, which is no vector", op, name)
            : Error("region-as-value", "`{}` on a region of `{}`: of its {} dimensions, {} {} one index", op,
                    name, shape.size(), given, given == 1 ? "has" : "have");
    throw std::move(error)
        .at(use_of(e, span))
        .kind("TypeError")
        .help(
            "index every dimension with an expression, the last one perhaps with a slice of constant length");
  }
  if (auto* var = ir::as<ir::VarNode>(e); var && var->buffer()) {
    throw ir::refuse(refusals["buffer-as-value"], op, var->name.c_str())
        .at(span)
        .note("the buffer is declared here", var->span)
        .help(fmt::format("index it: `{}[...]`", var->name.c_str()));
  }
  if (e->ty->kind != ir::TypeKind::kPrim) unsupported(op, a, b, span);
  return e;
}

// For `&`, `<<`, ...: a script number takes the other operand's type.
Expr like(const Any& value, const Expr& other, Expr own) {
  return is_object(value) || is_float(value) ? own : ir::cast(other->dtype(), std::move(own));
}

// For `==`, in functions that are built for `<` too: a number in the type of what it is compared with, unless
// that would lose its fraction.
Expr like_compared(const Expr& number, const Expr& other, bool is_float) {
  DataType dtype = other->dtype();
  if (other->ty->kind != ir::TypeKind::kPrim || (is_float && !dtype.is_floating())) return number;
  return ir::cast(dtype.element(), number);
}

Expr index_expr(const Any& value, Span span) {
  Expr e = expr_in(value);
  if (!e) e = number(value, span);
  if (!e || e->ty->kind != ir::TypeKind::kPrim) {
    raise("NotImplementedError+TypeError", span, "index-not-integer",
          "an index must be an integer expression, got `{}`", ir::type_name(value));
  }
  if (!e->dtype().is_int() && !e->dtype().is_uint() && !e->dtype().is_bool()) {
    raise("TypeError", use_of(e, span), "index-not-integer", "an index must be an integer, this one is `{}`",
          e->dtype().str());
  }
  return e;
}

Any subscript_buffer(const ir::VarNode* buffer, std::span<const Any> indices, Span span,
                     const ir::Simplify& simplify) {
  const ir::BufferTypeNode* type = buffer->buffer();
  size_t rank = type->shape.size();
  bool has_slice =
      std::any_of(indices.begin(), indices.end(), [](const Any& i) { return as<SliceNode>(i) != nullptr; });
  if (indices.size() > rank || (indices.size() < rank && rank > 0 && indices.empty())) {
    throw Error("wrong-number-of-indices", "`{}` has {} dimension{}, got {} ind{}", buffer->name.c_str(),
                rank, rank == 1 ? "" : "s", indices.size(), indices.size() == 1 ? "ex" : "ices")
        .at(span)
        .kind("IndexError")
        .note("the buffer is declared here", buffer->span);
  }
  ir::Var source = ir::ref(buffer);
  if (indices.size() == rank && !has_slice) {
    Array<Expr> at;
    at.reserve(static_cast<int64_t>(rank));
    for (size_t i = 0; i < rank; ++i) {
      Expr index = index_expr(indices[i], {});
      if (i + 1 < rank && index->dtype().is_vector()) {
        throw ir::refuse(refusals["vector-index"], i, buffer->name.c_str()).at(span);
      }
      at.push_back(std::move(index));
    }
    return ir::Expr(ir::make<ir::TensorLoadNode>(std::move(source), std::move(at), span));
  }
  // Slices, and the dimensions that are not mentioned: a region.
  Array<ir::Range> region;
  for (size_t i = 0; i < rank; ++i) {
    Expr extent = type->shape[static_cast<int64_t>(i)];
    if (i >= indices.size()) {
      region.push_back(ir::make<ir::RangeNode>(ir::const_like(extent, 0), extent));
      continue;
    }
    if (auto* slice = as<SliceNode>(indices[i])) {
      if (!is_none(slice->step) && !(is_int(slice->step) && raw_int(slice->step) == 1)) {
        throw ir::refuse(refusals["slice-with-step"]).at(span);
      }
      Expr begin = is_none(slice->start) ? ir::const_like(extent, 0) : index_expr(slice->start, span);
      Expr end = is_none(slice->stop) ? extent : index_expr(slice->stop, span);
      ir::match_types(begin, end, span);
      Expr length = ir::simplified(ir::difference(end, begin), simplify);
      region.push_back(ir::make<ir::RangeNode>(std::move(begin), std::move(length)));
    } else {
      Expr index = index_expr(indices[i], span);
      if (auto* ramp = ir::as<ir::RampNode>(index)) {
        region.push_back(ir::make<ir::RangeNode>(ramp->base, ramp->lanes));
      } else {
        region.push_back(ir::make<ir::RangeNode>(index, ir::const_like(index, 1)));
      }
    }
  }
  return ir::Expr(ir::make<ir::TensorRegionNode>(std::move(source), std::move(region), span));
}

// A dimension, counted from the end when negative.
Any shape_item(const relax::ShapeExprNode* shape, const Any& index, Span span) {
  auto size = static_cast<int64_t>(shape->values.size());
  if (!is_int(index))
    raise("TypeError", span, "index-not-integer", "a dimension of a shape is chosen by an integer");
  int64_t at = raw_int(index);
  if (at < -size || at >= size)
    raise("IndexError", span, "index-out-of-range", "index {} is outside a shape of {} dimensions", at, size);
  return shape->values[at < 0 ? at + size : at];
}

std::optional<Any> buffer_attribute(const ir::VarNode* buffer, std::string_view name, Span span) {
  const ir::BufferTypeNode* type = buffer->buffer();
  if (name == "data") {
    ir::Type pointer =
        ir::make<ir::PointerTypeNode>(ir::Type(ir::prim_type(type->dtype)), type->storage_scope);
    static const ir::Op op = ir::op("tirx.buffer_data");
    return Any(Expr(
        ir::make<ir::CallNode>(pointer, op, Array<Expr>{ir::ref(buffer)}, ir::Map<String, Any>{}, span)));
  }
  if (name == "shape") return Any(type->shape);
  if (name == "strides") return Any(type->strides);
  if (name == "dtype") return Any(DLDataType(type->dtype));
  if (name == "elem_offset") return type->elem_offset ? Any(type->elem_offset) : Any(nullptr);
  if (name == "data_alignment") return Any(type->data_alignment);
  if (name == "offset_factor") return Any(type->offset_factor);
  if (name == "storage_scope") return Any(type->storage_scope);
  if (name == "layout") return type->layout.defined() ? Any(type->layout) : Any(nullptr);
  if (name == "allocated_addr") return Any(type->allocated_addr);
  if (name == "ndim") return Any(static_cast<int64_t>(type->shape.size()));
  return std::nullopt;
}

}  // namespace

bool is_ir_value(const Any& value) {
  if (!is_object(value)) return false;
  return value.as<ExprNode>() != nullptr || value.as<ir::IterVarNode>() != nullptr;
}

Expr region_value(const Expr& e) {
  auto* region = ir::as<ir::TensorRegionNode>(e);
  Expr load = region ? vector_load(region, e->span) : Expr();
  return load ? load : e;
}

std::optional<Expr> to_expr(const Any& value, Span span) {
  Expr e = expr_in(value);
  if (!e) e = number(value, span);
  if (!e) return std::nullopt;
  return e;
}

Expr as_expr(const Any& value, Span span, std::string_view wanted_for) {
  if (auto e = to_expr(value, span)) return *e;
  throw Error("wrong-type", "expected an expression as {}, got `{}`", wanted_for, ir::type_name(value))
      .at(span)
      .kind(is_none(value) ? ir::kNothingGiven : "TypeError");
}

Any ir_binary(BinOperator op, const Any& a, const Any& b, Span span) {
  if (is_graph_value(a) || is_graph_value(b)) return graph_binary(op, a, b, span);
  std::string_view sign = syntax::spelling(op);
  Expr x = operand(a, sign, a, b, span);
  Expr y = operand(b, sign, a, b, span);
  switch (op) {
    case BinOperator::kAdd:
      return ir::add(std::move(x), std::move(y), span);
    case BinOperator::kSub:
      return ir::sub(std::move(x), std::move(y), span);
    case BinOperator::kMult:
      return ir::mul(std::move(x), std::move(y), span);
    case BinOperator::kDiv:
      return ir::div(std::move(x), std::move(y), span);
    case BinOperator::kFloorDiv:
      return ir::floordiv(std::move(x), std::move(y), span);
    case BinOperator::kMod:
      return ir::floormod(std::move(x), std::move(y), span);
    case BinOperator::kPow:
      throw ir::refuse_as(refusals["unsupported-operator"], "`**` is not defined for expressions")
          .at(span)
          .kind("TypeError")
          .help("use `T.pow(a, b)` on floats");
    case BinOperator::kMatMult:
      unsupported(sign, a, b, span);
    default:
      break;
  }
  x = like(a, y, x);
  y = like(b, x, y);
  switch (op) {
    case BinOperator::kLShift:
      return ir::shift_left(std::move(x), std::move(y), span);
    case BinOperator::kRShift:
      return ir::shift_right(std::move(x), std::move(y), span);
    case BinOperator::kBitOr:
      return ir::bitwise_or(std::move(x), std::move(y), span);
    case BinOperator::kBitXor:
      return ir::bitwise_xor(std::move(x), std::move(y), span);
    default:
      return ir::bitwise_and(std::move(x), std::move(y), span);
  }
}

Any ir_unary(syntax::UnaryOperator op, const Any& a, Span span) {
  if (is_graph_value(a)) return graph_unary(op, a, span);
  Expr x = operand(a, syntax::spelling(op), a, a, span);
  switch (op) {
    case syntax::UnaryOperator::kInvert:
      if (x->ty->kind == ir::TypeKind::kPrim && x->dtype().is_floating()) {
        raise("RuntimeError", use_of(x, span), "type-mismatch", "`~` needs integers, got `{}`",
              x->dtype().str());
      }
      return ir::bitwise_not(std::move(x), span);
    case syntax::UnaryOperator::kUSub:
      return ir::neg(std::move(x), span);
    case syntax::UnaryOperator::kNot:
      if (!x->dtype().is_bool()) {
        throw Error("type-mismatch", "`not` needs a bool, got `{}`", x->dtype().str())
            .at(span)
            .help("compare it: `x == 0`");
      }
      return Expr(ir::make<ir::NotNode>(std::move(x), span));
    default:
      break;
  }
  throw ir::refuse_as(refusals["unsupported-operator"], "unary `+` is not defined for `{}`", ir::type_name(a))
      .at(span)
      .kind("TypeError");
}

Any ir_compare(CmpOperator op, const Any& a, const Any& b, Span span, bool builds) {
  switch (op) {
    case CmpOperator::kIs:
    case CmpOperator::kIsNot: {
      bool same = is_object(a) && is_object(b) && raw_object(a) == raw_object(b);
      return same == (op == CmpOperator::kIs);
    }
    case CmpOperator::kIn:
    case CmpOperator::kNotIn:
      unsupported(syntax::spelling(op), a, b, span);
    default:
      break;
  }
  bool equality = op == CmpOperator::kEq || op == CmpOperator::kNotEq;
  if (is_graph_value(a) || is_graph_value(b)) {
    if (!equality) return graph_compare(op, a, b, span);
    bool same = is_object(a) && is_object(b) && raw_object(a) == raw_object(b);
    return same == (op == CmpOperator::kEq);
  }
  // Texts of the IR are compared with each other and with strings by their words.
  if (equality && (a.as<ir::StringImmNode>() != nullptr || b.as<ir::StringImmNode>() != nullptr)) {
    auto words = [](const Any& value) -> std::optional<std::string_view> {
      if (auto* text = value.as<ir::StringImmNode>())
        return std::string_view(text->value.data(), text->value.size());
      if (is_str(value)) return text_of(value);
      return std::nullopt;
    };
    auto x = words(a), y = words(b);
    return (x && y && *x == *y) == (op == CmpOperator::kEq);
  }
  // Nothing else of the IR equals a list, None or a string; to ask for it in a function that is built is a
  // mistake.
  for (const Any* one : {&a, &b}) {
    if (!is_none(*one) && !is_str(*one)) continue;
    if (!builds && equality) return op == CmpOperator::kNotEq;
    throw ir::refuse_as(refusals["unsupported-operator"], "`{}` is not defined for `{}` and `{}`",
                        syntax::spelling(op), ir::type_name(a), ir::type_name(b))
        .at(span)
        .kind(is_none(*one) ? ir::kNothingGiven : "TypeError")
        .help(is_none(*one) ? "ask for identity: `x is None`" : "");
  }
  bool comparable = to_expr(a).has_value() && to_expr(b).has_value();
  if (!comparable && op == CmpOperator::kEq) return false;
  if (!comparable && op == CmpOperator::kNotEq) return true;
  if (comparable && equality) {
    // Buffers, pointers and functions are compared by identity. In functions that are built a script number
    // takes the type of the other side; elsewhere it has its own, as in sums.
    Expr x = *to_expr(a);
    Expr y = *to_expr(b);
    if (builds && !is_object(a)) x = like_compared(x, y, is_float(a));
    if (builds && !is_object(b)) y = like_compared(y, x, is_float(b));
    if (x->ty->kind != ir::TypeKind::kPrim || y->ty->kind != ir::TypeKind::kPrim) {
      return (x.get() == y.get()) == (op == CmpOperator::kEq);
    }
    if (!builds && ir::as<ir::IntImmNode>(*to_expr(a)))
      return op == CmpOperator::kEq ? ir::eq(x, y, span) : ir::ne(x, y, span);
    if (!builds) return deferred_equality(op == CmpOperator::kEq, a, b, x, y, span);
    ir::match_types(x, y, span);
    return ir::binary(op == CmpOperator::kEq ? ir::ExprKind::kEQ : ir::ExprKind::kNE, x, y, span);
  }
  std::string_view sign = syntax::spelling(op);
  Expr x = operand(a, sign, a, b, span);
  Expr y = operand(b, sign, a, b, span);
  if (builds && !is_object(a)) x = like_compared(x, y, is_float(a));
  if (builds && !is_object(b)) y = like_compared(y, x, is_float(b));
  auto constant = [](const Expr& e) { return ir::as<ir::IntImmNode>(e) || ir::as<ir::FloatImmNode>(e); };
  bool folds = !builds || !constant(x) || !constant(y);
  if (!folds) ir::match_types(x, y, span);
  switch (op) {
    case CmpOperator::kLt:
      return folds ? ir::lt(x, y, span) : ir::binary(ir::ExprKind::kLT, x, y, span);
    case CmpOperator::kLtE:
      return folds ? ir::le(x, y, span) : ir::binary(ir::ExprKind::kLE, x, y, span);
    case CmpOperator::kGt:
      return folds ? ir::gt(x, y, span) : ir::binary(ir::ExprKind::kGT, x, y, span);
    default:
      return folds ? ir::ge(x, y, span) : ir::binary(ir::ExprKind::kGE, x, y, span);
  }
}

Any ir_bool_op(syntax::BoolOperator op, const Any& a, const Any& b, Span span) {
  std::string_view sign = syntax::spelling(op);
  Expr x = operand(a, sign, a, b, span);
  Expr y = operand(b, sign, a, b, span);
  for (const Expr& e : {x, y}) {
    if (e->dtype().is_bool()) continue;
    throw Error("type-mismatch", "`{}` needs bools, got `{}`", sign, e->dtype().str())
        .at(use_of(e, span))
        .help("compare it: `x != 0`");
  }
  ir::match_types(x, y, span);
  bool is_and = op == syntax::BoolOperator::kAnd;
  if (!x->dtype().is_scalar()) return is_and ? ir::bitwise_and(x, y, span) : ir::bitwise_or(x, y, span);
  return ir::binary(is_and ? ir::ExprKind::kAnd : ir::ExprKind::kOr, x, y, span);
}

Any ir_if_exp(const Any& test, const Any& yes, const Any& no, Span span) {
  Expr condition = operand(test, "if", test, test, span);
  return ir::if_then_else(std::move(condition), as_expr(yes, span, "a branch of `if`"),
                          as_expr(no, span, "a branch of `else`"), span);
}

Any ir_subscript(const Any& base, std::span<const Any> indices, Span span, const ir::Simplify& simplify) {
  Expr e = expr_in(base);
  if (auto* var = ir::as<ir::VarNode>(e); var && var->buffer())
    return subscript_buffer(var, indices, span, simplify);
  if (e && e->ty && e->ty->kind == ir::TypeKind::kTuple) {
    const auto& types = static_cast<const ir::TupleTypeNode*>(e->ty.get())->elements;
    auto size = static_cast<int64_t>(types.size());
    if (indices.size() != 1 || !is_int(indices[0])) {
      raise("TypeError", span, "index-not-integer",
            "an element of a tuple is chosen by one integer constant");
    }
    int64_t at = raw_int(indices[0]);
    if (at < 0) at += size;
    if (at < 0 || at >= size) {
      raise("IndexError", span, "index-out-of-range", "index {} is outside a tuple of {} elements",
            raw_int(indices[0]), size);
    }
    if (auto* tuple = ir::as<ir::TupleNode>(e)) return tuple->elements[at];
    return Expr(ir::make<ir::TupleGetItemNode>(e, at, span));
  }
  if (auto* shape = ir::as<relax::ShapeExprNode>(e); shape && indices.size() == 1)
    return shape_item(shape, indices[0], span);
  // Whether it is a tuple is seen when its type is inferred.
  if (e && is_graph_value(base) && indices.size() == 1 && is_int(indices[0]) && raw_int(indices[0]) >= 0)
    return Expr(ir::make<ir::TupleGetItemNode>(e, raw_int(indices[0]), span));
  if (auto* region = ir::as<ir::TensorRegionNode>(e)) {
    throw ir::refuse_as(refusals["not-subscriptable"], "a region of `{}` cannot be indexed again",
                        region->source->name.c_str())
        .at(span);
  }
  throw ir::refuse_as(refusals["not-subscriptable"], "`{}` cannot be indexed", ir::type_name(base))
      .at(span)
      .kind("TypeError");
}

ir::Type missing_type() {
  static const ir::Type type = ir::make<MissingTypeNode>();
  return type;
}

std::optional<std::vector<Any>> ir_tuple_items(const Any& value, Span span) {
  Expr e = expr_in(value);
  std::vector<Any> items;
  if (auto* shape = ir::as<relax::ShapeExprNode>(e)) {
    for (const Expr& dim : shape->values) items.push_back(dim);
    return items;
  }
  if (!e || !e->ty || e->ty->kind != ir::TypeKind::kTuple) return std::nullopt;
  auto size = static_cast<int64_t>(static_cast<const ir::TupleTypeNode*>(e->ty.get())->elements.size());
  for (int64_t i = 0; i < size; ++i) {
    Any index = i;
    items.push_back(ir_subscript(value, {&index, 1}, span, ir::simplify_linear));
  }
  return items;
}

std::optional<Any> ir_attribute(const Any& base, std::string_view name, Span span) {
  if (auto* graph = base.as<relax::FunctionNode>(); graph && name == "ty") return Any(graph->ty);
  Expr e = expr_in(base);
  if (!e) return std::nullopt;
  auto* var = ir::as<ir::VarNode>(e);
  if (name == "ty") return Any(e->ty ? e->ty : missing_type());
  if (var && var->buffer()) return buffer_attribute(var, name, span);
  if (name == "dtype" && e->ty)
    return Any(DLDataType(e->ty->kind == ir::TypeKind::kPrim ? e->dtype() : DataType::Handle()));
  if (auto* load = ir::as<ir::TensorLoadNode>(e); load && name == "buffer") return Any(Expr(load->source));
  if (auto* region = ir::as<ir::TensorRegionNode>(e); region && name == "buffer")
    return Any(Expr(region->source));
  return std::nullopt;
}

}  // namespace mlc::script
