# SPDX-License-Identifier: Apache-2.0
"""What becomes of a module: schedules of every kind, and each stage of lowering."""
import importlib
import random

import tvm
from tvm import s_tir, tirx
from tvm.s_tir import dlight
from tvm.s_tir import meta_schedule as ms
from tvm.target import Target

# `tvm.tirx.build` is the function of that name, which hides its module.
split_host_device_mods = importlib.import_module("tvm.tirx.build").split_host_device_mods
TARGETS = {
    "llvm": Target({"kind": "llvm", "num-cores": 4}),
    "cuda": Target("nvidia/nvidia-a100"),
}
GPU_RULES = "Matmul GEMV LowBatchGEMV Reduction GeneralReduction RMSNorm Transpose Fallback".split()
CPU_RULES = ["GEMV", "Reduction"]


@tvm.instrument.pass_instrument
class Collector:
    """Every module that a pass leaves, with the pass's name."""

    def __init__(self, stages):
        self.stages = stages

    def run_after_pass(self, mod, info):
        self.stages.append((info.name, mod))


def lowered(mod, target, pipeline="s_tir"):
    """The stages of the default pipeline, to the first pass that refuses the module."""
    stages = []
    host = Target("llvm") if target.kind.name != "llvm" else target
    try:
        with tvm.transform.PassContext(instruments=[Collector(stages)]):
            mod = tirx.transform.BindTarget(target.with_host(host))(mod)
            lower, finalize_host, finalize_device = tirx.get_tir_pipeline(pipeline)
            mod = lower(mod)
            host_mod, device_mods = split_host_device_mods(mod)
            finalize_host()(host_mod)
            for device_mod in device_mods.values():
                finalize_device()(device_mod)
    except Exception:  # a module that this target does not take; what came before is of use
        pass
    return [(f"{number:02}-{name}", stage) for number, (name, stage) in enumerate(stages)]


def with_dlight(mod):
    for room, rules, target in [(dlight.gpu, GPU_RULES, TARGETS["cuda"]), (dlight.cpu, CPU_RULES, TARGETS["llvm"])]:
        for rule in rules:
            try:
                with target:
                    result = dlight.ApplyDefaultSchedule(getattr(room, rule)())(mod)
            except Exception:
                continue
            if any(f.attrs and f.attrs.get("tirx.is_scheduled") for f in result.functions.values()):
                yield f"dlight-{target.kind.name}-{rule}", target, result


def with_meta_schedule(mod, seed):
    for rules, target in [("llvm", TARGETS["llvm"]), ("cuda", TARGETS["cuda"]), ("cuda-tensorcore", TARGETS["cuda"])]:
        try:
            context = ms.TuneContext(
                mod, target=target, rand_state=seed, num_threads=1,
                space_generator=ms.space_generator.PostOrderApply(sch_rules=rules, postprocs=rules, mutator_probs=rules))
            designs = context.generate_design_space()
        except Exception:
            continue
        for number, design in enumerate(designs[:3]):
            yield f"ms-{rules}-{number}", None, design.mod
            try:
                for post in context.space_generator.postprocs:
                    if not post.apply(design):
                        break
                else:
                    yield f"ms-{rules}-{number}-post", target, design.mod
            except Exception:
                continue


def with_random_schedule(mod, seed):
    """Primitives drawn at random; those that TVM refuses are skipped."""
    draw = random.Random(seed)
    sch = s_tir.Schedule(mod, seed=seed % 2**30 + 1)
    done = []
    for _ in range(24):
        if len(done) == 8:
            break
        before = sch.mod
        try:
            name = random_primitive(sch, draw)
        except Exception:
            continue
        if name and not before.same_as(sch.mod):
            done.append(name)
            if len(done) % 3 == 0:
                yield f"random-{len(done)}-{name}", None, sch.mod
    if done:
        yield "random", TARGETS["llvm"], sch.mod


