# SPDX-License-Identifier: Apache-2.0
"""Random schedules, done by mlc and by TVM, compared step by step.

    python tests/fuzz/schedule_sequences.py MLC [--count N] [--seed S] [--jobs J] [--keep DIR] [--only KERNEL]
                                            [--step PRIMITIVE]

Needs a Python with apache-tvm. Each sequence is a program that both accept: it draws primitives on one of three dozen kernels,
takes each step in a `try`, and prints the module after each step that was accepted. At the end come the trace, its
simplification, its JSON, and what both give on another schedule. What differs is counted by primitive and kind: `accepts` (mlc
takes what TVM refuses), `refuses` (the other way round), `module`, `trace`, `crash`. `TVM fails` is a step at which TVM throws an
error of its own insides where mlc carries on, `TVM stops` where TVM's process dies; both end the comparison of that sequence, and
are counted apart. `TVM breaks` is a step that TVM takes and whose module, run by mlc on random arguments, does not compute what the
kernel does, or is no program at all; mlc refuses such steps or does them otherwise, on purpose. `mlc breaks` is the same the
other way round. With --keep, programs that differ are left in DIR; with --step, each sequence has that primitive.
"""
import argparse
import collections
import contextlib
import multiprocessing
import os
import pathlib
import random
import re
import signal
import subprocess
import sys

HEAD = """import tvm
from tvm.script import tirx as T
"""


def chain(name, params, blocks, alloc=""):
    """A function of blocks (name, loop extents, iterator kinds, body lines)."""
    text = f"@T.prim_func(s_tir=True)\ndef {name}({params}):\n"
    for line in alloc.split("\n"):
        if line:
            text += f"    {line}\n"
    for block, extents, kinds, body in blocks:
        loops = [f"i{d}" for d in range(len(extents))]
        iters = [f"v{d}" for d in range(len(extents))]
        grid = f"T.grid({', '.join(extents)})" if len(extents) > 1 else f"range({extents[0]})"
        text += f"    for {', '.join(loops)} in {grid}:\n        with T.sblock(\"{block}\"):\n"
        text += f"            {', '.join(iters)} = T.axis.remap(\"{kinds}\", [{', '.join(loops)}])\n"
        for line in body:
            text += f"            {line}\n"
    return text + "\n\n"


def buffers(*specs):
    return ", ".join(f'{n}: T.Buffer({s}, "{t}")' for n, s, t in specs)


def alloc(*specs):
    return "\n".join(f'{n} = T.sblock_alloc_buffer({s}, "{t}")' for n, s, t in specs)


def init(target, value):
    return ["with T.init():", f"    {target} = {value}"]


def matmul(n, m, k, dt="float32", acc="float32", batch=None):
    shape = lambda *d: "(" + ", ".join(([str(batch)] if batch else []) + [str(x) for x in d]) + ",)"
    at = lambda *d: ", ".join((["v0"] if batch else []) + [f"v{x + bool(batch)}" for x in d])
    extents = ([str(batch)] if batch else []) + [str(n), str(m), str(k)]
    cast = (lambda e: f'T.cast({e}, "{acc}")') if dt != acc else (lambda e: e)
    zero = f"T.{acc}(0)"
    return chain(
        "kernel",
        buffers(("A", shape(n, k), dt), ("B", shape(k, m), dt), ("C", shape(n, m), acc)),
        [("C", extents, ("S" if batch else "") + "SSR",
          init(f"C[{at(0, 1)}]", zero)
          + [f"C[{at(0, 1)}] = C[{at(0, 1)}] + {cast(f'A[{at(0, 2)}]')} * {cast(f'B[{at(2, 1)}]')}"])],
    )


