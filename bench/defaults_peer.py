# SPDX-License-Identifier: Apache-2.0
"""The functions of defaults.mlc under NumPy, and under ONNX Runtime where it is installed, on one core.

    python bench/defaults_peer.py [NAME]...

NAME is what names begin with. Prints `name seconds library`, the faster library of each.
"""
import os
import pathlib

for each in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS"):
    os.environ.setdefault(each, "1")
import sys
import time

import numpy as np

try:
    import onnx
    import onnxruntime
    from onnx import TensorProto, helper
except ImportError:
    onnx = None

CASES = {}


def floats(*shape, dtype="float32"):
    return np.random.rand(*shape).astype(dtype)


def model(nodes, inputs, initializers=()):
    """A session of ONNX Runtime on one core, its inputs and its result bound to memory, so that nothing is copied."""
    kinds = {"float32": TensorProto.FLOAT, "int8": TensorProto.INT8, "int32": TensorProto.INT32, "int64": TensorProto.INT64,
             "float16": TensorProto.FLOAT16, "float64": TensorProto.DOUBLE, "uint8": TensorProto.UINT8, "bool": TensorProto.BOOL}
    made = []
    for i, (op, takes, gives, attributes) in enumerate(nodes):
        domain = attributes.pop("domain", "")
        made.append(helper.make_node(op, takes, gives, domain=domain, **attributes))
    described = [helper.make_tensor_value_info(n, kinds[str(a.dtype)], a.shape) for n, a in inputs.items()]
    constants = [onnx.numpy_helper.from_array(a, n) for n, a in initializers]
    graph = helper.make_graph(made, "g", described, [helper.make_empty_tensor_value_info("out")], constants)
    whole = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20), helper.make_opsetid("com.microsoft", 1)])
    whole.ir_version = 9
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads, options.inter_op_num_threads = int(os.environ["OMP_NUM_THREADS"]), 1
    session = onnxruntime.InferenceSession(whole.SerializeToString(), options, providers=["CPUExecutionProvider"])
    (result,) = session.run(None, inputs)
    bound = session.io_binding()
    kept = [onnxruntime.OrtValue.ortvalue_from_numpy(each) for each in inputs.values()]
    for name, each in zip(inputs, kept):
        bound.bind_ortvalue_input(name, each)
    into = onnxruntime.OrtValue.ortvalue_from_numpy(np.zeros_like(result))
    bound.bind_ortvalue_output("out", into)
    return lambda: session.run_with_iobinding(bound) or kept or into


def case(name, numpy=None, onnx_nodes=None):
    CASES[name] = {"NumPy": numpy, "ONNX Runtime": onnx_nodes}


def of_model(name, nodes, initializers=None, **inputs):
    """A case of ONNX Runtime alone: nodes, and shapes or arrays of what they take."""
    def array(each):
        return floats(*each) if isinstance(each, tuple) else each

    def ort():
        copies = [(op, takes, gives, dict(attributes)) for op, takes, gives, attributes in nodes]
        return model(copies, {n: array(each) for n, each in inputs.items()}, [(n, array(each)) for n, each in (initializers or {}).items()])

    case(name, None, ort)


def product(m, n, k, batch=(), dtype="float32", transposed=False, onnx_too=True):
    """Transposed weights of a layer are an initializer, which ONNX Runtime packs beforehand: not what is compared here."""

    def numpy():
        a = floats(*batch, m, k, dtype=dtype)
        b = floats(*batch, n, k, dtype=dtype).swapaxes(-1, -2) if transposed else floats(*batch, k, n, dtype=dtype)
        c = np.zeros((*batch, m, n), dtype)
        return lambda: np.matmul(a, b, out=c)

    def ort():
        a, b = floats(*batch, m, k, dtype=dtype), floats(*batch, *((n, k) if transposed else (k, n)), dtype=dtype)
        if transposed:
            return model([("FusedMatMul", ["a", "b"], ["out"], {"transB": 1, "domain": "com.microsoft"})], {"a": a, "b": b})
        return model([("MatMul", ["a", "b"], ["out"], {})], {"a": a, "b": b})

    return numpy, ort if onnx_too else None


