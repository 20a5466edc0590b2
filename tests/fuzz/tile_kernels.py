# SPDX-License-Identifier: Apache-2.0
"""Random kernels with one tile primitive each, lowered by mlc and by TVM: texts must agree, and so must refusals.

    python tests/fuzz/tile_kernels.py MLC PYTHON [--count N] [--seed S] [--family NAME]

MLC is the program, PYTHON a Python with apache-tvm. Compared are the kernel after LowerTIRx and the module after the pipeline
"tirx". What differs is printed, with its kernel. Known differences: TVM loses the address of tensor memory that shared
memory holds (its pipeline then refuses the kernel), and its permutations and reductions in shared memory are never well formed.
"""
import itertools
import random

import kernel_comparison

PROGRAM = '''import tvm
from tvm import tirx
from tvm.script import tirx as T


def one(name, arch, text):
    stage = "parse"
    try:
        f = tvm.script.from_source(text)
        target = tvm.target.Target({"kind": "cuda", "arch": arch}, host="llvm")
        mod = tirx.transform.BindTarget(target)(tvm.IRModule({"main": f}))
        stage = "lower"
        low = tirx.transform.LowerTIRx()(mod)
        print("=== " + name + " lower")
        print(low["main"].without_attr("target"))
        stage = "pipeline"
        pipe, _, fin = tirx.get_tir_pipeline("tirx")
        done = pipe(mod)
        print("=== " + name + " pipeline")
        for var, func in done.functions_items():
            print(func.without_attr("target"))
    except Exception as e:
        print("=== " + name + " refused")
        print(stage, type(e).__name__)


'''
BITS = {"float32": 32, "uint32": 32, "float16": 16, "bfloat16": 16, "uint8": 8, "int8": 8}
BITS |= {"float8_e4m3fn": 8, "float8_e5m2": 8, "float4_e2m1fn": 4, "float64": 64}
SPACES = {"warp": ("T.warp", "laneid"), "warpgroup": ("T.wg", "tid_in_wg"), "cta": ("T.cta", "tx")}
IDS = "block = T.cta_id([2])\n"
ALL_IDS = IDS + (
    "wg = T.warpgroup_id([1])\nthread = T.thread_id([128])\nwarp = T.warp_id([4])\nlane = T.lane_id([32])\n"
    "ti = T.thread_id_in_wg([128])\nwi = T.warp_id_in_wg([4])\n"
)


def ids(scope, threads):
    group = f"wg = T.warpgroup_id([{threads // 128}])\nwi = T.warp_id_in_wg([4])\nti = T.thread_id_in_wg([128])\n"
    rest = f"thread = T.thread_id([{threads}])\nwarp = T.warp_id([{threads // 32}])\nlane = T.lane_id([32])\n"
    return IDS + (group if scope == "warpgroup" else "") + rest


def tile(dims):
    """T.TileLayout of (extent, stride) pairs."""
    extents = "".join(f"{extent}, " for extent, _ in dims)
    strides = "".join(f"{stride}, " for _, stride in dims)
    return f"T.TileLayout(T.S[({extents}) : ({strides})])"


