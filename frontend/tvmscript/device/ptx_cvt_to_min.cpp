// SPDX-License-Identifier: Apache-2.0
// Forms of PTX instructions, those named cvt to min. The columns are explained in ptx.h.
#include "frontend/tvmscript/device/ptx.h"

namespace mlc::tvmscript {
namespace {

// clang-format off
constexpr PtxRow rows[] = {
    {"cvt", "cvt",
     "rnd?=rni|rzi|rmi|rpi|rn|rz|rm|rp relu?=relu satfinite?=satfinite ftz?=ftz sat?=sat "
     "dtype=u8|u16|u32|u64|s8|s16|s32|s64|bf16|f16|f32|f64 "
     "atype=u8|u16|u32|u64|s8|s16|s32|s64|bf16|f16|f32|f64",
     "d:w=types17(ftz+dtype+atype) a:r=types18(dtype+atype)",
     "relu=relu>rnd=rn|rz satfinite=satfinite>rnd=rn|rz rnd=rn|rz|rm|rp>dtype=bf16|f16|f32|f64 "
     "rnd=rni|rzi|rmi|rpi>atype=bf16|f16|f32|f64 ftz=ftz>relu=- sat=sat>relu=- "
     "relu=relu>dtype=bf16|f16 relu=relu>atype=f32 ftz=ftz>satfinite=- sat=sat>satfinite=- "
     "satfinite=satfinite>dtype=bf16|f16 satfinite=satfinite>atype=f32 dtype=bf16>sat=- "
     "atype=bf16>sat=- dtype=u8|s8>atype=u8|u16|u32|u64|s8|s16|s32|s64|f16|f32|f64 "
     "dtype=bf16>atype=u16|u32|u64|s16|s32|s64|bf16|f16|f32|f64 ftz=ftz&dtype=f16>atype=bf16|f16|f32 "
     "rnd=rpi|rmi|rni|rzi&ftz=ftz>dtype=u8|u16|u32|u64|s8|s16|s32|s64|f32 rnd=-&dtype=f16>atype=f16 "
     "rnd=rni|rmi|rzi|rpi&dtype=f64>atype=u8|u16|u32|u64|s8|s16|s32|s64|f64 "
     "rnd=rn|rz|rm|rp&dtype=f32>atype=u8|u16|u32|u64|s8|s16|s32|s64|f64 "
     "rnd=-&dtype=u32|s16|u16|s32|u64|s64>atype=u8|u16|u32|u64|s8|s16|s32|s64 "
     "sat=sat&dtype=s32>atype=u32|u64|s64|bf16|f16|f32|f64 "
     "rnd=rmi|rni|rzi|rpi&dtype=bf16>atype=u8|u16|u32|u64|s8|s16|s32|s64|bf16 "
     "rnd=-&dtype=bf16>atype=u8|s8|bf16 sat=sat&dtype=u64>atype=s8|s16|s32|s64|bf16|f16|f32|f64 "
     "rnd=rm|rn|rp|rz&sat=sat>atype=u8|u16|u32|u64|s8|s16|s32|s64|bf16|f32|f64 "
     "rnd=rn|rm|rp|rz&dtype=bf16>atype=u8|u16|u32|u64|s8|s16|s32|s64|f16|f32|f64 "
     "ftz=ftz&dtype=f64>atype=u8|u16|u32|u64|s8|s16|s32|s64|f32|f64 "
     "rnd=-&dtype=s8|u8>atype=u8|u16|u32|u64|s8|s16|s32|s64|bf16 "
     "rnd=rmi|rpi|rni|rzi&ftz=ftz>atype=u8|u16|u32|u64|s8|s16|s32|s64|f32 "
     "rnd=rzi|rpi|rni|rmi&dtype=f16>atype=u8|u16|u32|u64|s8|s16|s32|s64|f16 "
     "sat=sat&dtype=u32>atype=u64|s8|s16|s32|s64|bf16|f16|f32|f64 "
     "rnd=rm|rn|rz|rp&dtype=f64>atype=u8|u16|u32|u64|s8|s16|s32|s64 "
     "rnd=rmi|rzi|rni|rpi&dtype=f32>atype=u8|u16|u32|u64|s8|s16|s32|s64|f32 "
     "sat=sat&dtype=s64>atype=u64|bf16|f16|f32|f64 "
     "rnd=rm|rn|rp|rz&ftz=ftz>atype=u8|u16|u32|u64|s8|s16|s32|s64|f32|f64 "
     "rnd=-&ftz=ftz>atype=bf16|f16|f32 "
     "rnd=rn|rm|rp|rz&dtype=f16>atype=u8|u16|u32|u64|s8|s16|s32|s64|bf16|f32|f64 "
     "ftz=ftz&dtype=bf16>atype=u8|s8|bf16|f16|f32 "
     "sat=sat&dtype=u16>atype=u32|u64|s8|s16|s32|s64|bf16|f16|f32|f64 "
     "rnd=rn|rp|rm|rz&ftz=ftz>dtype=u8|u16|u32|u64|s8|s16|s32|s64|bf16|f16|f32 "
     "rnd=-&dtype=f32>atype=bf16|f16|f32 rnd=-&ftz=ftz>dtype=f32|f64 "
     "sat=sat&dtype=u8>atype=u16|u32|u64|s8|s16|s32|s64|bf16|f16|f32|f64 "
     "sat=sat&dtype=s16>atype=u16|u32|u64|s32|s64|bf16|f16|f32|f64 "
     "rnd=-&dtype=f64>atype=bf16|f16|f32|f64 "
     "sat=sat&dtype=s8>atype=u8|u16|u32|u64|s16|s32|s64|bf16|f16|f32|f64"},
    {"cvt_94_narrow_f32", "cvt",
     "rnd=rn|rz satfinite=satfinite relu?=relu pzo?=pzo scaled?=scaled::n1::ue8m0 "
     "dtype=e4m3x2|e5m2x2|e2m1x2|e2m3x2|e3m2x2 atype=f32",
     "d:w=types19(dtype) a:r=float32 b:r=float32 scale_factor:r=uint8*lanes6(scaled)",
     "rnd=rn&pzo=->scaled=scaled::n1::ue8m0"},
    {"cvt_94_narrow_fp16x2", "cvt",
     "rnd=rn|rz satfinite=satfinite relu?=relu pzo?=pzo scaled?=scaled::n1::ue8m0 "
     "dtype=e4m3x2|e5m2x2|e2m1x2|e2m3x2|e3m2x2 atype=f16x2|bf16x2",
     "d:w=types19(dtype) a:r=uint32 scale_factor:r=uint8*lanes6(scaled)",
     "rnd=rn&pzo=->scaled=scaled::n1::ue8m0"},
    {"cvt_bf16x2_f32", "cvt",
     "rnd=rn|rz relu?=relu satfinite?=satfinite dtype=bf16x2 atype=f32",
     "d:w=uint32 a:r=float32 b:r=float32",
     ""},
    {"cvt_bf16x2_f4x2", "cvt",
     "rnd=rn relu?=relu satfinite?=satfinite scaled?=scaled::n2::ue8m0 dtype=bf16x2 atype=e2m1x2",
     "d:w=uint32 a:r=uint8 scale_factor:r=uint16*lanes6(scaled)",
     ""},
    {"cvt_bf16x2_f6x2", "cvt",
     "rnd=rn relu?=relu satfinite?=satfinite scaled?=scaled::n2::ue8m0 dtype=bf16x2 "
     "atype=e2m3x2|e3m2x2",
     "d:w=uint32 a:r=uint16 scale_factor:r=uint16*lanes6(scaled)",
     ""},
    {"cvt_bf16x2_f8x2", "cvt",
     "rnd=rn relu?=relu satfinite?=satfinite scaled?=scaled::n2::ue8m0 dtype=bf16x2 "
     "atype=e4m3x2|e5m2x2",
     "d:w=uint32 a:r=uint16 scale_factor:r=uint16*lanes6(scaled)",
     ""},
    {"cvt_bf16x2_s2f6x2", "cvt",
     "rnd=rn satfinite?=satfinite relu?=relu scaled?=scaled::n2::ue8m0 dtype=bf16x2 atype=s2f6x2",
     "d:w=uint32 a:r=uint16 scale_factor:r=uint16*lanes6(scaled)",
     ""},
    {"cvt_bf16x2_ue5m3x2", "cvt",
     "rnd=rn satfinite?=satfinite scaled?=scaled::n2::ue8m0 dtype=bf16x2 atype=ue5m3x2",
     "d:w=uint32 a:r=uint16 scale_factor:r=uint16*lanes6(scaled)",
     ""},
    {"cvt_bf16x2_ue8m0x2", "cvt",
     "rnd=rn dtype=bf16x2 atype=ue8m0x2",
     "d:w=uint32 a:r=uint16",
     ""},
    {"cvt_f16x2_f32", "cvt",
     "rnd=rn|rz relu?=relu satfinite?=satfinite dtype=f16x2 atype=f32",
     "d:w=uint32 a:r=float32 b:r=float32",
     ""},
    {"cvt_f16x2_f4x2", "cvt",
     "rnd=rn relu?=relu dtype=f16x2 atype=e2m1x2",
     "d:w=uint32 a:r=uint8",
     ""},
    {"cvt_f16x2_f6x2", "cvt",
     "rnd=rn relu?=relu dtype=f16x2 atype=e2m3x2|e3m2x2",
     "d:w=uint32 a:r=uint16",
     ""},
    {"cvt_f16x2_f8x2", "cvt",
     "rnd=rn relu?=relu dtype=f16x2 atype=e4m3x2|e5m2x2",
     "d:w=uint32 a:r=uint16",
     ""},
    {"cvt_f16x2_ue5m3x2", "cvt",
     "rnd=rn dtype=f16x2 atype=ue5m3x2",
     "d:w=uint32 a:r=uint16",
     ""},
    {"cvt_f4x2_f32", "cvt",
     "rnd=rn satfinite=satfinite relu?=relu dtype=e2m1x2 atype=f32",
     "d:w=uint8 a:r=float32 b:r=float32",
     ""},
    {"cvt_f4x2_fp16x2", "cvt",
     "rnd=rn satfinite=satfinite relu?=relu dtype=e2m1x2 atype=f16x2|bf16x2",
     "d:w=uint8 a:r=uint32",
     ""},
    {"cvt_f6x2_f32", "cvt",
     "rnd=rn satfinite=satfinite relu?=relu dtype=e2m3x2|e3m2x2 atype=f32",
     "d:w=uint16 a:r=float32 b:r=float32",
     ""},
    {"cvt_f6x2_fp16x2", "cvt",
     "rnd=rn satfinite=satfinite relu?=relu dtype=e2m3x2|e3m2x2 atype=f16x2|bf16x2",
     "d:w=uint16 a:r=uint32",
     ""},
    {"cvt_f8x2_f32", "cvt",
     "rnd=rn satfinite=satfinite relu?=relu dtype=e4m3x2|e5m2x2 atype=f32",
     "d:w=uint16 a:r=float32 b:r=float32",
     ""},
    {"cvt_f8x2_fp16x2", "cvt",
     "rnd=rn satfinite=satfinite relu?=relu dtype=e4m3x2|e5m2x2 atype=f16x2|bf16x2",
     "d:w=uint16 a:r=uint32",
     ""},
    {"cvt_pzo_fp16x2_f32", "cvt",
     "rnd=rn|rz relu?=relu satfinite?=satfinite pzo=pzo dtype=f16x2|bf16x2 atype=f32",
     "d:w=uint32 a:r=float32 b:r=float32",
     ""},
    {"cvt_pzo_scalar_f32", "cvt",
     "rnd=rn|rz relu?=relu satfinite?=satfinite pzo=pzo dtype=f16|bf16 atype=f32",
     "d:w=uint16 a:r=float32",
     ""},
    {"cvt_pzo_tf32_f32", "cvt",
     "rnd=rn|rz satfinite?=satfinite relu?=relu pzo=pzo dtype=tf32 atype=f32",
     "d:w=uint32 a:r=float32",
     ""},
    {"cvt_rs_bf16x2_f32", "cvt",
     "rnd=rs relu?=relu satfinite?=satfinite dtype=bf16x2 atype=f32",
     "d:w=uint32 a:r=float32 b:r=float32 rbits:r=uint32/int32/float32",
     ""},
    {"cvt_rs_f16x2_f32", "cvt",
     "rnd=rs relu?=relu satfinite?=satfinite dtype=f16x2 atype=f32",
     "d:w=uint32 a:r=float32 b:r=float32 rbits:r=uint32/int32/float32",
     ""},
    {"cvt_rs_f4x4_f32", "cvt",
     "rnd=rs relu?=relu satfinite=satfinite dtype=e2m1x4 atype=f32",
     "d:w=uint16 abef:r=float32*4 rbits:r=uint32/int32/float32",
     ""},
    {"cvt_rs_f6x4_f32", "cvt",
     "rnd=rs relu?=relu satfinite=satfinite dtype=e2m3x4|e3m2x4 atype=f32",
     "d:w=uint32 abef:r=float32*4 rbits:r=uint32/int32/float32",
     ""},
    {"cvt_rs_f8x4_f32", "cvt",
     "rnd=rs relu?=relu satfinite=satfinite dtype=e4m3x4|e5m2x4 atype=f32",
     "d:w=uint32 abef:r=float32*4 rbits:r=uint32/int32/float32",
     ""},
    {"cvt_s2f6x2_bf16x2", "cvt",
     "rnd=rn satfinite=satfinite relu?=relu scaled?=scaled::n2::ue8m0 dtype=s2f6x2 atype=bf16x2",
     "d:w=uint16 a:r=uint32 scale_factor:r=uint16*lanes6(scaled)",
     ""},
    {"cvt_s2f6x2_f32", "cvt",
     "rnd=rn satfinite=satfinite relu?=relu scaled?=scaled::n2::ue8m0 dtype=s2f6x2 atype=f32",
     "d:w=uint16 a:r=float32 b:r=float32 scale_factor:r=uint16*lanes6(scaled)",
     ""},
    {"cvt_tf32_f32", "cvt",
     "rnd=rna|rn|rz satfinite?=satfinite relu?=relu dtype=tf32 atype=f32",
     "d:w=uint32 a:r=float32",
     "rnd=rna>relu=-"},
    {"cvt_ue5m3x2_f32", "cvt",
     "rnd=rn|rz|rp satfinite?=satfinite dtype=ue5m3x2 atype=f32",
     "d:w=uint16 a:r=float32 b:r=float32",
     ""},
    {"cvt_ue5m3x2_f32_scaled", "cvt",
     "rnd=rn|rz satfinite?=satfinite scaled=scaled::n1::ue8m0 dtype=ue5m3x2 atype=f32",
     "d:w=uint16 a:r=float32 b:r=float32 scale_factor:r=uint8",
     ""},
    {"cvt_ue5m3x2_fp16x2", "cvt",
     "rnd=rn|rz|rp satfinite?=satfinite dtype=ue5m3x2 atype=f16x2|bf16x2",
     "d:w=uint16 a:r=uint32",
     ""},
    {"cvt_ue5m3x2_fp16x2_scaled", "cvt",
     "rnd=rn|rz satfinite?=satfinite scaled=scaled::n1::ue8m0 dtype=ue5m3x2 atype=f16x2|bf16x2",
     "d:w=uint16 a:r=uint32 scale_factor:r=uint8",
     ""},
    {"cvt_ue8m0x2_bf16x2", "cvt",
     "rnd=rz|rp satfinite?=satfinite dtype=ue8m0x2 atype=bf16x2",
     "d:w=uint16 a:r=uint32",
     ""},
    {"cvt_ue8m0x2_f32", "cvt",
     "rnd=rz|rp satfinite?=satfinite dtype=ue8m0x2 atype=f32",
     "d:w=uint16 a:r=float32 b:r=float32",
     ""},
    {"cvt_pack", "cvt_pack",
     "sat=sat convert=u16|s16 abtype=s32",
     "d:w=uint32 a:r=int32 b:r=int32",
     ""},
    {"cvt_pack_c", "cvt_pack",
     "sat=sat convert=u2|s2|u4|s4|u8|s8 abtype=s32 ctype=b32",
     "d:w=uint32 a:r=int32 b:r=int32 c:r=uint32/int32/float32",
     ""},
    {"cvta", "cvta",
     "dir=to space=const|global|local|shared|shared::cta|shared::cluster|param|param::entry type=u64",
     "d:w=uint64 ptr:p",
     ""},
    {"cvta_generic", "cvta",
     "space=const|global|local|shared|shared::cta|shared::cluster|param|param::entry type=u64",
     "d:w=uint64 a:r=uint64",
     ""},
    {"discard", "discard",
     "space?=global level=L2",
     "addr:a=@space+",
     ""},
    {"div", "div",
     "type=u16|u32|u64|s16|s32|s64",
     "d:w=types20(type) a:r=types20(type) b:r=types20(type)",
     ""},
    {"div_f", "div",
     "mode=approx|full|rn|rz|rm|rp ftz?=ftz type=f32|f64",
     "d:w=types2(type) a:r=types2(type) b:r=types2(type)",
     "mode=approx|full>type=f32 type=f64>ftz=-"},
    {"dp2a", "dp2a",
     "mode=lo|hi atype=u32|s32 btype=u32|s32",
     "d:w=types21(atype+btype) a:r=types22(atype) b:r=types22(btype) c:r=types21(atype+btype)",
     ""},
    {"dp4a", "dp4a",
     "atype=u32|s32 btype=u32|s32",
     "d:w=types21(atype+btype) a:r=types22(atype) b:r=types22(btype) c:r=types21(atype+btype)",
     ""},
    {"elect_sync", "elect_sync",
     "",
     "d:w=uint32/int32 p:w=pred membermask:r=uint32",
     ""},
    {"ex2", "ex2",
     "mode=approx ftz?=ftz type=f32",
     "d:w=float32 value:r=float32",
     ""},
    {"ex2_half", "ex2",
     "mode=approx ftz?=ftz type=f16|f16x2|bf16|bf16x2",
     "d:w=types3(type) value:r=types3(type)",
     "ftz=ftz>type=bf16|bf16x2 ftz=->type=f16|f16x2"},
    {"fabric_submit", "fabric",
     "action=submit submitop?=op_restrict::fetching",
     "",
     ""},
    {"fabric_try_get", "fabric",
     "action=try_get api=async dst=shared::cta "
     "completion=mbarrier::complete_tx::bytes.mbarrier::report::fabric sem=relaxed scope=sys type=b128",
     "dst_mem:a=shared::cta+ src_le_id:r=uint32 src_data_off:r=uint64 size:r=uint32 "
     "mbar:a=shared::cta+",
     ""},
    {"fabric_try_pullred", "fabric",
     "action=try_pullred api=async multimem=multimem dst=shared::cta "
     "completion=mbarrier::complete_tx::bytes.mbarrier::report::fabric sem=relaxed scope=sys "
     "redop=and|or|xor|min|max|add type=b32|b64|u32|s32|u64|s64|f16|bf16|f32 sync=sync",
     "dst_mem:a=shared::cta+ src_le_id:r=uint32 src_data_off:r=uint64 size:r=uint32 "
     "mbar:a=shared::cta+",
     "type=b32|b64>redop=and|or|xor type=u32|u64|f16|bf16>redop=min|max|add type=s32|s64>redop=min|max "
     "type=f32>redop=add"},
    {"fabric_try_put", "fabric",
     "action=try_put api=async multimem?=multimem src=shared::cta "
     "completion=mbarrier::complete_tx::16B.mbarrier::report::fabric sem=relaxed scope=sys type=b128",
     "dst_le_id:r=uint32 dst_data_off:r=uint64 src_mem:a=shared::cta+ size:r=uint32 "
     "mbar:a=shared::cta+",
     ""},
    {"fabric_try_put_counted", "fabric",
     "action=try_put api=async multimem?=multimem src=shared::cta "
     "completion=mbarrier::complete_tx::16B.mbarrier::report::fabric.counted::bytes sem=relaxed "
     "scope=sys type=b128",
     "dst_le_id:r=uint32 dst_data_off:r=uint64 dst_counter_off:r=uint64 src_mem:a=shared::cta+ "
     "size:r=uint32 mbar:a=shared::cta+",
     ""},
    {"fabric_try_put_cp_mask", "fabric",
     "action=try_put api=async multimem?=multimem src=shared::cta "
     "completion=mbarrier::complete_tx::16B.mbarrier::report::fabric cp_mask=cp_mask sem=relaxed "
     "scope=sys type=b128",
     "dst_le_id:r=uint32 dst_data_off:r=uint64 src_mem:a=shared::cta+ size:r=uint32 "
     "mbar:a=shared::cta+ byte_mask:r=uint16",
     ""},
    {"fabric_try_red", "fabric",
     "action=try_red api=async multimem?=multimem src=shared::cta "
     "completion=mbarrier::complete_tx::16B.mbarrier::report::fabric sem=relaxed scope=sys "
     "redop=and|or|xor|min|max|add type=b32|b64|u32|s32|u64|s64|f16|bf16|f32|f64",
     "dst_le_id:r=uint32 dst_data_off:r=uint64 src_mem:a=shared::cta+ size:r=uint32 "
     "mbar:a=shared::cta+",
     "type=b32|b64>redop=and|or|xor type=u32|u64|f16|bf16>redop=min|max|add type=s32|s64>redop=min|max "
     "type=f32|f64>redop=add"},
    {"fabric_try_red_counted", "fabric",
     "action=try_red api=async multimem?=multimem src=shared::cta "
     "completion=mbarrier::complete_tx::16B.mbarrier::report::fabric.counted::bytes sem=relaxed "
     "scope=sys redop=and|or|xor|min|max|add type=b32|b64|u32|s32|u64|s64|f16|bf16|f32|f64",
     "dst_le_id:r=uint32 dst_data_off:r=uint64 dst_counter_off:r=uint64 src_mem:a=shared::cta+ "
     "size:r=uint32 mbar:a=shared::cta+",
     "type=b32|b64>redop=and|or|xor type=u32|u64|f16|bf16>redop=min|max|add type=s32|s64>redop=min|max "
     "type=f32|f64>redop=add"},
    {"fabric_wait", "fabric",
     "action=wait waitop=sync_restrict::reads",
     "",
     ""},
    {"fence", "fence",
     "sem?=sc|acq_rel|acquire|release scope=cta|cluster|gpu|sys",
     "",
     ""},
    {"fence_mbarrier_init", "fence",
     "op_restrict=mbarrier_init sem=release scope=cluster",
     "",
     ""},
    {"fence_proxy", "fence",
     "proxy=proxy proxykind=alias|async space?=global|shared::cta|shared::cluster",
     "",
     "proxykind=alias>space=-"},
    {"fence_proxy_fabric", "fence",
     "proxy=proxy direction=generic::fabric|fabric::generic|fabric::fabric proxykind=alias "
     "sem=acquire|release scope=sys",
     "",
     ""},
    {"fence_proxy_tensormap_acquire", "fence",
     "proxy=proxy proxykind=tensormap::generic sem=acquire scope=cta|cluster|gpu|sys",
     "addr:a=+",
     ""},
    {"fence_proxy_tensormap_release", "fence",
     "proxy=proxy proxykind=tensormap::generic sem=release scope=cta|cluster|gpu|sys",
     "",
     ""},
    {"fma", "fma",
     "rnd=rn|rz|rm|rp ftz?=ftz sat?=sat type=f32|f64|f32x2 srctype?=f16|bf16",
     "d:w=types4(type) a:r=types5(type+srctype) b:r=types5(type+srctype) c:r=types4(type)",
     "type=f64>ftz=- ftz=ftz>srctype=- sat=sat>type=f32 type=f64|f32x2>srctype=-"},
    {"fma_half", "fma",
     "rnd=rn ftz?=ftz sat?=sat oob?=oob relu?=relu type=f16|f16x2|bf16|bf16x2",
     "d:w=types3(type) a:r=types3(type) b:r=types3(type) c:r=types3(type)",
     "ftz=ftz>oob=- type=bf16|bf16x2>ftz=- sat=sat>oob=- sat=sat>relu=- type=bf16|bf16x2>sat=-"},
    {"fma_mixed_vec", "fma",
     "rnd=rn|rz|rm|rp dtype=f32x2 atype=f16x2|bf16x2 btype=f32x2 ctype=f32x2",
     "d:w=uint64 a:r=uint32 b:r=uint64 c:r=uint64",
     ""},
    {"fns", "fns",
     "type=b32",
     "d:w=uint32/int32/float32 mask:r=uint32/int32/float32 base:r=uint32/int32/float32 offset:r=int32",
     ""},
    {"getctarank", "getctarank",
     "space=shared::cluster type=u32|u64",
     "d:w=uint32 a:r=types23(type)",
     ""},
    {"getctarank_generic", "getctarank",
     "type=u32|u64",
     "d:w=uint32 a:r=types23(type)",
     ""},
    {"griddepcontrol", "griddepcontrol",
     "action=launch_dependents|wait",
     "",
     ""},
    {"isspacep", "isspacep",
     "space=const|global|local|shared|shared::cta|shared::cluster|param|param::entry",
     "p:w=pred a:p",
     ""},
    {"ld", "ld",
     "mmio?=mmio sem?=weak|acquire|relaxed|volatile scope?=cta|cluster|gpu|sys "
     "space?=global|shared|shared::cta|shared::cluster|local cop?=ca|cg|cs|lu|cv nc?=nc "
     "l1ev?=L1::evict_normal|L1::evict_unchanged|L1::evict_first|L1::evict_last|L1::no_allocate "
     "cache?=L2::cache_hint prefetch?=L2::64B|L2::128B|L2::256B "
     "type=b8|u8|s8|b16|u16|s16|b32|u32|s32|b64|u64|s64|f32|f64|b128",
     "d:w=types24(type) addr:a=space1(space)+ cache_policy:r=uint64*lanes6(cache)",
     "sem=weak|volatile|->mmio=- mmio=mmio>scope=sys mmio=mmio>space=global|- mmio=mmio>cop=- "
     "nc=nc>mmio=- mmio=mmio>l1ev=- mmio=mmio>cache=- mmio=mmio>prefetch=- sem=weak|volatile|->scope=- "
     "sem=acquire|relaxed>scope=cta|cluster|gpu|sys space=local>sem=weak|volatile|- "
     "cop=ca|cg|cs|lu|cv>sem=weak|- nc=nc>sem=- sem=volatile>l1ev=- sem=volatile>cache=- "
     "space=local>scope=- cop=ca|cg|cs|lu|cv>scope=- nc=nc>scope=- nc=nc>space=global "
     "space=shared|shared::cta|shared::cluster|local>l1ev=- cache=L2::cache_hint>space=global|- "
     "prefetch=L2::64B|L2::128B|L2::256B>space=global|- cop=lu|cv>nc=- cop=ca|cg|cs|lu|cv>l1ev=-"},
    {"ld_proxy_readonly", "ld",
     "space?=global type=b8|u8|s8|b16|u16|s16|b32|u32|s32|b64|u64|s64|f32|f64 proxy=proxy::readonly",
     "d:w=types25(type) addr:a=@space+",
     ""},
    {"ld_vec", "ld",
     "sem?=weak|acquire|relaxed|volatile scope?=cta|cluster|gpu|sys "
     "space?=global|shared|shared::cta|shared::cluster|local cop?=ca|cg|cs|lu|cv nc?=nc "
     "l1ev?=L1::evict_normal|L1::evict_unchanged|L1::evict_first|L1::evict_last|L1::no_allocate "
     "cache?=L2::cache_hint prefetch?=L2::64B|L2::128B|L2::256B vec=v2|v4 "
     "type=b8|u8|s8|b16|u16|s16|b32|u32|s32|b64|u64|s64|f32|f64",
     "d:w=types25(type)*lanes7(vec) addr:a=@space+ cache_policy:r=uint64*lanes6(cache)",
     "sem=weak|volatile|->scope=- sem=acquire|relaxed>scope=cta|cluster|gpu|sys "
     "space=local>sem=weak|volatile|- cop=ca|cg|cs|lu|cv>sem=weak|- nc=nc>sem=- sem=volatile>l1ev=- "
     "sem=volatile>cache=- space=local>scope=- cop=ca|cg|cs|lu|cv>scope=- nc=nc>scope=- "
     "nc=nc>space=global space=shared|shared::cta|shared::cluster|local>l1ev=- "
     "cache=L2::cache_hint>space=global|- prefetch=L2::64B|L2::128B|L2::256B>space=global|- "
     "cop=lu|cv>nc=- cop=ca|cg|cs|lu|cv>l1ev=- type=b64|u64|s64|f64>vec=v2"},
    {"ld_vec256", "ld",
     "sem?=weak|acquire|relaxed|volatile scope?=cta|cluster|gpu|sys space?=global cop?=ca|cg|cs|lu|cv "
     "nc?=nc l1ev?=L1::evict_normal|L1::evict_unchanged|L1::evict_first|L1::evict_last|L1::no_allocate "
     "l2ev?=L2::evict_first|L2::evict_last|L2::evict_normal cache?=L2::cache_hint "
     "prefetch?=L2::64B|L2::128B|L2::256B vec=v4|v8 type=b32|u32|s32|f32|b64|u64|s64|f64",
     "d:w=types9(type)~1*lanes10(vec) addr:a=@space+ cache_policy:r=uint64*lanes6(cache)",
     "sem=weak|volatile|->scope=- sem=acquire|relaxed>scope=cta|cluster|gpu|sys "
     "cop=ca|cg|cs|lu|cv>sem=weak|- nc=nc>sem=- sem=volatile>l1ev=- sem=volatile>l2ev=- "
     "sem=volatile>cache=- cop=ca|cg|cs|lu|cv>scope=- nc=nc>scope=- space=->nc=- cop=lu|cv>nc=- "
     "cop=ca|cg|cs|lu|cv>l1ev=- cop=ca|cg|cs|lu|cv>l2ev=- vec=v4>type=b64|u64|s64|f64 "
     "vec=v8>type=b32|u32|s32|f32"},
    {"ldmatrix", "ldmatrix",
     "sync=sync aligned=aligned shape=m8n8 num=x1|x2|x4 trans?=trans space?=shared|shared::cta "
     "type=b16",
     "r:w=uint32/int32/float32*lanes11(num) p:a=@space+",
     ""},
    {"ldmatrix_b8fmt", "ldmatrix",
     "sync=sync aligned=aligned shape=m8n16|m16n16 num=x1|x2|x4 trans?=trans space?=shared|shared::cta "
     "dst_fmt=b8x16 src_fmt=b6x16_p32|b4x16_p64",
     "r:w=uint32/int32/float32*lanes12(shape+num) p:a=@space+",
     "num=x4>shape=m8n16 shape=m8n16>trans=- shape=m16n16>trans=trans num=x4>trans=-"},
    {"ldmatrix_m16n16_b8", "ldmatrix",
     "sync=sync aligned=aligned shape=m16n16 num=x1|x2 trans=trans space?=shared|shared::cta type=b8",
     "r:w=uint32/int32/float32*lanes13(num) p:a=@space+",
     ""},
    {"ldmatrix_s8_s4", "ldmatrix",
     "sync=sync aligned=aligned shape=m8n16 num=x1|x2|x4 space?=shared|shared::cta dtype=s8 ctype=s4",
     "r:w=uint32/int32/float32*lanes11(num) p:a=@space+",
     ""},
    {"ldu", "ldu",
     "space?=global type=b8|u8|s8|b16|u16|s16|b32|u32|s32|b64|u64|s64|f32|f64|b128",
     "d:w=types24(type) addr:a=@space+",
     ""},
    {"ldu_vec", "ldu",
     "space?=global vec=v2|v4 type=b8|u8|s8|b16|u16|s16|b32|u32|s32|b64|u64|s64|f32|f64",
     "d:w=types25(type)*lanes7(vec) addr:a=@space+",
     "type=b64|u64|s64|f64>vec=v2"},
    {"lg2", "lg2",
     "mode=approx ftz?=ftz type=f32",
     "d:w=float32 value:r=float32",
     ""},
    {"lop3", "lop3",
     "type=b32",
     "d:w=uint32/int32/float32 a:r=uint32/int32/float32 b:r=uint32/int32/float32 "
     "c:r=uint32/int32/float32 immLut:i",
     ""},
    {"lop3_bool", "lop3",
     "boolop=or|and type=b32",
     "d:w=uint32/int32/float32 p:w=pred a:r=uint32/int32/float32 b:r=uint32/int32/float32 "
     "c:r=uint32/int32/float32 immLut:i q:r=pred",
     ""},
    {"lop3_bool_sink", "lop3",
     "boolop=or|and type=b32",
     "p:w=pred a:r=uint32/int32/float32 b:r=uint32/int32/float32 c:r=uint32/int32/float32 immLut:i "
     "q:r=pred",
     ""},
    {"mad_f", "mad",
     "rnd=rn|rz|rm|rp ftz?=ftz sat?=sat type=f32|f64",
     "d:w=types2(type) a:r=types2(type) b:r=types2(type) c:r=types2(type)",
     "type=f64>ftz=- type=f64>sat=-"},
    {"mad_int", "mad",
     "mode=hi|lo sat?=sat type=u16|u32|u64|s16|s32|s64",
     "d:w=types20(type) a:r=types20(type) b:r=types20(type) c:r=types20(type)",
     "mode=lo>sat=- sat=sat>type=s32"},
    {"mad_wide", "mad",
     "mode=wide type=u16|s16|u32|s32",
     "d:w=types26(type) a:r=types27(type) b:r=types27(type) c:r=types26(type)",
     ""},
    {"mad24", "mad24",
     "mode=hi|lo sat?=sat type=u32|s32",
     "d:w=types22(type) a:r=types22(type) b:r=types22(type) c:r=types22(type)",
     "mode=lo>sat=- type=u32>sat=-"},
    {"mapa", "mapa",
     "space?=shared::cluster type=u64",
     "d:w=uint64 a:p b:r=uint32",
     ""},
    {"mapa_u32", "mapa",
     "space=shared::cluster type=u32",
     "d:w=uint32 a:r=uint32 b:r=uint32",
     ""},
    {"mapa_u64_raw", "mapa",
     "type=u64",
     "d:w=uint64 a:r=uint64 b:r=uint32",
     ""},
    {"mapa_u64_shared", "mapa",
     "space=shared::cluster type=u64",
     "d:w=uint64 a:r=uint64 b:r=uint32",
     ""},
    {"match_all_sync", "match",
     "mode=all sync=sync type=b32|b64",
     "d:w=uint32/int32 a:r=types14(type) membermask:r=uint32",
     ""},
    {"match_all_sync_p", "match",
     "mode=all sync=sync type=b32|b64",
     "d:w=uint32/int32 p:w=pred a:r=types14(type) membermask:r=uint32",
     ""},
    {"match_any_sync", "match",
     "mode=any sync=sync type=b32|b64",
     "d:w=uint32/int32 a:r=types14(type) membermask:r=uint32",
     ""},
    {"max", "max",
     "ftz?=ftz nan?=NaN xorsign?=xorsign abs?=abs relu?=relu "
     "type=f32|f64|f16|f16x2|bf16|bf16x2|u16|u32|u64|u16x2|s16|s64|s16x2|s32",
     "d:w=types28(type) a:r=types28(type) b:r=types28(type)",
     "ftz=ftz>relu=- ftz=ftz>type=f32|f16|f16x2 nan=NaN>relu=- nan=NaN>type=f32|f16|f16x2|bf16|bf16x2 "
     "xorsign=xorsign>abs=abs xorsign=->abs=- relu=relu>xorsign=- "
     "xorsign=xorsign>type=f32|f16|f16x2|bf16|bf16x2 abs=abs>relu=- "
     "abs=abs>type=f32|f16|f16x2|bf16|bf16x2 relu=relu>type=s16x2|s32"},
    {"max3", "max",
     "ftz?=ftz nan?=NaN abs?=abs type=f32",
     "d:w=float32 a:r=float32 b:r=float32 c:r=float32",
     ""},
    {"mbarrier_arrive", "mbarrier",
     "action=arrive sem?=release|relaxed scope?=cta|cluster space?=shared|shared::cta|shared::cluster "
     "type=b64",
     "addr:a=@space+ count:r=uint32",
     "sem=release|relaxed>scope=cta|cluster sem=->scope=-"},
    {"mbarrier_arrive_count_state", "mbarrier",
     "action=arrive sem?=release|relaxed scope?=cta|cluster space?=shared|shared::cta type=b64",
     "state:w=uint64/int64 addr:a=@space+ count:r=uint32",
     "sem=release|relaxed>scope=cta|cluster sem=->scope=-"},
    {"mbarrier_arrive_drop", "mbarrier",
     "action=arrive_drop sem?=release|relaxed scope?=cta|cluster "
     "space?=shared|shared::cta|shared::cluster type=b64",
     "addr:a=@space+ count:r=uint32",
     "sem=release|relaxed>scope=cta|cluster sem=->scope=-"},
    {"mbarrier_arrive_drop_count_state", "mbarrier",
     "action=arrive_drop sem?=release|relaxed scope?=cta|cluster space?=shared|shared::cta type=b64",
     "state:w=uint64/int64 addr:a=@space+ count:r=uint32",
     "sem=release|relaxed>scope=cta|cluster sem=->scope=-"},
    {"mbarrier_arrive_drop_expect_tx", "mbarrier",
     "action=arrive_drop expect_tx=expect_tx sem?=release|relaxed scope?=cta|cluster "
     "space?=shared|shared::cta|shared::cluster type=b64",
     "addr:a=@space+ tx_count:r=uint32",
     "sem=release|relaxed>scope=cta|cluster sem=->scope=-"},
    {"mbarrier_arrive_drop_expect_tx_multicast32", "mbarrier",
     "action=arrive_drop expect_tx=expect_tx sem?=release|relaxed scope?=cta|cluster "
     "space=shared::cluster multicast=multicast::cluster::32b type=b64",
     "addr:a=shared::cluster+ tx_count:r=uint32 cta_mask:r=uint32",
     "sem=release|relaxed>scope=cta|cluster sem=->scope=-"},
    {"mbarrier_arrive_drop_expect_tx_state", "mbarrier",
     "action=arrive_drop expect_tx=expect_tx sem?=release|relaxed scope?=cta|cluster "
     "space?=shared|shared::cta type=b64",
     "state:w=uint64/int64 addr:a=@space+ count:r=uint32",
     "sem=release|relaxed>scope=cta|cluster sem=->scope=-"},
    {"mbarrier_arrive_drop_multicast32", "mbarrier",
     "action=arrive_drop sem?=release|relaxed scope?=cta|cluster space=shared::cluster "
     "multicast=multicast::cluster::32b type=b64",
     "addr:a=shared::cluster+ count:r=uint32 cta_mask:r=uint32",
     "sem=release|relaxed>scope=cta|cluster sem=->scope=-"},
    {"mbarrier_arrive_drop_multicast32_nocount", "mbarrier",
     "action=arrive_drop sem?=release|relaxed scope?=cta|cluster space=shared::cluster "
     "multicast=multicast::cluster::32b type=b64",
     "addr:a=shared::cluster+ cta_mask:r=uint32",
     "sem=release|relaxed>scope=cta|cluster sem=->scope=-"},
    {"mbarrier_arrive_drop_no_complete", "mbarrier",
     "action=arrive_drop nocomplete=noComplete sem?=release scope?=cta space?=shared|shared::cta "
     "type=b64",
     "state:u=uint64/int64 addr:a=@space+ count:r=uint32",
     "sem=release>scope=cta sem=->scope=-"},
    {"mbarrier_arrive_drop_no_complete_sink", "mbarrier",
     "action=arrive_drop nocomplete=noComplete sem?=release scope?=cta space?=shared|shared::cta "
     "type=b64",
     "addr:a=@space+ count:r=uint32",
     "sem=release>scope=cta sem=->scope=-"},
    {"mbarrier_arrive_drop_nocount", "mbarrier",
     "action=arrive_drop sem?=release|relaxed scope?=cta|cluster "
     "space?=shared|shared::cta|shared::cluster type=b64",
     "addr:a=@space+",
     "sem=release|relaxed>scope=cta|cluster sem=->scope=-"},
    {"mbarrier_arrive_drop_state", "mbarrier",
     "action=arrive_drop sem?=release|relaxed scope?=cta|cluster space?=shared|shared::cta type=b64",
     "state:w=uint64/int64 addr:a=@space+",
     "sem=release|relaxed>scope=cta|cluster sem=->scope=-"},
    {"mbarrier_arrive_expect_tx", "mbarrier",
     "action=arrive expect_tx=expect_tx sem?=release|relaxed scope?=cta|cluster "
     "space?=shared|shared::cta|shared::cluster type=b64",
     "addr:a=@space+ tx_count:r=uint32",
     "sem=release|relaxed>scope=cta|cluster sem=->scope=-"},
    {"mbarrier_arrive_expect_tx_multicast32", "mbarrier",
     "action=arrive expect_tx=expect_tx sem?=release|relaxed scope?=cta|cluster space=shared::cluster "
     "multicast=multicast::cluster::32b type=b64",
     "addr:a=shared::cluster+ tx_count:r=uint32 cta_mask:r=uint32",
     "sem=release|relaxed>scope=cta|cluster sem=->scope=-"},
    {"mbarrier_arrive_expect_tx_state", "mbarrier",
     "action=arrive expect_tx=expect_tx sem?=release|relaxed scope?=cta|cluster "
     "space?=shared|shared::cta type=b64",
     "state:w=uint64/int64 addr:a=@space+ count:r=uint32",
     "sem=release|relaxed>scope=cta|cluster sem=->scope=-"},
    {"mbarrier_arrive_multicast32", "mbarrier",
     "action=arrive sem?=release|relaxed scope?=cta|cluster space=shared::cluster "
     "multicast=multicast::cluster::32b type=b64",
     "addr:a=shared::cluster+ count:r=uint32 cta_mask:r=uint32",
     "sem=release|relaxed>scope=cta|cluster sem=->scope=-"},
    {"mbarrier_arrive_multicast32_nocount", "mbarrier",
     "action=arrive sem?=release|relaxed scope?=cta|cluster space=shared::cluster "
     "multicast=multicast::cluster::32b type=b64",
     "addr:a=shared::cluster+ cta_mask:r=uint32",
     "sem=release|relaxed>scope=cta|cluster sem=->scope=-"},
    {"mbarrier_arrive_no_complete", "mbarrier",
     "action=arrive nocomplete=noComplete sem?=release scope?=cta space?=shared|shared::cta type=b64",
     "state:u=uint64/int64 addr:a=@space+ count:r=uint32",
     "sem=release>scope=cta sem=->scope=-"},
    {"mbarrier_arrive_no_complete_sink", "mbarrier",
     "action=arrive nocomplete=noComplete sem?=release scope?=cta space?=shared|shared::cta type=b64",
     "addr:a=@space+ count:r=uint32",
     "sem=release>scope=cta sem=->scope=-"},
    {"mbarrier_arrive_nocount", "mbarrier",
     "action=arrive sem?=release|relaxed scope?=cta|cluster space?=shared|shared::cta|shared::cluster "
     "type=b64",
     "addr:a=@space+",
     "sem=release|relaxed>scope=cta|cluster sem=->scope=-"},
    {"mbarrier_arrive_state", "mbarrier",
     "action=arrive sem?=release|relaxed scope?=cta|cluster space?=shared|shared::cta type=b64",
     "state:w=uint64/int64 addr:a=@space+",
     "sem=release|relaxed>scope=cta|cluster sem=->scope=-"},
    {"mbarrier_check_layout", "mbarrier",
     "action=check_layout layout=layout::v0|layout::v1 space?=shared::cta type=b64",
     "matches:w=pred addr:a=@space+",
     ""},
    {"mbarrier_complete_tx", "mbarrier",
     "action=complete_tx sem?=relaxed scope?=cta|cluster space?=shared|shared::cta|shared::cluster "
     "type=b64",
     "addr:a=@space+ tx_count:r=uint32",
     "sem=relaxed>scope=cta|cluster sem=->scope=-"},
    {"mbarrier_complete_tx_multicast32", "mbarrier",
     "action=complete_tx sem?=relaxed scope?=cta|cluster space=shared::cluster "
     "multicast=multicast::cluster::32b type=b64",
     "addr:a=shared::cluster+ tx_count:r=uint32 cta_mask:r=uint32",
     "sem=relaxed>scope=cta|cluster sem=->scope=-"},
    {"mbarrier_expect_tx", "mbarrier",
     "action=expect_tx sem?=relaxed scope?=cta|cluster space?=shared|shared::cta|shared::cluster "
     "type=b64",
     "addr:a=@space+ tx_count:r=uint32",
     "sem=relaxed>scope=cta|cluster sem=->scope=-"},
    {"mbarrier_expect_tx_multicast32", "mbarrier",
     "action=expect_tx sem?=relaxed scope?=cta|cluster space=shared::cluster "
     "multicast=multicast::cluster::32b type=b64",
     "addr:a=shared::cluster+ tx_count:r=uint32 cta_mask:r=uint32",
     "sem=relaxed>scope=cta|cluster sem=->scope=-"},
    {"mbarrier_init", "mbarrier",
     "action=init layout?=layout::v0|layout::v1 space?=shared|shared::cta type=b64",
     "addr:a=@space+ count:r=uint32",
     ""},
    {"mbarrier_inval", "mbarrier",
     "action=inval space?=shared|shared::cta type=b64",
     "addr:a=@space+",
     ""},
    {"mbarrier_pending_count", "mbarrier",
     "action=pending_count layout?=layout::v0 type=b64",
     "count:w=uint32 state:r=uint64/int64",
     ""},
    {"mbarrier_test_wait", "mbarrier",
     "action=test_wait phase_type?=phase_type::primary sem?=acquire|relaxed scope?=cta|cluster "
     "space?=shared|shared::cta type=b64",
     "wait_complete:w=pred addr:a=@space+ state:r=uint64/int64",
     "sem=acquire|relaxed>scope=cta|cluster sem=->scope=-"},
    {"mbarrier_test_wait_parity", "mbarrier",
     "action=test_wait parity=parity phase_type?=phase_type::primary|phase_type::conditional "
     "sem?=acquire|relaxed scope?=cta|cluster space?=shared|shared::cta type=b64",
     "wait_complete:w=pred addr:a=@space+ phase:r=uint32",
     "sem=acquire|relaxed>scope=cta|cluster sem=->scope=-"},
    {"mbarrier_test_wait_parity_report", "mbarrier",
     "action=test_wait parity=parity phase_type=phase_type::primary sem?=acquire|relaxed "
     "scope?=cta|cluster space?=shared|shared::cta type=b64",
     "wait_complete:w=pred report_predicate:w=pred addr:a=@space+ phase:r=uint32",
     "sem=acquire|relaxed>scope=cta|cluster sem=->scope=-"},
    {"mbarrier_test_wait_parity_report_value", "mbarrier",
     "action=test_wait parity=parity phase_type=phase_type::primary sem?=acquire|relaxed "
     "scope?=cta|cluster space?=shared|shared::cta type=b64",
     "wait_complete:w=pred report_predicate:w=pred report_value:w=uint8 addr:a=@space+ phase:r=uint32",
     "sem=acquire|relaxed>scope=cta|cluster sem=->scope=-"},
    {"mbarrier_test_wait_report", "mbarrier",
     "action=test_wait phase_type=phase_type::primary sem?=acquire|relaxed scope?=cta|cluster "
     "space?=shared|shared::cta type=b64",
     "wait_complete:w=pred report_predicate:w=pred addr:a=@space+ phase:r=uint64/int64",
     "sem=acquire|relaxed>scope=cta|cluster sem=->scope=-"},
    {"mbarrier_test_wait_report_value", "mbarrier",
     "action=test_wait phase_type=phase_type::primary sem?=acquire|relaxed scope?=cta|cluster "
     "space?=shared|shared::cta type=b64",
     "wait_complete:w=pred report_predicate:w=pred report_value:w=uint8 addr:a=@space+ "
     "phase:r=uint64/int64",
     "sem=acquire|relaxed>scope=cta|cluster sem=->scope=-"},
    {"mbarrier_try_wait", "mbarrier",
     "action=try_wait phase_type?=phase_type::primary sem?=acquire|relaxed scope?=cta|cluster "
     "space?=shared|shared::cta type=b64",
     "wait_complete:w=pred addr:a=@space+ state:r=uint64/int64",
     "sem=acquire|relaxed>scope=cta|cluster sem=->scope=-"},
    {"mbarrier_try_wait_hint", "mbarrier",
     "action=try_wait phase_type?=phase_type::primary sem?=acquire|relaxed scope?=cta|cluster "
     "space?=shared|shared::cta type=b64",
     "wait_complete:w=pred addr:a=@space+ state:r=uint64/int64 time_hint:r=uint32",
     "sem=acquire|relaxed>scope=cta|cluster sem=->scope=-"},
    {"mbarrier_try_wait_parity", "mbarrier",
     "action=try_wait parity=parity phase_type?=phase_type::primary|phase_type::conditional "
     "sem?=acquire|relaxed scope?=cta|cluster space?=shared|shared::cta type=b64",
     "wait_complete:w=pred addr:a=@space+ phase:r=uint32 time_hint:r=uint32",
     "sem=acquire|relaxed>scope=cta|cluster sem=->scope=-"},
    {"mbarrier_try_wait_parity_no_hint", "mbarrier",
     "action=try_wait parity=parity phase_type?=phase_type::primary|phase_type::conditional "
     "sem?=acquire|relaxed scope?=cta|cluster space?=shared|shared::cta type=b64",
     "wait_complete:w=pred addr:a=@space+ phase:r=uint32",
     "sem=acquire|relaxed>scope=cta|cluster sem=->scope=-"},
    {"mbarrier_try_wait_parity_report", "mbarrier",
     "action=try_wait parity=parity phase_type=phase_type::primary sem?=acquire|relaxed "
     "scope?=cta|cluster space?=shared|shared::cta type=b64",
     "wait_complete:w=pred report_predicate:w=pred addr:a=@space+ phase:r=uint32",
     "sem=acquire|relaxed>scope=cta|cluster sem=->scope=-"},
    {"mbarrier_try_wait_parity_report_hint", "mbarrier",
     "action=try_wait parity=parity phase_type=phase_type::primary sem?=acquire|relaxed "
     "scope?=cta|cluster space?=shared|shared::cta type=b64",
     "wait_complete:w=pred report_predicate:w=pred addr:a=@space+ phase:r=uint32 time_hint:r=uint32",
     "sem=acquire|relaxed>scope=cta|cluster sem=->scope=-"},
    {"mbarrier_try_wait_parity_report_value", "mbarrier",
     "action=try_wait parity=parity phase_type=phase_type::primary sem?=acquire|relaxed "
     "scope?=cta|cluster space?=shared|shared::cta type=b64",
     "wait_complete:w=pred report_predicate:w=pred report_value:w=uint8 addr:a=@space+ phase:r=uint32",
     "sem=acquire|relaxed>scope=cta|cluster sem=->scope=-"},
    {"mbarrier_try_wait_parity_report_value_hint", "mbarrier",
     "action=try_wait parity=parity phase_type=phase_type::primary sem?=acquire|relaxed "
     "scope?=cta|cluster space?=shared|shared::cta type=b64",
     "wait_complete:w=pred report_predicate:w=pred report_value:w=uint8 addr:a=@space+ phase:r=uint32 "
     "time_hint:r=uint32",
     "sem=acquire|relaxed>scope=cta|cluster sem=->scope=-"},
    {"mbarrier_try_wait_report", "mbarrier",
     "action=try_wait phase_type=phase_type::primary sem?=acquire|relaxed scope?=cta|cluster "
     "space?=shared|shared::cta type=b64",
     "wait_complete:w=pred report_predicate:w=pred addr:a=@space+ phase:r=uint64/int64",
     "sem=acquire|relaxed>scope=cta|cluster sem=->scope=-"},
    {"mbarrier_try_wait_report_hint", "mbarrier",
     "action=try_wait phase_type=phase_type::primary sem?=acquire|relaxed scope?=cta|cluster "
     "space?=shared|shared::cta type=b64",
     "wait_complete:w=pred report_predicate:w=pred addr:a=@space+ phase:r=uint64/int64 "
     "time_hint:r=uint32",
     "sem=acquire|relaxed>scope=cta|cluster sem=->scope=-"},
    {"mbarrier_try_wait_report_value", "mbarrier",
     "action=try_wait phase_type=phase_type::primary sem?=acquire|relaxed scope?=cta|cluster "
     "space?=shared|shared::cta type=b64",
     "wait_complete:w=pred report_predicate:w=pred report_value:w=uint8 addr:a=@space+ "
     "phase:r=uint64/int64",
     "sem=acquire|relaxed>scope=cta|cluster sem=->scope=-"},
    {"mbarrier_try_wait_report_value_hint", "mbarrier",
     "action=try_wait phase_type=phase_type::primary sem?=acquire|relaxed scope?=cta|cluster "
     "space?=shared|shared::cta type=b64",
     "wait_complete:w=pred report_predicate:w=pred report_value:w=uint8 addr:a=@space+ "
     "phase:r=uint64/int64 time_hint:r=uint32",
     "sem=acquire|relaxed>scope=cta|cluster sem=->scope=-"},
    {"min", "min",
     "ftz?=ftz nan?=NaN xorsign?=xorsign abs?=abs relu?=relu "
     "type=f32|f64|f16|f16x2|bf16|bf16x2|u16|u32|u64|u16x2|s16|s64|s16x2|s32",
     "d:w=types28(type) a:r=types28(type) b:r=types28(type)",
     "ftz=ftz>relu=- ftz=ftz>type=f32|f16|f16x2 nan=NaN>relu=- nan=NaN>type=f32|f16|f16x2|bf16|bf16x2 "
     "xorsign=xorsign>abs=abs xorsign=->abs=- relu=relu>xorsign=- "
     "xorsign=xorsign>type=f32|f16|f16x2|bf16|bf16x2 abs=abs>relu=- "
     "abs=abs>type=f32|f16|f16x2|bf16|bf16x2 relu=relu>type=s16x2|s32"},
    {"min3", "min",
     "ftz?=ftz nan?=NaN abs?=abs type=f32",
     "d:w=float32 a:r=float32 b:r=float32 c:r=float32",
     ""},
};
// clang-format on

}  // namespace

std::span<const PtxRow> ptx_rows_cvt_to_min() { return rows; }

}  // namespace mlc::tvmscript