for name in ("f16_512", "bf16_512", "int32_512", "f16f16_256"):
    case(name, *product(*[int(name[-3:])] * 3, onnx_too=False))  # against products of float32
for name, left in (("int8_512", "int8"), ("int8_dense_512", "int8"), ("uint8_int8_512", "uint8")):
    def int8(left=left):
        a, b = (np.random.randint(0, 8, (512, 512)).astype(each) for each in (left, "int8"))
        return model([("MatMulInteger", ["a", "b"], ["out"], {})], {"a": a, "b": b})

    case(name, product(512, 512, 512)[0], int8)

BIG = (2048, 4096)


def single(op, *shapes, initializers=(), **attributes):
    def ort():
        inputs = {"abcdef"[i]: floats(*shape) if shape else np.array(1.0, "float32") for i, shape in enumerate(shapes)}
        names = [*inputs, *(name for name, _ in initializers)]
        return model([(op, names, ["out"], dict(attributes))], inputs, initializers)

    return ort


def ufunc(act, *shapes, result=None, dtype="float32"):
    def numpy():
        inputs = [floats(*shape) for shape in shapes]
        out = np.zeros(np.broadcast_shapes(*shapes) if result is None else result, dtype)
        return lambda: act(*inputs, out)

    return numpy


case("add", ufunc(lambda a, b, o: np.add(a, b, out=o), BIG, BIG), single("Add", BIG, BIG))
case("bias_add", ufunc(lambda a, b, o: np.add(a, b, out=o), BIG, (4096,)), single("Add", BIG, (4096,)))
case("add_channels", ufunc(lambda a, b, o: np.add(a, b, out=o), (1, 64, 112, 112), (1, 64, 1, 1)), single("Add", (1, 64, 112, 112), (1, 64, 1, 1)))
case("relu", ufunc(lambda a, o: np.maximum(a, 0, out=o), BIG), single("Relu", BIG))
case("sigmoid", None, single("Sigmoid", BIG))
case("tanh", ufunc(lambda a, o: np.tanh(a, out=o), BIG), single("Tanh", BIG))
case("exp", ufunc(lambda a, o: np.exp(a, out=o), BIG), single("Exp", BIG))
case("gelu", None, single("Gelu", BIG))
case("sqrt", ufunc(lambda a, o: np.sqrt(a, out=o), BIG), single("Sqrt", BIG))
case("cast_f16", ufunc(lambda a, o: np.copyto(o, a, casting="unsafe"), BIG, dtype="float16"), single("Cast", BIG, to=10))
case("cast_int8", ufunc(lambda a, o: np.copyto(o, a, casting="unsafe"), BIG, dtype="int8"), single("Cast", BIG, to=3))
case("bias_swish_residual", None, lambda: model(
    [("Add", ["a", "b"], ["x"], {}), ("Sigmoid", ["x"], ["s"], {}), ("Mul", ["x", "s"], ["y"], {}), ("Add", ["y", "c"], ["out"], {})],
    {"a": floats(*BIG), "b": floats(4096), "c": floats(*BIG)}))
for shape in ((4096, 1024), (1, 12, 128, 128), (64, 30522)):
    case("softmax_" + "x".join(map(str, shape[-3:])), None, single("Softmax", shape))
case("softmax_axis1", None, single("Softmax", (16, 21, 128, 128), axis=1))
case("log_softmax_1024x1000", None, single("LogSoftmax", (1024, 1000)))
for rows, columns in ((4096, 768), (128, 768)):
    case(f"layer_norm_{rows}x{columns}", None, single("LayerNormalization", (rows, columns), (columns,), (columns,)))
