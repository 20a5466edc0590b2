# SPDX-License-Identifier: Apache-2.0
"""Before and after each pass of relax.transform: every call of CALLS on the modules of relax_pass_texts.txt, on exported
networks and on drawn modules; the stages of the pipelines; operator after operator through passes of operators."""
import functools
import pathlib
import random
import re
import zlib

import tvm
import tvm_ffi
from tvm import relax, tirx
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T

import relax_instances
import relax_networks
import relax_texts

HERE = pathlib.Path(__file__).resolve().parent
LARGEST = 40_000  # characters of a text
PER_CALL = 14  # cases at which a call changed something
TRIED = 40  # modules for each call
UNCHANGED = 2  # cases at which it did not
NAMES = {"tvm": tvm, "relax": relax, "tirx": tirx, "I": I, "R": R, "T": T}
PLAIN = """AdjustMatmulOrder AllocateWorkspace AnnotateTIROpPattern AttachAttrLayoutFreeBuffers AttachGlobalSymbol BundleModelParams CallTIRRewrite
CanonicalizeBindings CombineParallelMatmul ComputePrimValue ConvertToDataflow DataflowUseInplaceCalls DeadCodeElimination DecomposeOpsForInference
DecomposeOpsForTraining EliminateCommonSubexpr ExpandMatmulOfSum ExpandTupleArguments FastMathTransform FoldBatchnormToConv2D FoldConstant FuseOps
FuseTIR FuseTransposeMatmul InlinePrivateFunctions KillAfterLastUse LambdaLift LazyGetInput LazySetOutput LazyTransformParams LegalizeOps
LiftTransformParams LowerAllocTensor LowerRuntimeBuiltin MergeCompositeFunctions Normalize NormalizeGlobalVar OptimizeLayoutTransform RealizeVDevice
RemovePurityChecking RemoveRedundantReshape RemoveUnusedOutputs RemoveUnusedParameters ReorderPermuteDimsAfterConcat ReorderTakeAfterMatmul
RewriteCUDAGraph RewriteDataflowReshape SpecializePrimFuncBasedOnCallSite SplitLayoutRewritePreproc StaticPlanBlockMemory ToMixedPrecision
ToNonDataflow TopologicalSort VMBuiltinLower VMShapeLower LowerGPUIPCAllocStorage""".split()
WITH_ARGUMENTS = {
    "BindParams": ['BindParams("main", {"w": tvm.runtime.tensor(numpy.full((8, 16), 0.5, "float32"))})'],
    "BindSymbolicVars": ['BindSymbolicVars({"n": 4})', 'BindSymbolicVars({"n": 4, "m": 8})', 'BindSymbolicVars({"n": 16}, "main")'],
    "BundleModelParams": ['BundleModelParams("base_params")'],
    "ConvertLayout": ['ConvertLayout({"relax.nn.conv2d": ["NHWC", "OHWI"]})', 'ConvertLayout({"relax.nn.conv2d": ["NHWC"]})', 'ConvertLayout({"relax.nn.conv2d": ["NCHW4c", "OIHW4o"]})'],
    "ConvertToDataflow": ["ConvertToDataflow(1)", "ConvertToDataflow(min_size=3)"],
    "DeadCodeElimination": ['DeadCodeElimination(["main"])'],
    "DecomposeOpsForInference": ['DecomposeOpsForInference("main")'],
    "EliminateCommonSubexpr": ["EliminateCommonSubexpr(call_only=True)"],
    "FuseOps": ["FuseOps(0)", "FuseOps(fuse_opt_level=1)"],
    "Gradient": ['Gradient("main")'],
    "LazyTransformParams": ['LazyTransformParams("get", "set")', 'LazyTransformParams(fset_item=None)'],
    "LegalizeOps": ['LegalizeOps(skip_ops=["relax.add", "relax.nn.conv2d"])', 'LegalizeOps({"relax.exp": lambda bb, call: bb.call_te(tvm.topi.tanh, call.args[0])})'],
    "LiftTransformParams": ["LiftTransformParams(shared_transform=True)"],
    "ToMixedPrecision": ['ToMixedPrecision(out_dtype="float16")', 'ToMixedPrecision(out_dtype="float16", fp16_input_names=["w"])'],
    "TopologicalSort": [f'TopologicalSort(order="{order}", direction="{way}")' for order in ("depth-first", "breadth-first") for way in ("from-inputs", "from-outputs")],
    "UpdateParamType": ['UpdateParamType(lambda var: relax.TensorType([4, 8], "float16") if var.name == "x" else None)'],
    "UpdateVDevice": ['UpdateVDevice(tvm.ir.VDevice({"kind": "llvm", "mtriple": "x86_64-linux-gnu"}, 1), 0)'],
    "VMShapeLower": ["VMShapeLower(emit_err_ctx=False)"],
    "IPCAllReduceRewrite": ["IPCAllReduceRewrite(1)"],
}
SEQUENCES = {
    "DispatchSortScan": 'with tvm.target.Target("llvm"):\n    return relax.backend.DispatchSortScan()(mod)',
    "DispatchSampling": 'with tvm.target.Target("llvm"):\n    return relax.backend.DispatchSampling()(mod)',
    "PropagateSharding": "return relax.distributed.transform.PropagateSharding()(mod)",
    "LowerGlobalViewToLocalView": "return relax.distributed.transform.LowerGlobalViewToLocalView()(mod)",
    "LegalizeRedistribute": "return relax.distributed.transform.LegalizeRedistribute()(mod)",
    "LowerDistIR": "return relax.distributed.transform.LowerDistIR()(mod)",
    "LegalizeOps for cuda": 'with tvm.target.Target("nvidia/nvidia-a100"):\n    return relax.transform.LegalizeOps()(mod)',
    "zero": 'return relax.get_pipeline("zero")(mod)',
    "default_build": 'with tvm.target.Target("llvm"):\n    return relax.get_pipeline("default_build")(mod)',
    "legalize and fuse": "for one in [relax.transform.LegalizeOps(), relax.transform.AnnotateTIROpPattern(), relax.transform.FuseOps()]:\n    mod = one(mod)\nreturn mod",
    "FuseOpsByPattern": '''from tvm.relax.dpl import is_op, wildcard
patterns = [("x.matmul_add", is_op("relax.add")(is_op("relax.matmul")(wildcard(), wildcard()), wildcard())), ("x.matmul", is_op("relax.matmul")(wildcard(), wildcard()))]
return relax.transform.FuseOpsByPattern(patterns)(mod)''',
    "FuseOpsByPattern conv2d": '''from tvm.relax.dpl import is_op, wildcard
patterns = [("x.conv2d_relu", is_op("relax.nn.relu")(is_op("relax.nn.conv2d")(wildcard(), wildcard()))), ("x.conv2d", is_op("relax.nn.conv2d")(wildcard(), wildcard()))]
return relax.transform.FuseOpsByPattern(patterns, bind_constants=False, annotate_codegen=True)(mod)''',
    "FuseOpsByPattern elementwise": '''from tvm.relax.dpl import is_op, wildcard
pattern = is_op("relax.exp")(wildcard()) | is_op("relax.add")(wildcard(), wildcard())
return relax.transform.MergeCompositeFunctions()(relax.transform.FuseOpsByPattern([("y.part", pattern)])(mod))''',
}
STAGES = ["LegalizeOps", "RewriteDataflowReshape", "ToNonDataflow", "RemovePurityChecking", "CallTIRRewrite", "StaticPlanBlockMemory", "RewriteCUDAGraph",
          "LowerAllocTensor", "KillAfterLastUse", "LowerRuntimeBuiltin", "ComputePrimValue", "VMShapeLower", "AttachGlobalSymbol"]
