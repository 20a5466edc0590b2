# SPDX-License-Identifier: Apache-2.0
"""The operators that te_programs.py composes: what mlc is given, what NumPy computes, and how far from that a result may
lie."""
import math

import numpy as np

INTS = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]
FLOATS = ["float16", "float32", "float64"]
TYPES = INTS + FLOATS + ["bool"]
ROUNDING = {"float16": 2.0**-11, "float32": 2.0**-24, "float64": 2.0**-53}
TINY = {"float16": 2.0**-24, "float32": 2.0**-149, "float64": 5e-324}

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
# e^x / (1 + e^x) below 0, where 1 + e^-x leaves the range of the type before the result does.
smooth("sigmoid", lambda x: np.where(x < 0, np.exp(-np.abs(x)), 1) / (1 + np.exp(-np.abs(x))))
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
    OPERATORS[function] = (apply, 1, TYPES, True, function in ("transpose", "expand_dims", "flip", "repeat", "tile", "pad"), 1)


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


@operator(2, TYPES)
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


@operator(1, TYPES)
def stack(draw, values):
    (x,) = values
    axis = draw.randrange(x.array.ndim + 1)
    error = None if x.exact else np.stack([x.bound()] * 2, axis)
    return (f"topi.stack([{x.name}, {x.name}], {axis})", np.stack([x.array] * 2, axis), error) if x.array.ndim < 4 else None


@operator(2, TYPES)
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


@operator(1, INTS)
def cumulative(draw, values):
    (x,) = values
    axis = axis_of(draw, x)
    if axis is None:
        return None
    name = draw.choice(["cumsum", "cumprod"])
    return f"topi.{name}({x.name}, axis={axis})", getattr(np, name)(x.array, axis=axis, dtype=x.dtype), None


@operator(1, NUMBERS)
def sort(draw, values):
    (x,) = values
    axis = axis_of(draw, x)
    if axis is None or np.any(np.isnan(x.array.astype("float64"))) or not x.exact:
        return None
    up = draw.random() < 0.5
    result = np.sort(x.array, axis=axis)
    result = result if up else np.flip(result, axis)
    return f"topi.sort({x.name}, axis={axis}, is_ascend={up})", result, np.zeros(result.shape) if x.dtype in FLOATS else None


@operator(2, NUMBERS, weight=2)
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


def divisor_of(draw, number):
    return draw.choice([each for each in range(1, number + 1) if number % each == 0])


@operator(2, INTS + ["float32", "float64"], symbolic=False, weight=2)
def transposed_convolution(draw, values):
    """With strides, of one or two dimensions; elements of any shape as data and as a kernel."""
    a, b = values
    if a.dtype != b.dtype or not 0 < a.array.size <= 400 or not 0 < b.array.size <= 200:
        return None
    c = divisor_of(draw, int(np.gcd(a.array.size, b.array.size)))
    sides, out = [a.array.size // c], b.array.size // c
    rank = draw.choice([1, 2])
    if rank == 2:
        h = divisor_of(draw, sides[0])
        sides = [h, sides[0] // h]
    kernel = []
    for _ in range(rank):
        kernel.append(divisor_of(draw, out))
        out //= kernel[-1]
    strides = [draw.randrange(1, 4) for _ in range(rank)]
    pads, extra = [draw.randrange(k) for k in kernel], [draw.randrange(s) for s in strides]
    full = [(e - 1) * s + k for e, s, k in zip(sides, strides, kernel)]
    if any(f - 2 * p + x <= 0 for f, p, x in zip(full, pads, extra)):
        return None
    data_shape, kernel_shape = (1, c, *sides), (c, out, *kernel)
    function = {1: "conv1d_transpose_ncw", 2: "conv2d_transpose_nchw"}[rank]
    text = (f"topi.nn.{function}(topi.reshape({a.name}, {data_shape}), topi.reshape({b.name}, {kernel_shape}), "
            f'{tuple(strides)}, {tuple(pads * 2)}, "{a.dtype}", {tuple(extra)})')

    def scattered(x, w):
        x, w = x.reshape(c, *sides), w.reshape(kernel_shape)
        result = np.zeros((out, *[f + e for f, e in zip(full, extra)]), x.dtype)
        for tap in np.ndindex(*kernel):
            at = tuple(slice(t, t + (e - 1) * s + 1, s) for t, e, s in zip(tap, sides, strides))
            for i in range(c):
                result[(slice(None), *at)] += w[(i, slice(None), *tap)].reshape(out, *[1] * rank) * x[i]
        inside = tuple(slice(p, f - p + e) for p, f, e in zip(pads, full, extra))
        return result[(slice(None), *inside)][None]

    if a.dtype not in FLOATS:
        return text, scattered(a.array, b.array), None
    x, w = a.array.astype("float64"), b.array.astype("float64")
    size = scattered(np.abs(x) + a.bound(), np.abs(w) + b.bound())
    if not np.all(np.isfinite(x)) or not np.all(np.isfinite(w)) or np.any(size > np.finfo(a.dtype).max / 4):
        return None
    steps = c * int(np.prod(kernel))
    error = 2 * (size - scattered(np.abs(x), np.abs(w))) + 2 * (steps + 2) * ROUNDING[a.dtype] * size + (steps + 1) * TINY[a.dtype]
    return text, scattered(x, w).astype(a.dtype), error