def kernels():
    f = "float32"
    k = {}
    k["matmul"] = matmul(32, 24, 16)
    k["batched"] = matmul(16, 16, 8, batch=4)
    k["fp16"] = matmul(16, 32, 16, "float16", "float32")
    k["int8"] = matmul(16, 32, 16, "int8", "int32")
    k["matmul_bias_relu"] = chain(
        "kernel", buffers(("A", "(16, 8)", f), ("B", "(8, 16)", f), ("D", "(16,)", f), ("E", "(16, 16)", f)),
        [("C", ["16", "16", "8"], "SSR", init("C[v0, v1]", "T.float32(0)") + ["C[v0, v1] = C[v0, v1] + A[v0, v2] * B[v2, v1]"]),
         ("bias", ["16", "16"], "SS", ["G[v0, v1] = C[v0, v1] + D[v1]"]),
         ("relu", ["16", "16"], "SS", ["E[v0, v1] = T.max(G[v0, v1], T.float32(0))"])],
        alloc(("C", "(16, 16)", f), ("G", "(16, 16)", f)))
    k["conv_nchw"] = chain(
        "kernel", buffers(("A", "(1, 4, 8, 8)", f), ("W", "(8, 4, 3, 3)", f), ("C", "(1, 8, 8, 8)", f)),
        [("pad", ["1", "4", "10", "10"], "SSSS",
          ["P[v0, v1, v2, v3] = T.if_then_else(1 <= v2 and v2 < 9 and 1 <= v3 and v3 < 9, A[v0, v1, v2 - 1, v3 - 1], T.float32(0))"]),
         ("C", ["1", "8", "8", "8", "4", "3", "3"], "SSSSRRR", init("C[v0, v1, v2, v3]", "T.float32(0)")
          + ["C[v0, v1, v2, v3] = C[v0, v1, v2, v3] + P[v0, v4, v2 + v5, v3 + v6] * W[v1, v4, v5, v6]"])],
        alloc(("P", "(1, 4, 10, 10)", f)))
    k["conv_nhwc"] = chain(
        "kernel", buffers(("A", "(1, 9, 9, 4)", f), ("W", "(3, 3, 4, 8)", f), ("C", "(1, 4, 4, 8)", f)),
        [("C", ["1", "4", "4", "8", "3", "3", "4"], "SSSSRRR", init("C[v0, v1, v2, v3]", "T.float32(0)")
          + ["C[v0, v1, v2, v3] = C[v0, v1, v2, v3] + A[v0, v1 * 2 + v4, v2 * 2 + v5, v6] * W[v4, v5, v6, v3]"])])
    k["depthwise"] = chain(
        "kernel", buffers(("A", "(8, 10, 10)", f), ("W", "(8, 3, 3)", f), ("D", "(8, 8, 8)", f)),
        [("C", ["8", "8", "8", "3", "3"], "SSSRR", init("C[v0, v1, v2]", "T.float32(0)")
          + ["C[v0, v1, v2] = C[v0, v1, v2] + A[v0, v1 + v3, v2 + v4] * W[v0, v3, v4]"]),
         ("D", ["8", "8", "8"], "SSS", ["D[v0, v1, v2] = T.max(C[v0, v1, v2], T.float32(0))"])],
        alloc(("C", "(8, 8, 8)", f)))
    k["softmax"] = chain(
        "kernel", buffers(("A", "(16, 32)", f), ("O", "(16, 32)", f)),
        [("M", ["16", "32"], "SR", init("M[v0]", "T.min_value(\"float32\")") + ["M[v0] = T.max(M[v0], A[v0, v1])"]),
         ("E", ["16", "32"], "SS", ["E[v0, v1] = T.exp(A[v0, v1] - M[v0])"]),
         ("S", ["16", "32"], "SR", init("S[v0]", "T.float32(0)") + ["S[v0] = S[v0] + E[v0, v1]"]),
         ("O", ["16", "32"], "SS", ["O[v0, v1] = E[v0, v1] / S[v0]"])],
        alloc(("M", "(16,)", f), ("E", "(16, 32)", f), ("S", "(16,)", f)))
    k["layer_norm"] = chain(
        "kernel", buffers(("A", "(8, 32)", f), ("G", "(32,)", f), ("O", "(8, 32)", f)),
        [("S", ["8", "32"], "SR", init("S[v0]", "T.float32(0)") + ["S[v0] = S[v0] + A[v0, v1]"]),
         ("Q", ["8", "32"], "SR", init("Q[v0]", "T.float32(0)") + ["Q[v0] = Q[v0] + A[v0, v1] * A[v0, v1]"]),
         ("O", ["8", "32"], "SS",
          ["O[v0, v1] = (A[v0, v1] - S[v0] * T.float32(0.03125)) * T.rsqrt(Q[v0] * T.float32(0.03125) + T.float32(1e-5)) * G[v1]"])],
        alloc(("S", "(8,)", f), ("Q", "(8,)", f)))
    k["argmax"] = chain(
        "kernel", buffers(("I", "(8, 32)", "int32"), ("A", "(8, 32)", f), ("MI", "(8,)", "int32"), ("MV", "(8,)", f)),
        [("M", ["8", "32"], "SR",
          ["with T.init():", "    MI[v0] = -1", "    MV[v0] = T.min_value(\"float32\")",
           "ti: T.let[T.int32] = T.Select(MV[v0] >= A[v0, v1], MI[v0], I[v0, v1])",
           "tv: T.let[T.float32] = T.Select(MV[v0] >= A[v0, v1], MV[v0], A[v0, v1])",
           "MI[v0] = ti", "MV[v0] = tv"])])
    k["gather"] = chain(
        "kernel", buffers(("A", "(32, 8)", f), ("X", "(16,)", "int32"), ("O", "(16, 8)", f)),
        [("G", ["16", "8"], "SS", ["G[v0, v1] = A[X[v0], v1]"]),
         ("O", ["16", "8"], "SS", ["O[v0, v1] = G[v0, v1] * T.float32(2)"])],
        alloc(("G", "(16, 8)", f)))
    k["transpose"] = chain(
        "kernel", buffers(("A", "(16, 24)", f), ("O", "(24, 16)", f)),
        [("B", ["16", "24"], "SS", ["B[v0, v1] = A[v0, v1] + T.float32(1)"]),
         ("O", ["24", "16"], "SS", ["O[v0, v1] = B[v1, v0] * T.float32(2)"])],
        alloc(("B", "(16, 24)", f)))
    k["stencil"] = chain(
        "kernel", buffers(("A", "(20, 20)", f), ("C", "(16, 16)", f)),
        [("B", ["18", "18"], "SS", ["B[v0, v1] = A[v0, v1] + A[v0 + 2, v1] + A[v0 + 1, v1 + 2]"]),
         ("C", ["16", "16"], "SS", ["C[v0, v1] = B[v0, v1] + B[v0 + 1, v1 + 1] + B[v0 + 2, v1 + 2]"])],
        alloc(("B", "(18, 18)", f)))
    k["pool"] = chain(
        "kernel", buffers(("A", "(20, 12)", "int8"), ("C", "(16, 12)", "int8")),
        [("B", ["18", "12", "3"], "SSR", init("B[v0, v1]", "T.int8(0)") + ["B[v0, v1] = T.max(B[v0, v1], A[v0 + v2, v1])"]),
         ("C", ["16", "12", "3"], "SSR", init("C[v0, v1]", "T.int8(0)") + ["C[v0, v1] = T.max(C[v0, v1], B[v0 + v2, v1])"])],
        alloc(("B", "(18, 12)", "int8")))
    symbolic = matmul("n", 16, 8).replace('A: T.Buffer((n, 8,), "float32")', "a: T.handle").replace(
        'C: T.Buffer((n, 16,), "float32")', "c: T.handle")
    head, body = symbolic.split("):\n", 1)
    k["symbolic"] = (head + "):\n    n = T.int32()\n    A = T.match_buffer(a, (n, 8), \"float32\")\n"
                     "    C = T.match_buffer(c, (n, 16), \"float32\")\n" + body)
    k["elementwise"] = chain(
        "kernel", buffers(("A", "(15, 20)", f), ("D", "(15, 20)", f)),
        [("B", ["15", "20"], "SS", ["B[v0, v1] = A[v0, v1] * T.float32(2)"]),
         ("C", ["15", "20"], "SS", ["C[v0, v1] = B[v0, v1] + T.float32(1)"]),
         ("D", ["15", "20"], "SS", ["D[v0, v1] = T.exp(C[v0, v1])"])],
        alloc(("B", "(15, 20)", f), ("C", "(15, 20)", f)))
    k["two_axes"] = chain(
        "kernel", buffers(("A", "(8, 6, 10)", f), ("O", "(8,)", f)),
        [("S", ["8", "6", "10"], "SRR", init("S[v0]", "T.float32(0)") + ["S[v0] = S[v0] + A[v0, v1, v2]"]),
         ("O", ["8"], "S", ["O[v0] = T.sqrt(S[v0])"])],
        alloc(("S", "(8,)", f)))
    k["reshape"] = chain(
        "kernel", buffers(("A", "(8, 16)", f), ("O", "(128,)", f)),
        [("B", ["8", "16"], "SS", ["B[v0, v1] = A[v0, v1] * T.float32(2)"]),
         ("O", ["128"], "S", ["O[v0] = B[v0 // 16, v0 % 16] + T.float32(1)"])],
        alloc(("B", "(8, 16)", f)))
    k["scan"] = chain(
        "kernel", buffers(("A", "(12, 16)", f), ("O", "(12, 16)", f)),
        [("S", ["12", "16", "16"], "SSR", init("S[v0, v1]", "T.float32(0)")
          + ["S[v0, v1] = S[v0, v1] + T.if_then_else(v2 <= v1, A[v0, v2], T.float32(0))"]),
         ("O", ["12", "16"], "SS", ["O[v0, v1] = S[v0, v1] * T.float32(0.5)"])],
        alloc(("S", "(12, 16)", f)))
    k["resize"] = chain(
        "kernel", buffers(("A", "(4, 10, 10)", f), ("O", "(4, 20, 20)", f)),
        [("O", ["4", "20", "20"], "SSS", ["O[v0, v1, v2] = A[v0, v1 // 2, v2 // 2] + A[v0, T.min(v1 // 2 + 1, 9), v2 // 2]"])])
    k["fp16_norm"] = chain(
        "kernel", buffers(("A", "(8, 16)", "float16"), ("O", "(8, 16)", "float16")),
        [("S", ["8", "16"], "SR", init("S[v0]", "T.float32(0)")
          + ["S[v0] = S[v0] + T.Cast(\"float32\", A[v0, v1]) * T.Cast(\"float32\", A[v0, v1])"]),
         ("O", ["8", "16"], "SS", ["O[v0, v1] = T.Cast(\"float16\", T.Cast(\"float32\", A[v0, v1]) * T.rsqrt(S[v0]))"])],
        alloc(("S", "(8,)", f)))
    k["quantized"] = chain(
        "kernel", buffers(("A", "(16, 16)", "int8"), ("B", "(16, 16)", "int8"), ("O", "(16, 16)", "int8")),
        [("C", ["16", "16", "16"], "SSR", init("C[v0, v1]", "0")
          + ["C[v0, v1] = C[v0, v1] + T.Cast(\"int32\", A[v0, v2]) * T.Cast(\"int32\", B[v1, v2])"]),
         ("O", ["16", "16"], "SS", ["O[v0, v1] = T.Cast(\"int8\", T.max(T.min(T.shift_right(C[v0, v1], 7), 127), -128))"])],
        alloc(("C", "(16, 16)", "int32")))
    k["in_place"] = chain(
        "kernel", buffers(("A", "(14, 12)", "int32"), ("O", "(14, 12)", "int32")),
        [("A", ["14", "12"], "SS", ["A[v0, v1] = A[v0, v1] * 2"]),
         ("O", ["14", "12"], "SS", ["O[v0, v1] = A[v0, v1] + 1"])])
    written = pathlib.Path(__file__).parent / "schedule" / "written_kernels.mlc"
    for text in written.read_text().split("\n\n\n")[1:]:
        name = re.search(r"^def (\w+)\(", text, re.M).group(1)
        k[name] = text.replace(f"def {name}(", "def kernel(", 1) + "\n\n"
    return k


