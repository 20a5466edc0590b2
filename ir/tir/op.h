// SPDX-License-Identifier: Apache-2.0
// Operators by name, and the table of scalar intrinsics: one row tells printer, interpreter and code
// generators all they need.
#pragma once

#include "ir/core/expr.h"

namespace mlc::ir {

enum class Effect : uint8_t { kExprAnnotation, kPure, kReadState, kUpdateState, kOpaque };

// Where the call of an operator prints its data type, if it does.
enum class DtypePlace : uint8_t { kNowhere, kFirst, kLast };

// One operator. `spelling` is the name below `T.` ("exp" for tirx.exp); empty: printed as the op's name.
struct OpRow {
  std::string_view name;      // "tirx.exp"
  std::string_view spelling;  // "exp"
  int arity;                  // -1: any
  Effect effect;
  // Scalar math on floating values, null for operators that are not: what the interpreter computes.
  double (*unary)(double) = nullptr;
  double (*binary)(double, double) = nullptr;
  std::string_view llvm = {};  // "llvm.exp" (overloaded on the type); empty: `libm` is called
  std::string_view libm = {};  // "exp": `expf` for float32
  DtypePlace dtype_place = DtypePlace::kNowhere;
};

std::span<const OpRow> op_rows();  // all of them: scalar, device, ptx and tile operators
// The parts of the table, each in a file of its own.
std::span<const OpRow> scalar_op_rows();
std::span<const OpRow> device_op_rows();
std::span<const OpRow> ptx_op_rows();
std::span<const OpRow> tile_op_rows();
// The shared operator object; throws Error unknown-operator with the nearest name.
Op op(std::string_view name);
const OpRow& op_row(const OpNode* op);

// A call of tirx operator `name` ("tirx.exp").
Expr call_op(DataType dtype, std::string_view name, Array<Expr> args, Span span = {});
// True for a call of that operator.
const CallNode* as_call_to(const Expr& e, std::string_view name);
// No reads or writes of memory and no other effects below `e`; loads count as reads.
Effect side_effect(const Expr& e);

}  // namespace mlc::ir