def swizzled(dtype, length, inner):
    unit = (128 // BITS[dtype]).bit_length() - 1
    return f"T.ComposeLayout({unit}, {length}, 3, {inner})"


def alloc(name, shape, dtype, scope, layout):
    return f"{name} = T.alloc_buffer({tuple(shape)}, '{dtype}', scope='{scope}', layout={layout})\n"


def tensor(name, shape, dtype, layout, address="0"):
    return f"{name} = T.decl_buffer({tuple(shape)}, '{dtype}', scope='tmem', allocated_addr={address}, layout={layout})\n"


def matrix_copy(rng):
    scope, threads = rng.choice([("warp", 32), ("warp", 64), ("warpgroup", 128), ("cta", 64), ("cta", 128)])
    space, axis = SPACES[scope]
    lane = f" @ Axis.{axis}"
    warps = {"warp": 1, "warpgroup": 4, "cta": threads // 32}[scope]
    high, wide = rng.choice([1, 2]), rng.choice([1, 2, 4, 8])
    rows, columns = 8 * warps * high, 8 * wide
    inner = [(warps, "32" + lane), (high, 2 * wide), (8, "4" + lane), (wide, 2), (4, "1" + lane), (2, 1)]
    if rng.random() < 0.5:
        inner[1], inner[3] = (high, 2), (wide, 2 * high)
    turned = rng.random() < 0.3
    plain = tile([(rows, 1), (columns, rows)] if turned else [(rows, columns), (columns, 1)])
    dtype = rng.choice(["float16", "float16", "bfloat16", "float32"])
    layout = swizzled("float16", rng.choice([1, 2, 3]), plain) if rng.random() < 0.6 else plain
    body = alloc("S", (rows, columns), dtype, "shared", layout) + alloc("R", (rows, columns), dtype, "local", tile(inner))
    sides = rng.choice(["R, S", "S, R"])
    return "sm_90a", ids(scope, threads) + body + f"{space}.copy({sides}, dispatch='ldstmatrix')\n"


def gemm(rng):
    scope = rng.choice(["warp", "warp", "warpgroup", "cta"])
    space, axis = SPACES[scope]
    lane = f" @ Axis.{axis}"
    warps = {"warp": 1, "warpgroup": 4, "cta": 2}[scope]
    down = rng.choice([w for w in (1, 2, 4) if warps % w == 0])
    across = warps // down
    m, n, k, high = rng.choice([1, 2]), rng.choice([1, 2, 4]), rng.choice([1, 2]), rng.choice([1, 2, 2, 4])
    rows = [(down, f"{32 * across}{lane}")] * (down > 1)
    columns = [(across, "32" + lane)] * (across > 1)
    quad, pair = (4, "1" + lane), (2, 1)
    c = [*rows, (m, 4 * n), (2, 2), (8, "4" + lane), *columns, (n, 4), quad, pair]
    a_rows, a_deep = [*rows, (m, 4 * high * k), (2, 2), (8, "4" + lane)], [(k, 4 * high), (high, 4), quad, pair]
    b_deep, b_wide = [(k, 2 * high * n), (high, 2), quad, pair], [*columns, (n, 2 * high), (8, "4" + lane)]
    sizes = 16 * m * down, 8 * n * across, 8 * high * k
    dtype = rng.choice(["float16", "float16", "bfloat16", "float32"])
    turned_a, turned_b = rng.random() < 0.3, rng.random() < 0.5
    a_shape = (sizes[2], sizes[0]) if turned_a else (sizes[0], sizes[2])
    b_shape = (sizes[1], sizes[2]) if turned_b else (sizes[2], sizes[1])
    body = alloc("A", a_shape, dtype, "local", tile(a_deep + a_rows if turned_a else a_rows + a_deep))
    body += alloc("B", b_shape, dtype, "local", tile(b_wide + b_deep if turned_b else b_deep + b_wide))
    body += alloc("C", sizes[:2], "float32", "local", tile(c))
    call = f"{space}.gemm(C, A, B, C, transpose_A={turned_a}, transpose_B={turned_b}, beta={rng.choice(['0.0', '1.0', '0.5'])})\n"
    return "sm_80", ids(scope, 128 if scope == "warpgroup" else warps * 32) + body + call


def tensor_memory(rng):
    dtype = rng.choice(["float32", "float32", "float16", "int8"])
    words = 32 // BITS[dtype]
    form = rng.choice(["32x32b", "32x32b", "16x64b", "16x128b", "16x256b"])
    rows = 128 if form == "32x32b" else rng.choice([64, 128])
    columns = {"32x32b": 1, "16x64b": 2, "16x128b": 4, "16x256b": 8}[form] * rng.choice([1, 2, 4, 8, 16, 3]) * words
    path = f"tvm.tirx.layout.tmem_datapath_layout('F', 64, {2 * columns}{rng.choice(['', ', sub_slab=1'])})"
    flat = tile([(rows, "1 @ Axis.TLane"), (2 * columns, "1 @ Axis.TCol")])
    mine = f"tvm.tirx.layout.tcgen05_atom_layout('{form}', ({rows}, {columns}), '{dtype}')"
    if form == "32x32b":
        mine = tile([(128, "1 @ Axis.tid_in_wg"), (columns, 1)])
    body = tensor("C", (rows, 2 * columns), dtype, path if rows == 64 and rng.random() < 0.8 else flat)
    body += alloc("R", (rows, columns), dtype, "local", mine)
    first = rng.choice(["0", str(columns), f"block * {columns}"])
    sides = [f"C[0:{rows}, {first} : {first} + {columns}]", f"R[0:{rows}, 0:{columns}]"]
    rng.shuffle(sides)
    return "sm_100a", ALL_IDS + body + f"{rng.choice(['T.wg'] * 5 + ['T.warp'])}.copy_async({', '.join(sides)})\n"


def to_tensor_memory(rng):
    dtype = rng.choice(["float32", "float16", "uint8", "float8_e4m3fn"])
    unit = 128 // BITS[dtype]
    name, lanes, copies = rng.choice(
        [("128x256b", 1, ""), ("4x256b", 32, ""), ("128x128b", 1, ""), ("64x128b", 1, "2 : 64"), ("32x128b", 1, "4 : 32")]
    )
    rows = int(name.split("x")[0])
    columns = unit * (2 if "256" in name else 1) * rng.choice([1, 2, 4])
    length = rng.choice([0, 0, 1, 2, 3])
    width = unit << length
    if length == 0:
        shared = tile([(max(rows // 8, 1), 8 * unit), (min(rows, 8), unit), (columns // unit, rows * unit), (unit, 1)])
    else:
        columns = max(columns, width)
        shared = swizzled(dtype, length, tile([(rows, width), (columns // width, rows * width), (width, 1)]))
    there = f"T.S[({rows}, {columns}) : ({lanes} @ Axis.TLane, 1 @ Axis.TCol)]"
    there = f"T.TileLayout({there}{' + T.R[' + copies + ' @ Axis.TLane]' if copies else ''})"
    body = alloc("S", (rows, columns), dtype, "shared", shared) + tensor("C", (rows, columns), dtype, there)
    config = rng.choice(["", "", ", cta_group=2", f", shape='{name}'", ", shape='128x128b'"])
    return "sm_100a", ALL_IDS + body + f"if thread == 0:\n    T.thread.copy_async(C, S{config})\n"


def gemm_async(rng):
    scaled, blocks = rng.random() < 0.3, rng.choice([1, 1, 2])
    dtype = rng.choice(["float8_e4m3fn", "float4_e2m1fn"] if scaled else ["float16", "bfloat16", "float8_e5m2", "float32"])
    depth = {"float4_e2m1fn": 64, "float8_e4m3fn": 32, "float8_e5m2": 32, "float32": 8}.get(dtype, 16)
    rows = 128 if scaled else rng.choice([128, 128, 64, 256])
    columns, steps = rng.choice([16, 64, 128, 256, 512, 96]), rng.choice([4, 4, 8, 2])
    length = rng.choice([3, 3, 2, 1])
    width = (128 // BITS[dtype]) << length
    deep = max(depth * steps, width)
    steps = deep // depth
    shapes = [(rows, deep), (columns // blocks, deep)]
    body = ""
    for name, (high, wide) in zip("AB", shapes):
        inner = tile([(high, width), (wide // width, high * width), (width, 1)])
        body += alloc(name, (high, wide), dtype, "shared", swizzled(dtype, length, inner))
    flat = tile([(rows, "1 @ Axis.TLane"), (columns, "1 @ Axis.TCol")])
    path = f"tvm.tirx.layout.tmem_datapath_layout('F', 64, {columns})"
    body += tensor("C", (rows, columns), "float32", path if rows == 64 and rng.random() < 0.7 else flat)
    config = f", cta_group={blocks}" + (", is_AB_tf32=True" if dtype == "float32" else "")
    config += rng.choice(["", "", ", smem_desc='recompute'", ", smem_desc='local_hoist'", ", smem_desc='encode'"])
    config += rng.choice(["", ", accum=True", ", accum=thread"])
    if scaled:
        kind = rng.choice(["float8_e8m0fnu", "float8_e4m3fn"])
        each = {"float8_e8m0fnu": 2, "float8_e4m3fn": 4}[kind] if dtype == "float4_e2m1fn" else 1
        for name, high in (("P", rows), ("Q", max(columns, 32))):
            step = each if each * steps <= 4 else high // 8
            dims = f"({high // 32}, 32, {steps}, {each}) : (4 @ Axis.TCol, 1 @ Axis.TLane, {step} @ Axis.TCol, 1 @ Axis.TCol)"
            body += tensor(name, (high, each * steps), kind, f"T.TileLayout(T.S[{dims}] + T.R[4 : 32 @ Axis.TLane])", "256")
        config += ", SFA=P, SFB=Q"
    by_warp = rng.random() < 0.4
    condition, space = ("warp == 0", "T.warp") if by_warp else ("thread == 0", "T.thread")
    return "sm_100a", ALL_IDS + body + f"if {condition}:\n    {space}.gemm_async(C, A, B{config})\n"


def cluster_copy(rng):
    dtype, (rows, columns) = rng.choice(["float16", "float32"]), rng.choice([(8, 64), (16, 32)])
    plain = tile([(rows, columns), (columns, 1)])
    layouts = [plain, swizzled(dtype, 3, plain), tile([(rows, 1), (columns, rows)])]
    body = alloc("X", (rows, columns), dtype, "shared", rng.choice(layouts))
    body += alloc("Y", (rows, columns), dtype, "shared", rng.choice(layouts))
    part = rng.choice([f"0:{rows}, 0:{columns}", f"0:{rows}, {columns // 2}:{columns}", f"{rows // 2}:{rows}, 0:{columns}"])
    config = rng.choice([", mbar=mb.ptr_to([0]), remote_cta_id=1", ", mbar=mb.ptr_to([0]), remote_cta_id=1 - pb", ""])
    head = "pb = T.cta_id_in_cluster([2])\ncl = T.cluster_id([4])\nthread = T.thread_id([64])\n"
    body += f"mb = T.alloc_shared((1,), 'uint64')\nif thread == 0:\n    T.thread.copy_async(Y[{part}], X[{part}]{config})\n"
    return "sm_90a", head + body


FAMILIES = [matrix_copy, gemm, tensor_memory, to_tensor_memory, gemm_async, cluster_copy]


def kernels(count, seed, family):
    rng = random.Random(seed)
    chosen = [make for make in FAMILIES if family in (None, make.__name__)]
    for number, make in zip(range(count), itertools.cycle(chosen)):
        arch, body = make(rng)
        lines = "".join(f"    {line}\n" for line in body.splitlines())
        yield f"{make.__name__}-{number}", arch, f"@T.prim_func\ndef main():\n    T.device_entry()\n{lines}"


def main():
    options = kernel_comparison.arguments(count=120)
    cases = list(kernels(options.count, options.seed, options.family))
    program = PROGRAM + "\n".join(f"one({name!r}, {arch!r}, {text!r})" for name, arch, text in cases) + "\n"
    kernel_comparison.compare(options, program, cases, ("lower", "pipeline"), allowed=["only TVM refuses (pipeline)"], least=4)


if __name__ == "__main__":
    main()
