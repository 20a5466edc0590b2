// SPDX-License-Identifier: Apache-2.0
// Forms of PTX instructions: barriers, fences, atomics and what threads of a warp exchange. The columns are explained in ptx.h.
#include "ir/tir/ptx.h"

namespace mlc::ir {
namespace {

// clang-format off
constexpr PtxRow synchronisation_table[] = {
    {"activemask", "activemask", "type=b32", "d:w=$r32"},
    {"atom[;_bitbucket]", "atom",
     "$atomic_sem scope?=$scopes $space op=and|or|xor|add|inc|dec|min|max $cache "
     "type=b32|b64|u32|u64|s32|s64|f32|f64",
     "[d:w=register(type) ;]addr:a=@space+ value:r=register(type) $policy",
     "cache=L2::cache_hint>space=global|- op=and|or|xor>type=b32|b64 op=add>type=u32|u64|s32|f32|f64 "
     "op=inc|dec>type=u32 op=min|max>type=u32|u64|s32|s64"},
    {"atom_cas[;_bitbucket]", "atom",
     "$atomic_sem scope?=$scopes $space op=cas type=b16|b32|b64|b128",
     "[d:w=register(type) ;]addr:a=@space+ compare:r=register(type) value:r=register(type)"},
    {"atom_exch[;_bitbucket]", "atom",
     "$atomic_sem scope?=$scopes $space op=exch $cache type=b32|b64|b128",
     "[d:w=register(type) ;]addr:a=@space+ value:r=register(type) $policy",
     "cache=L2::cache_hint>space=global|-"},
    {"atom[_f32_noftz;_f32_noftz_bitbucket;_half]", "atom",
     "$atomic_sem scope?=$scopes $space op=add noftz=noftz $cache type=[f32;f32;f16|bf16|f16x2|bf16x2]",
     "[d:w=float32 ;;d:w=register(type) ]addr:a=@space+ value:r=[float32;float32;register(type)] $policy",
     "cache=L2::cache_hint>space=global|-"},
    {"atom_half_bitbucket", "atom",
     "$atomic_sem scope?=$scopes $space op=add noftz=noftz $cache type=f16|bf16|f16x2|bf16x2",
     "addr:a=@space+ value:r=register(type) $policy",
     "type!bf16|bf16x2 cache=L2::cache_hint>space=global|-"},
    {"atom_vec_f32[;_bitbucket;_noftz;_noftz_bitbucket]", "atom",
     "$atomic_sem scope?=$scopes space?=global op=add [;;noftz=noftz ;noftz=noftz ]$cache vec=v2|v4 "
     "type=f32",
     "[d:w=float32*#(vec) ;;d:w=float32*#(vec) ;]addr:a=@space+ value:r=float32*#(vec) $policy"},
    {"atom_vec_half", "atom",
     "$atomic_sem scope?=$scopes space?=global op=add|min|max noftz=noftz $cache vec=v2|v4|v8 "
     "type=f16|bf16|f16x2|bf16x2",
     "d:w=register(type)*#(vec) addr:a=@space+ value:r=register(type)*#(vec) $policy",
     "vec=v8>type=f16|bf16"},
    {"atom_vec_half_bitbucket", "atom",
     "$atomic_sem scope?=$scopes space?=global op=add|min|max noftz=noftz $cache vec=v2|v4|v8 "
     "type=f16|bf16|f16x2|bf16x2",
     "addr:a=@space+ value:r=register(type)*#(vec) $policy",
     "type!bf16|bf16x2 vec=v8>type=f16"},
    {"bar_[arrive;sync]", "bar", "cta?=cta action=[arrive;sync]", "a:r=uint32[ b:r=uint32;]"},
    {"bar_red_popc[;_count]", "bar",
     "cta?=cta action=red op=popc type=u32",
     "d:w=uint32 a:r=uint32 [;b:r=uint32 ]c:r=pred"},
    {"bar_red_pred[;_count]", "bar",
     "cta?=cta action=red op=and|or type=pred",
     "d:w=pred a:r=uint32 [;b:r=uint32 ]c:r=pred"},
    {"bar_sync_count", "bar", "cta?=cta action=sync", "a:r=uint32 b:r=uint32"},
    {"bar_warp_sync", "bar", "warp=warp action=sync", "membermask:r=uint32"},
    {"barrier[_arrive;_sync;_sync_count]", "barrier",
     "cta?=cta action=[arrive;sync;sync] aligned?=aligned",
     "a:r=uint32[ b:r=uint32;; b:r=uint32]"},
    {"barrier_cluster_arrive", "barrier",
     "cluster=cluster action=arrive sem?=release|relaxed aligned?=aligned"},
    {"barrier_cluster_wait", "barrier", "cluster=cluster action=wait sem?=acquire aligned?=aligned"},
    {"barrier_red[_popc;_popc_count;_pred]", "barrier",
     "cta?=cta action=red op=[popc;popc;and|or] aligned?=aligned type=[u32;u32;pred]",
     "d:w=[uint32;uint32;pred] a:r=uint32 [;b:r=uint32 ;]c:r=pred"},
    {"barrier_red_pred_count", "barrier",
     "cta?=cta action=red op=and|or aligned?=aligned type=pred",
     "d:w=pred a:r=uint32 b:r=uint32 c:r=pred"},
    {"clusterlaunchcontrol_query_cancel_get_first_ctaid", "clusterlaunchcontrol",
     "action=query_cancel query=get_first_ctaid::x|get_first_ctaid::y|get_first_ctaid::z dtype=b32 "
     "type=b128",
     "d:u=$r32 response:r=uint128/int128"},
    {"clusterlaunchcontrol_query_cancel_get_first_ctaid_v4", "clusterlaunchcontrol",
     "action=query_cancel query=get_first_ctaid vec=v4 dtype=b32 type=b128",
     "d:u=$r32~*4 response:r=uint128/int128"},
    {"clusterlaunchcontrol_query_cancel_is_canceled", "clusterlaunchcontrol",
     "action=query_cancel query=is_canceled ptype=pred type=b128",
     "p:w=pred response:r=uint128/int128"},
    {"clusterlaunchcontrol_try_cancel", "clusterlaunchcontrol",
     "action=try_cancel async_=async space?=shared::cta $complete multicast?=multicast::cluster::all "
     "type=b128",
     "addr:a=@space+ mbar:a=@space+"},
    {"elect_sync", "elect_sync", "", "d:w=uint32/int32 p:w=pred membermask:r=uint32"},
    {"fence", "fence", "sem?=sc|acq_rel|acquire|release scope=$scopes"},
    {"fence_mbarrier_init", "fence", "op_restrict=mbarrier_init sem=release scope=cluster"},
    {"fence_proxy", "fence",
     "proxy=proxy proxykind=alias|async space?=global|shared::cta|shared::cluster",
     "",
     "proxykind=alias>space=-"},
    {"fence_proxy_fabric", "fence",
     "proxy=proxy direction=generic::fabric|fabric::generic|fabric::fabric proxykind=alias "
     "sem=acquire|release scope=sys"},
    {"fence_proxy_tensormap_[acquire;release]", "fence",
     "proxy=proxy proxykind=tensormap::generic sem=[acquire;release] scope=$scopes",
     "[addr:a=+;]"},
    {"griddepcontrol", "griddepcontrol", "action=launch_dependents|wait"},
    {"match_all_sync[;_p]", "match",
     "mode=all sync=sync type=b32|b64",
     "d:w=uint32/int32 [;p:w=pred ]a:r=register(type) membermask:r=uint32"},
    {"match_any_sync", "match",
     "mode=any sync=sync type=b32|b64",
     "d:w=uint32/int32 a:r=register(type) membermask:r=uint32"},
    {"multimem_red", "multimem_red",
     "sem?=relaxed|release scope?=$scopes space?=global op=min|max|add|and|or|xor "
     "type=b32|b64|u32|u64|s32|s64",
     "addr:a=@space+ b:r=register(type)",
     "sem=relaxed|release>scope=$scopes sem=->scope=- type=b32|b64>op=and|or|xor "
     "type=u32|u64|s32>op=min|max|add type=s64>op=min|max"},
    {"multimem_red_async", "multimem_red_async",
     "sem=release scope=gpu|sys space?=global op=add type=u32|s32|u64",
     "addr:a=@space+ value:r=register(type)"},
    {"multimem_red_f[;_vec]", "multimem_red",
     "sem?=relaxed|release scope?=$scopes space?=global op=add [;vec=v2|v4|v8 "
     "]type=f16|f16x2|bf16|bf16x2|f32|f64",
     "addr:a=@space+ b:r=register(type)[;*#(vec)]",
     "[type!f16|bf16;type!f64] sem=relaxed|release>scope=$scopes sem=->scope=-[; vec=v8>type=f16|bf16]"},
    {"red", "red",
     "sem?=relaxed|release scope?=$scopes $space op=and|or|xor|add|inc|dec|min|max $cache "
     "type=b32|b64|u32|u64|s32|s64|f32|f64",
     "addr:a=@space+ value:r=register(type) $policy",
     "cache=L2::cache_hint>space=global|- op=and|or|xor>type=b32|b64 op=add>type=u32|u64|s32|f32|f64 "
     "op=inc|dec>type=u32 op=min|max>type=u32|u64|s32|s64"},
    {"red_async", "red_async",
     "sem=relaxed scope=cluster space?=shared::cluster $complete op=inc|dec|min|max|and|or|xor|add "
     "type=u32|s32|u64|b32",
     "addr:a=@space+ value:r=register(type) mbar:a=@space+",
     "op=inc|dec>type=u32 op=min|max>type=u32|s32 op=and|or|xor>type=b32 op=add>type=u32|s32|u64"},
    {"red_async_release", "red_async",
     "mmio?=mmio sem=release scope=gpu|sys space?=global op=add type=u32|s32|u64|s64",
     "addr:a=@space+ value:r=register(type)",
     "scope=gpu>mmio=-"},
    {"red[_f32_noftz;_half]", "red",
     "sem?=relaxed|release scope?=$scopes $space op=add noftz=noftz $cache "
     "type=[f32;f16|bf16|f16x2|bf16x2]",
     "addr:a=@space+ value:r=[float32;register(type)] $policy",
     "cache=L2::cache_hint>space=global|-"},
    {"red_vec_f32[;_noftz]", "red",
     "sem?=relaxed|release scope?=$scopes space?=global op=add [;noftz=noftz ]$cache vec=v2|v4 type=f32",
     "addr:a=@space+ value:r=float32*#(vec) $policy"},
    {"red_vec_half", "red",
     "sem?=relaxed|release scope?=$scopes space?=global op=add|min|max noftz=noftz $cache vec=v2|v4|v8 "
     "type=f16|bf16|f16x2|bf16x2",
     "addr:a=@space+ value:r=register(type)*#(vec) $policy",
     "vec=v8>type=f16|bf16"},
    {"redux_sync", "redux_sync",
     "op=add|min|max type=u32|s32",
     "d:w=register(type) a:r=register(type) membermask:r=uint32"},
    {"redux_sync_bitwise", "redux_sync",
     "op=and|or|xor type=b32",
     "d:w=uint32/int32 a:r=uint32/int32 membermask:r=uint32"},
    {"redux_sync_f32", "redux_sync",
     "op=min|max abs?=abs nan?=NaN type=f32",
     "d:w=float32 a:r=float32 membermask:r=uint32"},
    {"setmaxnreg", "setmaxnreg",
     "action=inc|dec $warp type=u32",
     "nreg:i{24|32|40|48|56|64|72|80|88|96|104|112|120|128|136|144|152|160|168|176|184|192|200|208|216|"
     "224|232|240|248|256}"},
    {"shfl_sync[;_p]", "shfl_sync",
     "mode=up|down|bfly|idx type=b32",
     "d:w=$r32 [;p:w=pred ]a:r=$r32 b:r=uint32 c:r=uint32 membermask:r=uint32"},
    {"vote_sync", "vote_sync", "mode=all|any|uni type=pred", "d:w=pred a:r=pred membermask:r=uint32"},
    {"vote_sync_ballot", "vote_sync", "mode=ballot type=b32", "d:w=$r32 a:r=pred membermask:r=uint32"},
};
// clang-format on

}  // namespace

std::span<const PtxRow> ptx_synchronisation_rows() { return synchronisation_table; }

}  // namespace mlc::ir
