# SPDX-License-Identifier: Apache-2.0
"""Tensor expressions written by hand: reducers, several results, extern parts, unusual indices and dtypes."""
from tvm import te, tirx


def place(shape, dtype="float32", name="A"):
    return te.placeholder(shape, dtype=dtype, name=name)


def matmul(n, m, k, dtype, acc):
    a, b = place((n, k), dtype), place((k, m), dtype, "B")
    r = te.reduce_axis((0, k), "k")
    return te.create_prim_func([a, b, te.compute((n, m), lambda i, j: te.sum(a[i, r].astype(acc) * b[r, j].astype(acc), axis=r), name="C")])


def chain(n, dtype):
    a = place((n, n), dtype)
    b = te.compute((n, n), lambda i, j: a[i, j] * tirx.const(2, dtype), name="B")
    c = te.compute((n, n), lambda i, j: b[i, j] + tirx.const(1, dtype), name="C")
    d = te.compute((n,), lambda i: c[i, n - 1 - i], name="D")
    return te.create_prim_func([a, d])


def argmax(n, m, dtype):
    a, idx = place((n, m), dtype), place((n, m), "int32", "idx")
    r = te.reduce_axis((0, m), "k")
    reducer = te.comm_reducer(
        lambda x, y: (tirx.Select(x[1] >= y[1], x[0], y[0]), tirx.Select(x[1] >= y[1], x[1], y[1])),
        lambda t0, t1: (tirx.const(-1, t0), tirx.min_value(t1)), name="argmax")
    first, second = te.compute((n,), lambda i: reducer((idx[i, r], a[i, r]), axis=r), name="R")
    return te.create_prim_func([idx, a, first, second])


def stencil(n, dtype):
    a = place((n + 2,), dtype)
    b = te.compute((n,), lambda i: (a[i] + a[i + 1] + a[i + 2]) / tirx.const(3, dtype), name="mean")
    c = te.compute((n,), lambda i: tirx.if_then_else(tirx.all(i > 0, i < n - 1), b[i], tirx.const(0, dtype)), name="inner")
    return te.create_prim_func([a, c])


def several(n):
    a = place((n, 4))
    b, c = te.compute((n, 4), lambda i, j: (a[i, j] + 1.0, a[i, j] * 2.0), name="both")
    return te.create_prim_func([a, b, c])


def extern(n):
    a, b = place((n, n)), place((n, n), name="B")
    c = te.extern((n, n), [a, b], lambda ins, outs: tirx.call_packed("tvm.contrib.cblas.matmul", ins[0], ins[1], outs[0], False, True), name="C")
    return te.create_prim_func([a, b, c])


def extern_dtypes(n):
    a = place((n,), "float16")
    c = te.extern([(n,), (n, 2)], [a], lambda ins, outs: tirx.call_packed("two", ins[0], outs[0], outs[1], tirx.const(3, "int64"), "text"), dtype=["float32", "int8"], name="C")
    return te.create_prim_func([a, *c])


def intrinsics(n, dtype):
    a = place((n,), dtype)
    ops = [tirx.exp, tirx.tanh, tirx.sqrt, tirx.log, tirx.sin, tirx.floor, tirx.sigmoid, tirx.erf, tirx.rsqrt]
    current = a
    for number, op in enumerate(ops):
        current = step(current, op, f"step{number}")
    return te.create_prim_func([a, current])


def step(source, op, name):
    return te.compute(source.shape, lambda *at: op(source[at]), name=name)


def integers(n, dtype):
    a, b = place((n,), dtype), place((n,), dtype, "B")
    one = te.compute((n,), lambda i: tirx.floordiv(a[i], b[i]) + tirx.floormod(a[i], b[i]), name="floors")
    two = te.compute((n,), lambda i: tirx.truncdiv(a[i], b[i]) - tirx.truncmod(a[i], b[i]), name="truncs")
    three = te.compute((n,), lambda i: (one[i] << tirx.const(2, dtype)) ^ (two[i] >> tirx.const(1, dtype)) & a[i] | ~b[i], name="bits")
    four = te.compute((n,), lambda i: tirx.max(tirx.min(three[i], a[i]), tirx.const(0, dtype)), name="clip")
    return te.create_prim_func([a, b, four])


def comparisons(n, dtype):
    a, b = place((n,), dtype), place((n,), dtype, "B")
    c = te.compute((n,), lambda i: tirx.Select(tirx.any(tirx.all(a[i] < b[i], a[i] != tirx.const(3, dtype)), tirx.Not(a[i] >= b[i])), a[i], b[i]), name="choose")
    d = te.compute((n,), lambda i: (c[i] == b[i]).astype("int32") * 2 - tirx.Cast("int32", c[i] <= a[i]), name="count")
    return te.create_prim_func([a, b, d])


