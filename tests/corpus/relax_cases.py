# SPDX-License-Identifier: Apache-2.0
"""What LegalizeOps makes of Relax operators, by odd shapes and dtypes; the kernels of paged attention and of sampling."""
import importlib

import tvm
from tvm import relax, te, tirx
from tvm.relax import op
from tvm.target import Target
from tvm.topi import gpu

UNARY = ("abs acos acosh asin asinh atan atanh ceil cos cosh exp floor log negative round rsqrt sigmoid sign sin sinh square "
         "sqrt tan tanh trunc erf isfinite isinf isnan bitwise_not logical_not")
BINARY = ("add divide floor_divide log_add_exp multiply power atan2 subtract mod floor_mod equal greater less_equal not_equal "
          "maximum minimum logical_and logical_xor bitwise_or left_shift right_shift")
SHAPES = ["4,0", "", "n,m", "n*2+1,n//2,3", "1,7,1", "b,n-1,m*n"]
DTYPES = ["float32", "float16", "bfloat16", "int8", "int64", "bool", "uint8", "float64", "float8_e4m3fn"]


def kernels(make, *tensors):
    """The functions that the operators of `make` become; a tensor is `shape:dtype`, its letters symbolic."""
    symbols = {name: tirx.Var(name, "int64") for name in "bnmk"}
    variables = []
    for number, tensor in enumerate(tensors):
        shape, dtype = tensor.split(":")
        dims = [eval(dim, {}, symbols) for dim in shape.split(",") if dim]
        variables.append(relax.Var(f"x{number}", relax.TensorType(dims, dtype)))
    builder = relax.BlockBuilder()
    with builder.function("main", variables):
        builder.emit_func_output(builder.emit(make(*variables)))
    mod = relax.transform.LegalizeOps()(builder.get())
    functions = {name: f for name, f in mod.functions.items() if isinstance(f, tirx.PrimFunc)}
    if not functions:
        raise ValueError("it is a call of the runtime")
    return tvm.IRModule(functions)


def const(value, dtype):
    return relax.const(value, dtype)


