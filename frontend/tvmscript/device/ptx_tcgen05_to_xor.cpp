// SPDX-License-Identifier: Apache-2.0
// Forms of PTX instructions, those named tcgen05 to xor. The columns are explained in ptx.h.
#include "frontend/tvmscript/device/ptx.h"

namespace mlc::tvmscript {
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
    {"tensormap_cp_fenceproxy", "tensormap_cp_fenceproxy",
     "dst=global src=shared::cta proxy=tensormap::generic sem=release scope=cta|cluster|gpu|sys "
     "sync=sync aligned=aligned",
     "dst_mem:a=global+ src_mem:a=shared::cta+",
     ""},
    {"tensormap_replace_address", "tensormap_replace",
     "mode=tile field=global_address space?=global|shared::cta width=b1024 type=b64",
     "addr:a=@space+ new_val:r=uint64/int64/float64",
     ""},
    {"tensormap_replace_dim", "tensormap_replace",
     "mode=tile field=box_dim|global_dim|element_stride space?=global|shared::cta width=b1024 type=b32",
     "addr:a=@space+ ord:i{0|1|2|3|4} new_val:r=uint32/int32",
     ""},
    {"tensormap_replace_elemtype", "tensormap_replace",
     "mode=tile field=elemtype space?=global|shared::cta width=b1024 type=b32",
     "addr:a=@space+ new_val:i{0|1|2|3|4|5|6|7|8|9|10|11|12}",
     ""},
    {"tensormap_replace_fill_mode", "tensormap_replace",
     "mode=tile field=fill_mode space?=global|shared::cta width=b1024 type=b32",
     "addr:a=@space+ new_val:i{0|1}",
     ""},
    {"tensormap_replace_interleave_layout", "tensormap_replace",
     "mode=tile field=interleave_layout space?=global|shared::cta width=b1024 type=b32",
     "addr:a=@space+ new_val:i{0|1|2}",
     ""},
    {"tensormap_replace_rank", "tensormap_replace",
     "mode=tile field=rank space?=global|shared::cta width=b1024 type=b32",
     "addr:a=@space+ new_val:r=uint32/int32/float32",
     ""},
    {"tensormap_replace_stride", "tensormap_replace",
     "mode=tile field=global_stride space?=global|shared::cta width=b1024 type=b64",
     "addr:a=@space+ ord:i{0|1|2|3|4} new_val:r=uint64/int64/float64",
     ""},
    {"tensormap_replace_swizzle_mode", "tensormap_replace",
     "mode=tile field=swizzle_mode space?=global|shared::cta width=b1024 type=b32",
     "addr:a=@space+ new_val:i{0|1|2|3}",
     ""},
    {"tensormap_replace_swizzle_mode_sm103a", "tensormap_replace",
     "mode=tile field=swizzle_mode space?=global|shared::cta width=b1024 type=b32",
     "addr:a=@space+ new_val:i{4}",
     ""},
    {"testp", "testp",
     "op=finite|infinite|number|notanumber|normal|subnormal type=f32|f64",
     "p:w=pred a:r=types2(type)",
     ""},
    {"vote_sync", "vote_sync",
     "mode=all|any|uni type=pred",
     "d:w=pred a:r=pred membermask:r=uint32",
     ""},
    {"vote_sync_ballot", "vote_sync",
     "mode=ballot type=b32",
     "d:w=uint32/int32/float32 a:r=pred membermask:r=uint32",
     ""},
    {"wgmma_b1_rs", "wgmma",
     "action=mma_async sync=sync aligned=aligned "
     "shape=m64n8k256|m64n16k256|m64n24k256|m64n32k256|m64n48k256|m64n64k256|m64n80k256|m64n96k256|"
     "m64n112k256|m64n128k256|m64n144k256|m64n160k256|m64n176k256|m64n192k256|m64n208k256|"
     "m64n224k256|m64n240k256|m64n256k256 dtype=s32 atype=b1 btype=b1 bitop=and popc=popc",
     "d:u=uint32*lanes38(shape) a:r=uint32*4 b_desc:r=uint64 scale_d:r=pred",
     ""},
    {"wgmma_b1_ss", "wgmma",
     "action=mma_async sync=sync aligned=aligned "
     "shape=m64n8k256|m64n16k256|m64n24k256|m64n32k256|m64n48k256|m64n64k256|m64n80k256|m64n96k256|"
     "m64n112k256|m64n128k256|m64n144k256|m64n160k256|m64n176k256|m64n192k256|m64n208k256|"
     "m64n224k256|m64n240k256|m64n256k256 dtype=s32 atype=b1 btype=b1 bitop=and popc=popc",
     "d:u=uint32*lanes38(shape) a_desc:r=uint64 b_desc:r=uint64 scale_d:r=pred",
     ""},
    {"wgmma_bf16_rs", "wgmma",
     "action=mma_async sync=sync aligned=aligned "
     "shape=m64n8k16|m64n16k16|m64n24k16|m64n32k16|m64n40k16|m64n48k16|m64n56k16|m64n64k16|"
     "m64n72k16|m64n80k16|m64n88k16|m64n96k16|m64n104k16|m64n112k16|m64n120k16|m64n128k16|"
     "m64n136k16|m64n144k16|m64n152k16|m64n160k16|m64n168k16|m64n176k16|m64n184k16|m64n192k16|"
     "m64n200k16|m64n208k16|m64n216k16|m64n224k16|m64n232k16|m64n240k16|m64n248k16|m64n256k16 "
     "dtype=f32 atype=bf16 btype=bf16",
     "d:u=float32*lanes39(shape) a:r=uint32*4 b_desc:r=uint64 scale_d:r=pred scale_a:i{-1|1} "
     "scale_b:i{-1|1} trans_b:i{0|1}",
     ""},
    {"wgmma_bf16_ss", "wgmma",
     "action=mma_async sync=sync aligned=aligned "
     "shape=m64n8k16|m64n16k16|m64n24k16|m64n32k16|m64n40k16|m64n48k16|m64n56k16|m64n64k16|"
     "m64n72k16|m64n80k16|m64n88k16|m64n96k16|m64n104k16|m64n112k16|m64n120k16|m64n128k16|"
     "m64n136k16|m64n144k16|m64n152k16|m64n160k16|m64n168k16|m64n176k16|m64n184k16|m64n192k16|"
     "m64n200k16|m64n208k16|m64n216k16|m64n224k16|m64n232k16|m64n240k16|m64n248k16|m64n256k16 "
     "dtype=f32 atype=bf16 btype=bf16",
     "d:u=float32*lanes39(shape) a_desc:r=uint64 b_desc:r=uint64 scale_d:r=pred scale_a:i{-1|1} "
     "scale_b:i{-1|1} trans_a:i{0|1} trans_b:i{0|1}",
     ""},
    {"wgmma_commit_group", "wgmma",
     "action=commit_group sync=sync aligned=aligned",
     "",
     ""},
    {"wgmma_f16_f16acc_rs", "wgmma",
     "action=mma_async sync=sync aligned=aligned "
     "shape=m64n8k16|m64n16k16|m64n24k16|m64n32k16|m64n40k16|m64n48k16|m64n56k16|m64n64k16|"
     "m64n72k16|m64n80k16|m64n88k16|m64n96k16|m64n104k16|m64n112k16|m64n120k16|m64n128k16|"
     "m64n136k16|m64n144k16|m64n152k16|m64n160k16|m64n168k16|m64n176k16|m64n184k16|m64n192k16|"
     "m64n200k16|m64n208k16|m64n216k16|m64n224k16|m64n232k16|m64n240k16|m64n248k16|m64n256k16 "
     "dtype=f16 atype=f16 btype=f16",
     "d:u=uint32*lanes40(shape) a:r=uint32*4 b_desc:r=uint64 scale_d:r=pred scale_a:i{-1|1} "
     "scale_b:i{-1|1} trans_b:i{0|1}",
     ""},
    {"wgmma_f16_f16acc_ss", "wgmma",
     "action=mma_async sync=sync aligned=aligned "
     "shape=m64n8k16|m64n16k16|m64n24k16|m64n32k16|m64n40k16|m64n48k16|m64n56k16|m64n64k16|"
     "m64n72k16|m64n80k16|m64n88k16|m64n96k16|m64n104k16|m64n112k16|m64n120k16|m64n128k16|"
     "m64n136k16|m64n144k16|m64n152k16|m64n160k16|m64n168k16|m64n176k16|m64n184k16|m64n192k16|"
     "m64n200k16|m64n208k16|m64n216k16|m64n224k16|m64n232k16|m64n240k16|m64n248k16|m64n256k16 "
     "dtype=f16 atype=f16 btype=f16",
     "d:u=uint32*lanes40(shape) a_desc:r=uint64 b_desc:r=uint64 scale_d:r=pred scale_a:i{-1|1} "
     "scale_b:i{-1|1} trans_a:i{0|1} trans_b:i{0|1}",
     ""},
    {"wgmma_f16_rs", "wgmma",
     "action=mma_async sync=sync aligned=aligned "
     "shape=m64n8k16|m64n16k16|m64n24k16|m64n32k16|m64n40k16|m64n48k16|m64n56k16|m64n64k16|"
     "m64n72k16|m64n80k16|m64n88k16|m64n96k16|m64n104k16|m64n112k16|m64n120k16|m64n128k16|"
     "m64n136k16|m64n144k16|m64n152k16|m64n160k16|m64n168k16|m64n176k16|m64n184k16|m64n192k16|"
     "m64n200k16|m64n208k16|m64n216k16|m64n224k16|m64n232k16|m64n240k16|m64n248k16|m64n256k16 "
     "dtype=f32 atype=f16 btype=f16",
     "d:u=float32*lanes39(shape) a:r=uint32*4 b_desc:r=uint64 scale_d:r=pred scale_a:i{-1|1} "
     "scale_b:i{-1|1} trans_b:i{0|1}",
     ""},
    {"wgmma_f16_ss", "wgmma",
     "action=mma_async sync=sync aligned=aligned "
     "shape=m64n8k16|m64n16k16|m64n24k16|m64n32k16|m64n40k16|m64n48k16|m64n56k16|m64n64k16|"
     "m64n72k16|m64n80k16|m64n88k16|m64n96k16|m64n104k16|m64n112k16|m64n120k16|m64n128k16|"
     "m64n136k16|m64n144k16|m64n152k16|m64n160k16|m64n168k16|m64n176k16|m64n184k16|m64n192k16|"
     "m64n200k16|m64n208k16|m64n216k16|m64n224k16|m64n232k16|m64n240k16|m64n248k16|m64n256k16 "
     "dtype=f32 atype=f16 btype=f16",
     "d:u=float32*lanes39(shape) a_desc:r=uint64 b_desc:r=uint64 scale_d:r=pred scale_a:i{-1|1} "
     "scale_b:i{-1|1} trans_a:i{0|1} trans_b:i{0|1}",
     ""},
    {"wgmma_fence", "wgmma",
     "action=fence sync=sync aligned=aligned",
     "",
     ""},
    {"wgmma_fp8_f16acc_rs", "wgmma",
     "action=mma_async sync=sync aligned=aligned "
     "shape=m64n8k32|m64n16k32|m64n24k32|m64n32k32|m64n40k32|m64n48k32|m64n56k32|m64n64k32|"
     "m64n72k32|m64n80k32|m64n88k32|m64n96k32|m64n104k32|m64n112k32|m64n120k32|m64n128k32|"
     "m64n136k32|m64n144k32|m64n152k32|m64n160k32|m64n168k32|m64n176k32|m64n184k32|m64n192k32|"
     "m64n200k32|m64n208k32|m64n216k32|m64n224k32|m64n232k32|m64n240k32|m64n248k32|m64n256k32 "
     "dtype=f16 atype=e4m3|e5m2 btype=e4m3|e5m2",
     "d:u=uint32*lanes41(shape) a:r=uint32*4 b_desc:r=uint64 scale_d:r=pred scale_a:i{-1|1} "
     "scale_b:i{-1|1}",
     ""},
    {"wgmma_fp8_f16acc_ss", "wgmma",
     "action=mma_async sync=sync aligned=aligned "
     "shape=m64n8k32|m64n16k32|m64n24k32|m64n32k32|m64n40k32|m64n48k32|m64n56k32|m64n64k32|"
     "m64n72k32|m64n80k32|m64n88k32|m64n96k32|m64n104k32|m64n112k32|m64n120k32|m64n128k32|"
     "m64n136k32|m64n144k32|m64n152k32|m64n160k32|m64n168k32|m64n176k32|m64n184k32|m64n192k32|"
     "m64n200k32|m64n208k32|m64n216k32|m64n224k32|m64n232k32|m64n240k32|m64n248k32|m64n256k32 "
     "dtype=f16 atype=e4m3|e5m2 btype=e4m3|e5m2",
     "d:u=uint32*lanes41(shape) a_desc:r=uint64 b_desc:r=uint64 scale_d:r=pred scale_a:i{-1|1} "
     "scale_b:i{-1|1}",
     ""},
    {"wgmma_fp8_rs", "wgmma",
     "action=mma_async sync=sync aligned=aligned "
     "shape=m64n8k32|m64n16k32|m64n24k32|m64n32k32|m64n40k32|m64n48k32|m64n56k32|m64n64k32|"
     "m64n72k32|m64n80k32|m64n88k32|m64n96k32|m64n104k32|m64n112k32|m64n120k32|m64n128k32|"
     "m64n136k32|m64n144k32|m64n152k32|m64n160k32|m64n168k32|m64n176k32|m64n184k32|m64n192k32|"
     "m64n200k32|m64n208k32|m64n216k32|m64n224k32|m64n232k32|m64n240k32|m64n248k32|m64n256k32 "
     "dtype=f32 atype=e4m3|e5m2 btype=e4m3|e5m2",
     "d:u=float32*lanes42(shape) a:r=uint32*4 b_desc:r=uint64 scale_d:r=pred scale_a:i{-1|1} "
     "scale_b:i{-1|1}",
     ""},
    {"wgmma_fp8_ss", "wgmma",
     "action=mma_async sync=sync aligned=aligned "
     "shape=m64n8k32|m64n16k32|m64n24k32|m64n32k32|m64n40k32|m64n48k32|m64n56k32|m64n64k32|"
     "m64n72k32|m64n80k32|m64n88k32|m64n96k32|m64n104k32|m64n112k32|m64n120k32|m64n128k32|"
     "m64n136k32|m64n144k32|m64n152k32|m64n160k32|m64n168k32|m64n176k32|m64n184k32|m64n192k32|"
     "m64n200k32|m64n208k32|m64n216k32|m64n224k32|m64n232k32|m64n240k32|m64n248k32|m64n256k32 "
     "dtype=f32 atype=e4m3|e5m2 btype=e4m3|e5m2",
     "d:u=float32*lanes42(shape) a_desc:r=uint64 b_desc:r=uint64 scale_d:r=pred scale_a:i{-1|1} "
     "scale_b:i{-1|1}",
     ""},
    {"wgmma_int_rs", "wgmma",
     "action=mma_async sync=sync aligned=aligned "
     "shape=m64n8k32|m64n16k32|m64n24k32|m64n32k32|m64n48k32|m64n64k32|m64n80k32|m64n96k32|"
     "m64n112k32|m64n128k32|m64n144k32|m64n160k32|m64n176k32|m64n192k32|m64n208k32|m64n224k32 "
     "satfinite?=satfinite dtype=s32 atype=s8|u8 btype=s8|u8",
     "d:u=uint32*lanes43(shape) a:r=uint32*4 b_desc:r=uint64 scale_d:r=pred",
     ""},
    {"wgmma_int_ss", "wgmma",
     "action=mma_async sync=sync aligned=aligned "
     "shape=m64n8k32|m64n16k32|m64n24k32|m64n32k32|m64n48k32|m64n64k32|m64n80k32|m64n96k32|"
     "m64n112k32|m64n128k32|m64n144k32|m64n160k32|m64n176k32|m64n192k32|m64n208k32|m64n224k32 "
     "satfinite?=satfinite dtype=s32 atype=s8|u8 btype=s8|u8",
     "d:u=uint32*lanes43(shape) a_desc:r=uint64 b_desc:r=uint64 scale_d:r=pred",
     ""},
    {"wgmma_tf32_rs", "wgmma",
     "action=mma_async sync=sync aligned=aligned "
     "shape=m64n8k8|m64n16k8|m64n24k8|m64n32k8|m64n40k8|m64n48k8|m64n56k8|m64n64k8|m64n72k8|"
     "m64n80k8|m64n88k8|m64n96k8|m64n104k8|m64n112k8|m64n120k8|m64n128k8|m64n136k8|m64n144k8|"
     "m64n152k8|m64n160k8|m64n168k8|m64n176k8|m64n184k8|m64n192k8|m64n200k8|m64n208k8|m64n216k8|"
     "m64n224k8|m64n232k8|m64n240k8|m64n248k8|m64n256k8 dtype=f32 atype=tf32 btype=tf32",
     "d:u=float32*lanes44(shape) a:r=uint32*4 b_desc:r=uint64 scale_d:r=pred scale_a:i{-1|1} "
     "scale_b:i{-1|1}",
     ""},
    {"wgmma_tf32_ss", "wgmma",
     "action=mma_async sync=sync aligned=aligned "
     "shape=m64n8k8|m64n16k8|m64n24k8|m64n32k8|m64n40k8|m64n48k8|m64n56k8|m64n64k8|m64n72k8|"
     "m64n80k8|m64n88k8|m64n96k8|m64n104k8|m64n112k8|m64n120k8|m64n128k8|m64n136k8|m64n144k8|"
     "m64n152k8|m64n160k8|m64n168k8|m64n176k8|m64n184k8|m64n192k8|m64n200k8|m64n208k8|m64n216k8|"
     "m64n224k8|m64n232k8|m64n240k8|m64n248k8|m64n256k8 dtype=f32 atype=tf32 btype=tf32",
     "d:u=float32*lanes44(shape) a_desc:r=uint64 b_desc:r=uint64 scale_d:r=pred scale_a:i{-1|1} "
     "scale_b:i{-1|1}",
     ""},
    {"wgmma_wait_group", "wgmma",
     "action=wait_group sync=sync aligned=aligned",
     "group:i{0|1|2|3|4|5|6|7}",
     ""},
    {"xor", "xor",
     "type=pred|b16|b32|b64",
     "d:w=types7(type) a:r=types7(type) b:r=types7(type)",
     ""},
};
// clang-format on

}  // namespace

std::span<const PtxRow> ptx_rows_tcgen05_to_xor() { return rows; }

}  // namespace mlc::tvmscript
