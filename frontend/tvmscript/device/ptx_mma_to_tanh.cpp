// SPDX-License-Identifier: Apache-2.0
// Forms of PTX instructions, those named mma to tanh. The columns are explained in ptx.h.
#include "frontend/tvmscript/device/ptx.h"

namespace mlc::tvmscript {
namespace {

// clang-format off
constexpr PtxRow rows[] = {
    {"mma", "mma",
     "sync=sync aligned=aligned shape=m8n8k4|m16n8k4|m16n8k8|m16n8k16|m16n8k32 alayout=row|col "
     "blayout=row|col dtype=f32 atype=f16|bf16|tf32|e4m3|e5m2 btype=f16|bf16|tf32|e4m3|e5m2 ctype=f32",
     "d:w=float32*lanes14(shape+atype) a:r=uint32*lanes15(shape+atype) "
     "b:r=uint32*lanes16(shape+atype+btype) c:r=float32*lanes14(shape+atype)",
     "alayout=col>shape=m8n8k4 blayout=row>shape=m8n8k4 shape=m8n8k4>atype=f16 "
     "shape=m16n8k4>atype=tf32 shape=m16n8k8>atype=f16|bf16|tf32 "
     "shape=m16n8k16>atype=f16|bf16|e4m3|e5m2 shape=m16n8k32>atype=e4m3|e5m2 shape=m8n8k4>btype=f16 "
     "shape=m16n8k4>btype=tf32 shape=m16n8k8>btype=f16|bf16|tf32 "
     "shape=m16n8k16>btype=f16|bf16|e4m3|e5m2 shape=m16n8k32>btype=e4m3|e5m2 alayout=col>atype=f16 "
     "alayout=col>btype=f16 blayout=row>atype=f16 blayout=row>btype=f16 atype=f16>btype=f16 "
     "atype=bf16>btype=bf16 atype=tf32>btype=tf32 atype=e4m3|e5m2>btype=e4m3|e5m2"},
    {"mma_f16acc", "mma",
     "sync=sync aligned=aligned shape=m8n8k4|m16n8k8|m16n8k16|m16n8k32 alayout=row|col blayout=row|col "
     "dtype=f16 atype=f16|e4m3|e5m2 btype=f16|e4m3|e5m2 ctype=f16",
     "d:w=uint32*lanes17(shape+atype) a:r=uint32*lanes18(shape+atype) "
     "b:r=uint32*lanes19(shape+atype+btype) c:r=uint32*lanes17(shape+atype)",
     "alayout=col>shape=m8n8k4 blayout=row>shape=m8n8k4 shape=m8n8k4|m16n8k8>atype=f16 "
     "shape=m16n8k32>atype=e4m3|e5m2 shape=m8n8k4|m16n8k8>btype=f16 shape=m16n8k32>btype=e4m3|e5m2 "
     "alayout=col>atype=f16 alayout=col>btype=f16 blayout=row>atype=f16 blayout=row>btype=f16 "
     "atype=f16>btype=f16 atype=e4m3|e5m2>btype=e4m3|e5m2"},
    {"mma_f16c_f32d", "mma",
     "sync=sync aligned=aligned shape=m8n8k4 alayout=row|col blayout=row|col dtype=f32 atype=f16 "
     "btype=f16 ctype=f16",
     "d:w=float32*8 a:r=uint32*2 b:r=uint32*2 c:r=uint32*4",
     ""},
    {"mma_f64", "mma",
     "sync=sync aligned=aligned shape=m8n8k4|m16n8k4|m16n8k8|m16n8k16 alayout=row blayout=col "
     "dtype=f64 atype=f64 btype=f64 ctype=f64 rnd?=rn|rz|rm|rp",
     "d:w=float64*lanes20(shape) a:r=float64*lanes21(shape) b:r=float64*lanes22(shape) "
     "c:r=float64*lanes20(shape)",
     ""},
    {"mma_int", "mma",
     "sync=sync aligned=aligned "
     "shape=m8n8k16|m16n8k16|m16n8k32|m8n8k32|m16n8k64|m8n8k128|m16n8k128|m16n8k256 alayout=row "
     "blayout=col satfinite?=satfinite dtype=s32 atype=u8|s8|u4|s4|b1 btype=u8|s8|u4|s4|b1 ctype=s32 "
     "bitop?=xor|and popc?=popc",
     "d:w=uint32*lanes23(shape) a:r=uint32*lanes24(shape+atype) b:r=uint32*lanes25(shape+btype) "
     "c:r=uint32*lanes23(shape)",
     "shape=m8n8k128|m16n8k128|m16n8k256>satfinite=- atype=u8|s8>shape=m8n8k16|m16n8k16|m16n8k32 "
     "atype=u4|s4>shape=m16n8k32|m8n8k32|m16n8k64 atype=b1>shape=m8n8k128|m16n8k128|m16n8k256 "
     "btype=u8|s8>shape=m8n8k16|m16n8k16|m16n8k32 btype=u4|s4>shape=m16n8k32|m8n8k32|m16n8k64 "
     "btype=b1>shape=m8n8k128|m16n8k128|m16n8k256 "
     "shape=m8n8k16|m16n8k16|m16n8k32|m8n8k32|m16n8k64>bitop=- "
     "shape=m8n8k128|m16n8k128|m16n8k256>bitop=xor|and "
     "shape=m8n8k16|m16n8k16|m16n8k32|m8n8k32|m16n8k64>popc=- "
     "shape=m8n8k128|m16n8k128|m16n8k256>popc=popc atype=b1>satfinite=- btype=b1>satfinite=- "
     "bitop=xor|and>satfinite=- popc=popc>satfinite=- atype=u8|s8>btype=u8|s8 atype=u4|s4>btype=u4|s4 "
     "atype=b1>btype=b1 atype=u8|s8|u4|s4>bitop=- atype=b1>bitop=xor|and atype=u8|s8|u4|s4>popc=- "
     "atype=b1>popc=popc btype=u8|s8|u4|s4>bitop=- btype=b1>bitop=xor|and btype=u8|s8|u4|s4>popc=- "
     "btype=b1>popc=popc bitop=xor|and>popc=popc bitop=->popc=-"},
    {"mma_sp", "mma",
     "spvariant=sp|sp::ordered_metadata sync=sync aligned=aligned shape=m16n8k8|m16n8k16 alayout=row "
     "blayout=col dtype=f32 atype=f16|bf16|tf32 btype=f16|bf16|tf32 ctype=f32",
     "d:w=float32*4 a:r=uint32*2 b:r=uint32*2 c:r=float32*4 e:r=uint32 f:i{0|1|2|3}",
     "shape=m16n8k8>atype=tf32 shape=m16n8k16>atype=f16|bf16 shape=m16n8k8>btype=tf32 "
     "shape=m16n8k16>btype=f16|bf16 atype=f16>btype=f16 atype=bf16>btype=bf16 atype=tf32>btype=tf32"},
    {"mma_sp_all", "mma",
     "spvariant=sp|sp::ordered_metadata sync=sync aligned=aligned shape=m16n8k64 alayout=row "
     "blayout=col dtype=f32 atype=e4m3|e5m2 btype=e4m3|e5m2 ctype=f32",
     "d:w=float32*4 a:r=uint32*4 b:r=uint32*4 c:r=float32*4 e:r=uint32 f:i{0}",
     ""},
    {"mma_sp_f16acc", "mma",
     "spvariant=sp|sp::ordered_metadata sync=sync aligned=aligned shape=m16n8k16 alayout=row "
     "blayout=col dtype=f16 atype=f16 btype=f16 ctype=f16",
     "d:w=uint32*2 a:r=uint32*2 b:r=uint32*2 c:r=uint32*2 e:r=uint32 f:i{0|1|2|3}",
     ""},
    {"mma_sp_f16acc_pair", "mma",
     "spvariant=sp|sp::ordered_metadata sync=sync aligned=aligned shape=m16n8k32 alayout=row "
     "blayout=col dtype=f16 atype=f16 btype=f16 ctype=f16",
     "d:w=uint32*2 a:r=uint32*4 b:r=uint32*4 c:r=uint32*2 e:r=uint32 f:i{0|1}",
     ""},
    {"mma_sp_int_all", "mma",
     "spvariant=sp|sp::ordered_metadata sync=sync aligned=aligned shape=m16n8k64|m16n8k128 alayout=row "
     "blayout=col satfinite?=satfinite dtype=s32 atype=u8|s8|u4|s4 btype=u8|s8|u4|s4 ctype=s32",
     "d:w=uint32*4 a:r=uint32*4 b:r=uint32*4 c:r=uint32*4 e:r=uint32 f:i{0}",
     "shape=m16n8k64>atype=u8|s8 shape=m16n8k128>atype=u4|s4 shape=m16n8k64>btype=u8|s8 "
     "shape=m16n8k128>btype=u4|s4 atype=u8|s8>btype=u8|s8 atype=u4|s4>btype=u4|s4"},
    {"mma_sp_int_pair", "mma",
     "spvariant=sp|sp::ordered_metadata sync=sync aligned=aligned shape=m16n8k32|m16n8k64 alayout=row "
     "blayout=col satfinite?=satfinite dtype=s32 atype=u8|s8|u4|s4 btype=u8|s8|u4|s4 ctype=s32",
     "d:w=uint32*4 a:r=uint32*2 b:r=uint32*2 c:r=uint32*4 e:r=uint32 f:i{0|1}",
     "shape=m16n8k32>atype=u8|s8 shape=m16n8k64>atype=u4|s4 shape=m16n8k32>btype=u8|s8 "
     "shape=m16n8k64>btype=u4|s4 atype=u8|s8>btype=u8|s8 atype=u4|s4>btype=u4|s4"},
    {"mma_sp_pair", "mma",
     "spvariant=sp|sp::ordered_metadata sync=sync aligned=aligned shape=m16n8k16|m16n8k32 alayout=row "
     "blayout=col dtype=f32 atype=f16|bf16|tf32 btype=f16|bf16|tf32 ctype=f32",
     "d:w=float32*4 a:r=uint32*4 b:r=uint32*4 c:r=float32*4 e:r=uint32 f:i{0|1}",
     "shape=m16n8k16>atype=tf32 shape=m16n8k32>atype=f16|bf16 shape=m16n8k16>btype=tf32 "
     "shape=m16n8k32>btype=f16|bf16 atype=f16>btype=f16 atype=bf16>btype=bf16 atype=tf32>btype=tf32"},
    {"mov", "mov",
     "type=pred|b16|b32|b64|u16|u32|u64|s16|s32|s64|f32|f64",
     "d:w=types29(type) a:r=types29(type)",
     ""},
    {"mov_pack_b16x2", "mov",
     "type=b32",
     "d:w=uint32/int32/float32 a:r=uint16/int16/float16/bfloat16*2",
     ""},
    {"mov_pack_b16x4", "mov",
     "type=b64",
     "d:w=uint64/int64/float64 a:r=uint16/int16/float16/bfloat16*4",
     ""},
    {"mov_pack_b32x2", "mov",
     "type=b64",
     "d:w=uint64/int64/float64 a:r=uint32/int32/float32*2",
     ""},
    {"mov_pack_b32x4", "mov",
     "type=b128",
     "d:w=uint128/int128 a:r=uint32/int32/float32*4",
     ""},
    {"mov_pack_b64x2", "mov",
     "type=b128",
     "d:w=uint128/int128 a:r=uint64/int64/float64*2",
     ""},
    {"mov_unpack_b16x2", "mov",
     "type=b32",
     "d:w=uint16/int16/float16/bfloat16~*2 a:r=uint32/int32/float32",
     ""},
    {"mov_unpack_b16x4", "mov",
     "type=b64",
     "d:w=uint16/int16/float16/bfloat16~*4 a:r=uint64/int64/float64",
     ""},
    {"mov_unpack_b32x2", "mov",
     "type=b64",
     "d:w=uint32/int32/float32~*2 a:r=uint64/int64/float64",
     ""},
    {"mov_unpack_b32x4", "mov",
     "type=b128",
     "d:w=uint32/int32/float32~*4 a:r=uint128/int128",
     ""},
    {"mov_unpack_b64x2", "mov",
     "type=b128",
     "d:w=uint64/int64/float64~*2 a:r=uint128/int128",
     ""},
    {"movmatrix", "movmatrix",
     "sync=sync aligned=aligned shape=m8n8 trans=trans type=b16",
     "d:w=uint32/int32/float32 a:r=uint32/int32/float32",
     ""},
    {"mul", "mul",
     "rnd?=rn|rz|rm|rp ftz?=ftz sat?=sat type=f32|f64|f32x2",
     "d:w=types4(type) a:r=types4(type) b:r=types4(type)",
     "type=f64>ftz=- sat=sat>type=f32"},
    {"mul_half", "mul",
     "rnd?=rn ftz?=ftz sat?=sat type=f16|f16x2|bf16|bf16x2",
     "d:w=types3(type) a:r=types3(type) b:r=types3(type)",
     "type=bf16|bf16x2>ftz=- type=bf16|bf16x2>sat=-"},
    {"mul_int", "mul",
     "mode=hi|lo type=u16|u32|u64|s16|s32|s64",
     "d:w=types20(type) a:r=types20(type) b:r=types20(type)",
     ""},
    {"mul_mixed_vec_bf16_f16", "mul",
     "dtype=bf16x2 atype=bf16x2 ctype=f16x2",
     "d:w=uint32 a:r=uint32 c:r=uint32",
     ""},
    {"mul_mixed_vec_down_bf16", "mul",
     "rnd=rz dtype=bf16x2 atype=f32x2 ctype=f32x2",
     "d:w=uint32 a:r=uint64 c:r=uint64",
     ""},
    {"mul_mixed_vec_down_f16", "mul",
     "ftz=ftz rnd=rz dtype=f16x2 atype=f32x2 ctype=f32x2",
     "d:w=uint32 a:r=uint64 c:r=uint64",
     ""},
    {"mul_mixed_vec_f16_bf16", "mul",
     "dtype=f16x2 atype=f16x2 ctype=bf16x2",
     "d:w=uint32 a:r=uint32 c:r=uint32",
     ""},
    {"mul_wide", "mul",
     "mode=wide type=u16|s16|u32|s32",
     "d:w=types26(type) a:r=types27(type) b:r=types27(type)",
     ""},
    {"mul24", "mul24",
     "mode=hi|lo type=u32|s32",
     "d:w=types22(type) a:r=types22(type) b:r=types22(type)",
     ""},
    {"multimem_cp_async_bulk", "multimem_cp",
     "api=async kind=bulk sem?=weak|relaxed scope?=cta|cluster|gpu|sys dst=global src=shared::cta "
     "completion=bulk_group cp_mask?=cp_mask type?=b128",
     "dst_mem:a=global+ src_mem:a=shared::cta+ size:r=uint32 byte_mask:r=uint16*lanes6(cp_mask)",
     "sem=weak|->scope=- sem=relaxed>scope=cta|cluster|gpu|sys sem=weak|->type=- sem=relaxed>type=b128 "
     "scope=cta|cluster|gpu|sys>type=b128 scope=->type=-"},
    {"multimem_cp_reduce_async_bulk", "multimem_cp",
     "op=reduce api=async kind=bulk sem?=relaxed scope?=cta|cluster|gpu|sys dst=global src=shared::cta "
     "completion=bulk_group redop=add|min|max|inc|dec|and|or|xor noftz?=noftz "
     "type=f16|bf16|b32|u32|s32|b64|u64|s64|f32|f64",
     "dst_mem:a=global+ src_mem:a=shared::cta+ size:r=uint32",
     "sem=relaxed>scope=cta|cluster|gpu|sys sem=->scope=- noftz=noftz>redop=add "
     "type=f16|bf16|s32|u64>redop=add|min|max type=b32|b64>redop=and|or|xor "
     "type=u32>redop=add|min|max|inc|dec type=s64>redop=min|max type=f32|f64>redop=add "
     "noftz=noftz>type=f16|bf16 redop=add&noftz=->type=b32|u32|s32|b64|u64|s64|f32|f64"},
    {"multimem_cp_reduce_async_bulk_f32_noftz", "multimem_cp",
     "op=reduce api=async kind=bulk sem?=relaxed scope?=cta|cluster|gpu|sys dst=global src=shared::cta "
     "completion=bulk_group redop=add noftz=noftz type=f32",
     "dst_mem:a=global+ src_mem:a=shared::cta+ size:r=uint32",
     "sem=relaxed>scope=cta|cluster|gpu|sys sem=->scope=-"},
    {"multimem_ld_reduce", "multimem_ld_reduce",
     "sem?=weak|relaxed|acquire scope?=cta|cluster|gpu|sys space?=global op=min|max|add|and|or|xor "
     "type=b32|b64|u32|u64|s32|s64",
     "d:w=types30(type) addr:a=@space+",
     "sem=weak|->scope=- sem=relaxed|acquire>scope=cta|cluster|gpu|sys type=b32|b64>op=and|or|xor "
     "type=u32|u64|s32>op=min|max|add type=s64>op=min|max"},
    {"multimem_ld_reduce_f", "multimem_ld_reduce",
     "sem?=weak|relaxed|acquire scope?=cta|cluster|gpu|sys space?=global op=min|max|add acc?=acc::f32 "
     "type=f16|f16x2|bf16|bf16x2|f32|f64",
     "d:w=types31(type) addr:a=@space+",
     "type!f16|bf16 sem=weak|->scope=- sem=relaxed|acquire>scope=cta|cluster|gpu|sys op=min|max>acc=- "
     "type=f32|f64>op=add type=f32|f64>acc=-"},
    {"multimem_ld_reduce_f_vec", "multimem_ld_reduce",
     "sem?=weak|relaxed|acquire scope?=cta|cluster|gpu|sys space?=global op=min|max|add acc?=acc::f32 "
     "vec=v2|v4|v8 type=f16|f16x2|bf16|bf16x2|f32|f64",
     "d:w=types32(type)*lanes8(vec) addr:a=@space+",
     "type!f64 sem=weak|->scope=- sem=relaxed|acquire>scope=cta|cluster|gpu|sys op=min|max>acc=- "
     "type=f32>op=add type=f32>acc=- vec=v8>type=f16|bf16"},
    {"multimem_red", "multimem_red",
     "sem?=relaxed|release scope?=cta|cluster|gpu|sys space?=global op=min|max|add|and|or|xor "
     "type=b32|b64|u32|u64|s32|s64",
     "addr:a=@space+ b:r=types30(type)",
     "sem=relaxed|release>scope=cta|cluster|gpu|sys sem=->scope=- type=b32|b64>op=and|or|xor "
     "type=u32|u64|s32>op=min|max|add type=s64>op=min|max"},
    {"multimem_red_f", "multimem_red",
     "sem?=relaxed|release scope?=cta|cluster|gpu|sys space?=global op=add "
     "type=f16|f16x2|bf16|bf16x2|f32|f64",
     "addr:a=@space+ b:r=types31(type)",
     "type!f16|bf16 sem=relaxed|release>scope=cta|cluster|gpu|sys sem=->scope=-"},
    {"multimem_red_f_vec", "multimem_red",
     "sem?=relaxed|release scope?=cta|cluster|gpu|sys space?=global op=add vec=v2|v4|v8 "
     "type=f16|f16x2|bf16|bf16x2|f32|f64",
     "addr:a=@space+ b:r=types32(type)*lanes8(vec)",
     "type!f64 sem=relaxed|release>scope=cta|cluster|gpu|sys sem=->scope=- vec=v8>type=f16|bf16"},
    {"multimem_red_async", "multimem_red_async",
     "sem=release scope=gpu|sys space?=global op=add type=u32|s32|u64",
     "addr:a=@space+ value:r=types33(type)",
     ""},
    {"multimem_st", "multimem_st",
     "sem?=weak|relaxed|release scope?=cta|cluster|gpu|sys space?=global type=b32|b64|u32|u64|s32|s64",
     "addr:a=@space+ b:r=types30(type)",
     "sem=weak|->scope=- sem=relaxed|release>scope=cta|cluster|gpu|sys"},
    {"multimem_st_f", "multimem_st",
     "sem?=weak|relaxed|release scope?=cta|cluster|gpu|sys space?=global "
     "type=f16|f16x2|bf16|bf16x2|f32|f64",
     "addr:a=@space+ b:r=types31(type)",
     "type!f16|bf16 sem=weak|->scope=- sem=relaxed|release>scope=cta|cluster|gpu|sys"},
    {"multimem_st_f_vec", "multimem_st",
     "sem?=weak|relaxed|release scope?=cta|cluster|gpu|sys space?=global vec=v2|v4|v8 "
     "type=f16|f16x2|bf16|bf16x2|f32|f64",
     "addr:a=@space+ b:r=types32(type)*lanes8(vec)",
     "type!f64 sem=weak|->scope=- sem=relaxed|release>scope=cta|cluster|gpu|sys vec=v8>type=f16|bf16"},
    {"multimem_st_async", "multimem_st_async",
     "sem=release scope=gpu|sys space?=global "
     "type=b8|b16|b32|b64|u8|u16|u32|u64|s8|s16|s32|s64|f32|f64",
     "addr:a=@space+ b:r=types34(type)",
     ""},
    {"neg", "neg",
     "ftz?=ftz type=f32|f64",
     "d:w=types2(type) a:r=types2(type)",
     "type=f64>ftz=-"},
    {"neg_half", "neg",
     "ftz?=ftz type=f16|f16x2|bf16|bf16x2",
     "d:w=types3(type) a:r=types3(type)",
     "type=bf16|bf16x2>ftz=-"},
    {"neg_int", "neg",
     "type=s16|s32|s64",
     "d:w=types1(type) a:r=types1(type)",
     ""},
    {"not", "not",
     "type=pred|b16|b32|b64",
     "d:w=types7(type) a:r=types7(type)",
     ""},
    {"or", "or",
     "type=pred|b16|b32|b64",
     "d:w=types7(type) a:r=types7(type) b:r=types7(type)",
     ""},
    {"popc", "popc",
     "type=b32|b64",
     "d:w=uint32 a:r=types14(type)",
     ""},
    {"prefetch", "prefetch",
     "space?=global|local|const|param level?=L1|L2 evict?=L2::evict_last|L2::evict_normal "
     "tensormap?=tensormap",
     "addr:a=@space+",
     "space=local>level=L1|L2 space=const|param>level=- space=local|const|param|->evict=- "
     "space=global|local>tensormap=- space=const|param>tensormap=tensormap level=L1|L2>evict=- "
     "level=L1|L2>tensormap=- tensormap=tensormap>evict=- space=-&level=->tensormap=tensormap "
     "space=global&level=->evict=L2::evict_last|L2::evict_normal"},
    {"prefetch_valid_addr", "prefetch",
     "space?=global level=L1::32B valid_addr=valid_addr",
     "addr:a=@space+",
     ""},
    {"prefetchu", "prefetchu",
     "level=L1",
     "addr:a=+",
     ""},
    {"prmt", "prmt",
     "type=b32 mode?=f4e|b4e|rc8|ecl|ecr|rc16",
     "d:w=uint32/int32/float32 a:r=uint32/int32/float32 b:r=uint32/int32/float32 "
     "c:r=uint32/int32/float32",
     ""},
    {"rcp", "rcp",
     "mode=approx|rn|rz|rm|rp ftz?=ftz type=f32|f64",
     "d:w=types2(type) value:r=types2(type)",
     "mode=rz|rp|rm|rn&ftz=ftz>type=f32 mode=approx&ftz=->type=f32"},
    {"red", "red",
     "sem?=relaxed|release scope?=cta|cluster|gpu|sys space?=global|shared|shared::cta|shared::cluster "
     "op=and|or|xor|add|inc|dec|min|max cache?=L2::cache_hint type=b32|b64|u32|u64|s32|s64|f32|f64",
     "addr:a=@space+ value:r=types9(type) cache_policy:r=uint64*lanes6(cache)",
     "cache=L2::cache_hint>space=global|- op=and|or|xor>type=b32|b64 op=add>type=u32|u64|s32|f32|f64 "
     "op=inc|dec>type=u32 op=min|max>type=u32|u64|s32|s64"},
    {"red_f32_noftz", "red",
     "sem?=relaxed|release scope?=cta|cluster|gpu|sys space?=global|shared|shared::cta|shared::cluster "
     "op=add noftz=noftz cache?=L2::cache_hint type=f32",
     "addr:a=@space+ value:r=float32 cache_policy:r=uint64*lanes6(cache)",
     "cache=L2::cache_hint>space=global|-"},
    {"red_half", "red",
     "sem?=relaxed|release scope?=cta|cluster|gpu|sys space?=global|shared|shared::cta|shared::cluster "
     "op=add noftz=noftz cache?=L2::cache_hint type=f16|bf16|f16x2|bf16x2",
     "addr:a=@space+ value:r=types3(type) cache_policy:r=uint64*lanes6(cache)",
     "cache=L2::cache_hint>space=global|-"},
    {"red_vec_f32", "red",
     "sem?=relaxed|release scope?=cta|cluster|gpu|sys space?=global op=add cache?=L2::cache_hint "
     "vec=v2|v4 type=f32",
     "addr:a=@space+ value:r=float32*lanes7(vec) cache_policy:r=uint64*lanes6(cache)",
     ""},
    {"red_vec_f32_noftz", "red",
     "sem?=relaxed|release scope?=cta|cluster|gpu|sys space?=global op=add noftz=noftz "
     "cache?=L2::cache_hint vec=v2|v4 type=f32",
     "addr:a=@space+ value:r=float32*lanes7(vec) cache_policy:r=uint64*lanes6(cache)",
     ""},
    {"red_vec_half", "red",
     "sem?=relaxed|release scope?=cta|cluster|gpu|sys space?=global op=add|min|max noftz=noftz "
     "cache?=L2::cache_hint vec=v2|v4|v8 type=f16|bf16|f16x2|bf16x2",
     "addr:a=@space+ value:r=types3(type)*lanes8(vec) cache_policy:r=uint64*lanes6(cache)",
     "vec=v8>type=f16|bf16"},
    {"red_async", "red_async",
     "sem=relaxed scope=cluster space?=shared::cluster completion=mbarrier::complete_tx::bytes "
     "op=inc|dec|min|max|and|or|xor|add type=u32|s32|u64|b32",
     "addr:a=@space+ value:r=types35(type) mbar:a=@space+",
     "op=inc|dec>type=u32 op=min|max>type=u32|s32 op=and|or|xor>type=b32 op=add>type=u32|s32|u64"},
    {"red_async_release", "red_async",
     "mmio?=mmio sem=release scope=gpu|sys space?=global op=add type=u32|s32|u64|s64",
     "addr:a=@space+ value:r=types13(type)",
     "scope=gpu>mmio=-"},
    {"redux_sync", "redux_sync",
     "op=add|min|max type=u32|s32",
     "d:w=types22(type) a:r=types22(type) membermask:r=uint32",
     ""},
    {"redux_sync_bitwise", "redux_sync",
     "op=and|or|xor type=b32",
     "d:w=uint32/int32 a:r=uint32/int32 membermask:r=uint32",
     ""},
    {"redux_sync_f32", "redux_sync",
     "op=min|max abs?=abs nan?=NaN type=f32",
     "d:w=float32 a:r=float32 membermask:r=uint32",
     ""},
    {"rem", "rem",
     "type=u16|u32|u64|s16|s32|s64",
     "d:w=types20(type) a:r=types20(type) b:r=types20(type)",
     ""},
    {"rsqrt", "rsqrt",
     "mode=approx ftz?=ftz type=f32|f64",
     "d:w=types2(type) value:r=types2(type)",
     ""},
    {"sad", "sad",
     "type=u16|u32|u64|s16|s32|s64",
     "d:w=types20(type) a:r=types20(type) b:r=types20(type) c:r=types20(type)",
     ""},
    {"selp", "selp",
     "type=b16|b32|b64|u16|u32|u64|s16|s32|s64|f32|f64",
     "d:w=types36(type) a:r=types36(type) b:r=types36(type) c:r=pred",
     ""},
    {"set", "set",
     "cmp=eq|ne|lt|le|gt|ge|lo|ls|hi|hs|equ|neu|ltu|leu|gtu|geu|num|nan ftz?=ftz dtype=u32|s32|f32 "
     "stype=b16|b32|b64|u16|u32|u64|s16|s32|s64|f32|f64",
     "d:w=types37(dtype) a:r=types36(stype) b:r=types36(stype)",
     "cmp=lo|ls|hi|hs>ftz=- cmp=lt|le|gt|ge>stype=u16|u32|u64|s16|s32|s64|f32|f64 "
     "cmp=lo|ls|hi|hs>stype=u16|u32|u64 cmp=equ|neu|ltu|leu|gtu|geu|num|nan>stype=f32|f64 "
     "ftz=ftz>stype=f32"},
    {"set_bool", "set",
     "cmp=eq|ne|lt|le|gt|ge|lo|ls|hi|hs|equ|neu|ltu|leu|gtu|geu|num|nan boolop=and|or|xor ftz?=ftz "
     "dtype=u32|s32|f32 stype=b16|b32|b64|u16|u32|u64|s16|s32|s64|f32|f64",
     "d:w=types37(dtype) a:r=types36(stype) b:r=types36(stype) c:r=pred",
     "cmp=lo|ls|hi|hs>ftz=- cmp=lt|le|gt|ge>stype=u16|u32|u64|s16|s32|s64|f32|f64 "
     "cmp=lo|ls|hi|hs>stype=u16|u32|u64 cmp=equ|neu|ltu|leu|gtu|geu|num|nan>stype=f32|f64 "
     "ftz=ftz>stype=f32"},
    {"set_half", "set",
     "cmp=eq|ne|lt|le|gt|ge|equ|neu|ltu|leu|gtu|geu|num|nan ftz?=ftz "
     "dtype=f16|bf16|u16|s16|u32|s32|f16x2|bf16x2 "
     "stype=b16|b32|b64|u16|u32|u64|s16|s32|s64|f16|f32|f64|bf16|f16x2|bf16x2",
     "d:w=types38(dtype) a:r=types39(stype) b:r=types39(stype)",
     "stype=b16|b32|b64>cmp=eq|ne stype=u16|u32|u64|s16|s32|s64>cmp=eq|ne|lt|le|gt|ge "
     "dtype=bf16|bf16x2>ftz=- ftz=ftz>stype=f16|f32|f16x2 "
     "dtype=f16|bf16>stype=b16|b32|b64|u16|u32|u64|s16|s32|s64|f16|f32|f64 "
     "dtype=u16|s16>stype=f16|bf16 dtype=u32|s32>stype=f16|bf16|f16x2|bf16x2 dtype=f16x2>stype=f16x2 "
     "dtype=bf16x2>stype=bf16x2"},
    {"set_half_bool", "set",
     "cmp=eq|ne|lt|le|gt|ge|equ|neu|ltu|leu|gtu|geu|num|nan boolop=and|or|xor ftz?=ftz "
     "dtype=f16|bf16|u16|s16|u32|s32|f16x2|bf16x2 "
     "stype=b16|b32|b64|u16|u32|u64|s16|s32|s64|f16|f32|f64|bf16|f16x2|bf16x2",
     "d:w=types38(dtype) a:r=types39(stype) b:r=types39(stype) c:r=pred",
     "stype=b16|b32|b64>cmp=eq|ne stype=u16|u32|u64|s16|s32|s64>cmp=eq|ne|lt|le|gt|ge "
     "dtype=bf16|bf16x2>ftz=- ftz=ftz>stype=f16|f32|f16x2 "
     "dtype=f16|bf16>stype=b16|b32|b64|u16|u32|u64|s16|s32|s64|f16|f32|f64 "
     "dtype=u16|s16>stype=f16|bf16 dtype=u32|s32>stype=f16|bf16|f16x2|bf16x2 dtype=f16x2>stype=f16x2 "
     "dtype=bf16x2>stype=bf16x2"},
    {"set_packed", "set",
     "cmp=eq|ne|lt|le|gt|ge|lo|ls|hi|hs type=u8x4|s8x4|u16x2|s16x2",
     "d:w=uint32/int32/float32 a:r=uint32/int32/float32 b:r=uint32/int32/float32",
     "cmp=lo|ls|hi|hs>type=u8x4|u16x2"},
    {"setmaxnreg", "setmaxnreg",
     "action=inc|dec sync=sync aligned=aligned type=u32",
     "nreg:i{24|32|40|48|56|64|72|80|88|96|104|112|120|128|136|144|152|160|168|176|184|192|200|208|"
     "216|224|232|240|248|256}",
     ""},
    {"setp", "setp",
     "cmp=eq|ne|lt|le|gt|ge|lo|ls|hi|hs|equ|neu|ltu|leu|gtu|geu|num|nan ftz?=ftz "
     "type=b16|b32|b64|u16|u32|u64|s16|s32|s64|f32|f64",
     "p:w=pred a:r=types36(type) b:r=types36(type)",
     "cmp=lo|ls|hi|hs>ftz=- cmp=lt|le|gt|ge>type=u16|u32|u64|s16|s32|s64|f32|f64 "
     "cmp=lo|ls|hi|hs>type=u16|u32|u64 cmp=equ|neu|ltu|leu|gtu|geu|num|nan>type=f32|f64 "
     "ftz=ftz>type=f32"},
    {"setp_bool", "setp",
     "cmp=eq|ne|lt|le|gt|ge|lo|ls|hi|hs|equ|neu|ltu|leu|gtu|geu|num|nan boolop=and|or|xor ftz?=ftz "
     "type=b16|b32|b64|u16|u32|u64|s16|s32|s64|f32|f64",
     "p:w=pred a:r=types36(type) b:r=types36(type) c:r=pred",
     "cmp=lo|ls|hi|hs>ftz=- cmp=lt|le|gt|ge>type=u16|u32|u64|s16|s32|s64|f32|f64 "
     "cmp=lo|ls|hi|hs>type=u16|u32|u64 cmp=equ|neu|ltu|leu|gtu|geu|num|nan>type=f32|f64 "
     "ftz=ftz>type=f32"},
    {"setp_bool_pq", "setp",
     "cmp=eq|ne|lt|le|gt|ge|lo|ls|hi|hs|equ|neu|ltu|leu|gtu|geu|num|nan boolop=and|or|xor ftz?=ftz "
     "type=b16|b32|b64|u16|u32|u64|s16|s32|s64|f32|f64",
     "p:w=pred q:w=pred a:r=types36(type) b:r=types36(type) c:r=pred",
     "cmp=lo|ls|hi|hs>ftz=- cmp=lt|le|gt|ge>type=u16|u32|u64|s16|s32|s64|f32|f64 "
     "cmp=lo|ls|hi|hs>type=u16|u32|u64 cmp=equ|neu|ltu|leu|gtu|geu|num|nan>type=f32|f64 "
     "ftz=ftz>type=f32"},
    {"setp_half", "setp",
     "cmp=eq|ne|lt|le|gt|ge|equ|neu|ltu|leu|gtu|geu|num|nan ftz?=ftz type=f16|bf16",
     "p:w=pred a:r=uint16 b:r=uint16",
     "type=bf16>ftz=-"},
    {"setp_half_bool", "setp",
     "cmp=eq|ne|lt|le|gt|ge|equ|neu|ltu|leu|gtu|geu|num|nan boolop=and|or|xor ftz?=ftz type=f16|bf16",
     "p:w=pred a:r=uint16 b:r=uint16 c:r=pred",
     "type=bf16>ftz=-"},
    {"setp_half_bool_pq", "setp",
     "cmp=eq|ne|lt|le|gt|ge|equ|neu|ltu|leu|gtu|geu|num|nan boolop=and|or|xor ftz?=ftz "
     "type=f16x2|bf16x2",
     "p:w=pred q:w=pred a:r=uint32 b:r=uint32 c:r=pred",
     "type=bf16x2>ftz=-"},
    {"setp_half_pq", "setp",
     "cmp=eq|ne|lt|le|gt|ge|equ|neu|ltu|leu|gtu|geu|num|nan ftz?=ftz type=f16x2|bf16x2",
     "p:w=pred q:w=pred a:r=uint32 b:r=uint32",
     "type=bf16x2>ftz=-"},
    {"setp_pq", "setp",
     "cmp=eq|ne|lt|le|gt|ge|lo|ls|hi|hs|equ|neu|ltu|leu|gtu|geu|num|nan ftz?=ftz "
     "type=b16|b32|b64|u16|u32|u64|s16|s32|s64|f32|f64",
     "p:w=pred q:w=pred a:r=types36(type) b:r=types36(type)",
     "cmp=lo|ls|hi|hs>ftz=- cmp=lt|le|gt|ge>type=u16|u32|u64|s16|s32|s64|f32|f64 "
     "cmp=lo|ls|hi|hs>type=u16|u32|u64 cmp=equ|neu|ltu|leu|gtu|geu|num|nan>type=f32|f64 "
     "ftz=ftz>type=f32"},
    {"shf", "shf",
     "dir=l|r mode=clamp|wrap type=b32",
     "d:w=uint32/int32/float32 a:r=uint32/int32/float32 b:r=uint32/int32/float32 c:r=uint32",
     ""},
    {"shfl_sync", "shfl_sync",
     "mode=up|down|bfly|idx type=b32",
     "d:w=uint32/int32/float32 a:r=uint32/int32/float32 b:r=uint32 c:r=uint32 membermask:r=uint32",
     ""},
    {"shfl_sync_p", "shfl_sync",
     "mode=up|down|bfly|idx type=b32",
     "d:w=uint32/int32/float32 p:w=pred a:r=uint32/int32/float32 b:r=uint32 c:r=uint32 "
     "membermask:r=uint32",
     ""},
    {"shl", "shl",
     "type=b16|b32|b64",
     "d:w=types15(type) a:r=types15(type) b:r=uint32",
     ""},
    {"shr", "shr",
     "type=b16|b32|b64|u16|u32|u64|s16|s32|s64",
     "d:w=types40(type) a:r=types40(type) b:r=uint32",
     ""},
    {"sin", "sin",
     "mode=approx ftz?=ftz type=f32",
     "d:w=float32 value:r=float32",
     ""},
    {"slct", "slct",
     "ftz?=ftz dtype=b16|b32|b64|u16|u32|u64|s16|s32|s64|f32|f64 ctype=s32|f32",
     "d:w=types41(dtype) a:r=types41(dtype) b:r=types41(dtype) c:r=types42(ctype)",
     "ctype=s32>ftz=-"},
    {"spcompress", "spcompress",
     "elemsize=b8|b16 idxsize=b2|b4 spfactor=sp::2:4 num=x1|x2|x4|x8|x16|x32|x64",
     "mdata:w=uint32/int32/float32*lanes26(elemsize+idxsize+num) "
     "cdata:w=uint32/int32/float32*lanes27(num) data:r=uint32/int32/float32*lanes28(num) "
     "spdesc:r=uint32",
     ""},
    {"spdecompress", "spdecompress",
     "elemsize=b8|b16 idxsize=b2|b4 "
     "spfactor=sp::1:2|sp::1:4|sp::1:8|sp::1:16|sp::2:4|sp::2:8|sp::2:16|sp::4:8|sp::4:16 "
     "num=x1|x2|x4|x8|x16|x32|x64",
     "data:w=uint32/int32/float32*lanes29(elemsize+spfactor+num) "
     "mdata:r=uint32/int32/float32*lanes30(idxsize+spfactor+num) "
     "cdata:r=uint32/int32/float32*lanes31(elemsize+spfactor+num)",
     "spfactor=sp::4:8|sp::4:16>elemsize=b8 idxsize=b2>spfactor=sp::1:2|sp::1:4|sp::2:4 "
     "spfactor=sp::1:16|sp::2:16|sp::4:16>num=x1|x2|x4|x8|x16|x32 "
     "elemsize=b16&spfactor=sp::1:8|sp::2:8>num=x1|x2|x4|x8|x16|x32 "
     "elemsize=b16&spfactor=sp::1:16|sp::2:16>num=x1|x2|x4|x8|x16|x64 "
     "elemsize=b8&spfactor=sp::1:2>num=x2|x4|x8|x16|x32|x64"},
    {"sqrt", "sqrt",
     "mode=approx|rn|rz|rm|rp ftz?=ftz type=f32|f64",
     "d:w=types2(type) value:r=types2(type)",
     "mode=approx>type=f32 type=f64>ftz=-"},
    {"st", "st",
     "mmio?=mmio sem?=weak|release|relaxed|volatile scope?=cta|cluster|gpu|sys "
     "space?=global|shared|shared::cta|shared::cluster|local cop?=wb|cg|cs|wt "
     "l1ev?=L1::evict_normal|L1::evict_unchanged|L1::evict_first|L1::evict_last|L1::no_allocate "
     "cache?=L2::cache_hint type=b8|u8|s8|b16|u16|s16|b32|u32|s32|b64|u64|s64|f32|f64|b128",
     "addr:a=@space+ value:r=types24(type) cache_policy:r=uint64*lanes6(cache)",
     "sem=weak|volatile|->mmio=- mmio=mmio>scope=sys mmio=mmio>space=global|- mmio=mmio>cop=- "
     "mmio=mmio>l1ev=- mmio=mmio>cache=- sem=weak|volatile|->scope=- "
     "sem=release|relaxed>scope=cta|cluster|gpu|sys space=local>sem=weak|volatile|- "
     "cop=wb|cg|cs|wt>sem=weak|- sem=volatile>l1ev=- sem=volatile>cache=- space=local>scope=- "
     "cop=wb|cg|cs|wt>scope=- space=shared|shared::cta|shared::cluster|local>l1ev=- "
     "cache=L2::cache_hint>space=global|- cop=wb|cg|cs|wt>l1ev=-"},
    {"st_vec", "st",
     "sem?=weak|release|relaxed|volatile scope?=cta|cluster|gpu|sys "
     "space?=global|shared|shared::cta|shared::cluster|local cop?=wb|cg|cs|wt "
     "l1ev?=L1::evict_normal|L1::evict_unchanged|L1::evict_first|L1::evict_last|L1::no_allocate "
     "cache?=L2::cache_hint vec=v2|v4 type=b8|u8|s8|b16|u16|s16|b32|u32|s32|b64|u64|s64|f32|f64",
     "addr:a=@space+ value:r=types44(vec+type)*lanes7(vec) cache_policy:r=uint64*lanes6(cache)",
     "sem=weak|volatile|->scope=- sem=release|relaxed>scope=cta|cluster|gpu|sys "
     "space=local>sem=weak|volatile|- cop=wb|cg|cs|wt>sem=weak|- sem=volatile>l1ev=- "
     "sem=volatile>cache=- space=local>scope=- cop=wb|cg|cs|wt>scope=- "
     "space=shared|shared::cta|shared::cluster|local>l1ev=- cache=L2::cache_hint>space=global|- "
     "cop=wb|cg|cs|wt>l1ev=- type=b64|u64|s64|f64>vec=v2"},
    {"st_vec256", "st",
     "sem?=weak|release|relaxed|volatile scope?=cta|cluster|gpu|sys space?=global cop?=wb|cg|cs|wt "
     "l1ev?=L1::evict_normal|L1::evict_unchanged|L1::evict_first|L1::evict_last|L1::no_allocate "
     "l2ev?=L2::evict_first|L2::evict_last|L2::evict_normal cache?=L2::cache_hint vec=v4|v8 "
     "type=b32|u32|s32|f32|b64|u64|s64|f64",
     "addr:a=@space+ value:r=types9(type)~1*lanes10(vec) cache_policy:r=uint64*lanes6(cache)",
     "sem=weak|volatile|->scope=- sem=release|relaxed>scope=cta|cluster|gpu|sys "
     "cop=wb|cg|cs|wt>sem=weak|- sem=volatile>l1ev=- sem=volatile>l2ev=- sem=volatile>cache=- "
     "cop=wb|cg|cs|wt>scope=- cop=wb|cg|cs|wt>l1ev=- cop=wb|cg|cs|wt>l2ev=- "
     "vec=v4>type=b64|u64|s64|f64 vec=v8>type=b32|u32|s32|f32"},
    {"st_async", "st_async",
     "weak?=weak space?=shared::cluster completion=mbarrier::complete_tx::bytes "
     "type=b32|b64|b128|u32|u64|s32|s64|f32|f64",
     "addr:a=@space+ b:r=types43(type) mbar:a=@space+",
     ""},
    {"st_async_release", "st_async",
     "mmio?=mmio sem=release scope=gpu|sys space?=global "
     "type=b8|b16|b32|b64|u8|u16|u32|u64|s8|s16|s32|s64|f32|f64",
     "addr:a=@space+ b:r=types34(type)",
     "scope=gpu>mmio=-"},
    {"st_async_vec", "st_async",
     "weak?=weak space?=shared::cluster completion=mbarrier::complete_tx::bytes vec=v2|v4 "
     "type=b32|b64|u32|u64|s32|s64|f32|f64",
     "addr:a=@space+ b:r=types9(type)*lanes7(vec) mbar:a=@space+",
     "vec=v4>type=b32|u32|s32|f32"},
    {"st_bulk", "st_bulk",
     "weak?=weak space?=shared::cta",
     "addr:a=@space+ size:r=uint64/int64/uint32/int32",
     ""},
    {"stmatrix", "stmatrix",
     "sync=sync aligned=aligned shape=m8n8 num=x1|x2|x4 trans?=trans space?=shared|shared::cta "
     "type=b16",
     "p:a=@space+ r:r=uint32/int32/float32*lanes11(num)",
     ""},
    {"stmatrix_m16n8_b8", "stmatrix",
     "sync=sync aligned=aligned shape=m16n8 num=x1|x2|x4 trans=trans space?=shared|shared::cta type=b8",
     "p:a=@space+ r:r=uint32/int32/float32*lanes11(num)",
     ""},
    {"sub", "sub",
     "rnd?=rn|rz|rm|rp ftz?=ftz sat?=sat type=f32|f64|f32x2 srctype?=f16|bf16",
     "d:w=types4(type) a:r=types5(type+srctype) b:r=types4(type)",
     "type=f64>ftz=- ftz=ftz>srctype=- sat=sat>type=f32 type=f64|f32x2>srctype=-"},
    {"sub_half", "sub",
     "rnd?=rn ftz?=ftz sat?=sat type=f16|f16x2|bf16|bf16x2",
     "d:w=types3(type) a:r=types3(type) b:r=types3(type)",
     "type=bf16|bf16x2>ftz=- type=bf16|bf16x2>sat=-"},
    {"sub_int", "sub",
     "sat?=sat type=u16|u32|u64|s16|s32|s64",
     "d:w=types20(type) a:r=types20(type) b:r=types20(type)",
     "sat=sat>type=s32"},
    {"sub_mixed_vec_down_bf16", "sub",
     "rnd=rz dtype=bf16x2 atype=f32x2 ctype=f32x2",
     "d:w=uint32 a:r=uint64 c:r=uint64",
     ""},
    {"sub_mixed_vec_down_f16", "sub",
     "rnd=rz ftz=ftz dtype=f16x2 atype=f32x2 ctype=f32x2",
     "d:w=uint32 a:r=uint64 c:r=uint64",
     ""},
    {"sub_mixed_vec_up", "sub",
     "rnd?=rn|rz|rm|rp dtype=f32x2 atype=f16x2|bf16x2 ctype=f32x2",
     "d:w=uint64 a:r=uint32 c:r=uint64",
     ""},
    {"szext", "szext",
     "mode=clamp|wrap type=u32|s32",
     "d:w=types22(type) a:r=types22(type) b:r=uint32",
     ""},
    {"tanh", "tanh",
     "mode=approx type=f32",
     "d:w=float32 value:r=float32",
     ""},
    {"tanh_half", "tanh",
     "mode=approx type=f16|f16x2|bf16|bf16x2",
     "d:w=types3(type) value:r=types3(type)",
     ""},
};
// clang-format on

}  // namespace

std::span<const PtxRow> ptx_rows_mma_to_tanh() { return rows; }

}  // namespace mlc::tvmscript