case("rms_norm_2048x4096", None, single("SimplifiedLayerNormalization", BIG, (4096,), axis=-1))
case("batch_norm", None, lambda: model(
    [("BatchNormalization", ["a", "s", "t", "m", "v"], ["out"], {})],
    {"a": floats(1, 64, 112, 112), **{name: floats(64) for name in "stmv"}}))


def reduced(op, shape, axes, numpy):
    out = np.zeros([e for d, e in enumerate(shape) if d not in axes], "float32")
    constant = [("axes", np.array(axes, "int64"))]
    return ufunc(lambda a, o: numpy(a, axis=axes, out=o), shape, result=out.shape), single(op, shape, initializers=constant, keepdims=0)


case("sum_all", *reduced("ReduceSum", BIG, (0, 1), np.sum))
case("sum_axis0", *reduced("ReduceSum", BIG, (0,), np.sum))
case("sum_axis1", *reduced("ReduceSum", BIG, (1,), np.sum))
case("max_axis1", *reduced("ReduceMax", BIG, (1,), np.max))
case("mean_hw", *reduced("ReduceSum", (8, 512, 28, 28), (2, 3), np.sum))
case("mean_hw_7", *reduced("ReduceSum", (8, 2048, 7, 7), (2, 3), np.sum))
case("sum_nhwc", *reduced("ReduceSum", (8, 28, 28, 512), (1, 2), np.sum))
case("sum_middle", *reduced("ReduceSum", (64, 512, 128), (1,), np.sum))
case("argmax_1024x1000", ufunc(lambda a, o: np.argmax(a, axis=1, out=o), (1024, 1000), result=(1024,), dtype="int64"), single("ArgMax", (1024, 1000), axis=1))
case("argmax_axis1", ufunc(lambda a, o: np.argmax(a, axis=1, out=o), (4, 21, 256, 256), result=(4, 256, 256), dtype="int64"), single("ArgMax", (4, 21, 256, 256), axis=1))
for name, axis in (("cumsum", 1), ("cumsum_axis0", 0)):
    case(name, ufunc(lambda a, o, axis=axis: np.cumsum(a, axis=axis, out=o), (1024, 4096)),
         single("CumSum", (1024, 4096), initializers=[("axis", np.array(axis, "int64"))]))


def transposed(name, shape, *axes):
    result = tuple(shape[d] for d in axes)
    case(name, ufunc(lambda a, o: np.copyto(o, a.transpose(axes)), shape, result=result), single("Transpose", shape, perm=axes))


def indexed(op, numpy, shape, count, **attributes):
    def onnx_of():
        return model([(op, ["a", "i"], ["out"], attributes)], {"a": floats(*shape), "i": np.random.randint(0, 4096, count).astype("int32")})

    def of_numpy():
        a, i = floats(*shape), np.random.randint(0, 4096, count).astype("int32")
        return lambda: numpy(a, i)

    return of_numpy, onnx_of


case("embedding_30522x768", *indexed("Gather", lambda a, i: np.take(a, i, axis=0), (30522, 768), (8192,)))
case("gather_axis1", *indexed("GatherElements", lambda a, i: np.take_along_axis(a, i, axis=1), (1024, 4096), (1024, 512), axis=1))
case("concatenate", ufunc(lambda a, b, o: np.concatenate([a, b], axis=1, out=o), (1024, 2048), (1024, 2048), result=(1024, 4096)), single("Concat", (1024, 2048), (1024, 2048), axis=1))
case("pad_hw", None, single("Pad", (8, 64, 56, 56), initializers=[("pads", np.array([0, 0, 1, 1, 0, 0, 1, 1], "int64"))]))
case("strided_slice", ufunc(lambda a, o: np.copyto(o, a[:, ::2]), BIG, result=(2048, 2048)))
case("reshape", ufunc(lambda a, o: np.copyto(o, a), BIG))
case("broadcast_to", ufunc(lambda a, o: np.copyto(o, a), (4096,), result=BIG))
for name, shape, k, s, p in (("max_pool_3s2", (1, 64, 112, 112), 3, 2, 1), ("max_pool_2s2", (4, 64, 112, 112), 2, 2, 0), ("max_pool_nhwc", (1, 64, 112, 112), 3, 2, 1)):
    case(name, None, single("MaxPool", shape, kernel_shape=[k, k], strides=[s, s], pads=[p] * 4))
