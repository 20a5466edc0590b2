// SPDX-License-Identifier: Apache-2.0
// Forms of PTX instructions: conversion of numbers and of addresses. The columns are explained in ptx.h.
#include "ir/tir/ptx.h"

namespace mlc::ir {
namespace {

// clang-format off
constexpr PtxRow conversion_table[] = {
    {"cvt", "cvt",
     "rnd?=rni|rzi|rmi|rpi|rn|rz|rm|rp relu?=relu satfinite?=satfinite ftz?=ftz sat?=sat "
     "dtype=u8|u16|u32|u64|s8|s16|s32|s64|bf16|f16|f32|f64 "
     "atype=u8|u16|u32|u64|s8|s16|s32|s64|bf16|f16|f32|f64",
     "d:w=converted(ftz+atype+dtype) a:r=source(dtype+atype)",
     "relu=relu>rnd=rn|rz satfinite=satfinite>rnd=rn|rz rnd=rn|rz|rm|rp>dtype=bf16|f16|f32|f64 "
     "rnd=rni|rzi|rmi|rpi>atype=bf16|f16|f32|f64 ftz=ftz>relu=- sat=sat>relu=- relu=relu>dtype=bf16|f16 "
     "relu=relu>atype=f32 ftz=ftz>satfinite=- sat=sat>satfinite=- satfinite=satfinite>dtype=bf16|f16 "
     "satfinite=satfinite>atype=f32 dtype=bf16>sat=- atype=bf16>sat=- "
     "dtype=u8|s8>atype=u8|u16|u32|u64|s8|s16|s32|s64|f16|f32|f64 "
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
     "rnd=rm|rn|rp|rz&ftz=ftz>atype=u8|u16|u32|u64|s8|s16|s32|s64|f32|f64 rnd=-&ftz=ftz>atype=bf16|f16|f32 "
     "rnd=rn|rm|rp|rz&dtype=f16>atype=u8|u16|u32|u64|s8|s16|s32|s64|bf16|f32|f64 "
     "ftz=ftz&dtype=bf16>atype=u8|s8|bf16|f16|f32 "
     "sat=sat&dtype=u16>atype=u32|u64|s8|s16|s32|s64|bf16|f16|f32|f64 "
     "rnd=rn|rp|rm|rz&ftz=ftz>dtype=u8|u16|u32|u64|s8|s16|s32|s64|bf16|f16|f32 "
     "rnd=-&dtype=f32>atype=bf16|f16|f32 rnd=-&ftz=ftz>dtype=f32|f64 "
     "sat=sat&dtype=u8>atype=u16|u32|u64|s8|s16|s32|s64|bf16|f16|f32|f64 "
     "sat=sat&dtype=s16>atype=u16|u32|u64|s32|s64|bf16|f16|f32|f64 rnd=-&dtype=f64>atype=bf16|f16|f32|f64 "
     "sat=sat&dtype=s8>atype=u8|u16|u32|u64|s16|s32|s64|bf16|f16|f32|f64"},
    {"cvt_94_narrow_f32", "cvt",
     "rnd=rn|rz satfinite=satfinite relu?=relu pzo?=pzo scaled?=scaled::n1::ue8m0 "
     "dtype=e4m3x2|e5m2x2|e2m1x2|e2m3x2|e3m2x2 atype=f32",
     "d:w=register(dtype) a:r=float32 b:r=float32 scale_factor:r=uint8*given(scaled)",
     "rnd=rn&pzo=->scaled=scaled::n1::ue8m0"},
    {"cvt_94_narrow_fp16x2", "cvt",
     "rnd=rn|rz satfinite=satfinite relu?=relu pzo?=pzo scaled?=scaled::n1::ue8m0 "
     "dtype=e4m3x2|e5m2x2|e2m1x2|e2m3x2|e3m2x2 atype=f16x2|bf16x2",
     "d:w=register(dtype) a:r=uint32 scale_factor:r=uint8*given(scaled)",
     "rnd=rn&pzo=->scaled=scaled::n1::ue8m0"},
    {"cvt_[bf16x2_;f16x2_;rs_bf16x2_;rs_f16x2_]f32", "cvt",
     "rnd=[rn|rz;rn|rz;rs;rs] relu?=relu satfinite?=satfinite dtype=[bf16x2;f16x2;bf16x2;f16x2] atype=f32",
     "d:w=uint32 a:r=float32 b:r=float32[;; rbits:r=$r32; rbits:r=$r32]"},
    {"cvt_bf16x2_[f4x2;f6x2;f8x2;s2f6x2]", "cvt",
     "rnd=rn [relu?=relu ;relu?=relu ;relu?=relu ;]satfinite?=satfinite [;;;relu?=relu "
     "]scaled?=scaled::n2::ue8m0 dtype=bf16x2 atype=[e2m1x2;e2m3x2|e3m2x2;e4m3x2|e5m2x2;s2f6x2]",
     "d:w=uint32 a:r=[uint8;uint16;uint16;uint16] scale_factor:r=uint16*given(scaled)"},
    {"cvt_bf16x2_ue5m3x2", "cvt",
     "rnd=rn satfinite?=satfinite scaled?=scaled::n2::ue8m0 dtype=bf16x2 atype=ue5m3x2",
     "d:w=uint32 a:r=uint16 scale_factor:r=uint16*given(scaled)"},
    {"cvt_bf16x2_ue8m0x2", "cvt", "rnd=rn dtype=bf16x2 atype=ue8m0x2", "d:w=uint32 a:r=uint16"},
    {"cvt_f16x2_[f4x2;f6x2;f8x2]", "cvt",
     "rnd=rn relu?=relu dtype=f16x2 atype=[e2m1x2;e2m3x2|e3m2x2;e4m3x2|e5m2x2]",
     "d:w=uint32 a:r=[uint8;uint16;uint16]"},
    {"cvt_f16x2_ue5m3x2", "cvt", "rnd=rn dtype=f16x2 atype=ue5m3x2", "d:w=uint32 a:r=uint16"},
    {"cvt_[f4x2;f6x2;f8x2]_f32", "cvt",
     "rnd=rn satfinite=satfinite relu?=relu dtype=[e2m1x2;e2m3x2|e3m2x2;e4m3x2|e5m2x2] atype=f32",
     "d:w=[uint8;uint16;uint16] a:r=float32 b:r=float32"},
    {"cvt_[f4x2;f6x2;f8x2]_fp16x2", "cvt",
     "rnd=rn satfinite=satfinite relu?=relu dtype=[e2m1x2;e2m3x2|e3m2x2;e4m3x2|e5m2x2] atype=f16x2|bf16x2",
     "d:w=[uint8;uint16;uint16] a:r=uint32"},
    {"cvt_pack[;_c]", "cvt_pack",
     "sat=sat convert=[u16|s16;u2|s2|u4|s4|u8|s8] abtype=s32[; ctype=b32]",
     "d:w=uint32 a:r=int32 b:r=int32[; c:r=$r32]"},
    {"cvt_pzo_[fp16x2;scalar]_f32", "cvt",
     "rnd=rn|rz relu?=relu satfinite?=satfinite pzo=pzo dtype=[f16x2|bf16x2;f16|bf16] atype=f32",
     "d:w=[uint32;uint16] a:r=float32[ b:r=float32;]"},
    {"cvt_[pzo_;]tf32_f32", "cvt",
     "rnd=[;rna|]rn|rz satfinite?=satfinite relu?=relu [pzo=pzo ;]dtype=tf32 atype=f32",
     "d:w=uint32 a:r=float32",
     "[;rnd=rna>relu=-]"},
    {"cvt_rs_[f4x4;f6x4;f8x4]_f32", "cvt",
     "rnd=rs relu?=relu satfinite=satfinite dtype=[e2m1x4;e2m3x4|e3m2x4;e4m3x4|e5m2x4] atype=f32",
     "d:w=[uint16;uint32;uint32] abef:r=float32*4 rbits:r=$r32"},
    {"cvt_s2f6x2_bf16x2", "cvt",
     "rnd=rn satfinite=satfinite relu?=relu scaled?=scaled::n2::ue8m0 dtype=s2f6x2 atype=bf16x2",
     "d:w=uint16 a:r=uint32 scale_factor:r=uint16*given(scaled)"},
    {"cvt_s2f6x2_f32", "cvt",
     "rnd=rn satfinite=satfinite relu?=relu scaled?=scaled::n2::ue8m0 dtype=s2f6x2 atype=f32",
     "d:w=uint16 a:r=float32 b:r=float32 scale_factor:r=uint16*given(scaled)"},
    {"cvt_ue5m3x2_f32[;_scaled]", "cvt",
     "rnd=rn|rz[|rp;] satfinite?=satfinite [;scaled=scaled::n1::ue8m0 ]dtype=ue5m3x2 atype=f32",
     "d:w=uint16 a:r=float32 b:r=float32[; scale_factor:r=uint8]"},
    {"cvt_ue5m3x2_fp16x2[;_scaled]", "cvt",
     "rnd=rn|rz[|rp;] satfinite?=satfinite [;scaled=scaled::n1::ue8m0 ]dtype=ue5m3x2 atype=f16x2|bf16x2",
     "d:w=uint16 a:r=uint32[; scale_factor:r=uint8]"},
    {"cvt_ue8m0x2_bf16x2", "cvt",
     "rnd=rz|rp satfinite?=satfinite dtype=ue8m0x2 atype=bf16x2",
     "d:w=uint16 a:r=uint32"},
    {"cvt_ue8m0x2_f32", "cvt",
     "rnd=rz|rp satfinite?=satfinite dtype=ue8m0x2 atype=f32",
     "d:w=uint16 a:r=float32 b:r=float32"},
    {"cvta[;_generic]", "cvta",
     "[dir=to ;]space=const|global|local|shared|shared::cta|shared::cluster|param|param::entry type=u64",
     "d:w=uint64 [ptr:p;a:r=uint64]"},
    {"getctarank[;_generic]", "getctarank",
     "[space=shared::cluster ;]type=u32|u64",
     "d:w=uint32 a:r=register(type)"},
    {"isspacep", "isspacep",
     "space=const|global|local|shared|shared::cta|shared::cluster|param|param::entry",
     "p:w=pred a:p"},
    {"mapa[;_u64_raw]", "mapa",
     "[space?=shared::cluster ;]type=u64",
     "d:w=uint64 a:[p;r=uint64] b:r=uint32"},
    {"mapa_u32", "mapa", "space=shared::cluster type=u32", "d:w=uint32 a:r=uint32 b:r=uint32"},
    {"mapa_u64_shared", "mapa", "space=shared::cluster type=u64", "d:w=uint64 a:r=uint64 b:r=uint32"},
};
// clang-format on

}  // namespace

std::span<const PtxRow> ptx_conversion_rows() { return conversion_table; }

}  // namespace mlc::ir
