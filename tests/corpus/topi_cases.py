# SPDX-License-Identifier: Apache-2.0
"""Operators of TOPI over shapes and dtypes, as functions that return a PrimFunc."""
from tvm import te, tirx, topi
from tvm.tirx import const

FLOATS = ["float32", "float16", "float64", "bfloat16"]
SHAPES = [(8,), (4, 16), (1, 3, 5), (2, 8, 1, 16)]


def place(shape, dtype="float32", name="A"):
    return te.placeholder(shape, dtype=dtype, name=name)


def flat(result):
    if isinstance(result, (list, tuple)) or type(result).__name__ == "Array":
        return [t for part in result for t in flat(part)]
    return [result]


def function(inputs, result, **kwargs):
    return te.create_prim_func([*inputs, *flat(result)], **kwargs)


def elementwise():
    """Every function of one tensor, two shapes and the float dtypes in turn."""
    unary = """abs acos acosh asin asinh atan atanh ceil cos cosh erf exp fast_erf fast_exp fast_tanh floor
        identity isfinite isinf isnan log log10 log2 negative round rsqrt sigmoid sign sin sinh sqrt tan tanh
        trunc""".split()
    for number, name in enumerate(unary):
        for step, shape in enumerate(SHAPES):
            dtype = FLOATS[(number + step) % 3] if step % 2 else "float32"
            yield f"{name}-{dtype}-{step}", lambda n=name, s=shape, d=dtype: unary_of(getattr(topi, n), s, d)
    for name in ["relu", "softmax", "log_softmax", "fast_softmax", "flatten", "softplus"]:
        for shape in [(4, 16), (2, 3, 8)]:
            for dtype in ["float32", "float16"]:
                yield f"nn.{name}-{dtype}-{len(shape)}", lambda n=name, s=shape, d=dtype: unary_of(
                    getattr(topi.nn, n), s, d)
    for dtype in ["int8", "uint8", "int16", "int32", "int64", "uint32", "uint64", "bool"]:
        if dtype != "bool":
            yield f"abs-{dtype}", lambda d=dtype: unary_of(topi.abs, (7, 3), d)
            yield f"clip-{dtype}", lambda d=dtype: unary_of(lambda x: topi.clip(x, 0, 6), (7, 3), d)
            yield f"bitwise_not-{dtype}", lambda d=dtype: unary_of(topi.bitwise_not, (5,), d)
        for to in ["float32", "int32", "bool", "float16", "uint8", "float8_e4m3fn", "bfloat16"]:
            yield f"cast-{dtype}-{to}", lambda d=dtype, t=to: unary_of(lambda x: topi.cast(x, t), (4, 4), d)
    yield "logical_not", lambda: unary_of(topi.logical_not, (4,), "bool")
    for alpha in [0.01, 0.2, 1e-7]:
        yield f"leaky_relu-{alpha}", lambda a=alpha: unary_of(lambda x: topi.nn.leaky_relu(x, a), (3, 9), "float32")
    for low, high in [(0.0, 6.0), (-1e9, 3.4e38), (-0.5, 0.333333333)]:
        yield f"clip-{low}", lambda a=low, b=high: unary_of(lambda x: topi.clip(x, a, b), (3, 9), "float32")
    yield "reinterpret", lambda: unary_of(lambda x: topi.reinterpret(x, "int32"), (8,), "float32")
    yield "fixed_point_multiply", lambda: unary_of(lambda x: topi.fixed_point_multiply(x, 1073741824, -3), (8,), "int32")
    for value in [0, 1.5, -3]:
        for dtype in ["float32", "int32", "float16", "int8"]:
            yield f"full-{value}-{dtype}", lambda v=value, d=dtype: function([], topi.full((4, 6), d, v))
            yield f"full_like-{value}-{dtype}", lambda v=value, d=dtype: unary_of(lambda x: topi.full_like(x, v), (4,), d)


def unary_of(fn, shape, dtype):
    a = place(shape, dtype)
    return function([a], fn(a))


