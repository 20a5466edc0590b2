# SPDX-License-Identifier: Apache-2.0
"""Random kernels with bulk copies of boxes (TMA), lowered by TVM and by mlc: the same module, or both refuse.

    python tests/fuzz/bulk_copies.py MLC [--seed S] [--count N] [--stage lower|all] [--show N]

Types, ranks, sizes known and unknown, layouts of both sides, swizzles, stages, options, directions and architectures are drawn.
Run with the Python that has apache-tvm 0.27. Prints how many are equal, both refused (with one class of exception) and different,
and the first of those that differ; exit code 1 when there are any.
"""
import argparse
import collections
import contextlib
import difflib
import io
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile

RUNNER = '''import importlib
import sys
import tvm
from tvm import tirx
from tvm.backend.cuda.tile_primitive.tma_utils import mma_shared_layout
from tvm.script import tirx as T
from tvm.tirx.layout import S, TileLayout

known = {"T": T, "mma_shared_layout": mma_shared_layout, "S": S, "TileLayout": TileLayout}


def lowered(function, arch, stage):
    target = tvm.target.Target({"kind": "cuda", "arch": arch}, host="llvm")
    mod = tirx.transform.BindTarget(target)(tvm.IRModule({"main": function}))
    if stage == "lower":
        return str(tirx.transform.LowerTIRx()(mod))
    pipeline, host, device = tirx.get_tir_pipeline("tirx")
    left, devices = importlib.import_module("tvm.tirx.build").split_host_device_mods(pipeline(mod))
    return "\\n".join([str(host()(left)), *[str(device()(each)) for each in devices.values()]])


def run(path, stage):
    for part in open(path).read().split("#### ")[1:]:
        head, source = part.split("\\n", 1)
        name, arch = head.split(" ")
        print("=== " + name)
        try:
            print(lowered(tvm.script.from_source(source, known), arch, stage))
        except Exception as error:
            print("refused: " + type(error).__name__)
'''
BITS = {"float16": 16, "bfloat16": 16, "float32": 32, "float8_e4m3fn": 8, "int8": 8, "uint8": 8, "int32": 32, "float64": 64}
LOADS = [("cta_group=2", 0.05), ("cta_mask=3", 0.08), ("cta_mask=bx", 0.04), ('cache_hint="evict_first"', 0.06), ("cache_hint=T.uint64(5)", 0.03),
         ("prefetch_tensormap=True", 0.15), ('tensormap_l2_promotion="L2::256B"', 0.04), ("tensormap_l2_promotion=0", 0.03), ("mbarrier_addr=True", 0.05)]
STORES = [('use_tma_reduce="add"', 0.25), ('use_tma_reduce="xor"', 0.05), ('cache_hint="evict_first"', 0.1), ("prefetch_tensormap=True", 0.1)]
EXPLICIT = [('oob="nan"', 0.1), ('oob="zero"', 0.1), ("src_selector=[(bx < 2, B)]", 0.1)]


def tuple_text(values):
    return f"({', '.join(map(str, values))},)"


def row_major(draw, shape):
    """Strides of the dimensions in some order, the last one's elements side by side."""
    strides, step = [1] * len(shape), shape[-1]
    for at in draw.sample(range(len(shape) - 1), len(shape) - 1):
        strides[at], step = step, step * shape[at]
    return strides


def options(draw, load, explicit, dtype):
    choices = (LOADS + (EXPLICIT if explicit else [])) if load else STORES
    if dtype == "float32":
        choices = [*choices, ('tma_dtype="tf32"', 0.3)]
    chosen = {}
    for text, chance in choices:
        if draw.random() < chance:
            chosen[text.split("=")[0]] = text
    return list(chosen.values())


