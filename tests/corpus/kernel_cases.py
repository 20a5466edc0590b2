# SPDX-License-Identifier: Apache-2.0
"""Functions of the kernel dialect: templates of text over shapes, types, scopes and layouts, read by TVM, and what
the passes of its pipeline for kernels make of them."""
import itertools

SCOPES = ["thread", "warp", "wg", "warpgroup", "cta", "cluster", "tile"]
FLOATS = ["float16", "bfloat16", "float32", "float64", "float8_e4m3fn", "float8_e5m2"]
TYPES = [*FLOATS, "int8", "uint8", "int32", "uint32", "int64"]
SHAPES = [(128,), (64, 64), (128, 32), (4, 16, 32), (2, 3, 8, 8)]
LAYOUTS = {
    (64, 64): ["None", "T.TileLayout(T.S[(64, 64):(1, 64)])", "T.TileLayout(T.S[(64, 64):(72, 1)])",
               "T.TileLayout(T.S[(8, 8, 64):(512, 64, 1)])", "T.ComposeLayout(3, 3, 3, T.TileLayout(T.S[(64, 64):(64, 1)]))",
               "T.ComposeLayout(3, 2, 3, T.TileLayout(T.S[(64, 64):(64, 1)]), swizzle_inner=False)",
               "T.TileLayout(T.S[(64, 64):(64, 1)] + 128)", "T.TileLayout(T.S[(64, 64):(64, 1)] + T.R[2:4096])"],
    (128, 32): ["T.TileLayout(T.S[(128, 32):(1 @ Axis.tid_in_wg, 1)])", "T.TileLayout(T.S[(4, 32, 32):(1 @ Axis.warpid, 1 @ Axis.laneid, 1)])",
                "T.TileLayout(T.S[(128, 32):(1 @ Axis.TLane, 1 @ Axis.TCol)])",
                "T.TileLayout(T.S[(16, 8, 4, 8):(4 @ Axis.laneid, 1 @ Axis.warpid, 1 @ Axis.laneid, 1)] + T.R[2:8 @ Axis.warpid] + 1 @ Axis.cbx)"],
}


def lines(text, indent):
    return "".join(" " * indent + line + "\n" if line else "\n" for line in text.strip("\n").split("\n"))


def function(parameters, body, decorator="T.prim_func", name="main"):
    return f"@{decorator}\ndef {name}({parameters}):\n{lines(body, 4)}"


def buffer(shape, dtype, **more):
    rest = "".join(f", {key}={value}" for key, value in more.items())
    return f'T.Buffer({shape!r}, "{dtype}"{rest})'


def index(shape, names):
    return ", ".join(names[: len(shape)])


def region(shape, half=False):
    return ", ".join(f"0:{extent // 2 if half and at == 0 else extent}" for at, extent in enumerate(shape))


def scope_ids():
    ids = {
        "cluster_id": ("[2]", "[2, 3]"), "cta_id": ("[4]", "[4, 2]", "[n]", "[n + 1, 2, 3]"), "cta_id_in_cluster": ("[2]", "[2, 1]", "[2], preferred=[4]"),
        "cta_id_in_pair": ("",), "warpgroup_id": ("[2]", ""), "warp_id": ("[8]", ""), "warp_id_in_wg": ("[4]", ""),
        "lane_id": ("[32]", ""), "thread_id": ("[256]", "[16, 16]", "[8, 8, 4]", ""), "thread_id_in_wg": ("[128]", ""),
    }
    for name, extents in ids.items():
        for extent, dtype in itertools.product(extents, ["", 'dtype="uint32"']):
            count = extent.split("]")[0].count(",") + 1
            targets = ", ".join("xyz"[:count])
            arguments = ", ".join(part for part in (extent, dtype) if part)
            yield f"T.device_entry()\n{targets} = T.{name}({arguments})\nA[{'x'} % 8] = 1.0"
    for chosen in (["cta_id", "thread_id"], ["cta_id", "warp_id", "lane_id"], ["cta_id", "warpgroup_id", "warp_id_in_wg", "lane_id"],
                   ["cluster_id", "cta_id_in_cluster", "warp_id", "lane_id"], ["cta_id", "warpgroup_id", "thread_id_in_wg"],
                   ["cta_id", "cta_id_in_cluster", "cta_id_in_pair", "thread_id"]):
        body = ["T.device_entry()"] + [f"v{at} = T.{name}({ids[name][0]})" for at, name in enumerate(chosen)]
        total = " + ".join(f"v{at}" for at in range(len(chosen)))
        yield "\n".join([*body, f"A[({total}) % 8] = 1.0"])
        yield "\n".join([*body, f"if {total} == 0:", "    A[0] = 1.0", "else:", "    A[1] = 2.0"])
        yield "\n".join([*body, "if v0 == 0:", "    for i in T.unroll(4):", "        A[i] = 1.0", f"    T.evaluate({total})"])
    for parent, cur in (("kernel", "cluster"), ("kernel", "cta"), ("cluster", "cta"), ("cta", "warpgroup"), ("cta", "warp"),
                        ("warpgroup", "warp"), ("warp", "thread"), ("cta", "thread"), ("warpgroup", "thread")):
        yield f'T.device_entry()\nx = T.scope_id([4], "{parent}", "{cur}")\nA[x] = 1.0'