def binary():
    both = "add subtract multiply divide floor_divide mod floor_mod maximum minimum power".split()
    compare = "equal not_equal greater greater_equal less less_equal".split()
    whole = "bitwise_and bitwise_or bitwise_xor left_shift right_shift".split()
    shapes = [((8, 8), (8, 8)), ((4, 1, 16), (3, 1)), ((2, 3), (1,)), ((1,), (5, 4))]
    for step, (left, right) in enumerate(shapes):
        for name in both + compare + ["log_add_exp", "atan2"]:
            for dtype in ["float32", "float16"] if step % 2 else ["float32", "float64"]:
                yield f"{name}-{dtype}-{step}", lambda n=name, d=dtype, l=left, r=right: binary_of(getattr(topi, n), l, r, d)
        for name in [n for n in both if n not in ("divide", "power")] + compare + whole:
            for dtype in ["int32", "int64", "uint8", "int8", "uint32"][step % 2 :: 2]:
                yield f"{name}-{dtype}-{step}", lambda n=name, d=dtype, l=left, r=right: binary_of(getattr(topi, n), l, r, d)
        for name in ["logical_and", "logical_or", "logical_xor"]:
            yield f"{name}-{step}", lambda n=name, l=left, r=right: binary_of(getattr(topi, n), l, r, "bool")
    for value in [2.0, -1.5, 1e-12, 3]:
        for name in ["add", "multiply", "divide", "power", "maximum"]:
            yield f"{name}-scalar-{value}", lambda n=name, v=value: unary_of(
                lambda x: getattr(topi, n)(x, const(v, x.dtype)), (4, 7), "float32")


def binary_of(fn, left, right, dtype):
    a, b = place(left, dtype), place(right, dtype, "B")
    return function([a, b], fn(a, b))


def reduction():
    for name in "sum max min prod argmax argmin".split():
        for step, (shape, axis) in enumerate([((8,), None), ((4, 16), 1), ((2, 3, 4), (0, 2)), ((3, 5), -1), ((4, 4, 4), 0)]):
            for keep in (False, True):
                if name.startswith("arg") and isinstance(axis, tuple):
                    continue
                dtype = ["float32", "int32", "float16", "int8"][(step + keep) % 4]
                yield f"{name}-{step}-{keep}", lambda n=name, s=shape, x=axis, k=keep, d=dtype: unary_of(
                    lambda t: getattr(topi, n)(t, axis=x, keepdims=k), s, d)
    for name in ["all", "any"]:
        yield name, lambda n=name: unary_of(lambda t: getattr(topi, n)(t, axis=1), (4, 8), "bool")
    yield "argmax-last", lambda: unary_of(lambda t: topi.argmax(t, axis=1, select_last_index=True), (4, 8), "float32")
    yield "collapse_sum", lambda: unary_of(lambda t: topi.collapse_sum(t, (4, 1)), (2, 4, 8), "float32")
    for name in ["cumsum", "cumprod"]:
        for axis in (None, 0, 1):
            yield f"{name}-{axis}", lambda n=name, x=axis: unary_of(lambda t: getattr(topi, n)(t, axis=x, exclusive=x == 1), (4, 8), "int32")
            yield f"{name}-{axis}-float", lambda n=name, x=axis: unary_of(lambda t: getattr(topi, n)(t, axis=x), (4, 8), "float32")


