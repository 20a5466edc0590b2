# SPDX-License-Identifier: Apache-2.0
"""Each pass of TIR alone, with configurations that the pipelines do not use; other targets through their pipelines."""
import tvm
from tvm import s_tir, tirx
from tvm.target import Target

import script_cases
import te_cases
import topi_cases
from variants import lowered

CUDA = Target("nvidia/nvidia-a100", host="llvm")
TARGETS = {
    "opencl": Target("opencl", host="llvm"),
    "vulkan": Target("vulkan", host="llvm"),
    "metal": Target("metal", host="llvm"),
    "rocm": Target("rocm", host="llvm"),
    "webgpu": Target("webgpu", host="llvm"),
    "hexagon": Target("qcom/hexagon-v68", host="llvm"),
    "c": Target("c"),
    "sve": Target({"kind": "llvm", "mtriple": "aarch64-linux-gnu", "mattr": ["+sve", "+v9a"]}),
    "riscv": Target({"kind": "llvm", "mtriple": "riscv64-linux-gnu", "mattr": ["+v", "+m"], "mcpu": "generic-rv64"}),
    "avx512": Target({"kind": "llvm", "mcpu": "skylake-avx512"}),
}


def bound(target):
    return tirx.transform.BindTarget(target)


def passes():
    """name -> passes and the configuration under which they run."""
    tir, s = tirx.transform, s_tir.transform
    plain = {
        "AnnotateIrregularLoop": s.AnnotateIrregularLoop(), "CanonicalizeLoop": s.CanonicalizeLoop(),
        "CompactBuffer-loose": s.CompactBufferAllocation(is_strict=False), "CompactBuffer": s.CompactBufferAllocation(),
        "ConvertBlocksToOpaque": s.ConvertBlocksToOpaque(), "ConvertSSA": s.ConvertSSA(), "DecorateDeviceScope": s.DecorateDeviceScope(),
        "HoistExpression": s.HoistExpression(), "HoistIfThenElse": s.HoistIfThenElse(), "HoistIfThenElse-basic": s.HoistIfThenElse("basic"),
        "InferFragment": s.InferFragment(), "InjectDoubleBuffer": s.InjectDoubleBuffer(), "InjectPTXAsyncCopy": s.InjectPTXAsyncCopy(),
        "InjectPTXLDG32": s.InjectPTXLDG32(True), "InjectSoftwarePipeline": s.InjectSoftwarePipeline(),
        "InjectVirtualThread": s.InjectVirtualThread(), "InstrumentBoundCheckers": s.InstrumentBoundCheckers(),
        "InstrumentProfileIntrinsics": s.InstrumentProfileIntrinsics(), "LiftThreadBinding": s.LiftThreadBinding(),
        "LoopPartition": s.LoopPartition(), "LowerAsyncDMA": s.LowerAsyncDMA(), "LowerAutoCopy": s.LowerAutoCopy(),
        "LowerCrossThreadReduction": s.LowerCrossThreadReduction(), "LowerInitBlock": s.LowerInitBlock(),
        "LowerMatchBuffer": s.LowerMatchBuffer(), "LowerOpaqueBlock": s.LowerOpaqueBlock(), "LowerThreadAllreduce": s.LowerThreadAllreduce(),
        "ManifestSharedMemoryLocalStage": s.ManifestSharedMemoryLocalStage(), "MergeSharedMemory": s.MergeSharedMemoryAllocations(),
        "PlanAndUpdate": s.PlanAndUpdateBufferAllocationLocation(), "RemoveStoreUndef": s.RemoveStoreUndef(),
        "RemoveWeightLayoutRewriteBlock": s.RemoveWeightLayoutRewriteBlock(), "RenormalizeSplitPattern": s.RenormalizeSplitPattern(),
        "RewriteUnsafeSelect": s.RewriteUnsafeSelect(), "ThreadSync": s.ThreadSync("shared"), "ThreadSync-dyn": s.ThreadSync("shared.dyn"),
        "TransformMmaBufferLayout": s.TransformMmaBufferLayout(), "UnifyThreadBinding": s.UnifyThreadBinding(),
        "UseAssume": s.UseAssumeToReduceBranches(), "DefaultGPUSchedule": s.DefaultGPUSchedule(), "InjectPermutedLayout": s.InjectPermutedLayout(),
        "AnnotateEntryFunc": tir.AnnotateEntryFunc(), "BF16Compute": tir.BF16ComputeLegalize(), "BF16Storage": tir.BF16StorageLegalize(),
        "FP8Compute-16": tir.FP8ComputeLegalize("float16"), "FP8Compute": tir.FP8ComputeLegalize(), "FP8Storage": tir.FP8StorageLegalize(),
        "CSE": tir.CommonSubexprElim(), "FlattenBuffer": tir.FlattenBuffer(), "ForceNarrow": tir.ForceNarrowIndexToInt32(),
        "InlinePrivate": tir.InlinePrivateFunctions(), "LowerIntrin": tir.LowerIntrin(), "LowerTIRx": tir.LowerTIRx(),
        "LowerTIRxOpaque": tir.LowerTIRxOpaque(), "LowerTVMBuiltin": tir.LowerTVMBuiltin(), "LowerWarpMemory": tir.LowerWarpMemory(),
        "MakePackedAPI": tir.MakePackedAPI(), 
        "PointerValueTypeRewrite": tir.PointerValueTypeRewrite(), "RemoveAssume": tir.RemoveAssume(), "RemoveNoOp": tir.RemoveNoOp(),
        "SkipAssert": tir.SkipAssert(), "SplitHostDevice": tir.SplitHostDevice(), "StmtSimplify": tir.StmtSimplify(),
        "StorageRewrite": tir.StorageRewrite(), "TilePrimitiveDispatch": tir.TilePrimitiveDispatch(), "UnrollLoop": tir.UnrollLoop(),
        "Vectorize": tir.VectorizeLoop(), "Serialize": tir.VectorizeLoop(False),
    }
    for name, one in plain.items():
        yield name, [one], {}
    yield "Unroll-explicit", [tir.UnrollLoop()], {"tirx.UnrollLoop": {"auto_max_step": 64, "auto_max_depth": 8, "explicit_unroll": True}}
    yield "Unroll-annotated", [tir.UnrollLoop()], {"tirx.UnrollLoop": {"auto_max_step": 512, "explicit_unroll": False, "unroll_local_access": True}}
    yield "DoubleBuffer-split", [s.InjectDoubleBuffer()], {"s_tir.InjectDoubleBuffer": {"split_loop": 2}}
    yield "LoopPartition-const", [s.LoopPartition()], {"s_tir.LoopPartition": {
        "partition_const_loop": True, "no_unroll_loop_with_extent_one": True, "unroll_loop_with_partition_hint_no_interval": True}}
    yield "HoistExpression-all", [s.HoistExpression()], {"s_tir.HoistExpression": {"hoisted_conditionals": 31, "hoisted_let_bindings": 31}}
    yield "HoistIf-block", [s.HoistIfThenElse()], {"s_tir.HoistIfThenElse": {"support_block_scope_hoisting": True}}
    yield "Simplify-all", [tir.StmtSimplify()], {"tirx.StmtSimplify": {
        "transitively_prove_inequalities": True, "propagate_knowns_to_prove_conditional": True, "propagate_knowns_to_simplify_expressions": True,
        "convert_boolean_to_and_of_ors": True, "apply_constraints_to_boolean_branches": True}}
    yield "Profile", [s.InstrumentProfileIntrinsics()], {"s_tir.lwp_max_depth": 3, "s_tir.instr_siblings": True, "s_tir.reset_start_id": True}
    yield "Vectorize-predicated", [bound(TARGETS["sve"]), tir.VectorizeLoop()], {"tirx.enable_buffer_level_predication": True}
    yield "Pack-cuda", [bound(CUDA), tir.AnnotateEntryFunc(), tir.SplitHostDevice(), tir.MakePackedAPI()], {}
    yield "Pack-llvm", [bound(TARGETS["avx512"]), tir.AnnotateEntryFunc(), tir.MakePackedAPI(), tir.LowerTVMBuiltin(), tir.LowerIntrin()], {}
    yield "Intrin-c", [bound(TARGETS["c"]), tir.LowerIntrin()], {}
    yield "Intrin-rocm", [bound(TARGETS["rocm"]), tir.LowerIntrin()], {}
    yield "Intrin-cuda", [bound(CUDA), tir.LowerIntrin()], {"tirx.enable_fast_math": True}
    blocks = [s.LowerInitBlock(), s.PlanAndUpdateBufferAllocationLocation(), s.ConvertBlocksToOpaque(), s.CompactBufferAllocation(), s.LowerMatchBuffer()]
    opaque = [*blocks, s.InjectSoftwarePipeline(), s.LowerOpaqueBlock()]
    flat = [*opaque, tir.FlattenBuffer()]
    yield "Opaque", opaque, {}
    yield "Flat", flat, {}
    yield "Flat-vthread", [*flat, s.InjectVirtualThread(), tir.StorageRewrite()], {}
    yield "Flat-partition", [*flat, s.LoopPartition(), tir.StmtSimplify()], {"s_tir.LoopPartition": {"partition_const_loop": True}}
    yield "Flat-cse", [*flat, tir.CommonSubexprElim(), s.HoistExpression()], {}
    yield "Flat-narrow", [*flat, tir.BF16ComputeLegalize(), tir.FP8ComputeLegalize(), tir.VectorizeLoop()], {}


