// SPDX-License-Identifier: Apache-2.0
// Operators that one kind of device has: CUDA, Metal, WebGPU, Trainium, NVSHMEM, textures; and those of
// the runtime that only lowered code calls.
#include <algorithm>
#include <deque>

#include "ir/core/split_words.h"
#include "ir/tir/op.h"

namespace mlc::ir {
namespace {

// Operators that are alike, by their names below `tirx.`; behind a colon, how a text spells them where it is otherwise.
struct Group {
  int arity;
  Effect effect;
  std::string_view names;
  DtypePlace dtype_place = DtypePlace::kNowhere;
};

// clang-format off
constexpr Group groups[] = {
    {-1, Effect::kOpaque,
     "anylist_resetitem anylist_setitem_call_cpacked anylist_setitem_call_packed atomic_add "
     "call_ffi_kernel cooperative_tensor_fill cooperative_tensor_load "
     "cooperative_tensor_multiply_accumulate cooperative_tensor_store cuda.atomic_add cuda.atomic_cas "
     "cuda.ballot_sync cuda.bfloat1622float2 cuda.bfloat162float cuda.clock64 cuda.cluster_sync "
     "cuda.cta_reduce cuda.cta_sync cuda.cvta_generic_to_shared cuda.elect_sync cuda.fadd2_rn cuda.ffs_u32 "
     "cuda.float22bfloat162_rn cuda.float22bfloat162_rn_from_float2 cuda.float22half2 cuda.float2_x "
     "cuda.float2_y cuda.float8tohalf8 cuda.float_as_uint cuda.fmul2_rn cuda.fp8x4_e4m3_from_float4 "
     "cuda.func_call cuda.get_tmem_addr cuda.grid_sync cuda.half2float cuda.half8tofloat8 cuda.hmax2 "
     "cuda.hmin2 cuda.iket_mark:cuda.iket.mark cuda.iket_official_event:cuda.iket.official_event "
     "cuda.iket_range_end:cuda.iket.range_end cuda.iket_range_pop:cuda.iket.range_pop "
     "cuda.iket_range_push:cuda.iket.range_push cuda.iket_range_start:cuda.iket.range_start "
     "cuda.iket_sentinel_token:cuda.iket.sentinel_token cuda.ldg cuda.make_float2 cuda.mbarrier_wait "
     "cuda.mbarrier_wait_acquire_cluster cuda.nano_sleep cuda.printf cuda.reduce_add_sync_u32 "
     "cuda.reduce_min_sync_u32 cuda.runtime_instr_desc cuda.sm100_2sm_leader_smem_addr "
     "cuda.smem_addr_from_uint64 cuda.syncthreads_and cuda.syncthreads_or "
     "cuda.tcgen05_encode_instr_descriptor:cuda.tcgen05.encode_instr_descriptor "
     "cuda.tcgen05_encode_instr_descriptor_block_scaled:cuda.tcgen05.encode_instr_descriptor_block_scaled "
     "cuda.tcgen05_encode_matrix_descriptor:cuda.tcgen05.encode_matrix_descriptor cuda.thread_fence "
     "cuda.trap_when_assert_failed cuda.uint_as_float cuda.wait_until cuda.warp_reduce cuda.warp_sync "
     "cuda.warpgroup_sync cuda.wgmma_encode_matrix_descriptor:cuda.wgmma.encode_matrix_descriptor "
     "cuda.wgmma_noop_barrier:cuda.wgmma.noop_barrier dma_copy dma_end_group dma_start_group dma_wait "
     "make_filled_simdgroup_matrix:metal.make_filled_simdgroup_matrix masked_store "
     "mma_fill_legacy:cuda.mma_fill_legacy mma_store_legacy:cuda.mma_store_legacy nd_mem_alloc_with_scope "
     "nki.activation nki.activation_reduce nki.affine_select nki.identity nki.load nki.matmul nki.memset "
     "nki.reciprocal nki.scalar_tensor_scalar nki.scalar_tensor_tensor nki.store nki.tensor_copy "
     "nki.tensorreduce nki.tensorscalar nki.tensorscalar_reduce nki.tensortensor nvshmem.barrier_all "
     "nvshmem.fence nvshmem.getmem_nbi nvshmem.getmem_nbi_block:nvshmem.getmem_nbi.block "
     "nvshmem.getmem_nbi_warp:nvshmem.getmem_nbi.warp nvshmem.my_pe nvshmem.n_pes nvshmem.putmem_nbi "
     "nvshmem.putmem_nbi_block:nvshmem.putmem_nbi.block nvshmem.putmem_nbi_warp:nvshmem.putmem_nbi.warp "
     "nvshmem.putmem_signal_nbi nvshmem.putmem_signal_nbi_block:nvshmem.putmem_signal_nbi.block "
     "nvshmem.putmem_signal_nbi_warp:nvshmem.putmem_signal_nbi.warp nvshmem.quiet nvshmem.signal_op "
     "nvshmem.wait_until print_buffer ptx_legacy.ldmatrix ptx_legacy.mma "
     "simdgroup_load:metal.simdgroup_load "
     "simdgroup_multiply_accumulate:metal.simdgroup_multiply_accumulate "
     "simdgroup_store:metal.simdgroup_store tensormap_encode_tiled texture2d_load texture2d_store "
     "timer_end_cuda:cuda.timer_end timer_finalize_cuda:cuda.timer_finalize "
     "timer_init_cuda:cuda.timer_init timer_start_cuda:cuda.timer_start tvm_bmma_sync "
     "tvm_call_trace_packed tvm_call_trace_packed_lowered tvm_fill_fragment tvm_global_barrier_kinit "
     "tvm_mma_sync tvm_store_matrix_sync tvm_warp_activemask tvm_warp_shuffle tvm_warp_shuffle_down "
     "tvm_warp_shuffle_up tvm_warp_shuffle_xor"},
    {0, Effect::kOpaque, "tvm_kernel_replace_point tvm_static_handle"},
    {2, Effect::kOpaque,
     "metal.simd_shuffle metal.simd_shuffle_down metal.simd_shuffle_up selector webgpu.subgroup_shuffle "
     "webgpu.subgroup_shuffle_down webgpu.subgroup_shuffle_up"},
    {3, Effect::kOpaque, "TVMBackendAnyListMoveFromPackedReturn"},
    {4, Effect::kOpaque, "cuda.__shfl_down_sync cuda.__shfl_sync cuda.__shfl_up_sync cuda.__shfl_xor_sync"},
    {5, Effect::kOpaque, "TVMBackendAnyListSetPackedArg"},
    {-1, Effect::kPure,
     "call_spirv_pure_glsl450 ctpop cuda.any_sync cuda.fdividef cuda.mov_sreg cuda.thread_rank "
     "end_profile_intrinsic isfinite isinf start_profile_intrinsic"},
    {0, Effect::kPure, "cuda.__activemask"},
    {2, Effect::kPure, "filter"},
    {3, Effect::kPure, "q_multiply_shift"},
    {4, Effect::kPure, "s_tir.ldg32"},
    {7, Effect::kPure, "q_multiply_shift_per_axis"},
    {-1, Effect::kReadState, "anylist_getitem tvm_load_matrix_sync"},
    {0, Effect::kReadState, "tvm_context_id"},
    {-1, Effect::kOpaque,
     "mma_fill:cuda.mma_fill mma_store:cuda.mma_store s_tir.cp_async_raw", DtypePlace::kFirst},
    {-1, Effect::kPure, "dp4a", DtypePlace::kFirst},
    {2, Effect::kPure, "get_active_lane_mask", DtypePlace::kFirst},
    {-1, Effect::kReadState, "masked_load", DtypePlace::kFirst},
};
// clang-format on

}  // namespace

std::span<const OpRow> device_op_rows() {
  static const std::vector<OpRow> rows = [] {
    static std::deque<std::string> texts;  // what the rows' names are views of
    std::vector<OpRow> made;
    for (const Group& group : groups) {
      each_word(group.names, [&](std::string_view word) {
        size_t colon = word.find(':');
        std::string_view name = word.substr(0, colon);
        OpRow row{texts.emplace_back("tirx." + std::string(name)), colon == name.npos ? name : word.substr(colon + 1),
                  group.arity, group.effect};
        row.dtype_place = group.dtype_place;
        made.push_back(row);
      });
    }
    std::sort(made.begin(), made.end(), [](const OpRow& a, const OpRow& b) { return a.name < b.name; });
    return made;
  }();
  return rows;
}

}  // namespace mlc::ir
