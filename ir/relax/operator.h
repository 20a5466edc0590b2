// SPDX-License-Identifier: Apache-2.0
// Operators of the graph language: one row each, in the file of its family (ir/relax/op/). From the row come
// the function of scripts (`R.nn.relu`), the arguments and attributes of its calls, the type of a call, and
// what passes ask about it. The body of an operator in terms of tensor code, its gradient and an example
// stand in stdlib/op/.
//
//   const Operators unary = {{
//       {.signature = "nn.relu(data)", .doc = "max(data, 0), elementwise.", .infer = infer_unary_any},
//   }};
#pragma once

#include <functional>
#include <span>

#include "ir/core/refusal.h"
#include "ir/registry/api_row.h"
#include "ir/relax/expr.h"

namespace mlc::relax {

using ir::ApiCall;
class BlockBuilder;

// What inference may ask: arithmetic on symbolic dimensions, the functions of the module around the call.
class InferContext {
 public:
  InferContext(ir::Host& host, const IRModule& mod = {}) : host(host), mod(mod) {}

  ir::Host& host;
  IRModule mod;                           // null outside of a module
  const BlockBuilder* builder = nullptr;  // that of the bindings before the call, where there is one
  // What a variable is bound to, through variables that are bound to variables; else the expression itself.
  Expr value_of(const Expr& e) const;

  // a - b is the same for all values: kTrue when it is always 0, kFalse when never, else kUnknown.
  enum class Proof : uint8_t { kTrue, kFalse, kUnknown };
  Proof equal(const Expr& a, const Expr& b) const;
  bool proves_equal(const Expr& a, const Expr& b) const { return equal(a, b) == Proof::kTrue; }
  bool proves_different(const Expr& a, const Expr& b) const { return equal(a, b) == Proof::kFalse; }
  bool proves_equal(const Array<Expr>& a, const Array<Expr>& b) const;
  Expr simplify(const Expr& e) const;
};

// The type of a call whose operands have their types. Throws Error where operands do not fit; its span is
// that of the operand to blame.
using Infer = Type (*)(const CallNode* call, const InferContext& context);

// How the value of an attribute is written and kept. Kinds with `Opt` take None.
enum class AttrKind : uint8_t {
  kInt,      // int
  kBool,     // bool
  kFloat,    // float
  kString,   // str
  kDtype,    // a data type; None or "" is void
  kInts,     // a list of int (an int alone is a list of one)
  kFloats,   // a list of float
  kStrings,  // a list of str
  kOptInt,
  kOptInts,
  kOptFloat,
  kOptString,
  kOptBool,
  kExpr,  // a primitive expression
  kAny,   // as it is given
};
struct AttrRow {
  std::string_view name;
  AttrKind kind = AttrKind::kAny;
};

struct AttrRows {
  AttrRow rows[16];
  std::string_view type = {};  // what scripts know them as, in tvm.relax.op.op_attrs: "SoftmaxAttrs"
  constexpr AttrRows of(std::string_view other) const {
    AttrRows same = *this;
    same.type = other;
    return same;
  }
  std::span<const AttrRow> span() const {
    size_t n = 0;
    while (n < 16 && !rows[n].name.empty()) ++n;
    return {rows, n};
  }
};

// The layouts that a call takes and gives under ConvertLayout (ir/relax/infer_layout.h).
struct LayoutQuery;
struct LayoutChoice;
using InferLayout = LayoutChoice (*)(const CallNode* call, const LayoutQuery& query);

// What ToMixedPrecision does with a call: always in the lower precision, as its operands are, never.
enum class Precision : uint8_t { kNever, kAlways, kFollow };

struct Operator {
  // As scripts write it below `R.`: "nn.relu(data)", "sum(x, axis=None, keepdims=False)". The first
  // `operands` parameters become arguments of the call, the others its attributes, in the order of `attrs`.
  std::string_view signature;
  // As `tvm.ir.Op` names them ("query Tensor; key Tensor"), where they are not the first parameters of the
  // signature, or of other types than these names have elsewhere.
  std::string_view arguments = {};
  std::string_view doc;
  Infer infer = nullptr;
  int operands = -1;    // -1: all parameters that are no attributes
  AttrRows attrs = {};  // in the order in which they are printed
  // Makes the call from the arguments of the script function, where it is more than that.
  Any (*build)(ApiCall& call) = nullptr;
  bool pure = true;
  Precision precision = Precision::kNever;
  InferLayout layout = nullptr;  // null: its tensors stay as they are written
  // `dtype=None` is allowed although it is not the default: the data type of the operand.
  bool none_dtype = false;
  // No script function of this name (what passes alone make).
  bool internal = false;
  // A script function alone: `build` makes calls of other operators, and there is none of this name.
  bool sugar = false;