INTRINSICS = """
@T.prim_func(s_tir=True)
def mma_desc(A: T.Buffer((4, 4), "float32", offset_factor=1), B: T.Buffer((4, 4), "float32", offset_factor=1),
             C: T.Buffer((4, 4), "float32", offset_factor=1)):
    with T.sblock("root"):
        T.reads(C[0:4, 0:4], A[0:4, 0:4], B[0:4, 0:4])
        T.writes(C[0:4, 0:4])
        for i, j, k in T.grid(4, 4, 4):
            with T.sblock("update"):
                vi, vj, vk = T.axis.remap("SSR", [i, j, k])
                C[vi, vj] = C[vi, vj] + A[vi, vk] * B[vk, vj]


@T.prim_func(s_tir=True)
def mma_impl(A: T.Buffer((4, 4), "float32", offset_factor=1), B: T.Buffer((4, 4), "float32", offset_factor=1),
             C: T.Buffer((4, 4), "float32", offset_factor=1)):
    with T.sblock("root"):
        T.reads(C[0:4, 0:4], A[0:4, 0:4], B[0:4, 0:4])
        T.writes(C[0:4, 0:4])
        T.evaluate(T.call_extern("int32", "mma4", A.data, B.data, C.data))


@T.prim_func(s_tir=True)
def copy_desc(A: T.Buffer((4, 4), "float32", offset_factor=1), B: T.Buffer((4, 4), "float32", offset_factor=1)):
    with T.sblock("root"):
        T.reads(A[0:4, 0:4])
        T.writes(B[0:4, 0:4])
        for i, j in T.grid(4, 4):
            with T.sblock("copy"):
                vi, vj = T.axis.remap("SS", [i, j])
                B[vi, vj] = A[vi, vj]


@T.prim_func(s_tir=True)
def copy_impl(A: T.Buffer((4, 4), "float32", offset_factor=1), B: T.Buffer((4, 4), "float32", offset_factor=1)):
    with T.sblock("root"):
        T.reads(A[0:4, 0:4])
        T.writes(B[0:4, 0:4])
        for i in range(4):
            for j in T.vectorized(4):
                B[i, j] = A[i, j]


tvm.s_tir.TensorIntrin.register("mma4", mma_desc, mma_impl)
tvm.s_tir.TensorIntrin.register("copy4", copy_desc, copy_impl)
"""