FUSION = ["DecomposeOpsForInference", "CanonicalizeBindings", "CombineParallelMatmul", "LegalizeOps", "AnnotateTIROpPattern", "FoldConstant", "FuseOps", "FuseTIR", "DeadCodeElimination"]


def call_of(expression):
    body = f"return relax.transform.{expression}(mod)"
    return "import numpy\n" + body if "numpy" in body else body


def all_calls():
    """Name of the pass, body of a function of `mod`."""
    for name in PLAIN:
        yield name, call_of(name + "()")
    for name, expressions in WITH_ARGUMENTS.items():
        for expression in expressions:
            yield name, call_of(expression)
    yield from SEQUENCES.items()


def run(call, mod):
    scope = dict(NAMES)
    exec("def apply(mod):\n" + "\n".join("    " + line for line in call.split("\n")), scope)  # noqa: S102
    return scope["apply"](mod)


@functools.lru_cache(300)
def parsed(text):
    found = tvm.script.from_source(text, check_well_formed=False)
    return found if isinstance(found, tvm.IRModule) else tvm.IRModule({"main": found})


def case(text, call):
    """Fields of a case and the module afterwards; whether anything changed."""
    before = parsed(text)
    after = run(call, before)
    expected = after.script()
    if len(expected) > 4 * LARGEST:
        return None
    fields = {"input": text, "call": call, "expected": expected}
    try:
        again = tvm.script.from_source(expected, check_well_formed=False)
        if not tvm_ffi.structural_equal(again, after, map_free_vars=True):
            fields["by_text"] = True
    except Exception:
        fields["by_text"] = True
    return fields, after, not tvm_ffi.structural_equal(before, after, map_free_vars=True)


