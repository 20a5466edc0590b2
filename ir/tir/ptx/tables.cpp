// SPDX-License-Identifier: Apache-2.0
// What operands of PTX instructions depend on: registers and how many, by modifiers; and the lists that rows share.
// The columns are explained in ptx.h.
#include "ir/tir/ptx.h"

namespace mlc::ir {
namespace {

// clang-format off
constexpr PtxTable tables[] = {
    // ---- registers that may hold a value of the type: by its width, as wide or wider (PTX ISA 9.4.1), ... ----
    {"register", "uint16",
     "pred=pred b8=uint8/int8 b16=uint16/int16/float16/bfloat16 b32=uint32/int32/float32 "
     "b64=uint64/int64/float64 b128=uint128/int128 f32=float32 f64=float64 f16x2|bf16x2|s16x2|u16x2=uint32 "
     "f32x2=uint64 e2m1x2|u8=uint8 s8=int8 s16=int16 s32=int32 s64=int64 u32=uint32 u64=uint64"},
    {"wide", "pred",
     "b8=uint8/int8/uint16/int16/float16/bfloat16/uint32/int32/float32/uint64/int64/float64/uint128/int128 "
     "b16=uint16/int16/float16/bfloat16/uint32/int32/float32/uint64/int64/float64/uint128/int128 "
     "b32=uint32/int32/float32/uint64/int64/float64/uint128/int128 b64=uint64/int64/float64/uint128/int128 "
     "b128=uint128/int128 f32=float32/uint32/int32/uint64/int64/uint128/int128 "
     "f64=float64/uint64/int64/uint128/int128 "
     "s8=int8/uint8/int16/uint16/int32/uint32/int64/uint64/int128/uint128 "
     "s16=int16/uint16/int32/uint32/int64/uint64/int128/uint128 "
     "s32=int32/uint32/int64/uint64/int128/uint128 s64=int64/uint64/int128/uint128 "
     "u8=uint8/int8/uint16/int16/uint32/int32/uint64/int64/uint128/int128 "
     "u16=uint16/int16/uint32/int32/uint64/int64/uint128/int128 "
     "u32=uint32/int32/uint64/int64/uint128/int128 u64=uint64/int64/uint128/int128"},
    {"same_size", "uint16/int16/float16/bfloat16",
     "f32=float32/uint32/int32 f64=float64/uint64/int64 s16=int16/uint16 s32=int32/uint32 s64=int64/uint64 "
     "u16=uint16/int16 u32=uint32/int32 u64=uint64/int64"},
    {"stored", "uint16/int16/float16/bfloat16",
     "b32=uint32/int32/float32 b64=uint64/int64/float64 s16=int16/uint16/float16/bfloat16 "
     "f32|f64|s32|s64|u32|u64=&same_size"},
    {"vector", "&wide", "f64=&same_size"},
    {"converted", "&wide",
     "*,*,bf16=uint16 *,bf16,*=&same_size ftz,*,f64|s64|u64=&same_size ftz,f64,f32=&same_size "
     "*,*,f16=uint16/int16/float16/bfloat16/uint32/int32/uint64/int64/uint128/int128"},
    {"source", "&wide", "*,bf16=uint16 *,f16|f32|f64=&same_size bf16,*=&same_size"},
    {"addend", "&register", "f16|bf16,*=uint16"},
    {"dot", "int32", "u32,u32=uint32"},
    {"double_width", "uint32", "s16=int32 s32=int64 u32=uint64"},
    {"mask", "uint16", "multicast::cluster::32b=uint32"},
    {"offset", "uint16/int16/float16/bfloat16", "im2col=uint16"},
    // ---- the state space that an address is in, and whether an operand is there ----
    {"space", "global",
     "= local=local shared=shared shared::cluster=shared::cluster shared::cta=shared::cta"},
    {"given", "1", "=0"},
    // ---- how many: coordinates of tensors, registers of fragments ----
    {"coordinates", "#", "tile::gather4|tile::scatter4,*=5"},
    {"offsets", "2", "3d,im2col=1 5d,im2col=3"},
    {"strides", "1", "3d=2 4d=3 5d=4"},
    {"matrices", "#", "m16n16,*=2#"},
    {"accumulators", "4", "m8n8k4,f16=8"},
    {"left", "2", "m16n8k16,bf16|f16=4 m16n8k32,e4m3|e5m2=4 m16n8k8,tf32=4"},
    {"right", "2", "m16n8k16,e4m3|e5m2=1 m16n8k4,*=1 m16n8k8,bf16|f16=1"},
    {"left_int", "1", "m8n8k128|m8n8k16|m8n8k32,*=1 m16n8k128|m16n8k16,*=2 m16n8k32,s4|u4=2 *,*=4"},
    {"right_int", "1", "m16n8k256|m16n8k64,*=2 m16n8k32,s8|u8=2"},
    {"left_f64", "1", "m16n8k16=8 m16n8k4=2 m16n8k8=4"},
    {"right_f64", "1", "m16n8k16=4 m16n8k8=2"},
    {"half_accumulators", "2", "m8n8k4,f16=4"},
    {"packed", "#/4", "b16,b2,*=#/8 b8,b4,*=#/2"},
    {"dense", "#",
     "b16,sp::1:4|sp::2:4,*=2# b16,sp::1:8|sp::2:8,*=4# b16,sp::1:16|sp::2:16,*=8# b8,sp::1:2,*=#/2 "
     "b8,sp::1:8|sp::2:8|sp::4:8,*=2# b8,sp::1:16|sp::2:16|sp::4:16,*=4#"},
    {"selectors", "#/8",
     "b2,sp::2:4,*=#/8 b2,*,*=#/16 b4,sp::2:4|sp::2:8|sp::2:16,*=#/4 b4,sp::4:8|sp::4:16,*=#/2"},
    {"sparse", "#/2",
     "b16,sp::2:4|sp::2:8|sp::2:16,*=# b8,sp::1:2|sp::1:4|sp::1:8|sp::1:16,*=#/4 b8,sp::4:8|sp::4:16,*=#"},
    {"tensor_memory", "#", "16x128b,*=2# 16x256b,*=4#"},
};

constexpr PtxWord words[] = {
    {"reports",
     "mbarrier::report::disabled|mbarrier::report::validity::per_16bytes::80000000|"
     "mbarrier::report::validity::per_16bytes::8000|mbarrier::report::validity::per_16bytes::80|"
     "mbarrier::report::validity::per_16bytes::8|mbarrier::report::validity::per_element::ff"},
    {"collectors",
     "collector::b0::fill|collector::b0::use|collector::b0::lastuse|collector::b0::discard|"
     "collector::b1::fill|collector::b1::use|collector::b1::lastuse|collector::b1::discard|"
     "collector::b2::fill|collector::b2::use|collector::b2::lastuse|collector::b2::discard|"
     "collector::b3::fill|collector::b3::use|collector::b3::lastuse|collector::b3::discard"},
    {"collector_a", "collector::a::fill|collector::a::use|collector::a::lastuse|collector::a::discard"},
    {"collector_b", "collector::b::fill|collector::b::use|collector::b::lastuse|collector::b::discard"},
    {"relaxed",
     "sem=weak|->scope=- sem=relaxed>scope=cta|cluster|gpu|sys sem=weak|->type=- sem=relaxed>type=b128 "
     "scope=cta|cluster|gpu|sys>type=b128 scope=->type=-"},
    {"scopes", "cta|cluster|gpu|sys"},
    {"groups", "cta_group::1|cta_group::2"},
    {"tensor", "api=async kind=bulk unit=tensor"},
    {"bulk", "api=async kind=bulk"},
    {"complete", "completion=mbarrier::complete_tx::bytes"},
    {"warp", "sync=sync aligned=aligned"},
    {"address", "override_address=override::global_address"},
    {"cache", "cache?=L2::cache_hint"},
    {"space", "space?=global|shared|shared::cta|shared::cluster"},
    {"shared", "space?=shared|shared::cta"},
    {"policy", "cache_policy:r=uint64*given(cache)"},
    {"strides",
     "lower_stride:r=uint32/int32/float32*strides(dim) upper_stride:r=uint16/int16/float16/bfloat16 "
     "coords:r=int32*#(dim)"},
    {"mma", "idesc:r=uint32 disable_output_lane:r=uint32*4#(cta_group) enable_input_d:r=pred"},
    {"r16", "uint16/int16/float16/bfloat16"},
    {"r32", "uint32/int32/float32"},
    {"r64", "uint64/int64/float64"},
    {"redop", "add|min|max|inc|dec|and|or|xor"},
    {"l1", "l1ev?=L1::evict_normal|L1::evict_unchanged|L1::evict_first|L1::evict_last|L1::no_allocate"},
    {"im2col", "load_mode=im2col|im2col::w|im2col::w::128"},
    {"im2col_info", "im2col_info:r=offset(load_mode)*offsets(dim+load_mode)"},
    {"block", "sem?=acquire|relaxed scope?=cta|cluster"},
    {"atomic_sem", "sem?=relaxed|acquire|release|acq_rel"},
    {"multicasts", "multicast::cluster|multicast::cluster::16b|multicast::cluster::32b"},
    {"cta_mask", "cta_mask:r=mask(multicast)*given(multicast)"},
    {"fabric", "completion=mbarrier::complete_tx::16B.mbarrier::report::fabric"},
    {"shapes256",
     "m64n8k256|m64n16k256|m64n24k256|m64n32k256|m64n48k256|m64n64k256|m64n80k256|m64n96k256|m64n112k256|"
     "m64n128k256|m64n144k256|m64n160k256|m64n176k256|m64n192k256|m64n208k256|m64n224k256|m64n240k256|"
     "m64n256k256"},
    {"shapes16",
     "m64n8k16|m64n16k16|m64n24k16|m64n32k16|m64n40k16|m64n48k16|m64n56k16|m64n64k16|m64n72k16|m64n80k16|"
     "m64n88k16|m64n96k16|m64n104k16|m64n112k16|m64n120k16|m64n128k16|m64n136k16|m64n144k16|m64n152k16|"
     "m64n160k16|m64n168k16|m64n176k16|m64n184k16|m64n192k16|m64n200k16|m64n208k16|m64n216k16|m64n224k16|"
     "m64n232k16|m64n240k16|m64n248k16|m64n256k16"},
    {"shapes32",
     "m64n8k32|m64n16k32|m64n24k32|m64n32k32|m64n40k32|m64n48k32|m64n56k32|m64n64k32|m64n72k32|m64n80k32|"
     "m64n88k32|m64n96k32|m64n104k32|m64n112k32|m64n120k32|m64n128k32|m64n136k32|m64n144k32|m64n152k32|"
     "m64n160k32|m64n168k32|m64n176k32|m64n184k32|m64n192k32|m64n200k32|m64n208k32|m64n216k32|m64n224k32|"
     "m64n232k32|m64n240k32|m64n248k32|m64n256k32"},
    {"shapes32_33",
     "m64n8k32|m64n16k32|m64n24k32|m64n32k32|m64n48k32|m64n64k32|m64n80k32|m64n96k32|m64n112k32|"
     "m64n128k32|m64n144k32|m64n160k32|m64n176k32|m64n192k32|m64n208k32|m64n224k32"},
    {"shapes8",
     "m64n8k8|m64n16k8|m64n24k8|m64n32k8|m64n40k8|m64n48k8|m64n56k8|m64n64k8|m64n72k8|m64n80k8|m64n88k8|"
     "m64n96k8|m64n104k8|m64n112k8|m64n120k8|m64n128k8|m64n136k8|m64n144k8|m64n152k8|m64n160k8|m64n168k8|"
     "m64n176k8|m64n184k8|m64n192k8|m64n200k8|m64n208k8|m64n216k8|m64n224k8|m64n232k8|m64n240k8|"
     "m64n248k8|m64n256k8"},
};
// clang-format on

}  // namespace

std::span<const PtxTable> ptx_tables() { return tables; }
std::span<const PtxWord> ptx_words() { return words; }

}  // namespace mlc::ir