def shape_ops():
    rows = [
        ("transpose", (4, 8, 3), lambda x: topi.transpose(x, (2, 0, 1))),
        ("transpose-2", (4, 8), topi.transpose),
        ("reshape", (4, 8, 3), lambda x: topi.reshape(x, (6, 16))),
        ("reshape-2", (4, 9), lambda x: topi.reshape(x, (2, 3, 6))),
        ("expand_dims", (4, 8), lambda x: topi.expand_dims(x, 1, 2)),
        ("squeeze", (4, 1, 8, 1), topi.squeeze),
        ("flip", (4, 8), lambda x: topi.flip(x, 1)),
        ("tile", (2, 3), lambda x: topi.tile(x, (2, 2, 3))),
        ("repeat", (2, 3), lambda x: topi.repeat(x, 3, 1)),
        ("broadcast_to", (3, 1), lambda x: topi.broadcast_to(x, (2, 3, 4))),
        ("strided_slice", (10, 10), lambda x: topi.strided_slice(x, [1, 2], [9, 8], [2, 3])),
        ("strided_slice-2", (10, 10), lambda x: topi.strided_slice(x, [8, -1], [0, -9], [-1, -2])),
        ("layout_transform", (1, 16, 4, 4), lambda x: topi.layout_transform(x, "NCHW", "NCHW4c")),
        ("layout_transform-2", (1, 6, 4, 4), lambda x: topi.layout_transform(x, "NCHW", "NHWC")),
        ("split", (6, 4), lambda x: topi.split(x, 3)),
        ("split-2", (9, 4), lambda x: topi.split(x, [2, 5], axis=0)),
        ("trilu-upper", (5, 5), lambda x: topi.trilu(x, const(1, "int32"), True)),
        ("trilu-lower", (5, 5), lambda x: topi.trilu(x, const(0, "int32"), False)),
        ("sliding_window", (8, 10), lambda x: topi.sliding_window(x, 0, [2, 3], [2, 1])),
        ("shape", (8, 10, 2), topi.shape),
        ("tensor_size", (8, 10, 2), topi.tensor_size),
        ("pad", (4, 5), lambda x: topi.nn.pad(x, (1, 0), (0, 2))),
        ("pad-value", (4, 5), lambda x: topi.nn.pad(x, (1, 1), (1, 2), 3.5)),
        ("mirror_pad", (4, 5), lambda x: topi.nn.mirror_pad(x, (1, 1), (1, 2))),
        ("reflect_pad", (4, 5), lambda x: topi.nn.reflect_pad(x, (1, 1), (1, 2))),
        ("replicate_pad", (4, 5), lambda x: topi.nn.replicate_pad(x, (1, 1), (1, 2))),
        ("circular_pad", (4, 5), lambda x: topi.nn.circular_pad(x, (1, 1), (1, 2))),
        ("dilate", (4, 5), lambda x: topi.nn.dilate(x, (2, 3))),
        ("dilate-value", (1, 5), lambda x: topi.nn.dilate(x, (1, 2), 1.0)),
        ("space_to_depth", (1, 2, 4, 4), lambda x: topi.nn.space_to_depth(x, 2)),
        ("depth_to_space", (1, 8, 2, 2), lambda x: topi.nn.depth_to_space(x, 2)),
        ("depth_to_space-crd", (1, 8, 2, 2), lambda x: topi.nn.depth_to_space(x, 2, mode="CRD")),
        ("space_to_batch_nd", (1, 4, 4, 1), lambda x: topi.nn.space_to_batch_nd(x, (2, 2), (0, 0), (0, 0))),
        ("upsampling", (1, 3, 4, 4), lambda x: topi.nn.upsampling(x, 2, 2)),
        ("upsampling-bilinear", (1, 3, 4, 4), lambda x: topi.nn.upsampling(x, 2, 2, method="bilinear")),
        ("upsampling3d", (1, 3, 4, 4, 4), lambda x: topi.nn.upsampling3d(x, 2, 2, 2)),
        ("lrn", (1, 8, 4, 4), lambda x: topi.nn.lrn(x, 3)),
        ("topk", (4, 8), lambda x: topi.topk(x, k=2)),
        ("topk-values", (4, 8), lambda x: topi.topk(x, k=3, ret_type="values")),
        ("sort", (4, 8), topi.sort),
        ("argsort", (4, 8), topi.argsort),
        ("gpu-sort", (4, 8), topi.gpu.sort),
        ("gpu-argsort", (4, 8), topi.gpu.argsort),
        ("gpu-topk", (4, 8), lambda x: topi.gpu.topk(x, k=2)),
        ("gpu-cumsum", (4, 8), lambda x: topi.gpu.cumsum(x, axis=1)),
        ("gpu-cumprod", (4, 8), lambda x: topi.gpu.cumprod(x, axis=0)),
        ("gpu-cumsum-flat", (100,), lambda x: topi.gpu.cumsum(x)),
        ("identity-stack", (4, 8), lambda x: topi.stack([x, x], axis=1)),
        ("concatenate", (4, 8), lambda x: topi.concatenate([x, x, x], axis=1)),
        ("meshgrid", (4,), lambda x: topi.meshgrid([x, x], "ij")),
        ("einsum", (4, 4), lambda x: topi.einsum("ij,jk->ik", x, x)),
        ("einsum-trace", (4, 4), lambda x: topi.einsum("ii->", x)),
        ("einsum-outer", (4,), lambda x: topi.einsum("i,j->ij", x, x)),
        ("tensordot", (4, 4, 4), lambda x: topi.tensordot(x, x, 2)),
        ("matmul", (8, 8), lambda x: topi.matmul(x, x, False, True)),
    ]
    for name, shape, fn in rows:
        for dtype in ["float32", "int32", "float16"] if "pad" not in name and name != "lrn" else ["float32", "float64"]:
            yield f"{name}-{dtype}", lambda f=fn, s=shape, d=dtype: unary_of(f, s, d)