def kernel(draw, number):
    dtype, rank, mode = draw.choice(["float16"] * 4 + list(BITS)), draw.choice([1, 2, 2, 2, 3, 3, 4, 5]), draw.choice([0, 1, 2, 3, 3, 3])
    atom = (128 << mode) // BITS[dtype]
    inner, rows = atom * draw.choice([1, 1, 2, 4] if mode else [4, 8, 16]), draw.choice([8, 12, 16, 32, 64, 128, 256])
    sizes, box, starts = [], [], []
    for _ in range(rank - 2):
        sizes.append(draw.choice([2, 4, 8, 16]))
        box.append(draw.choice([1, 1, 1, 2, sizes[-1]]))
        starts.append("0" if box[-1] == sizes[-1] else draw.choice(["0", "bx", "k"] if box[-1] == 1 else ["0", "k // 2 * 2"]))
    if rank > 1:
        sizes.append(rows * draw.choice([1, 2, 4, 8]))
        box.append(rows)
        starts.append(draw.choice(["0", f"bx * {rows}", f"k * {rows}", f"n * {rows}", "bx * 8"]))
    sizes.append(inner * draw.choice([1, 2, 4]))
    box.append(inner)
    starts.append(draw.choice(["0", "0", f"k * {inner}", f"(k % 2) * {inner}"]))
    if draw.random() < 0.15:
        sizes[0] = draw.choice(["n", "n * 8", "n * 4 + 4", "m"])
    shared = [extent for extent in box if extent != 1] if draw.random() < 0.8 else list(box)
    staged = draw.random() < 0.5
    whole = ([draw.choice([2, 3, 4])] if staged else []) + shared
    tensor_layout, shared_layout = "", ""
    if draw.random() < 0.15 and rank > 1 and isinstance(sizes[0], int):
        tensor_layout = f", layout=TileLayout(S[{tuple_text(sizes)} : {tuple_text(row_major(draw, sizes))}])"
    if len(whole) > 1 and (mode or draw.random() < 0.3):
        shared_layout = f', layout=mma_shared_layout("{dtype}", {mode}, {tuple_text(whole)})'
    elif draw.random() < 0.4:
        shared_layout = f", layout=TileLayout(S[{tuple_text(whole)} : {tuple_text(row_major(draw, whole))}])"
    region = ([draw.choice(["0:1", "1:2", "k % 2:k % 2 + 1"])] if staged else []) + [f"0:{extent}" for extent in shared]
    load, dispatch = draw.random() < 0.7, draw.choice(["tma_auto"] * 4 + ["tma_explicit", None])
    config = ([f'dispatch="{dispatch}"'] if dispatch else []) + (["mbar=bar.ptr_to([0])"] if load else [])
    config += options(draw, load, dispatch == "tma_explicit", dtype)
    tensor = f"A[{', '.join(f'{s}:{s} + {e}' for s, e in zip(starts, box))}]"
    tile = f"SH[{', '.join(region)}]"
    call = f"T.thread.copy_async({', '.join([tile if load else tensor, tensor if load else tile, *config])})"
    dims = f'({", ".join(map(str, sizes))},), "{dtype}"{tensor_layout}'
    lines = [f"#### k{number} {draw.choice(['sm_90a', 'sm_100a'])}", "@T.prim_func",
             f"def main(n: T.int32, m: T.uint32, A: T.Buffer({dims}), B: T.Buffer({dims})):", "    T.device_entry()", "    bx = T.cta_id([4])",
             "    tid = T.thread_id([128])",
             f'    SH = T.alloc_buffer({tuple_text(whole)}, "{dtype}", scope="{draw.choice(["shared", "shared.dyn"])}", align=1024{shared_layout})',
             '    bar = T.alloc_shared((1,), "uint64")', "    if tid == 0:", f"        for k in range({draw.choice([1, 2, 4])}):"]
    return "\n".join([*lines, *[" " * 12 + call] * draw.choice([1, 1, 1, 2])]) + "\n"


def parts(text):
    text = re.sub(r'"mtriple": "[^"]*", ', "", text)  # of the machine that each was built on
    return dict(part.split("\n", 1) for part in text.split("=== ")[1:])


def by_tvm(path, stage):
    space = {}
    exec(RUNNER, space)
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        space["run"](path, stage)
    return parts(out.getvalue())


def by_mlc(program, path, stage, folder):
    runner = pathlib.Path(folder) / "runner.mlc"
    runner.write_text(RUNNER + "\n\nrun(sys.argv[1], sys.argv[2])\n")
    done = subprocess.run([program, "run", str(runner), str(path), stage], capture_output=True, text=True, check=False)
    return parts(done.stdout)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("mlc")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--stage", choices=["lower", "all"], default="lower")
    parser.add_argument("--show", type=int, default=3)
    arguments = parser.parse_args()
    draw = random.Random(arguments.seed)
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "kernels.txt"
        kernels = [kernel(draw, number) for number in range(arguments.count)]
        path.write_text("".join(kernels))
        theirs = by_tvm(path, arguments.stage)
        ours = by_mlc(os.path.abspath(arguments.mlc), path, arguments.stage, folder)
    counts, wrong = collections.Counter(), 0
    for number, source in enumerate(kernels):
        name = f"k{number}"
        left, right = theirs[name], ours.get(name, "nothing\n")
        same = left == right
        counts["both refuse" if same and left.startswith("refused") else "equal" if same else "different"] += 1
        if not same:
            wrong += 1
            if wrong <= arguments.show:
                print(source + "\n".join(list(difflib.unified_diff(left.split("\n"), right.split("\n"), "tvm", "mlc", lineterm="", n=1))[:20]))
    print(", ".join(f"{number} {what}" for what, number in sorted(counts.items())))
    # Kernels that both refuse show little.
    enough = counts["equal"] * 2 >= len(kernels)
    if not enough:
        print(f"only {counts['equal']} of {len(kernels)} kernels were compared")
    print(f"{len(kernels) - wrong} passed, {wrong + (not enough)} failed")
    return 1 if wrong or not enough else 0


if __name__ == "__main__":
    sys.exit(main())