def dynamic(kind):
    n, m = tirx.Var("n", kind), tirx.Var("m", kind)
    a = place((n, m * 2))
    r = te.reduce_axis((0, m * 2), "k")
    b = te.compute((n,), lambda i: te.max(a[i, r], axis=r), name="top")
    c = te.compute((n, m), lambda i, j: a[i, j + m] - b[i], name="less")
    return te.create_prim_func([a, c])


def strided(n):
    x = tirx.Var("stride", "int32")
    a = place((n, x))
    return te.create_prim_func([a, te.compute((n,), lambda i: a[i, x - 1] + tirx.Cast("float32", i * x), name="edge")])


def floats(dtype):
    a = place((16,), dtype)
    values = [0.1, 1e-30, 1e30, float("inf"), -2.5, 1 / 3, 3.0, 65504.0, 1e-7, 123456789.125]
    current = a
    for number, value in enumerate(values):
        if dtype == "float16" and abs(value) > 65504.0 and value != float("inf"):
            continue
        constant = tirx.const(value, dtype)
        current = step(current, lambda x: tirx.max(x, constant), f"v{number}")  # noqa: B023 (called at once)
    return te.create_prim_func([a, current])


def reducers(kind, dtype):
    a = place((8, 12, 6), dtype)
    r, s = te.reduce_axis((0, 12), "r"), te.reduce_axis((2, 6), "s")
    op = {"sum": te.sum, "max": te.max, "min": te.min}[kind]
    return te.create_prim_func([a, te.compute((8,), lambda i: op(a[i, r, s], axis=[r, s], where=None), name=kind)])


def one_loop_reducer(dtype):
    a = place((4, 8), dtype)
    r = te.reduce_axis((0, 8), "r")
    mean = te.comm_reducer(lambda x, y: x + y * tirx.const(2, dtype), lambda t: tirx.const(0, t), name="mix")
    return te.create_prim_func([a, te.compute((4,), lambda i: mean(a[i, r], axis=r), name="mixed")])


def scalar_result():
    a = place((8,))
    r = te.reduce_axis((0, 8), "r")
    total = te.compute((), lambda: te.sum(a[r], axis=r), name="total")
    return te.create_prim_func([a, te.compute((8,), lambda i: a[i] / total(), name="share")])


def let(n):
    a = place((n,))
    def body(i):
        v = tirx.Var("v", "float32")
        return tirx.Let(v, a[i] + 1.0, v * v)
    return te.create_prim_func([a, te.compute((n,), body, name="square")])


def cases():
    dtypes = ["float32", "float16", "float64", "bfloat16", "int32", "int8", "int64", "uint8"]
    for n, m, k in [(16, 16, 16), (128, 64, 32), (1, 64, 64), (7, 5, 3), (512, 512, 512)]:
        for dtype, acc in [("float32",) * 2, ("float16", "float32"), ("int8", "int32"), ("float16", "float16"), ("uint8", "int32"), ("float8_e4m3fn", "float32")]:
            yield f"te/matmul-{n}-{m}-{k}-{dtype}-{acc}", lambda a=(n, m, k, dtype, acc): matmul(*a)
    for dtype in dtypes:
        for n in [4, 16, 33]:
            yield f"te/chain-{n}-{dtype}", lambda a=(n, dtype): chain(*a)
        yield f"te/one_loop_reducer-{dtype}", lambda d=dtype: one_loop_reducer(d)
        yield f"te/comparisons-{dtype}", lambda d=dtype: comparisons(20, d)
        if "uint" not in dtype:
            yield f"te/argmax-{dtype}", lambda d=dtype: argmax(8, 16, d)
        for kind in ["sum", "max", "min"]:
            yield f"te/{kind}-{dtype}", lambda k=kind, d=dtype: reducers(k, d)
    for dtype in ["float32", "float16", "float64"]:
        yield f"te/stencil-{dtype}", lambda d=dtype: stencil(30, d)
        yield f"te/floats-{dtype}", lambda d=dtype: floats(d)
        yield f"te/intrinsics-{dtype}", lambda d=dtype: intrinsics(16, d)
    for dtype in ["int32", "int64", "int8", "uint8", "int16", "uint32", "uint64"]:
        yield f"te/integers-{dtype}", lambda d=dtype: integers(12, d)
    for kind in ["int32", "int64"]:
        yield f"te/dynamic-{kind}", lambda k=kind: dynamic(k)
    yield "te/strided", lambda: strided(8)
    yield "te/several", lambda: several(8)
    yield "te/extern", lambda: extern(16)
    yield "te/extern_dtypes", lambda: extern_dtypes(16)
    yield "te/scalar_result", scalar_result
    yield "te/let", lambda: let(9)
