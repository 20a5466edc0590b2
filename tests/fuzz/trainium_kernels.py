# SPDX-License-Identifier: Apache-2.0
"""Random kernels for Trainium with one tile primitive each, dispatched by mlc and by TVM: texts must agree, and so must refusals.

    python tests/fuzz/trainium_kernels.py MLC PYTHON [--count N] [--seed S] [--family NAME]

MLC is the program, PYTHON a Python with apache-tvm. Compared is the kernel after TrnPrivateBufferAlloc and
TilePrimitiveDispatch. What differs is printed, with its kernel. Kernels keep clear of what TVM gets wrong
(tests/stdlib/trn/schedules_differences_no_oracle.mlc): several banks, transposes to other numbers of partitions, ...
"""
import itertools
import math
import random

import kernel_comparison

PROGRAM = '''import contextlib
import io
import tvm
from tvm import tirx
from tvm.backend.trn import transform as trn
from tvm.script import tirx as T


def one(name, text):
    stage = "parse"
    try:
        f = tvm.script.from_source(text)
        mod = tvm.IRModule({"main": f.with_attr("target", tvm.target.Target("aws/trn1/trn1.2xlarge"))})
        with contextlib.redirect_stdout(io.StringIO()):  # TVM prints what it transposes
            stage = "buffers"
            mod = trn.TrnPrivateBufferAlloc()(mod)
            stage = "dispatch"
            mod = tirx.transform.TilePrimitiveDispatch()(mod)
        print("=== " + name + " dispatched")
        print(mod["main"].without_attr("target"))
    except Exception as e:
        print("=== " + name + " refused")
        print(stage, type(e).__name__)


'''
BINARY = ("add", "sub", "mul", "maximum", "minimum")
REDUCTIONS = ("sum", "max", "min")
LIMITS = ("", "", "", ", max_inst_size=128", ", max_inst_size=64", ", max_inst_size=1024", ", max_inst_size=100")


