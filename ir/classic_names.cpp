// SPDX-License-Identifier: Apache-2.0
#include "ir/classic_names.h"

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
    // 2026-02: schedules and what belongs to them moved to s_tir
    {kPath, "tvm.tir.Schedule", "tvm.s_tir.Schedule"},
    {kPath, "tvm.tir.ScheduleError", "tvm.s_tir.ScheduleError"},
    {kPath, "tvm.tir.schedule", "tvm.s_tir.schedule"},
    {kPath, "tvm.tir.schedule.Schedule", "tvm.s_tir.Schedule"},
    {kPath, "tvm.tir.schedule.ScheduleError", "tvm.s_tir.ScheduleError"},
    {kPath, "tvm.tir.TensorIntrin", "tvm.s_tir.TensorIntrin"},
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
    // 2026-05
    {kPath, "tvm.tir.transform.Simplify", "tvm.tirx.transform.StmtSimplify"},
    // 2026-01: blocks became sblocks
    {kPath, "tvm.script.tirx.block", "tvm.script.tirx.sblock"},
    {kPath, "tvm.script.tirx.block_attr", "tvm.script.tirx.sblock_attr"},
    {kPath, "tvm.script.tirx.LetStmt", "tvm.script.tirx.bind"},
    {kPath, "tvm.tir.Block", "tvm.s_tir.SBlock"},
    {kPath, "tvm.tir.BlockRealize", "tvm.s_tir.SBlockRealize"},
    {kMethod, "get_block", "get_sblock"},
    // 2026: instructions of devices moved below their devices
    {kPath, "tvm.script.tirx.ptx_ldmatrix", "tvm.script.tirx.ptx_legacy.ldmatrix"},
    {kPath, "tvm.script.tirx.ptx_mma", "tvm.script.tirx.ptx_legacy.mma"},
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
    {kMethod, "asnumpy", "numpy"},
    // 2025: build became compile
    {kPath, "tvm.build", "tvm.compile"},
    {kPath, "tvm.driver.build", "tvm.compile"},
    {kPath, "tvm.relax.build", "tvm.compile"},
    // 2026-08
    {kPath, "tvm.arith", "tvm.sym"},
    // 2026-06: StructInfo became Type
    {kPath, "tvm.script.relax.Object", "tvm.script.relax.Any"},
    {kPath, "tvm.relax.TensorStructInfo", "tvm.relax.TensorType"},
    {kPath, "tvm.relax.ShapeStructInfo", "tvm.relax.ShapeType"},
    {kPath, "tvm.relax.TupleStructInfo", "tvm.relax.TupleType"},
    {kPath, "tvm.relax.FuncStructInfo", "tvm.relax.FuncType"},
    {kPath, "tvm.relax.ObjectStructInfo", "tvm.relax.AnyType"},
    {kPath, "tvm.relax.PrimStructInfo", "tvm.ir.PrimType"},
    {kKeyword, "out_sinfo", "out_ty"},
    {kKeyword, "sinfo_args", "ty_args"},
    {kAttribute, "struct_info", "ty"},
    {kAttribute, "sinfo_args", "ty_args"},
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
    {kRemoved, "tvm.script.tirx.allocate_const", "constants are arguments or module constants now"},
    {kRemoved, "tvm.script.tirx.preflattened_buffer",
     "buffers keep their shapes; declare the one that is meant"},
    {kRemoved, "tvm.script.tirx.realize",
     "`BufferRealize` was removed in 2026; allocate with `T.alloc_buffer`"},
    {kRemoved, "tvm.script.tirx.prefetch", "`Prefetch` was removed in 2026"},
    {kRemoved, "tvm.script.tirx.load", "loads are written `A[i]`"},
    {kRemoved, "tvm.script.tirx.store", "stores are written `A[i] = value`"},
};

const std::unordered_map<std::string_view, const ClassicName*>& paths() {
  static const auto* map = [] {
    auto* made = new std::unordered_map<std::string_view, const ClassicName*>;
    for (const ClassicName& row : rows) {
      if (row.kind == kPath) made->emplace(row.from, &row);
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
