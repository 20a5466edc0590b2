# SPDX-License-Identifier: Apache-2.0
"""Operators of networks that network_programs.py composes: the text of a call, what NumPy computes in float64 or int64, and how
far from that a result may lie. Numbers are small multiples of a power of two, so that sums and products are exact in any order, and
must be to the bit, until an operator rounds."""
import math

import numpy as np

ROUNDING = {"float16": 2.0**-11, "float32": 2.0**-24}
DIGITS = {"float16": 11, "float32": 24}


class Tensor:
    """A variable of the graph: its dimensions as text, its numbers, how far the compiled ones may lie from them.

    error: None where they are the numbers. grain: they are multiples of 2**-grain; magnitude: at least the sum of the absolute
    values of the terms that each was summed of, since passes multiply the terms instead of the sum.
    """

    def __init__(self, name, dims, array, dtype, error=None, grain=0, magnitude=None):
        self.name, self.dims, self.array, self.dtype = name, dims, array, dtype
        self.error, self.grain = error, grain
        self.magnitude = np.abs(array) if magnitude is None else magnitude

    @property
    def is_float(self):
        return self.dtype in ROUNDING

    @property
    def bound(self):
        return np.zeros(self.array.shape) if self.error is None else self.error


def unknown(dim):
    """Is the dimension symbolic? One that is computed of such is written `?`."""
    return not dim.isdigit()


def sides_of(dims, numbers):
    """Dimensions that are computed of others."""
    return ["?" if unknown(d) else str(n) for d, n in zip(dims, numbers)]


OPERATORS = {}


def operator(weight=1):
    """`f(g, x)` adds a call on x, a tensor of the graph g, and returns its result, or None where it does not apply."""

    def add(f):
        OPERATORS[f.__name__] = (f, weight)
        return f

    return add


def summed(g, text, dims, x, w, function, steps, dtype=None, bias=None):
    """A result that is linear in x and in w; `function` computes it from arrays, of `steps` terms each."""
    dtype = dtype or x.dtype
    array = function(x.array, w.array)
    if not x.is_float:
        return g.add(text, dims, array, dtype)
    size = function(x.magnitude + x.bound, w.magnitude + w.bound)
    grain = x.grain + w.grain
    if x.error is None and w.error is None and np.all(size * 2.0**grain < 2 ** DIGITS[dtype]):
        return g.add(text, dims, array, dtype, None, grain, size)
    spread = function(np.abs(x.array) + x.bound, np.abs(w.array) + w.bound) - function(np.abs(x.array), np.abs(w.array))
    return g.add(text, dims, array, dtype, 2 * spread + 2 * (steps + 4) * ROUNDING[dtype] * size + 1e-30, 0, size)


def rounded(g, text, dims, array, x, error, magnitude=None, dtype=None):
    """A result that is rounded a few times after what `error` says."""
    dtype = dtype or x.dtype
    size = np.abs(array) if magnitude is None else magnitude
    return g.add(text, dims, array, dtype, error + 16 * ROUNDING[dtype] * (size + error) + 1e-30, 0, magnitude)


# ---- windows ----