UNARY = ["cast", "copy", "copy_async", "exp", "exp2", "log2", "permute_layout", "reciprocal", "silu", "sqrt", "zero"]
BINARY = ["add", "fdiv", "maximum", "minimum", "mul", "sub"]
REDUCE = ["max", "min", "sum"]


def tile_calls(shape):
    whole, half = region(shape), region(shape, True)
    for op in UNARY:
        yield f"{op}(S, D)"
        yield f"{op}(S[{half}], D[{half}])"
    for op in ("exp", "exp2", "log2", "sqrt"):
        yield f"{op}(S, D, bias=D, scale=2.0)"
        yield f"{op}(S, D, scale=0.5)"
        yield f"{op}(S)"
    for op in BINARY:
        yield f"{op}(S, D, D)"
        yield f"{op}(S[{whole}], D[{whole}], 2.0)"
    for op in REDUCE:
        yield f"{op}(S, D)"
        yield f"{op}(S, D, 0, True)"
        yield f"{op}(S, D, axes=[0], accum=False)"
    yield "fma(S, D, 2.0, D)"
    yield "fma(S, D, D, D)"
    yield "fill(S, 1.0)"
    yield "memset(S, 0)"
    yield 'binary_chain(S, D, D, D, "add", "mul")'
    yield 'binary_chain(S, D, 2.0, D, "sub", "maximum", reverse1=True)'
    yield 'binary_reduce(S, D, S, D, "add", "sum")'
    yield 'binary_reduce(S, D, S, 2.0, "mul", "max", reduce_axes=0)'
    yield 'reduce_negate(S, D, "sum")'
    yield 'unary_reduce(S, D, S, "exp", "sum", bias=D, scale=2.0, reduce_axes=(0,))'
    yield 'unary_reduce(S, D, S, "sqrt", "max")'
    yield "gemm(S, D, D, S, True, False, 1.0, 0.0)"
    yield "gemm(S, D, D, S)"
    yield "gemm_async(S, D, D, transA=True, accum=n > 2)"
    yield 'copy_async(S, D, dispatch="tma", mbar=bar.ptr_to([0]), cta_group=1)'
    yield 'copy(S, D, dispatch="vec_load")'
    yield 'copy(S, D, vec_len=4, flag=True, ratio=0.5, note="x", steps=[1, 2])'
    names = ", ".join("ijkl"[: len(shape)])
    yield f"select(S, D, 0.0, lambda {names}: i < n)"


def tiles():
    """Every primitive, in some of the scopes and on some of the shapes."""
    # A fifth of the product.
    for number, (scope, shape) in enumerate(itertools.product(SCOPES, SHAPES)):
        for at, call in enumerate(tile_calls(shape)):
            if (at + number) % 5:
                continue
            dtype = FLOATS[(at + number) % 4]
            body = (f'T.device_entry()\nbx = T.cta_id([n])\ntx = T.thread_id([128])\nbar = T.alloc_shared((1,), "uint64")\n'
                    f'S = T.alloc_shared({shape!r}, "{dtype}")\nT.{scope}.{call}\n' + f'T.{scope}.copy(D, S)')
            yield f"{scope}-{len(shape)}-{at}", function(f"D: {buffer(shape, dtype)}, n: T.int32", body)