class Kernel:
    """Buffers and one call. Dimensions are (extent, "P" or "F")."""

    def __init__(self, rng):
        self.rng = rng
        self.buffers, self.parameters = [], []
        self.trips = rng.choice([2, 3, 4]) if rng.random() < 0.35 else 0  # of the loop around the call

    def maybe(self, probability):
        return self.rng.random() < probability

    def dims(self, free=None):
        rng = self.rng
        free = [(rng.choice([2, 4, 8, 16, 64, 128, 512, 3, 6, 100]), "F") for _ in range(free or rng.choice([1, 1, 2, 3]))]
        if self.maybe(0.85):
            across = [(rng.choice([128, 128, 128, 256, 512, 64, 32]), "P")]
        else:
            across = [(rng.choice([2, 4, 8]), "P"), (rng.choice([4, 8, 16]), "P")]
        dims = across + free
        if self.maybe(0.5):
            rng.shuffle(dims)
        return dims

    def bound(self, dims):
        """(dimension, a bound that changes from trip to trip), or None."""
        at = self.rng.randrange(len(dims))
        extent, axis = dims[at]
        step = 128 if axis == "P" else max(1, extent // 4)
        if not self.trips or self.maybe(0.7) or extent <= step or (axis == "P" and extent % 128):
            return None
        return at, f"T.min(i * {step}, {extent})"

    def operand(self, dims, scope="trn.sbuf", dtype="float32", bound=None, units=0.1):
        """A region with these extents of a new buffer, with dimensions of one element here and there."""
        rng = self.rng
        shape, axes, picks = [], [], []
        across = [extent for extent, axis in dims if axis == "P"]
        for at, (extent, axis) in enumerate(dims):
            while self.maybe(units):
                shape.append(rng.choice([1, 2, 4]))
                axes.append("F")
                picks.append(str(rng.randrange(shape[-1])))
            times = rng.choice([1, 1, 2, 3])
            if axis == "P" and (len(across) > 1 or extent % 128):
                times = 1
            shape.append(extent * times)
            axes.append(axis)
            first = rng.randrange(times) * extent
            if bound and bound[0] == at:
                picks.append(f"0 : {bound[1]}")
            elif self.trips and times >= self.trips and self.maybe(0.5):
                picks.append(f"i * {extent} : (i + 1) * {extent}")
            elif axis == "F" and self.maybe(0.15):
                first = rng.randint(0, extent * (times - 1))
                picks.append(f"{first} : {first + extent}")
            else:
                picks.append(":" if times == 1 else f"{first} : {first + extent}")
        if scope == "trn.psum" and math.prod(shape) // min(math.prod(across), 128) > 512:
            scope = "trn.sbuf"  # TVM goes astray in several banks
        name = f"X{len(self.buffers) + len(self.parameters)}"
        if scope == "global":
            self.parameters.append(f'{name}: T.Buffer({tuple(shape)}, "{dtype}")')
        else:
            layout = "".join(axes)
            self.buffers.append(f'{name} = T.alloc_buffer({tuple(shape)}, "{dtype}", scope="{scope}", layout="{layout}")')
        return f"{name}[{', '.join(picks)}]"

    def source(self):
        return "trn.psum" if self.maybe(0.15) else "trn.sbuf"

    def dtype(self):
        return self.rng.choice(["float32", "float32", "float16", "bfloat16"])

    def constant(self):
        return self.rng.choice(["T.float32(2.5)", "T.float32(0)", "1.5", "T.float16(0.5)"])

    def limit(self):
        return self.rng.choice(LIMITS)

    def broadcast(self, dims):
        """The dimensions with some of one element, leading ones left out now and then."""
        share = self.rng.choice([0.4, 0.7, 1])
        found = [(1 if axis == "F" and self.maybe(share) else extent, axis) for extent, axis in dims]
        while found[0][0] == 1 and self.maybe(0.6):
            found = found[1:]
        return found

    def text(self, call):
        lines = [*self.buffers, *([f"for i in range({self.trips}):", "    " + call] if self.trips else [call])]
        return f"@T.prim_func\ndef main({', '.join(self.parameters)}):\n    T.device_entry()\n" + "".join(
            f"    {line}\n" for line in lines
        )


def copy(k):
    dims, dtype = k.dims(), k.dtype()
    bound = k.bound(dims)
    to, of = k.rng.choice([("trn.sbuf", "global"), ("global", "trn.sbuf"), (k.source(), k.source())])
    limit = k.limit() if "global" not in (to, of) or k.maybe(0.05) else ""
    return f"T.tile.copy({k.operand(dims, to, dtype, bound)}, {k.operand(dims, of, dtype, bound)}{limit})"


def transpose(k):
    dims = [(128 * k.rng.choice([1, 1, 2, 4]), "P"), (128 * k.rng.choice([1, 1, 2, 4]), "F")]
    dims += [(k.rng.choice([2, 4, 8]), "F")] * k.maybe(0.4)
    order = list(range(len(dims)))
    k.rng.shuffle(order)
    turned = [(dims[at][0], "FPF"[at]) for at in order]
    dims = [dims[at] for at in order]
    bound = k.bound([(extent, "P") for extent, _ in dims])
    scope, dtype, units = k.rng.choice(["trn.sbuf", "trn.sbuf", "trn.psum"]), k.dtype(), 0.1 * k.maybe(0.3)
    return f"T.tile.copy({k.operand(turned, scope, dtype, bound, units)}, {k.operand(dims, 'trn.sbuf', dtype, bound, units)})"


def unary(k):
    dims, dtype = k.dims(), k.dtype()
    bound = k.bound(dims)
    name = k.rng.choice(["memset", "reciprocal", "exp", "exp", "sqrt"])
    target = k.operand(dims, "trn.sbuf", dtype, bound)
    if name == "memset":
        return f"T.tile.memset({target}, {k.constant()}{k.limit()})"
    call = f"T.tile.{name}({target}, {k.operand(dims, k.source(), k.dtype(), bound)}"
    if name != "reciprocal" and k.maybe(0.3):
        call += f", bias={k.constant()}"
    elif name != "reciprocal" and k.maybe(0.5):
        call += f", bias={k.operand(k.broadcast(dims), k.source(), dtype)}"
    if name != "reciprocal" and k.maybe(0.4):
        call += f", scale={k.constant()}"
    return call + k.limit() + ")"


def binary(k):
    dims, dtype, units = k.dims(), k.dtype(), 0.1 * k.maybe(0.4)
    bound = k.bound(dims)
    target, left = [k.operand(dims, scope, dtype, bound, units) for scope in ("trn.sbuf", k.source())]
    right = k.rng.choice(["constant", "same", "broadcast", "broadcast"])
    if right == "constant":
        right = k.constant()
    else:
        right = k.operand(dims, k.source(), dtype, bound, units) if right == "same" else k.operand(k.broadcast(dims), units=0)
    sides = [left, right]
    if k.maybe(0.4):
        sides.reverse()
    return f"T.tile.{k.rng.choice(BINARY)}({target}, {', '.join(sides)}{k.limit()})"


def chain(k):
    dims, dtype = k.dims(), k.dtype()
    bound = k.bound(dims)
    target, data = [k.operand(dims, "trn.sbuf", dtype, bound, 0) for _ in range(2)]
    first = k.constant() if k.maybe(0.4) else k.operand([(1 if axis == "F" else e, axis) for e, axis in dims], units=0)
    second = k.rng.choice([k.constant(), k.operand(k.broadcast(dims), units=0), k.operand(dims, "trn.sbuf", dtype, bound, 0)])
    turned = k.rng.choice(["", ", True", ", reverse1=False"])
    names = ", ".join(f'"{k.rng.choice(BINARY)}"' for _ in range(2))
    return f"T.tile.binary_chain({target}, {data}, {first}, {second}, {names}{turned}{k.limit()})"


def select(k):
    dims = [(k.rng.choice([128, 64, 32]), "P"), (k.rng.choice([4, 64, 100, 512]), "F")]
    bound = k.bound(dims)
    target, source = [k.operand(dims, "trn.sbuf", "float32", bound, 0) for _ in range(2)]
    condition = k.rng.choice(["a < b", "b < 5", "a + b >= 64", "a == 0", "b * 2 > 3 * a + 7", "T.And(a < b, b < 9)"])
    return f"T.tile.select({target}, {source}, {k.constant()}, lambda a, b: {condition})"


def reduced(k):
    """Dimensions, axes among the free ones, and what the result has."""
    dims = k.dims(k.rng.choice([1, 1, 2, 3]))
    free = [at for at, (_, axis) in enumerate(dims) if axis == "F"]
    axes = sorted(k.rng.sample(free, k.rng.randint(1, len(free))))
    kept = [each for at, each in enumerate(dims) if at not in axes]
    bound = k.bound(dims)
    if bound and bound[0] in axes:
        return dims, axes, kept, bound, None
    kept_bound = bound and (sum(at not in axes for at in range(bound[0])), bound[1])
    return dims, axes, kept, bound, kept_bound


def axes_text(k, dims, axes):
    axes = [at - len(dims) if k.maybe(0.3) else at for at in axes]
    return str(axes[0]) if len(axes) == 1 else str(tuple(axes))


def reduction(k):
    dims, axes, kept, bound, kept_bound = reduced(k)
    dtype = k.dtype()
    source = k.operand(dims, k.source(), dtype, bound, 0)
    target = k.operand(kept, "trn.sbuf", dtype, kept_bound)
    if k.maybe(0.3):
        name = k.rng.choice(REDUCTIONS)
        return f'T.tile.reduce_negate({target}, {source}, "{name}", {axes_text(k, dims, axes)}{k.limit()})'
    return f"T.tile.{k.rng.choice(REDUCTIONS)}({target}, {source}, axes={axes_text(k, dims, axes)}{k.limit()})"


def map_and_reduce(k):
    dims, axes, kept, bound, kept_bound = reduced(k)
    bound = bound if kept_bound else None  # TVM does not ask which partial results there are
    dtype = k.dtype()
    whole, source = [k.operand(dims, "trn.sbuf", dtype, bound, 0) for _ in range(2)]
    result = k.operand(kept, "trn.sbuf", "float32", kept_bound)
    end = f", reduce_axes={axes_text(k, dims, axes)}{k.limit()})"
    name = k.rng.choice(REDUCTIONS)
    other = k.constant() if k.maybe(0.5) else k.operand(k.broadcast(dims), "trn.sbuf", dtype, units=0)
    if k.maybe(0.5):
        bias = f", bias={other}" if k.maybe(0.7) else ""
        return f'T.tile.unary_reduce({whole}, {result}, {source}, "{k.rng.choice(["exp", "sqrt"])}", "{name}"{bias}{end}'
    return f'T.tile.binary_reduce({whole}, {result}, {source}, {other}, "{k.rng.choice(BINARY)}", "{name}"{end}'


def gemm(k):
    rng = k.rng
    m, n, depth = [128 * rng.choice([1, 1, 2, 4]) for _ in range(3)]
    turned_a, turned_b, turned_c = [k.maybe(0.3) for _ in range(3)]
    n = n if turned_c else rng.choice([n, 64, 96, 1024])
    a, b, c = [(m, "F"), (depth, "P")], [(depth, "P"), (n, "F")], [(m, "P"), (n, "F")]
    if turned_c:
        c = [(m, "F"), (n, "P")]
    bounds = [None, None, None]
    if k.trips and n > 128 and k.maybe(0.3):
        bounds = [None, (0 if turned_b else 1, f"T.min(i * 128, {n})"), (1, f"T.min(i * 128, {n})")]
    a, b = a[::-1] if turned_a else a, b[::-1] if turned_b else b
    units, scope = 0.1 * k.maybe(0.3), rng.choice(["trn.psum", "trn.sbuf", "trn.sbuf"])
    dtype = k.dtype()
    left, right = k.operand(a, "trn.sbuf", dtype, bounds[0], units), k.operand(b, "trn.sbuf", dtype, bounds[1], units)
    result = k.operand(c, scope, "float32", bounds[2], units)
    return f"T.tile.gemm({result}, {left}, {right}, {result}, {turned_a}, {turned_b})"


FAMILIES = [copy, transpose, unary, binary, chain, select, reduction, map_and_reduce, gemm]


def kernels(count, seed, family):
    rng = random.Random(seed)
    chosen = [make for make in FAMILIES if family in (None, make.__name__)]
    for number, make in zip(range(count), itertools.cycle(chosen)):
        kernel = Kernel(rng)
        call = make(kernel)
        yield f"{make.__name__}-{number}", kernel.text(call)


def main():
    options = kernel_comparison.arguments(count=180)
    cases = list(kernels(options.count, options.seed, options.family))
    program = PROGRAM + "\n".join(f"one({name!r}, {text!r})" for name, text in cases) + "\n"
    kernel_comparison.compare(options, program, [(name, "trn", text) for name, text in cases], ["dispatched"], allowed=[], least=2)


if __name__ == "__main__":
    main()