def alone(mod):
    for name, sequence, config in passes():
        try:
            with tvm.transform.PassContext(config=config):
                yield name, tvm.transform.Sequential(sequence)(mod)
        except Exception:  # not every function is one for this pass
            continue


def for_targets(mod, pick):
    for number, (name, target) in enumerate(TARGETS.items()):
        if pick is not None and number not in pick:
            continue
        scheduled = mod
        if target.kind.name not in ("llvm", "c", "hexagon"):
            with target:
                scheduled = s_tir.transform.DefaultGPUSchedule()(mod)
        for config_name, config in [("", {}), ("options", {
                "tirx.disable_vectorize": True, "tirx.instrument_bound_checkers": True, "tirx.use_async_copy": True,
                "tirx.instrument_lwp": True, "tirx.disable_storage_rewrite": True, "tirx.s_tir.ldg32": target.kind.name == "cuda"})]:
            with tvm.transform.PassContext(config=config):
                for stage, lowered_mod in lowered(scheduled, target):
                    if config_name or stage[:2] in ("07", "16", "21", "30", "36", "40", "42", "43", "44", "45", "46", "47", "48"):
                        yield f"{name}-{config_name}-{stage}", lowered_mod


def cases():
    for name, text in [*script_cases.texts(script_cases.FUNCTIONS), *script_cases.texts(script_cases.MODULES)]:
        def module(t=text):
            mod = tvm.script.from_source(t)
            return mod if isinstance(mod, tvm.IRModule) else tvm.IRModule({"main": mod.with_attr("global_symbol", "main")})
        yield f"pass/{name}", lambda m=module: alone(m())
        yield f"target/{name}", lambda m=module: for_targets(m(), None)
    others = [*te_cases.cases(), *topi_cases.cases()]
    for number, (name, make) in enumerate(others[7::41]):
        yield f"target/{name}", lambda m=make, n=number: for_targets(tvm.IRModule({"main": m().with_attr("global_symbol", "main")}), [n % 10, (n + 3) % 10])