def buffers():
    for dtype, shape in itertools.product(TYPES, SHAPES):
        names = index(shape, ["i", "j", "k", "l"])
        loops = f"for {names} in T.grid({', '.join(map(str, shape))}):" if len(shape) > 1 else f"for i in range({shape[0]}):"
        yield f"grid-{dtype}-{len(shape)}", function(
            f"A: {buffer(shape, dtype)}, B: {buffer(shape, dtype)}",
            f"T.device_entry()\nbx = T.cta_id([1])\ntx = T.thread_id([32])\n{loops}\n    B[{names}] = A[{names}] + A[{names}]")
        yield f"alloc-{dtype}-{len(shape)}", function(
            f"A: {buffer(shape, dtype)}",
            f'T.device_entry()\nbx = T.cta_id([2])\ntx = T.thread_id([64])\nS = T.alloc_shared({shape!r}, "{dtype}")\nL = T.alloc_local((4,), "{dtype}")\n'
            f'D = T.alloc_buffer({shape!r}, "{dtype}", scope="shared.dyn", align=128)\nV = D.view({", ".join(map(str, shape))})\n'
            f"W = S.view({shape[0]}, -1)\nT.cta.copy(S, A)\nT.cuda.cta_sync()\nL[0] = S[{', '.join('0' for _ in shape)}]\nT.cta.copy(V, S)")
    for shape, layouts in LAYOUTS.items():
        for number, layout in enumerate(layouts):
            for dtype in ("float16", "float32", "uint8"):
                where = "tmem" if "TLane" in layout else "local" if "Axis" in layout else "shared"
                address = ", allocated_addr=0" if where == "tmem" else ""
                make = "T.decl_buffer" if where == "tmem" else "T.alloc_buffer"
                yield f"layout-{dtype}-{shape[0]}-{number}", function(
                    f"A: {buffer(shape, dtype)}",
                    f'T.device_entry()\nbx = T.cta_id([1])\ntx = T.thread_id([128])\nS = {make}({shape!r}, "{dtype}", scope="{where}", layout={layout}{address})\nT.cta.copy(S, A)')
                if "Axis" not in layout:
                    yield f"param-{dtype}-{shape[0]}-{number}", function(
                        f"A: {buffer(shape, dtype, layout=layout)}, B: {buffer(shape, dtype)}",
                        f"T.device_entry()\nbx = T.cta_id([1])\ntx = T.thread_id([64])\nfor i in range(64):\n    B[i, tx] = A[tx, i]")
    for scope, offset in itertools.product(["shared", "shared.dyn", "local", "global"], ["byte_offset=256", "elem_offset=64", "elem_offset=n * 8"]):
        yield f"decl-{scope}-{offset[:6]}", function(
            'n: T.int32', f'T.device_entry()\nbx = T.cta_id([1])\ntx = T.thread_id([32])\nbase = T.alloc_buffer((4096,), "uint8", scope="{scope}")\n'
            f'V = T.decl_buffer((32,), "float16", data=base.data, {offset}, scope="{scope}")\nV[tx] = T.float16(1)')