DRIVER = """
sch = tvm.s_tir.Schedule(kernel, seed={seed})


def below(b):
    found = []
    for block in sch.get_child_blocks(b):
        found += [block] + below(block)
    return found


def blk(n):
    blocks = below(sch.get_sblock("root"))
    return blocks[n % len(blocks)]


def loop(b, n):
    loops = sch.get_loops(b)
    return loops[n % len(loops)]


def inner(b, count):
    inside = []
    for loop in sch.get_loops(b)[-count:]:
        inside.append(sch.split(loop, [None, 4])[1])
    return inside


def tensorize(b, reduces, init):
    inside = inner(b, 3 if reduces else 2)
    sch.reorder(*inside)
    if init:
        sch.decompose_reduction(b, inside[0])
    sch.tensorize(inside[0], "mma4" if reduces else "copy4")


def step(number, name, act):
    try:
        act()
    except tvm.s_tir.ScheduleError:
        print("@", number, name, "refused")
        return
    except Exception:
        print("@", number, name, "failed")
        return
    print("@", number, name, "ok")
    print(sch.mod.script())


def check(name, act):
    print("@", "end", name, "ok")
    try:
        act()
    except Exception:
        print("failed")


def names(blocks):
    print([sch.get(b).name_hint for b in blocks])


def again(given):
    other = tvm.s_tir.Schedule(kernel, seed=1)
    given(other)
    print(other.trace)
    print(other.mod.script())


"""

