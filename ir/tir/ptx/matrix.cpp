// SPDX-License-Identifier: Apache-2.0
// Forms of PTX instructions: matrix fragments, mma and wgmma. The columns are explained in ptx.h.
#include "ir/tir/ptx.h"

namespace mlc::ir {
namespace {

// clang-format off
constexpr PtxRow rows[] = {
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
    {"movmatrix", "movmatrix",
     "sync=sync aligned=aligned shape=m8n8 trans=trans type=b16",
     "d:w=uint32/int32/float32 a:r=uint32/int32/float32",
     ""},
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
    {"stmatrix", "stmatrix",
     "sync=sync aligned=aligned shape=m8n8 num=x1|x2|x4 trans?=trans space?=shared|shared::cta "
     "type=b16",
     "p:a=@space+ r:r=uint32/int32/float32*lanes11(num)",
     ""},
    {"stmatrix_m16n8_b8", "stmatrix",
     "sync=sync aligned=aligned shape=m16n8 num=x1|x2|x4 trans=trans space?=shared|shared::cta type=b8",
     "p:a=@space+ r:r=uint32/int32/float32*lanes11(num)",
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
};
// clang-format on

}  // namespace

std::span<const PtxRow> ptx_matrix_rows() { return rows; }

}  // namespace mlc::ir
