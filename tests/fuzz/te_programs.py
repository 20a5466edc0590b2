# SPDX-License-Identifier: Apache-2.0
"""Random compositions of topi operators and te.compute, interpreted, compiled as they are and by the default schedule;
NumPy says what they must compute.

    python3 tests/fuzz/te_programs.py MLC [--seed S] [--count N] [--seconds T] [--systematic] [--keep FOLDER]

Integers, and floats of functions without inexact operators, must be NumPy's to the bit (there is one NaN). Elsewhere the
error of each operator is carried along: what is rounded or summed in another order may differ by as much as that, and no
more. Arrays hold the least and greatest values of their types, NaN, infinities, denormals and zeros of both signs; sizes
are 0, 1, odd or symbolic. With --systematic: every operator alone, with every type. A program that is wrong
is printed, cut back to the operators that it takes, with its seed.
"""
import argparse
import collections
import math
import os
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile
import time

import numpy as np

np.seterr(all="ignore")
INTS = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]
FLOATS = ["float16", "float32", "float64"]
TYPES = INTS + FLOATS + ["bool"]
ROUNDING = {"float16": 2.0**-11, "float32": 2.0**-24, "float64": 2.0**-53}
TINY = {"float16": 2.0**-24, "float32": 2.0**-149, "float64": 5e-324}

HEAD = '''import mlc
import numpy as np
import tvm
from mlc.schedule import cpu
from tvm import te, topi, tirx

host = tvm.target.Target("llvm")
FOLDER = {folder!r}
inputs = np.load(FOLDER + "/inputs.npz")
outputs = {{}}
functions = {{}}


def program(name, tensors):
    functions[name] = te.create_prim_func(tensors).with_attr("global_symbol", name)


def run(name, variant, function, arrays, shape, dtype):
    result = tvm.runtime.tensor(np.full(shape, 77).astype(dtype))
    function(*[tvm.runtime.tensor(a) for a in arrays], result)
    outputs[name + "_" + variant] = result.numpy()


def whole(fns, variant):
    mod = tvm.IRModule(fns)
    if variant == "default":
        mod = cpu(mod, host).mod
    return tvm.compile(mod, target=host)


def run_all(programs):
    for variant in ["interpreted", "none", "default"]:
        built = None
        if variant != "interpreted":
            try:
                built = whole(functions, variant)
            except Exception:
                built = None
        for name, arrays, shape, dtype in programs:
            if name not in functions:
                continue
            try:
                if variant == "interpreted":
                    function = mlc.interpret(tvm.IRModule({{name: functions[name]}}), name)
                elif built is not None:
                    function = built[name]
                else:
                    function = whole({{name: functions[name]}}, variant)[name]
                run(name, variant, function, [inputs[a] for a in arrays], shape, dtype)
            except Exception as error:
                print("ERROR", name, variant, type(error).__name__, str(error).split("\\n")[0])


'''


class Value:
    """A tensor of the program: its name in the text, NumPy's array, and how far from that it may lie."""

    def __init__(self, name, array, error=None, sizes=None):
        self.name, self.array, self.error = name, array, error
        self.sizes = sizes or tuple(str(n) for n in array.shape)

    @property
    def dtype(self):
        return str(self.array.dtype)

    @property
    def exact(self):
        return self.error is None

    def bound(self):
        return np.zeros(self.array.shape) if self.error is None else self.error