def pool():
    """Titles and texts of modules, as TVM prints them."""
    texts = []
    for part in re.split(r"(?m)^#= ", (HERE / "relax_pass_texts.txt").read_text())[1:]:
        texts.append(part.split("\n", 1))
    for number in range(0, 700, 9):
        texts.append(["drawn", relax_texts.drawn_module(random.Random(f"relax text {number}"))])
    for title, text in texts:
        try:
            found = tvm.script.from_source(text)
            module = found if isinstance(found, tvm.IRModule) else tvm.IRModule({"main": found})
            yield title, module.script()
        except Exception as error:
            if "Program is not well-formed" not in str(error):
                print(str(error).splitlines()[0], text[:400])


def networks():
    for name, make in relax_networks.modules():
        if "124M" in name or "debug" in name or "4-float" in name:
            continue
        try:
            text = make().script()
            parsed(text)
        except Exception:
            continue
        if len(text) < LARGEST:
            yield name, text


def on_pool(name, call, texts):
    changed = unchanged = 0
    found = []
    start = zlib.crc32(call.encode()) % len(texts)
    order = sorted([*texts[start:], *texts[:start]], key=lambda item: item[0].split(" ")[0] not in name)
    for _, text in order[:TRIED]:
        if changed >= PER_CALL and unchanged >= UNCHANGED:
            break
        try:
            made = case(text, call)
        except Exception:  # not every module is one for this pass
            continue
        if made is None or "metadata[" in made[0]["input"]:
            continue
        if made[2]:
            changed += 1
        else:
            unchanged += 1
        if changed <= PER_CALL if made[2] else unchanged <= UNCHANGED:
            found.append({"suffix": f" {len(found):03}", **made[0]})
    return found


def stages(text, passes):
    """The passes one after another, each a case. A text that TVM does not read back is not the next one's input: then that
    pass belongs to the next one's call."""
    found, pending, previous = [], [], parsed(text)
    for name in passes:
        pending.append(name)
        call = call_of(name + "()") if len(pending) == 1 else "\n".join([*(f"mod = relax.transform.{one}()(mod)" for one in pending), "return mod"])
        try:
            made = case(text, call)
        except Exception:
            break
        if made is None:
            break
        fields, after, _ = made
        if not tvm_ffi.structural_equal(previous, after, map_free_vars=True):
            found.append({"suffix": " " + name, "op": name, **fields})
        previous = after
        if "by_text" not in fields:
            text, pending, previous = fields["expected"], [], parsed(fields["expected"])
    return found


def operator_texts():
    """Functions of one operator in a module, by operator: the rows as they stand."""
    for operator, parameters, calls in relax_instances.rows():
        for call in calls:
            text = relax_instances.function_text(operator, parameters, call, 0)
            if text.startswith("@R.function"):
                yield operator, text


def in_module(text):
    return tvm.IRModule({"main": tvm.script.from_source(text).with_attr("global_symbol", "main")}).script()


def of_operator(operator, text):
    """Passes whose rules are those of single operators."""
    plain = in_module(text)
    calls = {"ToMixedPrecision": call_of("ToMixedPrecision()"), "DecomposeOpsForInference": call_of("DecomposeOpsForInference()"), "DecomposeOpsForTraining": call_of("DecomposeOpsForTraining()"),
             "FastMathTransform": call_of("FastMathTransform()"), "ConvertLayout": call_of('ConvertLayout({"relax.nn.conv2d": ["NHWC", "OHWI"]})')}
    found = []
    for name, call in calls.items():
        try:
            made = case(plain, call)
        except Exception:
            continue
        if made and made[2]:
            found.append({"suffix": " " + name, "op": name, **made[0]})
    if re.search(r"\n    gv = .*\n    return gv\n$", text):
        for loss in ("R.sum(gv)", "R.sum(gv[0])"):
            lines = text.rstrip("\n").split("\n")
            body = [line for line in lines[2:] if "T.int64()" in line] + ["    with R.dataflow():"] + ["    " + line for line in lines[2:-1] if "T.int64()" not in line]
            source = "\n".join([lines[0], lines[1], *body, f"        loss = {loss}", "        R.output(loss)", "    return loss", ""])
            try:
                made = case(in_module(source), call_of('Gradient("main")'))
            except Exception:
                continue
            found.append({"suffix": " Gradient", "op": "Gradient", **made[0]})
            break
    return found


