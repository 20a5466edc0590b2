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
import os
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile
import time

import numpy as np

from te_operators import FLOATS, OPERATORS, ROUNDING, TYPES, Value, draw_array

np.seterr(all="ignore")
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
            shape = np.broadcast_shapes(*[v.array.shape for v in values])
            # n + 1 rows and n of them do not broadcast, although 1 and 0 do.
            if symbol == 0 and any(v.array.shape[k - len(shape)] != n for v in values for k, n in enumerate(shape)
                                   if n == 0 and len(shape) - k <= v.array.ndim):
                continue
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