END = """
check("trace", lambda: print(sch.trace))
check("simplified", lambda: print(sch.trace.simplified(True)))
check("as_json", lambda: print(sch.trace.as_json()))
check("kinds", lambda: print([(i.kind.name, i.kind.is_pure, len(i.inputs), len(i.attrs), len(i.outputs)) for i in sch.trace.insts]))
check("apply", lambda: again(lambda other: sch.trace.apply_to_schedule(other, False)))
check("apply_json", lambda: again(lambda other: tvm.s_tir.schedule.Trace.apply_json_to_schedule(sch.trace.as_json(), other)))
"""


def draw_step(r, kernel, wanted=None):
    n, m = r.randrange(4), r.randrange(6)
    b = f"blk({n})"
    l = f"loop(blk({n}), {m})"
    scope = r.choice(["global", "shared", "local"])
    factor = r.choice([2, 3, 4, 8, 16])
    lm1 = [
        "lambda i: (i // 4, i % 4)", "lambda i, j: (j, i)", "lambda i, j: (i // 4, j, i % 4)", "lambda i, j: (i * 16 + j,)",
        "lambda *i: i", "lambda i, j: (i // 5, j, i % 5)",
    ]
    lm2 = ["lambda i, j: (j, i)", "lambda i, j: (i // 4, j, i % 4)", "lambda i, j, k: (i, k)", "lambda i, j, k: (j, k)",
           "lambda i, j, k: (i, j)", "lambda i: (i,)", "lambda *i: i"]
    ranges = ["lambda i: ((i, i + 1),)", "lambda i, j: ((i, i + 2), (0, 4))", "lambda i, j, k: (i, (0, 8))",
              "lambda i, j, k: ((i, i + 1), (k, k + 1))"]
    options = [
        (6, "split", f"sch.split({l}, [{r.choice(['None, ' + str(factor), str(factor) + ', None', 'None, 2, ' + str(factor)])}])"),
        (3, "fuse", f"sch.fuse(*sch.get_loops({b})[{m % 3}:{m % 3 + 2}])"),
        (4, "reorder", f"sch.reorder({l}, loop({b}, {r.randrange(6)}))"),
        (1, "vectorize", f"sch.vectorize({l})"),
        (1, "parallel", f"sch.parallel({l})"),
        (1, "unroll", f"sch.unroll({l})"),
        (1, "bind", f"sch.bind({l}, \"{r.choice(['blockIdx.x', 'threadIdx.x', 'threadIdx.y'])}\")"),
        (3, "cache_read", f"sch.cache_read({b}, {r.randrange(3)}, \"{scope}\")"),
        (3, "cache_write", f"sch.cache_write({b}, 0, \"{scope}\")"),
        (3, "compute_at", f"sch.compute_at({b}, loop(blk({r.randrange(4)}), {m}), {r.random() < 0.3}, {r.choice([-1, -1, -2])})"),
        (3, "reverse_compute_at", f"sch.reverse_compute_at({b}, loop(blk({r.randrange(4)}), {m}))"),
        (2, "compute_inline", f"sch.compute_inline({b})"),
        (2, "reverse_compute_inline", f"sch.reverse_compute_inline({b})"),
        (2, "decompose_reduction", f"sch.decompose_reduction({b}, {l})"),
        (2, "rfactor", f"sch.rfactor({l}, {r.choice([0, 0, 1, -1])})"),
        (1, "blockize", f"sch.blockize({l})"),
        (1, "add_unit_loop", f"sch.add_unit_loop({r.choice([b, l])})"),
        (1, "annotate", f"sch.annotate({r.choice([b, l])}, \"key\", {n})"),
        (1, "storage_align", f"sch.storage_align({b}, 0, {m - 3}, 8, 2)"),
        (1, "set_scope", f"sch.set_scope({b}, 0, \"{scope}\")"),
        (2, "reindex", f"sch.reindex({b}, (\"{r.choice(['read', 'write'])}\", {n % 2}))"),
        (3, "transform_layout", f"sch.transform_layout({b}, (\"{r.choice(['read', 'write'])}\", {n % 2}), {r.choice(lm1)}, "
                                f"{r.choice(['None', 'None', '0'])})"),
        (1, "transform_block_layout", f"sch.transform_block_layout({b}, {r.choice(lm1)})"),
        (1, "decompose_padding", f"sch.decompose_padding({b}, {l})"),
        (1, "pad_einsum", f"sch.pad_einsum({b}, [{', '.join(str(r.choice([1, 4, 16])) for _ in range(3))}])"),
        (1, "rolling_buffer", f"sch.rolling_buffer({b}, 0)"),
        (1, "loop_partition", f"sch.loop_partition({l}, [{factor}])"),
        (1, "merge", f"sch.merge(loop({b}, 0), loop(blk({r.randrange(4)}), 0))"),
        (1, "reorder_block_iter_var", f"sch.reorder_block_iter_var({b}, {r.sample(range(3), 3)})"),
        (1, "unsafe_set_dtype", f"sch.unsafe_set_dtype({b}, 0, \"float16\")"),
        (1, "fuse_reduction_epilogue", f"sch.fuse_reduction_epilogue(blk({n}), blk({n + 1}))"),
        (1, "sample_perfect_tile", f"sch.split({l}, sch.sample_perfect_tile({l}, n={r.choice([2, 3])}))"),
        (1, "sample_categorical", f"sch.annotate({b}, \"pick\", sch.sample_categorical([1, 2, 3, 4], [0.25, 0.25, 0.25, 0.25]))"),
        (2, "sample_compute_location", f"sch.compute_at({b}, sch.sample_compute_location({b}))"),
        (1, "sample_partitioned_tile", f"sch.split({l}, sch.sample_partitioned_tile({l}, 3, 1, {r.choice([1, 2, 4])}))"),
        (1 if kernel == "resize" else 0, "cache_index", f"sch.cache_index({b}, \"{scope}\", {r.randrange(3)})"),
        (1, "cache_inplace", f"sch.cache_inplace({b}, 0, \"{scope}\")"),
        (1, "reindex_cache_read", f"sch.reindex_cache_read({b}, {r.randrange(2)}, \"{scope}\", {r.choice(lm2)})"),
        (1, "reindex_cache_write", f"sch.reindex_cache_write({b}, 0, \"{scope}\", {r.choice(lm2)})"),
        (1, "read_at", f"sch.read_at({l}, {r.choice([b, 'blk(' + str(r.randrange(4)) + ')'])}, {r.randrange(2)}, \"{scope}\")"),
        (1, "write_at", f"sch.write_at({l}, {b}, 0, \"{scope}\")"),
        (1, "annotate_buffer_access", f"sch.annotate_buffer_access({b}, 0, \"{r.choice(['read', 'write'])}\", {r.choice(ranges)})"),
        (1, "unsafe_hide_buffer_access", f"sch.unsafe_hide_buffer_access({b}, \"{r.choice(['read', 'write'])}\", [{r.randrange(2)}])"),
        (1, "unannotate", f"sch.unannotate({r.choice([b, l])}, \"key\")"),
        (1, "tensorize", f"tensorize({b}, {r.random() < 0.5}, {r.random() < 0.7})"),
        (1, "blockize_list", f"sch.blockize([blk({n}), blk({n + 1})])"),
        (1, "queries", f"(names(sch.get_producers({b})), names(sch.get_consumers({b})), names(sch.get_output_blocks(\"root\")))"),
        (1, "enter_postproc", "sch.enter_postproc()"),
    ]
    if wanted:
        options = [option for option in options if option[1] == wanted]
    weights = [w for w, _, _ in options]
    return r.choices(options, weights)[0][1:]