case("avg_pool_3s1", None, single("AveragePool", (1, 192, 35, 35), kernel_shape=[3, 3], strides=[1, 1], pads=[1] * 4))
case("global_avg_pool", None, single("GlobalAveragePool", (8, 2048, 7, 7)))


def convolution(name, c, h, o, k, s, p, groups=1, relu=False):
    """Weights are an initializer, as in every model: ONNX Runtime lays them out beforehand."""
    weights = {"w": (o, c // groups, k, k), **({"b": (o,)} if relu else {})}
    attributes = {"kernel_shape": [k, k], "strides": [s, s], "pads": [p] * 4, "group": groups}
    nodes = [("Conv", ["a", *weights], ["y" if relu else "out"], attributes)] + [("Relu", ["y"], ["out"], {})] * relu
    of_model(name, nodes, weights, a=(1, c, h, h))


convolution("depthwise_nhwc_96_56", 96, 56, 96, 3, 1, 1, groups=96)
convolution("depthwise_nhwc_144_56s2", 144, 56, 144, 3, 2, 1, groups=144)
for m, n, k in ((128, 3072, 768), (1, 1000, 2048)):
    of_model(f"dense_relu_{m}x{n}x{k}", [("Gemm", ["a", "w", "b"], ["y"], {"transB": 1}), ("Relu", ["y"], ["out"], {})], a=(m, k), w=(n, k), b=(n,))

# Layers of models: attention, norms, convolutions of other kinds, chains of elements.


def scalar(value, dtype="float32"):
    return np.array(value, dtype)


of_model("attention_scores", [("FusedMatMul", ["q", "k"], ["s"], {"transB": 1, "alpha": 0.125, "domain": "com.microsoft"}),
                              ("Softmax", ["s"], ["out"], {"axis": -1})], q=(12, 128, 64), k=(12, 128, 64))
of_model("masked_softmax", [("Where", ["m", "a", "x"], ["w"], {}), ("Softmax", ["w"], ["out"], {"axis": -1})], {"x": scalar(-1e9)},
         a=(12, 128, 128), m=np.random.rand(1, 128, 128) > 0.5)
of_model("rope", [("Split", ["x"], ["l", "r"], {"axis": 2, "num_outputs": 2}), ("Neg", ["r"], ["n"], {}), ("Concat", ["n", "l"], ["h"], {"axis": 2}),
                  ("Mul", ["x", "c"], ["xc"], {}), ("Mul", ["h", "s"], ["hs"], {}), ("Add", ["xc", "hs"], ["out"], {})],
         x=(32, 512, 128), c=(512, 128), s=(512, 128))
of_model("swiglu", [("Sigmoid", ["a"], ["s"], {}), ("Mul", ["a", "s"], ["y"], {}), ("Mul", ["y", "b"], ["out"], {})], a=(512, 11008), b=(512, 11008))
of_model("gelu_tanh", [("FastGelu", ["a"], ["out"], {"domain": "com.microsoft"})], a=(512, 3072))
of_model("group_norm", [("Reshape", ["a", "g"], ["r"], {}), ("InstanceNormalization", ["r", "one", "zero"], ["n"], {}), ("Reshape", ["n", "f"], ["q"], {}),
                        ("Mul", ["q", "s"], ["t"], {}), ("Add", ["t", "b"], ["out"], {})],
         {"g": np.array([1, 32, -1], "int64"), "f": np.array([1, 320, 64, 64], "int64"), "one": np.ones(32, "float32"), "zero": np.zeros(32, "float32"),
          "s": (320, 1, 1), "b": (320, 1, 1)}, a=(1, 320, 64, 64))
of_model("instance_norm", [("InstanceNormalization", ["a", "s", "b"], ["out"], {})], a=(1, 64, 128, 128), s=(64,), b=(64,))
of_model("residual_norm", [("SkipLayerNormalization", ["a", "r", "s", "b"], ["out"], {"domain": "com.microsoft"})], a=(512, 768), r=(512, 768), s=(768,), b=(768,))
sizes = {"z": np.array([1, 64, 112, 112], "int64")}
of_model("resize_bilinear", [("Resize", ["a", "", "", "z"], ["out"], {"mode": "linear"})], sizes, a=(1, 64, 56, 56))
of_model("resize_nearest", [("Resize", ["a", "", "", "z"], ["out"], {"mode": "nearest", "coordinate_transformation_mode": "asymmetric", "nearest_mode": "floor"})], sizes, a=(1, 64, 56, 56))
of_model("cross_entropy", [("SoftmaxCrossEntropyLoss", ["a", "i"], ["out"], {"reduction": "none"})], a=(1024, 4096), i=np.random.randint(0, 4096, 1024).astype("int32"))
for name, h, k, p in (("conv_transpose", 28, 4, 1), ("conv_transpose_56", 56, 4, 1), ("conv_transpose_3", 56, 3, 1), ("conv_up", 56, 2, 0)):
    of_model(name, [("ConvTranspose", ["a", "w"], ["out"], {"strides": [2, 2], "pads": [p] * 4})], {"w": (64, 32, k, k)}, a=(1, 64, h, h))
of_model("conv_dilated", [("Conv", ["a", "w"], ["out"], {"dilations": [2, 2], "pads": [2] * 4})], {"w": (64, 64, 3, 3)}, a=(1, 64, 28, 28))
of_model("conv1d", [("Conv", ["a", "w"], ["out"], {"pads": [1, 1]})], {"w": (256, 256, 3)}, a=(1, 256, 512))
of_model("conv3d", [("Conv", ["a", "w"], ["out"], {"pads": [1] * 6})], {"w": (16, 16, 3, 3, 3)}, a=(1, 16, 16, 28, 28))
of_model("dense_gelu", [("MatMul", ["a", "w"], ["m"], {}), ("Add", ["m", "b"], ["y"], {}), ("Gelu", ["y"], ["out"], {})], {"w": (768, 3072), "b": (3072,)}, a=(128, 768))
of_model("dense_residual", [("MatMul", ["a", "w"], ["m"], {}), ("Add", ["m", "b"], ["y"], {}), ("Add", ["y", "r"], ["out"], {})], {"w": (768, 768), "b": (768,)}, a=(128, 768), r=(128, 768))
of_model("quantize", [("QuantizeLinear", ["a", "s", "z"], ["out"], {})], {"s": scalar(0.02), "z": scalar(0, "int8")}, a=(512, 3072))
of_model("dequantize", [("DequantizeLinear", ["a", "s", "z"], ["out"], {})], {"s": scalar(0.02), "z": scalar(0, "int8")}, a=np.random.randint(-100, 100, (512, 3072)).astype("int8"))
of_model("depth_to_space", [("DepthToSpace", ["a"], ["out"], {"blocksize": 2})], a=(1, 64, 56, 56))
of_model("swapped_halves", [("Split", ["a"], ["l", "r"], {"axis": 1, "num_outputs": 2}), ("Concat", ["r", "l"], ["out"], {"axis": 1})], a=(1024, 4096))
of_model("log_sum_exp", [("ReduceLogSumExp", ["a", "x"], ["out"], {})], {"x": np.array([1], "int64")}, a=(1024, 4096))
of_model("gated_mean", [("Sigmoid", ["g"], ["s"], {}), ("Mul", ["a", "s"], ["out"], {})], a=(8, 96, 28, 28), g=(8, 96, 1, 1))
of_model("hardswish", [("HardSwish", ["a"], ["out"], {})], a=(8, 96, 28, 28))
of_model("swish_14", [("Sigmoid", ["a"], ["s"], {}), ("Mul", ["a", "s"], ["out"], {})], a=(8, 672, 14, 14))
case("sin", ufunc(lambda a, o: np.sin(a, out=o), (512, 1024)), single("Sin", (512, 1024)))
case("pow", ufunc(lambda a, o: np.power(a, np.float32(1.7), out=o), (512, 1024)))
case("log", ufunc(lambda a, o: np.log(a, out=o), (512, 1024)), single("Log", (512, 1024)))
of_model("variance", [("ReduceMean", ["a", "x"], ["m"], {}), ("Sub", ["a", "m"], ["d"], {}), ("ReduceSumSquare", ["d", "x"], ["out"], {"keepdims": 0})], {"x": np.array([1], "int64")}, a=(4096, 768))
case("softmax_12x197x197", None, single("Softmax", (12, 197, 197)))
case("layer_norm_197x1000", None, single("LayerNormalization", (197, 1000), (1000,), (1000,)))
case("sum_197x1000", *reduced("ReduceSum", (197, 1000), (1,), np.sum))
of_model("adaptive_pool", [("AveragePool", ["a"], ["out"], {"kernel_shape": [4, 4], "strides": [4, 4]})], a=(1, 512, 28, 28))
of_model("one_hot", [("OneHot", ["i", "d", "v"], ["out"], {})], {"d": np.array(1000, "int64"), "v": np.array([0, 1], "float32")}, i=np.random.randint(0, 1000, 8192).astype("int64"))
case("max_of_short_rows", *reduced("ReduceMax", (4096, 32), (1,), np.max))
convolution("conv_nhwc_64_56", 64, 56, 64, 3, 1, 1)
convolution("conv_nhwc_256_14", 256, 14, 256, 1, 1, 0)
of_model("causal_conv1d", [("Conv", ["a", "w"], ["out"], {"group": 1024})], {"w": (1024, 1, 4)}, a=(1, 1024, 515))
case("gemv_int8", *product(1, 4096, 4096, transposed=True))
for name, m in (("gemv_int4", 1), ("gemm_int4_32", 32)):
    of_model(name, [("MatMulNBits", ["a", "w", "s"], ["out"], {"K": 4096, "N": 4096, "bits": 4, "block_size": 32, "domain": "com.microsoft"})],
             {"w": np.random.randint(0, 255, (4096, 128, 16)).astype("uint8"), "s": (4096 * 128,)}, a=(m, 4096))
case("gemv_f16", *product(1, 4096, 4096, transposed=True))
of_model("decode_attention", [("FusedMatMul", ["q", "k"], ["s"], {"transB": 1, "alpha": 0.088388, "domain": "com.microsoft"}), ("Softmax", ["s"], ["p"], {"axis": -1}), ("MatMul", ["p", "v"], ["out"], {})],
         q=(32, 1, 128), k=(32, 1024, 128), v=(32, 1024, 128))
case("matmul_left_transposed", ufunc(lambda a, b, o: np.matmul(a.T, b, out=o), (512, 512), (512, 512)))
of_model("channels_norm", [("Transpose", ["a"], ["t"], {"perm": [0, 2, 3, 1]}), ("LayerNormalization", ["t", "s", "b"], ["n"], {}), ("Transpose", ["n"], ["out"], {"perm": [0, 3, 1, 2]})], a=(1, 96, 56, 56), s=(96,), b=(96,))
of_model("image", [("Cast", ["a"], ["f"], {"to": 1}), ("Mul", ["f", "s"], ["m"], {}), ("Add", ["m", "b"], ["n"], {}), ("Transpose", ["n"], ["out"], {"perm": [0, 3, 1, 2]})], {"s": (3,), "b": (3,)}, a=np.random.randint(0, 255, (1, 224, 224, 3)).astype("uint8"))
of_model("lstm_gates", [("Split", ["x"], ["i", "f", "g", "o"], {"axis": 1, "num_outputs": 4}), ("Sigmoid", ["i"], ["si"], {}), ("Sigmoid", ["f"], ["sf"], {}), ("Tanh", ["g"], ["tg"], {}), ("Sigmoid", ["o"], ["so"], {}),
   ("Mul", ["sf", "c"], ["y"], {}), ("Mul", ["si", "tg"], ["z"], {}), ("Add", ["y", "z"], ["n"], {}), ("Tanh", ["n"], ["tn"], {}), ("Mul", ["so", "tn"], ["out"], {})], x=(128, 2048), c=(128, 512))
case("distances", ufunc(lambda a, b, o: (a * a).sum(1)[:, None] + (b * b).sum(1)[None] - 2 * (a @ b.T), (1000, 64), (1000, 64)))
tri = np.tril(np.ones((1, 512, 512), bool))
of_model("causal_mask", [("Where", ["m", "a", "x"], ["out"], {})], {"x": scalar(-1e9), "m": tri}, a=(12, 512, 512))
of_model("causal_softmax", [("Where", ["m", "a", "x"], ["w"], {}), ("Softmax", ["w"], ["out"], {"axis": -1})], {"x": scalar(-1e9), "m": tri}, a=(12, 512, 512))
of_model("gather_rows_add", [("Gather", ["t", "i"], ["g"], {}), ("Add", ["g", "p"], ["out"], {})], t=(30522, 768), p=(512, 768), i=np.random.randint(0, 4096, 512).astype("int32"))
case("dot", ufunc(lambda a, b, o: np.dot(a, b), (1 << 20,), (1 << 20,)))
of_model("norms_of_rows", [("ReduceL2", ["a", "x"], ["out"], {"keepdims": 0})], {"x": np.array([1], "int64")}, a=(4096, 768))
case("batch_statistics", *reduced("ReduceSum", (16, 64, 56, 56), (0, 2, 3), np.sum))
case("mean_axis0", *reduced("ReduceSum", (256, 64, 64), (0,), np.sum))
case("flip", ufunc(lambda a, o: np.copyto(o, a[:, ::-1]), (1024, 1024)))
of_model("tile", [("Tile", ["a", "r"], ["out"], {})], {"r": np.array([2, 2], "int64")}, a=(512, 512))
case("repeat", ufunc(lambda a, o: np.repeat(a, 2, 1), (1024, 512)))
case("greater", ufunc(lambda a, b, o: np.greater(a, b, out=o), (1024, 1024), (1024, 1024), dtype="bool"), single("Greater", (1024, 1024), (1024, 1024)))
of_model("where", [("Max", ["a", "b"], ["out"], {})], a=(1024, 1024), b=(1024, 1024))


def idiv():
    a = np.random.randint(0, 1000, (1024, 1024)).astype("int32")
    o = a.copy()
    return lambda: np.floor_divide(a, 7, out=o)


case("int_division", idiv)
of_model("prelu", [("PRelu", ["a", "b"], ["out"], {})], a=(1, 64, 112, 112), b=(64, 1, 1))
case("avg_pool_2s2", None, single("AveragePool", (4, 64, 56, 56), kernel_shape=[2, 2], strides=[2, 2]))
case("max_pool_nhwc_2s2", None, single("MaxPool", (4, 64, 56, 56), kernel_shape=[2, 2], strides=[2, 2]))

# What both sides make in one way each.
exec(pathlib.Path(__file__).with_name("layers.mlc").read_text())
layers(lambda name, *shape, **how: case(name, *product(*shape, **how)), transposed, convolution)

for name, makers in CASES.items():
    if sys.argv[1:] and not any(name.startswith(each) for each in sys.argv[1:]):
        continue
    fastest = None
    for library, make in makers.items():
        if make is None or library == "ONNX Runtime" and onnx is None:
            continue
        run = make()
        run()
        best, total = 1e9, 0
        while total < 0.1:
            start = time.perf_counter()
            run()
            took = time.perf_counter() - start
            best, total = min(best, took), total + took
        fastest = min(fastest or (best, library), (best, library))
    if fastest is not None:
        print(name, *fastest, flush=True)