def control():
    bodies = {
        "scalar": "x: T.int32 = 0\nx = x + tx\nA[x % 8] = 1.0",
        "let": "y: T.let = A[tx % 8] + 1.0\nA[0] = y",
        "handle": "p: T.let = T.address_of(A[2])\nT.evaluate(p)",
        "while": "i: T.int32 = 0\nwhile i < 8:\n    A[i] = 0.0\n    i = i + 1",
        "break": "for i in range(8):\n    if i == tx:\n        break\n    if i > n:\n        continue\n    A[i] = 1.0",
        "nested": "if tx < 4:\n    if tx < 2:\n        A[0] = 1.0\n    else:\n        A[1] = 1.0\nelif n > 2:\n    A[2] = 1.0",
        "unroll": "for i in T.unroll(4):\n    for j in T.vectorized(4):\n        A[j] = T.float32(1) * T.Cast(\"float32\", i)",
        "annotated": "for i in T.serial(8, annotations={\"pragma\": 1, \"text\": \"x\"}):\n    A[i] = 0.0",
        "unrolled": "for i in T.serial(8, unroll=True):\n    A[i] = 0.0\nfor j in T.serial(8, unroll=False):\n    A[j] = 1.0",
        "step": "for i in range(0, 8, 2):\n    A[i] = 0.0\nfor k in range(tx, 8, 4):\n    A[k] = 1.0",
        "ternary": "A[0] = T.if_then_else(tx < 4, A[1], A[2])\nA[1] = A[2] if n > 3 else A[4]",
        "select": "A[0] = T.Select(tx < 4, A[1], A[2])",
        "and": "if tx < 4 and n > 2 or tx == 7:\n    A[0] = 1.0",
        "hint": "with T.hint(\"unroll\", depth=2):\n    A[0] = 1.0",
        "attr": "with T.attr({\"k\": 1}):\n    A[0] = 1.0",
        "grid": "for i, j in T.grid(2, 4):\n    A[i * 4 + j] = 1.0",
        "assert": "assert n > 0, \"n is positive\"\nA[0] = 1.0",
        "vector": "v: T.float32[4]\nfor i in T.vectorized(4):\n    v[i] = A[i]\nA[4:8] = T.Broadcast(v[0], 4)",
        "shared": "s: T.int32 = T.int32(0)\nc = T.shared_scalar(\"int32\")\nc = 3\ns = c\nA[s] = 1.0",
        "static": "N = T.meta_var(4)\nfor i in range(N):\n    A[i] = 0.0\nT.static_assert(N == 4, \"N\")",
        "list": "xs = T.meta_var([A[i] for i in range(4)])\nA[0] = xs[0] + xs[1] * xs[2] - xs[3]",
        "math": "A[0] = T.exp(A[1]) + T.sqrt(A[2]) * T.max(A[3], 0.0) - T.sigmoid(A[4]) / T.rsqrt(A[5]) + T.fma(A[1], A[2], A[3])",
        "int": "A[(tx * 3 + n) % 8] = T.Cast(\"float32\", tx // 3 + (n >> 2) + (n & 3) | (n ^ 5) << 1)",
        "reinterpret": "A[0] = T.reinterpret(\"float32\", n)\nA[1] = T.reinterpret(\"float32\", T.reinterpret(\"int32\", A[2]) ^ 1)",
        "float": "A[0] = 1e-05\nA[1] = T.float32(\"inf\")\nA[2] = T.float32(\"-inf\")\nA[3] = T.float32(\"nan\")\nA[4] = 3.4028234663852886e+38\nA[5] = -1.5",
        "evaluate": "T.evaluate(n)\nT.evaluate(T.call_extern(\"int32\", \"f\", n, A.data))\nT.call_extern(\"void\", \"g\", A.ptr_to([tx % 8]))",
        "return": "if n < 0:\n    T.thread_return()\nA[0] = 1.0",
    }
    for name, body in bodies.items():
        start = "T.device_entry()\nbx = T.cta_id([4])\ntx = T.thread_id([32])\n"
        yield name, function(f"A: {buffer((8,), 'float32')}, n: T.int32", start + body)
        yield f"{name}-persistent", function(f"A: {buffer((8,), 'float32')}, n: T.int32", start + f"for t in range(n):\n{lines(body, 4)}", "T.prim_func(persistent=True)")
        yield f"{name}-private", function(f"A: {buffer((8,), 'float32')}, n: T.int32", start + f"if bx == 0:\n{lines(body, 4)}", "T.prim_func(private=True)")
        yield f"{name}-launch", function(
            f"A: {buffer((8,), 'float32')}, n: T.int32",
            'bx = T.launch_thread("blockIdx.x", 4)\ntx = T.launch_thread("threadIdx.x", 32)\n' + body)
        yield f"{name}-host", function(f"A: {buffer((8,), 'float32')}, n: T.int32", "tx: T.let = n\n" + body)