def program(seed, only=None, wanted=None):
    r = random.Random(seed)
    all_kernels = kernels()
    name = only or r.choice(sorted(all_kernels))
    text = HEAD + "\n\n" + all_kernels[name]
    body = DRIVER.format(seed=r.randrange(1, 2**31 - 1))
    steps = r.randrange(2, 9)
    special = r.randrange(steps) if wanted else -1
    for number in range(steps):
        primitive, call = draw_step(r, name, wanted if number == special else None)
        body += f"step({number}, \"{primitive}\", lambda: {call})\n"
    return name, text + (INTRINSICS if "tensorize(blk" in body else "") + body + END


def sections(out):
    """[(header, lines)] of a run's output; the trace follows `@ trace`."""
    found = []
    for line in out.split("\n"):
        if line.startswith("@ "):
            found.append((line, []))
        elif found:
            found[-1][1].append(line.rstrip())
    return found


# TVM writes one stride for buffers of any rank, which is no buffer type, and a domain that belongs to another loop.
CACHED_INDEX = re.compile(r"(index_var_\d+ = T.sblock_alloc_buffer\(.*?), strides=\(1,\)")


def difference(ours, theirs):
    """(kind, primitive, modules of both at the first difference), or None."""
    a, b = sections(CACHED_INDEX.sub(r"\1", ours)), sections(CACHED_INDEX.sub(r"\1", theirs))
    for (head_a, text_a), (head_b, text_b) in zip(a, b):
        primitive, ok_a, ok_b = head_b.split()[2], head_a.endswith("ok"), head_b.endswith("ok")
        texts = (text_a if ok_a else None, text_b if ok_b else None)
        if ok_a != ok_b:
            return ("TVM fails" if head_b.endswith("failed") else "accepts" if ok_a else "refuses", primitive, texts)
        if primitive == "as_json" and "AnnotateBufferAccess" in text_b[0]:
            continue  # TVM writes where the program stands on disk
        if text_a != text_b:
            if text_b[:1] == ["failed"] or text_b[0].startswith("Trace("):
                return ("TVM fails", primitive, (None, None))
            return ("trace", primitive, (None, None)) if " end " in head_b else ("module", primitive, texts)
    if len(b) < len(a):
        return ("TVM stops", b[-1][0].split()[2] if b else "-", (None, None))
    return ("crash", a[-1][0].split()[2] if a else "-", (None, None)) if len(a) != len(b) else None


