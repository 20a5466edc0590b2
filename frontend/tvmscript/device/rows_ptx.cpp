// SPDX-License-Identifier: Apache-2.0
// T.ptx: `T.ptx.ld.global_.b32(x, pointer)`, or with PTX's own text `T.ptx["ld.global.b32"](x, pointer)`.
#include "frontend/tvmscript/builder/rows.h"
#include "frontend/tvmscript/device/ptx.h"

namespace mlc::tvmscript {
namespace {

constexpr std::string_view kSpace = "mlc.tvmscript.ptx";
constexpr std::string_view kInstruction = "mlc.tvmscript.ptx_instruction";

void replace_all(std::string& text, std::string_view what, std::string_view with) {
  for (size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + with.size()))
    text.replace(at, what.size(), with);
}

// `shared__cta` is "shared::cta", `global_` is "global".
std::string unescaped(std::string_view name) {
  std::string text(name);
  replace_all(text, "__colon__", "\n");
  replace_all(text, "__", "::");
  replace_all(text, "\n", ":");
  if (text.ends_with('_')) text.pop_back();
  return text;
}

Any instruction(ApiCall& call) {
  auto made = ir::make<PtxChainNode>();
  const_cast<PtxChainNode&>(*made).family = unescaped(view(str_arg(call, 1)));
  check_ptx_chain(*made, call.span);
  return made;
}

Any modifier(ApiCall& call) {
  auto made = ir::make<PtxChainNode>(*call.args[0].as<PtxChainNode>());
  const_cast<PtxChainNode&>(*made).modifiers.push_back(unescaped(view(str_arg(call, 1))));
  check_ptx_chain(*made, call.span);
  return made;
}

Any from_text(ApiCall& call) {
  auto made = ir::make<PtxChainNode>();
  auto& chain = const_cast<PtxChainNode&>(*made);
  std::string text(view(str_arg(call, 1)));
  for (size_t begin = 0; begin <= text.size();) {
    size_t dot = std::min(text.find('.', begin), text.size());
    std::string part = text.substr(begin, dot - begin);
    begin = dot + 1;
    if (chain.family.empty()) {
      chain.family = part;
    } else {
      chain.modifiers.push_back(part);
      check_ptx_chain(chain, call.span_of(1));
    }
  }
  check_ptx_chain(chain, call.span_of(1));
  return made;
}

Any call_instruction(ApiCall& call) {
  auto operands = script::elements(call.args[1]);
  bool preserve = script::is_bool(call.args[3]) && script::raw_int(call.args[3]) != 0;
  return ptx_call(*call.args[0].as<PtxChainNode>(), {operands.begin(), operands.end()}, call.args[2],
                  preserve, call.span);
}

Any ptx_address(ApiCall& call) {
  if (script::is_bool(call.args[2])) ir::wrong_argument(call, 2, "an int32 integer");
  return ir::make<PtxAddressNode>(expr_arg(call, 1), integer_arg(call, 2));
}
Any ptx_predicate(ApiCall& call) { return ir::make<PtxPredicateNode>(call.args[1]); }

constexpr ir::ApiRow ptx_table[] = {
    {ir::ApiKind::kValue, kT, "ptx", "Instructions of PTX: `T.ptx.ld.global_.b32(x, pointer)`.",
     +[](ApiCall&) -> Any { return ir::make<PtxSpaceNode>(); }},
    {ir::ApiKind::kMethod, kSpace, "__getattr__(name)", "An instruction by its first word.", instruction},
    {ir::ApiKind::kMethod, kSpace, "__getitem__(text)", "An instruction by its PTX text.", from_text},
    {ir::ApiKind::kMethod, kSpace, "addr(base, byte_offset)", "An address with a byte offset.", ptx_address},
    {ir::ApiKind::kMethod, kSpace, "pred(value)", "An operand that is a predicate register.", ptx_predicate},
    {ir::ApiKind::kProperty, kSpace, "SINK", "A destination that is discarded.",
     +[](ApiCall&) -> Any { return ir::make<PtxSinkNode>(); }},
    {ir::ApiKind::kMethod, kInstruction, "__getattr__(name)", "The instruction with one more modifier.",
     modifier},
    {ir::ApiKind::kMethod, kInstruction, "__call__(*operands, pred=None, preserve_dst=False)",
     "The call of the instruction.", call_instruction},
};

}  // namespace

std::span<const ir::ApiRow> ptx_rows() { return ptx_table; }

}  // namespace mlc::tvmscript