CALLS = """T.cuda.cta_sync()
T.cuda.warp_sync()
T.cuda.warpgroup_sync(1)
T.cuda.cluster_sync()
T.cuda.thread_fence()
T.cuda.trap_when_assert_failed(n > 0)
T.cuda.printf("%d %f\\n", n, A[0])
T.cuda.nano_sleep(n)
T.cuda.atomic_add(A.ptr_to([0]), 1.0)
T.cuda.func_call("f", n, source_code="__device__ void f(int n) {}")
T.ptx["bar.sync"](1, 64)
T.ptx["bar.arrive"](1, 64)
T.ptx["fence.proxy.async"]()
T.ptx["fence.mbarrier_init.release.cluster"]()
T.ptx["setmaxnreg.inc.sync.aligned.u32"](232)
T.ptx["setmaxnreg.dec.sync.aligned.u32"](40)
T.ptx["wgmma.fence.sync.aligned"]()
T.ptx["wgmma.commit_group.sync.aligned"]()
T.ptx["wgmma.wait_group.sync.aligned"](0)
T.ptx["mbarrier.init.shared.b64"](bar.ptr_to([0]), 1)
T.ptx["mbarrier.arrive.shared.b64"](bar.ptr_to([0]))
T.ptx["mbarrier.arrive.expect_tx.shared.b64"](bar.ptr_to([0]), 128)
T.ptx["cp.async.commit_group"]()
T.ptx["cp.async.wait_group"](0)
T.ptx["cp.async.wait_all"]()
T.ptx["cp.async.bulk.commit_group"]()
T.ptx["cp.async.bulk.wait_group.read"](0)
T.ptx["cp.async.ca.shared.global"](S.ptr_to([0]), A.ptr_to([0]), 16)
T.ptx["cp.async.cg.shared.global"](S.ptr_to([0]), A.ptr_to([0]), 16)
T.ptx["tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32"](bar.ptr_to([0]), T.uint32(512))
T.ptx["tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned"]()
T.ptx["tcgen05.wait::ld.sync.aligned"]()
T.ptx["tcgen05.wait::st.sync.aligned"]()
T.ptx["griddepcontrol.wait"]()
T.ptx["griddepcontrol.launch_dependents"]()
T.ptx["elect.sync"](T.uint32(4294967295))
T.tvm_storage_sync("shared")
T.tvm_warp_shuffle(T.uint32(4294967295), A[0], 0, 32, 32)
T.evaluate(T.tvm_warp_activemask())
T.metal.simd_shuffle(A[0], n)
T.nvshmem.barrier_all()
T.nvshmem.quiet()
T.nki.load(S.ptr_to([0]), A.ptr_to([0]))
T.webgpu.subgroup_shuffle(A[0], n)
T.ptx_legacy.ldmatrix(False, 4, ".b16", S.data, 0, A.data, 0)""".split("\n")


def calls():
    for at, call in enumerate(CALLS):
        for extra, wrap in enumerate(["{}", "if tx == 0:\n    {}", "for i in range(n):\n    {}"]):
            body = ('T.device_entry()\nbx = T.cta_id([1])\ntx = T.thread_id([32])\nbar = T.alloc_shared((1,), "uint64")\n'
                    'S = T.alloc_shared((64,), "float32")\n')
            yield f"{at}-{extra}", function(f"A: {buffer((64,), 'float32')}, n: T.int32", body + wrap.format(call))


def pools():
    for at, dtype in enumerate(["float16", "bfloat16", "float32", "float8_e4m3fn", "uint8"]):
        for rows, columns in ((128, 64), (64, 128), (8, 256)):
            yield f"smem-{dtype}-{rows}", function(
                f"A: {buffer((rows, columns), dtype)}",
                f'T.device_entry()\nbx = T.cta_id([1])\ntx = T.thread_id([128])\npool = T.SMEMPool()\na = pool.alloc(({rows}, {columns}), "{dtype}", align=128)\n'
                f'b = pool.alloc_tcgen05_mma_AB(({rows}, {columns}), "{dtype}")\nc = pool.alloc_tcgen05_mma_AB(({rows}, {columns}), "{dtype}", swizzle_mode="none")\n'
                f'pool.move_base_to({1024 * at})\nd = pool.alloc((16,), "uint64")\npool.commit()\nT.cta.copy(a, A)\nT.cta.copy(b, a)')
    for group, columns in itertools.product((1, 2), (64, 128, 256)):
        yield f"tmem-{group}-{columns}", function(
            "n: T.int32",
            f"T.device_entry()\nbx = T.cta_id([1])\ntx = T.thread_id([128])\npool = T.SMEMPool()\ntm = T.TMEMPool(pool, total_cols=512, cta_group={group}, sync_after_alloc={group == 1})\n"
            f'acc = tm.alloc((128, {columns}), "float32")\nhalf = tm.alloc((128, {columns}), "float16")\ntm.move_base_to(0)\n'
            f'd = tm.alloc_tcgen05_mma_D(({128 if group == 2 else 64}, {columns}), "float32", M={256 if group == 2 else 64}, cta_group={group})\n'
            f'sf = tm.alloc_sf((128, 16), "float8_e8m0fnu", sf_per_mma={2 * group})\ntm.commit()\npool.commit()\nT.evaluate(tm.addr)\ntm.dealloc()')


