# SPDX-License-Identifier: Apache-2.0
"""Random graphs of the operators of networks (network_operators.py), interpreted, compiled as `tvm.compile` does and by the pipeline
of `mlc build`, which changes layouts, folds normalizations, fuses and schedules; NumPy says what they must compute.

    python3 tests/fuzz/network_programs.py MLC [--seed S] [--count N] [--seconds T] [--keep FOLDER]

Weights are parameters or constants, batches and lengths of sequences numbers or symbolic (and then 0, too). What is exact in any order
of summation must be NumPy's to the bit; elsewhere the error of each operator is carried along. A graph that is wrong is printed, cut
back to the operators that it takes, with its seed.
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

from network_operators import OPERATORS, ROUNDING, Tensor

np.seterr(all="ignore")
VARIANTS = ["interpreted", "none", "default"]
HEAD = '''import mlc
import mlc.pipeline
import numpy as np
import tvm
from tvm import relax
from tvm.script import ir as I, relax as R, tirx as T

FOLDER = {folder!r}
inputs = np.load(FOLDER + "/inputs.npz")
outputs = {{}}


def run(name, module, constants, arguments):
    arrays = {{key.removeprefix(name + "_"): inputs[key] for key in inputs.files if key.startswith(name + "_")}}
    if constants:
        module = relax.transform.BindParams("main", {{key: arrays[key] for key in constants}})(module)
    args = [tvm.runtime.tensor(arrays[key]) for key in arguments]
    for variant in {variants}:
        try:
            if variant == "interpreted":
                result = mlc.interpret(module, "main")(*args)
            else:
                given = {{}} if variant == "none" else {{"relax_pipeline": mlc.pipeline.get("graph")}}
                result = relax.VirtualMachine(tvm.compile(module, target="llvm", **given), tvm.cpu())["main"](*args)
            outputs[name + "_" + variant] = result.numpy()
        except Exception as error:
            said = str(error).split("\\n")[0]
            alone = variant == "interpreted" and ("has no legalisation" in said or "call_dps_packed" in said)
            print("SKIPPED" if alone else "ERROR", name, variant, type(error).__name__, said)


'''


class Graph:
    """A function: its parameters, the calls of its body, and the random numbers that it is drawn from."""

    def __init__(self, name, seed):
        self.name, self.random = name, random.Random(seed)
        self.parameters, self.constants, self.tensors, self.lines, self.used = [], [], [], [], []
        self.drawn = collections.Counter()
        self.dtype = self.random.choices(["float32", "float16", "int8"], [12, 1, 1])[0]

    def chance(self, share):
        return self.random.random() < share

    def choice(self, of):
        return self.random.choice(list(of))

    def below(self, low, high):
        return self.random.randrange(low, high)

    def shuffled(self, of):
        return self.random.sample(list(of), len(of))

    def some(self, of):
        return sorted(self.random.sample(list(of), self.random.randrange(1, len(of) + 1)))

    def axis(self, x):
        return self.random.randrange(x.array.ndim) if x.array.ndim else None

    def drew(self, what):
        self.drawn[what] += 1

    def parameter(self, name, dims, array, dtype, grain=0):
        made = Tensor(name, dims, array, dtype, None, grain)
        self.parameters.append(made)
        return made

    def numbers(self, shape, dtype):
        count = int(np.prod(shape))
        low = -2 if dtype == "float16" else -3
        flat = [self.random.randint(low, -low) for _ in range(count)]
        return np.array(flat, "int64" if dtype.startswith("int") else "float64").reshape(shape)

    def weight(self, shape, dtype, positive=False):
        """A parameter, or a constant of the graph."""
        shape = [int(n) for n in shape]
        grain = 1 if dtype in ROUNDING and self.chance(0.3) else 0
        array = self.numbers(shape, dtype)
        array = (np.abs(array) + 1 if positive else array) / 2**grain if dtype in ROUNDING else array
        made = self.parameter(f"w{len(self.parameters)}", [str(n) for n in shape], array, dtype, grain)
        if self.chance(0.6):
            self.constants.append(made)
        return made

    def indices(self, count, extent):
        array = np.array([self.random.randrange(extent) for _ in range(count)], "int64")
        return self.parameter(f"w{len(self.parameters)}", [str(count)], array, "int64")

    def add(self, text, dims, array, dtype, error=None, grain=0, magnitude=None):
        """What a call yields; None where nothing can be said of its numbers. Without a text it is a part of a call."""
        array = np.asarray(array)
        if array.ndim > 5 or array.size > 60000:
            return None
        if dtype in ROUNDING:
            most = 30000 if dtype == "float16" else 1e7
            if np.any(np.abs(array) > most) or not np.all(np.isfinite(array)):
                return None
            if error is not None and (not np.all(np.isfinite(error)) or np.any(error > 0.05 * (1 + np.max(np.abs(array), initial=0)))):
                return None
        elif np.any(np.abs(array) >= 2**31):
            return None
        error = None if error is None else np.broadcast_to(error, array.shape)
        made = Tensor(f"v{len(self.lines)}", [str(d) for d in dims], array, dtype, error, grain,
                      None if magnitude is None else np.broadcast_to(magnitude, array.shape))
        if text is not None:
            self.lines.append(f"{made.name} = {text}")
            self.tensors.append(made)
        return made

    @property
    def result(self):
        return self.tensors[-1]

    def text(self):
        shape = lambda t: ", ".join(f'"{d}"' if d in ("n", "m") else d for d in t.dims) + ("," if len(t.dims) == 1 else "")
        parameters = ", ".join(f'{p.name}: R.Tensor(({shape(p)}), "{p.dtype}")' for p in self.parameters)
        symbols = [s for s in ("n", "m") if any(s in p.dims for p in self.parameters)]
        text = f"@I.ir_module\nclass {self.name}:\n    @R.function\n    def main({parameters}):\n"
        text += "".join(f"        {s} = T.int64()\n" for s in symbols) + "        with R.dataflow():\n"
        text += "".join(f"            {line}\n" for line in self.lines)
        text += f"            R.output({self.result.name})\n        return {self.result.name}\n\n\n"
        return text

    def call(self):
        constants = [c.name for c in self.constants]
        return f"run({self.name!r}, {self.name}, {constants}, {[p.name for p in self.parameters if p.name not in constants]})\n"


def random_graph(seed):
    g = Graph(f"p{seed}", seed)
    rank = g.choice([1, 2, 2, 3, 3, 4, 4, 4, 4, 5])
    symbolic, length = g.chance(0.3), g.chance(0.3)
    sizes = {"n": g.choice([0, 1, 2, 3, 5]), "m": g.choice([1, 2, 5, 7])}
    dims = ["n" if symbolic else str(g.below(1, 4))]
    most = {1: 40, 2: 40, 3: 17, 4: 9, 5: 5}[rank]
    dims += ["m" if k == 1 and rank in (2, 3, 4) and length else str(g.choice([1, 2, 3, 4, 8, *range(1, most)])) for k in range(1, rank)]
    if rank == 4 and g.chance(0.3):
        dims[1] = str(g.choice([16, 24, 32]))
    if sizes["n"] == 0 and symbolic:
        g.drew("batches of 0")
    if symbolic or "m" in dims:
        g.drew("symbolic dimensions")
    for k in range(g.choice([1, 1, 2])):
        array = g.numbers([sizes[d] if d in sizes else int(d) for d in dims], g.dtype)
        g.tensors.append(g.parameter(f"x{k}", dims, array, g.dtype))
    steps = g.below(1, 8)
    names, weights = list(OPERATORS), [weight for _, weight in OPERATORS.values()]
    for _ in range(50):
        if len(g.used) >= steps:
            break
        name = g.random.choices(names, weights)[0]
        x = g.tensors[-1] if g.chance(0.8) else g.choice(g.tensors)
        lines, tensors, parameters, constants = len(g.lines), len(g.tensors), len(g.parameters), len(g.constants)
        before = g.drawn.copy()
        if OPERATORS[name][0](g, x) is None:
            del g.lines[lines:], g.tensors[tensors:], g.parameters[parameters:], g.constants[constants:]
            g.drawn = before
        else:
            g.used.append(name)
    return g if g.used else None


def judge(g, got):
    """What is wrong with the result; nothing where all is well."""
    want = g.result
    if got.shape != want.array.shape or str(got.dtype) != want.dtype:
        return f"{got.dtype}{got.shape} instead of {want.dtype}{want.array.shape}"
    off = np.abs(got.astype("float64") - want.array)
    good = off <= want.bound
    if np.all(good):
        return ""
    at = tuple(int(i) for i in np.argwhere(~good)[0])
    allowed = "" if want.error is None else f" (within {want.error[at]:.3g})"
    return f"{list(at)} is {got[at]!r}, not {want.array[at]!r}{allowed}; {int(np.sum(~good))} of {good.size} differ"


def run_batch(mlc, graphs, folder):
    """Verdicts by graph and variant: "" or what is wrong, None where the interpreter knows no such operator. No verdicts where the
    process ended early."""
    folder = pathlib.Path(folder)
    arrays = {f"{g.name}_{p.name}": p.array.astype(p.dtype) for g in graphs for p in g.parameters}
    np.savez(folder / "inputs.npz", **arrays)
    text = HEAD.format(folder=str(folder), variants=VARIANTS) + "".join(g.text() for g in graphs) + "".join(g.call() for g in graphs)
    (folder / "batch.mlc").write_text(text + "np.savez(FOLDER + '/outputs.npz', **outputs)\n")
    done = subprocess.run([mlc, "run", str(folder / "batch.mlc")], capture_output=True, text=True, timeout=900, check=False)
    if not (folder / "outputs.npz").exists():
        if len(graphs) > 1:
            return None
        return {(graphs[0].name, v): f"crashed: {done.returncode} {(done.stdout + done.stderr)[-600:]}" for v in VARIANTS}
    verdicts = {}
    for line in done.stdout.splitlines():
        if line.startswith(("ERROR ", "SKIPPED ")):
            what, name, variant, rest = line.split(" ", 3)
            verdicts[name, variant] = rest if what == "ERROR" else None
    with np.load(folder / "outputs.npz") as stored:
        outputs = {name: stored[name] for name in stored.files}
    os.unlink(folder / "outputs.npz")
    for g in graphs:
        for variant in VARIANTS:
            if (g.name, variant) not in verdicts:
                verdicts[g.name, variant] = judge(g, outputs[f"{g.name}_{variant}"])
    return verdicts


def shortened(mlc, g, seed, folder):
    """The graph up to the first call whose result is wrong."""
    for count in range(1, len(g.lines)):
        less = random_graph(seed)
        while less.tensors[-1].name != f"v{count - 1}":
            less.tensors.pop()
        del less.lines[count:]
        if any(run_batch(mlc, [less], folder).values()):
            return less
    return g


def planted(graphs):
    """Results off by one, or by a little more than what is allowed, are noticed."""
    noticed = tried = 0
    for g in graphs:
        if g.result.array.size == 0:
            continue
        got = np.array(g.result.array, g.result.dtype, order="C")
        flat = got.reshape(-1)
        if g.result.dtype in ROUNDING:
            step = max(2 * g.result.bound.reshape(-1)[0], 4 * ROUNDING[g.result.dtype] * abs(float(flat[0])), 1e-6)
            flat[0] += got.dtype.type(step)
        else:
            flat[0] = ~flat[0]
        tried += 1
        noticed += judge(g, got) != ""
    print(f"planted faults noticed: {noticed} of {tried}")
    return tried >= 50 and noticed >= 0.97 * tried


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("mlc")
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1 << 31))
    parser.add_argument("--count", type=int, default=1 << 60)
    parser.add_argument("--seconds", type=float, default=30)
    parser.add_argument("--batch", type=int, default=20)
    parser.add_argument("--one", type=int, help="the seed of one graph")
    parser.add_argument("--keep", type=pathlib.Path)
    options = parser.parse_args()
    mlc = str(pathlib.Path(options.mlc).resolve())
    start, rng = time.monotonic(), random.Random(options.seed)
    folder = options.keep or tempfile.mkdtemp(prefix="networks")
    pathlib.Path(folder).mkdir(exist_ok=True)
    counts, wrong, some = collections.Counter(), 0, []

    def settle(graphs, seeds):
        nonlocal wrong
        verdicts = run_batch(mlc, graphs, folder)
        if verdicts is None:  # one of them ends the process
            for g, seed in zip(graphs, seeds):
                settle([g], [seed])
            return
        for g, seed in zip(graphs, seeds):
            said = {variant: verdicts[g.name, variant] for variant in VARIANTS}
            counts["comparisons"] += sum(v == "" for v in said.values())
            counts["not interpreted"] += sum(v is None for v in said.values())
            if any(said.values()):
                wrong += 1
                text = shortened(mlc, g, seed, folder).text()
                print(f"seed {seed}: {({k: v for k, v in said.items() if v})}\n{text}", flush=True)

    while counts["drawn"] < options.count and time.monotonic() - start < options.seconds:
        graphs, seeds = [], []
        while len(graphs) < (1 if options.one is not None else options.batch):
            seed = rng.randrange(1 << 40) if options.one is None else options.one
            g = random_graph(seed)
            if g is not None:
                graphs.append(g)
                seeds.append(seed)
        counts["drawn"] += len(graphs)
        counts["exact"] += sum(g.result.error is None for g in graphs)
        for g in graphs:
            for name in {*g.used}:
                counts["graphs with " + name] += 1
            for name in g.drawn:
                counts["graphs with " + name] += 1
        settle(graphs, seeds)
        some = (some + graphs)[-400:]
        if options.one is not None:
            return
    if options.keep is None:
        shutil.rmtree(folder)
    for name, times in sorted(counts.items()):
        if name.startswith("graphs with"):
            print(f"  {name}: {times}")
    enough = counts["drawn"] >= 1000
    never = [name for name in OPERATORS if counts["graphs with " + name] == 0 and enough]
    print(f"seed {options.seed}")
    print(f"graphs that are exact: {counts['exact']} of {counts['drawn']}")
    print(f"comparisons without a difference: {counts['comparisons']} of {3 * counts['drawn'] - counts['not interpreted']}")
    print(f"not interpreted: {counts['not interpreted']} of {counts['drawn']}")
    good = wrong == 0 and not never and counts["exact"] >= 0.25 * counts["drawn"] and counts["not interpreted"] <= 0.2 * counts["drawn"]
    if never:
        print(f"never drawn: {', '.join(never)}")
    while len(some) < 200:
        g = random_graph(rng.randrange(1 << 40))
        some += [g] if g is not None else []
    good &= planted(some)
    print(f"{counts['comparisons'] if good else 0} passed, {0 if good else max(1, wrong)} failed")
    sys.exit(not good)


if __name__ == "__main__":
    main()
