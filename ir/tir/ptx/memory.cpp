// SPDX-License-Identifier: Apache-2.0
// Forms of PTX instructions: loads, stores, registers and caches. The columns are explained in ptx.h.
#include "ir/tir/ptx.h"

namespace mlc::ir {
namespace {

// clang-format off
constexpr PtxRow memory_table[] = {
    {"applypriority", "applypriority", "space?=global level=L2::evict_normal", "addr:a=@space+"},
    {"applypriority_async_bulk", "applypriority",
     "$bulk src?=global completion=bulk_group priority=L2::evict_normal",
     "addr:a=global+ size:r=uint32"},
    {"applypriority_async_bulk_tensor[;_override_address]", "applypriority",
     "$tensor dim=1d|2d|3d|4d|5d src?=global completion=bulk_group load_mode?=tile|tile::gather4 "
     "priority=L2::evict_normal[; $address]",
     "tmap:a=global [;global_address:r=uint64 ]coords:r=int32*coordinates(load_mode+dim)",
     "load_mode=tile::gather4>dim=2d"},
    {"applypriority_async_bulk_tensor_[;override_address_]im2col", "applypriority",
     "$tensor dim=3d|4d|5d src?=global completion=bulk_group $im2col priority=L2::evict_normal[; $address]",
     "tmap:a=global [;global_address:r=uint64 ]coords:r=int32*#(dim) $im2col_info"},
    {"applypriority_async_bulk_tensor_override_global_dim_[b16;b8]", "applypriority",
     "$tensor dim=1d src?=global completion=bulk_group load_mode?=tile priority=L2::evict_normal $address "
     "override_attribute=override::global_dim",
     "tmap:a=global global_address:r=uint64 tensor_size:r=[$r16;uint8] coords:r=int32"},
    {"applypriority_async_bulk_tensor_override_global_dim_stride_[b16;b8]", "applypriority",
     "$tensor dim=2d|3d|4d|5d src?=global completion=bulk_group load_mode?=tile priority=L2::evict_normal "
     "$address override_attribute=override::global_dim_stride",
     "tmap:a=global global_address:r=uint64 tensor_size:r=[$r16;uint8]*#(dim) $strides"},
    {"createpolicy_cvt", "createpolicy",
     "kind=cvt level=L2 type=b64",
     "cache_policy:w=uint64 access_property:r=uint64"},
    {"createpolicy_[fraction;fractional]", "createpolicy",
     "kind=fractional pri=L2::evict_last|L2::evict_normal|L2::evict_first|L2::evict_unchanged "
     "sec?=L2::evict_first|L2::evict_unchanged type=b64",
     "cache_policy:w=uint64[ fraction:r=float32;]"},
    {"createpolicy_range", "createpolicy",
     "kind=range space?=global pri=L2::evict_last|L2::evict_normal|L2::evict_first|L2::evict_unchanged "
     "sec?=L2::evict_first|L2::evict_unchanged type=b64",
     "cache_policy:w=uint64 addr:a=@space+ primary_size:r=uint32 total_size:r=uint32"},
    {"discard", "discard", "space?=global level=L2", "addr:a=@space+"},
    {"ld", "ld",
     "mmio?=mmio sem?=weak|acquire|relaxed|volatile scope?=$scopes "
     "space?=global|shared|shared::cta|shared::cluster|local cop?=ca|cg|cs|lu|cv nc?=nc $l1 $cache "
     "prefetch?=L2::64B|L2::128B|L2::256B type=b8|u8|s8|b16|u16|s16|b32|u32|s32|b64|u64|s64|f32|f64|b128",
     "d:w=wide(type) addr:a=space(space)+ $policy",
     "sem=weak|volatile|->mmio=- mmio=mmio>scope=sys mmio=mmio>space=global|- mmio=mmio>cop=- nc=nc>mmio=- "
     "mmio=mmio>l1ev=- mmio=mmio>cache=- mmio=mmio>prefetch=- sem=weak|volatile|->scope=- "
     "sem=acquire|relaxed>scope=$scopes space=local>sem=weak|volatile|- cop=ca|cg|cs|lu|cv>sem=weak|- "
     "nc=nc>sem=- sem=volatile>l1ev=- sem=volatile>cache=- space=local>scope=- cop=ca|cg|cs|lu|cv>scope=- "
     "nc=nc>scope=- nc=nc>space=global space=shared|shared::cta|shared::cluster|local>l1ev=- "
     "cache=L2::cache_hint>space=global|- prefetch=L2::64B|L2::128B|L2::256B>space=global|- cop=lu|cv>nc=- "
     "cop=ca|cg|cs|lu|cv>l1ev=-"},
    {"ld_proxy_readonly", "ld",
     "space?=global type=b8|u8|s8|b16|u16|s16|b32|u32|s32|b64|u64|s64|f32|f64 proxy=proxy::readonly",
     "d:w=wide(type) addr:a=@space+"},
    {"ld_vec", "ld",
     "sem?=weak|acquire|relaxed|volatile scope?=$scopes "
     "space?=global|shared|shared::cta|shared::cluster|local cop?=ca|cg|cs|lu|cv nc?=nc $l1 $cache "
     "prefetch?=L2::64B|L2::128B|L2::256B vec=v2|v4 "
     "type=b8|u8|s8|b16|u16|s16|b32|u32|s32|b64|u64|s64|f32|f64",
     "d:w=wide(type)*#(vec) addr:a=@space+ $policy",
     "sem=weak|volatile|->scope=- sem=acquire|relaxed>scope=$scopes space=local>sem=weak|volatile|- "
     "cop=ca|cg|cs|lu|cv>sem=weak|- nc=nc>sem=- sem=volatile>l1ev=- sem=volatile>cache=- "
     "space=local>scope=- cop=ca|cg|cs|lu|cv>scope=- nc=nc>scope=- nc=nc>space=global "
     "space=shared|shared::cta|shared::cluster|local>l1ev=- cache=L2::cache_hint>space=global|- "
     "prefetch=L2::64B|L2::128B|L2::256B>space=global|- cop=lu|cv>nc=- cop=ca|cg|cs|lu|cv>l1ev=- "
     "type=b64|u64|s64|f64>vec=v2"},
    {"ld_vec256", "ld",
     "sem?=weak|acquire|relaxed|volatile scope?=$scopes space?=global cop?=ca|cg|cs|lu|cv nc?=nc $l1 "
     "l2ev?=L2::evict_first|L2::evict_last|L2::evict_normal $cache prefetch?=L2::64B|L2::128B|L2::256B "
     "vec=v4|v8 type=b32|u32|s32|f32|b64|u64|s64|f64",
     "d:w=register(type)~1*#(vec) addr:a=@space+ $policy",
     "sem=weak|volatile|->scope=- sem=acquire|relaxed>scope=$scopes cop=ca|cg|cs|lu|cv>sem=weak|- "
     "nc=nc>sem=- sem=volatile>l1ev=- sem=volatile>l2ev=- sem=volatile>cache=- cop=ca|cg|cs|lu|cv>scope=- "
     "nc=nc>scope=- space=->nc=- cop=lu|cv>nc=- cop=ca|cg|cs|lu|cv>l1ev=- cop=ca|cg|cs|lu|cv>l2ev=- "
     "vec=v4>type=b64|u64|s64|f64 vec=v8>type=b32|u32|s32|f32"},
    {"ldu", "ldu",
     "space?=global type=b8|u8|s8|b16|u16|s16|b32|u32|s32|b64|u64|s64|f32|f64|b128",
     "d:w=wide(type) addr:a=@space+"},
    {"ldu_vec", "ldu",
     "space?=global vec=v2|v4 type=b8|u8|s8|b16|u16|s16|b32|u32|s32|b64|u64|s64|f32|f64",
     "d:w=wide(type)*#(vec) addr:a=@space+",
     "type=b64|u64|s64|f64>vec=v2"},
    {"mov", "mov",
     "type=pred|b16|b32|b64|u16|u32|u64|s16|s32|s64|f32|f64",
     "d:w=register(type) a:r=register(type)"},
    {"mov_pack_b16x2", "mov", "type=b32", "d:w=$r32 a:r=$r16*2"},
    {"mov_pack_[b16x4;b32x2]", "mov", "type=b64", "d:w=$r64 a:r=[$r16*4;$r32*2]"},
    {"mov_pack_[b32x4;b64x2]", "mov", "type=b128", "d:w=uint128/int128 a:r=[$r32*4;$r64*2]"},
    {"mov_unpack_b16x2", "mov", "type=b32", "d:w=$r16~*2 a:r=$r32"},
    {"mov_unpack_[b16x4;b32x2]", "mov", "type=b64", "d:w=[$r16~*4;$r32~*2] a:r=$r64"},
    {"mov_unpack_[b32x4;b64x2]", "mov", "type=b128", "d:w=[$r32~*4;$r64~*2] a:r=uint128/int128"},
    {"multimem_ld_reduce", "multimem_ld_reduce",
     "sem?=weak|relaxed|acquire scope?=$scopes space?=global op=min|max|add|and|or|xor "
     "type=b32|b64|u32|u64|s32|s64",
     "d:w=register(type) addr:a=@space+",
     "sem=weak|->scope=- sem=relaxed|acquire>scope=$scopes type=b32|b64>op=and|or|xor "
     "type=u32|u64|s32>op=min|max|add type=s64>op=min|max"},
    {"multimem_ld_reduce_f", "multimem_ld_reduce",
     "sem?=weak|relaxed|acquire scope?=$scopes space?=global op=min|max|add acc?=acc::f32 "
     "type=f16|f16x2|bf16|bf16x2|f32|f64",
     "d:w=register(type) addr:a=@space+",
     "type!f16|bf16 sem=weak|->scope=- sem=relaxed|acquire>scope=$scopes op=min|max>acc=- "
     "type=f32|f64>op=add type=f32|f64>acc=-"},
    {"multimem_ld_reduce_f_vec", "multimem_ld_reduce",
     "sem?=weak|relaxed|acquire scope?=$scopes space?=global op=min|max|add acc?=acc::f32 vec=v2|v4|v8 "
     "type=f16|f16x2|bf16|bf16x2|f32|f64",
     "d:w=register(type)*#(vec) addr:a=@space+",
     "type!f64 sem=weak|->scope=- sem=relaxed|acquire>scope=$scopes op=min|max>acc=- type=f32>op=add "
     "type=f32>acc=- vec=v8>type=f16|bf16"},
    {"multimem_st[;_f]", "multimem_st",
     "sem?=weak|relaxed|release scope?=$scopes space?=global "
     "type=[b32|b64|u32|u64|s32|s64;f16|f16x2|bf16|bf16x2|f32|f64]",
     "addr:a=@space+ b:r=register(type)",
     "[;type!f16|bf16 ]sem=weak|->scope=- sem=relaxed|release>scope=$scopes"},
    {"multimem_st_async", "multimem_st_async",
     "sem=release scope=gpu|sys space?=global type=b8|b16|b32|b64|u8|u16|u32|u64|s8|s16|s32|s64|f32|f64",
     "addr:a=@space+ b:r=register(type)"},
    {"multimem_st_f_vec", "multimem_st",
     "sem?=weak|relaxed|release scope?=$scopes space?=global vec=v2|v4|v8 "
     "type=f16|f16x2|bf16|bf16x2|f32|f64",
     "addr:a=@space+ b:r=register(type)*#(vec)",
     "type!f64 sem=weak|->scope=- sem=relaxed|release>scope=$scopes vec=v8>type=f16|bf16"},
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
     "addr:a=@space+"},
    {"prefetchu", "prefetchu", "level=L1", "addr:a=+"},
    {"st", "st",
     "mmio?=mmio sem?=weak|release|relaxed|volatile scope?=$scopes "
     "space?=global|shared|shared::cta|shared::cluster|local cop?=wb|cg|cs|wt $l1 $cache "
     "type=b8|u8|s8|b16|u16|s16|b32|u32|s32|b64|u64|s64|f32|f64|b128",
     "addr:a=@space+ value:r=wide(type) $policy",
     "sem=weak|volatile|->mmio=- mmio=mmio>scope=sys mmio=mmio>space=global|- mmio=mmio>cop=- "
     "mmio=mmio>l1ev=- mmio=mmio>cache=- sem=weak|volatile|->scope=- sem=release|relaxed>scope=$scopes "
     "space=local>sem=weak|volatile|- cop=wb|cg|cs|wt>sem=weak|- sem=volatile>l1ev=- sem=volatile>cache=- "
     "space=local>scope=- cop=wb|cg|cs|wt>scope=- space=shared|shared::cta|shared::cluster|local>l1ev=- "
     "cache=L2::cache_hint>space=global|- cop=wb|cg|cs|wt>l1ev=-"},
    {"st_async", "st_async",
     "weak?=weak space?=shared::cluster $complete type=b32|b64|b128|u32|u64|s32|s64|f32|f64",
     "addr:a=@space+ b:r=register(type) mbar:a=@space+"},
    {"st_async_release", "st_async",
     "mmio?=mmio sem=release scope=gpu|sys space?=global "
     "type=b8|b16|b32|b64|u8|u16|u32|u64|s8|s16|s32|s64|f32|f64",
     "addr:a=@space+ b:r=register(type)",
     "scope=gpu>mmio=-"},
    {"st_async_vec", "st_async",
     "weak?=weak space?=shared::cluster $complete vec=v2|v4 type=b32|b64|u32|u64|s32|s64|f32|f64",
     "addr:a=@space+ b:r=register(type)*#(vec) mbar:a=@space+",
     "vec=v4>type=b32|u32|s32|f32"},
    {"st_bulk", "st_bulk",
     "weak?=weak space?=shared::cta",
     "addr:a=@space+ size:r=uint64/int64/uint32/int32"},
    {"st_vec", "st",
     "sem?=weak|release|relaxed|volatile scope?=$scopes "
     "space?=global|shared|shared::cta|shared::cluster|local cop?=wb|cg|cs|wt $l1 $cache vec=v2|v4 "
     "type=b8|u8|s8|b16|u16|s16|b32|u32|s32|b64|u64|s64|f32|f64",
     "addr:a=@space+ value:r=vector(type)*#(vec) $policy",
     "sem=weak|volatile|->scope=- sem=release|relaxed>scope=$scopes space=local>sem=weak|volatile|- "
     "cop=wb|cg|cs|wt>sem=weak|- sem=volatile>l1ev=- sem=volatile>cache=- space=local>scope=- "
     "cop=wb|cg|cs|wt>scope=- space=shared|shared::cta|shared::cluster|local>l1ev=- "
     "cache=L2::cache_hint>space=global|- cop=wb|cg|cs|wt>l1ev=- type=b64|u64|s64|f64>vec=v2"},
    {"st_vec256", "st",
     "sem?=weak|release|relaxed|volatile scope?=$scopes space?=global cop?=wb|cg|cs|wt $l1 "
     "l2ev?=L2::evict_first|L2::evict_last|L2::evict_normal $cache vec=v4|v8 "
     "type=b32|u32|s32|f32|b64|u64|s64|f64",
     "addr:a=@space+ value:r=register(type)~1*#(vec) $policy",
     "sem=weak|volatile|->scope=- sem=release|relaxed>scope=$scopes cop=wb|cg|cs|wt>sem=weak|- "
     "sem=volatile>l1ev=- sem=volatile>l2ev=- sem=volatile>cache=- cop=wb|cg|cs|wt>scope=- "
     "cop=wb|cg|cs|wt>l1ev=- cop=wb|cg|cs|wt>l2ev=- vec=v4>type=b64|u64|s64|f64 "
     "vec=v8>type=b32|u32|s32|f32"},
};
// clang-format on

}  // namespace

std::span<const PtxRow> ptx_memory_rows() { return memory_table; }

}  // namespace mlc::ir
