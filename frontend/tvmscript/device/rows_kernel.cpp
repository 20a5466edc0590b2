// SPDX-License-Identifier: Apache-2.0
// The kernel dialect: where device code begins, the coordinates of its threads, hints.
#include "frontend/tvmscript/builder/arguments.h"
#include "frontend/tvmscript/builder/rows.h"
#include "frontend/tvmscript/builder/scope_binding.h"
#include "ir/core/refusal.h"
#include "ir/tir/op.h"

namespace mlc::tvmscript {

static constexpr ir::Refusals refusals{
    "ValueError",
    {
        {.name = "bad-scope-id",
         .meaning = "The number of a block, warp or thread of a kernel: its extents are positive and as many "
                    "as the names that are bound."},
        {.name = "kernel-source",
         .kind = "NotImplementedError",
         .message = "`T.call_kernel` compiles CUDA source, and there is no CUDA compiler in this program",
         .help = "build the kernel elsewhere and call it: `T.call_packed(\"name\", ...)`",
         .meaning = "The source of a CUDA kernel would have to be compiled here. Build it elsewhere, and "
                    "call it by its name.",
         .wrong = R"(T.call_kernel("k.cu", [[1], [128]], A.data, kernel_name="k"))",
         .right = R"(T.evaluate(T.call_packed("k", A.data)))"},
    }};
MLC_REFUSALS(device_rows_kernel, refusals);

namespace {

using ir::ScopeBinding;

// What follows runs on the device.
Any device_entry(ApiCall& call) {
  Builder::current(call).require_no_branch(call);
  auto made = ir::make<AttrFrameNode>();
  const_cast<AttrFrameNode&>(*made).entries.push_back(
      {Expr(ir::int32(0)), "tirx.device_entry", Expr(ir::bool_imm(true))});
  return made;
}

// TVM compiles the source with NVRTC and keeps the module in the attribute `external_mods`.
Any call_kernel(ApiCall& call) { throw ir::refuse(refusals["kernel-source"]).at(call.span); }

Any hint(ApiCall& call) {
  Builder::current(call);
  Map<String, Any> attrs;
  if (script::is_str(call.args[0]) && !script::text_of(call.args[0]).empty())
    attrs.Set("message", call.args[0].cast<String>());
  for (const auto& [key, value] : attributes_arg(call, 1)) attrs.Set(key, value);
  auto made = ir::make<AttrFrameNode>();
  const_cast<AttrFrameNode&>(*made).entries.push_back({attrs, "tirx_hint", Expr(ir::int32(1))});
  return made;
}

// One variable per extent, or one alone without extents; a list when there are several.
Any define_ids(ApiCall& call, ScopeBinding binding, const Array<Expr>& extents, const Array<Expr>& preferred,
               size_t dtype_at) {
  Builder& builder = Builder::current(call);
  DataType dtype = dtype_arg(call, dtype_at);
  if (!dtype.is_scalar() || dtype.bits() != 32 || !(dtype.is_int() || dtype.is_uint())) {
    throw ir::refuse_as(refusals["bad-scope-id"], "a scope id is `int32` or `uint32`, not `{}`", dtype.str())
        .at(call.span_of(dtype_at));
  }
  if (!preferred.empty() && preferred.size() != extents.size()) {
    throw ir::refuse_as(refusals["bad-scope-id"], "{} preferred extents for {} extents", preferred.size(),
                        extents.size())
        .at(call.span);
  }
  Array<Var> ids;
  Array<Any> values;
  for (size_t i = 0; i < std::max<size_t>(extents.size(), 1); ++i) {
    Var id = ir::make<ir::VarNode>(String(), Type(ir::prim_type(dtype)), call.span);
    ids.push_back(id);
    values.push_back(Expr(id));
  }
  builder.emit(ir::make<ir::ScopeIdDefStmtNode>(
      ir::make<ir::ScopeIdDefNode>(ids, extents, binding, preferred), call.span));
  builder.touch();
  return ids.size() == 1 ? values[0] : Any(values);
}

Array<Expr> extents_arg(const ApiCall& call, size_t i) {
  if (!is_given(call, i)) return {};
  Array<Expr> extents;
  for (const Any& one : items(call.args[i], call.span_of(i)))
    extents.push_back(script::as_expr(one, call.span_of(i), "an extent"));
  if (extents.empty()) {
    throw ir::refuse_as(refusals["bad-scope-id"], "no extents are given")
        .at(call.span_of(i))
        .help("leave them out, or give one per dimension: `[4]`");
  }
  return extents;
}

template <ScopeBinding binding>
Any scope_ids(ApiCall& call) {
  return define_ids(call, binding, extents_arg(call, 0), {}, 1);
}
template <ScopeBinding binding>
Any cta_ids(ApiCall& call) {
  Array<Expr> preferred = extents_arg(call, 1);
  if (!preferred.empty() && binding != ScopeBinding::kClusterCta) {
    throw ir::refuse_as(refusals["bad-scope-id"], "only `T.cta_id_in_cluster` has preferred extents")
        .at(call.span_of(1));
  }
  return define_ids(call, binding, extents_arg(call, 0), preferred, 2);
}
Any pair_id(ApiCall& call) { return define_ids(call, ScopeBinding::kClusterCtaPair, {}, {}, 0); }

// T.scope_id(extents, parent, cur): the general form.
Any scope_id(ApiCall& call) {
  String parent = str_arg(call, 1);
  String current = str_arg(call, 2);
  if (std::optional<ScopeBinding> binding = scope_binding(view(parent), view(current)))
    return define_ids(call, *binding, extents_arg(call, 0), {}, 3);
  throw ir::refuse_as(refusals["bad-scope-id"], "no id counts `{}` within `{}`", current.c_str(),
                      parent.c_str())
      .at(call.span_of(1));
}

Any operator_named(ApiCall& call) { return Expr(ir::op(view(str_arg(call, 0)))); }

#define ROW(signature, doc, body) \
  { ir::ApiKind::kFunction, kT, signature, doc, body }
#define IDS(name, doc, binding) \
  ROW(name "(extents=None, dtype=\"int32\")", doc, scope_ids<ScopeBinding::binding>)
#define CTAS(name, doc, binding) \
  ROW(name "(extents=None, preferred=None, dtype=\"int32\")", doc, cta_ids<ScopeBinding::binding>)
constexpr ir::ApiRow kernel_table[] = {
    {ir::ApiKind::kFunction, "tvm.script.ir", "Op(name)", "An operator as a value.", operator_named},
    ROW("device_entry()", "What follows runs on the device.", device_entry),
    ROW("call_kernel(kernel, launch_args, *args, **kwargs)", "A kernel of CUDA source: not available.",
        call_kernel),
    ROW("hint(message=\"\", **attrs)", "A hint to the lowering of the statements inside.", hint),
    IDS("cluster_id", "Which cluster of the kernel.", kKernelCluster),
    CTAS("cta_id", "Which block of threads of the kernel.", kKernelCta),
    CTAS("cta_id_in_cluster", "Which block of threads of the cluster.", kClusterCta),
    ROW("cta_id_in_pair(dtype=\"int32\")", "Which of the two blocks of a pair.", pair_id),
    IDS("warpgroup_id", "Which warpgroup of the block.", kCtaWarpgroup),
    IDS("warp_id", "Which warp of the block.", kCtaWarp),
    IDS("warp_id_in_wg", "Which warp of the warpgroup.", kWarpgroupWarp),
    IDS("lane_id", "Which thread of the warp.", kWarpThread),
    IDS("thread_id", "Which thread of the block.", kCtaThread),
    IDS("thread_id_in_wg", "Which thread of the warpgroup.", kWarpgroupThread),
    ROW("scope_id(extents, parent, cur, dtype=\"int32\")", "Which `cur` of `parent`.", scope_id),
};
#undef ROW
#undef IDS
#undef CTAS

}  // namespace

std::span<const ir::ApiRow> kernel_rows() { return kernel_table; }

}  // namespace mlc::tvmscript
