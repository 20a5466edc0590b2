#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Random ONNX nodes, run by mlc and by onnxruntime: python3 random_nodes.py MLC [--seed N] [--count N]

Needs the packages onnx and onnxruntime. A node that onnxruntime refuses is drawn anew. Fails when fewer than 98 % agree; known
to differ: slices with a negative step up to the largest int64, which the specification makes empty.
"""

import argparse
import pathlib
import random
import sys
import tempfile

import numpy as np
import onnxruntime
import run
from onnx import helper, numpy_helper


class Draw:
    """Random numbers, and a node: operator, inputs that are given, inputs that are constant (by position), attributes."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.numbers = np.random.default_rng(seed)

    def floats(self, *shape):
        return self.numbers.standard_normal(shape).astype("float32")

    def between(self, low, high):
        return self.random.randint(low, high)

    def shape(self, rank, low=1, high=5):
        return [self.between(low, high) for _ in range(rank)]

    def axes(self, rank):
        """Some of them, counted from the front or the end."""
        chosen = self.random.sample(range(rank), self.between(1, rank))
        return np.array([axis - rank if self.random.random() < 0.3 else axis for axis in chosen], "int64")

    def convolution(self):
        rank, groups = self.between(1, 3), self.random.choice([1, 1, 2])
        inputs = [
            self.floats(self.between(1, 2), 2 * groups, *self.shape(rank, 5, 9)),
            self.floats(2 * groups * self.between(1, 2), 2, *self.shape(rank, 1, 3)),
        ]
        attributes = {"group": groups, "strides": self.shape(rank, 1, 3)}
        if self.random.random() < 0.5:
            attributes.update(pads=self.shape(2 * rank, 0, 2), dilations=self.shape(rank, 1, 2))
        else:
            attributes["auto_pad"] = self.random.choice(["SAME_UPPER", "SAME_LOWER", "VALID"])
        return "Conv", inputs, {}, attributes

    def pooling(self):
        rank = self.between(1, 3)
        kernel = self.shape(rank, 1, 3)
        attributes = {"kernel_shape": kernel, "strides": self.shape(rank, 1, 3)}
        if self.random.random() < 0.7:
            attributes.update(pads=[self.between(0, size // 2) for size in kernel] * 2, ceil_mode=self.between(0, 1))
        else:
            attributes["auto_pad"] = self.random.choice(["SAME_UPPER", "SAME_LOWER"])
        operator = self.random.choice(["MaxPool", "AveragePool"])
        if operator == "AveragePool":
            attributes["count_include_pad"] = self.between(0, 1)
        return operator, [self.floats(1, 2, *self.shape(rank, 4, 9))], {}, attributes

    def resizing(self):
        coordinates = ["half_pixel", "asymmetric", "align_corners", "pytorch_half_pixel"]
        attributes = {
            "mode": self.random.choice(["nearest", "linear", "cubic"]),
            "coordinate_transformation_mode": self.random.choice(coordinates),
        }
        constants = {1: np.array([], "float32"), 2: np.array([], "float32")}
        if self.random.random() < 0.5:
            constants[2] = np.array([1, 1, *self.random.choices([0.5, 0.6, 2, 1.5, 3], k=2)], "float32")
        else:
            constants[3] = np.array([1, 2, *self.shape(2, 2, 9)], "int64")
        return "Resize", [self.floats(1, 2, *self.shape(2, 3, 6))], constants, attributes

    def slicing(self):
        shape = self.shape(self.between(1, 3), 2, 6)
        axes = self.axes(len(shape))
        bounds = [[self.between(-7, 7) for _ in axes] for _ in range(2)]
        steps = self.random.choices([1, 2, -1, -2, 3], k=len(axes))
        constants = [np.array(each, "int64") for each in (*bounds, axes, steps)]
        return "Slice", [self.floats(*shape)], dict(enumerate(constants, 1)), {}

    def padding(self):
        rank, mode = self.between(1, 4), self.random.choice(["constant", "edge", "reflect"])
        constants = {1: np.array(self.shape(2 * rank, 0, 2), "int64")}
        return "Pad", [self.floats(*self.shape(rank, 3, 5))], constants, {"mode": mode}

    def reduction(self):
        shape = self.shape(self.between(1, 4))
        kinds = "Max Min Sum Mean Prod L1 L2 LogSumExp SumSquare".split()
        operator = "Reduce" + self.random.choice(kinds)
        return operator, [self.floats(*shape)], {1: self.axes(len(shape))}, {"keepdims": self.between(0, 1)}

    def recurrent(self):
        operator, gates = self.random.choice([("LSTM", 4), ("GRU", 3), ("RNN", 1)])
        direction = self.random.choice(["forward", "reverse", "bidirectional"])
        both = 2 if direction == "bidirectional" else 1
        steps, batch, width, size = self.shape(4, 1, 4)
        inputs = [
            self.floats(steps, batch, width),
            self.floats(both, gates * size, width),
            self.floats(both, gates * size, size),
            self.floats(both, 2 * gates * size),
            self.numbers.integers(1, steps + 1, batch).astype("int32"),
        ]
        return operator, inputs[: self.between(3, 5)], {}, {"hidden_size": size, "direction": direction}

    def gathering(self):
        shape = self.shape(self.between(2, 3), 2, 4)
        axis = self.between(-len(shape), len(shape) - 1)
        indices = self.numbers.integers(-shape[axis], shape[axis], shape).astype("int64")
        return self.random.choice(["Gather", "GatherElements"]), [self.floats(*shape), indices], {}, {"axis": axis}

    def product(self):
        rows, inner, columns = self.shape(3)
        left, right = self.between(0, 1), self.between(0, 1)
        inputs = [
            self.floats(*((inner, rows) if left else (rows, inner))),
            self.floats(*((columns, inner) if right else (inner, columns))),
            self.floats(*self.random.choice([(columns,), (rows, columns), (rows, 1), (1,)])),
        ]
        return "Gemm", inputs, {}, {"transA": left, "transB": right, "alpha": 0.5, "beta": 2.0}

    def node(self):
        kinds = [
            self.convolution,
            self.pooling,
            self.resizing,
            self.slicing,
            self.padding,
            self.reduction,
            self.recurrent,
            self.gathering,
            self.product,
        ]
        return self.random.choice(kinds)()


def model_of(operator, inputs, constants, attributes):
    names = [f"i{i}" for i in range(max(len(inputs), max(constants, default=0) + 1))]
    node = helper.make_node(operator, names, ["o"], **attributes)
    infos = [
        helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(value.dtype), value.shape)
        for name, value in zip(names, inputs)
    ]
    weights = [numpy_helper.from_array(value, names[i]) for i, value in constants.items()]
    graph = helper.make_graph([node], "g", infos, [helper.make_empty_tensor_value_info("o")], weights)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=8)


def write_case(folder, drawn):
    """False where onnxruntime does not take it."""
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    model, inputs = model_of(*drawn), drawn[1]
    try:
        session = onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
        outputs = session.run(None, {f"i{i}": value for i, value in enumerate(inputs)})
    except Exception:  # of its own classes
        return False
    folder.mkdir()
    (folder / "model.onnx").write_bytes(model.SerializeToString())
    (folder / "tolerance").write_text("1e-3 2e-5")
    for kind, values in (("in", inputs), ("out", outputs)):
        for i, value in enumerate(values):
            (folder / f"{kind}{i}.pb").write_bytes(numpy_helper.from_array(np.asarray(value)).SerializeToString())
    return True


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("mlc")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=300)
    options = parser.parse_args()
    draw, names, refused = Draw(options.seed), {}, 0
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch)
        while len(names) < options.count:
            drawn = draw.node()
            name = f"{len(names)}_{drawn[0]}"
            if write_case(folder / name, drawn):
                names[name] = drawn
            else:
                refused += 1
        results = run.run(options.mlc, folder, list(names))
    failed = {name: result for name, result in results.items() if not result.startswith("pass")}
    for name, result in failed.items():
        operator, inputs, constants, attributes = names[name]
        print(f"{operator}: {result}: {[each.shape for each in inputs]} {constants} {attributes}")
    print(f"seed {options.seed}: {len(names)} nodes, {refused} others that onnxruntime does not take")
    print(f"{len(names) - len(failed)} passed, {len(failed)} failed")
    return 0 if len(failed) <= 0.02 * len(names) else 1


if __name__ == "__main__":
    sys.exit(main())