def several_inputs():
    def of(fn, *inputs):
        tensors = [place(s, d, chr(65 + i)) for i, (s, d) in enumerate(inputs)]
        return function(tensors, fn(*tensors))

    f, i = "float32", "int32"
    rows = [
        ("where", lambda c, x, y: topi.where(c, x, y), ((4, 8), "bool"), ((4, 8), f), ((8,), f)),
        ("take", lambda x, k: topi.take(x, k, axis=1), ((4, 8), f), ((3,), i)),
        ("take-flat", lambda x, k: topi.take(x, k), ((4, 8), f), ((3, 2), "int64")),
        ("take-clip", lambda x, k: topi.take(x, k, axis=0, mode="clip"), ((4, 8), f), ((3,), i)),
        ("take-wrap", lambda x, k: topi.take(x, k, axis=0, mode="wrap"), ((4, 8), f), ((3,), i)),
        ("gather", lambda x, k: topi.gather(x, 1, k), ((4, 8), f), ((4, 2), "int64")),
        ("gather_nd", lambda x, k: topi.gather_nd(x, k), ((4, 8), f), ((2, 3), i)),
        ("adv_index", lambda x, k, m: topi.adv_index(x, [k, m]), ((4, 8), f), ((3,), "int64"), ((3,), "int64")),
        ("index_tensor", lambda x, k, m: topi.index_tensor(x, [k, m]), ((4, 8), f), ((3, 1), i), ((5,), i)),
        ("index_put", lambda x, k, m, v: topi.index_put(x, [k, m], v), ((4, 8), f), ((3,), i), ((3,), i), ((3,), f)),
        ("index_put-add", lambda x, k, v: topi.index_put(x, [k], v, True), ((9,), f), ((3,), i), ((3,), f)),
        ("one_hot", lambda k: topi.one_hot(k, const(1.0, f), const(0.0, f), 5, -1, f), ((3, 2), i)),
        ("one_hot-0", lambda k: topi.one_hot(k, const(1, i), const(0, i), 5, 0, i), ((3, 2), i)),
        ("unravel_index", lambda k, s: topi.unravel_index(k, s), ((8,), i), ((2,), i)),
        ("sequence_mask", lambda x, n: topi.sequence_mask(x, n, 0.5, 0), ((5, 3, 2), f), ((3,), i)),
        ("reverse_sequence", lambda x, n: topi.reverse_sequence(x, n, 1, 0), ((3, 5), f), ((3,), i)),
        ("searchsorted", lambda x, v: topi.searchsorted(x, v), ((4, 16), f), ((4, 3), f)),
        ("searchsorted-right", lambda x, v: topi.searchsorted(x, v, True, i), ((16,), f), ((3,), f)),
        ("gpu-searchsorted", lambda x, v: topi.gpu.searchsorted(x, v), ((4, 16), f), ((4, 3), f)),
        ("scatter_elements", lambda x, k, u: topi.scatter_elements(x, k, u), ((4, 8), f), ((2, 8), "int64"), ((2, 8), f)),
        ("scatter_elements-add", lambda x, k, u: topi.scatter_elements(x, k, u, 1, "add"), ((4, 8), f), ((4, 2), "int64"), ((4, 2), f)),
        ("scatter_elements-max", lambda x, k, u: topi.scatter_elements(x, k, u, 0, "max"), ((4, 8), f), ((4, 2), "int64"), ((4, 2), f)),
        ("scatter_elements-mean", lambda x, k, u: topi.scatter_elements(x, k, u, 0, "mean"), ((4, 8), f), ((4, 2), "int64"), ((4, 2), f)),
        ("gpu-scatter_elements", lambda x, k, u: topi.gpu.scatter_elements(x, k, u), ((4, 8), f), ((2, 8), "int64"), ((2, 8), f)),
        ("scatter_nd", lambda x, k, u: topi.scatter_nd(x, k, u, "add"), ((4, 8), f), ((2, 5), "int64"), ((5,), f)),
        ("scatter_nd-update", lambda x, k, u: topi.scatter_nd(x, k, u, "update"), ((4, 8), f), ((1, 5), "int64"), ((5, 8), f)),
        ("gpu-scatter_nd", lambda x, k, u: topi.gpu.scatter_nd(x, k, u, "add"), ((4, 8), f), ((2, 5), "int64"), ((5,), f)),
        ("slice_scatter", lambda x, v: topi.slice_scatter(x, v, 1, 4, 1, 0), ((6, 8), f), ((3, 8), f)),
        ("sparse_to_dense", lambda k, v: topi.sparse_to_dense(k, (8, 4), v, const(0.0, f)), ((5, 2), i), ((5,), f)),
        ("dft", lambda a, b: topi.dft(a, b, tirx.IntImm("int32", 0)), ((2, 16), f), ((2, 16), f)),
        ("stft", lambda x, w: topi.stft(x, 8, 4, 8, w, False, True, (1, 5, 3, 2)), ((1, 16), f), ((8,), f)),
        ("dense", lambda x, w: topi.nn.dense(x, w), ((4, 16), f), ((8, 16), f)),
        ("dense-bias", lambda x, w, b: topi.nn.dense(x, w, b), ((4, 16), f), ((8, 16), f), ((8,), f)),
        ("dense-int8", lambda x, w: topi.nn.dense(x, w, out_dtype=i), ((4, 16), "int8"), ((8, 16), "int8")),
        ("dense-uint8", lambda x, w: topi.nn.dense(x, w, out_dtype=i), ((4, 16), "uint8"), ((8, 16), "int8")),
        ("dense-half", lambda x, w: topi.nn.dense(x, w, out_dtype=f), ((4, 16), "float16"), ((8, 16), "float16")),
        ("matmul", lambda x, w: topi.nn.matmul(x, w), ((16, 16), f), ((16, 16), f)),
        ("matmul-transposed", lambda x, w: topi.nn.matmul(x, w, transpose_a=True, transpose_b=True), ((16, 8), f), ((4, 16), f)),
        ("matmul-bf16", lambda x, w: topi.nn.matmul(x, w, out_dtype=f), ((16, 16), "bfloat16"), ((16, 16), "bfloat16")),
        ("matmul-fp8", lambda x, w: topi.nn.matmul(x, w, out_dtype="float16"), ((16, 16), "float8_e4m3fn"), ((16, 16), "float8_e4m3fn")),
        ("batch_matmul", lambda x, w: topi.nn.batch_matmul(x, w), ((2, 8, 16), f), ((2, 4, 16), f)),
        ("batch_matmul-half", lambda x, w: topi.nn.batch_matmul(x, w, transpose_b=False), ((2, 8, 16), "float16"), ((2, 16, 4), "float16")),
        ("layer_norm", lambda x, g, b: topi.nn.layer_norm(x, g, b, [1]), ((4, 16), f), ((16,), f), ((16,), f)),
        ("layer_norm-half", lambda x, g, b: topi.nn.layer_norm(x, g, b, [1, 2]), ((2, 4, 8), "float16"), ((4, 8), "float16"), ((4, 8), "float16")),
        ("rms_norm", lambda x, g: topi.nn.rms_norm(x, g, [1]), ((4, 16), f), ((16,), f)),
        ("rms_norm-half", lambda x, g: topi.nn.rms_norm(x, g, [1]), ((4, 16), "float16"), ((16,), "float16")),
        ("group_norm", lambda x, g, b: topi.nn.group_norm(x, g, b, 2, 1, [2, 3]), ((2, 4, 4, 4), f), ((4,), f), ((4,), f)),
        ("instance_norm", lambda x, g, b: topi.nn.instance_norm(x, g, b, 1, [2, 3]), ((2, 4, 4, 4), f), ((4,), f), ((4,), f)),
        ("batch_norm", lambda x, g, b, m, v: topi.nn.batch_norm(x, g, b, m, v), ((2, 4, 4, 4), f), ((4,), f), ((4,), f), ((4,), f), ((4,), f)),
        ("batch_norm-training", lambda x, g, b, m, v: topi.nn.batch_norm(x, g, b, m, v, training=True, momentum=0.1), ((2, 4, 4, 4), f), ((4,), f), ((4,), f), ((4,), f), ((4,), f)),
        ("prelu", lambda x, s: topi.nn.prelu(x, s), ((1, 4, 3, 3), f), ((4,), f)),
        ("nll_loss", lambda x, t, w: topi.nn.nll_loss(x, t, w, "mean", -100), ((4, 8), f), ((4,), i), ((8,), f)),
        ("nll_loss-none", lambda x, t, w: topi.nn.nll_loss(x, t, w, "none", 2), ((4, 8), f), ((4,), i), ((8,), f)),
        ("grid_sample", lambda x, g: topi.image.grid_sample(x, g), ((1, 2, 5, 5), f), ((1, 2, 3, 3), f)),
        ("grid_sample-nearest", lambda x, g: topi.image.grid_sample(x, g, "nearest", "NCHW", "border"), ((1, 2, 5, 5), f), ((1, 2, 3, 3), f)),
        ("grid_sample-bicubic", lambda x, g: topi.image.grid_sample(x, g, "bicubic", "NCHW", "reflection", False), ((1, 2, 5, 5), f), ((1, 2, 3, 3), f)),
        ("affine_grid", lambda x: topi.image.affine_grid(x, (4, 4)), ((2, 2, 3), f)),
        ("dilation2d", lambda x, w: topi.image.dilation2d_nchw(x, w, (1, 1), (1, 1), (1, 1)), ((1, 2, 8, 8), f), ((2, 3, 3), f)),
        ("roi_align", lambda x, r: topi.vision.roi_align(x, r, (3, 3), 0.5), ((1, 2, 8, 8), f), ((2, 5), f)),
        ("roi_align-max", lambda x, r: topi.vision.roi_align(x, r, (2, 2), 1.0, "max", 2, True), ((1, 2, 8, 8), f), ((2, 5), f)),
        ("roi_pool", lambda x, r: topi.vision.roi_pool(x, r, (2, 2), 1.0), ((1, 2, 8, 8), f), ((2, 5), f)),
        ("get_valid_counts", lambda x: topi.vision.get_valid_counts(x, 0.3), ((1, 10, 6), f)),
        ("non_max_suppression", lambda x, n, k: topi.vision.non_max_suppression(x, n, k), ((1, 10, 6), f), ((1,), i), ((1, 10), i)),
        ("all_class_nms", lambda b, s: topi.vision.all_class_non_max_suppression(b, s, 3, 0.5, 0.2), ((1, 6, 4), f), ((1, 2, 6), f)),
        ("multibox", lambda c, l, a: topi.vision.multibox_transform_loc(c, l, a, (0.1, 0.1, 0.2, 0.2)), ((1, 3, 4), f), ((1, 16), f), ((1, 4, 4), f)),
        ("correlation", lambda x, y: topi.nn.correlation_nchw(x, y, 3, 1, 1, 1, 1, True), ((1, 2, 6, 6), f), ((1, 2, 6, 6), f)),
        ("binary_dense", lambda x, y: topi.nn.binary_dense(x, y), ((2, 4), "uint32"), ((3, 4), "uint32")),
        ("bitserial_dense", lambda x, y: topi.nn.bitserial_dense(x, y, 2, 1), ((2, 64), "uint32"), ((3, 64), "uint32")),
        ("fifo_buffer", lambda x, y: topi.nn.fifo_buffer(x, y, 1), ((2, 2, 4), f), ((2, 6, 4), f)),
        ("simulated_quantize", lambda x, s, z: topi.nn.simulated_quantize(x, tirx.IntImm(i, 1), s, z), ((2, 4), f), ((4,), f), ((4,), i)),
        ("fixed_point_per_axis", lambda x, y, l, r: topi.fixed_point_multiply_per_axis(x, y, l, r, 1, 1, (1,)), ((2, 4), i), ((4,), i), ((4,), i), ((4,), i)),
        ("dynamic_strided_slice", lambda x, b, e, s: topi.dynamic_strided_slice(x, b, e, s, (3, 3)), ((8, 8), f), ((2,), "int64"), ((2,), "int64"), ((2,), "int64")),
        ("elemwise_sum", lambda x, y, z: topi.elemwise_sum([x, y, z]), ((4, 8), f), ((4, 8), f), ((4, 8), f)),
        ("matrix_set_diag", lambda x, d: topi.matrix_set_diag(x, d), ((3, 4, 4), f), ((3, 4), f)),
        ("scale_shift", lambda x, s, b: topi.nn.scale_shift_nchw(x, s, b), ((1, 4, 3, 3), f), ((4,), f), ((4,), f)),
        ("log_add_exp", topi.log_add_exp, ((4, 8), f), ((8,), f)),
    ]
    for row in rows:
        yield row[0], lambda r=row: of(*r[1:])
    yield "arange", lambda: function([], topi.arange(0, 10, 2, "int32"))
    yield "arange-float", lambda: function([], topi.arange(1.5, 4.0, 0.25, "float32"))
    yield "eye", lambda: function([], topi.eye(4, 6, 1))
    yield "eye-int", lambda: function([], topi.eye(4, dtype="int8"))
    yield "hamming", lambda: function([], topi.hamming_window(16, True, 0.54, 0.46, "float32"))


