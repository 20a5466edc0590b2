// SPDX-License-Identifier: Apache-2.0
// Forms of PTX instructions: matrix fragments, mma and wgmma. The columns are explained in ptx.h.
#include "ir/tir/ptx.h"

namespace mlc::ir {
namespace {

// clang-format off
constexpr PtxRow matrix_table[] = {
    {"ldmatrix", "ldmatrix",
     "$warp shape=m8n8 num=x1|x2|x4 trans?=trans $shared type=b16",
     "r:w=$r32*#(num) p:a=@space+"},
    {"ldmatrix_b8fmt", "ldmatrix",
     "$warp shape=m8n16|m16n16 num=x1|x2|x4 trans?=trans $shared dst_fmt=b8x16 src_fmt=b6x16_p32|b4x16_p64",
     "r:w=$r32*matrices(shape+num) p:a=@space+",
     "num=x4>shape=m8n16 shape=m8n16>trans=- shape=m16n16>trans=trans num=x4>trans=-"},
    {"ldmatrix_m16n16_b8", "ldmatrix",
     "$warp shape=m16n16 num=x1|x2 trans=trans $shared type=b8",
     "r:w=$r32*2#(num) p:a=@space+"},
    {"ldmatrix_s8_s4", "ldmatrix",
     "$warp shape=m8n16 num=x1|x2|x4 $shared dtype=s8 ctype=s4",
     "r:w=$r32*#(num) p:a=@space+"},
    {"mma", "mma",
     "$warp shape=m8n8k4|m16n8k4|m16n8k8|m16n8k16|m16n8k32 alayout=row|col blayout=row|col dtype=f32 "
     "atype=f16|bf16|tf32|e4m3|e5m2 btype=f16|bf16|tf32|e4m3|e5m2 ctype=f32",
     "d:w=float32*accumulators(shape+atype) a:r=uint32*left(shape+atype) b:r=uint32*right(shape+atype) "
     "c:r=float32*accumulators(shape+atype)",
     "alayout=col>shape=m8n8k4 blayout=row>shape=m8n8k4 shape=m8n8k4>atype=f16 shape=m16n8k4>atype=tf32 "
     "shape=m16n8k8>atype=f16|bf16|tf32 shape=m16n8k16>atype=f16|bf16|e4m3|e5m2 "
     "shape=m16n8k32>atype=e4m3|e5m2 shape=m8n8k4>btype=f16 shape=m16n8k4>btype=tf32 "
     "shape=m16n8k8>btype=f16|bf16|tf32 shape=m16n8k16>btype=f16|bf16|e4m3|e5m2 "
     "shape=m16n8k32>btype=e4m3|e5m2 alayout=col>atype=f16 alayout=col>btype=f16 blayout=row>atype=f16 "
     "blayout=row>btype=f16 atype=f16>btype=f16 atype=bf16>btype=bf16 atype=tf32>btype=tf32 "
     "atype=e4m3|e5m2>btype=e4m3|e5m2"},
    {"mma_f16acc", "mma",
     "$warp shape=m8n8k4|m16n8k8|m16n8k16|m16n8k32 alayout=row|col blayout=row|col dtype=f16 "
     "atype=f16|e4m3|e5m2 btype=f16|e4m3|e5m2 ctype=f16",
     "d:w=uint32*half_accumulators(shape+atype) a:r=uint32*left(shape+atype) b:r=uint32*right(shape+atype) "
     "c:r=uint32*half_accumulators(shape+atype)",
     "alayout=col>shape=m8n8k4 blayout=row>shape=m8n8k4 shape=m8n8k4|m16n8k8>atype=f16 "
     "shape=m16n8k32>atype=e4m3|e5m2 shape=m8n8k4|m16n8k8>btype=f16 shape=m16n8k32>btype=e4m3|e5m2 "
     "alayout=col>atype=f16 alayout=col>btype=f16 blayout=row>atype=f16 blayout=row>btype=f16 "
     "atype=f16>btype=f16 atype=e4m3|e5m2>btype=e4m3|e5m2"},
    {"mma_f16c_f32d", "mma",
     "$warp shape=m8n8k4 alayout=row|col blayout=row|col dtype=f32 atype=f16 btype=f16 ctype=f16",
     "d:w=float32*8 a:r=uint32*2 b:r=uint32*2 c:r=uint32*4"},
    {"mma_f64", "mma",
     "$warp shape=m8n8k4|m16n8k4|m16n8k8|m16n8k16 alayout=row blayout=col dtype=f64 atype=f64 btype=f64 "
     "ctype=f64 rnd?=rn|rz|rm|rp",
     "d:w=float64*m/4(shape) a:r=float64*left_f64(shape) b:r=float64*right_f64(shape) "
     "c:r=float64*m/4(shape)"},
    {"mma_int", "mma",
     "$warp shape=m8n8k16|m16n8k16|m16n8k32|m8n8k32|m16n8k64|m8n8k128|m16n8k128|m16n8k256 alayout=row "
     "blayout=col satfinite?=satfinite dtype=s32 atype=u8|s8|u4|s4|b1 btype=u8|s8|u4|s4|b1 ctype=s32 "
     "bitop?=xor|and popc?=popc",
     "d:w=uint32*m/4(shape) a:r=uint32*left_int(shape+atype) b:r=uint32*right_int(shape+btype) "
     "c:r=uint32*m/4(shape)",
     "shape=m8n8k128|m16n8k128|m16n8k256>satfinite=- atype=u8|s8>shape=m8n8k16|m16n8k16|m16n8k32 "
     "atype=u4|s4>shape=m16n8k32|m8n8k32|m16n8k64 atype=b1>shape=m8n8k128|m16n8k128|m16n8k256 "
     "btype=u8|s8>shape=m8n8k16|m16n8k16|m16n8k32 btype=u4|s4>shape=m16n8k32|m8n8k32|m16n8k64 "
     "btype=b1>shape=m8n8k128|m16n8k128|m16n8k256 shape=m8n8k16|m16n8k16|m16n8k32|m8n8k32|m16n8k64>bitop=- "
     "shape=m8n8k128|m16n8k128|m16n8k256>bitop=xor|and "
     "shape=m8n8k16|m16n8k16|m16n8k32|m8n8k32|m16n8k64>popc=- shape=m8n8k128|m16n8k128|m16n8k256>popc=popc "
     "atype=b1>satfinite=- btype=b1>satfinite=- bitop=xor|and>satfinite=- popc=popc>satfinite=- "
     "atype=u8|s8>btype=u8|s8 atype=u4|s4>btype=u4|s4 atype=b1>btype=b1 atype=u8|s8|u4|s4>bitop=- "
     "atype=b1>bitop=xor|and atype=u8|s8|u4|s4>popc=- atype=b1>popc=popc btype=u8|s8|u4|s4>bitop=- "
     "btype=b1>bitop=xor|and btype=u8|s8|u4|s4>popc=- btype=b1>popc=popc bitop=xor|and>popc=popc "
     "bitop=->popc=-"},
    {"mma_sp", "mma",
     "spvariant=sp|sp::ordered_metadata $warp shape=m16n8k8|m16n8k16 alayout=row blayout=col dtype=f32 "
     "atype=f16|bf16|tf32 btype=f16|bf16|tf32 ctype=f32",
     "d:w=float32*4 a:r=uint32*2 b:r=uint32*2 c:r=float32*4 e:r=uint32 f:i{0|1|2|3}",
     "shape=m16n8k8>atype=tf32 shape=m16n8k16>atype=f16|bf16 shape=m16n8k8>btype=tf32 "
     "shape=m16n8k16>btype=f16|bf16 atype=f16>btype=f16 atype=bf16>btype=bf16 atype=tf32>btype=tf32"},
    {"mma_sp_all", "mma",
     "spvariant=sp|sp::ordered_metadata $warp shape=m16n8k64 alayout=row blayout=col dtype=f32 "
     "atype=e4m3|e5m2 btype=e4m3|e5m2 ctype=f32",
     "d:w=float32*4 a:r=uint32*4 b:r=uint32*4 c:r=float32*4 e:r=uint32 f:i{0}"},
    {"mma_sp_f16acc", "mma",
     "spvariant=sp|sp::ordered_metadata $warp shape=m16n8k16 alayout=row blayout=col dtype=f16 atype=f16 "
     "btype=f16 ctype=f16",
     "d:w=uint32*2 a:r=uint32*2 b:r=uint32*2 c:r=uint32*2 e:r=uint32 f:i{0|1|2|3}"},
    {"mma_sp_f16acc_pair", "mma",
     "spvariant=sp|sp::ordered_metadata $warp shape=m16n8k32 alayout=row blayout=col dtype=f16 atype=f16 "
     "btype=f16 ctype=f16",
     "d:w=uint32*2 a:r=uint32*4 b:r=uint32*4 c:r=uint32*2 e:r=uint32 f:i{0|1}"},
    {"mma_sp_int_all", "mma",
     "spvariant=sp|sp::ordered_metadata $warp shape=m16n8k64|m16n8k128 alayout=row blayout=col "
     "satfinite?=satfinite dtype=s32 atype=u8|s8|u4|s4 btype=u8|s8|u4|s4 ctype=s32",
     "d:w=uint32*4 a:r=uint32*4 b:r=uint32*4 c:r=uint32*4 e:r=uint32 f:i{0}",
     "shape=m16n8k64>atype=u8|s8 shape=m16n8k128>atype=u4|s4 shape=m16n8k64>btype=u8|s8 "
     "shape=m16n8k128>btype=u4|s4 atype=u8|s8>btype=u8|s8 atype=u4|s4>btype=u4|s4"},
    {"mma_sp_int_pair", "mma",
     "spvariant=sp|sp::ordered_metadata $warp shape=m16n8k32|m16n8k64 alayout=row blayout=col "
     "satfinite?=satfinite dtype=s32 atype=u8|s8|u4|s4 btype=u8|s8|u4|s4 ctype=s32",
     "d:w=uint32*4 a:r=uint32*2 b:r=uint32*2 c:r=uint32*4 e:r=uint32 f:i{0|1}",
     "shape=m16n8k32>atype=u8|s8 shape=m16n8k64>atype=u4|s4 shape=m16n8k32>btype=u8|s8 "
     "shape=m16n8k64>btype=u4|s4 atype=u8|s8>btype=u8|s8 atype=u4|s4>btype=u4|s4"},
    {"mma_sp_pair", "mma",
     "spvariant=sp|sp::ordered_metadata $warp shape=m16n8k16|m16n8k32 alayout=row blayout=col dtype=f32 "
     "atype=f16|bf16|tf32 btype=f16|bf16|tf32 ctype=f32",
     "d:w=float32*4 a:r=uint32*4 b:r=uint32*4 c:r=float32*4 e:r=uint32 f:i{0|1}",
     "shape=m16n8k16>atype=tf32 shape=m16n8k32>atype=f16|bf16 shape=m16n8k16>btype=tf32 "
     "shape=m16n8k32>btype=f16|bf16 atype=f16>btype=f16 atype=bf16>btype=bf16 atype=tf32>btype=tf32"},
    {"movmatrix", "movmatrix", "$warp shape=m8n8 trans=trans type=b16", "d:w=$r32 a:r=$r32"},
    {"spcompress", "spcompress",
     "elemsize=b8|b16 idxsize=b2|b4 spfactor=sp::2:4 num=x1|x2|x4|x8|x16|x32|x64",
     "mdata:w=$r32*packed(elemsize+idxsize+num) cdata:w=$r32*#(num) data:r=$r32*2#(num) spdesc:r=uint32"},
    {"spdecompress", "spdecompress",
     "elemsize=b8|b16 idxsize=b2|b4 "
     "spfactor=sp::1:2|sp::1:4|sp::1:8|sp::1:16|sp::2:4|sp::2:8|sp::2:16|sp::4:8|sp::4:16 "
     "num=x1|x2|x4|x8|x16|x32|x64",
     "data:w=$r32*dense(elemsize+spfactor+num) mdata:r=$r32*selectors(idxsize+spfactor+num) "
     "cdata:r=$r32*sparse(elemsize+spfactor+num)",
     "spfactor=sp::4:8|sp::4:16>elemsize=b8 idxsize=b2>spfactor=sp::1:2|sp::1:4|sp::2:4 "
     "spfactor=sp::1:16|sp::2:16|sp::4:16>num=x1|x2|x4|x8|x16|x32 "
     "elemsize=b16&spfactor=sp::1:8|sp::2:8>num=x1|x2|x4|x8|x16|x32 "
     "elemsize=b16&spfactor=sp::1:16|sp::2:16>num=x1|x2|x4|x8|x16|x64 "
     "elemsize=b8&spfactor=sp::1:2>num=x2|x4|x8|x16|x32|x64"},
    {"stmatrix[;_m16n8_b8]", "stmatrix",
     "$warp shape=[m8n8;m16n8] num=x1|x2|x4 [trans?;trans]=trans $shared type=[b16;b8]",
     "p:a=@space+ r:r=$r32*#(num)"},
    {"wgmma_b1_[rs;ss]", "wgmma",
     "action=mma_async $warp shape=$shapes256 dtype=s32 atype=b1 btype=b1 bitop=and popc=popc",
     "d:u=uint32*n/2(shape) a[:r=uint32*4;_desc:r=uint64] b_desc:r=uint64 scale_d:r=pred"},
    {"wgmma_bf16_[rs;ss]", "wgmma",
     "action=mma_async $warp shape=$shapes16 dtype=f32 atype=bf16 btype=bf16",
     "d:u=float32*n/2(shape) a[:r=uint32*4;_desc:r=uint64] b_desc:r=uint64 scale_d:r=pred scale_a:i{-1|1} "
     "scale_b:i{-1|1} [;trans_a:i{0|1} ]trans_b:i{0|1}"},
    {"wgmma_commit_group", "wgmma", "action=commit_group $warp"},
    {"wgmma_f16_f16acc_[rs;ss]", "wgmma",
     "action=mma_async $warp shape=$shapes16 dtype=f16 atype=f16 btype=f16",
     "d:u=uint32*n/4(shape) a[:r=uint32*4;_desc:r=uint64] b_desc:r=uint64 scale_d:r=pred scale_a:i{-1|1} "
     "scale_b:i{-1|1} [;trans_a:i{0|1} ]trans_b:i{0|1}"},
    {"wgmma_f16_[rs;ss]", "wgmma",
     "action=mma_async $warp shape=$shapes16 dtype=f32 atype=f16 btype=f16",
     "d:u=float32*n/2(shape) a[:r=uint32*4;_desc:r=uint64] b_desc:r=uint64 scale_d:r=pred scale_a:i{-1|1} "
     "scale_b:i{-1|1} [;trans_a:i{0|1} ]trans_b:i{0|1}"},
    {"wgmma_fence", "wgmma", "action=fence $warp"},
    {"wgmma_fp8_[f16acc_;]rs", "wgmma",
     "action=mma_async $warp shape=$shapes32 dtype=[f16;f32] atype=e4m3|e5m2 btype=e4m3|e5m2",
     "d:u=[uint32*n/4;float32*n/2](shape) a:r=uint32*4 b_desc:r=uint64 scale_d:r=pred scale_a:i{-1|1} "
     "scale_b:i{-1|1}"},
    {"wgmma_fp8_[f16acc_;]ss", "wgmma",
     "action=mma_async $warp shape=$shapes32 dtype=[f16;f32] atype=e4m3|e5m2 btype=e4m3|e5m2",
     "d:u=[uint32*n/4;float32*n/2](shape) a_desc:r=uint64 b_desc:r=uint64 scale_d:r=pred scale_a:i{-1|1} "
     "scale_b:i{-1|1}"},
    {"wgmma_int_[rs;ss]", "wgmma",
     "action=mma_async $warp shape=$shapes32_33 satfinite?=satfinite dtype=s32 atype=s8|u8 btype=s8|u8",
     "d:u=uint32*n/2(shape) a[:r=uint32*4;_desc:r=uint64] b_desc:r=uint64 scale_d:r=pred"},
    {"wgmma_tf32_[rs;ss]", "wgmma",
     "action=mma_async $warp shape=$shapes8 dtype=f32 atype=tf32 btype=tf32",
     "d:u=float32*n/2(shape) a[:r=uint32*4;_desc:r=uint64] b_desc:r=uint64 scale_d:r=pred scale_a:i{-1|1} "
     "scale_b:i{-1|1}"},
    {"wgmma_wait_group", "wgmma", "action=wait_group $warp", "group:i{0|1|2|3|4|5|6|7}"},
};
// clang-format on

}  // namespace

std::span<const PtxRow> ptx_matrix_rows() { return matrix_table; }

}  // namespace mlc::ir
