// SPDX-License-Identifier: Apache-2.0
// Functions of devices that are plain calls of an operator: T.cuda.*, T.metal.*, T.nki.*, T.nvshmem.*,
// T.webgpu.* and those of T itself. One row each: where, signature, operator below `tirx.`, type of the
// result.
#include <deque>

#include "frontend/tvmscript/builder/calls.h"
#include "frontend/tvmscript/builder/rows.h"
#include "ir/core/visit.h"

namespace mlc::tvmscript {
namespace {

struct Intrinsic {
  std::string_view space;  // below T: "cuda.wgmma"
  std::string_view signature;
  std::string_view op;      // below tirx: "cuda.wgmma_noop_barrier"
  std::string_view result;  // a data type; "=i": that of parameter i; "@": named by the first parameter
};

// clang-format off
constexpr Intrinsic intrinsics[] = {
    {"", "anylist_getitem(list_handle, index, *, dtype=None)", "anylist_getitem", "handle"},
    {"", "anylist_resetitem(list_handle, index, *, dtype=None)", "anylist_resetitem", "int32"},
    {"", "anylist_setitem_call_cpacked(list_handle, index, func_name, *args, dtype=None)", "anylist_setitem_call_cpacked", "int32"},
    {"", "anylist_setitem_call_packed(list_handle, index, func_name, *args, dtype=None)", "anylist_setitem_call_packed", "int32"},
    {"", "cooperative_tensor_fill(d, index, value, rows, cols, *, dtype=None)", "cooperative_tensor_fill", "void"},
    {"", "cooperative_tensor_load(d, index, ptr, stride, rows, cols, transpose_matrix=False, mma_M=0, mma_N=0, mma_K=0, operand_role=0, *, dtype=None)", "cooperative_tensor_load", "void"},
    {"", "cooperative_tensor_multiply_accumulate(d, index_d, a, index_a, b, index_b, c, index_c, M, N, K, transpose_a=False, transpose_b=False, *, dtype=None)", "cooperative_tensor_multiply_accumulate", "void"},
    {"", "cooperative_tensor_store(d, index, ptr, stride, rows, cols, transpose_matrix=False, mma_M=0, mma_N=0, mma_K=0, operand_role=0, *, dtype=None)", "cooperative_tensor_store", "void"},
    {"", "end_profile_intrinsic(id, *, dtype=None)", "end_profile_intrinsic", "void"},
    {"", "q_multiply_shift(x, y, q, s, *, dtype=None)", "q_multiply_shift", "int32"},
    {"", "q_multiply_shift_per_axis(x, y, ls, rs, q, is_lshift_required, is_rshift_required, *, dtype=None)", "q_multiply_shift_per_axis", "int32"},
    {"", "selector(var, pred, *, dtype=None)", "selector", "=0"},
    {"", "start_profile_intrinsic(id, *, dtype=None)", "start_profile_intrinsic", "void"},
    {"", "tvm_bmma_sync(fragment_d, index_d, fragment_a, index_a, fragment_b, index_b, fragment_c, index_c, *, dtype=None)", "tvm_bmma_sync", "void"},
    {"", "tvm_fill_fragment(fragment, m, n, k, index, value, *, dtype=None)", "tvm_fill_fragment", "void"},
    {"", "tvm_global_barrier_kinit()", "tvm_global_barrier_kinit", "void"},
    {"", "tvm_kernel_replace_point(*, dtype=None)", "tvm_kernel_replace_point", "void"},
    {"", "tvm_load_matrix_sync(fragment, m, n, k, index, buffer_ptr, stride, layout, *, dtype=None)", "tvm_load_matrix_sync", "void"},
    {"", "tvm_mma_sync(fragment_d, index_d, fragment_a, index_a, fragment_b, index_b, fragment_c, index_c, *, dtype=None)", "tvm_mma_sync", "void"},
    {"", "tvm_store_matrix_sync(fragment, m, n, k, index, buffer_ptr, stride, layout, *, dtype=None)", "tvm_store_matrix_sync", "void"},
    {"", "tvm_warp_activemask()", "tvm_warp_activemask", "uint32"},
    {"", "tvm_warp_shuffle(mask, value, warp_id, width, warp_size)", "tvm_warp_shuffle", "=1"},
    {"", "tvm_warp_shuffle_down(mask, value, offset, width, warp_size)", "tvm_warp_shuffle_down", "=1"},
    {"", "tvm_warp_shuffle_up(mask, value, offset, width, warp_size)", "tvm_warp_shuffle_up", "=1"},
    {"", "tvm_warp_shuffle_xor(mask, value, lane_mask, width, warp_size)", "tvm_warp_shuffle_xor", "=1"},
    {"cuda", "__activemask()", "cuda.__activemask", "uint32"},
    {"cuda", "__shfl_down_sync(mask, var, delta, width)", "cuda.__shfl_down_sync", "=1"},
    {"cuda", "__shfl_sync(mask, var, lane, width)", "cuda.__shfl_sync", "=1"},
    {"cuda", "__shfl_up_sync(mask, var, delta, width)", "cuda.__shfl_up_sync", "=1"},
    {"cuda", "__shfl_xor_sync(mask, var, lane_mask, width)", "cuda.__shfl_xor_sync", "=1"},
    {"cuda", "any_sync(mask, pred)", "cuda.any_sync", "int32"},
    {"cuda", "atomic_add(res_addr, value)", "cuda.atomic_add", "=1"},
    {"cuda", "atomic_cas(ptr, old_val, new_val)", "cuda.atomic_cas", "=1"},
    {"cuda", "ballot_sync(mask, pred)", "cuda.ballot_sync", "uint32"},
    {"cuda", "bfloat1622float2(packed)", "cuda.bfloat1622float2", "uint64"},
    {"cuda", "bfloat162float(src)", "cuda.bfloat162float", "float32"},
    {"cuda", "clock64()", "cuda.clock64", "uint64"},
    {"cuda", "cluster_sync()", "cuda.cluster_sync", "void"},
    {"cuda", "cta_reduce(value, op, num_warps, scratch)", "cuda.cta_reduce", "=0"},
    {"cuda", "cta_sync()", "cuda.cta_sync", "void"},
    {"cuda", "cvta_generic_to_shared(ptr)", "cuda.cvta_generic_to_shared", "uint32"},
    {"cuda", "elect_sync()", "cuda.elect_sync", "uint32"},
    {"cuda", "fadd2_rn(a, b)", "cuda.fadd2_rn", "uint64"},
    {"cuda", "fdividef(x, y)", "cuda.fdividef", "float32"},
    {"cuda", "ffs_u32(value)", "cuda.ffs_u32", "int32"},
    {"cuda", "float22bfloat162_rn(v0, v1)", "cuda.float22bfloat162_rn", "uint32"},
    {"cuda", "float22bfloat162_rn_from_float2(packed)", "cuda.float22bfloat162_rn_from_float2", "uint32"},
    {"cuda", "float22half2(dst, src)", "cuda.float22half2", "void"},
    {"cuda", "float2_x(packed)", "cuda.float2_x", "float32"},
    {"cuda", "float2_y(packed)", "cuda.float2_y", "float32"},
    {"cuda", "float8tohalf8(src_addr, dst_addr)", "cuda.float8tohalf8", "void"},
    {"cuda", "float_as_uint(x)", "cuda.float_as_uint", "uint32"},
    {"cuda", "fmul2_rn(a, b)", "cuda.fmul2_rn", "uint64"},
    {"cuda", "fp8x4_e4m3_from_float4(x, y, z, w)", "cuda.fp8x4_e4m3_from_float4", "uint32"},
    {"cuda", "get_tmem_addr(addr, row_offset, col_offset)", "cuda.get_tmem_addr", "uint32"},
    {"cuda", "grid_sync()", "cuda.grid_sync", "void"},
    {"cuda", "half2float(src)", "cuda.half2float", "float32"},
    {"cuda", "half8tofloat8(src_addr, dst_addr)", "cuda.half8tofloat8", "void"},
    {"cuda", "hmax2(a, b)", "cuda.hmax2", "uint32"},
    {"cuda", "hmin2(a, b)", "cuda.hmin2", "uint32"},
    {"cuda", "make_float2(x, y)", "cuda.make_float2", "uint64"},
    {"cuda", "mbarrier_wait(bar, phase)", "cuda.mbarrier_wait", "void"},
    {"cuda", "mbarrier_wait_acquire_cluster(bar, phase)", "cuda.mbarrier_wait_acquire_cluster", "void"},
    {"cuda", "mma_fill(dtype, local_size, local_ptr, offset)", "mma_fill", "@"},
    {"cuda", "mma_store(dtype, m, n, dst_ptr, src_ptr, src_offset, dst_stride)", "mma_store", "@"},
    {"cuda", "nano_sleep(time)", "cuda.nano_sleep", "void"},
    {"cuda", "printf(fmt, *args)", "cuda.printf", "void"},
    {"cuda", "reduce_add_sync_u32(mask, value)", "cuda.reduce_add_sync_u32", "uint32"},
    {"cuda", "reduce_min_sync_u32(mask, value)", "cuda.reduce_min_sync_u32", "uint32"},
    {"cuda", "runtime_instr_desc(desc, sf_id)", "cuda.runtime_instr_desc", "void"},
    {"cuda", "smem_addr_from_uint64(cluster_addr)", "cuda.smem_addr_from_uint64", "uint32"},
    {"cuda", "syncthreads_and(cond)", "cuda.syncthreads_and", "int64"},
    {"cuda", "syncthreads_or(cond)", "cuda.syncthreads_or", "int64"},
    {"cuda", "thread_fence()", "cuda.thread_fence", "void"},
    {"cuda", "thread_rank()", "cuda.thread_rank", "int32"},
    {"cuda", "timer_finalize(profiler_buffer, profiler_tag, profiler_write_offset, profiler_write_stride, leader_cond)", "timer_finalize_cuda", "void"},
    {"cuda", "timer_init(profiler_buffer, profiler_tag, profiler_write_offset, num_groups, group_id)", "timer_init_cuda", "void"},
    {"cuda", "trap_when_assert_failed(cond)", "cuda.trap_when_assert_failed", "void"},
    {"cuda", "uint_as_float(bits)", "cuda.uint_as_float", "float32"},
    {"cuda", "warp_reduce(value, op, width=32)", "cuda.warp_reduce", "=0"},
    {"cuda", "warp_sync()", "cuda.warp_sync", "void"},
    {"cuda", "warpgroup_sync(bar_no)", "cuda.warpgroup_sync", "void"},
    {"cuda.iket", "mark(name, payload=None)", "cuda.iket_mark", "void"},
    {"cuda.iket", "official_event(event_id, source_code=\"\", payload=None)", "cuda.iket_official_event", "uint32"},
    {"cuda.iket", "range_end(token, payload=None)", "cuda.iket_range_end", "void"},
    {"cuda.iket", "range_pop()", "cuda.iket_range_pop", "void"},
    {"cuda.iket", "range_push(name, payload=None)", "cuda.iket_range_push", "void"},
    {"cuda.iket", "range_start(name, payload=None)", "cuda.iket_range_start", "uint32"},
    {"cuda.iket", "sentinel_token(name)", "cuda.iket_sentinel_token", "uint32"},
    {"cuda.tcgen05", "encode_instr_descriptor(desc, d_dtype, a_dtype, b_dtype, M, N, K, trans_a, trans_b, n_cta_groups=1, neg_a=False, neg_b=False, sat_d=False, is_sparse=False)", "cuda.tcgen05_encode_instr_descriptor", "void"},
    {"cuda.tcgen05", "encode_instr_descriptor_block_scaled(desc, d_dtype, a_dtype, b_dtype, sfa_dtype, sfb_dtype, sfa_tmem_addr, sfb_tmem_addr, M, N, K, trans_a, trans_b, n_cta_groups=1, neg_a=False, neg_b=False, is_sparse=False)", "cuda.tcgen05_encode_instr_descriptor_block_scaled", "void"},
    {"cuda.tcgen05", "encode_matrix_descriptor(desc, addr, ldo, sdo, swizzle)", "cuda.tcgen05_encode_matrix_descriptor", "void"},
    {"cuda.wgmma", "encode_matrix_descriptor(desc, addr, ldo, sdo, swizzle)", "cuda.wgmma_encode_matrix_descriptor", "void"},
    {"cuda.wgmma", "noop_barrier(reg)", "cuda.wgmma_noop_barrier", "void"},
    {"metal", "make_filled_simdgroup_matrix(d, index, value, col=8, row=8)", "make_filled_simdgroup_matrix", "void"},
    {"metal", "simd_shuffle(var, lane)", "metal.simd_shuffle", "=0"},
    {"metal", "simd_shuffle_down(var, delta)", "metal.simd_shuffle_down", "=0"},
    {"metal", "simd_shuffle_up(var, delta)", "metal.simd_shuffle_up", "=0"},
    {"metal", "simdgroup_load(d, index, ptr, stride, col=8, row=8, transpose_matrix=False)", "simdgroup_load", "void"},
    {"metal", "simdgroup_multiply_accumulate(d, index_d, a, index_a, b, index_b, c, index_c)", "simdgroup_multiply_accumulate", "void"},
    {"metal", "simdgroup_store(d, index, ptr, stride, col=8, row=8, transpose_matrix=False)", "simdgroup_store", "void"},
    {"nki", "activation(result, data, opcode, bias=0.0, scale=1.0)", "nki.activation", "void"},
    {"nki", "activation_reduce(reduce_res, act_res, data, opcode, reduce_opcode, bias=0.0, scale=1.0)", "nki.activation_reduce", "void"},
    {"nki", "affine_select(result, pred, true_value, false_value)", "nki.affine_select", "void"},
    {"nki", "identity(result, size)", "nki.identity", "void"},
    {"nki", "load(res, data)", "nki.load", "void"},
    {"nki", "matmul(res, lhs, rhs, accum=True)", "nki.matmul", "void"},
    {"nki", "memset(result, value)", "nki.memset", "void"},
    {"nki", "reciprocal(result, data)", "nki.reciprocal", "void"},
    {"nki", "scalar_tensor_scalar(result, data, operand0, operand1, opcode0, opcode1, reverse0=False, reverse1=False)", "nki.scalar_tensor_scalar", "void"},
    {"nki", "scalar_tensor_tensor(result, data, operand0, operand1, opcode0, opcode1, reverse0=False, reverse1=False)", "nki.scalar_tensor_tensor", "void"},
    {"nki", "store(res, data)", "nki.store", "void"},
    {"nki", "tensor_copy(res, data)", "nki.tensor_copy", "void"},
    {"nki", "tensorreduce(result, data, opcode, negate, *axes)", "nki.tensorreduce", "void"},
    {"nki", "tensorscalar(result, operand0, operand1, opcode, reverse=False)", "nki.tensorscalar", "void"},
    {"nki", "tensorscalar_reduce(reduce_res, tensorscalar_res, operand0, operand1, opcode, reduce_opcode, reverse=False)", "nki.tensorscalar_reduce", "void"},
    {"nki", "tensortensor(result, operand0, operand1, opcode)", "nki.tensortensor", "void"},
    {"nvshmem", "barrier_all()", "nvshmem.barrier_all", "void"},
    {"nvshmem", "fence()", "nvshmem.fence", "void"},
    {"nvshmem", "getmem_nbi(dst, src, nelems, pe)", "nvshmem.getmem_nbi", "void"},
    {"nvshmem", "my_pe()", "nvshmem.my_pe", "int32"},
    {"nvshmem", "n_pes()", "nvshmem.n_pes", "int32"},
    {"nvshmem", "putmem_nbi(dst, src, nelems, pe)", "nvshmem.putmem_nbi", "void"},
    {"nvshmem", "putmem_signal_nbi(dst, src, nelems, sig_addr, signal, sig_op, pe)", "nvshmem.putmem_signal_nbi", "void"},
    {"nvshmem", "quiet()", "nvshmem.quiet", "void"},
    {"nvshmem", "signal_op(sig_addr, signal, sig_op, pe)", "nvshmem.signal_op", "void"},
    {"nvshmem", "wait_until(ivar, cmp, cmp_value, type=\"uint64_t\")", "nvshmem.wait_until", "void"},
    {"nvshmem.getmem_nbi", "block(dst, src, nelems, pe)", "nvshmem.getmem_nbi_block", "void"},
    {"nvshmem.getmem_nbi", "warp(dst, src, nelems, pe)", "nvshmem.getmem_nbi_warp", "void"},
    {"nvshmem.putmem_nbi", "block(dst, src, nelems, pe)", "nvshmem.putmem_nbi_block", "void"},
    {"nvshmem.putmem_nbi", "warp(dst, src, nelems, pe)", "nvshmem.putmem_nbi_warp", "void"},
    {"nvshmem.putmem_signal_nbi", "block(dst, src, nelems, sig_addr, signal, sig_op, pe)", "nvshmem.putmem_signal_nbi_block", "void"},
    {"nvshmem.putmem_signal_nbi", "warp(dst, src, nelems, sig_addr, signal, sig_op, pe)", "nvshmem.putmem_signal_nbi_warp", "void"},
    {"s_tir", "ldg32(reg, guard, addr, local_addr)", "s_tir.ldg32", "=0"},
    {"webgpu", "subgroup_shuffle(var, lane)", "webgpu.subgroup_shuffle", "=0"},
    {"webgpu", "subgroup_shuffle_down(var, delta)", "webgpu.subgroup_shuffle_down", "=0"},
    {"webgpu", "subgroup_shuffle_up(var, delta)", "webgpu.subgroup_shuffle_up", "=0"},
};
// clang-format on

std::string_view below(std::string_view owner) {
  return owner == kT ? std::string_view() : owner.substr(kT.size() + 1);
}

const Intrinsic& intrinsic_of(const ir::Api& api) {
  static thread_local std::unordered_map<const ir::Api*, const Intrinsic*> known;
  const Intrinsic*& found = known[&api];
  if (found) return *found;
  for (const Intrinsic& one : intrinsics) {
    if (one.signature == api.row.signature && one.space == below(api.row.owner)) found = &one;
  }
  MLC_CHECK(found, "`{}` is no device function", api.name);
  return *found;
}

Any call_intrinsic(ApiCall& call) {
  const Intrinsic& row = intrinsic_of(call.api);
  bool typed = row.result == "@";
  for (size_t i = typed ? 1 : 0; i < call.args.size(); ++i) {
    const ir::ApiParam& param = call.api.params[i];
    if (script::is_none(call.args[i]) && !param.has_default && param.name != "dtype")
      ir::wrong_argument(call, i, "a value");
  }
  Array<Expr> args = operands(call, typed ? 1 : 0);
  for (size_t i = 0; i < args.size(); ++i) {
    if (ir::as<ir::TensorRegionNode>(args[static_cast<int64_t>(i)]))
      ir::wrong_argument(call, std::min(i + (typed ? 1 : 0), call.args.size() - 1), "a value");
  }
  Type type;
  if (typed) {
    type = prim(dtype_arg(call, 0));
  } else if (row.result[0] == '=') {
    auto like = static_cast<int64_t>(row.result[1] - '0');
    args.Set(like, element_of(args[like]));
    type = args[like]->ty;
  } else {
    type = prim(row.result == "void" ? DataType::Void() : DataType::parse(row.result));
  }
  return call_of(std::move(type), "tirx." + std::string(row.op), std::move(args), call.span);
}

std::string_view doc_of(std::string_view space) {
  if (space.starts_with("cuda")) return "An operation of CUDA devices.";
  if (space.starts_with("metal")) return "An operation of Metal devices.";
  if (space.starts_with("nki")) return "An operation of Trainium devices.";
  if (space.starts_with("nvshmem")) return "Communication between CUDA devices (NVSHMEM).";
  if (space.starts_with("webgpu")) return "An operation of WebGPU devices.";
  return "An operation that lowered code or one kind of device has.";
}

std::span<const ir::ApiRow> all_device_rows() {
  static std::deque<std::string> text;
  static std::vector<ir::ApiRow> rows;
  if (!rows.empty()) return rows;
  for (const Intrinsic& one : intrinsics) {
    std::string_view owner = kT;
    if (!one.space.empty()) owner = text.emplace_back(fmt::format("{}.{}", kT, one.space));
    ir::Native body = one.signature.ends_with("dtype=None)") ? untyped<call_intrinsic> : call_intrinsic;
    rows.push_back({ir::ApiKind::kFunction, owner, one.signature, doc_of(one.space), body});
  }
  return rows;
}

}  // namespace

std::span<const ir::ApiRow> device_rows() { return all_device_rows(); }

}  // namespace mlc::tvmscript
