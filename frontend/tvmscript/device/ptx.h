// SPDX-License-Identifier: Apache-2.0
// PTX instructions as T.ptx.<family>.<modifier>...(operands). A family has one form or several; which one a
// call means follows from its modifiers, the number of operands and their types, as in PTX text.
#pragma once

#include <map>

#include "frontend/tvmscript/builder/calls.h"
#include "ir/tir/ptx_forms.h"

namespace mlc::tvmscript {

using ir::PtxRow;
using ir::PtxTable;

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

using ir::ptx_families;
// Error no-attribute when there is no such family, or none of its forms takes these modifiers.
void check_ptx_chain(const PtxChainNode& chain, Span span);
// The call that these operands mean; `pred` may be None. Error ptx-operands when no form takes them.
Expr ptx_call(const PtxChainNode& chain, std::vector<Any> operands, Any pred, bool preserve_dst, Span span);

}  // namespace mlc::tvmscript
