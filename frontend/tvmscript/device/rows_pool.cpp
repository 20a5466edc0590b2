// SPDX-License-Identifier: Apache-2.0
// Classes for kernels: @T.meta_class, whose objects are kept as they are in a prim_func and name the buffers
// they own; the pools of shared and tensor memory, and others of the library, which are such classes.
#include "frontend/script/core/library.h"
#include "frontend/tvmscript/builder/arguments.h"
#include "frontend/tvmscript/builder/rows.h"
#include "ir/core/refusal.h"

namespace mlc::tvmscript {

static constexpr ir::Refusals refusals{
    "TypeError",
    {
        {.name = "not-a-class", .message = "`@T.meta_class` stands above a class, this is `{}`"},
    }};
MLC_REFUSALS(device_rows_pool, refusals);

namespace {

Any meta_class(ApiCall& call) {
  auto* cls = script::as<script::ClassNode>(call.args[0]);
  if (!cls) {
    throw ir::refuse(refusals["not-a-class"], ir::type_name(call.args[0])).at(call.span);
  }
  cls->set(syntax::Symbol(kMetaClassMark), true);
  return call.host.call_library("tvm.script.ir_builder.meta_class", "install", {&call.args[0], 1});
}

// The buffers that calls have made since it was asked last.
Any take_made(ApiCall&) {
  Builder* builder = Builder::current_or_null();
  Array<Any> made;
  if (builder) {
    for (const Buffer& buffer : builder->take_made()) made.push_back(buffer);
  }
  return made;
}

constexpr std::string_view kPools = "tvm.backend.cuda.lang.alloc_pool";

// The member of stdlib/tvm/backend/cuda/lang/alloc_pool.mlc that the row is named after.
Any pool_member(ApiCall& call) {
  return script::library_member(call.host, std::string(kPools), call.api.name);
}

constexpr std::string_view kTma = "tvm.backend.cuda.tile_primitive.tma_utils";
using ir::ApiKind;
constexpr ir::ApiRow pool_table[] = {
    {ApiKind::kFunction, kT, "meta_class(cls)",
     "Objects of the class that follows are values of a prim_func; buffers that they own get their names.",
     meta_class},
    {ApiKind::kFunction, "tvm.script.ir_builder.IRBuilder", "_take_made()",
     "The buffers that were made since it was asked last.", take_made},
    {ApiKind::kValue, kT, "SMEMPool", "Gives out shared memory in order.", pool_member},
    {ApiKind::kValue, kT, "TMEMPool", "Gives out columns of tensor memory in order.", pool_member},
    {ApiKind::kValue, kTma, "SwizzleMode", "How 16-byte units of shared memory are permuted.", pool_member},
    {ApiKind::kValue, kTma, "mma_shared_layout", "The layout of an operand of an MMA in shared memory.",
     pool_member},
    {ApiKind::kValue, kTma, "mma_atom_layout", "The swizzled atom that operands of an MMA are made of.",
     pool_member},
    {ApiKind::kValue, kTma, "mma_atom_shape", "Rows and columns of that atom.", pool_member},
    {ApiKind::kValue, kTma, "tma_atom_compatible", "Does a region consist of whole atoms?", pool_member},
    {ApiKind::kValue, kTma, "get_swizzle_mode_from_layout", "The swizzle mode of a layout.", pool_member},
    {ApiKind::kValue, "tvm.tirx.layout", "tmem_mma_operand_layout",
     "The layout of an operand of tcgen05.mma in tensor memory.", pool_member},
};

}  // namespace

std::span<const ir::ApiRow> pool_rows() { return pool_table; }

}  // namespace mlc::tvmscript