def out_extents(sides, kernel, strides, before, after, dilation):
    return [(n + b + a - (k - 1) * d - 1) // s + 1 for n, k, s, b, a, d in zip(sides, kernel, strides, before, after, dilation)]


def taps(padded, kernel, strides, dilation, out):
    """For each element of the window: where it is, and the part of the data that it meets."""
    for tap in np.ndindex(*kernel):
        at = tuple(slice(t * d, t * d + (o - 1) * s + 1, s) for t, d, o, s in zip(tap, dilation, out, strides))
        yield tap, padded[(slice(None), slice(None), *at)]


def convolved(x, w, strides, before, after, dilation, groups):
    """N, channels, sides by channels, channels of a group, window."""
    kernel, sides = w.shape[2:], x.shape[2:]
    out = out_extents(sides, kernel, strides, before, after, dilation)
    padded = np.pad(x, [(0, 0), (0, 0), *zip(before, after)])
    result = np.zeros((x.shape[0], w.shape[0], *out), x.dtype)
    per_out, per_in = w.shape[0] // groups, w.shape[1]
    for tap, part in taps(padded, kernel, strides, dilation, out):
        for group in range(groups):
            mine = slice(group * per_out, (group + 1) * per_out)
            of = part[:, group * per_in : (group + 1) * per_in]
            result[:, mine] += np.einsum("nc...,oc->no...", of, w[(mine, slice(None), *tap)])
    return result


def scattered(x, w, strides, before, after, extra, dilation, groups):
    """The transposed convolution: w is channels, channels of a group of the result, window."""
    kernel, sides = w.shape[2:], x.shape[2:]
    full = [(n - 1) * s + (k - 1) * d + 1 + e for n, s, k, d, e in zip(sides, strides, kernel, dilation, extra)]
    result = np.zeros((x.shape[0], w.shape[1] * groups, *full), x.dtype)
    per_in, per_out = w.shape[0] // groups, w.shape[1]
    for tap in np.ndindex(*kernel):
        at = tuple(slice(t * d, t * d + (n - 1) * s + 1, s) for t, d, n, s in zip(tap, dilation, sides, strides))
        for group in range(groups):
            mine = slice(group * per_in, (group + 1) * per_in)
            made = np.einsum("nc...,co->no...", x[:, mine], w[(mine, slice(None), *tap)])
            result[(slice(None), slice(group * per_out, (group + 1) * per_out), *at)] += made
    return result[(slice(None), slice(None), *[slice(b, f - a) for b, a, f in zip(before, after, full)])]


LAYOUTS = {1: ("NCW", "OIW", "IOW"), 2: ("NCHW", "OIHW", "IOHW"), 3: ("NCDHW", "OIDHW", "IODHW")}
KINDS = {1: "1d", 2: "2d", 3: "3d"}


def is_image(x):
    return x.array.ndim in (3, 4, 5) and all(n > 0 for n in x.array.shape[1:])


def order(layout, of):
    """The axes of `of`, in the order in which `layout` has them."""
    return [layout.index(each) for each in of]


@operator(8)
def conv(g, x):
    if not is_image(x):
        return None
    rank = x.array.ndim - 2
    data, kernel_layout = LAYOUTS[rank][:2]
    last = g.chance(0.2)
    if last:
        data, kernel_layout = data.replace("C", "") + "C", kernel_layout[2:] + "IO"
    to_first = order(data, LAYOUTS[rank][0])
    moved = np.transpose(x.array, to_first)
    channels, sides = moved.shape[1], moved.shape[2:]
    groups = g.choice([1, 1, 1, channels, *[n for n in (2, 3, 4) if channels % n == 0]])
    out_channels = groups * g.choice([1, 1, 2, 3] if groups > 1 else [1, 2, 3, 4, 8, 16, 17, 32])
    kernel = [g.below(1, min(n + 1, 3) + 1) for n in sides]
    strides = [g.choice([1, 1, 1, 2, 3]) for _ in sides]
    dilation = [g.choice([1, 1, 1, 2]) for _ in sides]
    before, after = [[g.choice([0, 0, 1, 1, 2]) for _ in sides] for _ in range(2)]
    if g.chance(0.6):
        after = before
    out = out_extents(sides, kernel, strides, before, after, dilation)
    if min(out) < 1 or math.prod(out) * math.prod(kernel) * out_channels * channels // groups > 400000:
        return None
    shape = dict(zip("OI" + LAYOUTS[rank][0][2:], (out_channels, channels // groups, *kernel)))
    w = g.weight([shape[each] for each in kernel_layout], x.dtype)
    to_oi = order(kernel_layout, LAYOUTS[rank][1])
    back = order(LAYOUTS[rank][0], data)

    def function(a, b):
        made = convolved(np.transpose(a, to_first), np.transpose(b, to_oi), strides, before, after, dilation, groups)
        return np.transpose(made, back)

    dims = dict(zip(data, x.dims))
    if unknown(dims["C"]):
        return None
    spatial = LAYOUTS[rank][0][2:]
    dims |= {"C": str(out_channels)} | dict(zip(spatial, sides_of([dims[each] for each in spatial], out)))
    out_dtype = ', out_dtype="int32"' if x.dtype == "int8" else ""
    text = (f"R.nn.conv{KINDS[rank]}({x.name}, {w.name}, strides={strides}, padding={before + after}, dilation={dilation}, "
            f'groups={groups}, data_layout="{data}", kernel_layout="{kernel_layout}"{out_dtype})')
    g.drew("conv" + KINDS[rank])
    for name, is_so in [("in groups", groups > 1), ("depthwise", groups == channels > 1), ("dilated", max(dilation) > 1),
                        ("with strides", max(strides) > 1), ("channels last", last), ("padded unevenly", after != before)]:
        if is_so:
            g.drew("convolutions " + name)
    steps = math.prod(kernel) * channels // groups
    result = summed(g, text, [dims[each] for each in data], x, w, function, steps, "int32" if x.dtype == "int8" else None)
    if result is not None and g.chance(0.5):
        return along_channels(g, result, data.index("C"))
    return result


@operator(3)
def conv_transpose(g, x):
    if not is_image(x) or not x.is_float:
        return None
    rank = x.array.ndim - 2
    if unknown(x.dims[1]):
        return None
    channels, sides = x.array.shape[1], x.array.shape[2:]
    groups = g.choice([1, 1, 1, *[n for n in (2, 3) if channels % n == 0]])
    per_out = g.choice([1, 2, 3, 8])
    kernel = [g.below(1, 4) for _ in sides]
    strides = [g.choice([1, 2, 2, 3]) for _ in sides]
    before = [g.below(0, k) for k in kernel]
    extra = [g.below(0, s) for s in strides]
    dilation = [1] * rank
    out = [(n - 1) * s + k - 2 * b + e for n, s, k, b, e in zip(sides, strides, kernel, before, extra)]
    if min(out) < 1 or math.prod(out) * math.prod(kernel) * per_out * channels > 300000:
        return None
    w = g.weight((channels, per_out, *kernel), x.dtype)
    text = (f"R.nn.conv{KINDS[rank]}_transpose({x.name}, {w.name}, strides={strides}, padding={before * 2}, "
            f"output_padding={extra}, groups={groups})")
    g.drew("transposed convolutions" + (" in groups" if groups > 1 else ""))
    dims = [x.dims[0], str(per_out * groups), *sides_of(x.dims[2:], out)]
    return summed(g, text, dims, x, w, lambda a, b: scattered(a, b, strides, before, before, extra, dilation, groups),
                  math.prod(kernel) * channels)


@operator(3)
def pool(g, x):
    if not is_image(x):
        return None
    rank, sides = x.array.ndim - 2, x.array.shape[2:]
    most = g.chance(0.5)
    if not x.is_float and not most:
        return None
    kernel = [g.below(1, min(3, n) + 1) for n in sides]
    strides = [g.choice([1, 2, 3]) for _ in sides]
    pads = [g.below(0, (k + 1) // 2) for k in kernel]
    out = out_extents(sides, kernel, strides, pads, pads, [1] * rank)
    if min(out) < 1:
        return None
    include = g.chance(0.5)
    padded = np.pad(x.array, [(0, 0), (0, 0), *zip(pads, pads)], constant_values=-1e9 if x.is_float else np.iinfo(x.dtype).min)
    parts = [part for _, part in taps(padded, kernel, strides, [1] * rank, out)]
    dims = [*x.dims[:2], *sides_of(x.dims[2:], out)]
    call = f"pool{KINDS[rank]}({x.name}, pool_size={kernel}, strides={strides}, padding={pads * 2}"
    if most:
        bounds = np.pad(x.bound, [(0, 0), (0, 0), *zip(pads, pads)])
        error = None if x.error is None else np.max([p for _, p in taps(bounds, kernel, strides, [1] * rank, out)], axis=0)
        return g.add(f"R.nn.max_{call})", dims, np.max(parts, axis=0), x.dtype, error, x.grain)
    ones = np.pad(np.ones(x.array.shape), [(0, 0), (0, 0), *zip(pads, pads)], constant_values=1 if include else 0)
    count = np.sum([p for _, p in taps(ones, kernel, strides, [1] * rank, out)], axis=0)

    def mean(a):
        return np.sum([p for _, p in taps(np.pad(a, [(0, 0), (0, 0), *zip(pads, pads)]), kernel, strides, [1] * rank, out)], axis=0) / count

    size = mean(x.magnitude + x.bound)
    return rounded(g, f"R.nn.avg_{call}, count_include_pad={include})", dims, mean(x.array), x,
                   mean(x.bound) + math.prod(kernel) * 2 * ROUNDING[x.dtype] * size, size)


@operator()
def adaptive_pool(g, x):
    if not is_image(x) or not x.is_float or x.array.ndim > 4 or any(map(unknown, x.dims[2:])):
        return None
    rank, sides = x.array.ndim - 2, x.array.shape[2:]
    out = [g.below(1, n + 1) for n in sides]

    def mean(a):
        for axis, (n, o) in enumerate(zip(sides, out), 2):
            parts = [np.mean(np.take(a, range(i * n // o, -(-(i + 1) * n // o)), axis), axis) for i in range(o)]
            a = np.stack(parts, axis)
        return a

    size = mean(x.magnitude + x.bound)
    return rounded(g, f"R.nn.adaptive_avg_pool{KINDS[rank]}({x.name}, output_size={out})", [*x.dims[:2], *map(str, out)],
                   mean(x.array), x, mean(x.bound) + math.prod(sides) * 2 * ROUNDING[x.dtype] * size, size)


@operator()
def resize(g, x):
    if x.array.ndim != 4 or not is_image(x) or any(map(unknown, x.dims[2:])):
        return None
    factors = [g.below(1, 4), g.below(1, 4)]
    out = [n * f for n, f in zip(x.array.shape[2:], factors)]
    change = lambda a: np.repeat(np.repeat(a, factors[0], 2), factors[1], 3)
    text = (f'R.image.resize2d({x.name}, size={tuple(out)}, layout="NCHW", method="nearest_neighbor", '
            f'coordinate_transformation_mode="asymmetric", rounding_method="floor")')
    return moved(g, text, [*x.dims[:2], *map(str, out)], x, change) if x.dtype == "float32" else None


# ---- products ----


@operator(6)
def matmul(g, x):
    if x.array.ndim < 1 or x.array.ndim > 4 or x.array.shape[-1] == 0 or x.array.size > 4000 or unknown(x.dims[-1]):
        return None
    inner, columns = x.array.shape[-1], g.choice([1, 2, 5, 8, 16, 31])
    batch = list(x.array.shape[:-2])
    if x.array.ndim > 2 and not any(map(unknown, x.dims[:-2])) and g.chance(0.4):
        batch = [n if g.chance(0.7) else 1 for n in batch]
    else:
        batch = []
    out = ', out_dtype="int32"' if x.dtype == "int8" else ""
    out_dtype = "int32" if x.dtype == "int8" else None
    dims = [*x.dims[:-1], str(columns)]
    kind = g.choice(["plain", "transposed", "linear", "parallel"])
    if kind == "plain" or x.array.ndim < 2:
        w = g.weight((*batch, inner, columns), x.dtype)
        result = summed(g, f"R.matmul({x.name}, {w.name}{out})", dims, x, w, np.matmul, inner, out_dtype)
    elif kind == "linear" and x.is_float:
        w, b = g.weight((columns, inner), x.dtype), g.weight((columns,), x.dtype)
        product = summed(g, None, dims, x, w, lambda a, c: np.matmul(a, c.T), inner)
        return None if product is None else plus(g, f"R.linear({x.name}, {w.name}, {b.name})", product, b, dims)
    elif kind == "parallel" and x.is_float:
        # Products of one tensor, which become one product.
        left, right = g.weight((inner, columns), x.dtype), g.weight((inner, columns), x.dtype)
        first = summed(g, f"R.matmul({x.name}, {left.name})", dims, x, left, np.matmul, inner)
        second = summed(g, f"R.matmul({x.name}, {right.name})", dims, x, right, np.matmul, inner)
        return None if first is None or second is None else plus(g, f"R.add({first.name}, {second.name})", first, second, dims)
    else:
        w = g.weight((*batch, columns, inner), x.dtype)
        axes = list(range(len(batch))) + [len(batch) + 1, len(batch)]
        result = summed(g, f"R.matmul({x.name}, R.permute_dims({w.name}, {axes}){out})", dims, x, w,
                        lambda a, b: np.matmul(a, np.transpose(b, axes)), inner, out_dtype)
    if result is not None and g.chance(0.4):
        return along_channels(g, result, result.array.ndim - 1)
    return result


@operator(2)
def matmul_itself(g, x):
    """x by x transposed: both operands are computed."""
    if x.array.ndim not in (2, 3, 4) or x.array.size > 2000 or 0 in x.array.shape or x.dtype == "int8":
        return None
    axes = list(range(x.array.ndim))
    axes[-2:] = axes[:-3:-1]
    function = lambda a, b: np.matmul(a, np.transpose(b, axes))
    if g.chance(0.3):
        return summed(g, f"R.matmul(R.permute_dims({x.name}, {axes}), {x.name})", [*x.dims[:-2], x.dims[-1], x.dims[-1]], x, x,
                      lambda a, b: np.matmul(np.transpose(a, axes), b), x.array.shape[-2])
    return summed(g, f"R.matmul({x.name}, R.permute_dims({x.name}, {axes}))", [*x.dims[:-2], x.dims[-2], x.dims[-2]], x, x,
                  function, x.array.shape[-1])


# ---- attention ----


def softmax_of(scores, error, eps):
    """Probabilities along the last axis, and how far from them those of scores that are off by `error` may be."""
    power = np.exp(scores - np.max(scores, axis=-1, keepdims=True))
    result = power / np.sum(power, axis=-1, keepdims=True)
    around = 2 * np.max(error, axis=-1, keepdims=True) + 8 * eps * np.max(np.where(np.isfinite(scores), np.abs(scores), 0), axis=-1, keepdims=True)
    return result, result * (np.expm1(np.minimum(2 * around, 30)) + (scores.shape[-1] + 16) * 2 * eps)


def attended(g, text, dims, q, k, v, bias, scale, mask, keys_of):
    """softmax(q k^T scale + bias) v; q, k, v: arrays by batch, head, position, width with their bounds."""
    eps = ROUNDING[g.dtype]
    kt = lambda a: np.swapaxes(a, -1, -2)
    scores = np.matmul(q[0], kt(k[0])) * scale
    size = np.matmul(np.abs(q[0]) + q[1], kt(np.abs(k[0]) + k[1])) * scale
    error = size - np.matmul(np.abs(q[0]), kt(np.abs(k[0]))) * scale + 2 * (q[0].shape[-1] + 6) * eps * size
    if bias is not None:
        scores, error = scores + bias, error + 4 * eps * (np.abs(bias) + size)
    if np.max(np.abs(scores), initial=0) > 60 or np.max(error, initial=0) > 0.5:
        return None
    if mask:
        rows, columns = scores.shape[-2:]
        offset = columns - rows if mask == "BottomRight" else 0
        if offset < 0:
            return None
        scores = np.where(np.arange(columns)[None, :] <= np.arange(rows)[:, None] + offset, scores, -np.inf)
    weights, off = softmax_of(scores, error, eps)
    result = np.matmul(weights, v[0])
    magnitude = np.matmul(weights + off, np.abs(v[0]) + v[1])
    error = magnitude - np.matmul(weights, np.abs(v[0])) + 2 * (scores.shape[-1] + 6) * eps * magnitude
    return rounded(g, text, dims, keys_of(result), g, keys_of(error), keys_of(magnitude))


@operator(3)
def attention(g, x):
    """batch, position, heads, width"""
    if x.array.ndim != 4 or x.array.size > 3000 or 0 in x.array.shape or x.dtype != "float32":
        return None
    batch, queries, heads, width = x.array.shape
    groups = g.choice([1, 1, *[n for n in (2, 3) if heads % n == 0]])
    own = any(map(unknown, x.dims)) or g.chance(0.5)
    key = x if own else g.weight((batch, g.below(1, 9), heads // groups, width), x.dtype)
    value = key if own or g.chance(0.3) else g.weight((*key.array.shape[:3], g.choice([width, 1, 8])), x.dtype)
    scale = g.choice([None, 0.5, 0.25])
    mask = g.choice([None, None, "TopLeft", "BottomRight"])
    factor = scale or 1 / math.sqrt(width)
    bias = None
    if not any(map(unknown, x.dims)) and g.chance(0.4):
        bias = g.weight((batch if g.chance(0.5) else 1, heads if g.chance(0.5) else 1, queries, key.array.shape[1]), x.dtype)
    times = heads // key.array.shape[2]
    of = lambda t: tuple(np.repeat(np.swapaxes(a, 1, 2), times if t is not x else 1, 1) for a in (t.array, t.bound))
    text = (f"R.nn.attention({x.name}, {key.name}, {value.name}" + (f", {bias.name}" if bias is not None else "")
            + (f", scale={scale}" if scale else "") + (f', causal_mask="{mask}"' if mask else "") + ")")
    g.drew("attention" + (" with fewer keys" if times > 1 else "") + (" masked" if mask else ""))
    dims = [*x.dims[:3], str(value.array.shape[3])]
    return attended(g, text, dims, of(x), of(key), of(value), None if bias is None else bias.array, factor, mask,
                    lambda a: np.swapaxes(a, 1, 2))


@operator(2)
def written_attention(g, x):
    """By products around a softmax; (heads or batch), position, width"""
    if x.array.ndim not in (2, 3, 4) or x.array.size > 3000 or 0 in x.array.shape or x.dtype != "float32":
        return None
    width = x.array.shape[-1]
    factor = g.choice([1.0, 0.5, 0.25])
    axes = [*range(x.array.ndim - 2), x.array.ndim - 1, x.array.ndim - 2]
    positions = x.dims[-2]
    v = x if unknown(positions) or g.chance(0.5) else g.weight((*x.array.shape[-2:-1], g.choice([width, 8, 3])), x.dtype)
    if v is not x and x.array.ndim > 2:
        v = x
    symbolic = unknown(positions)
    bias = g.weight((x.array.shape[-2],) * 2, x.dtype) if not symbolic and g.chance(0.5) else None
    scores = f"R.matmul({x.name}, R.permute_dims({x.name}, {axes}))"
    scores = f'R.multiply({scores}, R.const({factor}, "float32"))' if factor != 1 else scores
    scores = f"R.add({scores}, {bias.name})" if bias is not None else scores
    text = f"R.matmul(R.nn.softmax({scores}, axis=-1), {v.name})"
    g.drew("attention written out")
    return attended(g, text, [*x.dims[:-1], v.dims[-1]], (x.array, x.bound), (x.array, x.bound), (v.array, v.bound),
                    None if bias is None else bias.array, factor, None, lambda a: a)


@operator(2)
def softmax(g, x):
    axis = g.axis(x)
    if axis is None or x.array.shape[axis] == 0 or not x.is_float or np.max(np.abs(x.array), initial=0) > 60:
        return None
    wide = np.moveaxis(x.array, axis, -1)
    result, error = softmax_of(wide, np.moveaxis(x.bound, axis, -1), ROUNDING[x.dtype])
    log = g.chance(0.3)
    if log:
        logarithm = wide - np.max(wide, axis=-1, keepdims=True)
        result = logarithm - np.log(np.sum(np.exp(logarithm), axis=-1, keepdims=True))
        worst = np.max(np.moveaxis(x.bound, axis, -1), axis=-1, keepdims=True)
        error = np.zeros(wide.shape) + 2 * worst + (wide.shape[-1] + 16) * ROUNDING[x.dtype] * 2 * (1 + np.max(np.abs(wide), axis=-1, keepdims=True))
    back = lambda a: np.moveaxis(a, -1, axis)
    return rounded(g, f'R.nn.{"log_" if log else ""}softmax({x.name}, axis={axis})', x.dims, back(result), x, back(error))


# ---- normalizations ----


def spread_over(shape, axes, array):
    return np.asarray(array).reshape([n if i in axes else 1 for i, n in enumerate(shape)])


def normalized(g, text, x, axes, gamma, beta, centred=True, where=None):
    """(x - mean) / sqrt(var + eps) * gamma + beta over axes; `where` views x so that these axes are there."""
    view, back = where or (lambda a: a, lambda a: a)
    a, bound = view(x.array), view(x.bound)
    eps, count = ROUNDING[x.dtype], math.prod(a.shape[i] for i in axes)
    mean = np.mean(a, axis=tuple(axes), keepdims=True) if centred else 0
    second = np.mean(np.square(a - mean), axis=tuple(axes), keepdims=True)
    deviation = np.sqrt(second + 1e-5)
    if 0 in a.shape or np.min(deviation) < 0.25:
        return None
    unit = (a - mean) / deviation
    most = np.max(np.abs(a) + bound, axis=tuple(axes), keepdims=True)
    off = np.max(bound, axis=tuple(axes), keepdims=True) + (count + 4) * eps * most
    error = 2 * off / deviation * (1 + np.abs(unit)) + np.abs(unit) * (count + 8) * eps * np.square(most / deviation)
    result, error = back(unit), back(error)
    return rounded(g, text, x.dims, result * gamma + beta, x, error * np.abs(gamma), np.abs(result * gamma) + np.abs(beta))


@operator(3)
def normalization(g, x):
    if x.array.ndim < 2 or not x.is_float or 0 in x.array.shape:
        return None
    kind = g.choice(["layer", "rms", "group", "instance"])
    shape, rank = x.array.shape, x.array.ndim
    if kind in ("layer", "rms"):
        axes = [rank - 1] if rank < 3 or g.chance(0.7) else [rank - 2, rank - 1]
        if any(unknown(x.dims[i]) for i in axes):
            return None
        gamma, beta = [g.weight([shape[i] for i in axes], x.dtype) for _ in range(2)]
        text = (f"R.nn.layer_norm({x.name}, {gamma.name}, {beta.name}, axes={axes})" if kind == "layer"
                else f"R.nn.rms_norm({x.name}, {gamma.name}, axes={axes})")
        made = spread_over(shape, axes, gamma.array), spread_over(shape, axes, beta.array) if kind == "layer" else 0
        return normalized(g, text, x, axes, *made, centred=kind == "layer")
    if rank < 3 or unknown(x.dims[1]):
        return None
    gamma, beta = [g.weight((shape[1],), x.dtype) for _ in range(2)]
    axes, values = list(range(2, rank)), [spread_over(shape, [1], each.array) for each in (gamma, beta)]
    if kind == "instance":
        text = f"R.nn.instance_norm({x.name}, {gamma.name}, {beta.name}, channel_axis=1, axes={axes})"
        return normalized(g, text, x, axes, *values)
    groups = g.choice([n for n in range(1, shape[1] + 1) if shape[1] % n == 0])
    split = (shape[0], groups, shape[1] // groups, *shape[2:])
    text = f"R.nn.group_norm({x.name}, {gamma.name}, {beta.name}, num_groups={groups}, channel_axis=1, axes={axes})"
    return normalized(g, text, x, list(range(2, len(split))), *values,
                      where=(lambda a: a.reshape(split), lambda a: a.reshape(shape)))


@operator(3)
def batch_norm(g, x):
    axis = g.choice([1, 1, 1, x.array.ndim - 1, g.axis(x)]) if x.array.ndim > 1 else None
    # Legalised, one of float16 yields float32, as in TVM.
    if axis is None or x.dtype != "float32" or unknown(x.dims[axis]):
        return None
    channels = (x.array.shape[axis],)
    gamma, beta, mean = [g.weight(channels, x.dtype) for _ in range(3)]
    variance = g.weight(channels, x.dtype, positive=True)
    of = [spread_over(x.array.shape, [axis], each.array) for each in (gamma, beta, mean, variance)]
    scaled, centred = g.chance(0.8), g.chance(0.8)
    scale = (of[0] if scaled else 1) / np.sqrt(of[3] + 1e-5)
    shift = of[1] if centred else 0 * of[1]
    size = np.abs(scale) * (x.magnitude + x.bound + np.abs(of[2])) + np.abs(shift)
    text = (f"R.nn.batch_norm({x.name}, {gamma.name}, {beta.name}, {mean.name}, {variance.name}, axis={axis}, epsilon=1e-5, "
            f"center={centred}, scale={scaled}, momentum=0.1, training=False)[0]")
    error = x.bound * np.abs(scale) + 32 * ROUNDING[x.dtype] * size
    return rounded(g, text, x.dims, (x.array - of[2]) * scale + shift, x, error, size)


# ---- elements ----


def plus(g, text, x, y, dims, sign=1):
    array = x.array + sign * y.array
    if not x.is_float:
        return g.add(text, dims, array, x.dtype)
    grain = max(x.grain, y.grain)
    magnitude = x.magnitude + y.magnitude
    if x.error is None and y.error is None and np.all(magnitude * 2.0**grain < 2 ** DIGITS[x.dtype]):
        return g.add(text, dims, array, x.dtype, None, grain, magnitude)
    return rounded(g, text, dims, array, x, x.bound + y.bound, magnitude)


def along_channels(g, x, axis):
    """A bias or a factor for each channel, and mostly an activation."""
    if unknown(x.dims[axis]):
        return x
    shape = [x.array.shape[axis] if i == axis else 1 for i in range(x.array.ndim)]
    if axis == x.array.ndim - 1 and g.chance(0.5):
        shape = shape[-1:]
    w = g.weight(shape, x.dtype)
    if g.chance(0.7):
        made = plus(g, f"R.add({x.name}, {w.name})", x, w, x.dims)
    else:
        made = summed(g, f"R.multiply({x.name}, {w.name})", x.dims, x, w, np.multiply, 1)
    if made is None or g.chance(0.3):
        return made
    return activation(g, made) or made


UNARY = {  # what it computes, how steep it is at most, and from where to where it is asked
    "sigmoid": (lambda x: 1 / (1 + np.exp(-x)), 0.25, 30), "tanh": (np.tanh, 1, 30), "nn.silu": (lambda x: x / (1 + np.exp(-x)), 1.2, 30),
    "nn.gelu": (lambda x: x * (1 + np.vectorize(math.erf, otypes=["float64"])(x / math.sqrt(2))) / 2, 1.2, 30), "sin": (np.sin, 1, 100),
    "exp": (np.exp, None, 5), "erf": (np.vectorize(math.erf, otypes=["float64"]), 1.2, 100), "atan": (np.arctan, 1, 100),
}


@operator(4)
def activation(g, x):
    kind = g.choice(["nn.relu", "nn.relu", "negative", "abs", "clip", "nn.leakyrelu", *UNARY])
    if kind in UNARY:
        function, slope, most = UNARY[kind]
        if not x.is_float or np.max(np.abs(x.array) + x.bound, initial=0) > most:
            return None
        result = function(x.array)
        slope = np.exp(np.abs(x.array) + x.bound) if slope is None else slope
        # Computed as differences near 0.
        return rounded(g, f"R.{kind}({x.name})", x.dims, result, x, slope * x.bound, np.abs(result) + np.abs(x.array) + 0.25)
    functions = {"nn.relu": lambda a: np.maximum(a, 0), "negative": np.negative, "abs": np.abs, "clip": lambda a: np.clip(a, -1, 4),
                 "nn.leakyrelu": lambda a: np.where(a > 0, a, a / 4)}
    if not x.is_float and kind not in ("nn.relu", "clip"):
        return None
    more = {"clip": ", min=-1, max=4", "nn.leakyrelu": ", alpha=0.25"}.get(kind, "")
    grain = x.grain + 2 * (kind == "nn.leakyrelu")
    text = f"R.{kind}({x.name}{more})"
    if x.is_float and x.error is None and np.any(np.abs(x.array) * 2.0**grain >= 2 ** DIGITS[x.dtype]):
        return rounded(g, text, x.dims, functions[kind](x.array), x, x.bound)
    return g.add(text, x.dims, functions[kind](x.array), x.dtype, x.error, grain)


@operator(3)
def residual(g, x):
    """With a tensor of the same shape that has been computed before."""
    same = [each for each in g.tensors if "?" not in x.dims and each.dims == x.dims and each.dtype == x.dtype and each is not x]
    if not same:
        return None
    y, kind = g.choice(same), g.choice(["add", "add", "subtract", "multiply", "maximum", "minimum"])
    if kind in ("add", "subtract"):
        return plus(g, f"R.{kind}({x.name}, {y.name})", x, y, x.dims, 1 if kind == "add" else -1)
    if kind == "multiply":
        return summed(g, f"R.multiply({x.name}, {y.name})", x.dims, x, y, np.multiply, 1)
    error = None if x.error is None and y.error is None else np.maximum(x.bound, y.bound)
    function = np.maximum if kind == "maximum" else np.minimum
    return g.add(f"R.{kind}({x.name}, {y.name})", x.dims, function(x.array, y.array), x.dtype, error, max(x.grain, y.grain))


@operator()
def cast(g, x):
    if not x.is_float and x.dtype != "int8":
        to = g.choice(["float32", "int8"])
        if to == "int8":
            return g.add(f'R.astype({x.name}, "int8")', x.dims, x.array.astype("int8").astype("int64"), "int8")
        if np.any(np.abs(x.array) >= 2**24):
            return None
        return g.add(f'R.astype({x.name}, "float32")', x.dims, x.array.astype("float64"), "float32")
    if x.dtype == "int8":
        return g.add(f'R.astype({x.name}, "int32")', x.dims, x.array, "int32")
    return None


# ---- what moves elements ----


def moved(g, text, dims, x, change):
    return g.add(text, dims, change(x.array), x.dtype, None if x.error is None else change(x.error), x.grain, change(x.magnitude))


@operator(2)
def permute_dims(g, x):
    axes = g.shuffled(range(x.array.ndim))
    return moved(g, f"R.permute_dims({x.name}, {axes})", [x.dims[i] for i in axes], x, lambda a: np.transpose(a, axes))


@operator(3)
def reshape(g, x):
    """Splits a dimension or joins two."""
    if "?" in x.dims:
        return None
    if x.array.ndim >= 2 and (x.array.ndim == 5 or g.chance(0.5)):
        at = g.below(0, x.array.ndim - 1)
        if unknown(x.dims[at]) or unknown(x.dims[at + 1]):
            return None
        shape = [*x.array.shape[:at], x.array.shape[at] * x.array.shape[at + 1], *x.array.shape[at + 2:]]
        dims = [*x.dims[:at], str(shape[at]), *x.dims[at + 2:]]
    else:
        at = g.axis(x)
        if at is None or unknown(x.dims[at]) or x.array.shape[at] == 0 or x.array.ndim == 5:
            return None
        first = g.choice([k for k in range(1, x.array.shape[at] + 1) if x.array.shape[at] % k == 0])
        shape = [*x.array.shape[:at], first, x.array.shape[at] // first, *x.array.shape[at + 1:]]
        dims = [*x.dims[:at], str(shape[at]), str(shape[at + 1]), *x.dims[at + 1:]]
    return moved(g, f'R.reshape({x.name}, R.shape([{", ".join(dims)}]))', dims, x, lambda a: a.reshape(shape))


@operator(2)
def concat(g, x):
    fitting = [each for each in g.tensors if each.dtype == x.dtype and len(each.dims) == len(x.dims)]
    axis = g.axis(x)
    if axis is None or unknown(x.dims[axis]) or "?" in x.dims:
        return None
    rest = lambda each: [*each.dims[:axis], *each.dims[axis + 1:]]
    fitting = [each for each in fitting if rest(each) == rest(x) and not unknown(each.dims[axis])]
    chosen = [x, *[g.choice(fitting) for _ in range(g.below(1, 3))]]
    arrays = [each.array for each in chosen]
    dims = [*x.dims[:axis], str(sum(a.shape[axis] for a in arrays)), *x.dims[axis + 1:]]
    error = None if all(each.error is None for each in chosen) else np.concatenate([each.bound for each in chosen], axis)
    names = ", ".join(each.name for each in chosen)
    return g.add(f"R.concat(({names}), axis={axis})", dims, np.concatenate(arrays, axis), x.dtype, error,
                 max(each.grain for each in chosen), np.concatenate([each.magnitude for each in chosen], axis))


@operator(2)
def slice_of(g, x):
    axis = g.axis(x)
    if axis is None or unknown(x.dims[axis]) or x.array.shape[axis] < 2:
        return None
    n = x.array.shape[axis]
    if g.chance(0.5):
        at = g.below(1, n)
        part = g.below(0, 2)
        dims = [*x.dims[:axis], str([at, n - at][part]), *x.dims[axis + 1:]]
        return moved(g, f"R.split({x.name}, [{at}], axis={axis})[{part}]", dims, x, lambda a: np.split(a, [at], axis)[part])
    begin, step = g.below(0, n), g.below(1, 3)
    end = g.below(begin + 1, n + 1)
    part = tuple(slice(begin, end, step) if i == axis else slice(None) for i in range(x.array.ndim))
    dims = [*x.dims[:axis], str(len(range(begin, end, step))), *x.dims[axis + 1:]]
    return moved(g, f"R.strided_slice({x.name}, axes=[{axis}], begin=[{begin}], end=[{end}], strides=[{step}])", dims, x,
                 lambda a: a[part])


@operator(2)
def pad(g, x):
    if x.array.ndim == 0 or x.dtype == "int8":
        return None
    widths = [(0, 0) if unknown(d) else (g.below(0, 3), g.below(0, 3)) for d in x.dims]
    dims = [d if unknown(d) else str(int(d) + sum(w)) for d, w in zip(x.dims, widths)]
    return moved(g, f"R.nn.pad({x.name}, pad_width={[n for w in widths for n in w]})", dims, x, lambda a: np.pad(a, widths))


@operator()
def repeat(g, x):
    axis, times = g.axis(x), g.below(1, 4)
    if axis is None or unknown(x.dims[axis]):
        return None
    dims = [*x.dims[:axis], str(x.array.shape[axis] * times), *x.dims[axis + 1:]]
    if g.chance(0.5):
        return moved(g, f"R.repeat({x.name}, {times}, {axis})", dims, x, lambda a: np.repeat(a, times, axis))
    reps = [times if i == axis else 1 for i in range(x.array.ndim)]
    return moved(g, f"R.tile({x.name}, {reps})", dims, x, lambda a: np.tile(a, reps))


@operator()
def take(g, x):
    axis = g.axis(x)
    if axis is None or x.array.shape[axis] == 0 or unknown(x.dims[axis]):
        return None
    at = g.indices(g.below(1, 7), x.array.shape[axis])
    dims = [*x.dims[:axis], str(at.array.size), *x.dims[axis + 1:]]
    return moved(g, f"R.take({x.name}, {at.name}, axis={axis})", dims, x, lambda a: np.take(a, at.array, axis))


# ---- reductions ----


@operator(3)
def reduction(g, x):
    if x.array.ndim == 0 or not x.is_float:
        return None
    axes = g.some(range(x.array.ndim))
    keep = g.chance(0.5)
    kind = g.choice(["sum", "sum", "mean", "max", "min", "variance"])
    count = math.prod(x.array.shape[i] for i in axes)
    if kind != "sum" and count == 0:
        return None
    dims = [d if i not in axes else "1" for i, d in enumerate(x.dims) if keep or i not in axes]
    along = dict(axis=tuple(axes), keepdims=keep)
    text = f"R.{kind}({x.name}, axis={axes}, keepdims={keep})"
    if kind in ("max", "min"):
        error = None if x.error is None else np.max(x.error, **along)
        return g.add(text, dims, getattr(np, kind)(x.array, **along), x.dtype, error, x.grain)
    if kind == "sum":
        one = Tensor("", [], np.ones(()), x.dtype)
        return summed(g, text, dims, x, one, lambda a, _: np.sum(a, **along), count)
    size = np.max(x.magnitude + x.bound, **along)
    if kind == "mean":
        return rounded(g, text, dims, np.mean(x.array, **along), x,
                       np.mean(x.bound, **along) + 2 * count * ROUNDING[x.dtype] * size, size)
    return rounded(g, text, dims, np.var(x.array, **along), x,
                   (4 * np.max(x.bound, **along) + 4 * (count + 8) * ROUNDING[x.dtype] * size) * size * 2, size * size)


@operator()
def arg_extreme(g, x):
    axis = g.axis(x)
    if axis is None or x.array.shape[axis] == 0 or x.error is not None or not x.is_float:
        return None
    most, keep = g.chance(0.5), g.chance(0.5)
    result = (np.argmax if most else np.argmin)(x.array, axis=axis, keepdims=keep)
    dims = [d if i != axis else "1" for i, d in enumerate(x.dims) if keep or i != axis]
    text = f'R.astype(R.{"argmax" if most else "argmin"}({x.name}, axis={axis}, keepdims={keep}), "int32")'
    return g.add(text, dims, result.astype("int64"), "int32")


@operator()
def cumulative(g, x):
    axis = g.axis(x)
    if axis is None or not x.is_float:
        return None
    one = Tensor("", [], np.ones(()), x.dtype)
    return summed(g, f"R.cumsum({x.name}, axis={axis})", x.dims, x, one, lambda a, _: np.cumsum(a, axis), x.array.shape[axis])


@operator()
def sorted_along(g, x):
    axis = g.axis(x)
    if axis is None or x.error is not None or unknown(x.dims[axis]) or x.dtype == "int8" or x.array.shape[axis] == 0:
        return None
    down = g.chance(0.5)
    change = lambda a: np.flip(np.sort(a, axis), axis) if down else np.sort(a, axis)
    if g.chance(0.5):
        return g.add(f"R.sort({x.name}, axis={axis}, descending={down})", x.dims, change(x.array), x.dtype, None, x.grain)
    k = g.below(1, x.array.shape[axis] + 1)
    first = tuple(slice(0, k) if i == axis else slice(None) for i in range(x.array.ndim))
    dims = [*x.dims[:axis], str(k), *x.dims[axis + 1:]]
    return g.add(f'R.topk({x.name}, k={k}, axis={axis}, ret_type="values", largest={down})', dims, change(x.array)[first],
                 x.dtype, None, x.grain)
