// SPDX-License-Identifier: Apache-2.0
// Forms of PTX instructions: asynchronous copies, tensor maps and the fabric. The columns are explained in ptx.h.
#include "ir/tir/ptx.h"

namespace mlc::ir {
namespace {

// clang-format off
constexpr PtxRow async_copy_table[] = {
    {"cp_async_[bulk_;]commit_group", "cp", "[$bulk;api=async] action=commit_group"},
    {"cp_async_bulk_g2s_cluster[;_multicast16;_multicast32]", "cp",
     "$bulk sem?=weak|relaxed scope?=$scopes dst=shared::cluster src=global $complete "
     "[multicast?=multicast::cluster;multicast=multicast::cluster::16b;multicast=multicast::cluster::32b] "
     "$cache type?=b128",
     "dst_mem:a=shared::cluster+ src_mem:a=global+ size:r=uint32 mbar:a=shared+ "
     "cta_mask:r=[uint16*given(multicast);uint16;uint32] $policy",
     "$relaxed"},
    {"cp_async_bulk_g2s_cluster_report", "cp",
     "$bulk sem?=weak|relaxed scope?=$scopes dst=shared::cluster src=global $complete report=$reports "
     "multicast?=$multicasts $cache type?=b128",
     "dst_mem:a=shared::cluster+ src_mem:a=global+ size:r=uint32 mbar:a=shared+ $cta_mask $policy",
     "$relaxed"},
    {"cp_async_bulk_g2s_cta[;_report]", "cp",
     "$bulk sem?=weak|relaxed scope?=$scopes dst=shared::cta src=global $complete [;report=$reports "
     "]$cache ignore_oob?=ignore_oob type?=b128",
     "dst_mem:a=shared::cta+ src_mem:a=global+ size:r=uint32 ignore_bytes_left:r=uint32*given(ignore_oob) "
     "ignore_bytes_right:r=uint32*given(ignore_oob) mbar:a=shared+ $policy",
     "$relaxed[; ignore_oob=ignore_oob>report=mbarrier::report::disabled]"},
    {"cp_async_bulk_prefetch[;_evict_last]", "cp",
     "$bulk op=prefetch level=L2 src=global [$cache;priority=L2::evict_last]",
     "src_mem:a=global+ size:r=uint32[ $policy;]"},
    {"cp_async_bulk_s2c", "cp",
     "$bulk sem?=weak|relaxed scope?=cta|cluster dst=shared::cluster src=shared::cta $complete type?=b128",
     "dst_mem:a=shared::cluster+ src_mem:a=shared::cta+ size:r=uint32 mbar:a=shared+",
     "sem=weak|->scope=- sem=relaxed>scope=cta|cluster sem=weak|->type=- sem=relaxed>type=b128 "
     "scope=cta|cluster>type=b128 scope=->type=-"},
    {"cp_async_bulk_s2g", "cp",
     "$bulk sem?=weak|relaxed scope?=$scopes dst=global src=shared::cta completion=bulk_group $cache "
     "cp_mask?=cp_mask type?=b128",
     "dst_mem:a=global+ src_mem:a=shared::cta+ size:r=uint32 $policy byte_mask:r=uint16*given(cp_mask)",
     "$relaxed"},
    {"cp_async_bulk_tensor_g2s[_cluster;_cluster_multicast16;_cluster_multicast32;_cta]", "cp",
     "$tensor dim=1d|2d|3d|4d|5d dst=shared::[cluster;cluster;cluster;cta] src=global "
     "load_mode?=tile|tile::gather4 $complete [multicast?=multicast::cluster "
     ";multicast=multicast::cluster::16b ;multicast=multicast::cluster::32b ;]cta_group?=$groups $cache",
     "dst_mem:a=shared::[cluster;cluster;cluster;cta]+ tmap:a=global "
     "coords:r=int32*coordinates(load_mode+dim) mbar:a=shared+ [cta_mask:r=uint16*given(multicast) "
     ";cta_mask:r=uint16 ;cta_mask:r=uint32 ;]$policy",
     "load_mode=tile::gather4>dim=2d"},
    {"cp_async_bulk_tensor_g2s_cluster_[;override_address_]im2col", "cp",
     "$tensor dim=3d|4d|5d dst=shared::cluster src=global $im2col $complete report?=$reports "
     "multicast?=$multicasts cta_group?=$groups $cache[; $address]",
     "dst_mem:a=shared::cluster+ tmap:a=global [;global_address:r=uint64 ]coords:r=int32*#(dim) "
     "mbar:a=shared+ $im2col_info $cta_mask $policy"},
    {"cp_async_bulk_tensor_g2s_cluster[_override_address;_report]", "cp",
     "$tensor dim=1d|2d|3d|4d|5d dst=shared::cluster src=global load_mode?=tile|tile::gather4 $complete "
     "[report?;report]=$reports multicast?=$multicasts cta_group?=$groups $cache[ $address;]",
     "dst_mem:a=shared::cluster+ tmap:a=global [global_address:r=uint64 "
     ";]coords:r=int32*coordinates(load_mode+dim) mbar:a=shared+ $cta_mask $policy",
     "load_mode=tile::gather4>dim=2d"},
    {"cp_async_bulk_tensor_g2s_cluster_override_global_dim_[b16;b8]", "cp",
     "$tensor dim=1d dst=shared::cluster src=global load_mode?=tile $complete report?=$reports "
     "multicast?=multicast::cluster::32b cta_group?=$groups $cache $address "
     "override_attribute=override::global_dim",
     "dst_mem:a=shared::cluster+ tmap:a=global global_address:r=uint64 tensor_size:r=[$r16;uint8] "
     "coords:r=int32 mbar:a=shared+ cta_mask:r=uint32*given(multicast) $policy"},
    {"cp_async_bulk_tensor_g2s_cluster_override_global_dim_stride_[b16;b8]", "cp",
     "$tensor dim=2d|3d|4d|5d dst=shared::cluster src=global load_mode?=tile $complete report?=$reports "
     "multicast?=multicast::cluster::32b cta_group?=$groups $cache $address "
     "override_attribute=override::global_dim_stride",
     "dst_mem:a=shared::cluster+ tmap:a=global global_address:r=uint64 tensor_size:r=[$r16;uint8]*#(dim) "
     "$strides mbar:a=shared+ cta_mask:r=uint32*given(multicast) $policy"},
    {"cp_async_bulk_tensor_g2s_cta_[;override_address_]im2col", "cp",
     "$tensor dim=3d|4d|5d dst=shared::cta src=global $im2col $complete report?=$reports "
     "cta_group?=$groups $cache[; $address]",
     "dst_mem:a=shared::cta+ tmap:a=global [;global_address:r=uint64 ]coords:r=int32*#(dim) mbar:a=shared+ "
     "$im2col_info $policy"},
    {"cp_async_bulk_tensor_g2s_cta[_override_address;_report]", "cp",
     "$tensor dim=1d|2d|3d|4d|5d dst=shared::cta src=global load_mode?=tile|tile::gather4 $complete "
     "[report?;report]=$reports cta_group?=$groups $cache[ $address;]",
     "dst_mem:a=shared::cta+ tmap:a=global [global_address:r=uint64 "
     ";]coords:r=int32*coordinates(load_mode+dim) mbar:a=shared+ $policy",
     "load_mode=tile::gather4>dim=2d"},
    {"cp_async_bulk_tensor_g2s_cta_override_global_dim_[b16;b8]", "cp",
     "$tensor dim=1d dst=shared::cta src=global load_mode?=tile $complete report?=$reports "
     "cta_group?=$groups $cache $address override_attribute=override::global_dim",
     "dst_mem:a=shared::cta+ tmap:a=global global_address:r=uint64 tensor_size:r=[$r16;uint8] "
     "coords:r=int32 mbar:a=shared+ $policy"},
    {"cp_async_bulk_tensor_g2s_cta_override_global_dim_stride_[b16;b8]", "cp",
     "$tensor dim=2d|3d|4d|5d dst=shared::cta src=global load_mode?=tile $complete report?=$reports "
     "cta_group?=$groups $cache $address override_attribute=override::global_dim_stride",
     "dst_mem:a=shared::cta+ tmap:a=global global_address:r=uint64 tensor_size:r=[$r16;uint8]*#(dim) "
     "$strides mbar:a=shared+ $policy"},
    {"cp_async_bulk_tensor_prefetch[;_evict_last]", "cp",
     "$bulk action=prefetch unit=tensor dim=1d|2d|3d|4d|5d level=L2 src=global "
     "load_mode?=tile|tile::gather4 [$cache;priority=L2::evict_last]",
     "tmap:a=global coords:r=int32*coordinates(load_mode+dim)[ $policy;]",
     "load_mode=tile::gather4>dim=2d"},
    {"cp_async_bulk_tensor_prefetch_[;override_address_]im2col", "cp",
     "$bulk action=prefetch unit=tensor dim=3d|4d|5d level=L2 src=global $im2col $cache[; $address]",
     "tmap:a=global [;global_address:r=uint64 ]coords:r=int32*#(dim) $im2col_info $policy"},
    {"cp_async_bulk_tensor_prefetch_[;override_address_]im2col_evict_last", "cp",
     "$bulk action=prefetch unit=tensor dim=3d|4d|5d level=L2 src=global $im2col priority=L2::evict_last[; "
     "$address]",
     "tmap:a=global [;global_address:r=uint64 ]coords:r=int32*#(dim) $im2col_info"},
    {"cp_async_bulk_tensor_prefetch_override_address[;_evict_last]", "cp",
     "$bulk action=prefetch unit=tensor dim=1d|2d|3d|4d|5d level=L2 src=global "
     "load_mode?=tile|tile::gather4 [$cache;priority=L2::evict_last] $address",
     "tmap:a=global global_address:r=uint64 coords:r=int32*coordinates(load_mode+dim)[ $policy;]",
     "load_mode=tile::gather4>dim=2d"},
    {"cp_async_bulk_tensor_prefetch_override_global_dim[_b16;_b8;_evict_last_b16;_evict_last_b8]", "cp",
     "$bulk action=prefetch unit=tensor dim=1d level=L2 src=global load_mode?=tile "
     "[$cache;$cache;priority=L2::evict_last;priority=L2::evict_last] $address "
     "override_attribute=override::global_dim",
     "tmap:a=global global_address:r=uint64 tensor_size:r=[$r16;uint8;$r16;uint8] coords:r=int32[ $policy; "
     "$policy;;]"},
    {"cp_async_bulk_tensor_prefetch_override_global_dim_stride[_b16;_b8;_evict_last_b16;_evict_last_b8]", "cp",
     "$bulk action=prefetch unit=tensor dim=2d|3d|4d|5d level=L2 src=global load_mode?=tile "
     "[$cache;$cache;priority=L2::evict_last;priority=L2::evict_last] $address "
     "override_attribute=override::global_dim_stride",
     "tmap:a=global global_address:r=uint64 tensor_size:r=[$r16;uint8;$r16;uint8]*#(dim) $strides[ "
     "$policy; $policy;;]"},
    {"cp_async_bulk_tensor_s2g[;_override_address]", "cp",
     "$tensor dim=1d|2d|3d|4d|5d dst=global src=shared::cta load_mode?=tile|tile::scatter4 "
     "completion=bulk_group $cache[; $address]",
     "tmap:a=global [;global_address:r=uint64 ]coords:r=int32*coordinates(load_mode+dim) "
     "src_mem:a=shared::cta+ $policy",
     "dim=1d|3d|4d|5d>load_mode=tile|-"},
    {"cp_async_bulk_tensor_s2g_[;override_address_]im2col_no_offs_w", "cp",
     "$tensor dim=3d|4d|5d dst=global src=shared::cta load_mode=im2col_no_offs|im2col_no_offs::w "
     "completion=bulk_group $cache[; $address]",
     "tmap:a=global [;global_address:r=uint64 ]coords:r=int32*#(dim) src_mem:a=shared::cta+ $policy"},
    {"cp_async_bulk_tensor_s2g_override_global_dim_[b16;b8]", "cp",
     "$tensor dim=1d dst=global src=shared::cta load_mode?=tile completion=bulk_group $cache $address "
     "override_attribute=override::global_dim",
     "tmap:a=global global_address:r=uint64 tensor_size:r=[$r16;uint8] coords:r=int32 "
     "src_mem:a=shared::cta+ $policy"},
    {"cp_async_bulk_tensor_s2g_override_global_dim_stride_[b16;b8]", "cp",
     "$tensor dim=2d|3d|4d|5d dst=global src=shared::cta load_mode?=tile completion=bulk_group $cache "
     "$address override_attribute=override::global_dim_stride",
     "tmap:a=global global_address:r=uint64 tensor_size:r=[$r16;uint8]*#(dim) $strides "
     "src_mem:a=shared::cta+ $policy"},
    {"cp_async_[bulk_;]wait_group", "cp",
     "[$bulk;api=async] action=wait_group[ read?=read;]",
     "group:i"},
    {"cp_async_ca[;_ignore_src]", "cp",
     "api=async cop=ca dst=shared|shared::cta src=global $cache prefetch?=L2::64B|L2::128B|L2::256B",
     "dst_mem:a=shared+ src_mem:a=global+ cp_size:i{4|8|16} [;ignore_src:r=pred ]$policy"},
    {"cp_async_[ca;cg]_src_size", "cp",
     "api=async cop=[ca;cg] dst=shared|shared::cta src=global $cache prefetch?=L2::64B|L2::128B|L2::256B",
     "dst_mem:a=shared+ src_mem:a=global+ cp_size:[i{4|8|16};i{16}] src_size:r=uint32 $policy"},
    {"cp_async_cg[;_ignore_src]", "cp",
     "api=async cop=cg dst=shared|shared::cta src=global $cache prefetch?=L2::64B|L2::128B|L2::256B",
     "dst_mem:a=shared+ src_mem:a=global+ cp_size:i{16} [;ignore_src:r=pred ]$policy"},
    {"cp_async_mbarrier_arrive", "cp",
     "api=async target=mbarrier action=arrive noinc?=noinc $shared type=b64",
     "addr:a=@space+"},
    {"cp_async_wait_all", "cp", "api=async action=wait_all"},
    {"cp_reduce_async_bulk_s2c", "cp",
     "op=reduce $bulk sem?=relaxed scope?=cta|cluster dst=shared::cluster src=shared::cta $complete "
     "redop=$redop type=b32|u32|s32|u64",
     "dst_mem:a=shared::cluster+ src_mem:a=shared::cta+ size:r=uint32 mbar:a=shared+",
     "sem=relaxed>scope=cta|cluster sem=->scope=- redop=add>type=u32|s32|u64 redop=min|max>type=u32|s32 "
     "redop=inc|dec>type=u32 redop=and|or|xor>type=b32"},
    {"cp_reduce_async_bulk_s2g", "cp",
     "op=reduce $bulk sem?=relaxed scope?=$scopes dst=global src=shared::cta completion=bulk_group $cache "
     "redop=$redop noftz?=noftz type=f16|bf16|b32|u32|s32|b64|u64|s64|f32|f64",
     "dst_mem:a=global+ src_mem:a=shared::cta+ size:r=uint32 $policy",
     "sem=relaxed>scope=$scopes sem=->scope=- noftz=noftz>redop=add "
     "type=f16|bf16|s32|u64>redop=add|min|max type=b32|b64>redop=and|or|xor "
     "type=u32>redop=add|min|max|inc|dec type=s64>redop=min|max type=f32|f64>redop=add "
     "noftz=noftz>type=f16|bf16 redop=add&noftz=->type=b32|u32|s32|b64|u64|s64|f32|f64"},
    {"cp_reduce_async_bulk_s2g_f32_noftz", "cp",
     "op=reduce $bulk sem?=relaxed scope?=$scopes dst=global src=shared::cta completion=bulk_group $cache "
     "redop=add noftz=noftz type=f32",
     "dst_mem:a=global+ src_mem:a=shared::cta+ size:r=uint32 $policy",
     "sem=relaxed>scope=$scopes sem=->scope=-"},
    {"cp_reduce_async_bulk_tensor[;_im2col_no_offs_w]", "cp",
     "op=reduce $tensor dim=[1d|2d|;]3d|4d|5d dst=global src=shared::cta redop=$redop "
     "load_[mode?=tile;mode=im2col_no_offs|im2col_no_offs::w] completion=bulk_group $cache",
     "tmap:a=global coords:r=int32*#(dim) src_mem:a=shared::cta+ $policy"},
    {"cp_reduce_async_bulk_tensor_override_address[;_im2col_no_offs_w]", "cp",
     "op=reduce $tensor dim=[1d|2d|;]3d|4d|5d dst=global src=shared::cta redop=$redop "
     "load_[mode?=tile;mode=im2col_no_offs|im2col_no_offs::w] completion=bulk_group $cache $address",
     "tmap:a=global global_address:r=uint64 coords:r=int32*#(dim) src_mem:a=shared::cta+ $policy"},
    {"cp_reduce_async_bulk_tensor_override_global_dim_[b16;b8]", "cp",
     "op=reduce $tensor dim=1d dst=global src=shared::cta redop=$redop load_mode?=tile "
     "completion=bulk_group $cache $address override_attribute=override::global_dim",
     "tmap:a=global global_address:r=uint64 tensor_size:r=[$r16;uint8] coords:r=int32 "
     "src_mem:a=shared::cta+ $policy"},
    {"cp_reduce_async_bulk_tensor_override_global_dim_stride_[b16;b8]", "cp",
     "op=reduce $tensor dim=2d|3d|4d|5d dst=global src=shared::cta redop=$redop load_mode?=tile "
     "completion=bulk_group $cache $address override_attribute=override::global_dim_stride",
     "tmap:a=global global_address:r=uint64 tensor_size:r=[$r16;uint8]*#(dim) $strides "
     "src_mem:a=shared::cta+ $policy"},
    {"fabric_submit", "fabric", "action=submit submitop?=op_restrict::fetching"},
    {"fabric_try_get", "fabric",
     "action=try_get api=async dst=shared::cta "
     "completion=mbarrier::complete_tx::bytes.mbarrier::report::fabric sem=relaxed scope=sys type=b128",
     "dst_mem:a=shared::cta+ src_le_id:r=uint32 src_data_off:r=uint64 size:r=uint32 mbar:a=shared::cta+"},
    {"fabric_try_pullred", "fabric",
     "action=try_pullred api=async multimem=multimem dst=shared::cta "
     "completion=mbarrier::complete_tx::bytes.mbarrier::report::fabric sem=relaxed scope=sys "
     "redop=and|or|xor|min|max|add type=b32|b64|u32|s32|u64|s64|f16|bf16|f32 sync=sync",
     "dst_mem:a=shared::cta+ src_le_id:r=uint32 src_data_off:r=uint64 size:r=uint32 mbar:a=shared::cta+",
     "type=b32|b64>redop=and|or|xor type=u32|u64|f16|bf16>redop=min|max|add type=s32|s64>redop=min|max "
     "type=f32>redop=add"},
    {"fabric_try_put[;_counted]", "fabric",
     "action=try_put api=async multimem?=multimem src=shared::cta "
     "[$fabric;completion=mbarrier::complete_tx::16B.mbarrier::report::fabric.counted::bytes] sem=relaxed "
     "scope=sys type=b128",
     "dst_le_id:r=uint32 dst_data_off:r=uint64 [;dst_counter_off:r=uint64 ]src_mem:a=shared::cta+ "
     "size:r=uint32 mbar:a=shared::cta+"},
    {"fabric_try_put_cp_mask", "fabric",
     "action=try_put api=async multimem?=multimem src=shared::cta $fabric cp_mask=cp_mask sem=relaxed "
     "scope=sys type=b128",
     "dst_le_id:r=uint32 dst_data_off:r=uint64 src_mem:a=shared::cta+ size:r=uint32 mbar:a=shared::cta+ "
     "byte_mask:r=uint16"},
    {"fabric_try_red[;_counted]", "fabric",
     "action=try_red api=async multimem?=multimem src=shared::cta "
     "[$fabric;completion=mbarrier::complete_tx::16B.mbarrier::report::fabric.counted::bytes] sem=relaxed "
     "scope=sys redop=and|or|xor|min|max|add type=b32|b64|u32|s32|u64|s64|f16|bf16|f32|f64",
     "dst_le_id:r=uint32 dst_data_off:r=uint64 [;dst_counter_off:r=uint64 ]src_mem:a=shared::cta+ "
     "size:r=uint32 mbar:a=shared::cta+",
     "type=b32|b64>redop=and|or|xor type=u32|u64|f16|bf16>redop=min|max|add type=s32|s64>redop=min|max "
     "type=f32|f64>redop=add"},
    {"fabric_wait", "fabric", "action=wait waitop=sync_restrict::reads"},
    {"multimem_cp_async_bulk", "multimem_cp",
     "$bulk sem?=weak|relaxed scope?=$scopes dst=global src=shared::cta completion=bulk_group "
     "cp_mask?=cp_mask type?=b128",
     "dst_mem:a=global+ src_mem:a=shared::cta+ size:r=uint32 byte_mask:r=uint16*given(cp_mask)",
     "$relaxed"},
    {"multimem_cp_reduce_async_bulk", "multimem_cp",
     "op=reduce $bulk sem?=relaxed scope?=$scopes dst=global src=shared::cta completion=bulk_group "
     "redop=$redop noftz?=noftz type=f16|bf16|b32|u32|s32|b64|u64|s64|f32|f64",
     "dst_mem:a=global+ src_mem:a=shared::cta+ size:r=uint32",
     "sem=relaxed>scope=$scopes sem=->scope=- noftz=noftz>redop=add "
     "type=f16|bf16|s32|u64>redop=add|min|max type=b32|b64>redop=and|or|xor "
     "type=u32>redop=add|min|max|inc|dec type=s64>redop=min|max type=f32|f64>redop=add "
     "noftz=noftz>type=f16|bf16 redop=add&noftz=->type=b32|u32|s32|b64|u64|s64|f32|f64"},
    {"multimem_cp_reduce_async_bulk_f32_noftz", "multimem_cp",
     "op=reduce $bulk sem?=relaxed scope?=$scopes dst=global src=shared::cta completion=bulk_group "
     "redop=add noftz=noftz type=f32",
     "dst_mem:a=global+ src_mem:a=shared::cta+ size:r=uint32",
     "sem=relaxed>scope=$scopes sem=->scope=-"},
    {"tensormap_cp_fenceproxy", "tensormap_cp_fenceproxy",
     "dst=global src=shared::cta proxy=tensormap::generic sem=release scope=$scopes $warp",
     "dst_mem:a=global+ src_mem:a=shared::cta+"},
    {"tensormap_replace_[address;elemtype]", "tensormap_replace",
     "mode=tile field=[global_address;elemtype] space?=global|shared::cta width=b1024 type=[b64;b32]",
     "addr:a=@space+ new_val:[r=$r64;i{0|1|2|3|4|5|6|7|8|9|10|11|12}]"},
    {"tensormap_replace_[dim;stride]", "tensormap_replace",
     "mode=tile field=[box_dim|global_dim|element;global]_stride space?=global|shared::cta width=b1024 "
     "type=[b32;b64]",
     "addr:a=@space+ ord:i{0|1|2|3|4} new_val:r=[uint32/int32;$r64]"},
    {"tensormap_replace[_fill_mode;_interleave_layout;_rank]", "tensormap_replace",
     "mode=tile field=[fill_mode;interleave_layout;rank] space?=global|shared::cta width=b1024 type=b32",
     "addr:a=@space+ new_val:[i{0|1};i{0|1|2};r=$r32]"},
    {"tensormap_replace_swizzle_mode[;_sm103a]", "tensormap_replace",
     "mode=tile field=swizzle_mode space?=global|shared::cta width=b1024 type=b32",
     "addr:a=@space+ new_val:[i{0|1|2|3};i{4}]"},
};
// clang-format on

}  // namespace

std::span<const PtxRow> ptx_async_copy_rows() { return async_copy_table; }

}  // namespace mlc::ir
