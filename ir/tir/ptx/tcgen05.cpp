// SPDX-License-Identifier: Apache-2.0
// Forms of PTX instructions: tensor cores of the fifth generation. The columns are explained in ptx.h.
#include "ir/tir/ptx.h"

namespace mlc::ir {
namespace {

// clang-format off
constexpr PtxRow rows[] = {
    {"tcgen05_alloc", "tcgen05",
     "action=alloc cta_group=cta_group::1|cta_group::2 sync=sync aligned=aligned space?=shared::cta "
     "type=b32",
     "dst:a=@space+ ncols:r=uint32",
     ""},
    {"tcgen05_alloc_exclusive", "tcgen05",
     "action=alloc exclusive=exclusive cta_group=cta_group::1|cta_group::2 sync=sync aligned=aligned "
     "space?=shared::cta type=b32",
     "dst:a=@space+ ncols:r=uint32",
     ""},
    {"tcgen05_commit", "tcgen05",
     "action=commit cta_group=cta_group::1|cta_group::2 completion=mbarrier::arrive::one "
     "space?=shared::cluster type=b64",
     "mbar:a=@space+",
     ""},
    {"tcgen05_commit_multicast", "tcgen05",
     "action=commit cta_group=cta_group::1|cta_group::2 completion=mbarrier::arrive::one "
     "space?=shared::cluster multicast=multicast::cluster type=b64",
     "mbar:a=@space+ mask:r=uint16",
     ""},
    {"tcgen05_commit_multicast_width", "tcgen05",
     "action=commit cta_group=cta_group::1|cta_group::2 completion=mbarrier::arrive::one "
     "space?=shared::cluster multicast=multicast::cluster::16b|multicast::cluster::32b type=b64",
     "mbar:a=@space+ cta_mask:r=types16(multicast)",
     ""},
    {"tcgen05_commit_sync_restrict", "tcgen05",
     "action=commit cta_group=cta_group::1|cta_group::2 completion=mbarrier::arrive::one "
     "sync_restrict=sync_restrict::shared::read::mma::a space?=shared::cluster type=b64",
     "mbar:a=@space+",
     ""},
    {"tcgen05_commit_sync_restrict_multicast", "tcgen05",
     "action=commit cta_group=cta_group::1|cta_group::2 completion=mbarrier::arrive::one "
     "sync_restrict=sync_restrict::shared::read::mma::a space?=shared::cluster "
     "multicast=multicast::cluster|multicast::cluster::16b|multicast::cluster::32b type=b64",
     "mbar:a=@space+ cta_mask:r=types16(multicast)",
     ""},
    {"tcgen05_cp", "tcgen05",
     "action=cp cta_group=cta_group::1|cta_group::2 shape=128x256b|4x256b|128x128b|64x128b|32x128b "
     "multicast?=warpx2::02_13|warpx2::01_23|warpx4 dst_fmt?=b8x16 src_fmt?=b6x16_p32|b4x16_p64",
     "taddr:a=tmem s_desc:r=uint64/int64/float64",
     "shape=128x256b|4x256b|128x128b>multicast=- shape=64x128b>multicast=warpx2::02_13|warpx2::01_23 "
     "shape=32x128b>multicast=warpx4 dst_fmt=b8x16>src_fmt=b6x16_p32|b4x16_p64 dst_fmt=->src_fmt=-"},
    {"tcgen05_dealloc", "tcgen05",
     "action=dealloc cta_group=cta_group::1|cta_group::2 sync=sync aligned=aligned type=b32",
     "taddr:r=uint32 ncols:r=uint32",
     ""},
    {"tcgen05_dealloc_exclusive", "tcgen05",
     "action=dealloc exclusive=exclusive cta_group=cta_group::1|cta_group::2 sync=sync aligned=aligned "
     "type=b32",
     "taddr:r=uint32 ncols:r=uint32",
     ""},
    {"tcgen05_fence", "tcgen05",
     "action=fence::before_thread_sync|fence::after_thread_sync",
     "",
     ""},
    {"tcgen05_ld", "tcgen05",
     "action=ld sync=sync aligned=aligned shape=16x64b|16x128b|16x256b|32x32b "
     "num=x1|x2|x4|x8|x16|x32|x64|x128 pack?=pack::16b type=b32",
     "r:w=uint32/int32/float32*lanes32(shape+num) taddr:a=tmem",
     "num=x64>shape=16x64b|16x128b|32x32b num=x128>shape=16x64b|32x32b"},
    {"tcgen05_ld_red", "tcgen05",
     "action=ld red=red sync=sync aligned=aligned shape=32x32b num=x1|x2|x4|x8|x16|x32|x64|x128 "
     "redop=min|max abs?=abs nan?=NaN type=u32|s32|f32",
     "r:w=types37(type)*lanes33(num) redval:w=types37(type) taddr:a=tmem",
     "num!x1 abs=abs>type=f32 nan=NaN>type=f32"},
    {"tcgen05_ld_red_spcompress", "tcgen05",
     "action=ld red=red spcompress=spcompress sync=sync aligned=aligned shape=32x32b "
     "num=x4|x8|x16|x32|x64|x128 rowop=min|max spfactor=sp::2:4 abs?=abs nan?=NaN type=f32 idxsize=b2",
     "mdata:w=uint32/int32/float32*lanes34(num) cdata:w=uint32/int32/float32*lanes35(num) "
     "redval:w=float32 taddr:a=tmem",
     ""},
    {"tcgen05_ld_red_split", "tcgen05",
     "action=ld red=red sync=sync aligned=aligned shape=16x32bx2 num=x1|x2|x4|x8|x16|x32|x64|x128 "
     "redop=min|max abs?=abs nan?=NaN type=u32|s32|f32",
     "r:w=types37(type)*lanes33(num) redval:w=types37(type) taddr:a=tmem imm_half_splitoff:i",
     "num!x1 abs=abs>type=f32 nan=NaN>type=f32"},
    {"tcgen05_ld_spcompress", "tcgen05",
     "action=ld spcompress=spcompress sync=sync aligned=aligned shape=32x32b "
     "num=x4|x8|x16|x32|x64|x128 rowop=min|max spfactor=sp::2:4 abs?=abs type=f32 idxsize=b2",
     "mdata:w=uint32/int32/float32*lanes34(num) cdata:w=uint32/int32/float32*lanes35(num) taddr:a=tmem",
     ""},
    {"tcgen05_ld_split", "tcgen05",
     "action=ld sync=sync aligned=aligned shape=16x32bx2 num=x1|x2|x4|x8|x16|x32|x64|x128 "
     "pack?=pack::16b type=b32",
     "r:w=uint32/int32/float32*lanes36(num) taddr:a=tmem imm_half_splitoff:i",
     ""},
    {"tcgen05_mma_ashift_collector_b_ts", "tcgen05",
     "action=mma cta_group=cta_group::1|cta_group::2 kind=kind::f16|kind::tf32|kind::f8f6f4|kind::ti16 "
     "ashift=ashift "
     "collector_b=collector::b::fill|collector::b::use|collector::b::lastuse|collector::b::discard",
     "d_tmem:a=tmem a_tmem:a=tmem b_desc:r=uint64 idesc:r=uint32 "
     "disable_output_lane:r=uint32*lanes37(cta_group) enable_input_d:r=pred",
     ""},
    {"tcgen05_mma_block_scale_block_ss", "tcgen05",
     "action=mma cta_group=cta_group::1|cta_group::2 kind=kind::mxf8f6f4|kind::mxf4|kind::mxf4nvf4 "
     "block_scale=block_scale block_size=block16|block32 "
     "collector_a?=collector::a::fill|collector::a::use|collector::a::lastuse|collector::a::discard "
     "collector_b?=collector::b::fill|collector::b::use|collector::b::lastuse|collector::b::discard",
     "d_tmem:a=tmem a_desc:r=uint64 b_desc:r=uint64 idesc:r=uint32 sfa_tmem:a=tmem sfb_tmem:a=tmem "
     "enable_input_d:r=pred",
     "block_size=block16>kind=kind::mxf4nvf4 collector_a=->collector_b=-"},
    {"tcgen05_mma_block_scale_block_ts", "tcgen05",
     "action=mma cta_group=cta_group::1|cta_group::2 kind=kind::mxf8f6f4|kind::mxf4|kind::mxf4nvf4 "
     "block_scale=block_scale block_size=block16|block32 "
     "collector_a?=collector::a::fill|collector::a::use|collector::a::lastuse|collector::a::discard "
     "collector_b?=collector::b::fill|collector::b::use|collector::b::lastuse|collector::b::discard",
     "d_tmem:a=tmem a_tmem:a=tmem b_desc:r=uint64 idesc:r=uint32 sfa_tmem:a=tmem sfb_tmem:a=tmem "
     "enable_input_d:r=pred",
     "block_size=block16>kind=kind::mxf4nvf4 collector_a=->collector_b=-"},
    {"tcgen05_mma_block_scale_collector_ab_ss", "tcgen05",
     "action=mma cta_group=cta_group::1|cta_group::2 kind=kind::mxf8f6f4|kind::mxf4 "
     "block_scale=block_scale "
     "collector_a=collector::a::fill|collector::a::use|collector::a::lastuse|collector::a::discard "
     "collector_b?=collector::b::fill|collector::b::use|collector::b::lastuse|collector::b::discard",
     "d_tmem:a=tmem a_desc:r=uint64 b_desc:r=uint64 idesc:r=uint32 sfa_tmem:a=tmem sfb_tmem:a=tmem "
     "enable_input_d:r=pred",
     ""},
    {"tcgen05_mma_block_scale_collector_ab_ts", "tcgen05",
     "action=mma cta_group=cta_group::1|cta_group::2 kind=kind::mxf8f6f4|kind::mxf4 "
     "block_scale=block_scale "
     "collector_a=collector::a::fill|collector::a::use|collector::a::lastuse|collector::a::discard "
     "collector_b?=collector::b::fill|collector::b::use|collector::b::lastuse|collector::b::discard",
     "d_tmem:a=tmem a_tmem:a=tmem b_desc:r=uint64 idesc:r=uint32 sfa_tmem:a=tmem sfb_tmem:a=tmem "
     "enable_input_d:r=pred",
     ""},
    {"tcgen05_mma_block_scale_lut_b_ss", "tcgen05",
     "action=mma cta_group=cta_group::1|cta_group::2 kind=kind::mxf8f6f4 block_scale=block_scale "
     "decompress=decompress::lut::b block_size?=block32 "
     "collector_a?=collector::a::fill|collector::a::use|collector::a::lastuse|collector::a::discard "
     "collector_b?=collector::b::fill|collector::b::use|collector::b::lastuse|collector::b::discard",
     "d_tmem:a=tmem a_desc:r=uint64 b_compressed_desc:r=uint64 b_decompress_metadata:a=tmem "
     "idesc:r=uint32 sfa_tmem:a=tmem sfb_tmem:a=tmem enable_input_d:r=pred",
     ""},
    {"tcgen05_mma_block_scale_lut_b_ts", "tcgen05",
     "action=mma cta_group=cta_group::1|cta_group::2 kind=kind::mxf8f6f4 block_scale=block_scale "
     "decompress=decompress::lut::b block_size?=block32 "
     "collector_a?=collector::a::fill|collector::a::use|collector::a::lastuse|collector::a::discard "
     "collector_b?=collector::b::fill|collector::b::use|collector::b::lastuse|collector::b::discard",
     "d_tmem:a=tmem a_tmem:a=tmem b_compressed_desc:r=uint64 b_decompress_metadata:a=tmem "
     "idesc:r=uint32 sfa_tmem:a=tmem sfb_tmem:a=tmem enable_input_d:r=pred",
     ""},
    {"tcgen05_mma_block_scale_ss", "tcgen05",
     "action=mma cta_group=cta_group::1|cta_group::2 kind=kind::mxf8f6f4|kind::mxf4|kind::mxf4nvf4 "
     "block_scale=block_scale scale_vec=scale_vec::1X|scale_vec::2X|scale_vec::4X",
     "d_tmem:a=tmem a_desc:r=uint64 b_desc:r=uint64 idesc:r=uint32 sfa_tmem:a=tmem sfb_tmem:a=tmem "
     "enable_input_d:r=pred",
     "kind=kind::mxf8f6f4>scale_vec=scale_vec::1X kind=kind::mxf4>scale_vec=scale_vec::2X "
     "kind=kind::mxf4nvf4>scale_vec=scale_vec::2X|scale_vec::4X"},
    {"tcgen05_mma_block_scale_ts", "tcgen05",
     "action=mma cta_group=cta_group::1|cta_group::2 kind=kind::mxf8f6f4|kind::mxf4|kind::mxf4nvf4 "
     "block_scale=block_scale scale_vec=scale_vec::1X|scale_vec::2X|scale_vec::4X",
     "d_tmem:a=tmem a_tmem:a=tmem b_desc:r=uint64 idesc:r=uint32 sfa_tmem:a=tmem sfb_tmem:a=tmem "
     "enable_input_d:r=pred",
     "kind=kind::mxf8f6f4>scale_vec=scale_vec::1X kind=kind::mxf4>scale_vec=scale_vec::2X "
     "kind=kind::mxf4nvf4>scale_vec=scale_vec::2X|scale_vec::4X"},
    {"tcgen05_mma_collector_ab_ss", "tcgen05",
     "action=mma cta_group=cta_group::1|cta_group::2 kind=kind::f16|kind::tf32|kind::f8f6f4|kind::ti16 "
     "collector_a=collector::a::fill|collector::a::use|collector::a::lastuse|collector::a::discard "
     "collector_b=collector::b::fill|collector::b::use|collector::b::lastuse|collector::b::discard",
     "d_tmem:a=tmem a_desc:r=uint64 b_desc:r=uint64 idesc:r=uint32 "
     "disable_output_lane:r=uint32*lanes37(cta_group) enable_input_d:r=pred",
     ""},
    {"tcgen05_mma_collector_ab_ts", "tcgen05",
     "action=mma cta_group=cta_group::1|cta_group::2 kind=kind::f16|kind::tf32|kind::f8f6f4|kind::ti16 "
     "ashift?=ashift "
     "collector_a=collector::a::fill|collector::a::use|collector::a::lastuse|collector::a::discard "
     "collector_b=collector::b::fill|collector::b::use|collector::b::lastuse|collector::b::discard",
     "d_tmem:a=tmem a_tmem:a=tmem b_desc:r=uint64 idesc:r=uint32 "
     "disable_output_lane:r=uint32*lanes37(cta_group) enable_input_d:r=pred",
     "collector_a=collector::a::fill|collector::a::use>ashift=-"},
    {"tcgen05_mma_lut_b_ss", "tcgen05",
     "action=mma cta_group=cta_group::1|cta_group::2 kind=kind::f8f6f4 decompress=decompress::lut::b "
     "collector_a?=collector::a::fill|collector::a::use|collector::a::lastuse|collector::a::discard "
     "collector_b?=collector::b::fill|collector::b::use|collector::b::lastuse|collector::b::discard",
     "d_tmem:a=tmem a_desc:r=uint64 b_compressed_desc:r=uint64 b_decompress_metadata:a=tmem "
     "idesc:r=uint32 disable_output_lane:r=uint32*lanes37(cta_group) enable_input_d:r=pred",
     ""},
    {"tcgen05_mma_lut_b_ts", "tcgen05",
     "action=mma cta_group=cta_group::1|cta_group::2 kind=kind::f8f6f4 decompress=decompress::lut::b "
     "collector_a?=collector::a::fill|collector::a::use|collector::a::lastuse|collector::a::discard "
     "collector_b?=collector::b::fill|collector::b::use|collector::b::lastuse|collector::b::discard",
     "d_tmem:a=tmem a_tmem:a=tmem b_compressed_desc:r=uint64 b_decompress_metadata:a=tmem "
     "idesc:r=uint32 disable_output_lane:r=uint32*lanes37(cta_group) enable_input_d:r=pred",
     ""},
    {"tcgen05_mma_sp_ashift_collector_b_ts", "tcgen05",
     "action=mma sp=sp cta_group=cta_group::1|cta_group::2 "
     "kind=kind::f16|kind::tf32|kind::f8f6f4|kind::ti16 ashift=ashift "
     "collector_b=collector::b::fill|collector::b::use|collector::b::lastuse|collector::b::discard",
     "d_tmem:a=tmem a_tmem:a=tmem b_desc:r=uint64 sp_meta_tmem:a=tmem idesc:r=uint32 "
     "disable_output_lane:r=uint32*lanes37(cta_group) enable_input_d:r=pred",
     ""},
    {"tcgen05_mma_sp_block_scale_collector_ab_ss", "tcgen05",
     "action=mma sp=sp cta_group=cta_group::1|cta_group::2 kind=kind::mxf8f6f4 block_scale=block_scale "
     "collector_a=collector::a::fill|collector::a::use|collector::a::lastuse|collector::a::discard "
     "collector_b?=collector::b::fill|collector::b::use|collector::b::lastuse|collector::b::discard",
     "d_tmem:a=tmem a_desc:r=uint64 b_desc:r=uint64 sp_meta_tmem:a=tmem idesc:r=uint32 sfa_tmem:a=tmem "
     "sfb_tmem:a=tmem enable_input_d:r=pred",
     ""},
    {"tcgen05_mma_sp_block_scale_collector_ab_ts", "tcgen05",
     "action=mma sp=sp cta_group=cta_group::1|cta_group::2 kind=kind::mxf8f6f4 block_scale=block_scale "
     "collector_a=collector::a::fill|collector::a::use|collector::a::lastuse|collector::a::discard "
     "collector_b?=collector::b::fill|collector::b::use|collector::b::lastuse|collector::b::discard",
     "d_tmem:a=tmem a_tmem:a=tmem b_desc:r=uint64 sp_meta_tmem:a=tmem idesc:r=uint32 sfa_tmem:a=tmem "
     "sfb_tmem:a=tmem enable_input_d:r=pred",
     ""},
    {"tcgen05_mma_sp_collector_ab_ss", "tcgen05",
     "action=mma sp=sp cta_group=cta_group::1|cta_group::2 "
     "kind=kind::f16|kind::tf32|kind::f8f6f4|kind::ti16 "
     "collector_a=collector::a::fill|collector::a::use|collector::a::lastuse|collector::a::discard "
     "collector_b=collector::b::fill|collector::b::use|collector::b::lastuse|collector::b::discard",
     "d_tmem:a=tmem a_desc:r=uint64 b_desc:r=uint64 sp_meta_tmem:a=tmem idesc:r=uint32 "
     "disable_output_lane:r=uint32*lanes37(cta_group) enable_input_d:r=pred",
     ""},
    {"tcgen05_mma_sp_collector_ab_ts", "tcgen05",
     "action=mma sp=sp cta_group=cta_group::1|cta_group::2 "
     "kind=kind::f16|kind::tf32|kind::f8f6f4|kind::ti16 ashift?=ashift "
     "collector_a=collector::a::fill|collector::a::use|collector::a::lastuse|collector::a::discard "
     "collector_b=collector::b::fill|collector::b::use|collector::b::lastuse|collector::b::discard",
     "d_tmem:a=tmem a_tmem:a=tmem b_desc:r=uint64 sp_meta_tmem:a=tmem idesc:r=uint32 "
     "disable_output_lane:r=uint32*lanes37(cta_group) enable_input_d:r=pred",
     "collector_a=collector::a::fill|collector::a::use>ashift=-"},
    {"tcgen05_mma_sp_ti16_ss", "tcgen05",
     "action=mma sp=sp cta_group=cta_group::1|cta_group::2 kind=kind::ti16",
     "d_tmem:a=tmem a_desc:r=uint64 b_desc:r=uint64 sp_meta_tmem:a=tmem idesc:r=uint32 "
     "disable_output_lane:r=uint32*lanes37(cta_group) enable_input_d:r=pred",
     ""},
    {"tcgen05_mma_sp_ti16_ss_collector_b", "tcgen05",
     "action=mma sp=sp cta_group=cta_group::1|cta_group::2 kind=kind::ti16 "
     "collector_b=collector::b::fill|collector::b::use|collector::b::lastuse|collector::b::discard",
     "d_tmem:a=tmem a_desc:r=uint64 b_desc:r=uint64 sp_meta_tmem:a=tmem idesc:r=uint32 "
     "disable_output_lane:r=uint32*lanes37(cta_group) enable_input_d:r=pred",
     ""},
    {"tcgen05_mma_sp_ti16_ts", "tcgen05",
     "action=mma sp=sp cta_group=cta_group::1|cta_group::2 kind=kind::ti16",
     "d_tmem:a=tmem a_tmem:a=tmem b_desc:r=uint64 sp_meta_tmem:a=tmem idesc:r=uint32 "
     "disable_output_lane:r=uint32*lanes37(cta_group) enable_input_d:r=pred",
     ""},
    {"tcgen05_mma_sp_ti16_ts_collector_b", "tcgen05",
     "action=mma sp=sp cta_group=cta_group::1|cta_group::2 kind=kind::ti16 "
     "collector_b=collector::b::fill|collector::b::use|collector::b::lastuse|collector::b::discard",
     "d_tmem:a=tmem a_tmem:a=tmem b_desc:r=uint64 sp_meta_tmem:a=tmem idesc:r=uint32 "
     "disable_output_lane:r=uint32*lanes37(cta_group) enable_input_d:r=pred",
     ""},
    {"tcgen05_mma_ss", "tcgen05",
     "action=mma cta_group=cta_group::1|cta_group::2 kind=kind::f16|kind::tf32|kind::f8f6f4|kind::i8 "
     "collector_a?=collector::a::fill|collector::a::use|collector::a::lastuse|collector::a::discard",
     "d_tmem:a=tmem a_desc:r=uint64 b_desc:r=uint64 idesc:r=uint32 "
     "disable_output_lane:r=uint32*lanes37(cta_group) enable_input_d:r=pred",
     ""},
    {"tcgen05_mma_ti16_ss", "tcgen05",
     "action=mma cta_group=cta_group::1|cta_group::2 kind=kind::ti16",
     "d_tmem:a=tmem a_desc:r=uint64 b_desc:r=uint64 idesc:r=uint32 "
     "disable_output_lane:r=uint32*lanes37(cta_group) enable_input_d:r=pred",
     ""},
    {"tcgen05_mma_ti16_ss_collector_b", "tcgen05",
     "action=mma cta_group=cta_group::1|cta_group::2 kind=kind::ti16 "
     "collector_b=collector::b::fill|collector::b::use|collector::b::lastuse|collector::b::discard",
     "d_tmem:a=tmem a_desc:r=uint64 b_desc:r=uint64 idesc:r=uint32 "
     "disable_output_lane:r=uint32*lanes37(cta_group) enable_input_d:r=pred",
     ""},
    {"tcgen05_mma_ti16_ts", "tcgen05",
     "action=mma cta_group=cta_group::1|cta_group::2 kind=kind::ti16",
     "d_tmem:a=tmem a_tmem:a=tmem b_desc:r=uint64 idesc:r=uint32 "
     "disable_output_lane:r=uint32*lanes37(cta_group) enable_input_d:r=pred",
     ""},
    {"tcgen05_mma_ti16_ts_collector_b", "tcgen05",
     "action=mma cta_group=cta_group::1|cta_group::2 kind=kind::ti16 "
     "collector_b=collector::b::fill|collector::b::use|collector::b::lastuse|collector::b::discard",
     "d_tmem:a=tmem a_tmem:a=tmem b_desc:r=uint64 idesc:r=uint32 "
     "disable_output_lane:r=uint32*lanes37(cta_group) enable_input_d:r=pred",
     ""},
    {"tcgen05_mma_ts", "tcgen05",
     "action=mma cta_group=cta_group::1|cta_group::2 kind=kind::f16|kind::tf32|kind::f8f6f4|kind::i8",
     "d_tmem:a=tmem a_tmem:a=tmem b_desc:r=uint64 idesc:r=uint32 "
     "disable_output_lane:r=uint32*lanes37(cta_group) enable_input_d:r=pred",
     ""},
    {"tcgen05_mma_ws_sp_ti16_ss", "tcgen05",
     "action=mma ws=ws sp=sp cta_group=cta_group::1 kind=kind::ti16 "
     "collector_b?=collector::b0::fill|collector::b0::use|collector::b0::lastuse|"
     "collector::b0::discard|collector::b1::fill|collector::b1::use|collector::b1::lastuse|"
     "collector::b1::discard|collector::b2::fill|collector::b2::use|collector::b2::lastuse|"
     "collector::b2::discard|collector::b3::fill|collector::b3::use|collector::b3::lastuse|"
     "collector::b3::discard",
     "d_tmem:a=tmem a_desc:r=uint64 b_desc:r=uint64 sp_meta_tmem:a=tmem idesc:r=uint32 "
     "enable_input_d:r=pred",
     ""},
    {"tcgen05_mma_ws_sp_ti16_ss_mask", "tcgen05",
     "action=mma ws=ws sp=sp cta_group=cta_group::1 kind=kind::ti16 "
     "collector_b?=collector::b0::fill|collector::b0::use|collector::b0::lastuse|"
     "collector::b0::discard|collector::b1::fill|collector::b1::use|collector::b1::lastuse|"
     "collector::b1::discard|collector::b2::fill|collector::b2::use|collector::b2::lastuse|"
     "collector::b2::discard|collector::b3::fill|collector::b3::use|collector::b3::lastuse|"
     "collector::b3::discard",
     "d_tmem:a=tmem a_desc:r=uint64 b_desc:r=uint64 sp_meta_tmem:a=tmem idesc:r=uint32 "
     "enable_input_d:r=pred zero_col_mask:r=uint64",
     ""},
    {"tcgen05_mma_ws_sp_ti16_ts", "tcgen05",
     "action=mma ws=ws sp=sp cta_group=cta_group::1 kind=kind::ti16 "
     "collector_b?=collector::b0::fill|collector::b0::use|collector::b0::lastuse|"
     "collector::b0::discard|collector::b1::fill|collector::b1::use|collector::b1::lastuse|"
     "collector::b1::discard|collector::b2::fill|collector::b2::use|collector::b2::lastuse|"
     "collector::b2::discard|collector::b3::fill|collector::b3::use|collector::b3::lastuse|"
     "collector::b3::discard",
     "d_tmem:a=tmem a_tmem:a=tmem b_desc:r=uint64 sp_meta_tmem:a=tmem idesc:r=uint32 "
     "enable_input_d:r=pred",
     ""},
    {"tcgen05_mma_ws_sp_ti16_ts_mask", "tcgen05",
     "action=mma ws=ws sp=sp cta_group=cta_group::1 kind=kind::ti16 "
     "collector_b?=collector::b0::fill|collector::b0::use|collector::b0::lastuse|"
     "collector::b0::discard|collector::b1::fill|collector::b1::use|collector::b1::lastuse|"
     "collector::b1::discard|collector::b2::fill|collector::b2::use|collector::b2::lastuse|"
     "collector::b2::discard|collector::b3::fill|collector::b3::use|collector::b3::lastuse|"
     "collector::b3::discard",
     "d_tmem:a=tmem a_tmem:a=tmem b_desc:r=uint64 sp_meta_tmem:a=tmem idesc:r=uint32 "
     "enable_input_d:r=pred zero_col_mask:r=uint64",
     ""},
    {"tcgen05_mma_ws_ss", "tcgen05",
     "action=mma ws=ws cta_group=cta_group::1 kind=kind::f16|kind::tf32|kind::f8f6f4|kind::i8 "
     "collector_b?=collector::b0::fill|collector::b0::use|collector::b0::lastuse|"
     "collector::b0::discard|collector::b1::fill|collector::b1::use|collector::b1::lastuse|"
     "collector::b1::discard|collector::b2::fill|collector::b2::use|collector::b2::lastuse|"
     "collector::b2::discard|collector::b3::fill|collector::b3::use|collector::b3::lastuse|"
     "collector::b3::discard",
     "d_tmem:a=tmem a_desc:r=uint64 b_desc:r=uint64 idesc:r=uint32 enable_input_d:r=pred "
     "zero_col_mask:r=uint64",
     ""},
    {"tcgen05_mma_ws_ti16_ss", "tcgen05",
     "action=mma ws=ws cta_group=cta_group::1 kind=kind::ti16 "
     "collector_b?=collector::b0::fill|collector::b0::use|collector::b0::lastuse|"
     "collector::b0::discard|collector::b1::fill|collector::b1::use|collector::b1::lastuse|"
     "collector::b1::discard|collector::b2::fill|collector::b2::use|collector::b2::lastuse|"
     "collector::b2::discard|collector::b3::fill|collector::b3::use|collector::b3::lastuse|"
     "collector::b3::discard",
     "d_tmem:a=tmem a_desc:r=uint64 b_desc:r=uint64 idesc:r=uint32 enable_input_d:r=pred",
     ""},
    {"tcgen05_mma_ws_ti16_ss_mask", "tcgen05",
     "action=mma ws=ws cta_group=cta_group::1 kind=kind::ti16 "
     "collector_b?=collector::b0::fill|collector::b0::use|collector::b0::lastuse|"
     "collector::b0::discard|collector::b1::fill|collector::b1::use|collector::b1::lastuse|"
     "collector::b1::discard|collector::b2::fill|collector::b2::use|collector::b2::lastuse|"
     "collector::b2::discard|collector::b3::fill|collector::b3::use|collector::b3::lastuse|"
     "collector::b3::discard",
     "d_tmem:a=tmem a_desc:r=uint64 b_desc:r=uint64 idesc:r=uint32 enable_input_d:r=pred "
     "zero_col_mask:r=uint64",
     ""},
    {"tcgen05_mma_ws_ti16_ts", "tcgen05",
     "action=mma ws=ws cta_group=cta_group::1 kind=kind::ti16 "
     "collector_b?=collector::b0::fill|collector::b0::use|collector::b0::lastuse|"
     "collector::b0::discard|collector::b1::fill|collector::b1::use|collector::b1::lastuse|"
     "collector::b1::discard|collector::b2::fill|collector::b2::use|collector::b2::lastuse|"
     "collector::b2::discard|collector::b3::fill|collector::b3::use|collector::b3::lastuse|"
     "collector::b3::discard",
     "d_tmem:a=tmem a_tmem:a=tmem b_desc:r=uint64 idesc:r=uint32 enable_input_d:r=pred",
     ""},
    {"tcgen05_mma_ws_ti16_ts_mask", "tcgen05",
     "action=mma ws=ws cta_group=cta_group::1 kind=kind::ti16 "
     "collector_b?=collector::b0::fill|collector::b0::use|collector::b0::lastuse|"
     "collector::b0::discard|collector::b1::fill|collector::b1::use|collector::b1::lastuse|"
     "collector::b1::discard|collector::b2::fill|collector::b2::use|collector::b2::lastuse|"
     "collector::b2::discard|collector::b3::fill|collector::b3::use|collector::b3::lastuse|"
     "collector::b3::discard",
     "d_tmem:a=tmem a_tmem:a=tmem b_desc:r=uint64 idesc:r=uint32 enable_input_d:r=pred "
     "zero_col_mask:r=uint64",
     ""},
    {"tcgen05_mma_ws_ts", "tcgen05",
     "action=mma ws=ws cta_group=cta_group::1 kind=kind::f16|kind::tf32|kind::f8f6f4|kind::i8 "
     "collector_b?=collector::b0::fill|collector::b0::use|collector::b0::lastuse|"
     "collector::b0::discard|collector::b1::fill|collector::b1::use|collector::b1::lastuse|"
     "collector::b1::discard|collector::b2::fill|collector::b2::use|collector::b2::lastuse|"
     "collector::b2::discard|collector::b3::fill|collector::b3::use|collector::b3::lastuse|"
     "collector::b3::discard",
     "d_tmem:a=tmem a_tmem:a=tmem b_desc:r=uint64 idesc:r=uint32 enable_input_d:r=pred "
     "zero_col_mask:r=uint64",
     ""},
    {"tcgen05_relinquish_alloc_permit", "tcgen05",
     "action=relinquish_alloc_permit cta_group=cta_group::1|cta_group::2 sync=sync aligned=aligned",
     "",
     ""},
    {"tcgen05_st", "tcgen05",
     "action=st sync=sync aligned=aligned shape=16x64b|16x128b|16x256b|32x32b "
     "num=x1|x2|x4|x8|x16|x32|x64|x128 unpack?=unpack::16b type=b32",
     "taddr:a=tmem r:r=uint32/int32/float32*lanes32(shape+num)",
     "num=x64>shape=16x64b|16x128b|32x32b num=x128>shape=16x64b|32x32b"},
    {"tcgen05_st_split", "tcgen05",
     "action=st sync=sync aligned=aligned shape=16x32bx2 num=x1|x2|x4|x8|x16|x32|x64|x128 "
     "unpack?=unpack::16b type=b32",
     "taddr:a=tmem imm_half_splitoff:i r:r=uint32/int32/float32*lanes36(num)",
     ""},
    {"tcgen05_wait", "tcgen05",
     "action=wait::ld|wait::st sync=sync aligned=aligned",
     "",
     ""},
};
// clang-format on

}  // namespace

std::span<const PtxRow> ptx_tcgen05_rows() { return rows; }

}  // namespace mlc::ir