def convolution():
    nn = topi.nn

    def of(fn, data, kernel, dtype="float32", out=None):
        a, w = place(data, dtype), place(kernel, dtype, "W")
        return function([a, w], fn(a, w, out or dtype))

    for dtype, out in [("float32", None), ("float16", "float32"), ("int8", "int32"), ("bfloat16", "float32"), ("float64", None)]:
        rows = [
            ("conv1d_ncw", lambda a, w, o: nn.conv1d_ncw(a, w, 1, 1, 1, o), (1, 4, 8), (6, 4, 3)),
            ("conv1d_nwc", lambda a, w, o: nn.conv1d_nwc(a, w, 2, "SAME", 1, o), (1, 8, 4), (3, 4, 6)),
            ("conv1d_transpose", lambda a, w, o: nn.conv1d_transpose_ncw(a, w, 2, 1, o, 0), (1, 4, 8), (4, 6, 3)),
            ("group_conv1d", lambda a, w, o: nn.group_conv1d_ncw(a, w, 1, 1, 1, 2, o), (1, 4, 8), (6, 2, 3)),
            ("conv2d_nchw", lambda a, w, o: nn.conv2d_nchw(a, w, 1, 1, 1, o), (1, 8, 7, 7), (4, 8, 3, 3)),
            ("conv2d_nchw-2", lambda a, w, o: nn.conv2d_nchw(a, w, 2, 0, 2, o), (2, 3, 9, 9), (4, 3, 3, 3)),
            ("conv2d_nhwc", lambda a, w, o: nn.conv2d_nhwc(a, w, 1, 1, 1, o), (1, 7, 7, 8), (3, 3, 8, 4)),
            ("conv2d_hwcn", lambda a, w, o: nn.conv2d_hwcn(a, w, 1, 1, 1, o), (7, 7, 8, 1), (3, 3, 8, 4)),
            ("conv2d_NCHWc", lambda a, w, o: nn.conv2d_NCHWc(a, w, 1, 1, 1, "NCHW4c", "NCHW4c", o), (1, 2, 7, 7, 4), (2, 2, 3, 3, 4, 4)),
            ("group_conv2d", lambda a, w, o: nn.group_conv2d_nchw(a, w, 1, 1, 1, 2, o), (1, 8, 7, 7), (4, 4, 3, 3)),
            ("depthwise_nchw", lambda a, w, o: nn.depthwise_conv2d_nchw(a, w, 1, 1, 1, o), (1, 8, 7, 7), (8, 1, 3, 3)),
            ("depthwise_nhwc", lambda a, w, o: nn.depthwise_conv2d_nhwc(a, w, 1, 1, 1, out_dtype=o), (1, 7, 7, 8), (3, 3, 8, 1)),
            ("conv2d_transpose", lambda a, w, o: nn.conv2d_transpose_nchw(a, w, (2, 2), (1, 1), o, (0, 0)), (1, 4, 5, 5), (4, 6, 3, 3)),
            ("conv3d_ncdhw", lambda a, w, o: nn.conv3d_ncdhw(a, w, 1, 1, 1, 1, o), (1, 4, 5, 5, 5), (2, 4, 3, 3, 3)),
            ("conv3d_ndhwc", lambda a, w, o: nn.conv3d_ndhwc(a, w, 1, 1, 1, 1, o), (1, 5, 5, 5, 4), (3, 3, 3, 4, 2)),
            ("conv3d_transpose", lambda a, w, o: nn.conv3d_transpose_ncdhw(a, w, (1, 1, 1), (0, 0, 0), o, (0, 0, 0)), (1, 2, 4, 4, 4), (2, 2, 3, 3, 3)),
            ("winograd_nchw", lambda a, w, o: nn.conv2d_winograd_nchw(a, w, 1, 1, 1, o), (1, 4, 12, 12), (4, 4, 3, 3)),
            ("winograd_nhwc", lambda a, w, o: nn.conv2d_winograd_nhwc(a, w, 1, 1, 1, o), (1, 12, 12, 4), (3, 3, 4, 4)),
            ("NCHWc_int8", lambda a, w, o: nn.conv2d_NCHWc_int8(a, w, 1, 1, 1, "NCHW4c", "NCHW4c", o), (1, 2, 7, 7, 4), (1, 2, 3, 3, 1, 4, 4)),
            ("depthwise_back_input", lambda a, w, o: nn.depthwise_conv2d_backward_input_nhwc(w, a, (1, 7, 7, 8), (1, 7, 7, 8), (1, 1), (1, 1)), (1, 7, 7, 8), (3, 3, 8, 1)),
        ]
        for name, fn, data, kernel in rows:
            yield f"{name}-{dtype}", lambda f=fn, x=data, k=kernel, d=dtype, o=out: of(f, x, k, d, o)
    yield "deformable", lambda: function(
        *(lambda t: (t, nn.deformable_conv2d_nchw(*t, 1, 1, 1, 1, 1, "float32")))(
            [place((1, 4, 6, 6)), place((1, 18, 6, 6), name="O"), place((4, 4, 3, 3), name="W")]))


