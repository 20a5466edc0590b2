// SPDX-License-Identifier: Apache-2.0
// PTX instructions as T.ptx.<family>.<modifier>...(operands). A family has one form or several; which one a
// call means follows from its modifiers, the number of operands and their types, as in PTX text.
#pragma once

#include <map>

#include "frontend/tvmscript/builder/calls.h"

namespace mlc::tvmscript {

// One form of an instruction. Columns, words separated by spaces:
//   slots     `name=a|b` one of the modifiers a and b; `name?=a|b` or none of them
//   operands  `name:role...`: r read, w written, u both; `=types` (a/b, table(slots), or @slot: the
//   modifier); `~` lanes may be
//             discarded; a address (`=space`, `+`: may have a byte offset), p pointer, i immediate (`{0|1}`);
//             `*n` registers (a number or table(slots)). The type `pred` is a predicate register.
//   rules     `s=a|b>t=c|-`: with a or b in slot s, slot t holds c or nothing; `&` joins conditions;
//             `s!a`: a is never in slot s
struct PtxRow {
  std::string_view name;    // the operator is tirx.ptx.<name>
  std::string_view family;  // as spelled: T.ptx.<family>
  std::string_view slots;
  std::string_view operands;
  std::string_view rules;
};
// A value that depends on modifiers: `values` are `modifier,modifier=value`; otherwise `otherwise`.
struct PtxTable {
  std::string_view name;
  std::string_view otherwise;
  std::string_view values;
};

std::span<const PtxRow> ptx_rows_abs_to_cos();
std::span<const PtxRow> ptx_rows_cp_to_createpolicy();
std::span<const PtxRow> ptx_rows_cvt_to_min();
std::span<const PtxRow> ptx_rows_mma_to_tanh();
std::span<const PtxRow> ptx_rows_tcgen05_to_xor();
std::span<const PtxTable> ptx_tables();

// The dotted name so far: `T.ptx.ld.global_`. Modifiers as PTX writes them: "shared::cta".
struct PtxChainNode final : ffi::Object {
  std::string family;
  std::vector<std::string> modifiers;

  PtxChainNode() = default;
  MLC_NODE("mlc.tvmscript.ptx_instruction", PtxChainNode, ffi::Object);
};
// T.ptx itself.
struct PtxSpaceNode final : ffi::Object {
  PtxSpaceNode() = default;
  MLC_NODE("mlc.tvmscript.ptx", PtxSpaceNode, ffi::Object);
};
// T.ptx.addr(base, byte_offset), T.ptx.pred(value) and T.ptx.SINK: operands that say what they are.
struct PtxAddressNode final : ffi::Object {
  Expr base;
  Expr offset;
  PtxAddressNode(Expr base, Expr offset) : base(std::move(base)), offset(std::move(offset)) {}
  MLC_NODE("mlc.tvmscript.ptx_addr", PtxAddressNode, ffi::Object);
};
struct PtxPredicateNode final : ffi::Object {
  Any value;
  explicit PtxPredicateNode(Any value) : value(std::move(value)) {}
  MLC_NODE("mlc.tvmscript.ptx_pred", PtxPredicateNode, ffi::Object);
};
struct PtxSinkNode final : ffi::Object {
  PtxSinkNode() = default;
  MLC_NODE("mlc.tvmscript.ptx_sink", PtxSinkNode, ffi::Object);
};

std::vector<std::string> ptx_families();
// Error no-attribute when there is no such family, or none of its forms takes these modifiers.
void check_ptx_chain(const PtxChainNode& chain, Span span);
// The call that these operands mean; `pred` may be None. Error ptx-operands when no form takes them.
Expr ptx_call(const PtxChainNode& chain, std::vector<Any> operands, Any pred, bool preserve_dst, Span span);

}  // namespace mlc::tvmscript
