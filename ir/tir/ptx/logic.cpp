// SPDX-License-Identifier: Apache-2.0
// Forms of PTX instructions: comparison, selection, logic and shifts. The columns are explained in ptx.h.
#include "ir/tir/ptx.h"

namespace mlc::ir {
namespace {

// clang-format off
constexpr PtxRow logic_table[] = {
    {"and", "and", "type=pred|b16|b32|b64", "d:w=register(type) a:r=register(type) b:r=register(type)"},
    {"cnot", "cnot", "type=b16|b32|b64", "d:w=register(type) a:r=register(type)"},
    {"lop3[;_bool]", "lop3",
     "[;boolop=or|and ]type=b32",
     "d:w=$r32 [;p:w=pred ]a:r=$r32 b:r=$r32 c:r=$r32 immLut:i[; q:r=pred]"},
    {"lop3_bool_sink", "lop3",
     "boolop=or|and type=b32",
     "p:w=pred a:r=$r32 b:r=$r32 c:r=$r32 immLut:i q:r=pred"},
    {"not", "not", "type=pred|b16|b32|b64", "d:w=register(type) a:r=register(type)"},
    {"or", "or", "type=pred|b16|b32|b64", "d:w=register(type) a:r=register(type) b:r=register(type)"},
    {"prmt", "prmt", "type=b32 mode?=f4e|b4e|rc8|ecl|ecr|rc16", "d:w=$r32 a:r=$r32 b:r=$r32 c:r=$r32"},
    {"selp", "selp",
     "type=b16|b32|b64|u16|u32|u64|s16|s32|s64|f32|f64",
     "d:w=register(type) a:r=register(type) b:r=register(type) c:r=pred"},
    {"set[;_bool]", "set",
     "cmp=eq|ne|lt|le|gt|ge|lo|ls|hi|hs|equ|neu|ltu|leu|gtu|geu|num|nan [;boolop=and|or|xor ]ftz?=ftz "
     "dtype=u32|s32|f32 stype=b16|b32|b64|u16|u32|u64|s16|s32|s64|f32|f64",
     "d:w=register(dtype) a:r=register(stype) b:r=register(stype)[; c:r=pred]",
     "cmp=lo|ls|hi|hs>ftz=- cmp=lt|le|gt|ge>stype=u16|u32|u64|s16|s32|s64|f32|f64 "
     "cmp=lo|ls|hi|hs>stype=u16|u32|u64 cmp=equ|neu|ltu|leu|gtu|geu|num|nan>stype=f32|f64 "
     "ftz=ftz>stype=f32"},
    {"set_half[;_bool]", "set",
     "cmp=eq|ne|lt|le|gt|ge|equ|neu|ltu|leu|gtu|geu|num|nan [;boolop=and|or|xor ]ftz?=ftz "
     "dtype=f16|bf16|u16|s16|u32|s32|f16x2|bf16x2 "
     "stype=b16|b32|b64|u16|u32|u64|s16|s32|s64|f16|f32|f64|bf16|f16x2|bf16x2",
     "d:w=register(dtype) a:r=register(stype) b:r=register(stype)[; c:r=pred]",
     "stype=b16|b32|b64>cmp=eq|ne stype=u16|u32|u64|s16|s32|s64>cmp=eq|ne|lt|le|gt|ge "
     "dtype=bf16|bf16x2>ftz=- ftz=ftz>stype=f16|f32|f16x2 "
     "dtype=f16|bf16>stype=b16|b32|b64|u16|u32|u64|s16|s32|s64|f16|f32|f64 dtype=u16|s16>stype=f16|bf16 "
     "dtype=u32|s32>stype=f16|bf16|f16x2|bf16x2 dtype=f16x2>stype=f16x2 dtype=bf16x2>stype=bf16x2"},
    {"set_packed", "set",
     "cmp=eq|ne|lt|le|gt|ge|lo|ls|hi|hs type=u8x4|s8x4|u16x2|s16x2",
     "d:w=$r32 a:r=$r32 b:r=$r32",
     "cmp=lo|ls|hi|hs>type=u8x4|u16x2"},
    {"setp[;_bool;_bool_pq;_pq]", "setp",
     "cmp=eq|ne|lt|le|gt|ge|lo|ls|hi|hs|equ|neu|ltu|leu|gtu|geu|num|nan [;boolop=and|or|xor "
     ";boolop=and|or|xor ;]ftz?=ftz type=b16|b32|b64|u16|u32|u64|s16|s32|s64|f32|f64",
     "p:w=pred [;;q:w=pred ;q:w=pred ]a:r=register(type) b:r=register(type)[; c:r=pred; c:r=pred;]",
     "cmp=lo|ls|hi|hs>ftz=- cmp=lt|le|gt|ge>type=u16|u32|u64|s16|s32|s64|f32|f64 "
     "cmp=lo|ls|hi|hs>type=u16|u32|u64 cmp=equ|neu|ltu|leu|gtu|geu|num|nan>type=f32|f64 ftz=ftz>type=f32"},
    {"setp_half[;_bool]", "setp",
     "cmp=eq|ne|lt|le|gt|ge|equ|neu|ltu|leu|gtu|geu|num|nan [;boolop=and|or|xor ]ftz?=ftz type=f16|bf16",
     "p:w=pred a:r=uint16 b:r=uint16[; c:r=pred]",
     "type=bf16>ftz=-"},
    {"setp_half_[bool_;]pq", "setp",
     "cmp=eq|ne|lt|le|gt|ge|equ|neu|ltu|leu|gtu|geu|num|nan [boolop=and|or|xor ;]ftz?=ftz "
     "type=f16x2|bf16x2",
     "p:w=pred q:w=pred a:r=uint32 b:r=uint32[ c:r=pred;]",
     "type=bf16x2>ftz=-"},
    {"shf", "shf", "dir=l|r mode=clamp|wrap type=b32", "d:w=$r32 a:r=$r32 b:r=$r32 c:r=uint32"},
    {"shl", "shl", "type=b16|b32|b64", "d:w=register(type) a:r=register(type) b:r=uint32"},
    {"shr", "shr",
     "type=b16|b32|b64|u16|u32|u64|s16|s32|s64",
     "d:w=register(type) a:r=register(type) b:r=uint32"},
    {"slct", "slct",
     "ftz?=ftz dtype=b16|b32|b64|u16|u32|u64|s16|s32|s64|f32|f64 ctype=s32|f32",
     "d:w=stored(dtype) a:r=stored(dtype) b:r=stored(dtype) c:r=register(ctype)",
     "ctype=s32>ftz=-"},
    {"xor", "xor", "type=pred|b16|b32|b64", "d:w=register(type) a:r=register(type) b:r=register(type)"},
};
// clang-format on

}  // namespace

std::span<const PtxRow> ptx_logic_rows() { return logic_table; }

}  // namespace mlc::ir