def pooling_and_resize():
    nn = topi.nn
    for kind in ["max", "avg"]:
        for dtype in ["float32", "float16", "int8"]:
            rows = [
                ("pool1d", (1, 3, 8), lambda x, k: nn.pool1d(x, [2], [2], [1], [0, 0], k)),
                ("pool2d", (1, 3, 8, 8), lambda x, k: nn.pool2d(x, [2, 2], [2, 2], [1, 1], [0, 0, 0, 0], k)),
                ("pool2d-pad", (1, 3, 7, 7), lambda x, k: nn.pool2d(x, [3, 3], [2, 2], [1, 1], [1, 1, 1, 1], k, True, count_include_pad=False)),
                ("pool2d-nhwc", (1, 8, 8, 3), lambda x, k: nn.pool2d(x, [2, 2], [1, 1], [2, 2], [0, 0, 0, 0], k, layout="NHWC")),
                ("pool3d", (1, 2, 4, 4, 4), lambda x, k: nn.pool3d(x, [2] * 3, [2] * 3, [1] * 3, [0] * 6, k)),
                ("global_pool", (1, 3, 5, 5), lambda x, k: nn.global_pool(x, k)),
                ("adaptive_pool", (1, 3, 8, 8), lambda x, k: nn.adaptive_pool(x, (3, 2), k)),
                ("adaptive_pool3d", (1, 2, 5, 5, 5), lambda x, k: nn.adaptive_pool3d(x, (2, 2, 3), k)),
            ]
            for name, shape, fn in rows:
                yield f"{name}-{kind}-{dtype}", lambda f=fn, s=shape, k=kind, d=dtype: unary_of(lambda x: f(x, k), s, d)
        yield f"pool_grad-{kind}", lambda k=kind: (lambda g, x: function([g, x], nn.pool_grad(g, x, [2, 2], [2, 2], [0, 0, 0, 0], k)))(
            place((1, 2, 4, 4), name="G"), place((1, 2, 8, 8)))
    modes = ["half_pixel", "align_corners", "asymmetric", "pytorch_half_pixel"]
    for method in ["nearest_neighbor", "linear", "cubic"]:
        for mode in modes:
            rounding = "floor" if method == "nearest_neighbor" else ""
            yield f"resize2d-{method}-{mode}", lambda m=method, c=mode, r=rounding: unary_of(
                lambda x: topi.image.resize2d(x, [0.0] * 4, (9, 6), method=m, coordinate_transformation_mode=c, rounding_method=r), (1, 2, 5, 4), "float32")
            yield f"resize1d-{method}-{mode}", lambda m=method, c=mode, r=rounding: unary_of(
                lambda x: topi.image.resize1d(x, [0.0] * 2, (9,), method=m, coordinate_transformation_mode=c, rounding_method=r), (1, 2, 5), "float32")
        yield f"resize3d-{method}", lambda m=method: unary_of(
            lambda x: topi.image.resize3d(x, [0.0] * 6, (4, 4, 6), method=m, rounding_method="round" if m == "nearest_neighbor" else ""), (1, 1, 2, 3, 3), "float32")


