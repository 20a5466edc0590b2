// SPDX-License-Identifier: Apache-2.0
#include "ir/registry/classic_names.h"

#include <unordered_map>

namespace mlc::ir {
namespace {

using enum ClassicName::Kind;

constexpr ClassicName rows[] = {
    // 2026-03: tir became tirx
    {kPath, "tvm.tir", "tvm.tirx"},
    {kPath, "tvm.script.tir", "tvm.script.tirx"},
    {kString, "tir.noalias", "tirx.noalias"},
    {kString, "tir.is_entry_func", "tirx.is_entry_func"},
    {kString, "tir.is_global_func", "tirx.is_global_func"},
    {kString, "tir.is_host_func", "tirx.is_host_func"},
    {kString, "tir.is_scheduled", "tirx.is_scheduled"},
    {kString, "tir.UnrollLoop", "tirx.UnrollLoop"},
    {kString, "tir.RemoveNoOp", "tirx.RemoveNoOp"},
    {kString, "tir.Simplify", "tirx.StmtSimplify"},
    {kString, "tir.LoopPartition", "s_tir.LoopPartition"},
    {kString, "tir.HoistExpression", "s_tir.HoistExpression"},
    {kString, "tir.HoistIfThenElse", "s_tir.HoistIfThenElse"},
    {kString, "tir.InjectDoubleBuffer", "s_tir.InjectDoubleBuffer"},
    {kString, "tir.ptx_ldg32", "tirx.s_tir.ldg32"},
    {kString, "tir.add_lower_pass", "tirx.add_lower_pass"},
    {kString, "tir.debug_keep_trivial_loop", "tirx.debug_keep_trivial_loop"},
    {kString, "tir.disable_assert", "tirx.disable_assert"},
    {kString, "tir.disable_cse_tir", "tirx.disable_cse_tir"},
    {kString, "tir.disable_storage_rewrite", "tirx.disable_storage_rewrite"},
    {kString, "tir.disable_vectorize", "tirx.disable_vectorize"},
    {kString, "tir.enable_buffer_level_predication", "tirx.enable_buffer_level_predication"},
    {kString, "tir.enable_debug", "tirx.enable_debug"},
    {kString, "tir.instrument_bound_checkers", "tirx.instrument_bound_checkers"},
    {kString, "tir.instrument_lwp", "tirx.instrument_lwp"},
    {kString, "tir.merge_static_smem", "tirx.merge_static_smem"},
    {kString, "tir.use_async_copy", "tirx.use_async_copy"},
    {kString, "tir.vtcm_capacity", "tirx.vtcm_capacity"},
    // 2026-02: schedules and what belongs to them moved to s_tir
    {kPath, "tvm.tir.Schedule", "tvm.s_tir.Schedule"},
    {kPath, "tvm.tir.ScheduleError", "tvm.s_tir.ScheduleError"},
    {kPath, "tvm.tir.schedule", "tvm.s_tir.schedule"},
    {kPath, "tvm.tir.schedule.Schedule", "tvm.s_tir.Schedule"},
    {kPath, "tvm.tir.schedule.ScheduleError", "tvm.s_tir.ScheduleError"},
    {kPath, "tvm.tir.TensorIntrin", "tvm.s_tir.TensorIntrin"},
    {kPath, "tvm.tir.function.TensorIntrin", "tvm.s_tir.TensorIntrin"},
    {kPath, "tvm.tir.tensor_intrin", "tvm.s_tir.tensor_intrin"},
    {kPath, "tvm.meta_schedule", "tvm.s_tir.meta_schedule"},
    {kPath, "tvm.dlight", "tvm.s_tir.dlight"},
    {kPath, "tvm.tir.transform.AnnotateIrregularLoop", "tvm.s_tir.transform.AnnotateIrregularLoop"},
    {kPath, "tvm.tir.transform.CompactBufferAllocation", "tvm.s_tir.transform.CompactBufferAllocation"},
    {kPath, "tvm.tir.transform.ConvertBlocksToOpaque", "tvm.s_tir.transform.ConvertBlocksToOpaque"},
    {kPath, "tvm.tir.transform.DefaultGPUSchedule", "tvm.s_tir.transform.DefaultGPUSchedule"},
    {kPath, "tvm.tir.transform.HoistExpression", "tvm.s_tir.transform.HoistExpression"},
    {kPath, "tvm.tir.transform.HoistIfThenElse", "tvm.s_tir.transform.HoistIfThenElse"},
    {kPath, "tvm.tir.transform.InjectDoubleBuffer", "tvm.s_tir.transform.InjectDoubleBuffer"},
    {kPath, "tvm.tir.transform.InjectPTXAsyncCopy", "tvm.s_tir.transform.InjectPTXAsyncCopy"},
    {kPath, "tvm.tir.transform.InjectSoftwarePipeline", "tvm.s_tir.transform.InjectSoftwarePipeline"},
    {kPath, "tvm.tir.transform.InjectVirtualThread", "tvm.s_tir.transform.InjectVirtualThread"},
    {kPath, "tvm.tir.transform.LiftThreadBinding", "tvm.s_tir.transform.LiftThreadBinding"},
    {kPath, "tvm.tir.transform.LoopPartition", "tvm.s_tir.transform.LoopPartition"},
    {kPath, "tvm.tir.transform.LowerAutoCopy", "tvm.s_tir.transform.LowerAutoCopy"},
    {kPath, "tvm.tir.transform.LowerCrossThreadReduction", "tvm.s_tir.transform.LowerCrossThreadReduction"},
    {kPath, "tvm.tir.transform.LowerInitBlock", "tvm.s_tir.transform.LowerInitBlock"},
    {kPath, "tvm.tir.transform.LowerMatchBuffer", "tvm.s_tir.transform.LowerMatchBuffer"},
    {kPath, "tvm.tir.transform.LowerOpaqueBlock", "tvm.s_tir.transform.LowerOpaqueBlock"},
    {kPath, "tvm.tir.transform.LowerThreadAllreduce", "tvm.s_tir.transform.LowerThreadAllreduce"},
    {kPath, "tvm.tir.transform.ManifestSharedMemoryLocalStage",
     "tvm.s_tir.transform.ManifestSharedMemoryLocalStage"},
    {kPath, "tvm.tir.transform.MergeSharedMemoryAllocations",
     "tvm.s_tir.transform.MergeSharedMemoryAllocations"},
    {kPath, "tvm.tir.transform.PlanAndUpdateBufferAllocationLocation",
     "tvm.s_tir.transform.PlanAndUpdateBufferAllocationLocation"},
    {kPath, "tvm.tir.transform.RenormalizeSplitPattern", "tvm.s_tir.transform.RenormalizeSplitPattern"},
    {kPath, "tvm.tir.transform.RewriteUnsafeSelect", "tvm.s_tir.transform.RewriteUnsafeSelect"},
    {kPath, "tvm.tir.transform.ThreadSync", "tvm.s_tir.transform.ThreadSync"},
    {kPath, "tvm.tir.transform.TransformMmaBufferLayout", "tvm.s_tir.transform.TransformMmaBufferLayout"},
    {kPath, "tvm.tir.transform.UnifyThreadBinding", "tvm.s_tir.transform.UnifyThreadBinding"},
    {kPath, "tvm.tir.transform.UseAssumeToReduceBranches", "tvm.s_tir.transform.UseAssumeToReduceBranches"},
    {kPath, "tvm.tir.transform.DecorateDeviceScope", "tvm.s_tir.transform.DecorateDeviceScope"},
    {kPath, "tvm.tir.transform.InferFragment", "tvm.s_tir.transform.InferFragment"},
    {kPath, "tvm.tir.transform.InjectPermutedLayout", "tvm.s_tir.transform.InjectPermutedLayout"},
    {kPath, "tvm.tir.transform.InjectPTXLDG32", "tvm.s_tir.transform.InjectPTXLDG32"},
    {kPath, "tvm.tir.transform.InstrumentBoundCheckers", "tvm.s_tir.transform.InstrumentBoundCheckers"},
    {kPath, "tvm.tir.transform.InstrumentProfileIntrinsics",
     "tvm.s_tir.transform.InstrumentProfileIntrinsics"},
    {kPath, "tvm.tir.transform.LowerAsyncDMA", "tvm.s_tir.transform.LowerAsyncDMA"},
    {kPath, "tvm.tir.transform.LowerVtcmAlloc", "tvm.s_tir.transform.LowerVtcmAlloc"},
    {kPath, "tvm.tir.transform.RemoveStoreUndef", "tvm.s_tir.transform.RemoveStoreUndef"},
    {kPath, "tvm.tir.transform.RemoveWeightLayoutRewriteBlock",
     "tvm.s_tir.transform.RemoveWeightLayoutRewriteBlock"},
    {kPath, "tvm.tir.transform.VerifyVTCMLimit", "tvm.s_tir.transform.VerifyVTCMLimit"},
    {kPath, "tvm.tir.analysis.verify_gpu_code", "tvm.s_tir.analysis.verify_gpu_code"},
    {kPath, "tvm.tir.analysis.calculate_allocated_bytes", "tvm.s_tir.analysis.calculate_allocated_bytes"},
    {kPath, "tvm.tir.analysis.detect_buffer_access_lca", "tvm.s_tir.analysis.detect_buffer_access_lca"},
    {kPath, "tvm.tir.analysis.estimate_tir_flops", "tvm.s_tir.analysis.estimate_tir_flops"},
    {kPath, "tvm.tir.analysis.OOBChecker", "tvm.s_tir.analysis.OOBChecker"},
    {kPath, "tvm.tir.analysis.is_pure_function", "tvm.s_tir.analysis.is_pure_function"},
    {kPath, "tvm.tir.analysis.assert_pure_function", "tvm.s_tir.analysis.assert_pure_function"},
    {kPath, "tvm.tir.analysis.get_vtcm_compaction_passes", "tvm.s_tir.analysis.get_vtcm_compaction_passes"},
    {kPath, "tvm.tir.analysis.get_block_access_region", "tvm.s_tir.analysis.get_sblock_access_region"},
    {kPath, "tvm.tir.analysis.get_block_read_write_region",
     "tvm.s_tir.analysis.get_sblock_read_write_region"},
    {kPath, "tvm.tir.analysis.find_anchor_block", "tvm.s_tir.analysis.find_anchor_sblock"},
    {kPath, "tvm.tir.StmtSRef", "tvm.s_tir.StmtSRef"},
    {kPath, "tvm.tir.ScheduleState", "tvm.s_tir.ScheduleState"},
    {kPath, "tvm.tir.MatchBufferRegion", "tvm.s_tir.MatchBufferRegion"},
    {kPath, "tvm.tir.BlockScope", "tvm.s_tir.SBlockScope"},
    {kPath, "tvm.s_tir.schedule.BlockRV", "tvm.s_tir.schedule.SBlockRV"},
    {kPath, "tvm.tir.schedule.BlockScope", "tvm.s_tir.SBlockScope"},
    {kPath, "tvm.tir.Layout", "tvm.s_tir.SLayout"},
    {kPath, "tvm.tir.layout", "tvm.s_tir.slayout"},
    {kPath, "tvm.tir.BijectiveLayout", "tvm.s_tir.SBijectiveLayout"},
    {kPath, "tvm.tir.bijective_layout", "tvm.s_tir.sbijective_layout"},
    {kPath, "tvm.tir.transform.CommonSubexprElimTIR", "tvm.tirx.transform.CommonSubexprElim"},
    // 2026-05
    {kPath, "tvm.tir.transform.Simplify", "tvm.tirx.transform.StmtSimplify"},
    // 2026-01: blocks became sblocks
    {kPath, "tvm.script.tirx.block", "tvm.script.tirx.sblock"},
    {kPath, "tvm.script.tirx.block_attr", "tvm.script.tirx.sblock_attr"},
    {kPath, "tvm.script.tirx.LetStmt", "tvm.script.tirx.bind"},
    {kPath, "tvm.tir.Block", "tvm.s_tir.SBlock"},
    {kPath, "tvm.tir.BlockRealize", "tvm.s_tir.SBlockRealize"},
    {kMethod, "get_block", "get_sblock"},
    {kMethod, "astext", "script"},
    {kMethod, "get_source", "inspect_source"},
    {kAttribute, "imported_modules", "imports"},
    // 2026-07: a size is a variable, and an expression has its type
    {kSynonym, "tvm.tir.SizeVar", "tvm.tirx.Var"},
    {kSynonym, "tvm.script.tirx.SizeVar", "tvm.script.tirx.Var"},
    {kSynonym, "tvm.script.tirx.size_var", "tvm.script.tirx.var"},
    {kSynonym, "tvm.script.tirx.power", "tvm.script.tirx.pow"},
    {kSynonym, "tvm.te.size_var", "tvm.te.var"},
    {kSynonym, "tvm.tir.PrimExpr", "tvm.ir.Expr"},
    {kSynonym, "tvm.ir.PrimExpr", "tvm.ir.Expr"},
    {kSynonym, "tvm.tir.Call", "tvm.ir.Call"},
    {kSynonym, "tvm.tir.StringImm", "tvm.ir.StringImm"},
    {kSynonym, "tvm.ir.structural_equal", "tvm_ffi.structural_equal"},
    {kSynonym, "tvm.ir.structural_hash", "tvm_ffi.structural_hash"},
    {kSynonym, "tvm.ir.IntImm", "tvm.tirx.IntImm"},
    {kSynonym, "tvm.ir.FloatImm", "tvm.tirx.FloatImm"},
    // 2026: instructions of devices moved below their devices
    {kPath, "tvm.script.tirx.ptx_ldmatrix", "tvm.script.tirx.ptx_legacy.ldmatrix"},
    {kPath, "tvm.script.tirx.ptx_mma", "tvm.script.tirx.ptx_legacy.mma"},
    {kPath, "tvm.script.tirx.ptx_cp_async", "tvm.script.tirx.s_tir.cp_async_raw.legacy"},
    {kPath, "tvm.script.tirx.mma_fill", "tvm.script.tirx.cuda.mma_fill_legacy"},
    {kPath, "tvm.script.tirx.mma_store", "tvm.script.tirx.cuda.mma_store_legacy"},
    {kPath, "tvm.script.tirx.make_filled_simdgroup_matrix",
     "tvm.script.tirx.metal.make_filled_simdgroup_matrix"},
    {kPath, "tvm.script.tirx.simdgroup_load", "tvm.script.tirx.metal.simdgroup_load"},
    {kPath, "tvm.script.tirx.simdgroup_multiply_accumulate",
     "tvm.script.tirx.metal.simdgroup_multiply_accumulate"},
    {kPath, "tvm.script.tirx.simdgroup_store", "tvm.script.tirx.metal.simdgroup_store"},
    // 2025-09: NDArray became Tensor
    {kPath, "tvm.nd.array", "tvm.runtime.tensor"},
    {kPath, "tvm.nd.empty", "tvm.runtime.empty"},
    {kPath, "tvm.nd.NDArray", "tvm.runtime.Tensor"},
    {kPath, "tvm.runtime.ndarray.array", "tvm.runtime.tensor"},
    {kPath, "tvm.runtime.ndarray.empty", "tvm.runtime.empty"},
    {kPath, "tvm.runtime.NDArray", "tvm.runtime.Tensor"},
    {kPath, "tvm.runtime.ndarray.NDArray", "tvm.runtime.Tensor"},
    {kSynonym, "tvm.nd.from_dlpack", "tvm.runtime.from_dlpack"},
    {kSynonym, "tvm.nd.cpu", "tvm.cpu"},
    {kSynonym, "tvm.nd.cuda", "tvm.cuda"},
    {kSynonym, "tvm.nd.device", "tvm.device"},
    {kSynonym, "tvm.gpu", "tvm.cuda"},
    {kPath, "tvm.target.create", "tvm.target.Target"},
    {kPath, "tvm.topi.util", "tvm.topi.utils"},
    {kPath, "tvm.topi.nn.util", "tvm.topi.nn.utils"},
    {kPath, "tvm.ir.supply.NameSupply", "tvm.ir.supply.UniqueNameSupply"},
    {kPath, "tvm.ir.NameSupply", "tvm.ir.UniqueNameSupply"},
    // the functions of a module by the names under which they are registered
    {kSynonym, "tvm.s_tir.analysis._ffi_api", "tvm.s_tir.analysis"},
    {kSynonym, "tvm.s_tir.transform._ffi_api", "tvm.s_tir.transform"},
    {kSynonym, "tvm.tirx.analysis._ffi_api", "tvm.tirx.analysis"},
    {kSynonym, "tvm.tirx.transform._ffi_api", "tvm.tirx.transform"},
    {kSynonym, "tvm.context", "tvm.device"},
    {kMethod, "asnumpy", "numpy"},
    // 2025: the packed functions became tvm_ffi
    {kSynonym, "tvm.register_func", "tvm.register_global_func"},
    {kSynonym, "tvm._ffi.register_func", "tvm.register_global_func"},
    {kSynonym, "tvm._ffi.get_global_func", "tvm.get_global_func"},
    {kSynonym, "tvm._ffi.register_object", "tvm.register_object"},
    {kSynonym, "tvm.convert", "tvm.runtime.convert"},
    {kSynonym, "tvm.runtime.PackedFunc", "tvm_ffi.Function"},
    // 2025: build became compile
    {kPath, "tvm.build", "tvm.compile"},
    {kPath, "tvm.driver.build", "tvm.compile"},
    // 2026-08
    {kPath, "tvm.arith", "tvm.sym"},
    // 2026-06: StructInfo became Type
    {kPath, "tvm.script.relax.Object", "tvm.script.relax.Any"},
    {kPath, "tvm.relax.TensorStructInfo", "tvm.relax.TensorType"},
    {kPath, "tvm.relax.ShapeStructInfo", "tvm.relax.ShapeType"},
    {kPath, "tvm.relax.TupleStructInfo", "tvm.relax.TupleType"},
    {kPath, "tvm.relax.FuncStructInfo", "tvm.relax.FuncType"},
    {kPath, "tvm.relax.ObjectStructInfo", "tvm.relax.AnyType"},
    {kPath, "tvm.relax.struct_info", "tvm.relax"},
    {kPath, "tvm.relax.analysis.struct_info_base_check", "tvm.relax.analysis.type_base_check"},
    {kPath, "tvm.relax.analysis.struct_info_lca", "tvm.relax.analysis.type_lca"},
    {kPath, "tvm.relax.analysis.definable_tir_vars_in_struct_info",
     "tvm.relax.analysis.definable_tir_vars_in_type"},
    {kPath, "tvm.relax.analysis.tir_vars_in_struct_info", "tvm.relax.analysis.tir_vars_in_type"},
    {kPath, "tvm.script.relax.func_ret_struct_info", "tvm.script.relax.func_ret_type"},
    {kPath, "tvm.runtime.relax_vm", "tvm.runtime.vm"},
    {kSynonym, "tvm.relax.StructInfo", "tvm.ir.Type"},
    {kSynonym, "tvm.relax.StringImm", "tvm.ir.StringImm"},
    {kSynonym, "tvm.relax.Constant", "tvm.ir.Constant"},
    {kKeyword, "out_sinfo", "out_ty"},
    {kKeyword, "sinfo_args", "ty_args"},
    {kAttribute, "struct_info", "ty"},
    {kAttribute, "sinfo_args", "ty_args"},
    // numpy, before its version 2
    {kPath, "numpy.Inf", "numpy.inf"},
    {kPath, "numpy.Infinity", "numpy.inf"},
    {kPath, "numpy.infty", "numpy.inf"},
    {kPath, "numpy.PINF", "numpy.inf"},
    {kPath, "numpy.NaN", "numpy.nan"},
    {kPath, "numpy.NAN", "numpy.nan"},
    {kPath, "numpy.float", "numpy.float64"},
    {kPath, "numpy.float_", "numpy.float64"},
    {kPath, "numpy.int", "numpy.int64"},
    {kPath, "numpy.bool8", "numpy.bool_"},
    {kPath, "numpy.product", "numpy.prod"},
    {kPath, "numpy.cumproduct", "numpy.cumprod"},
    {kPath, "numpy.alltrue", "numpy.all"},
    {kPath, "numpy.sometrue", "numpy.any"},
    {kPath, "numpy.round_", "numpy.round"},
    {kPath, "numpy.row_stack", "numpy.vstack"},
    // without a successor
    {kRemoved, "tvm.relay", "Relay was removed in 2025; Relax takes its place"},
    {kRemoved, "tvm.te.create_schedule",
     "te schedules were removed; make a function with `te.create_prim_func` and "
     "schedule it with `tvm.s_tir.Schedule`"},
    {kRemoved, "tvm.contrib.graph_executor",
     "the graph executor was removed in 2025; use `tvm.relax.VirtualMachine`"},
    {kRemoved, "tvm.micro", "microTVM was removed in 2025"},
    {kRemoved, "tvm.autotvm", "AutoTVM was removed in 2025; use `tvm.s_tir.meta_schedule`"},
    {kRemoved, "tvm.auto_scheduler", "the auto-scheduler was removed in 2025; use `tvm.s_tir.meta_schedule`"},
    {kRemoved, "tvm.lower", "`tvm.lower` was removed; apply the passes that are wanted"},
    {kRemoved, "tvm.tirx.stmt_functor",
     "functions are walked with `tvm_ffi.structural_walk` and `tvm_ffi.structural_map` now"},
    {kRemoved, "tvm.script.registry",
     "it was removed in 2022; functions of the program are called in TVMScript as they are"},
    {kRemoved, "tvm.topi.utils.traverse_inline",
     "te schedules were removed; `tvm.s_tir.Schedule` has `compute_inline`"},
    {kRemoved, "tvm.target.hexagon", "a target is a dict now: `tvm.target.Target({\"kind\": \"hexagon\"})`"},
    {kRemoved, "tvm.target.cuda", "a target is a dict now: `tvm.target.Target({\"kind\": \"cuda\"})`"},
    {kRemoved, "tvm.target.rocm", "a target is a dict now: `tvm.target.Target({\"kind\": \"rocm\"})`"},
    {kRemoved, "tvm.target.mali", "a target is a dict now: `tvm.target.Target({\"kind\": \"opencl\"})`"},
    {kRemoved, "tvm.target.arm_cpu", "a target is a dict now: `tvm.target.Target({\"kind\": \"llvm\"})`"},
    {kRemoved, "tvm.target.riscv_cpu", "a target is a dict now: `tvm.target.Target({\"kind\": \"llvm\"})`"},
    {kRemoved, "tvm.target.intel_graphics",
     "a target is a dict now: `tvm.target.Target({\"kind\": \"opencl\"})`"},
    {kRemoved, "tvm.topi.arm_cpu", "schedules of targets were removed in 2025"},
    {kRemoved, "tvm.topi.x86", "schedules of targets were removed in 2025"},
    {kRemoved, "tvm.topi.cuda", "schedules of targets were removed in 2025"},
    {kRemoved, "tvm.topi.generic", "schedules of targets were removed in 2025"},
    {kRemoved, "tvm.script.tirx.allocate_const", "constants are arguments or module constants now"},
    {kRemoved, "tvm.script.tirx.preflattened_buffer",
     "buffers keep their shapes; declare the one that is meant"},
    {kRemoved, "tvm.script.tirx.realize",
     "`BufferRealize` was removed in 2026; allocate with `T.alloc_buffer`"},
    {kRemoved, "tvm.script.tirx.prefetch", "`Prefetch` was removed in 2026"},
    {kRemoved, "tvm.script.tirx.ptx_cp_async_bulk",
     "it is `T.ptx.cp.async_.bulk` now, with the operands of the PTX manual"},
    {kRemoved, "tvm.script.tirx.ptx_commit_group",
     "it is `T.ptx.cp.async_.commit_group` now, with the operands of the PTX manual"},
    {kRemoved, "tvm.script.tirx.ptx_wait_group",
     "it is `T.ptx.cp.async_.wait_group` now, with the operands of the PTX manual"},
    {kRemoved, "tvm.tirx.Allocate",
     "`Allocate` was removed in 2026; `tvm.tirx.AllocBuffer` is a statement of its own"},
    {kRemoved, "tvm.tirx.AllocateConst", "`AllocateConst` was removed in 2026; constants are arguments"},
    {kRemoved, "tvm.tirx.BufferRealize",
     "`BufferRealize` was removed in 2026; allocate with `tvm.tirx.AllocBuffer`"},
    {kRemoved, "tvm.tirx.ProducerStore", "`ProducerStore` was removed in 2026; store to a buffer"},
    {kRemoved, "tvm.tirx.ProducerRealize", "`ProducerRealize` was removed in 2026; allocate a buffer"},
    {kRemoved, "tvm.tirx.Prefetch", "`Prefetch` was removed in 2026"},
    {kRemoved, "tvm.tirx.ir_builder",
     "the builder of 2017 was removed; write the function, or use `tvm.script.ir_builder`"},
    {kRemoved, "tvm.relax.PrimValue",
     "an expression of integers is an argument as it is now: leave out `PrimValue`"},
    {kRemoved, "tvm.relax.DataTypeImm",
     "the name of the data type is the argument now: leave out `DataTypeImm`"},
    {kRemoved, "tvm.relax.PrimStructInfo", "it is `tvm.ir.PrimType` now, of a data type alone"},
    {kRemoved, "tvm._ffi", "it became the package `tvm_ffi`"},
    {kRemoved, "tvm.contrib.graph_runtime",
     "the graph executor was removed in 2025; use `tvm.relax.VirtualMachine`"},
    {kRemoved, "vta", "VTA was removed in 2025"},
    {kRemovedMethod, "set_axis_separator", "axis separators were removed in 2026: leave it out"},
    {kRemovedKeyword, "axis_separators", "axis separators were removed in 2026: leave it out"},
    {kRemovedKeyword, "buffer_type", "buffers broadcast no longer: leave it out"},
    {kRemovedKeyword, "tir_vars", "scalars are given among the arguments now"},
    {kRemoved, "tvm.script.tirx.load", "loads are written `A[i]`"},
    {kRemoved, "tvm.script.tirx.store", "stores are written `A[i] = value`"},
};

const std::unordered_map<std::string_view, const ClassicName*>& paths() {
  static const auto* map = [] {
    auto* made = new std::unordered_map<std::string_view, const ClassicName*>;
    for (const ClassicName& row : rows) {
      if (row.kind == kPath || row.kind == kSynonym) made->emplace(row.from, &row);
    }
    return made;
  }();
  return *map;
}

}  // namespace

std::span<const ClassicName> classic_names() { return rows; }

std::string current_path(std::string_view path) {
  std::string current(path);
  for (int step = 0; step < 8; ++step) {
    size_t end = current.size();
    bool found = false;
    while (true) {
      auto row = paths().find(std::string_view(current).substr(0, end));
      if (row != paths().end()) {
        current = std::string(row->second->to) + current.substr(end);
        found = true;
        break;
      }
      size_t dot = current.rfind('.', end - 1);
      if (dot == std::string::npos || dot == 0) break;
      end = dot;
    }
    if (!found) break;
  }
  return current;
}

const ClassicName* find_classic(ClassicName::Kind kind, std::string_view from) {
  for (const ClassicName& row : rows) {
    if (row.kind == kind && row.from == from) return &row;
  }
  return nullptr;
}

}  // namespace mlc::ir