  // "nn.relu", from the signature.
  std::string_view short_name() const { return signature.substr(0, signature.find('(')); }
};

// The operators of one file.
struct Operators {
  std::span<const Operator> rows;
  template <size_t N>
  constexpr Operators(const Operator (&rows)[N]) : rows(rows) {}  // NOLINT
};
// Those of all files.
const std::vector<const Operators*>& all_operators();

// By "relax.nn.relu"; null when there is none.
const Operator* find_operator(std::string_view name);
// Of a call's operator; null for calls of functions and of operators of tensor code.
const Operator* operator_of(const Expr& callee);
// The shared object of a name; Error unknown-operator with the nearest name.
ir::Op op(std::string_view name);
std::string operator_name(const Operator& row);  // "relax.nn.relu"
// "relax.attrs.SoftmaxAttrs"; "" for an operator without attributes.
std::string attrs_type_key(const Operator& row);
// The attributes of a call as scripts see them: None where it has none.
Any attrs_of_call(const CallNode* call);

// A call with its type still to be inferred.
Call make_call(std::string_view name, Array<Expr> args, Map<String, Any> attrs = {}, Array<Type> ty_args = {},
               Span span = {});
// An attribute of a call, or a default.
Any attr(const CallNode* call, std::string_view name);
int64_t int_attr(const CallNode* call, std::string_view name);
bool bool_attr(const CallNode* call, std::string_view name);
double float_attr(const CallNode* call, std::string_view name);
std::string string_attr(const CallNode* call, std::string_view name);  // "" for None
DataType dtype_attr(const CallNode* call, std::string_view name);      // void for None
std::vector<int64_t> ints_attr(const CallNode* call, std::string_view name);
std::optional<std::vector<int64_t>> optional_ints_attr(const CallNode* call, std::string_view name);
std::optional<int64_t> optional_int_attr(const CallNode* call, std::string_view name);

// ---- for builders (Operator::build) ----
// Argument i as an operand: expressions as they are, NumPy arrays and tensors as constants, numbers as
// primitive expressions: float32, bool, and int32 or what integers stand beside them. Error wrong-type
// otherwise.
Expr operand_arg(const ApiCall& call, size_t i);
// As operand_arg, and a list of operands is a tuple.
Expr tensors_arg(const ApiCall& call, size_t i);
// Any value: numbers are float64 and int64, lists are tuples of such.
Expr wide_operand_arg(const ApiCall& call, size_t i);
// A list of dimensions, or a shape: a ShapeExpr or an expression of shape type.
Expr shape_arg(const ApiCall& call, size_t i);
// Argument i as an attribute of that kind.
Any attr_arg(const ApiCall& call, size_t i, AttrKind kind);
// The call of the row of that api: `args` operands, then attributes from argument `first_attr` on by the row.
Call call_with_attrs(const ApiCall& call, Array<Expr> args, size_t first_attr);

// `R.name(*args)`, for what is more than that: the call of an operator by its short name.
Any call_operator(std::string_view name, ir::Host& host, std::span<const Any> args, Span span,
                  std::span<const Span> arg_spans = {});

// The rows of script functions of all operators ("tvm.relax.op", "tvm.script.relax").
std::span<const ir::ApiRow> operator_api_rows();

}  // namespace mlc::relax
