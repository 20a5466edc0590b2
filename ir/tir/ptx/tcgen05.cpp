// SPDX-License-Identifier: Apache-2.0
// Forms of PTX instructions: tensor cores of the fifth generation. The columns are explained in ptx.h.
#include "ir/tir/ptx.h"

namespace mlc::ir {
namespace {

// clang-format off
constexpr PtxRow tcgen05_table[] = {
    {"tcgen05_alloc[;_exclusive]", "tcgen05",
     "action=alloc [;exclusive=exclusive ]cta_group=$groups $warp space?=shared::cta type=b32",
     "dst:a=@space+ ncols:r=uint32"},
    {"tcgen05_commit", "tcgen05",
     "action=commit cta_group=$groups completion=mbarrier::arrive::one space?=shared::cluster type=b64",
     "mbar:a=@space+"},
    {"tcgen05_commit_multicast[;_width]", "tcgen05",
     "action=commit cta_group=$groups completion=mbarrier::arrive::one space?=shared::cluster "
     "multicast=multicast::cluster[;::16b|multicast::cluster::32b] type=b64",
     "mbar:a=@space+ [mask:r=uint16;cta_mask:r=mask(multicast)]"},
    {"tcgen05_commit_sync_restrict[;_multicast]", "tcgen05",
     "action=commit cta_group=$groups completion=mbarrier::arrive::one "
     "sync_restrict=sync_restrict::shared::read::mma::a space?=shared::cluster [;multicast=$multicasts "
     "]type=b64",
     "mbar:a=@space+[; cta_mask:r=mask(multicast)]"},
    {"tcgen05_cp", "tcgen05",
     "action=cp cta_group=$groups shape=128x256b|4x256b|128x128b|64x128b|32x128b "
     "multicast?=warpx2::02_13|warpx2::01_23|warpx4 dst_fmt?=b8x16 src_fmt?=b6x16_p32|b4x16_p64",
     "taddr:a=tmem s_desc:r=$r64",
     "shape=128x256b|4x256b|128x128b>multicast=- shape=64x128b>multicast=warpx2::02_13|warpx2::01_23 "
     "shape=32x128b>multicast=warpx4 dst_fmt=b8x16>src_fmt=b6x16_p32|b4x16_p64 dst_fmt=->src_fmt=-"},
    {"tcgen05_dealloc[;_exclusive]", "tcgen05",
     "action=dealloc [;exclusive=exclusive ]cta_group=$groups $warp type=b32",
     "taddr:r=uint32 ncols:r=uint32"},
    {"tcgen05_fence", "tcgen05", "action=fence::before_thread_sync|fence::after_thread_sync"},
    {"tcgen05_[ld;st]", "tcgen05",
     "action=[ld;st] $warp shape=16x64b|16x128b|16x256b|32x32b num=x1|x2|x4|x8|x16|x32|x64|x128 "
     "[pack?=pack;unpack?=unpack]::16b type=b32",
     "[r:w=$r32*tensor_memory(shape+num) ;]taddr:a=tmem[; r:r=$r32*tensor_memory(shape+num)]",
     "num=x64>shape=16x64b|16x128b|32x32b num=x128>shape=16x64b|32x32b"},
    {"tcgen05_ld_red[;_split]", "tcgen05",
     "action=ld red=red $warp shape=[32x32b;16x32bx2] num=x1|x2|x4|x8|x16|x32|x64|x128 redop=min|max "
     "abs?=abs nan?=NaN type=u32|s32|f32",
     "r:w=register(type)*#(num) redval:w=register(type) taddr:a=tmem[; imm_half_splitoff:i]",
     "num!x1 abs=abs>type=f32 nan=NaN>type=f32"},
    {"tcgen05_ld_[red_;]spcompress", "tcgen05",
     "action=ld [red=red ;]spcompress=spcompress $warp shape=32x32b num=x4|x8|x16|x32|x64|x128 "
     "rowop=min|max spfactor=sp::2:4 abs?=abs [nan?=NaN ;]type=f32 idxsize=b2",
     "mdata:w=$r32*#/32(num) cdata:w=$r32*#/2(num) [redval:w=float32 ;]taddr:a=tmem"},
    {"tcgen05_[ld;st]_split", "tcgen05",
     "action=[ld;st] $warp shape=16x32bx2 num=x1|x2|x4|x8|x16|x32|x64|x128 "
     "[pack?=pack;unpack?=unpack]::16b type=b32",
     "[r:w=$r32*#(num) ;]taddr:a=tmem imm_half_splitoff:i[; r:r=$r32*#(num)]"},
    {"tcgen05_mma_[;sp_]ashift_collector_b_ts", "tcgen05",
     "action=mma [;sp=sp ]cta_group=$groups kind=kind::f16|kind::tf32|kind::f8f6f4|kind::ti16 "
     "ashift=ashift collector_b=$collector_b",
     "d_tmem:a=tmem a_tmem:a=tmem b_desc:r=uint64 [;sp_meta_tmem:a=tmem ]$mma"},
    {"tcgen05_mma_block_scale_block_[ss;ts]", "tcgen05",
     "action=mma cta_group=$groups kind=kind::mxf8f6f4|kind::mxf4|kind::mxf4nvf4 block_scale=block_scale "
     "block_size=block16|block32 collector_a?=$collector_a collector_b?=$collector_b",
     "d_tmem:a=tmem a_[desc:r=uint64;tmem:a=tmem] b_desc:r=uint64 idesc:r=uint32 sfa_tmem:a=tmem "
     "sfb_tmem:a=tmem enable_input_d:r=pred",
     "block_size=block16>kind=kind::mxf4nvf4 collector_a=->collector_b=-"},
    {"tcgen05_mma_block_scale_collector_ab_[ss;ts]", "tcgen05",
     "action=mma cta_group=$groups kind=kind::mxf8f6f4|kind::mxf4 block_scale=block_scale "
     "collector_a=$collector_a collector_b?=$collector_b",
     "d_tmem:a=tmem a_[desc:r=uint64;tmem:a=tmem] b_desc:r=uint64 idesc:r=uint32 sfa_tmem:a=tmem "
     "sfb_tmem:a=tmem enable_input_d:r=pred"},
    {"tcgen05_mma_block_scale_lut_b_[ss;ts]", "tcgen05",
     "action=mma cta_group=$groups kind=kind::mxf8f6f4 block_scale=block_scale "
     "decompress=decompress::lut::b block_size?=block32 collector_a?=$collector_a "
     "collector_b?=$collector_b",
     "d_tmem:a=tmem a_[desc:r=uint64;tmem:a=tmem] b_compressed_desc:r=uint64 b_decompress_metadata:a=tmem "
     "idesc:r=uint32 sfa_tmem:a=tmem sfb_tmem:a=tmem enable_input_d:r=pred"},
    {"tcgen05_mma_block_scale_[ss;ts]", "tcgen05",
     "action=mma cta_group=$groups kind=kind::mxf8f6f4|kind::mxf4|kind::mxf4nvf4 block_scale=block_scale "
     "scale_vec=scale_vec::1X|scale_vec::2X|scale_vec::4X",
     "d_tmem:a=tmem a_[desc:r=uint64;tmem:a=tmem] b_desc:r=uint64 idesc:r=uint32 sfa_tmem:a=tmem "
     "sfb_tmem:a=tmem enable_input_d:r=pred",
     "kind=kind::mxf8f6f4>scale_vec=scale_vec::1X kind=kind::mxf4>scale_vec=scale_vec::2X "
     "kind=kind::mxf4nvf4>scale_vec=scale_vec::2X|scale_vec::4X"},
    {"tcgen05_mma_[;sp_]collector_ab_ss", "tcgen05",
     "action=mma [;sp=sp ]cta_group=$groups kind=kind::f16|kind::tf32|kind::f8f6f4|kind::ti16 "
     "collector_a=$collector_a collector_b=$collector_b",
     "d_tmem:a=tmem a_desc:r=uint64 b_desc:r=uint64 [;sp_meta_tmem:a=tmem ]$mma"},
    {"tcgen05_mma_[;sp_]collector_ab_ts", "tcgen05",
     "action=mma [;sp=sp ]cta_group=$groups kind=kind::f16|kind::tf32|kind::f8f6f4|kind::ti16 "
     "ashift?=ashift collector_a=$collector_a collector_b=$collector_b",
     "d_tmem:a=tmem a_tmem:a=tmem b_desc:r=uint64 [;sp_meta_tmem:a=tmem ]$mma",
     "collector_a=collector::a::fill|collector::a::use>ashift=-"},
    {"tcgen05_mma_lut_b_[ss;ts]", "tcgen05",
     "action=mma cta_group=$groups kind=kind::f8f6f4 decompress=decompress::lut::b "
     "collector_a?=$collector_a collector_b?=$collector_b",
     "d_tmem:a=tmem a_[desc:r=uint64;tmem:a=tmem] b_compressed_desc:r=uint64 b_decompress_metadata:a=tmem "
     "$mma"},
    {"tcgen05_mma_sp_block_scale_collector_ab_[ss;ts]", "tcgen05",
     "action=mma sp=sp cta_group=$groups kind=kind::mxf8f6f4 block_scale=block_scale "
     "collector_a=$collector_a collector_b?=$collector_b",
     "d_tmem:a=tmem a_[desc:r=uint64;tmem:a=tmem] b_desc:r=uint64 sp_meta_tmem:a=tmem idesc:r=uint32 "
     "sfa_tmem:a=tmem sfb_tmem:a=tmem enable_input_d:r=pred"},
    {"tcgen05_mma_sp_ti16[_ss;_ss_collector_b;_ts]", "tcgen05",
     "action=mma sp=sp cta_group=$groups kind=kind::ti16[; collector_b=$collector_b;]",
     "d_tmem:a=tmem a_[desc:r=uint64;desc:r=uint64;tmem:a=tmem] b_desc:r=uint64 sp_meta_tmem:a=tmem $mma"},
    {"tcgen05_mma_[sp_;]ti16_ts_collector_b", "tcgen05",
     "action=mma [sp=sp ;]cta_group=$groups kind=kind::ti16 collector_b=$collector_b",
     "d_tmem:a=tmem a_tmem:a=tmem b_desc:r=uint64 [sp_meta_tmem:a=tmem ;]$mma"},
    {"tcgen05_mma_[ss;ts]", "tcgen05",
     "action=mma cta_group=$groups kind=kind::f16|kind::tf32|kind::f8f6f4|kind::i8[ "
     "collector_a?=$collector_a;]",
     "d_tmem:a=tmem a_[desc:r=uint64;tmem:a=tmem] b_desc:r=uint64 $mma"},
    {"tcgen05_mma_ti16[_ss;_ss_collector_b;_ts]", "tcgen05",
     "action=mma cta_group=$groups kind=kind::ti16[; collector_b=$collector_b;]",
     "d_tmem:a=tmem a_[desc:r=uint64;desc:r=uint64;tmem:a=tmem] b_desc:r=uint64 $mma"},
    {"tcgen05_mma_ws_sp_ti16[_ss;_ss_mask;_ts;_ts_mask]", "tcgen05",
     "action=mma ws=ws sp=sp cta_group=cta_group::1 kind=kind::ti16 collector_b?=$collectors",
     "d_tmem:a=tmem a_[desc:r=uint64;desc:r=uint64;tmem:a=tmem;tmem:a=tmem] b_desc:r=uint64 "
     "sp_meta_tmem:a=tmem idesc:r=uint32 enable_input_d:r=pred[; zero_col_mask:r=uint64;; "
     "zero_col_mask:r=uint64]"},
    {"tcgen05_mma_ws[_ss;_ti16_ss_mask;_ti16_ts_mask;_ts]", "tcgen05",
     "action=mma ws=ws cta_group=cta_group::1 "
     "kind=kind::[f16|kind::tf32|kind::f8f6f4|kind::i8;ti16;ti16;f16|kind::tf32|kind::f8f6f4|kind::i8] "
     "collector_b?=$collectors",
     "d_tmem:a=tmem a_[desc:r=uint64;desc:r=uint64;tmem:a=tmem;tmem:a=tmem] b_desc:r=uint64 idesc:r=uint32 "
     "enable_input_d:r=pred zero_col_mask:r=uint64"},
    {"tcgen05_mma_ws_ti16_[ss;ts]", "tcgen05",
     "action=mma ws=ws cta_group=cta_group::1 kind=kind::ti16 collector_b?=$collectors",
     "d_tmem:a=tmem a_[desc:r=uint64;tmem:a=tmem] b_desc:r=uint64 idesc:r=uint32 enable_input_d:r=pred"},
    {"tcgen05_relinquish_alloc_permit", "tcgen05",
     "action=relinquish_alloc_permit cta_group=$groups $warp"},
    {"tcgen05_wait", "tcgen05", "action=wait::ld|wait::st $warp"},
};
// clang-format on

}  // namespace

std::span<const PtxRow> ptx_tcgen05_rows() { return tcgen05_table; }

}  // namespace mlc::ir