def random_primitive(sch, draw):
    blocks = [b for b in child_blocks(sch)]
    block = draw.choice(blocks)
    loops = sch.get_loops(block)
    loop = draw.choice(loops) if loops else None
    name = draw.choice(
        "split split fuse reorder parallel vectorize unroll bind cache_read cache_write compute_at reverse_compute_at "
        "compute_inline reverse_compute_inline decompose_reduction rfactor storage_align set_scope blockize annotate "
        "reindex transform_layout add_unit_loop pad_einsum rolling_buffer annotate_block reorder_block_iter_var "
        "loop_partition unsafe_set_dtype sample_tile cache_inplace decompose_padding transform_block_layout".split())
    if name == "split":
        sch.split(loop, draw.choice([[None, 2], [None, 4], [2, None, 2], [None, 3], [None, 8]]),
                  disable_predication=draw.random() < 0.1)
    elif name == "loop_partition":
        sch.loop_partition(loop, [2, None])
    elif name == "fuse":
        at = draw.randrange(len(loops) - 1)
        sch.fuse(*loops[at : at + draw.choice([2, 3])])
    elif name == "reorder":
        sch.reorder(*draw.sample(loops, len(loops)))
    elif name in ("parallel", "vectorize", "unroll", "add_unit_loop"):
        getattr(sch, name)(loop)
    elif name == "bind":
        sch.bind(loop, draw.choice(["blockIdx.x", "blockIdx.y", "threadIdx.x", "threadIdx.y", "vthread.x"]))
    elif name in ("cache_read", "cache_write"):
        getattr(sch, name)(block, 0, draw.choice(["global", "shared", "local", "shared.dyn"]))
    elif name == "cache_inplace":
        sch.cache_inplace(block, 0, "local")
    elif name in ("compute_at", "reverse_compute_at"):
        getattr(sch, name)(draw.choice(blocks), loop, draw.random() < 0.3)
    elif name in ("compute_inline", "reverse_compute_inline"):
        getattr(sch, name)(block)
    elif name in ("decompose_reduction", "decompose_padding"):
        getattr(sch, name)(block, loop)
    elif name == "rfactor":
        sch.rfactor(loop, 0)
    elif name == "storage_align":
        sch.storage_align(block, 0, 0, 32, 8)
    elif name == "set_scope":
        sch.set_scope(block, 0, draw.choice(["shared", "local", "warp", "wmma.matrix_a"]))
    elif name == "unsafe_set_dtype":
        sch.unsafe_set_dtype(block, 0, draw.choice(["float16", "float64"]))
    elif name == "blockize":
        sch.blockize(loop)
    elif name == "annotate":
        key, value = draw.choice([("pragma_auto_unroll_max_step", 16), ("pragma_unroll_explicit", 1),
                                  ("software_pipeline_stage", [0, 1]), ("note", "text"), ("ratio", 0.5),
                                  ("flags", {"a": 1, "b": "c"}), ("pragma_loop_partition_hint", 1)])
        sch.annotate(loop, key, value)
    elif name == "annotate_block":
        key, value = draw.choice([("meta_schedule.parallel", 64), ("layout_free_buffers", [1]), ("double_buffer_scope", 0),
                                  ("schedule_rule", "None"), ("half", tirx.const(1, "int64"))])
        sch.annotate(block, key, value)
    elif name == "reindex":
        sch.reindex(block, (draw.choice(["read", "write"]), 0))
    elif name == "transform_layout":
        rank = len(sch.get(block).writes[0].buffer.shape if hasattr(sch.get(block).writes[0], "buffer") else sch.get(block).writes[0].source.ty.shape)
        maps = {1: [lambda i: [i // 4, i % 4]], 2: [lambda i, j: [j, i], lambda i, j: [i // 2, j, i % 2], lambda i, j: [i * 4 + j]],
                3: [lambda i, j, k: [k, i, j]], 4: [lambda n, c, h, w: [n, h, w, c], lambda n, c, h, w: [n, c // 2, h, w, c % 2]]}
        sch.transform_layout(block, ("write", 0), draw.choice(maps[rank]), pad_value=draw.choice([None, 0.0]))
    elif name == "transform_block_layout":
        rank = len(sch.get(block).iter_vars)
        sch.transform_block_layout(block, [None, lambda i: [i // 2, i % 2], lambda i, j: [j, i], lambda i, j, k: [i, k, j]][rank])
    elif name == "reorder_block_iter_var":
        order = list(range(len(sch.get(block).iter_vars)))
        draw.shuffle(order)
        sch.reorder_block_iter_var(block, order)
    elif name == "pad_einsum":
        sch.pad_einsum(block, [draw.choice([1, 2, 4]) for _ in sch.get(block).iter_vars])
    elif name == "rolling_buffer":
        sch.rolling_buffer(block, 0)
    elif name == "sample_tile":
        sch.split(loop, sch.sample_perfect_tile(loop, n=draw.choice([2, 3, 4])))
    return name


def child_blocks(sch):
    root = sch.get_sblock("root")
    found, queue = [], [root]
    while queue:
        block = queue.pop()
        for child in sch.get_child_blocks(block):
            found.append(child)
            queue.append(child)
    return found