EXPECTED = """
def results(fn):
    rng = np.random.default_rng(0)
    args = [tvm.runtime.tensor(rng.integers(0, 8, shape).astype(dtype)) for shape, dtype in {specs}]
    tvm.compile(fn)(*args)
    return [arg.numpy().astype("float64") for arg in args]


expected = results(kernel)
print("kernel runs")


"""

COMPARED = """


same = [np.allclose(x, y, rtol=1e-3, atol=1e-3) for x, y in zip(expected, results(Module))]
print("same" if all(same) else "differs")
"""


def breaks(mlc, path, kernel, module):
    """Does the module compute something else than the kernel, when mlc runs both? None: that cannot be said."""
    text = "\n".join(line for line in module if not line.startswith(("[", "#")))
    if "mma4" in text or "thread_binding" in text:
        return None
    buffer = re.compile(r"(?:: T.Buffer\(|T.match_buffer\(\w+, )\(([^)]*)\), \"(\w+)\"")
    head = re.sub(r"T\.int64\((\d+)\)", r"\1", kernel.split("T.sblock_alloc_buffer")[0])
    specs = [(tuple(eval(x, {"n": 16, "m": 8}) for x in shape.split(",") if x.strip()), dtype)
             for shape, dtype in buffer.findall(head)]
    signature = next(line for line in text.split("\n") if line.strip().startswith("def "))
    taken = [shape.rstrip(", ") for shape, _ in buffer.findall(re.sub(r"T\.int64\((\d+)\)", r"\1", signature))]
    if "T.match_buffer" not in kernel and taken != [", ".join(map(str, shape)) for shape, _ in specs]:
        return None  # it takes other arguments
    if "T.match_buffer" in kernel and "T.Buffer(" in kernel:
        specs = [((16, 8), "float32"), ((8, 16), "float32"), ((16, 16), "float32")]
    program = "import numpy as np\nimport tvm\nfrom tvm.script import ir as I, tirx as T\n\n\n"
    trial = path.with_suffix(".run.py")
    trial.write_text(program + kernel + EXPECTED.format(specs=specs) + text + COMPARED)
    try:
        done = subprocess.run([mlc, "run", str(trial)], capture_output=True, text=True, check=False, timeout=120)
    except subprocess.TimeoutExpired:
        return None
    trial.unlink()
    return "same" not in done.stdout if "kernel runs" in done.stdout else None