def edge_values(dtype):
    if dtype == "bool":
        return [False, True]
    if dtype in FLOATS:
        info = np.finfo(dtype)
        return [0.0, -0.0, 1.0, -1.0, 0.5, -2.5, 3.0, np.nan, np.inf, -np.inf, float(info.max), float(info.min),
                TINY[dtype], -TINY[dtype], float(info.tiny), 1.0 + 2 * ROUNDING[dtype], 255.0, -7.25]
    info = np.iinfo(dtype)
    return [info.min, info.max, info.max - 1, info.min + 1, 0, 1, 2, 3, 7, info.max // 2]


def draw_array(rng, shape, dtype, mild):
    count = int(np.prod(shape))
    if dtype == "bool":
        return np.array([rng.random() < 0.5 for _ in range(count)], "bool").reshape(shape)
    edges = edge_values(dtype)
    flat = []
    for _ in range(count):
        if dtype in FLOATS:
            flat.append(rng.choice(edges) if not mild and rng.random() < 0.3 else rng.uniform(-4, 4))
        else:
            low = -9 if np.iinfo(dtype).min < 0 else 0
            flat.append(rng.choice(edges) if not mild and rng.random() < 0.4 else rng.randint(low, 9))
    return np.array(flat, dtype).reshape(shape)


OPERATORS = {}


def operator(arity, types, *, shapes=True, symbolic=True, weight=1):
    """`f(draw, values)` returns the text, NumPy's array and the error, or None where it does not apply."""

    def add(f):
        OPERATORS[f.__name__] = (f, arity, types, shapes, symbolic, weight)
        return f

    return add


def rounded(array, error, dtype):
    """One more rounding of a result."""
    with np.errstate(all="ignore"):
        return error + 2 * ROUNDING[dtype] * (np.abs(array.astype("float64")) + error) + TINY[dtype]


def row(name, types, function, text=None, arity=1, slope=None):
    """An elementwise operator that NumPy computes to the bit; `slope`: of inexact arguments, how errors grow."""

    def apply(draw, values):
        arrays = [v.array for v in values]
        if not all(v.exact for v in values) and slope is None:
            return None
        result = np.asarray(function(*arrays))
        error = None
        if not all(v.exact for v in values):
            error = rounded(result, slope(*[v.array.astype("float64") for v in values], *[v.bound() for v in values]),
                            str(result.dtype))
        return (text or "topi." + name + "({})").format(*[v.name for v in values]), result, error

    apply.__name__ = name
    OPERATORS[name] = (apply, arity, types, arity == 1, True, 1)


def greater(a, b):
    return np.where(a > b, a, b)


def less(a, b):
    return np.where(a < b, a, b)


def floor_divide(a, b):
    return np.where(b == 0, 0, np.floor_divide(a, np.where(b == 0, 1, b))).astype(a.dtype)


NUMBERS = INTS + FLOATS
row("abs", INTS[:4] + FLOATS, np.abs, slope=lambda x, e: e)
row("negative", INTS[:4] + FLOATS, np.negative, slope=lambda x, e: e)
row("floor", FLOATS, np.floor)
row("ceil", FLOATS, np.ceil)
row("trunc", FLOATS, np.trunc)
row("round", FLOATS, np.rint)
row("sqrt", ["float32", "float64"], np.sqrt)
row("bitwise_not", INTS, np.invert)
row("logical_not", ["bool"], np.logical_not)
row("isnan", FLOATS, np.isnan)
row("isfinite", FLOATS, np.isfinite)
row("isinf", FLOATS, np.isinf)
row("identity", TYPES, lambda x: x, slope=lambda x, e: e)
row("sign", INTS[:4] + FLOATS, lambda x: (x > 0).astype(x.dtype) - (x < 0).astype(x.dtype))
row("relu", NUMBERS, lambda x: np.where(x > 0, x, x.dtype.type(0)), "topi.nn.relu({})", slope=lambda x, e: e)
row("add", NUMBERS, np.add, "topi.add({}, {})", 2, lambda x, y, e, f: e + f)
row("subtract", NUMBERS, np.subtract, "topi.subtract({}, {})", 2, lambda x, y, e, f: e + f)
row("multiply", NUMBERS, np.multiply, "topi.multiply({}, {})", 2, lambda x, y, e, f: np.abs(x) * f + np.abs(y) * e + e * f)
row("divide", FLOATS, np.divide, "topi.divide({}, {})", 2)
row("maximum", NUMBERS, greater, "topi.maximum({}, {})", 2, lambda x, y, e, f: np.maximum(e, f))
row("minimum", NUMBERS, less, "topi.minimum({}, {})", 2, lambda x, y, e, f: np.maximum(e, f))
for _name, _function in [("equal", np.equal), ("not_equal", np.not_equal), ("less", np.less), ("greater", np.greater),
                         ("less_equal", np.less_equal), ("greater_equal", np.greater_equal)]:
    row(_name, TYPES, _function, f"topi.{_name}({{}}, {{}})", 2)
row("bitwise_and", INTS, np.bitwise_and, "topi.bitwise_and({}, {})", 2)
row("bitwise_or", INTS, np.bitwise_or, "topi.bitwise_or({}, {})", 2)
row("bitwise_xor", INTS, np.bitwise_xor, "topi.bitwise_xor({}, {})", 2)
row("logical_and", ["bool"], np.logical_and, "topi.logical_and({}, {})", 2)
row("logical_or", ["bool"], np.logical_or, "topi.logical_or({}, {})", 2)
row("logical_xor", ["bool"], np.logical_xor, "topi.logical_xor({}, {})", 2)


def smooth(name, function, low=-1e300, high=1e300, text=None):
    """A function that is not computed to the bit: 4 units in the last place, and what the argument's error makes of it.
    It is asked of arguments from `low` to `high`, between which it is monotone or all but flat."""

    def apply(draw, values):
        (x,) = values
        wide = x.array.astype("float64")
        if not np.all(np.isfinite(wide)) or np.any(wide < low) or np.any(wide > high):
            return None
        result = function(wide)
        error = np.zeros(wide.shape)
        for end in [wide - x.bound(), wide + x.bound()]:
            error = np.maximum(error, np.abs(function(np.clip(end, low, high)) - result))
        if name in ("sin", "cos"):
            error = np.minimum(x.bound(), 2)
        narrow = result.astype(x.dtype)
        if not np.all(np.isfinite(narrow)):
            return None
        error = 2 * error + 8 * ROUNDING[x.dtype] * np.abs(result) + TINY[x.dtype] * 4
        # What is near 0 is computed from what is not.
        error += {"sin": 1, "cos": 1, "tanh": 1, "erf": 1, "log": 2}.get(name, 0) * ROUNDING[x.dtype]
        return (text or f"topi.{name}({{}})").format(x.name), narrow, error

    apply.__name__ = name
    OPERATORS[name] = (apply, 1, FLOATS, True, True, 1)


smooth("exp", np.exp, -80, 80)
smooth("log", np.log, 1e-30)
smooth("tanh", np.tanh)
smooth("sin", np.sin, -1000, 1000)
smooth("cos", np.cos, -1000, 1000)
smooth("sigmoid", lambda x: 1 / (1 + np.exp(-np.clip(x, -700, 700))))
smooth("erf", np.vectorize(math.erf, otypes=["float64"]))
smooth("rsqrt", lambda x: 1 / np.sqrt(x), 1e-30)
smooth("atan", np.arctan)
smooth("square_root", np.sqrt, 1e-30, text="topi.sqrt({})")


@operator(1, TYPES, weight=3)
def cast(draw, values):
    (x,) = values
    dtype = draw.choice([t for t in TYPES if t != x.dtype])
    if x.dtype in FLOATS and dtype in INTS:
        info = np.iinfo(dtype)
        high = float(2.0 ** (info.bits - (2 if info.min < 0 else 1)))
        low = float(info.min)
        if x.dtype == "float16":
            high, low = min(high, 32768.0), max(low, -32768.0)
        if not x.exact:
            return None
        inside = less(greater(x.array, x.array.dtype.type(low)), x.array.dtype.type(high))
        text = f'topi.cast(topi.minimum(topi.maximum({x.name}, te_const({low!r}, "{x.dtype}")), te_const({high!r}, "{x.dtype}")), "{dtype}")'
        return text, inside.astype(dtype), None
    if not x.exact and dtype not in FLOATS:
        return None
    result = x.array.astype(dtype)
    error = None
    if not x.exact:
        error = x.bound() + 2 * ROUNDING[dtype] * np.abs(result.astype("float64")) + TINY[dtype]
    return f'topi.cast({x.name}, "{dtype}")', result, error


@operator(2, INTS)
def divide_integers(draw, values):
    a, b = values
    divisor = b.array | b.array.dtype.type(1)
    floor = draw.random() < 0.5
    wraps = (divisor == -1) if np.iinfo(a.dtype).min < 0 else np.zeros(divisor.shape, bool)
    safe = np.where(wraps, b.array.dtype.type(1), divisor)
    if floor:
        result = np.where(wraps, np.negative(a.array), np.floor_divide(a.array, safe))
    else:
        result = np.where(wraps, a.array.dtype.type(0), np.mod(a.array, safe))
    name = "floor_divide" if floor else "floor_mod"
    return f'topi.{name}({a.name}, topi.bitwise_or({b.name}, te_const(1, "{b.dtype}")))', result.astype(a.dtype), None


@operator(1, INTS)
def shift(draw, values):
    (x,) = values
    by = draw.randrange(np.iinfo(x.dtype).bits)
    left = draw.random() < 0.5
    result = (np.left_shift if left else np.right_shift)(x.array, x.array.dtype.type(by))
    return f'topi.{"left" if left else "right"}_shift({x.name}, te_const({by}, "{x.dtype}"))', result, None


@operator(1, NUMBERS)
def clip(draw, values):
    (x,) = values
    low, high = sorted([draw.randrange(0, 9), draw.randrange(0, 9)])
    result = less(greater(x.array, x.array.dtype.type(low)), x.array.dtype.type(high))
    if np.any(np.isnan(result.astype("float64"))) or np.any(np.isnan(x.array.astype("float64"))):
        return None
    return f"topi.clip({x.name}, {low}, {high})", result, x.error


@operator(3, TYPES)
def where(draw, values):
    c, x, y = values
    if c.dtype != "bool" or x.dtype != y.dtype or not c.exact:
        return None
    error = None
    if not (x.exact and y.exact):
        error = np.maximum(*np.broadcast_arrays(x.bound(), y.bound())) + np.zeros(np.broadcast(c.array, x.array, y.array).shape)
    return f"topi.where({c.name}, {x.name}, {y.name})", np.where(c.array, x.array, y.array), error


def moved(function, text):
    def apply(draw, values):
        (x,) = values
        made = text(draw, x)
        if made is None:
            return None
        call, change = made
        error = None if x.exact else change(x.bound())
        return call, change(x.array), error

    apply.__name__ = function
    OPERATORS[function] = (apply, 1, TYPES, True, function in ("transpose", "expand_dims"), 1)


def axis_of(draw, x):
    return draw.randrange(x.array.ndim) if x.array.ndim else None


def _transpose(draw, x):
    axes = list(range(x.array.ndim))
    draw.shuffle(axes)
    return f"topi.transpose({x.name}, {axes})", lambda a: np.transpose(a, axes)


def _expand(draw, x):
    axis = draw.randrange(x.array.ndim + 1)
    return (f"topi.expand_dims({x.name}, {axis})", lambda a: np.expand_dims(a, axis)) if x.array.ndim < 4 else None


def _flip(draw, x):
    axis = axis_of(draw, x)
    return None if axis is None else (f"topi.flip({x.name}, {axis})", lambda a: np.flip(a, axis))


def _reshape(draw, x):
    count = x.array.size
    first = draw.choice([n for n in range(1, count + 1) if count % n == 0]) if count else 1
    shape = (first, count // first)
    return (f"topi.reshape({x.name}, {shape})", lambda a: np.reshape(a, shape)) if count else None


def _repeat(draw, x):
    axis = axis_of(draw, x)
    times = draw.randrange(1, 4)
    return None if axis is None else (f"topi.repeat({x.name}, {times}, {axis})", lambda a: np.repeat(a, times, axis))


def _tile(draw, x):
    reps = tuple(draw.randrange(1, 3) for _ in range(max(x.array.ndim, 1)))
    return (f"topi.tile({x.name}, {reps})", lambda a: np.tile(a, reps)) if x.array.ndim else None


def _slice(draw, x):
    if x.array.ndim == 0 or 0 in x.array.shape:
        return None
    begin = [draw.randrange(n) for n in x.array.shape]
    end = [draw.randrange(b, n + 1) for b, n in zip(begin, x.array.shape)]
    step = [draw.randrange(1, 3) for _ in begin]
    return (f"topi.strided_slice({x.name}, {begin}, {end}, {step})",
            lambda a: a[tuple(slice(b, e, s) for b, e, s in zip(begin, end, step))])


def _pad(draw, x):
    if x.array.ndim == 0:
        return None
    before, after = [[draw.randrange(3) for _ in x.array.shape] for _ in range(2)]
    return (f"topi.nn.pad({x.name}, {before}, {after})", lambda a: np.pad(a, list(zip(before, after)))) if x.dtype != "bool" else None


def _split(draw, x):
    axis = axis_of(draw, x)
    if axis is None or x.array.shape[axis] < 2:
        return None
    at = draw.randrange(1, x.array.shape[axis])
    part = draw.randrange(2)
    return f"topi.split({x.name}, [{at}], {axis})[{part}]", lambda a: np.split(a, [at], axis)[part]


def _trilu(draw, x):
    k, upper = draw.randrange(-2, 3), draw.random() < 0.5
    if x.array.ndim < 2 or x.dtype == "bool":
        return None
    return (f'topi.trilu({x.name}, te_const({k}, "int32"), {upper})', lambda a: (np.triu if upper else np.tril)(a, k))


def _broadcast(draw, x):
    shape = (draw.randrange(1, 4), *x.array.shape)
    return (f"topi.broadcast_to({x.name}, {shape})", lambda a: np.broadcast_to(a, shape).copy()) if x.array.ndim < 3 else None


for _name, _text in [("transpose", _transpose), ("expand_dims", _expand), ("flip", _flip), ("reshape", _reshape),
                     ("repeat", _repeat), ("tile", _tile), ("strided_slice", _slice), ("pad", _pad), ("split", _split),
                     ("trilu", _trilu), ("broadcast_to", _broadcast)]:
    moved(_name, _text)


@operator(2, TYPES, symbolic=False)
def concatenate(draw, values):
    a, b = values
    axis = axis_of(draw, a)
    rest = lambda v: v.array.shape[:axis] + v.array.shape[axis + 1:]
    if axis is None or a.dtype != b.dtype or a.array.ndim != b.array.ndim or rest(a) != rest(b):
        b = a
    if axis is None:
        return None
    error = None if a.exact and b.exact else np.concatenate([a.bound(), b.bound()], axis)
    return f"topi.concatenate([{a.name}, {b.name}], {axis})", np.concatenate([a.array, b.array], axis), error


@operator(1, TYPES, symbolic=False)
def stack(draw, values):
    (x,) = values
    axis = draw.randrange(x.array.ndim + 1)
    error = None if x.exact else np.stack([x.bound()] * 2, axis)
    return (f"topi.stack([{x.name}, {x.name}], {axis})", np.stack([x.array] * 2, axis), error) if x.array.ndim < 4 else None


@operator(2, TYPES, symbolic=False)
def take(draw, values):
    x, at = values
    axis = axis_of(draw, x)
    if axis is None or x.array.shape[axis] == 0 or at.dtype not in ("int32", "int64") or at.array.ndim > 2 or not at.exact:
        return None
    extent = x.array.shape[axis]
    mode = draw.choice(["clip", "wrap"])
    index = np.clip(at.array, 0, extent - 1) if mode == "clip" else np.mod(at.array, extent)
    error = None if x.exact else np.take(x.bound(), index, axis)
    if x.array.ndim + at.array.ndim > 5:
        return None
    return f'topi.take({x.name}, {at.name}, {axis}, mode="{mode}")', np.take(x.array, index, axis), error


def axes_of(draw, x):
    if x.array.ndim == 0:
        return None
    axes = sorted(draw.sample(range(x.array.ndim), draw.randrange(1, x.array.ndim + 1)))
    return axes


@operator(1, NUMBERS, weight=3)
def total(draw, values):
    (x,) = values
    axes = axes_of(draw, x)
    if axes is None:
        return None
    keep = draw.random() < 0.5
    result = np.sum(x.array, axis=tuple(axes), keepdims=keep, dtype=x.dtype)
    error = None
    if x.dtype in FLOATS:
        wide = x.array.astype("float64")
        count = int(np.prod([x.array.shape[a] for a in axes]))
        size = np.sum(np.abs(wide) + x.bound(), axis=tuple(axes), keepdims=keep)
        error = np.sum(x.bound(), axis=tuple(axes), keepdims=keep) + 2 * (count + 1) * ROUNDING[x.dtype] * size + TINY[x.dtype]
        result = np.sum(wide, axis=tuple(axes), keepdims=keep)
        if np.any(size > np.finfo(x.dtype).max / 4) or not np.all(np.isfinite(size)):
            return None
        result = result.astype(x.dtype)
    return f"topi.sum({x.name}, axis={axes}, keepdims={keep})", np.asarray(result), error


@operator(1, NUMBERS, weight=2)
def extreme(draw, values):
    (x,) = values
    axes = axes_of(draw, x)
    if axes is None or np.any(np.isnan(x.array.astype("float64"))):
        return None
    keep, most = draw.random() < 0.5, draw.random() < 0.5
    if any(x.array.shape[a] == 0 for a in axes):
        shape = np.sum(x.array, axis=tuple(axes), keepdims=keep).shape
        ends = [-np.inf, np.inf] if x.dtype in FLOATS else [np.iinfo(x.dtype).min, np.iinfo(x.dtype).max]
        if x.dtype in FLOATS:
            return None  # the least number or infinity: a matter of taste
        result = np.full(shape, ends[0 if most else 1]).astype(x.dtype)
    else:
        result = (np.max if most else np.min)(x.array, axis=tuple(axes), keepdims=keep)
        if x.dtype in FLOATS:  # they begin with the least and the greatest finite number
            ends = np.finfo(x.dtype)
            result = np.maximum(result, ends.min) if most else np.minimum(result, ends.max)
            result = result.astype(x.dtype)
    error = None if x.exact else np.max(x.bound(), axis=tuple(axes), keepdims=keep, initial=0)
    return f'topi.{"max" if most else "min"}({x.name}, axis={axes}, keepdims={keep})', np.asarray(result), error


@operator(1, NUMBERS, weight=2)
def arg_extreme(draw, values):
    (x,) = values
    axis = axis_of(draw, x)
    if axis is None or x.array.shape[axis] == 0 or not x.exact or np.any(np.isnan(x.array.astype("float64"))):
        return None
    most = draw.random() < 0.5
    keep = draw.random() < 0.5
    result = (np.argmax if most else np.argmin)(x.array, axis=axis, keepdims=keep).astype("int32")
    # Its type depends on that of the sizes.
    text = f'topi.cast(topi.{"argmax" if most else "argmin"}({x.name}, axis={axis}, keepdims={keep}), "int32")'
    return text, np.asarray(result), None


@operator(1, ["bool"])
def all_any(draw, values):
    (x,) = values
    axes = axes_of(draw, x)
    if axes is None:
        return None
    every = draw.random() < 0.5
    result = (np.all if every else np.any)(x.array, axis=tuple(axes))
    return f'topi.{"all" if every else "any"}({x.name}, axis={axes})', np.asarray(result), None


@operator(1, INTS)
def product(draw, values):
    (x,) = values
    axes = axes_of(draw, x)
    if axes is None:
        return None
    return f"topi.prod({x.name}, axis={axes})", np.asarray(np.prod(x.array, axis=tuple(axes), dtype=x.dtype)), None


@operator(1, INTS, symbolic=False)
def cumulative(draw, values):
    (x,) = values
    axis = axis_of(draw, x)
    if axis is None:
        return None
    name = draw.choice(["cumsum", "cumprod"])
    return f"topi.{name}({x.name}, axis={axis})", getattr(np, name)(x.array, axis=axis, dtype=x.dtype), None


@operator(1, NUMBERS, symbolic=False)
def sort(draw, values):
    (x,) = values
    axis = axis_of(draw, x)
    if axis is None or np.any(np.isnan(x.array.astype("float64"))) or not x.exact:
        return None
    up = draw.random() < 0.5
    result = np.sort(x.array, axis=axis)
    result = result if up else np.flip(result, axis)
    return f"topi.sort({x.name}, axis={axis}, is_ascend={up})", result, np.zeros(result.shape) if x.dtype in FLOATS else None


@operator(2, NUMBERS, symbolic=False, weight=2)
def matmul(draw, values):
    a, b = values
    if a.array.ndim != 2 or a.dtype != b.dtype:
        return None
    if b.array.ndim != 2 or a.array.shape[1] != b.array.shape[0]:
        b = a
        turned = True
    else:
        turned = False
    right = b.array.T if turned else b.array
    text = f"topi.matmul({a.name}, {b.name}" + (", False, True)" if turned else ")")
    if a.dtype not in FLOATS:
        return text, np.matmul(a.array, right), None
    x, y = a.array.astype("float64"), right.astype("float64")
    size = np.matmul(np.abs(x) + a.bound(), np.abs(y) + (b.bound().T if turned else b.bound()))
    if not np.all(np.isfinite(size)) or np.any(size > np.finfo(a.dtype).max / 4):
        return None
    spread = size - np.matmul(np.abs(x), np.abs(y))
    error = 2 * spread + 2 * (x.shape[1] + 2) * ROUNDING[a.dtype] * size + (x.shape[1] + 1) * TINY[a.dtype]
    return text, np.matmul(x, y).astype(a.dtype), error


@operator(1, ["float32", "float64"])
def softmax(draw, values):
    (x,) = values
    axis = axis_of(draw, x)
    if axis is None or x.array.shape[axis] == 0 or x.array.ndim == 0:
        return None
    wide = x.array.astype("float64")
    if not np.all(np.isfinite(wide)) or np.any(np.abs(wide) > 1e4):
        return None
    power = np.exp(wide - np.max(wide, axis, keepdims=True))
    result = power / np.sum(power, axis, keepdims=True)
    around = 2 * np.max(x.bound(), axis, keepdims=True, initial=0)
    # The difference to the largest is rounded before it is an exponent.
    around = around + 2 * ROUNDING[x.dtype] * np.max(np.abs(wide), axis, keepdims=True) * 2
    error = result * (np.expm1(np.minimum(2 * around, 50)) + (x.array.shape[axis] + 16) * 2 * ROUNDING[x.dtype]) + TINY[x.dtype] * 4
    return f"topi.nn.softmax({x.name}, axis={axis})", result.astype(x.dtype), error


@operator(1, TYPES, symbolic=False, weight=3)
def shifted(draw, values):
    """A load behind a condition."""
    (x,) = values
    if x.array.ndim == 0:
        return None
    axis = axis_of(draw, x)
    extent = x.array.shape[axis]
    by = draw.randrange(-3, 4)
    index = np.arange(extent) - by
    inside = (index >= 0) & (index < extent)
    shape = [1] * x.array.ndim
    shape[axis] = extent
    other = np.zeros((), x.dtype)
    change = lambda a, zero: np.where(inside.reshape(shape), np.take(a, np.clip(index, 0, max(extent - 1, 0)), axis) if extent else a, zero)
    names = ", ".join("abcde"[:x.array.ndim])
    moved_names = ", ".join(f"{n} - ({by})" if k == axis else n for k, n in enumerate("abcde"[:x.array.ndim]))
    at = "abcde"[axis]
    text = (f"te.compute({x.array.shape}, lambda {names}: tirx.if_then_else(tirx.all({at} - ({by}) >= 0, {at} - ({by}) < {extent}), "
            f'{x.name}[{moved_names}], tirx.const(0, "{x.dtype}")))')
    if x.dtype == "bool":
        return None
    return text, change(x.array, other), None if x.exact else change(x.bound(), 0.0)


@operator(2, INTS + ["float32", "float64"], symbolic=False, weight=2)
def windows(draw, values):
    """Sums of products over a window: a convolution in one dimension."""
    a, b = values
    if a.dtype != b.dtype or a.array.ndim != 1 or b.array.ndim != 1:
        return None
    n, k = a.array.shape[0], b.array.shape[0]
    if k == 0 or n < k:
        return None
    out = n - k + 1
    text = (f'(lambda r: te.compute(({out},), lambda i: te.sum({a.name}[i + r] * {b.name}[r], axis=r)))(te.reduce_axis((0, {k}), "r"))')
    view = np.lib.stride_tricks.sliding_window_view(a.array, k)
    if a.dtype not in FLOATS:
        return text, np.sum(view * b.array, axis=1, dtype=a.dtype), None
    wide, kernel = view.astype("float64"), b.array.astype("float64")
    bound = np.lib.stride_tricks.sliding_window_view(a.bound(), k)
    size = np.sum((np.abs(wide) + bound) * (np.abs(kernel) + b.bound()), axis=1)
    if not np.all(np.isfinite(size)) or np.any(size > np.finfo(a.dtype).max / 4):
        return None
    error = 2 * (size - np.sum(np.abs(wide) * np.abs(kernel), axis=1)) + 2 * (k + 2) * ROUNDING[a.dtype] * size + (k + 1) * TINY[a.dtype]
    return text, np.sum(wide * kernel, axis=1).astype(a.dtype), error


SIZES = [0, 1, 1, 2, 3, 4, 5, 7, 8, 13, 16, 17, 33]


class Program:
    """Lines of text, the last of which is the result."""

    def __init__(self, name, rng):
        self.name, self.rng = name, rng
        self.inputs, self.values, self.lines, self.used = [], [], [], []

    def placeholder(self, shape, dtype, mild, symbol):
        array = draw_array(self.rng, shape, dtype, mild)
        sizes = tuple("n" if symbol is not None and n == symbol else str(n) for n in shape)
        value = Value("ABCDEFGH"[len(self.inputs)], array, None, sizes)
        text = "(" + ", ".join(sizes) + ("," if len(sizes) == 1 else "") + ")"
        self.lines.append(f'{value.name} = te.placeholder({text}, "{dtype}", "{value.name}")')
        self.inputs.append(value)
        self.values.append(value)
        return value

    def apply(self, name, values):
        made = OPERATORS[name][0](self.rng, values)
        if made is None:
            return None
        text, array, error = made
        if array.size > 20000 or array.ndim > 5 or str(array.dtype) not in TYPES:
            return None
        if error is not None:
            # Nothing can be said where numbers leave their range, or of what has lost all its digits.
            wide = array.astype("float64")
            if not np.all(np.isfinite(error)) or not np.all(np.isfinite(wide)) or np.any(np.abs(wide) + error > np.finfo(array.dtype).max):
                return None
        value = Value(f"t{len(self.values)}", array, error)
        self.lines.append(f"{value.name} = {text}")
        self.values.append(value)
        self.used.append(name)
        return value

    @property
    def result(self):
        return self.values[-1]

    def text(self):
        symbol = any("n" in v.sizes for v in self.inputs)
        body = (['n = te.var("n")'] if symbol else []) + self.lines
        inputs = ", ".join(v.name for v in self.inputs)
        body.append(f'program("{self.name}", [{inputs}, {self.result.name}])')
        return f"def make_{self.name}():\n" + "".join(f"    {line}\n" for line in body) + "\n\n"


def random_program(seed):
    rng = random.Random(seed)
    program = Program(f"p{seed}", rng)
    symbol = rng.choice([0, 3, 5, 9, 17]) if rng.random() < 0.2 else None
    mild = rng.random() < 0.5
    shape = [symbol if symbol is not None and (k == 0 or rng.random() < 0.3) else rng.choice(SIZES) for k in range(rng.randrange(1, 4))]
    while int(np.prod(shape)) > 4000:
        shape[shape.index(max(shape))] = 2
    main = rng.choice(TYPES)
    for k in range(rng.randrange(1, 4)):
        dtype = main if rng.random() < 0.6 else rng.choice(TYPES)
        own = [1 if symbol is None and rng.random() < 0.15 else n for n in shape]
        program.placeholder(tuple(own), dtype, mild, symbol)
    steps = rng.randrange(1, 6)
    names = [n for n in OPERATORS for _ in range(OPERATORS[n][5])]
    for _ in range(60):
        if len(program.used) >= steps:
            break
        name = rng.choice(names)
        _, arity, types, _, symbolic, _ = OPERATORS[name]
        if symbol is not None and not symbolic:
            continue
        # What came last is to have a part in what comes.
        values = [program.values[-1] if k == 0 and rng.random() < 0.7 else rng.choice(program.values) for k in range(arity)]
        rng.shuffle(values)
        if name == "where":
            same = {v.dtype for v in values[1:]}
            if len(same) != 1:
                continue
        elif name not in ("take",) and len({v.dtype for v in values}) != 1:
            continue
        if values[-1].dtype not in types:
            continue
        try:
            np.broadcast_shapes(*[v.array.shape for v in values])
        except ValueError:
            if name not in ("concatenate", "take", "matmul", "windows"):
                continue
        program.apply(name, values)
    return program if program.used else None


def systematic():
    """Every operator with every type."""
    for name, (_, arity, types, *_rest) in OPERATORS.items():
        for dtype in types:
            for k in range(4):
                seed = f"{name}-{dtype}-{k}"
                rng = random.Random(seed)
                program = Program(f"s_{name}_{dtype}_{k}", rng)
                shape = [(5, 7), (33,), (17, 3), (1, 4)][k] if name != "windows" else [(33,), (9,), (17,), (5,)][k]
                mild = k % 2 == 1 or name in ("total", "matmul", "windows", "softmax", "extreme", "arg_extreme", "sort", "clip")
                of = ["bool", dtype, dtype] if name == "where" else [dtype, "int32"] if name == "take" else [dtype] * arity
                values = [program.placeholder(shape, each, mild, None) for each in of]
                if name in ("exp", "log", "rsqrt", "square_root", "sin", "cos", "tanh", "sigmoid", "erf", "atan", "softmax"):
                    values[0].array[...] = np.abs(draw_array(rng, shape, dtype, True)) + np.array(0.125, dtype)
                if program.apply(name, values) is not None:
                    yield program


def judge(program, got):
    """What is wrong with the result; nothing where all is well."""
    want = program.result
    if got.shape != want.array.shape or str(got.dtype) != want.dtype:
        return f"{got.dtype}{got.shape} instead of {want.dtype}{want.array.shape}"
    if want.exact:
        same = (got == want.array) | ((got != got) & (want.array != want.array))
        if want.dtype in FLOATS:
            # Which zero an extreme of both is, is not said.
            zeros = got == 0
            if not any(n in ("maximum", "minimum", "extreme", "relu", "clip", "cast", "sign", "abs", "negative", "shifted", "trilu") for n in program.used):
                same &= ~zeros | (np.signbit(got) == np.signbit(want.array))
    else:
        same = np.abs(got.astype("float64") - want.array.astype("float64")) <= want.error
    if np.all(same):
        return ""
    at = tuple(int(i) for i in np.argwhere(~same)[0])
    allowed = "" if want.exact else f" (within {want.error[at]:.3g})"
    return f"{program.result.name}{list(at)} is {got[at]!r}, not {want.array[at]!r}{allowed}; {int(np.sum(~same))} of {same.size} differ"


def run_batch(mlc, programs, folder):
    """Verdicts by program and variant: "" or what is wrong."""
    folder = pathlib.Path(folder)
    arrays = {f"{p.name}_{v.name}": v.array for p in programs for v in p.inputs}
    np.savez(folder / "inputs.npz", **arrays)
    text = HEAD.format(folder=str(folder)) + "def te_const(value, dtype):\n    return tirx.const(value, dtype)\n\n\n"
    text += "".join(p.text() for p in programs)
    for p in programs:
        text += (f'try:\n    make_{p.name}()\nexcept Exception as error:\n'
                 f'    print("ERROR", "{p.name}", "built", type(error).__name__, str(error).split("\\n")[0])\n')
    rows = ", ".join(f'("{p.name}", {[f"{p.name}_{v.name}" for v in p.inputs]}, {p.result.array.shape}, "{p.result.dtype}")' for p in programs)
    text += f"run_all([{rows}])\nnp.savez(FOLDER + '/outputs.npz', **outputs)\n"
    (folder / "batch.mlc").write_text(text)
    done = subprocess.run([mlc, "run", str(folder / "batch.mlc")], capture_output=True, text=True, timeout=600, check=False)
    verdicts = {}
    for line in done.stdout.splitlines():
        if line.startswith("ERROR "):
            _, name, variant, rest = line.split(" ", 3)
            verdicts[name, variant] = rest
    outputs = {}
    if (folder / "outputs.npz").exists():
        with np.load(folder / "outputs.npz") as stored:
            outputs = {name: stored[name] for name in stored.files}
        os.unlink(folder / "outputs.npz")
    elif len(programs) > 1:
        return None, done.stdout[-500:] + done.stderr[-1500:]
    for p in programs:
        if (p.name, "built") in verdicts:
            continue
        for variant in ["interpreted", "none", "default"]:
            if f"{p.name}_{variant}" in outputs:
                verdicts[p.name, variant] = judge(p, outputs[f"{p.name}_{variant}"])
            elif (p.name, variant) not in verdicts:
                verdicts[p.name, variant] = f"crashed: {done.returncode} {done.stderr[-300:]}"
    return verdicts, ""


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("mlc")
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1 << 31))
    parser.add_argument("--count", type=int, default=1 << 60)
    parser.add_argument("--seconds", type=float, default=30)
    parser.add_argument("--batch", type=int, default=60)
    parser.add_argument("--systematic", action="store_true")
    parser.add_argument("--keep", type=pathlib.Path)
    options = parser.parse_args()
    mlc = str(pathlib.Path(options.mlc).resolve())
    start = time.monotonic()
    folder = options.keep or tempfile.mkdtemp(prefix="te-programs")
    pathlib.Path(folder).mkdir(exist_ok=True)
    counts, wrong, refused = collections.Counter(), [], collections.Counter()

    def draws():
        if options.systematic:
            yield from systematic()
            return
        rng = random.Random(options.seed)
        while counts["drawn"] < options.count and time.monotonic() - start < options.seconds:
            program = random_program(rng.randrange(1 << 40))
            if program is not None:
                yield program

    def settle(batch):
        verdicts, said = run_batch(mlc, batch, folder)
        if verdicts is None:
            # One of them ends the process.
            for each in batch:
                alone, _ = run_batch(mlc, [each], folder)
                count(batch=[each], verdicts=alone)
            return
        count(batch, verdicts)

    def count(batch, verdicts):
        for p in batch:
            if (p.name, "built") in verdicts:
                refused[verdicts[p.name, "built"]] += 1
                counts["refused"] += 1
                continue
            for variant in ["interpreted", "none", "default"]:
                verdict = verdicts[p.name, variant]
                if variant == "interpreted" and "`tirx.tvm_call_packed`" in verdict:
                    counts["not interpreted"] += 1
                    continue
                counts[variant] += 1
                if verdict:
                    wrong.append((p, variant, verdict))
                    print(f"{p.name}, {variant}: {verdict}\n{p.text()}", flush=True)

    batch = []
    for program in draws():
        counts["drawn"] += 1
        for used in program.used:
            counts["operators", used] += 1
        batch.append(program)
        if len(batch) >= options.batch:
            settle(batch)
            batch = []
    if batch:
        settle(batch)
    if options.keep is None:
        shutil.rmtree(folder)
    for why, times in refused.most_common(20):
        print(f"  refused {times} times: {why}")
    enough = options.systematic or counts["drawn"] >= 2000
    never = [name for name in OPERATORS if counts["operators", name] == 0 and enough]
    compared = sum(counts[v] for v in ["interpreted", "none", "default"])
    print(f"seed {options.seed}")
    print(f"programs run: {counts['drawn'] - counts['refused']} of {counts['drawn']}")
    print(f"comparisons: {compared} of {3 * (counts['drawn'] - counts['refused'])}; {counts['not interpreted']} programs call functions of the host")
    good = not wrong and not never and counts["drawn"] >= 100 and counts["refused"] <= counts["drawn"] // 50
    if never:
        print(f"never drawn: {', '.join(never)}")
    if counts["refused"] > counts["drawn"] // 50:
        print("more than one in fifty is refused")
    # A judge that says yes to everything judges nothing.
    good &= planted()
    print(f"{compared - len(wrong) if good else 0} passed, {0 if good else max(1, len(wrong))} failed")
    sys.exit(not good)


def planted():
    """Results off by the least step, or by twice what is allowed, are noticed."""
    noticed = tried = 0
    for program in systematic():
        want = program.result
        if want.array.size == 0:
            continue
        for step in [1, -1]:
            got = want.array.copy()
            flat = got.reshape(-1)
            if want.dtype == "bool":
                flat[0] = not flat[0]
            elif want.exact and want.dtype in FLOATS:
                flat[0] = np.nextafter(flat[0], got.dtype.type(step * np.inf)) if np.isfinite(flat[0]) else 1
            elif want.exact:
                flat[0] = flat[0] + got.dtype.type(1)
            else:
                change = 2.5 * max(want.error.reshape(-1)[0], abs(float(flat[0])) * ROUNDING[want.dtype])
                flat[0] = got.dtype.type(float(flat[0]) + step * change)
            if np.all(got == want.array):
                continue
            tried += 1
            noticed += judge(program, got) != ""
    print(f"planted faults noticed: {noticed} of {tried}")
    return tried >= 500 and noticed >= tried * 0.97


main()