def examples():
    for dtype, (m, n, k), threads in itertools.product(["float16", "float32"], [(128, 128, 32), (64, 256, 64)], (128, 256)):
        yield f"gemm-{dtype}-{m}-{threads}", function(
            f"A: {buffer((m * 4, k * 8), dtype)}, B: {buffer((n * 2, k * 8), dtype)}, C: {buffer((m * 4, n * 2), 'float32')}",
            f'T.device_entry()\nbx, by = T.cta_id([4, 2])\nwarp = T.warp_id([{threads // 32}])\nlane = T.lane_id([32])\ntx = T.thread_id([{threads}])\n'
            f'As = T.alloc_shared(({m}, {k}), "{dtype}")\nBs = T.alloc_shared(({n}, {k}), "{dtype}")\nacc = T.alloc_local(({m * n // threads},), "float32")\n'
            f"for i in T.unroll({m * n // threads}):\n    acc[i] = T.float32(0)\nfor ko in range(8):\n"
            f"    T.cta.copy(As, A[bx * {m}:(bx + 1) * {m}, ko * {k}:(ko + 1) * {k}])\n    T.cta.copy(Bs, B[by * {n}:by * {n} + {n}, ko * {k}:ko * {k} + {k}])\n"
            f"    T.cuda.cta_sync()\n    for i in range({m * n // threads}):\n        for kk in range({k}):\n"
            f'            acc[i] = acc[i] + T.Cast("float32", As[tx % {m}, kk]) * T.Cast("float32", Bs[i % {n}, kk])\n    T.cuda.cta_sync()\n'
            f"for i in T.vectorized(4):\n    C[bx * {m} + tx % {m}, by * {n} + i] = acc[i]")
        yield f"tma-{dtype}-{m}-{threads}", function(
            f"A: {buffer((m, k), dtype)}, B: {buffer((m, k), dtype)}",
            f'T.device_entry()\nbx = T.cta_id([1])\nwg = T.warpgroup_id([{threads // 128}])\ntid = T.thread_id_in_wg([128])\n'
            f'S = T.alloc_buffer(({m}, {k}), "{dtype}", scope="shared", align=1024)\nbar = T.alloc_shared((2,), "uint64")\nphase: T.int32 = 0\n'
            f'if tid == 0:\n    T.ptx["mbarrier.init.shared.b64"](bar.ptr_to([0]), 1)\nT.cuda.cta_sync()\n'
            f'if tid == 0:\n    T.thread.copy_async(S, A, dispatch="tma", mbar=bar.ptr_to([0]))\n'
            f'phase = phase ^ 1\nT.cta.copy(B, S)')


FAMILIES = {
    "ids": lambda: ((str(at), function(f"A: {buffer((8,), 'float32')}, n: T.int32", body)) for at, body in enumerate(scope_ids())),
    "tiles": tiles, "buffers": buffers, "control": control, "calls": calls, "pools": pools, "examples": examples,
}


def cases():
    import tvm

    for family, texts in FAMILIES.items():
        for name, text in texts():
            yield f"kernel-{family}/{name}", lambda t=text: tvm.script.from_source(t)


def lowered(mod, arch="sm_100a"):
    """The module after each pass of the pipeline for kernels, as far as it goes without a device."""
    import tvm
    from tvm.tirx import transform as tt

    target = tvm.target.Target({"kind": "cuda", "arch": arch}, host="llvm")
    passes = [
        tt.BindTarget(target), tt.LowerTIRx(), tvm.s_tir.transform.UnifyThreadBinding(), tt.StmtSimplify(), tt.LowerTIRxOpaque(), tt.FlattenBuffer(),
        tt.BF16ComputeLegalize(), tt.NarrowDataType(32), tt.VectorizeLoop(True), tt.UnrollLoop(), tt.StmtSimplify(),
        tt.CommonSubexprElim(), tt.FP8ComputeLegalize(), tt.VerifyMemory(), tt.AnnotateEntryFunc(), tt.SplitHostDevice(),
        tt.MakePackedAPI(), tt.FP8StorageLegalize(), tt.BF16StorageLegalize(), tt.LowerTVMBuiltin(), tt.LowerIntrin(),
    ]
    with target:
        for number, one in enumerate(passes):
            mod = one(mod)
            yield f"{number:02}-{one.info.name}", mod