OPERATORS = {
    "broadcast_to": (lambda x: op.broadcast_to(x, (5, 4, 3)), "4,1:float32"),
    "concat": (lambda x, y, z: op.concat([x, y, z], 1), "n,2:int8", "n,m:int8", "n,0:int8"),
    "expand": (lambda x: op.expand_dims(x, [0, -1]), "n,m:bool"),
    "flatten": (op.flatten, "n,3,m:float16"),
    "layout_transform": (lambda x: op.layout_transform(x, lambda i, j: (i // 4, j, i % 4), pad_value=2.0), "10,n:float32"),
    "permute": (lambda x: op.permute_dims(x, [2, 0, 1]), "n,3,m:bfloat16"),
    "reshape": (lambda x: op.reshape(x, (-1, 6)), "n,2,3:float32"),
    "reshape-scalar": (lambda x: op.reshape(x, ()), "1,1:float32"),
    "split": (lambda x: op.split(x, [2, 5], 1), "n,9:float32"),
    "split-even": (lambda x: op.split(x, 3, 0), "9,m:uint8"),
    "squeeze": (lambda x: op.squeeze(x, [1]), "n,1,m:float32"),
    "stack": (lambda x, y: op.stack([x, y], -1), "n,m:float32", "n,m:float32"),
    "collapse_sum": (lambda x: op.collapse_sum_to(x, (4, 1)), "3,4,5:float32"),
    "repeat": (lambda x: op.repeat(x, 3), "n,m:float32"),
    "repeat-axis": (lambda x: op.repeat(x, 3, 1), "n,m:float32"),
    "tile": (lambda x: op.tile(x, (2, 1, 3)), "n,m:float32"),
    "flip": (lambda x: op.flip(x, 1), "n,m:float32"),
    "reverse_sequence": (lambda x, s: op.reverse_sequence(x, s, 1, 0), "4,m:float32", "4:int32"),
    "gather_elements": (lambda x, i: op.gather_elements(x, i, 1), "n,m:float32", "n,3:int64"),
    "gather_nd": (lambda x, i: op.gather_nd(x, i, 1), "2,3,m:float32", "2,5,1:int64"),
    "index_tensor": (lambda x, i, j: op.index_tensor(x, [i, j]), "n,m,4:float32", "3,1:int64", "5:int64"),
    "index_put": (lambda x, i, v: op.index_put(x, (i,), v, True), "8:float32", "3:int64", "3:float32"),
    "index_put-2": (lambda x, i, j, v: op.index_put(x, (i, j), v), "8,4:float16", "3:int64", "3:int64", "3:float16"),
    "meshgrid": (lambda x, y: op.meshgrid([x, y], "xy"), "n:float32", "m:float32"),
    "scatter_elements": (lambda x, i, u: op.scatter_elements(x, i, u, 1, "add"), "n,m:float32", "n,3:int64", "n,3:float32"),
    "scatter_elements-max": (lambda x, i, u: op.scatter_elements(x, i, u, 0, "max"), "4,4:int8", "2,4:int32", "2,4:int8"),
    "scatter_nd": (lambda x, i, u: op.scatter_nd(x, i, u, "mul"), "8,4:float32", "3,1:int64", "3,4:float32"),
    "scatter_nd-dynamic": (lambda x, i, u: op.scatter_nd(x, i, u), "n,m:float32", "k,2:int64", "k:float32"),
    "slice_scatter": (lambda x, s: op.slice_scatter(x, s, 1, 5, 2, 0), "8,m:float32", "2,m:float32"),
    "one_hot": (lambda i: op.one_hot(i, relax.prim_value(1), relax.prim_value(0), 7), "n,m:int64"),
    "one_hot-float": (lambda i: op.one_hot(i, relax.prim_value(tirx.const(1.5, "float32")), relax.prim_value(tirx.const(0, "float32")), 7, 0), "n:int32"),
    "where": (op.where, "n,1:bool", "m:float32", "n,m:float32"),
    "argmax": (lambda x: op.argmax(x, 1, True), "n,m:float32"),
    "argmin-all": (lambda x: op.argmin(x), "3,m:int8"),
    "bucketize": (lambda x, b: op.bucketize(x, b, True, True), "n,m:float32", "9:float32"),
    "bucketize-left": (lambda x, b: op.bucketize(x, b), "6:float32", "9:float32"),
    "std": (lambda x: op.std(x, [0, 2]), "n,m,4:float32"),
    "variance": (lambda x: op.variance(x, -1, True), "n,m:float16"),
    "mean": (lambda x: op.mean(x), "n,m:float32"),
    "mean-int": (lambda x: op.mean(x, 0), "n,m:int32"),
    "prod": (lambda x: op.prod(x, [1]), "n,m:int64"),
    "median": (lambda x: op.median(x, 1), "4,5:float32"),
    "cumsum": (lambda x: op.cumsum(x, 1, "int32", True), "n,m:int8"),
    "cumprod": (lambda x: op.cumprod(x), "n,m:float32"),
    "sort": (lambda x: op.sort(x, 1, True), "n,m:float32"),
    "argsort": (lambda x: op.argsort(x, 0, True, "int64"), "n,m:float32"),
    "topk": (lambda x: op.topk(x, 3, 1, "both", False, "int64"), "n,m:float32"),
    "matmul": (op.matmul, "b,n,k:float32", "k,m:float32"),
    "matmul-vector": (op.matmul, "k:float16", "b,k,4:float16"),
    "matmul-int8": (lambda x, y: op.matmul(x, y, "int32"), "n,8:int8", "8,m:int8"),
    "linear": (op.linear, "n,8:float16", "4,8:float16", "4:float16"),
    "einsum": (lambda x, y: op.einsum((x, y), "bij,bkj->bik"), "b,n,4:float32", "b,m,4:float32"),
    "einsum-trace": (lambda x: op.einsum((x,), "ii->i"), "4,4:float32"),
    "outer": (op.outer, "n:float32", "m:float32"),
    "full": (lambda x: op.full_like(x, const(2, "int8")), "n,0,3:int8"),
    "ones": (lambda x: op.ones_like(x, "bool"), "n:float32"),
    "zeros": (lambda x: op.zeros_like(x), ":bfloat16"),
    "eye": (lambda x: op.eye_like(x, -1, "int64"), "n,m:float32"),
    "arange": (lambda x: op.arange(x.ty.shape[0], x.ty.shape[0] * 3, 2, "int64"), "n:float32"),
    "hamming": (lambda x: op.hamming_window(10, False, 0.5, 0.25, "float32"), ":float32"),
    "tril": (lambda x: op.tril(x, -2), "b,n,n:float32"),
    "triu": (lambda x: op.triu(x, 1), "n,m:int8"),
    "take": (lambda x, i: op.take(x, i, 0), "100,n:float16", "b,m:int32"),
    "take-wrap": (lambda x, i: op.take(x, i, 1, "wrap"), "n,8:float32", "m:int64"),
    "take-clip": (lambda x, i: op.take(x, i, None, "clip"), "n:float32", ":int64"),
    "take-nan": (lambda x, i: op.take(x, i, 0, "nan"), "n:float32", "m:int64"),
    "strided_slice": (lambda x: op.strided_slice(x, [0, 1], [1, 7], [9, 0], [2, -3]), "10,8:float32"),
    "strided_slice-symbolic": (lambda x: op.strided_slice(x, [0], [1], [x.ty.shape[0] - 1], [2]), "n,8:float32"),
    "strided_slice-inbound": (lambda x: op.strided_slice(x, [1], [x.ty.shape[0]], [x.ty.shape[1]], assume_inbound=True), "n,m:float32"),
    "dynamic_strided_slice": (op.dynamic_strided_slice, "8,9:float32", "2:int64", "2:int64", "2:int64"),
    "astype": (lambda x: op.astype(x, "float8_e5m2"), "n,4:float16"),
    "astype-bool": (lambda x: op.astype(x, "bool"), "n,4:int64"),
    "quantize": (lambda x: op.quantize(x, const(0.5, "float32"), const(3, "int8"), 1), "n,m:float32"),
    "dequantize": (lambda x, s, z: op.dequantize(x, s, z, 1), "n,4:int8", "4:float32", "4:int8"),
    "quantize-fp8": (lambda x, s: op.quantize(x, s, const(0, "float16"), 0, "float8_e4m3fn"), "4,m:float16", "4:float16"),
    "masked_fill": (lambda x, m: op.masked_fill(x, m, const(-1, "float32")), "n,m:float32", "n,m:bool"),
    "fma": (op.ewise_fma, "n:float32", "n:float32", "n:float32"),
    "clip": (lambda x: op.clip(x, relax.prim_value(-1), relax.prim_value(6)), "n,m:int8"),
    "multibox": (lambda c, l, a: op.vision.multibox_transform_loc(c, l, a, True, 0.1), "1,3,5:float32", "1,20:float32", "1,5,4:float32"),
    "valid_counts": (lambda x: op.vision.get_valid_counts(x, 0.5), "1,10,6:float32"),
    "nms": (lambda x, v, i: op.vision.non_max_suppression(x, v, i, 5, 0.4, True, 8), "1,10,6:float32", "1:int32", "1,10:int32"),
    "all_class_nms": (lambda b, s: op.vision.all_class_non_max_suppression(
        b, s, const(5, "int64"), const(0.5, "float32"), const(0.1, "float32")), "1,8,4:float32", "1,2,8:float32"),
    "roi_align": (lambda x, r: op.vision.roi_align(x, r, (3, 2), 0.25, 2, True), "1,2,8,8:float32", "3,5:float32"),
    "roi_align-max": (lambda x, r: op.vision.roi_align(x, r, 2, 1.0, layout="NHWC", mode="max"), "n,8,8,2:float32", "m,5:float32"),
    "roi_pool": (lambda x, r: op.vision.roi_pool(x, r, 2, 0.5), "1,2,8,8:float32", "3,5:float32"),
    "resize2d": (lambda x: op.image.resize2d(x, (5, 7), method="cubic", out_dtype="float16"), "n,3,4,4:float16"),
    "resize2d-nhwc": (lambda x: op.image.resize2d(x, 9, layout="NHWC", method="nearest_neighbor", coordinate_transformation_mode="asymmetric", rounding_method="floor"), "1,4,4,m:int8"),
    "resize2d-crop": (lambda x: op.image.resize2d(x, 9, (0.1, 0.2, 0.8, 0.9), coordinate_transformation_mode="tf_crop_and_resize"), "1,2,8,8:float32"),
    "resize3d": (lambda x: op.image.resize3d(x, (2, 3, 5)), "1,2,4,4,4:float32"),
    "grid_sample": (lambda x, g: op.image.grid_sample(x, g, padding_mode="border"), "n,2,4,4:float32", "n,2,3,3:float32"),
    "grid_sample-cubic": (lambda x, g: op.image.grid_sample(x, g, "bicubic", padding_mode="reflection", align_corners=True), "1,2,4,4:float32", "1,2,3,3:float32"),
    "affine_grid": (lambda x: op.image.affine_grid(x, (4, 5)), "n,2,3:float32"),
    "conv1d": (lambda x, w: op.nn.conv1d(x, w, 2, (1, 2), 2), "n,3,16:float32", "4,3,3:float32"),
    "conv2d": (lambda x, w: op.nn.conv2d(x, w, 1, 1, out_dtype="int32"), "n,4,8,8:int8", "4,4,3,3:int8"),
    "conv2d-groups": (lambda x, w: op.nn.conv2d(x, w, (2, 1), (1, 0, 1, 2), (1, 2), 2, "NHWC", "HWIO"), "1,8,8,4:float16", "3,3,2,4:float16"),
    "conv2d-dynamic": (lambda x, w: op.nn.conv2d(x, w, padding=1), "b,3,n,m:float32", "4,3,3,3:float32"),
    "conv3d": (lambda x, w: op.nn.conv3d(x, w, 2, 1), "1,2,6,6,6:float32", "4,2,3,3,3:float32"),
    "conv1d_transpose": (lambda x, w: op.nn.conv1d_transpose(x, w, 2, 1, 1), "n,3,8:float32", "3,4,3:float32"),
    "conv2d_transpose": (lambda x, w: op.nn.conv2d_transpose(x, w, 2, 1, 1), "n,3,8,8:float32", "3,4,3,3:float32"),
    "pad-reflect": (lambda x: op.nn.pad(x, [0, 0, 1, 2], "reflect"), "n,m:float32"),
    "pad-replicate": (lambda x: op.nn.pad(x, [0, 0, 1, 2], "replicate"), "n,6:float32"),
    "pad-circular": (lambda x: op.nn.pad(x, [1, 0, 1, 2], "circular"), "5,6:float32"),
    "pad": (lambda x: op.nn.pad(x, [0, 3, 1, 0], pad_value=-1.5), "n,m:float16"),
    "pixel_shuffle": (lambda x: op.nn.pixel_shuffle(x, 2), "n,8,3,3:float32"),
    "max_pool1d": (lambda x: op.nn.max_pool1d(x, 3, 2, 1, ceil_mode=True), "n,2,9:int8"),
    "max_pool2d": (lambda x: op.nn.max_pool2d(x, (3, 2), 2, (0, 1), (1, 2)), "n,2,9,9:float32"),
    "max_pool2d-packed": (lambda x: op.nn.max_pool2d(x, 2, layout="NCHW4c"), "n,2,8,8,4:float32"),
    "avg_pool2d": (lambda x: op.nn.avg_pool2d(x, 3, 2, 1, ceil_mode=True, layout="NHWC"), "n,9,9,m:float16"),
    "avg_pool3d": (lambda x: op.nn.avg_pool3d(x, 2, count_include_pad=False), "1,2,4,4,4:float32"),
    "adaptive_avg_pool2d": (lambda x: op.nn.adaptive_avg_pool2d(x, (3, 2)), "n,2,8,7:float32"),
    "adaptive_avg_pool1d": (lambda x: op.nn.adaptive_avg_pool1d(x), "n,2,m:float32"),
    "leakyrelu": (lambda x: op.nn.leakyrelu(x, 0.2), "n,m:bfloat16"),
    "relu6": (op.nn.relu6, "n,m:int8"),
    "gelu": (op.nn.gelu, "n,m:bfloat16"),
    "gelu_tanh": (op.nn.gelu_tanh, "n,m:float16"),
    "selu": (op.nn.selu, "n,m:float32"),
    "silu": (op.nn.silu, "0,m:float32"),
    "softmax": (lambda x: op.nn.softmax(x, 0), "n,m:float16"),
    "log_softmax": (op.nn.log_softmax, "n,m,3:float32"),
    "softplus": (lambda x: op.nn.softplus(x, 2.0, 10.0), "n,m:float32"),
    "prelu": (op.nn.prelu, "n,4,m:float32", "4:float32"),
    "batch_norm": (lambda x, g, b, m, v: op.nn.batch_norm(x, g, b, m, v, 1, training=True), "n,4,8:float32", *["4:float32"] * 4),
    "batch_norm-inference": (lambda x, g, b, m, v: op.nn.batch_norm(x, g, b, m, v, 1, center=False, training=False), "n,4,8:float16", *["4:float16"] * 4),
    "layer_norm": (lambda x, g, b: op.nn.layer_norm(x, g, b, [-2, -1]), "n,4,m:float16", "4,m:float16", "4,m:float16"),
    "group_norm": (lambda x, g, b: op.nn.group_norm(x, g, b, 2, 1, [2, 3]), "n,4,m,5:float32", "4:float32", "4:float32"),
    "instance_norm": (lambda x, g, b: op.nn.instance_norm(x, g, b, 1, [2]), "n,4,m:float32", "4:float32", "4:float32"),
    "rms_norm": (lambda x, g: op.nn.rms_norm(x, g), "n,m:bfloat16", "m:bfloat16"),
    "cross_entropy": (op.nn.cross_entropy_with_logits, "n,m:float32", "n,m:float32"),
    "nll_loss": (lambda p, t, w: op.nn.nll_loss(p, t, w, "sum", 1), "n,5:float32", "n:int64", "5:float32"),
    "nll_loss-high": (lambda p, t: op.nn.nll_loss(p, t, reduction="none"), "n,5,2,m:float32", "n,2,m:int64"),
    "attention": (lambda q, k, v: op.nn.attention(q, k, v, causal_mask="TopLeft"), "b,n,4,8:float32", "b,m,4,8:float32", "b,m,4,8:float32"),
    "attention-window": (lambda q, k, v, a: op.nn.attention(q, k, v, a, causal_mask="BottomRight", window_size=2), "1,6,4,8:float16", "1,6,4,8:float16", "1,6,4,8:float16", "1,4,6,6:float16"),
    "nll_loss_backward": (lambda g, p, t: op.grad.nll_loss_backward(g, p, t), ":float32", "n,5:float32", "n:int64"),
    "max_pool2d_backward": (lambda g, x: op.grad.max_pool2d_backward(g, x, (2, 2), (2, 2)), "1,2,4,4:float32", "1,2,8,8:float32"),
    "avg_pool2d_backward": (lambda g, x: op.grad.avg_pool2d_backward(g, x, (2, 2), (2, 2)), "1,2,4,4:float32", "1,2,8,8:float32"),
    "take_backward": (lambda g, x, i: op.grad.take_backward(g, x, i, 0), "3,m:float32", "n,m:float32", "3:int64"),
    "multinomial": (op.multinomial_from_uniform, "3,5:float32", "6,1:float32", "6,1:int64"),
    "unique": (lambda x: op.unique(x, True, True, True, True), "n:int64"),
}


def llm_kernels():
    """The kernels of a paged cache of keys and values, for a CPU and for a GPU."""
    room = "tvm.relax.frontend.nn.llm."
    decode, prefill, page = (importlib.import_module(room + name) for name in ("_decode_kernels", "_prefill_kernels", "_page_kernels"))
    tree, position = importlib.import_module(room + "tree_attn"), importlib.import_module(room + "position_embedding")
    for kind, target in [("cuda", Target("nvidia/nvidia-a100")), ("metal", Target("metal")), ("webgpu", Target("webgpu"))]:
        for dtype in ["float16", "float32"]:
            rows = {
                "decode": lambda t=target, d=dtype: decode._attention_decode(2, 4, 64, d, True, {}, t),
                "decode-plain": lambda t=target, d=dtype: decode._attention_decode(1, 8, 32, d, False, {}, t),
                "merge": lambda t=target, d=dtype: decode._merge_state_inplace(4, 64, d, t),
                "prefill": lambda t=target, d=dtype: prefill._attention_prefill(2, 4, 32, d, True, {}, t),
                "sequence": lambda t=target, d=dtype: prefill._attention_sequence_prefill(2, 4, 32, d, t, 1, 0.5),
                "ragged": lambda t=target, d=dtype: prefill._attention_prefill_ragged(2, 4, 32, 32, d, {}, t),
                "mla": lambda t=target, d=dtype: prefill._attention_prefill_mla(4, 64, 16, d, False, t),
                "copy": lambda t=target, d=dtype: page._copy_single_page(4, 16, 64, d, t),
                "copy-mla": lambda t=target, d=dtype: page._copy_single_page_mla(16, 64, d, t),
                "compact": lambda t=target, d=dtype: page._compact_kv_copy(4, 64, d, t),
                "tree": lambda t=target, d=dtype: tree.tree_attn(2, 4, 32, d, {}, t),
                "tree-paged": lambda t=target, d=dtype: tree.tree_attn_with_paged_kv_cache(2, 4, 32, d, {}, t),
            }
            for name, make in rows.items():
                yield f"{name}-{kind}-{dtype}", make
    for dtype in ["float16", "float32", "bfloat16"]:
        rows = {
            "decode": lambda d=dtype: decode._attention_decode_cpu(2, 4, 64, d, True, {}),
            "merge": lambda d=dtype: decode._merge_state_inplace_cpu(d),
            "prefill": lambda d=dtype: prefill._attention_prefill_cpu(2, 4, 32, d, True, {}),
            "ragged": lambda d=dtype: prefill._attention_prefill_ragged_cpu(2, 4, 32, 32, d, {}),
            "append": lambda d=dtype: page._kv_cache_transpose_append(2, 64, d),
            "append-mla": lambda d=dtype: page._kv_cache_transpose_append_mla(64, d),
            "debug": lambda d=dtype: page._kv_cache_debug_get_kv(3, 2, 64, d),
            "debug-mla": lambda d=dtype: page._kv_cache_debug_get_kv_mla(3, 64, d),
            "copy": lambda d=dtype: page._copy_single_page_cpu(4, 16, 64, d),
            "compact": lambda d=dtype: page._compact_kv_copy_cpu(4, 64, d),
            "tree": lambda d=dtype: tree.tree_attn_cpu(2, 4, 32, d, {}),
            "tree-paged": lambda d=dtype: tree.tree_attn_with_paged_kv_cache_cpu(2, 4, 32, d, {}),
            "rope": lambda d=dtype: position.llama_rope_with_position_map(10000.0, 1.0, 64, 4, 2, d, {}, None),
            "rope-llama3": lambda d=dtype: position.llama_rope_with_position_map(500000.0, 1.0, 64, 4, 2, d, {
                "rope_type": "llama3", "factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0, "original_max_position_embeddings": 8192}, 32),
            "rope-gptj": lambda d=dtype: position.llama_rope_with_position_map(10000.0, 1.0, 64, 4, 2, d, {"rope_type": "gptj"}, 32),
        }
        for name, make in rows.items():
            yield f"{name}-cpu-{dtype}", make
    sampling = importlib.import_module("tvm.relax.backend.gpu_generic.sampling")
    cumsum = importlib.import_module("tvm.relax.backend.gpu_generic.cumsum")
    for dtype in ["float32", "float16", "int64"]:
        yield f"cumsum-{dtype}", lambda d=dtype: cumsum.gpu_2d_continuous_cumsum(in_dtype=d, out_dtype=d)
        yield f"cumsum-3d-{dtype}", lambda d=dtype: cumsum.gpu_3d_axis_1_cumsum(in_dtype=d, out_dtype=d)
        yield f"multinomial-{dtype}", lambda d=dtype: sampling.gpu_multinomial_from_uniform(prob_dtype=d, sample_dtype=d)
    yield "sample_index", sampling.generic_get_sample_index


def gpu_kernels():
    """What topi writes by hand for a GPU: threads and loops, no blocks to schedule."""
    data, indices, updates = (te.placeholder((4, 8), dtype=dtype, name=name) for dtype, name in [("float32", "data"), ("int64", "indices"), ("float32", "updates")])
    rows = {
        "sort": ([data], lambda: gpu.sort(data)),
        "argsort": ([data], lambda: gpu.argsort(data, axis=0)),
        "topk": ([data], lambda: gpu.topk(data, 3)),
        "cumsum": ([data], lambda: gpu.cumsum(data, 1)),
        "cumprod": ([data], lambda: gpu.cumprod(data, 0, exclusive=True)),
        "scatter_elements": ([data, indices, updates], lambda: gpu.scatter_elements(data, indices, updates, 1, "add")),
    }
    for name, (inputs, make) in rows.items():
        def function(ins=inputs, m=make):
            with Target("nvidia/nvidia-a100"):
                outs = m()
            return te.create_prim_func([*ins, *(outs if isinstance(outs, (list, tuple)) else [outs])])
        yield name, function


def cases():
    for name, (make, *tensors) in OPERATORS.items():
        yield f"relax/{name}", lambda m=make, t=tensors: kernels(m, *t)
    for place, name in enumerate(UNARY.split()):
        for step in range(3):
            tensor = f"{SHAPES[(place + step) % len(SHAPES)]}:{DTYPES[(place * 2 + step * 5) % len(DTYPES)]}"
            yield f"relax/{name}-{tensor}", lambda n=name, t=tensor: kernels(getattr(op, n), t)
    for place, name in enumerate(BINARY.split()):
        for step in range(4):
            shape, dtype = SHAPES[(place + step) % len(SHAPES)], DTYPES[(place * 2 + step * 5) % len(DTYPES)]
            other = ["", "1", shape][step % 3]
            yield f"relax/{name}-{shape}-{other}-{dtype}", lambda n=name, s=shape, o=other, d=dtype: kernels(getattr(op, n), f"{s}:{d}", f"{o}:{d}")
    for name, make in llm_kernels():
        yield f"llm/{name}", make
    for name, make in gpu_kernels():
        yield f"gpu/{name}", make