def after_convolution(operator, call, shape="1,4,6,6"):
    source = ["@R.function", 'def main(x: R.Tensor((1, 4, 8, 8), "float32"), w: R.Tensor((4, 4, 3, 3), "float32"), y: R.Tensor((1, 4, 6, 6), "float32"), v: R.Tensor((4,), "float32")):',
              "    with R.dataflow():", "        lv = R.nn.conv2d(x, w)", f"        gv = {call}", "        R.output(gv)", "    return gv", ""]
    found = []
    for expression in WITH_ARGUMENTS["ConvertLayout"]:
        made = case(in_module("\n".join(source)), call_of(expression))
        found.append({"suffix": f" {len(found)}", "op": "ConvertLayout", **made[0]})
    return found


AFTER_CONVOLUTION = """R.add(lv, y) R.multiply(lv,v) R.nn.relu(lv) R.exp(lv) R.nn.gelu(lv) R.nn.softmax(lv,axis=1) R.nn.max_pool2d(lv,2) R.nn.avg_pool2d(lv,2) R.nn.adaptive_avg_pool2d(lv,1)
R.nn.batch_norm(lv,v,v,v,v,axis=1) R.nn.layer_norm(lv,v,v,axes=[1]) R.nn.group_norm(lv,v,v,num_groups=2,channel_axis=1,axes=[2,3]) R.nn.dropout(lv) R.sum(lv,axis=[2,3]) R.mean(lv,axis=[1],keepdims=True)
R.max(lv,axis=[-1]) R.concat((lv,y),axis=1) R.split(lv,2,axis=1) R.squeeze(lv,axis=[0]) R.expand_dims(lv,axis=1) R.permute_dims(lv,axes=[0,2,3,1]) R.reshape(lv,(1,4,36)) R.flatten(lv)
R.strided_slice(lv,axes=[1],begin=[0],end=[2]) R.repeat(lv,2,axis=1) R.tile(lv,(1,2,1,1)) R.flip(lv,axis=1) R.cumsum(lv,axis=1) R.image.resize2d(lv,(12,12)) R.astype(lv,"float16") R.where(R.greater(lv,y),lv,y)
R.clip(lv,0,6) R.maximum(lv,R.const(0.0,"float32")) R.nn.leakyrelu(lv) R.nn.prelu(lv,v) R.nn.pad(lv,(0,0,0,0,1,1,1,1)) R.nn.conv2d(lv,w) R.nn.conv2d_transpose(lv,w) R.argmax(lv,axis=1) R.take(lv,R.const(0,"int64"),axis=1)
R.nn.log_softmax(lv,axis=1) R.topk(lv,k=2,axis=1) R.sort(lv,axis=1) R.nn.pixel_shuffle(lv,2) R.stack((lv,y),axis=0) R.zeros_like(lv) R.broadcast_to(lv,(2,4,6,6)) R.nn.instance_norm(lv,v,v,channel_axis=1,axes=[2,3])""".replace("(lv, y)", "(lv,y)").split()


def cases():
    texts = None

    def lazily(name, call):
        nonlocal texts
        if texts is None:
            texts = list(pool())
        return on_pool(name, call, texts)

    for number, (name, call) in enumerate(all_calls()):
        yield f"pool/{name}-{number}", name.split(" ")[0], lambda n=name, c=call: lazily(n, c)
    for number, call in enumerate(AFTER_CONVOLUTION):
        yield f"layout/{number:02}", "ConvertLayout", lambda c=call: after_convolution("", c)
    for name, text in networks():
        yield f"build/{name}", "default_build", lambda t=text: stages(t, STAGES)
        yield f"fusion/{name}", "zero", lambda t=text: stages(t, FUSION)
        if len(text) < 12_000:
            yield f"whole/{name}", "default_build", lambda t=text: [case(t, SEQUENCES["default_build"])[0]]
            yield f"whole zero/{name}", "zero", lambda t=text: [case(t, SEQUENCES["zero"])[0]]
    for number, (operator, text) in enumerate(operator_texts()):
        yield f"operator/{operator}-{number}", operator, lambda o=operator, t=text: of_operator(o, t)


def legalize_cases():
    def legalized(text):
        made = case(in_module(text), call_of("LegalizeOps()"))
        return [made[0]] if made and made[2] else []

    for number, (operator, text) in enumerate(operator_texts()):
        yield f"legalize/{operator}-{number}", operator, lambda t=text: legalized(t)
