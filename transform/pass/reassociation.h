// SPDX-License-Identifier: Apache-2.0
// What the passes that take the steps of a reduction in another order share: the request of the schedule, the
// promises to code generation, and accumulators of one element.
#pragma once

#include "transform/pass/pass.h"

namespace mlc::transform {

// On a loop, by a schedule: its steps may be combined in any order.
inline const String kReassociateReduction = "mlc.reassociate_reduction";
// On a loop, to who generates code: the last operation of each store in it may be combined in another order;
inline const String kReassociate = "mlc.reassociate";
// what minima and maxima in it compare may be taken for no NaN, and which of two zeros they give is open.
inline const String kNoNans = "mlc.no_nans";

inline Expr is_nan(const Expr& value) { return call_op(DataType::Bool(), "tirx.isnan", {value}); }
// A condition that nearly always holds.
inline Expr likely(const Expr& condition) { return call_op(DataType::Bool(), "tirx.likely", {condition}); }

// Is `e` the element that is stored to?
inline bool is_element(const Expr& e, const BufferStoreNode& store) {
  auto* load = as<TensorLoadNode>(e);
  return load != nullptr && load->source.get() == store.buffer.get() &&
         structural_equal(load->indices, store.indices);
}
// The element that `store` writes: its value, and a statement that gives it another one.
inline Expr element_of(const BufferStoreNode& store) {
  return make<TensorLoadNode>(store.buffer, store.indices, store.span);
}
inline Stmt with_value(const BufferStoreNode& store, const Expr& value) {
  return make<BufferStoreNode>(store.buffer, value, store.indices, store.span);
}

// The statement where the loop has steps: without them, the elements that it reads before need not be there.
inline Stmt where_it_runs(const ForNode& loop, const Stmt& s) {
  auto extent = const_int(loop.extent);
  if (extent && *extent > 0) return s;
  return make<IfThenElseNode>(gt(loop.extent, const_like(loop.extent, 0)), s, nullptr, loop.span);
}
// A local buffer of one element.
struct Accumulator {
  Buffer buffer;

  Accumulator(std::string name, DataType dtype)
      : buffer(new_buffer(std::move(name), dtype, "local", {int32(1)})) {}
  Stmt allocate() const { return make<AllocBufferNode>(buffer); }
  Expr value() const { return make<TensorLoadNode>(buffer, Array<Expr>{int32(0)}); }
  Stmt set(const Expr& value) const { return make<BufferStoreNode>(buffer, value, Array<Expr>{int32(0)}); }
};

}  // namespace mlc::transform