def run_theirs(path):
    """Runs a program in a child of its own, which has imported TVM already."""
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(read)
        signal.alarm(20)
        with os.fdopen(write, "w") as out:
            os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
            with contextlib.redirect_stdout(out), contextlib.suppress(BaseException):
                exec(compile(path.read_text(), str(path), "exec"), {"__name__": "__main__", "__file__": str(path)})
        os._exit(0)
    os.close(write)
    with os.fdopen(read) as source:
        out = source.read()
    os.waitpid(child, 0)
    return out


def check(args):
    seed, mlc, folder, only, wanted = args
    import tvm  # noqa: F401

    name, text = program(seed, only, wanted)
    path = pathlib.Path(folder, f"sequence_{seed}.py")
    path.write_text(text)
    theirs = run_theirs(path)
    try:
        ours = subprocess.run([mlc, "run", str(path)], capture_output=True, text=True, check=False, timeout=120)
    except subprocess.TimeoutExpired:
        return seed, name, ("crash", "timeout"), len(sections(theirs))
    found = difference(ours.stdout, theirs)
    if found:
        kind, primitive, (our_module, their_module) = found
        found = (kind, primitive)
        if kind in ("accepts", "module", "TVM fails") and our_module and breaks(mlc, path, kernels()[name], our_module):
            found = ("mlc breaks", primitive)
        elif kind in ("refuses", "module") and their_module and breaks(mlc, path, kernels()[name], their_module):
            found = ("TVM breaks", f"{primitive} ({kind})")
    if ours.returncode and "internal error" in ours.stderr:
        found = ("crash", "internal error")
    steps = len(sections(theirs))
    if not found:
        path.unlink()
    return seed, name, found, steps


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("mlc")
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--keep", default="/tmp/schedule_sequences")
    parser.add_argument("--only")
    parser.add_argument("--step")
    args = parser.parse_args()
    pathlib.Path(args.keep).mkdir(parents=True, exist_ok=True)
    classes = collections.defaultdict(list)
    equal = steps = 0
    work = [(seed, args.mlc, args.keep, args.only, args.step) for seed in range(args.seed, args.seed + args.count)]
    with multiprocessing.Pool(args.jobs) as pool:
        for seed, name, found, taken in pool.imap_unordered(check, work):
            steps += taken
            equal += not found
            if found:
                classes[found].append(f"{name}:{seed}")
    for (kind, primitive), seeds in sorted(classes.items(), key=lambda item: -len(item[1])):
        print(f"{len(seeds):5} {kind} {primitive}: {' '.join(sorted(seeds)[:6])}")
    broken = sum(len(seeds) for (kind, _), seeds in classes.items() if kind.startswith("TVM"))
    print(f"{args.count} sequences, {steps} steps, {equal} equal ({100 * equal / args.count:.1f} %), "
          f"{broken} ended by TVM's failures and wrong modules, {args.count - equal - broken} differ")
    return equal + broken != args.count


if __name__ == "__main__":
    sys.exit(main())