def symbolic():
    """Shapes with variables, of int32 and int64."""
    for dtype in ["int32", "int64"]:
        def shapes(d=dtype):
            n, m = tirx.Var("n", d), tirx.Var("m", d)
            return n, m
        rows = [
            ("add", lambda n, m: binary_of(topi.add, (n, m), (m,), "float32")),
            ("relu", lambda n, m: unary_of(topi.nn.relu, (n, 16, m), "float16")),
            ("softmax", lambda n, m: unary_of(topi.nn.softmax, (n, m), "float32")),
            ("reshape", lambda n, m: unary_of(lambda x: topi.reshape(x, (m * 4, n)), (n, m, 4), "float32")),
            ("transpose", lambda n, m: unary_of(topi.transpose, (n, m), "float32")),
            ("sum", lambda n, m: unary_of(lambda x: topi.sum(x, axis=1), (n, m), "float32")),
            ("concatenate", lambda n, m: unary_of(lambda x: topi.concatenate([x, x]), (n, m), "float32")),
            ("pad", lambda n, m: unary_of(lambda x: topi.nn.pad(x, (1, 0), (m, 2)), (n, m), "float32")),
            ("matmul", lambda n, m: (lambda a, b: function([a, b], topi.nn.matmul(a, b)))(place((n, 64)), place((64, m), name="B"))),
            ("strided_slice", lambda n, m: unary_of(lambda x: topi.strided_slice(x, [1, 0], [n - 1, m], [1, 1]), (n, m), "float32")),
            ("tile", lambda n, m: unary_of(lambda x: topi.tile(x, (2, 3)), (n, m * 2), "float32")),
            ("take", lambda n, m: (lambda a, b: function([a, b], topi.take(a, b, axis=0)))(place((n, 64)), place((m,), "int32", "I"))),
            ("cumsum", lambda n, m: unary_of(lambda x: topi.cumsum(x, axis=1), (n, m), "float32")),
            ("argmax", lambda n, m: unary_of(lambda x: topi.argmax(x, axis=1), (n, m), "float32")),
            ("layer_norm", lambda n, m: (lambda a, g, b: function([a, g, b], topi.nn.layer_norm(a, g, b, [1])))(place((n, m)), place((m,), name="G"), place((m,), name="B"))),
            ("conv2d", lambda n, m: (lambda a, w: function([a, w], topi.nn.conv2d_nchw(a, w, 1, 1, 1)))(place((n, 4, m, m)), place((8, 4, 3, 3), name="W"))),
            ("broadcast_to", lambda n, m: unary_of(lambda x: topi.broadcast_to(x, (n, m, 4)), (m, 1), "int8")),
            ("gather", lambda n, m: (lambda a, b: function([a, b], topi.gather(a, 0, b)))(place((n, 64)), place((m, 64), "int64", "I"))),
            ("where", lambda n, m: (lambda c, a, b: function([c, a, b], topi.where(c, a, b)))(place((n, m), "bool", "C"), place((n, m)), place((1,), name="B"))),
            ("arange", lambda n, m: function([], topi.arange(0, n, 1, dtype="int64"))),
        ]
        for name, fn in rows:
            yield f"{name}-{dtype}", lambda f=fn, s=shapes: f(*s())


def cases():
    for group in [elementwise, binary, reduction, shape_ops, several_inputs, convolution, pooling_and_resize, symbolic]:
        for name, make in group():
            yield f"topi/{group.__name__}/{name}", make
