// SPDX-License-Identifier: Apache-2.0
#include "ir/registry/classic_names.h"

#include <deque>
#include <unordered_map>
#include <vector>

#include "ir/core/split_words.h"

namespace mlc::ir {
namespace {

using enum ClassicName::Kind;

// Names that moved together, from below one path to below another.
struct Moved {
  ClassicName::Kind kind;
  std::string_view from, to, names;
};
constexpr Moved moved[] = {
    {kString, "tir.", "tirx.",
     "noalias is_entry_func is_global_func is_host_func is_scheduled UnrollLoop RemoveNoOp "
     "HoistIfThenElseExprWithBlock add_lower_pass debug_keep_trivial_loop disable_assert disable_cse_tir "
     "disable_storage_rewrite "
     "disable_vectorize enable_buffer_level_predication enable_debug instrument_bound_checkers "
     "instrument_lwp merge_static_smem use_async_copy vtcm_capacity"},
    {kString, "tir.", "s_tir.", "LoopPartition HoistExpression HoistIfThenElse InjectDoubleBuffer"},
    {kPath, "tvm.tir.", "tvm.s_tir.",
     "Schedule ScheduleError schedule TensorIntrin tensor_intrin StmtSRef ScheduleState "
     "MatchBufferRegion SBlock SBlockRealize"},
    {kPath, "tvm.tir.transform.", "tvm.s_tir.transform.",
     "AnnotateIrregularLoop CompactBufferAllocation ConvertBlocksToOpaque DefaultGPUSchedule "
     "HoistExpression HoistIfThenElse InjectDoubleBuffer InjectPTXAsyncCopy InjectSoftwarePipeline "
     "InjectVirtualThread LiftThreadBinding LoopPartition LowerAutoCopy LowerCrossThreadReduction "
     "LowerInitBlock LowerMatchBuffer LowerOpaqueBlock LowerThreadAllreduce "
     "ManifestSharedMemoryLocalStage MergeSharedMemoryAllocations PlanAndUpdateBufferAllocationLocation "
     "RenormalizeSplitPattern RewriteUnsafeSelect ThreadSync TransformMmaBufferLayout UnifyThreadBinding "
     "UseAssumeToReduceBranches DecorateDeviceScope InferFragment InjectPermutedLayout InjectPTXLDG32 "
     "InstrumentBoundCheckers InstrumentProfileIntrinsics LowerAsyncDMA LowerVtcmAlloc RemoveStoreUndef "
     "RemoveWeightLayoutRewriteBlock VerifyVTCMLimit"},
    {kPath, "tvm.tir.analysis.", "tvm.s_tir.analysis.",
     "verify_gpu_code calculate_allocated_bytes detect_buffer_access_lca estimate_tir_flops OOBChecker "
     "is_pure_function assert_pure_function get_vtcm_compaction_passes"},
    {kPath, "tvm.contrib.", "tvm.support.", "cc clang emcc ndk nvcc popen_pool rocm tar utils xcode"},
    {kPath, "tvm.relax.backend.contrib.", "tvm.relax.backend.cuda.", "cublas cudnn cutlass"},
    {kPath, "tvm.relax.backend.contrib.", "tvm.relax.backend.rocm.", "hipblas"},
    {kPath, "tvm.script.tirx.", "tvm.script.tirx.metal.",
     "make_filled_simdgroup_matrix simdgroup_load simdgroup_multiply_accumulate simdgroup_store"},
};

constexpr ClassicName classic_names_table[] = {
    // 2026-03: tir became tirx
    {kPath, "tvm.tir", "tvm.tirx"},
    {kPath, "tvm.script.tir", "tvm.script.tirx"},
    {kString, "tir.Simplify", "tirx.StmtSimplify"},
    {kString, "tir.ptx_ldg32", "tirx.s_tir.ldg32"},
    // 2026-02: schedules and what belongs to them moved to s_tir
    {kPath, "tvm.tir.schedule.Schedule", "tvm.s_tir.Schedule"},
    {kPath, "tvm.tir.schedule.ScheduleError", "tvm.s_tir.ScheduleError"},
    {kPath, "tvm.tir.function.TensorIntrin", "tvm.s_tir.TensorIntrin"},
    {kPath, "tvm.meta_schedule", "tvm.s_tir.meta_schedule"},
    {kPath, "tvm.s_tir.meta_schedule.utils.derived_object", "tvm.ir.utils.derived_object"},
    {kPath, "tvm.s_tir.meta_schedule.derived_object", "tvm.ir.utils.derived_object"},
    {kPath, "tvm.dlight", "tvm.s_tir.dlight"},
    {kPath, "tvm.script.parser.tir", "tvm.script.parser.tirx"},
    {kPath, "tvm.tir.analysis.get_block_access_region", "tvm.s_tir.analysis.get_sblock_access_region"},
    {kPath, "tvm.tir.analysis.get_block_read_write_region",
     "tvm.s_tir.analysis.get_sblock_read_write_region"},
    {kPath, "tvm.tir.analysis.find_anchor_block", "tvm.s_tir.analysis.find_anchor_sblock"},
    {kPath, "tvm.tir.BlockScope", "tvm.s_tir.SBlockScope"},
    {kPath, "tvm.s_tir.schedule.BlockRV", "tvm.s_tir.schedule.SBlockRV"},
    {kPath, "tvm.s_tir.schedule.schedule.BlockRV", "tvm.s_tir.schedule.SBlockRV"},
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
    {kPath, "tvm.tir.stmt", "tvm.tir"},
    {kPath, "tvm.tir.expr", "tvm.tir"},
    {kPath, "tvm.tir.Block", "tvm.s_tir.SBlock"},
    {kPath, "tvm.tir.stmt_functor.renew_defs", "tvm.s_tir.renew_defs"},
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
    {kMethod, "map_ndarray", "map_tensor"},
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
    {kPath, "tvm.script.relax.emit_with_sinfo", "tvm.script.relax.emit_with_type"},
    {kPath, "tvm.relax.vm.build", "tvm.relax.build"},
    {kPath, "tvm.relax.op.relu", "tvm.relax.op.nn.relu"},
    {kPath, "tvm.relax.op.softmax", "tvm.relax.op.nn.softmax"},
    {kPath, "tvm.script.relax.relu", "tvm.script.relax.nn.relu"},
    {kPath, "tvm.script.relax.softmax", "tvm.script.relax.nn.softmax"},
    {kPath, "tvm.runtime.relax_vm", "tvm.runtime.vm"},
    {kPath, "tvm.relax.Executable", "tvm.relax.VMExecutable"},
    {kSynonym, "tvm.relax.StructInfo", "tvm.ir.Type"},
    {kSynonym, "tvm.relax.StringImm", "tvm.ir.StringImm"},
    {kSynonym, "tvm.relax.Constant", "tvm.ir.Constant"},
    {kSynonym, "tvm.relax.expr.Constant", "tvm.ir.Constant"},
    {kSynonym, "tvm.relax.expr.Call", "tvm.ir.Call"},
    {kSynonym, "tvm.relax.expr.StringImm", "tvm.ir.StringImm"},
    {kKeyword, "out_sinfo", "out_ty"},
    {kKeyword, "sinfo_args", "ty_args"},
    {kKeyword, "struct_info", "ty"},
    {kKeyword, "ret_struct_info", "ret_ty"},
    {kAttribute, "struct_info", "ty"},
    {kAttribute, "struct_info_", "ty"},
    {kAttribute, "ret_struct_info", "ret_ty"},
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
    {kRemoved, "tvm.te.decl_tensor_intrin",
     "te schedules were removed; `tvm.s_tir.TensorIntrin.register` and `sch.tensorize` take their place"},
    {kRemoved, "tvm.tirx.StmtExprMutator", "functions are rewritten with `tvm_ffi.structural_map` now"},
    {kRemoved, "tvm.tirx.StmtMutator", "functions are rewritten with `tvm_ffi.structural_map` now"},
    {kRemoved, "tvm.tirx.StmtExprVisitor", "functions are walked with `tvm_ffi.structural_walk` now"},
    {kRemoved, "tvm.tirx.StmtVisitor", "functions are walked with `tvm_ffi.structural_walk` now"},
    {kRemoved, "tvm.tirx.PyStmtExprMutator", "functions are rewritten with `tvm_ffi.structural_map` now"},
    {kRemoved, "tvm.tirx.PyStmtExprVisitor", "functions are walked with `tvm_ffi.structural_walk` now"},
    {kRemoved, "tvm.tirx.functor",
     "functions are walked with `tvm_ffi.structural_walk` and rewritten with `tvm_ffi.structural_map` now"},
    {kRemoved, "tvm.relax.DynTensorType",
     "a variable has one annotation now: `relax.Var(\"x\", relax.TensorType((1, 784), \"float32\"))`"},
    {kRemoved, "tvm.relax.op.dense", "write `relax.op.matmul(x, relax.op.permute_dims(w))`"},
    {kRemoved, "tvm.relax.op.nn.dense", "write `relax.op.matmul(x, relax.op.permute_dims(w))`"},
    {kRemoved, "tvm.script.relax.dense", "write `R.matmul(x, R.permute_dims(w))`"},
    {kRemoved, "tvm.script.relax.nn.dense", "write `R.matmul(x, R.permute_dims(w))`"},
    {kRemoved, "tvm.s_tir.meta_schedule.TuneConfig",
     "its fields are arguments of `tune_tir` now: `max_trials_global=64, num_trials_per_iter=64`"},
    {kRemoved, "tvm.s_tir.meta_schedule.ReplayTraceConfig",
     "`tune_tir` takes `strategy=\"replay-trace\"` and the numbers of trials now"},
    {kRemoved, "tvm.s_tir.meta_schedule.ReplayFuncConfig",
     "`tune_tir` takes `strategy=\"replay-func\"` and the numbers of trials now"},
    {kRemoved, "tvm.s_tir.meta_schedule.EvolutionarySearchConfig",
     "`tune_tir` takes `strategy=\"evolutionary\"` and the numbers of trials now"},
    {kRemoved, "tvm.s_tir.meta_schedule.ApplyHistoryBest",
     "`relax.transform.MetaScheduleApplyDatabase` applies what a database knows"},
    {kRemoved, "tvm._ffi", "it became the package `tvm_ffi`"},
    {kRemoved, "tvm.contrib.graph_runtime",
     "the graph executor was removed in 2025; use `tvm.relax.VirtualMachine`"},
    {kRemoved, "vta", "VTA was removed in 2025"},
    {kRemovedMethod, "set_axis_separator", "axis separators were removed in 2026: leave it out"},
    {kRemovedKeyword, "axis_separators", "axis separators were removed in 2026: leave it out"},
    {kRemovedKeyword, "buffer_type", "buffers broadcast no longer: leave it out"},
    {kRemovedKeyword, "buffer_map", "a parameter is its buffer now: leave it out"},
    {kRemovedKeyword, "tir_vars", "scalars are given among the arguments now"},
    {kRemoved, "tvm.script.tirx.load", "loads are written `A[i]`"},
    {kRemoved, "tvm.script.tirx.store", "stores are written `A[i] = value`"},
};

const std::unordered_map<std::string_view, const ClassicName*>& paths() {
  static const auto* map = [] {
    auto* made = new std::unordered_map<std::string_view, const ClassicName*>;
    for (const ClassicName& row : classic_names()) {
      if (row.kind == kPath || row.kind == kSynonym) made->emplace(row.from, &row);
    }
    return made;
  }();
  return *map;
}

}  // namespace

std::span<const ClassicName> classic_names() {
  static const std::vector<ClassicName> all = [] {
    static std::deque<std::string> texts;  // what the rows of moved names are views of
    std::vector<ClassicName> made(std::begin(classic_names_table), std::end(classic_names_table));
    for (const Moved& row : moved) {
      each_word(row.names, [&](std::string_view name) {
        auto below = [&](std::string_view path) {
          return std::string_view(texts.emplace_back(path).append(name));
        };
        made.push_back({row.kind, below(row.from), below(row.to)});
      });
    }
    return made;
  }();
  return all;
}

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
  for (const ClassicName& row : classic_names()) {
    if (row.kind == kind && row.from == from) return &row;
  }
  return nullptr;
}

std::string_view removed_method(std::string_view name) {
  const ClassicName* row = find_classic(ClassicName::Kind::kRemovedMethod, name);
  return row != nullptr ? row->to : std::string_view();
}

}  // namespace mlc::ir
