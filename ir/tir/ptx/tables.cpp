// SPDX-License-Identifier: Apache-2.0
// What operands of PTX instructions depend on: lanes and types by modifier. The columns are explained in
// ptx.h.
#include "ir/tir/ptx.h"

namespace mlc::ir {
namespace {

// clang-format off
constexpr PtxTable tables[] = {
    {"types1", "int16",
     "s32=int32 s64=int64"},
    {"types2", "float32",
     "f64=float64"},
    {"types3", "uint16",
     "bf16x2=uint32 f16x2=uint32"},
    {"types4", "float32",
     "f32x2=uint64 f64=float64"},
    {"types5", "uint16",
     "f32,=float32 f32x2,=uint64 f64,=float64"},
    {"types6", "uint32",
     "s16=int16 s32=int32 s64=int64 u16=uint16 u64=uint64"},
    {"types7", "pred",
     "b16=uint16/int16/float16/bfloat16 b32=uint32/int32/float32 b64=uint64/int64/float64"},
    {"lanes1", "5",
     "1d,=1 1d,tile=1 2d,=2 2d,tile=2 3d,=3 3d,tile=3 4d,=4 4d,tile=4"},
    {"lanes2", "3",
     "4d=4 5d=5"},
    {"types8", "uint16/int16/float16/bfloat16",
     "im2col=uint16"},
    {"lanes3", "2",
     "3d,im2col=1 5d,im2col=3"},
    {"lanes4", "2",
     "3d=3 4d=4 5d=5"},
    {"lanes5", "1",
     "3d=2 4d=3 5d=4"},
    {"types9", "uint32/int32/float32",
     "b64=uint64/int64/float64 f32=float32 f64=float64 s32=int32 s64=int64 u32=uint32 u64=uint64"},
    {"lanes6", "1",
     "=0"},
    {"types10", "uint16/int16/float16/bfloat16",
     "b128=uint128/int128 b32=uint32/int32/float32 b64=uint64/int64/float64"},
    {"types11", "uint32/int32/float32",
     "b128=uint128/int128 b64=uint64/int64/float64"},
    {"types12", "uint16",
     "f16x2=uint32"},
    {"lanes7", "2",
     "v4=4"},
    {"lanes8", "2",
     "v4=4 v8=8"},
    {"types13", "uint32",
     "s32=int32 s64=int64 u64=uint64"},
    {"types14", "uint32/int32/float32",
     "b64=uint64/int64/float64"},
    {"types15", "uint16/int16/float16/bfloat16",
     "b32=uint32/int32/float32 b64=uint64/int64/float64"},
    {"types16", "uint16",
     "multicast::cluster::32b=uint32"},
    {"lanes9", "1",
     "2d=2 3d=3 4d=4 5d=5"},
    {"types17", "float32/uint32/int32/uint64/int64/uint128/int128",
     ",bf16,bf16=uint16 ,bf16,f16=uint16 ,bf16,f32=uint16 ,bf16,f64=uint16 ,bf16,s16=uint16 "
     ",bf16,s32=uint16 ,bf16,s64=uint16 ,bf16,u16=uint16 ,bf16,u32=uint16 ,bf16,u64=uint16 "
     ",f16,bf16=uint16/int16/float16/bfloat16 "
     ",f16,f16=uint16/int16/float16/bfloat16/uint32/int32/uint64/int64/uint128/int128 "
     ",f16,f32=uint16/int16/float16/bfloat16/uint32/int32/uint64/int64/uint128/int128 "
     ",f16,f64=uint16/int16/float16/bfloat16/uint32/int32/uint64/int64/uint128/int128 "
     ",f16,s16=uint16/int16/float16/bfloat16/uint32/int32/uint64/int64/uint128/int128 "
     ",f16,s32=uint16/int16/float16/bfloat16/uint32/int32/uint64/int64/uint128/int128 "
     ",f16,s64=uint16/int16/float16/bfloat16/uint32/int32/uint64/int64/uint128/int128 "
     ",f16,s8=uint16/int16/float16/bfloat16/uint32/int32/uint64/int64/uint128/int128 "
     ",f16,u16=uint16/int16/float16/bfloat16/uint32/int32/uint64/int64/uint128/int128 "
     ",f16,u32=uint16/int16/float16/bfloat16/uint32/int32/uint64/int64/uint128/int128 "
     ",f16,u64=uint16/int16/float16/bfloat16/uint32/int32/uint64/int64/uint128/int128 "
     ",f16,u8=uint16/int16/float16/bfloat16/uint32/int32/uint64/int64/uint128/int128 "
     ",f32,bf16=float32/uint32/int32 ,f64,bf16=float64/uint64/int64 "
     ",f64,f16=float64/uint64/int64/uint128/int128 ,f64,f32=float64/uint64/int64/uint128/int128 "
     ",f64,f64=float64/uint64/int64/uint128/int128 ,f64,s16=float64/uint64/int64/uint128/int128 "
     ",f64,s32=float64/uint64/int64/uint128/int128 ,f64,s64=float64/uint64/int64/uint128/int128 "
     ",f64,s8=float64/uint64/int64/uint128/int128 ,f64,u16=float64/uint64/int64/uint128/int128 "
     ",f64,u32=float64/uint64/int64/uint128/int128 ,f64,u64=float64/uint64/int64/uint128/int128 "
     ",f64,u8=float64/uint64/int64/uint128/int128 ,s16,bf16=int16/uint16 "
     ",s16,f16=int16/uint16/int32/uint32/int64/uint64/int128/uint128 "
     ",s16,f32=int16/uint16/int32/uint32/int64/uint64/int128/uint128 "
     ",s16,f64=int16/uint16/int32/uint32/int64/uint64/int128/uint128 "
     ",s16,s16=int16/uint16/int32/uint32/int64/uint64/int128/uint128 "
     ",s16,s32=int16/uint16/int32/uint32/int64/uint64/int128/uint128 "
     ",s16,s64=int16/uint16/int32/uint32/int64/uint64/int128/uint128 "
     ",s16,s8=int16/uint16/int32/uint32/int64/uint64/int128/uint128 "
     ",s16,u16=int16/uint16/int32/uint32/int64/uint64/int128/uint128 "
     ",s16,u32=int16/uint16/int32/uint32/int64/uint64/int128/uint128 "
     ",s16,u64=int16/uint16/int32/uint32/int64/uint64/int128/uint128 "
     ",s16,u8=int16/uint16/int32/uint32/int64/uint64/int128/uint128 ,s32,bf16=int32/uint32 "
     ",s32,f16=int32/uint32/int64/uint64/int128/uint128 "
     ",s32,f32=int32/uint32/int64/uint64/int128/uint128 "
     ",s32,f64=int32/uint32/int64/uint64/int128/uint128 "
     ",s32,s16=int32/uint32/int64/uint64/int128/uint128 "
     ",s32,s32=int32/uint32/int64/uint64/int128/uint128 "
     ",s32,s64=int32/uint32/int64/uint64/int128/uint128 "
     ",s32,s8=int32/uint32/int64/uint64/int128/uint128 "
     ",s32,u16=int32/uint32/int64/uint64/int128/uint128 "
     ",s32,u32=int32/uint32/int64/uint64/int128/uint128 "
     ",s32,u64=int32/uint32/int64/uint64/int128/uint128 "
     ",s32,u8=int32/uint32/int64/uint64/int128/uint128 ,s64,bf16=int64/uint64 "
     ",s64,f16=int64/uint64/int128/uint128 ,s64,f32=int64/uint64/int128/uint128 "
     ",s64,f64=int64/uint64/int128/uint128 ,s64,s16=int64/uint64/int128/uint128 "
     ",s64,s32=int64/uint64/int128/uint128 ,s64,s64=int64/uint64/int128/uint128 "
     ",s64,s8=int64/uint64/int128/uint128 ,s64,u16=int64/uint64/int128/uint128 "
     ",s64,u32=int64/uint64/int128/uint128 ,s64,u64=int64/uint64/int128/uint128 "
     ",s64,u8=int64/uint64/int128/uint128 "
     ",s8,f16=int8/uint8/int16/uint16/int32/uint32/int64/uint64/int128/uint128 "
     ",s8,f32=int8/uint8/int16/uint16/int32/uint32/int64/uint64/int128/uint128 "
     ",s8,f64=int8/uint8/int16/uint16/int32/uint32/int64/uint64/int128/uint128 "
     ",s8,s16=int8/uint8/int16/uint16/int32/uint32/int64/uint64/int128/uint128 "
     ",s8,s32=int8/uint8/int16/uint16/int32/uint32/int64/uint64/int128/uint128 "
     ",s8,s64=int8/uint8/int16/uint16/int32/uint32/int64/uint64/int128/uint128 "
     ",s8,s8=int8/uint8/int16/uint16/int32/uint32/int64/uint64/int128/uint128 "
     ",s8,u16=int8/uint8/int16/uint16/int32/uint32/int64/uint64/int128/uint128 "
     ",s8,u32=int8/uint8/int16/uint16/int32/uint32/int64/uint64/int128/uint128 "
     ",s8,u64=int8/uint8/int16/uint16/int32/uint32/int64/uint64/int128/uint128 "
     ",s8,u8=int8/uint8/int16/uint16/int32/uint32/int64/uint64/int128/uint128 ,u16,bf16=uint16/int16 "
     ",u16,f16=uint16/int16/uint32/int32/uint64/int64/uint128/int128 "
     ",u16,f32=uint16/int16/uint32/int32/uint64/int64/uint128/int128 "
     ",u16,f64=uint16/int16/uint32/int32/uint64/int64/uint128/int128 "
     ",u16,s16=uint16/int16/uint32/int32/uint64/int64/uint128/int128 "
     ",u16,s32=uint16/int16/uint32/int32/uint64/int64/uint128/int128 "
     ",u16,s64=uint16/int16/uint32/int32/uint64/int64/uint128/int128 "
     ",u16,s8=uint16/int16/uint32/int32/uint64/int64/uint128/int128 "
     ",u16,u16=uint16/int16/uint32/int32/uint64/int64/uint128/int128 "
     ",u16,u32=uint16/int16/uint32/int32/uint64/int64/uint128/int128 "
     ",u16,u64=uint16/int16/uint32/int32/uint64/int64/uint128/int128 "
     ",u16,u8=uint16/int16/uint32/int32/uint64/int64/uint128/int128 ,u32,bf16=uint32/int32 "
     ",u32,f16=uint32/int32/uint64/int64/uint128/int128 "
     ",u32,f32=uint32/int32/uint64/int64/uint128/int128 "
     ",u32,f64=uint32/int32/uint64/int64/uint128/int128 "
     ",u32,s16=uint32/int32/uint64/int64/uint128/int128 "
     ",u32,s32=uint32/int32/uint64/int64/uint128/int128 "
     ",u32,s64=uint32/int32/uint64/int64/uint128/int128 "
     ",u32,s8=uint32/int32/uint64/int64/uint128/int128 "
     ",u32,u16=uint32/int32/uint64/int64/uint128/int128 "
     ",u32,u32=uint32/int32/uint64/int64/uint128/int128 "
     ",u32,u64=uint32/int32/uint64/int64/uint128/int128 "
     ",u32,u8=uint32/int32/uint64/int64/uint128/int128 ,u64,bf16=uint64/int64 "
     ",u64,f16=uint64/int64/uint128/int128 ,u64,f32=uint64/int64/uint128/int128 "
     ",u64,f64=uint64/int64/uint128/int128 ,u64,s16=uint64/int64/uint128/int128 "
     ",u64,s32=uint64/int64/uint128/int128 ,u64,s64=uint64/int64/uint128/int128 "
     ",u64,s8=uint64/int64/uint128/int128 ,u64,u16=uint64/int64/uint128/int128 "
     ",u64,u32=uint64/int64/uint128/int128 ,u64,u64=uint64/int64/uint128/int128 "
     ",u64,u8=uint64/int64/uint128/int128 "
     ",u8,f16=uint8/int8/uint16/int16/uint32/int32/uint64/int64/uint128/int128 "
     ",u8,f32=uint8/int8/uint16/int16/uint32/int32/uint64/int64/uint128/int128 "
     ",u8,f64=uint8/int8/uint16/int16/uint32/int32/uint64/int64/uint128/int128 "
     ",u8,s16=uint8/int8/uint16/int16/uint32/int32/uint64/int64/uint128/int128 "
     ",u8,s32=uint8/int8/uint16/int16/uint32/int32/uint64/int64/uint128/int128 "
     ",u8,s64=uint8/int8/uint16/int16/uint32/int32/uint64/int64/uint128/int128 "
     ",u8,s8=uint8/int8/uint16/int16/uint32/int32/uint64/int64/uint128/int128 "
     ",u8,u16=uint8/int8/uint16/int16/uint32/int32/uint64/int64/uint128/int128 "
     ",u8,u32=uint8/int8/uint16/int16/uint32/int32/uint64/int64/uint128/int128 "
     ",u8,u64=uint8/int8/uint16/int16/uint32/int32/uint64/int64/uint128/int128 "
     ",u8,u8=uint8/int8/uint16/int16/uint32/int32/uint64/int64/uint128/int128 ftz,bf16,f32=uint16 "
     "ftz,f16,f32=uint16/int16/float16/bfloat16/uint32/int32/uint64/int64/uint128/int128 "
     "ftz,f32,bf16=float32/uint32/int32 ftz,f32,f64=float32/uint32/int32 "
     "ftz,f64,f32=float64/uint64/int64 "
     "ftz,s16,f32=int16/uint16/int32/uint32/int64/uint64/int128/uint128 "
     "ftz,s32,f32=int32/uint32/int64/uint64/int128/uint128 ftz,s64,f32=int64/uint64 "
     "ftz,s8,f32=int8/uint8/int16/uint16/int32/uint32/int64/uint64/int128/uint128 "
     "ftz,u16,f32=uint16/int16/uint32/int32/uint64/int64/uint128/int128 "
     "ftz,u32,f32=uint32/int32/uint64/int64/uint128/int128 ftz,u64,f32=uint64/int64 "
     "ftz,u8,f32=uint8/int8/uint16/int16/uint32/int32/uint64/int64/uint128/int128"},
    {"types18", "uint16/int16/float16/bfloat16",
     "bf16,bf16=uint16 bf16,f32=float32/uint32/int32 bf16,f64=float64/uint64/int64 "
     "bf16,s16=int16/uint16 bf16,s32=int32/uint32 bf16,s64=int64/uint64 bf16,u16=uint16/int16 "
     "bf16,u32=uint32/int32 bf16,u64=uint64/int64 f16,bf16=uint16 f16,f32=float32/uint32/int32 "
     "f16,f64=float64/uint64/int64 f16,s16=int16/uint16/int32/uint32/int64/uint64/int128/uint128 "
     "f16,s32=int32/uint32/int64/uint64/int128/uint128 f16,s64=int64/uint64/int128/uint128 "
     "f16,s8=int8/uint8/int16/uint16/int32/uint32/int64/uint64/int128/uint128 "
     "f16,u16=uint16/int16/uint32/int32/uint64/int64/uint128/int128 "
     "f16,u32=uint32/int32/uint64/int64/uint128/int128 f16,u64=uint64/int64/uint128/int128 "
     "f16,u8=uint8/int8/uint16/int16/uint32/int32/uint64/int64/uint128/int128 f32,bf16=uint16 "
     "f32,f32=float32/uint32/int32 f32,f64=float64/uint64/int64 "
     "f32,s16=int16/uint16/int32/uint32/int64/uint64/int128/uint128 "
     "f32,s32=int32/uint32/int64/uint64/int128/uint128 f32,s64=int64/uint64/int128/uint128 "
     "f32,s8=int8/uint8/int16/uint16/int32/uint32/int64/uint64/int128/uint128 "
     "f32,u16=uint16/int16/uint32/int32/uint64/int64/uint128/int128 "
     "f32,u32=uint32/int32/uint64/int64/uint128/int128 f32,u64=uint64/int64/uint128/int128 "
     "f32,u8=uint8/int8/uint16/int16/uint32/int32/uint64/int64/uint128/int128 f64,bf16=uint16 "
     "f64,f32=float32/uint32/int32 f64,f64=float64/uint64/int64 "
     "f64,s16=int16/uint16/int32/uint32/int64/uint64/int128/uint128 "
     "f64,s32=int32/uint32/int64/uint64/int128/uint128 f64,s64=int64/uint64/int128/uint128 "
     "f64,s8=int8/uint8/int16/uint16/int32/uint32/int64/uint64/int128/uint128 "
     "f64,u16=uint16/int16/uint32/int32/uint64/int64/uint128/int128 "
     "f64,u32=uint32/int32/uint64/int64/uint128/int128 f64,u64=uint64/int64/uint128/int128 "
     "f64,u8=uint8/int8/uint16/int16/uint32/int32/uint64/int64/uint128/int128 s16,bf16=uint16 "
     "s16,f32=float32/uint32/int32 s16,f64=float64/uint64/int64 "
     "s16,s16=int16/uint16/int32/uint32/int64/uint64/int128/uint128 "
     "s16,s32=int32/uint32/int64/uint64/int128/uint128 s16,s64=int64/uint64/int128/uint128 "
     "s16,s8=int8/uint8/int16/uint16/int32/uint32/int64/uint64/int128/uint128 "
     "s16,u16=uint16/int16/uint32/int32/uint64/int64/uint128/int128 "
     "s16,u32=uint32/int32/uint64/int64/uint128/int128 s16,u64=uint64/int64/uint128/int128 "
     "s16,u8=uint8/int8/uint16/int16/uint32/int32/uint64/int64/uint128/int128 s32,bf16=uint16 "
     "s32,f32=float32/uint32/int32 s32,f64=float64/uint64/int64 "
     "s32,s16=int16/uint16/int32/uint32/int64/uint64/int128/uint128 "
     "s32,s32=int32/uint32/int64/uint64/int128/uint128 s32,s64=int64/uint64/int128/uint128 "
     "s32,s8=int8/uint8/int16/uint16/int32/uint32/int64/uint64/int128/uint128 "
     "s32,u16=uint16/int16/uint32/int32/uint64/int64/uint128/int128 "
     "s32,u32=uint32/int32/uint64/int64/uint128/int128 s32,u64=uint64/int64/uint128/int128 "
     "s32,u8=uint8/int8/uint16/int16/uint32/int32/uint64/int64/uint128/int128 s64,bf16=uint16 "
     "s64,f32=float32/uint32/int32 s64,f64=float64/uint64/int64 "
     "s64,s16=int16/uint16/int32/uint32/int64/uint64/int128/uint128 "
     "s64,s32=int32/uint32/int64/uint64/int128/uint128 s64,s64=int64/uint64/int128/uint128 "
     "s64,s8=int8/uint8/int16/uint16/int32/uint32/int64/uint64/int128/uint128 "
     "s64,u16=uint16/int16/uint32/int32/uint64/int64/uint128/int128 "
     "s64,u32=uint32/int32/uint64/int64/uint128/int128 s64,u64=uint64/int64/uint128/int128 "
     "s64,u8=uint8/int8/uint16/int16/uint32/int32/uint64/int64/uint128/int128 "
     "s8,f32=float32/uint32/int32 s8,f64=float64/uint64/int64 "
     "s8,s16=int16/uint16/int32/uint32/int64/uint64/int128/uint128 "
     "s8,s32=int32/uint32/int64/uint64/int128/uint128 s8,s64=int64/uint64/int128/uint128 "
     "s8,s8=int8/uint8/int16/uint16/int32/uint32/int64/uint64/int128/uint128 "
     "s8,u16=uint16/int16/uint32/int32/uint64/int64/uint128/int128 "
     "s8,u32=uint32/int32/uint64/int64/uint128/int128 s8,u64=uint64/int64/uint128/int128 "
     "s8,u8=uint8/int8/uint16/int16/uint32/int32/uint64/int64/uint128/int128 u16,bf16=uint16 "
     "u16,f32=float32/uint32/int32 u16,f64=float64/uint64/int64 "
     "u16,s16=int16/uint16/int32/uint32/int64/uint64/int128/uint128 "
     "u16,s32=int32/uint32/int64/uint64/int128/uint128 u16,s64=int64/uint64/int128/uint128 "
     "u16,s8=int8/uint8/int16/uint16/int32/uint32/int64/uint64/int128/uint128 "
     "u16,u16=uint16/int16/uint32/int32/uint64/int64/uint128/int128 "
     "u16,u32=uint32/int32/uint64/int64/uint128/int128 u16,u64=uint64/int64/uint128/int128 "
     "u16,u8=uint8/int8/uint16/int16/uint32/int32/uint64/int64/uint128/int128 u32,bf16=uint16 "
     "u32,f32=float32/uint32/int32 u32,f64=float64/uint64/int64 "
     "u32,s16=int16/uint16/int32/uint32/int64/uint64/int128/uint128 "
     "u32,s32=int32/uint32/int64/uint64/int128/uint128 u32,s64=int64/uint64/int128/uint128 "
     "u32,s8=int8/uint8/int16/uint16/int32/uint32/int64/uint64/int128/uint128 "
     "u32,u16=uint16/int16/uint32/int32/uint64/int64/uint128/int128 "
     "u32,u32=uint32/int32/uint64/int64/uint128/int128 u32,u64=uint64/int64/uint128/int128 "
     "u32,u8=uint8/int8/uint16/int16/uint32/int32/uint64/int64/uint128/int128 u64,bf16=uint16 "
     "u64,f32=float32/uint32/int32 u64,f64=float64/uint64/int64 "
     "u64,s16=int16/uint16/int32/uint32/int64/uint64/int128/uint128 "
     "u64,s32=int32/uint32/int64/uint64/int128/uint128 u64,s64=int64/uint64/int128/uint128 "
     "u64,s8=int8/uint8/int16/uint16/int32/uint32/int64/uint64/int128/uint128 "
     "u64,u16=uint16/int16/uint32/int32/uint64/int64/uint128/int128 "
     "u64,u32=uint32/int32/uint64/int64/uint128/int128 u64,u64=uint64/int64/uint128/int128 "
     "u64,u8=uint8/int8/uint16/int16/uint32/int32/uint64/int64/uint128/int128 "
     "u8,f32=float32/uint32/int32 u8,f64=float64/uint64/int64 "
     "u8,s16=int16/uint16/int32/uint32/int64/uint64/int128/uint128 "
     "u8,s32=int32/uint32/int64/uint64/int128/uint128 u8,s64=int64/uint64/int128/uint128 "
     "u8,s8=int8/uint8/int16/uint16/int32/uint32/int64/uint64/int128/uint128 "
     "u8,u16=uint16/int16/uint32/int32/uint64/int64/uint128/int128 "
     "u8,u32=uint32/int32/uint64/int64/uint128/int128 u8,u64=uint64/int64/uint128/int128 "
     "u8,u8=uint8/int8/uint16/int16/uint32/int32/uint64/int64/uint128/int128"},
    {"types19", "uint16",
     "e2m1x2=uint8"},
    {"types20", "uint16",
     "s16=int16 s32=int32 s64=int64 u32=uint32 u64=uint64"},
    {"types21", "int32",
     "u32,u32=uint32"},
    {"types22", "uint32",
     "s32=int32"},
    {"types23", "uint32",
     "u64=uint64"},
    {"types24", "uint8/int8/uint16/int16/float16/bfloat16/uint32/int32/float32/uint64/int64/float64/uint128/int128",
     "b128=uint128/int128 "
     "b16=uint16/int16/float16/bfloat16/uint32/int32/float32/uint64/int64/float64/uint128/int128 "
     "b32=uint32/int32/float32/uint64/int64/float64/uint128/int128 "
     "b64=uint64/int64/float64/uint128/int128 f32=float32/uint32/int32/uint64/int64/uint128/int128 "
     "f64=float64/uint64/int64/uint128/int128 "
     "s16=int16/uint16/int32/uint32/int64/uint64/int128/uint128 "
     "s32=int32/uint32/int64/uint64/int128/uint128 s64=int64/uint64/int128/uint128 "
     "s8=int8/uint8/int16/uint16/int32/uint32/int64/uint64/int128/uint128 "
     "u16=uint16/int16/uint32/int32/uint64/int64/uint128/int128 "
     "u32=uint32/int32/uint64/int64/uint128/int128 u64=uint64/int64/uint128/int128 "
     "u8=uint8/int8/uint16/int16/uint32/int32/uint64/int64/uint128/int128"},
    {"space1", "global",
     "= local=local shared=shared shared::cluster=shared::cluster shared::cta=shared::cta"},
    {"types25", "uint8/int8/uint16/int16/float16/bfloat16/uint32/int32/float32/uint64/int64/float64/uint128/int128",
     "b16=uint16/int16/float16/bfloat16/uint32/int32/float32/uint64/int64/float64/uint128/int128 "
     "b32=uint32/int32/float32/uint64/int64/float64/uint128/int128 "
     "b64=uint64/int64/float64/uint128/int128 f32=float32/uint32/int32/uint64/int64/uint128/int128 "
     "f64=float64/uint64/int64/uint128/int128 "
     "s16=int16/uint16/int32/uint32/int64/uint64/int128/uint128 "
     "s32=int32/uint32/int64/uint64/int128/uint128 s64=int64/uint64/int128/uint128 "
     "s8=int8/uint8/int16/uint16/int32/uint32/int64/uint64/int128/uint128 "
     "u16=uint16/int16/uint32/int32/uint64/int64/uint128/int128 "
     "u32=uint32/int32/uint64/int64/uint128/int128 u64=uint64/int64/uint128/int128 "
     "u8=uint8/int8/uint16/int16/uint32/int32/uint64/int64/uint128/int128"},
    {"lanes10", "4",
     "v8=8"},
    {"lanes11", "1",
     "x2=2 x4=4"},
    {"lanes12", "2",
     "m16n16,x2=4 m8n16,x1=1 m8n16,x4=4"},
    {"lanes13", "2",
     "x2=4"},
    {"types26", "uint32",
     "s16=int32 s32=int64 u32=uint64"},
    {"types27", "uint16",
     "s16=int16 s32=int32 u32=uint32"},
    {"types28", "uint32",
     "bf16=uint16 f16=uint16 f32=float32 f64=float64 s16=int16 s32=int32 s64=int64 u16=uint16 "
     "u64=uint64"},
    {"lanes14", "4",
     "m8n8k4,f16=8"},
    {"lanes15", "2",
     "m16n8k16,bf16=4 m16n8k16,f16=4 m16n8k32,e4m3=4 m16n8k32,e5m2=4 m16n8k8,tf32=4"},
    {"lanes16", "2",
     "m16n8k16,e4m3,e4m3=1 m16n8k16,e4m3,e5m2=1 m16n8k16,e5m2,e4m3=1 m16n8k16,e5m2,e5m2=1 "
     "m16n8k4,tf32,tf32=1 m16n8k8,bf16,bf16=1 m16n8k8,f16,f16=1"},
    {"lanes17", "2",
     "m8n8k4,f16=4"},
    {"lanes18", "2",
     "m16n8k16,f16=4 m16n8k32,e4m3=4 m16n8k32,e5m2=4"},
    {"lanes19", "2",
     "m16n8k16,e4m3,e4m3=1 m16n8k16,e4m3,e5m2=1 m16n8k16,e5m2,e4m3=1 m16n8k16,e5m2,e5m2=1 "
     "m16n8k8,f16,f16=1"},
    {"lanes20", "4",
     "m8n8k4=2"},
    {"lanes21", "1",
     "m16n8k16=8 m16n8k4=2 m16n8k8=4"},
    {"lanes22", "1",
     "m16n8k16=4 m16n8k8=2"},
    {"lanes23", "4",
     "m8n8k128=2 m8n8k16=2 m8n8k32=2"},
    {"lanes24", "1",
     "m16n8k128,b1=2 m16n8k16,s8=2 m16n8k16,u8=2 m16n8k256,b1=4 m16n8k32,s4=2 m16n8k32,s8=4 "
     "m16n8k32,u4=2 m16n8k32,u8=4 m16n8k64,s4=4 m16n8k64,u4=4"},
    {"lanes25", "1",
     "m16n8k256,b1=2 m16n8k32,s8=2 m16n8k32,u8=2 m16n8k64,s4=2 m16n8k64,u4=2"},
    {"types29", "pred",
     "b16=uint16/int16/float16/bfloat16 b32=uint32/int32/float32 b64=uint64/int64/float64 f32=float32 "
     "f64=float64 s16=int16 s32=int32 s64=int64 u16=uint16 u32=uint32 u64=uint64"},
    {"types30", "uint32/int32/float32",
     "b64=uint64/int64/float64 s32=int32 s64=int64 u32=uint32 u64=uint64"},
    {"types31", "uint32",
     "f32=float32 f64=float64"},
    {"types32", "uint16",
     "bf16x2=uint32 f16x2=uint32 f32=float32"},
    {"types33", "uint32",
     "s32=int32 u64=uint64"},
    {"types34", "uint8/int8",
     "b16=uint16/int16/float16/bfloat16 b32=uint32/int32/float32 b64=uint64/int64/float64 f32=float32 "
     "f64=float64 s16=int16 s32=int32 s64=int64 s8=int8 u16=uint16 u32=uint32 u64=uint64 u8=uint8"},
    {"types35", "uint32",
     "b32=uint32/int32/float32 s32=int32 u64=uint64"},
    {"types36", "uint16/int16/float16/bfloat16",
     "b32=uint32/int32/float32 b64=uint64/int64/float64 f32=float32 f64=float64 s16=int16 s32=int32 "
     "s64=int64 u16=uint16 u32=uint32 u64=uint64"},
    {"types37", "uint32",
     "f32=float32 s32=int32"},
    {"types38", "uint16",
     "bf16x2=uint32 f16x2=uint32 s16=int16 s32=int32 u32=uint32"},
    {"types39", "uint16",
     "b16=uint16/int16/float16/bfloat16 b32=uint32/int32/float32 b64=uint64/int64/float64 "
     "bf16x2=uint32 f16x2=uint32 f32=float32 f64=float64 s16=int16 s32=int32 s64=int64 u32=uint32 "
     "u64=uint64"},
    {"types40", "uint16/int16/float16/bfloat16",
     "b32=uint32/int32/float32 b64=uint64/int64/float64 s16=int16 s32=int32 s64=int64 u16=uint16 "
     "u32=uint32 u64=uint64"},
    {"types41", "uint16/int16/float16/bfloat16",
     "b32=uint32/int32/float32 b64=uint64/int64/float64 f32=float32/uint32/int32 "
     "f64=float64/uint64/int64 s16=int16/uint16/float16/bfloat16 s32=int32/uint32 s64=int64/uint64 "
     "u32=uint32/int32 u64=uint64/int64"},
    {"types42", "int32",
     "f32=float32"},
    {"lanes26", "1",
     "b16,b2,x16=2 b16,b2,x32=4 b16,b2,x64=8 b16,b4,x16=4 b16,b4,x32=8 b16,b4,x64=16 b16,b4,x8=2 "
     "b8,b2,x16=4 b8,b2,x32=8 b8,b2,x64=16 b8,b2,x8=2 b8,b4,x16=8 b8,b4,x32=16 b8,b4,x4=2 b8,b4,x64=32 "
     "b8,b4,x8=4"},
    {"lanes27", "1",
     "x16=16 x2=2 x32=32 x4=4 x64=64 x8=8"},
    {"lanes28", "2",
     "x16=32 x2=4 x32=64 x4=8 x64=128 x8=16"},
    {"lanes29", "8",
     "b16,sp::1:16,x16=128 b16,sp::1:16,x2=16 b16,sp::1:16,x4=32 b16,sp::1:16,x8=64 b16,sp::1:2,x1=1 "
     "b16,sp::1:2,x16=16 b16,sp::1:2,x2=2 b16,sp::1:2,x32=32 b16,sp::1:2,x4=4 b16,sp::1:2,x64=64 "
     "b16,sp::1:4,x1=2 b16,sp::1:4,x16=32 b16,sp::1:4,x2=4 b16,sp::1:4,x32=64 b16,sp::1:4,x64=128 "
     "b16,sp::1:4,x8=16 b16,sp::1:8,x1=4 b16,sp::1:8,x16=64 b16,sp::1:8,x32=128 b16,sp::1:8,x4=16 "
     "b16,sp::1:8,x8=32 b16,sp::2:16,x16=128 b16,sp::2:16,x2=16 b16,sp::2:16,x4=32 b16,sp::2:16,x8=64 "
     "b16,sp::2:4,x1=2 b16,sp::2:4,x16=32 b16,sp::2:4,x2=4 b16,sp::2:4,x32=64 b16,sp::2:4,x64=128 "
     "b16,sp::2:4,x8=16 b16,sp::2:8,x1=4 b16,sp::2:8,x16=64 b16,sp::2:8,x32=128 b16,sp::2:8,x4=16 "
     "b16,sp::2:8,x8=32 b8,sp::1:16,x1=4 b8,sp::1:16,x16=64 b8,sp::1:16,x32=128 b8,sp::1:16,x4=16 "
     "b8,sp::1:16,x8=32 b8,sp::1:2,x2=1 b8,sp::1:2,x32=16 b8,sp::1:2,x4=2 b8,sp::1:2,x64=32 "
     "b8,sp::1:2,x8=4 b8,sp::1:4,x1=1 b8,sp::1:4,x16=16 b8,sp::1:4,x2=2 b8,sp::1:4,x32=32 "
     "b8,sp::1:4,x4=4 b8,sp::1:4,x64=64 b8,sp::1:8,x1=2 b8,sp::1:8,x16=32 b8,sp::1:8,x2=4 "
     "b8,sp::1:8,x32=64 b8,sp::1:8,x64=128 b8,sp::1:8,x8=16 b8,sp::2:16,x1=4 b8,sp::2:16,x16=64 "
     "b8,sp::2:16,x32=128 b8,sp::2:16,x4=16 b8,sp::2:16,x8=32 b8,sp::2:4,x1=1 b8,sp::2:4,x16=16 "
     "b8,sp::2:4,x2=2 b8,sp::2:4,x32=32 b8,sp::2:4,x4=4 b8,sp::2:4,x64=64 b8,sp::2:8,x1=2 "
     "b8,sp::2:8,x16=32 b8,sp::2:8,x2=4 b8,sp::2:8,x32=64 b8,sp::2:8,x64=128 b8,sp::2:8,x8=16 "
     "b8,sp::4:16,x1=4 b8,sp::4:16,x16=64 b8,sp::4:16,x32=128 b8,sp::4:16,x4=16 b8,sp::4:16,x8=32 "
     "b8,sp::4:8,x1=2 b8,sp::4:8,x16=32 b8,sp::4:8,x2=4 b8,sp::4:8,x32=64 b8,sp::4:8,x64=128 "
     "b8,sp::4:8,x8=16"},
    {"lanes30", "1",
     "b2,sp::1:2,x32=2 b2,sp::1:2,x64=4 b2,sp::1:4,x32=2 b2,sp::1:4,x64=4 b2,sp::2:4,x16=2 "
     "b2,sp::2:4,x32=4 b2,sp::2:4,x64=8 b4,sp::1:16,x16=2 b4,sp::1:16,x32=4 b4,sp::1:2,x16=2 "
     "b4,sp::1:2,x32=4 b4,sp::1:2,x64=8 b4,sp::1:4,x16=2 b4,sp::1:4,x32=4 b4,sp::1:4,x64=8 "
     "b4,sp::1:8,x16=2 b4,sp::1:8,x32=4 b4,sp::1:8,x64=8 b4,sp::2:16,x16=4 b4,sp::2:16,x32=8 "
     "b4,sp::2:16,x8=2 b4,sp::2:4,x16=4 b4,sp::2:4,x32=8 b4,sp::2:4,x64=16 b4,sp::2:4,x8=2 "
     "b4,sp::2:8,x16=4 b4,sp::2:8,x32=8 b4,sp::2:8,x64=16 b4,sp::2:8,x8=2 b4,sp::4:16,x16=8 "
     "b4,sp::4:16,x32=16 b4,sp::4:16,x4=2 b4,sp::4:16,x8=4 b4,sp::4:8,x16=8 b4,sp::4:8,x32=16 "
     "b4,sp::4:8,x4=2 b4,sp::4:8,x64=32 b4,sp::4:8,x8=4"},
    {"lanes31", "1",
     "b16,sp::1:16,x16=8 b16,sp::1:16,x4=2 b16,sp::1:16,x8=4 b16,sp::1:2,x16=8 b16,sp::1:2,x32=16 "
     "b16,sp::1:2,x4=2 b16,sp::1:2,x64=32 b16,sp::1:2,x8=4 b16,sp::1:4,x16=8 b16,sp::1:4,x32=16 "
     "b16,sp::1:4,x4=2 b16,sp::1:4,x64=32 b16,sp::1:4,x8=4 b16,sp::1:8,x16=8 b16,sp::1:8,x32=16 "
     "b16,sp::1:8,x4=2 b16,sp::1:8,x8=4 b16,sp::2:16,x16=16 b16,sp::2:16,x2=2 b16,sp::2:16,x4=4 "
     "b16,sp::2:16,x8=8 b16,sp::2:4,x16=16 b16,sp::2:4,x2=2 b16,sp::2:4,x32=32 b16,sp::2:4,x4=4 "
     "b16,sp::2:4,x64=64 b16,sp::2:4,x8=8 b16,sp::2:8,x16=16 b16,sp::2:8,x2=2 b16,sp::2:8,x32=32 "
     "b16,sp::2:8,x4=4 b16,sp::2:8,x8=8 b8,sp::1:16,x16=4 b8,sp::1:16,x32=8 b8,sp::1:16,x8=2 "
     "b8,sp::1:2,x16=4 b8,sp::1:2,x32=8 b8,sp::1:2,x64=16 b8,sp::1:2,x8=2 b8,sp::1:4,x16=4 "
     "b8,sp::1:4,x32=8 b8,sp::1:4,x64=16 b8,sp::1:4,x8=2 b8,sp::1:8,x16=4 b8,sp::1:8,x32=8 "
     "b8,sp::1:8,x64=16 b8,sp::1:8,x8=2 b8,sp::2:16,x16=8 b8,sp::2:16,x32=16 b8,sp::2:16,x4=2 "
     "b8,sp::2:16,x8=4 b8,sp::2:4,x16=8 b8,sp::2:4,x32=16 b8,sp::2:4,x4=2 b8,sp::2:4,x64=32 "
     "b8,sp::2:4,x8=4 b8,sp::2:8,x16=8 b8,sp::2:8,x32=16 b8,sp::2:8,x4=2 b8,sp::2:8,x64=32 "
     "b8,sp::2:8,x8=4 b8,sp::4:16,x16=16 b8,sp::4:16,x2=2 b8,sp::4:16,x32=32 b8,sp::4:16,x4=4 "
     "b8,sp::4:16,x8=8 b8,sp::4:8,x16=16 b8,sp::4:8,x2=2 b8,sp::4:8,x32=32 b8,sp::4:8,x4=4 "
     "b8,sp::4:8,x64=64 b8,sp::4:8,x8=8"},
    {"types43", "uint32/int32/float32",
     "b128=uint128/int128 b64=uint64/int64/float64 f32=float32 f64=float64 s32=int32 s64=int64 "
     "u32=uint32 u64=uint64"},
    {"types44", "uint8/int8/uint16/int16/float16/bfloat16/uint32/int32/float32/uint64/int64/float64/uint128/int128",
     "v2,b16=uint16/int16/float16/bfloat16/uint32/int32/float32/uint64/int64/float64/uint128/int128 "
     "v2,b32=uint32/int32/float32/uint64/int64/float64/uint128/int128 "
     "v2,b64=uint64/int64/float64/uint128/int128 "
     "v2,f32=float32/uint32/int32/uint64/int64/uint128/int128 v2,f64=float64/uint64/int64 "
     "v2,s16=int16/uint16/int32/uint32/int64/uint64/int128/uint128 "
     "v2,s32=int32/uint32/int64/uint64/int128/uint128 v2,s64=int64/uint64/int128/uint128 "
     "v2,s8=int8/uint8/int16/uint16/int32/uint32/int64/uint64/int128/uint128 "
     "v2,u16=uint16/int16/uint32/int32/uint64/int64/uint128/int128 "
     "v2,u32=uint32/int32/uint64/int64/uint128/int128 v2,u64=uint64/int64/uint128/int128 "
     "v2,u8=uint8/int8/uint16/int16/uint32/int32/uint64/int64/uint128/int128 "
     "v4,b16=uint16/int16/float16/bfloat16/uint32/int32/float32/uint64/int64/float64/uint128/int128 "
     "v4,b32=uint32/int32/float32/uint64/int64/float64/uint128/int128 "
     "v4,f32=float32/uint32/int32/uint64/int64/uint128/int128 "
     "v4,s16=int16/uint16/int32/uint32/int64/uint64/int128/uint128 "
     "v4,s32=int32/uint32/int64/uint64/int128/uint128 "
     "v4,s8=int8/uint8/int16/uint16/int32/uint32/int64/uint64/int128/uint128 "
     "v4,u16=uint16/int16/uint32/int32/uint64/int64/uint128/int128 "
     "v4,u32=uint32/int32/uint64/int64/uint128/int128 "
     "v4,u8=uint8/int8/uint16/int16/uint32/int32/uint64/int64/uint128/int128"},
    {"lanes32", "4",
     "16x128b,x1=2 16x128b,x16=32 16x128b,x32=64 16x128b,x4=8 16x128b,x64=128 16x128b,x8=16 "
     "16x256b,x16=64 16x256b,x2=8 16x256b,x32=128 16x256b,x4=16 16x256b,x8=32 16x64b,x1=1 "
     "16x64b,x128=128 16x64b,x16=16 16x64b,x2=2 16x64b,x32=32 16x64b,x64=64 16x64b,x8=8 32x32b,x1=1 "
     "32x32b,x128=128 32x32b,x16=16 32x32b,x2=2 32x32b,x32=32 32x32b,x64=64 32x32b,x8=8"},
    {"lanes33", "2",
     "x128=128 x16=16 x32=32 x4=4 x64=64 x8=8"},
    {"lanes34", "1",
     "x128=4 x64=2"},
    {"lanes35", "2",
     "x128=64 x16=8 x32=16 x64=32 x8=4"},
    {"lanes36", "1",
     "x128=128 x16=16 x2=2 x32=32 x4=4 x64=64 x8=8"},
    {"lanes37", "4",
     "cta_group::2=8"},
    {"lanes38", "4",
     "m64n112k256=56 m64n128k256=64 m64n144k256=72 m64n160k256=80 m64n16k256=8 m64n176k256=88 "
     "m64n192k256=96 m64n208k256=104 m64n224k256=112 m64n240k256=120 m64n24k256=12 m64n256k256=128 "
     "m64n32k256=16 m64n48k256=24 m64n64k256=32 m64n80k256=40 m64n96k256=48"},
    {"lanes39", "4",
     "m64n104k16=52 m64n112k16=56 m64n120k16=60 m64n128k16=64 m64n136k16=68 m64n144k16=72 "
     "m64n152k16=76 m64n160k16=80 m64n168k16=84 m64n16k16=8 m64n176k16=88 m64n184k16=92 m64n192k16=96 "
     "m64n200k16=100 m64n208k16=104 m64n216k16=108 m64n224k16=112 m64n232k16=116 m64n240k16=120 "
     "m64n248k16=124 m64n24k16=12 m64n256k16=128 m64n32k16=16 m64n40k16=20 m64n48k16=24 m64n56k16=28 "
     "m64n64k16=32 m64n72k16=36 m64n80k16=40 m64n88k16=44 m64n96k16=48"},
    {"lanes40", "2",
     "m64n104k16=26 m64n112k16=28 m64n120k16=30 m64n128k16=32 m64n136k16=34 m64n144k16=36 "
     "m64n152k16=38 m64n160k16=40 m64n168k16=42 m64n16k16=4 m64n176k16=44 m64n184k16=46 m64n192k16=48 "
     "m64n200k16=50 m64n208k16=52 m64n216k16=54 m64n224k16=56 m64n232k16=58 m64n240k16=60 "
     "m64n248k16=62 m64n24k16=6 m64n256k16=64 m64n32k16=8 m64n40k16=10 m64n48k16=12 m64n56k16=14 "
     "m64n64k16=16 m64n72k16=18 m64n80k16=20 m64n88k16=22 m64n96k16=24"},
    {"lanes41", "2",
     "m64n104k32=26 m64n112k32=28 m64n120k32=30 m64n128k32=32 m64n136k32=34 m64n144k32=36 "
     "m64n152k32=38 m64n160k32=40 m64n168k32=42 m64n16k32=4 m64n176k32=44 m64n184k32=46 m64n192k32=48 "
     "m64n200k32=50 m64n208k32=52 m64n216k32=54 m64n224k32=56 m64n232k32=58 m64n240k32=60 "
     "m64n248k32=62 m64n24k32=6 m64n256k32=64 m64n32k32=8 m64n40k32=10 m64n48k32=12 m64n56k32=14 "
     "m64n64k32=16 m64n72k32=18 m64n80k32=20 m64n88k32=22 m64n96k32=24"},
    {"lanes42", "4",
     "m64n104k32=52 m64n112k32=56 m64n120k32=60 m64n128k32=64 m64n136k32=68 m64n144k32=72 "
     "m64n152k32=76 m64n160k32=80 m64n168k32=84 m64n16k32=8 m64n176k32=88 m64n184k32=92 m64n192k32=96 "
     "m64n200k32=100 m64n208k32=104 m64n216k32=108 m64n224k32=112 m64n232k32=116 m64n240k32=120 "
     "m64n248k32=124 m64n24k32=12 m64n256k32=128 m64n32k32=16 m64n40k32=20 m64n48k32=24 m64n56k32=28 "
     "m64n64k32=32 m64n72k32=36 m64n80k32=40 m64n88k32=44 m64n96k32=48"},
    {"lanes43", "4",
     "m64n112k32=56 m64n128k32=64 m64n144k32=72 m64n160k32=80 m64n16k32=8 m64n176k32=88 m64n192k32=96 "
     "m64n208k32=104 m64n224k32=112 m64n24k32=12 m64n32k32=16 m64n48k32=24 m64n64k32=32 m64n80k32=40 "
     "m64n96k32=48"},
    {"lanes44", "4",
     "m64n104k8=52 m64n112k8=56 m64n120k8=60 m64n128k8=64 m64n136k8=68 m64n144k8=72 m64n152k8=76 "
     "m64n160k8=80 m64n168k8=84 m64n16k8=8 m64n176k8=88 m64n184k8=92 m64n192k8=96 m64n200k8=100 "
     "m64n208k8=104 m64n216k8=108 m64n224k8=112 m64n232k8=116 m64n240k8=120 m64n248k8=124 m64n24k8=12 "
     "m64n256k8=128 m64n32k8=16 m64n40k8=20 m64n48k8=24 m64n56k8=28 m64n64k8=32 m64n72k8=36 "
     "m64n80k8=40 m64n88k8=44 m64n96k8=48"},
};
// clang-format on

}  // namespace

std::span<const PtxTable> ptx_tables() { return tables; }

}  // namespace mlc::ir
