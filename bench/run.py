# SPDX-License-Identifier: Apache-2.0
"""Measures mlc against CPython + apache-tvm in one run and prints ratios.

    python bench/run.py MLC [--cores N] [NAME]...

NAME is one of startup, cold, size, frontend, script, cache, schedule, tour, kernels, defaults, session, or a program of
this folder (arrays, graph, parallel). Programs run under both and print lines `metric seconds`; the others are
measured from outside. `--cores`: how many both sides of defaults run on, 1 unless given.
"""
import collections
import contextlib
import os
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile
import time

import session as terminal_session

HERE = pathlib.Path(__file__).resolve().parent
MODULE = '''
@I.ir_module
class Module{n}:
    @T.prim_func(s_tir=True)
    def matmul(A: T.Buffer((1024, 1024), "float32"), B: T.Buffer((1024, 1024), "float32"), C: T.Buffer((1024, 1024), "float32")):
        T.func_attr({{"tirx.noalias": True}})
        # with T.sblock("root"):
        for i_0, j_0 in T.grid(32, 32):
            for i_1_init, j_1_init in T.grid(32, 32):
                with T.sblock("C_init"):
                    vi = T.axis.spatial(1024, i_0 * 32 + i_1_init)
                    vj = T.axis.spatial(1024, j_0 * 32 + j_1_init)
                    T.reads()
                    T.writes(C[vi, vj])
                    C[vi, vj] = T.float32(0.0)
            for k_0, i_1, k_1, j_1 in T.grid(256, 32, 4, 32):
                with T.sblock("C_update"):
                    vi = T.axis.spatial(1024, i_0 * 32 + i_1)
                    vj = T.axis.spatial(1024, j_0 * 32 + j_1)
                    vk = T.axis.reduce(1024, k_0 * 4 + k_1)
                    T.reads(C[vi, vj], A[vi, vk], B[vk, vj])
                    T.writes(C[vi, vj])
                    C[vi, vj] = C[vi, vj] + A[vi, vk] * B[vk, vj]
'''
HEADER = "from tvm.script import ir as I\nfrom tvm.script import tirx as T\n"


def wall(command, repeat=9):
    def once():
        start = time.perf_counter()
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        return time.perf_counter() - start

    return min(once() for _ in range(repeat))


def row(name, ours, theirs, unit="s"):
    ratio = f"{ours / theirs:.3f}" if theirs else "-"
    show = lambda x: "-" if x is None else f"{x:.6f} {unit}" if unit == "s" else f"{x:.1f} {unit}"
    print(f"{name:<28} mlc {show(ours):>16}   peer {show(theirs):>15}   ratio {ratio}", flush=True)


def write(folder, name, text):
    path = pathlib.Path(folder, name)
    path.write_text(text)
    return str(path)


def startup(mlc, folder):
    three = write(folder, "three.mlc", "a = 20\nb = 22\nprint(a + b)\n")
    row("startup", wall([mlc, "run", three]), wall([sys.executable, "-c", "import tvm"], 5))


def cold(mlc, folder):
    """The first parse of a process, which builds ANTLR's tables: running one module against starting for nothing."""
    one = write(folder, "one.mlc", HEADER + MODULE.format(n=0))
    row("first parse and build", wall([mlc, "run", one], 15) - wall([mlc, "--version"], 15), None)


def size(mlc, folder):
    """The program with every library it loads that a Debian base system does not have."""
    program = pathlib.Path(mlc).resolve()
    libraries = subprocess.run(["ldd", program], capture_output=True, text=True, check=True).stdout
    files = {program}
    for line in libraries.splitlines():
        if "=>" in line and "/" in line:
            files.add(pathlib.Path(line.split("=>")[1].split("(")[0].strip()).resolve())
    base = ("libc.so", "libm.so", "libstdc++", "libgcc_s", "libpthread", "ld-linux", "libdl", "librt")
    ours = sum(f.stat().st_size for f in files if not f.name.startswith(base))
    packages = pathlib.Path(subprocess.run([sys.executable, "-c", "import tvm; print(tvm.__file__)"], capture_output=True,
                                           text=True, check=True).stdout.strip()).parent
    theirs = sum(f.stat().st_size for f in packages.rglob("*") if f.is_file())
    row("installed size", ours / 1e6, theirs / 1e6, "MB")
    for f in sorted(files, key=lambda f: -f.stat().st_size):
        if not f.name.startswith(base):
            print(f"{'':<28} {f.stat().st_size / 1e6:8.1f} MB {f.name}")


FUNCTION = """    @T.prim_func(s_tir=True)
    def f{n}(A: T.Buffer((1024, 1024), "float32"), B: T.Buffer((1024, 1024), "float32")):
        for i, j in T.grid(1024, 1024):
            with T.sblock("B"):
                vi, vj = T.axis.remap("SS", [i, j])
                B[vi, vj] = A[vi, vj] * T.float32(2.0) + T.float32({n})
"""
STATEMENT = "            B[{n} % 1024, i] = A[i, {n} % 1024] * T.float32({n}) + B[i, {n} % 512]\n"


def peak(command):
    """Megabytes at the most, and seconds."""
    start = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    assert status == 0, command
    return usage.ru_maxrss / 1024, time.perf_counter() - start


def growth(mlc, folder, name, head, unit, tail=""):
    """Cost of one text of 1 to 10 MB: linear when the last figure of a line is near the first's."""
    base, start = peak([mlc, "run", write(folder, "none.mlc", HEADER)])
    for size in (1, 2, 5, 10):
        text = HEADER + head
        parts = []
        length = len(text)
        while length < size * 1_000_000:
            parts.append(unit.format(n=len(parts)))
            length += len(parts[-1])
        text += "".join(parts) + tail
        memory, took = peak([mlc, "run", write(folder, "grown.mlc", text)])
        millions = len(text) / 1e6
        print(f"{name + f' of {size} MB':<28} mlc {millions / (took - start):6.2f} MB/s {(memory - base) / millions * 1.048576:8.0f} "
              "bytes of memory per byte", flush=True)


def frontend(mlc, folder, most=250):
    """Parsing and printing of the corpus that `./dev oracle --corpus` makes (a few of it when there is none)."""
    corpus = HERE.parent / ".cache" / "corpus"
    if not any(corpus.glob("*.mlc")):
        generator = HERE.parent / "tests" / "corpus" / "generate.py"
        subprocess.run([sys.executable, str(generator), str(corpus), "--limit", str(most)], check=True, stdout=subprocess.DEVNULL)
    files = sorted(corpus.glob("*.mlc"))
    files = files[:: max(1, len(files) // most)]
    names = write(folder, "names.txt", "".join(f"{f}\n" for f in files))
    copy = write(folder, "frontend.py", (HERE / "frontend.mlc").read_text())

    def figures(command):
        lines = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()
        rows = [line.split() for line in lines if line.startswith("file ")]
        return {r[1]: (float(r[2]), float(r[3]), int(r[4])) for r in rows}

    ours = figures([mlc, "run", str(HERE / "frontend.mlc"), names, "5"])
    theirs = figures([sys.executable, copy, names, "1"])
    both = ours.keys() & theirs.keys()
    print(f"# {len(both)} of {len(files)} texts, {sum(ours[k][2] for k in both) / 1e6:.2f} MB, from {corpus}")
    for index, metric in enumerate(("parse", "print")):
        total = [sum(side[k][index] for k in both) for side in (ours, theirs)]
        row(f"corpus: {metric}", *total)
        print(f"{'':<28} mlc is {total[1] / total[0]:.1f} times as fast")
    growth(mlc, folder, "functions", "\n@I.ir_module\nclass Module:\n", FUNCTION)
    growth(mlc, folder, "statements", "\n@T.prim_func(s_tir=True)\ndef f(A: T.Buffer((1024, 1024), \"float32\"), "
           "B: T.Buffer((1024, 1024), \"float32\")):\n    for i in range(1024):\n", STATEMENT.replace(" " * 12, " " * 8))


def script(mlc, folder):
    """Programs that keep the interpreter busy, under mlc and CPython, from the start of the process."""
    product, count = 1.0, 0
    for path in sorted((HERE / "script").glob("*.mlc")):
        outputs = [subprocess.run([*command, str(path)], capture_output=True, text=True, check=True).stdout
                   for command in ([mlc, "run"], [sys.executable])]
        assert outputs[0] == outputs[1], f"{path} prints something else under CPython"
        # In turns, and the fastest of each: what else the machine does only ever adds.
        ours, theirs = (min(times) for times in zip(*(
            (wall([mlc, "run", str(path)], 1), wall([sys.executable, str(path)], 1)) for _ in range(15))))
        row(f"script: {path.stem}", ours, theirs)
        product, count = product * ours / theirs, count + 1
    print(f"{'':<28} geometric mean of the ratios {product ** (1 / count):.3f}")


TIMED = """
import time


def step(number, name, act):
    start = time.perf_counter()
    try:
        act()
    except Exception:
        return
    print("=", name, time.perf_counter() - start)


"""


def cache(mlc, folder):
    """The second `mlc build` of a program, against the first one and against the start of a process."""
    os.environ["MLC_CACHE_DIR"] = str(pathlib.Path(folder) / "cache")
    command = [mlc, "build", str(HERE.parent / "examples" / "matmul.mlc"), "-o", str(pathlib.Path(folder) / "matmul.so")]
    empty = write(folder, "empty.mlc", "x = 1\n")
    fresh, _, again, start = (wall(c) for c in ([*command, "--no-cache"], command, command, [mlc, "run", str(empty)]))
    row("cached build / fresh build", again, fresh)
    row("cached build / empty program", again, start)


def schedule(mlc, folder, sequences=300, shown=8):
    """Primitives of one schedule, then those of the random sequences that `tests/fuzz` compares with TVM: the slowest."""
    program(mlc, "schedule", folder)
    sys.path.insert(0, str(HERE.parent / "tests" / "fuzz"))
    import schedule_sequences

    def figures(command):
        lines = subprocess.run(command, capture_output=True, text=True, check=False).stdout.splitlines()
        return [(line.split()[1], float(line.split()[2])) for line in lines if line.startswith("= ")]

    taken = collections.defaultdict(lambda: ([], []))
    for first in range(0, sequences, 30):
        text = schedule_sequences.HEAD
        for seed in range(first, min(first + 30, sequences)):
            body = schedule_sequences.program(seed)[1].split(schedule_sequences.HEAD, 1)[1].split(schedule_sequences.END)[0]
            if "tensorize(blk" in body:  # registers its intrinsics, which can be done once
                continue
            text += body.replace("def step(", "def silent_step(").replace("\nstep(0,", TIMED + "\nstep(0,", 1)
        path = write(folder, "sequences.py", text)
        for side, command in enumerate(([mlc, "run", path], [sys.executable, path])):
            for name, seconds in figures(command):
                taken[name][side].append(seconds)
    both = {name: sides for name, sides in taken.items() if all(sides)}
    medians = {name: [statistics.median(side) for side in sides] for name, sides in both.items()}
    for name in sorted(medians, key=lambda name: -medians[name][0])[:shown]:
        row(f"random: {name}", *medians[name])
    print(f"{'':<28} {sum(len(sides[0]) for sides in both.values())} accepted steps; the slowest {shown} of {len(both)} by "
          f"their median; mlc's slowest step {max(max(sides[0]) for sides in both.values()) * 1e3:.1f} ms, "
          f"the peer's {max(max(sides[1]) for sides in both.values()) * 1e3:.1f} ms")


BLAS = """
import time

import numpy as np

a, b = (np.random.rand(1024, 1024).astype("float32") for _ in range(2))
c = np.zeros_like(a)
best = 1e9
for _ in range(20):
    start = time.perf_counter()
    np.matmul(a, b, out=c)
    best = min(best, time.perf_counter() - start)
print("# blas", best * 1e3, "ms", 2 * 1024**3 / best / 1e9, "GFLOP/s")
"""


def tour(mlc, folder, turns=7):
    """The timed steps of examples/tour against NumPy's BLAS, in turns: on one core, or on all where a step takes them."""
    blas = write(folder, "blas.py", BLAS)
    texts = {path: path.read_text() for path in sorted((HERE.parent / "examples" / "tour").glob("*.mlc"))}
    steps = {path: ".parallel(" in text for path, text in texts.items() if "GFLOP/s" in text}
    everywhere = os.sched_getaffinity(0)
    fastest = collections.defaultdict(float)

    def run(name, command, on_all):
        os.sched_setaffinity(0, everywhere if on_all else {max(everywhere)})
        threads = str(len(everywhere) if on_all else 1)
        environment = {**os.environ, "OPENBLAS_NUM_THREADS": threads, "TVM_NUM_THREADS": threads}
        shown = subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout
        # The last figure is that of the step, those above it of the steps before.
        speed = float(re.findall(r"([\d.]+) GFLOP/s", shown)[-1])
        fastest[name] = max(fastest[name], speed)

    try:
        for _ in range(turns):
            for on_all in sorted(set(steps.values())):
                run(on_all, [sys.executable, blas], on_all)
            for path, on_all in steps.items():
                run(path, [mlc, "run", str(path)], on_all)
    finally:
        os.sched_setaffinity(0, everywhere)
    for path, on_all in steps.items():
        seconds = [2 * 1024**3 / (fastest[name] * 1e9) for name in (path, on_all)]
        row(f"tour: {path.stem}", *seconds)
        print(f"{'':<28} {fastest[path] / fastest[on_all]:.3f} of the speed of BLAS, {fastest[path]:.2f} GFLOP/s"
              f"{', all cores' if on_all else ''}", flush=True)


CORES = 1  # that both sides run on, where they can run on several


@contextlib.contextmanager
def on_cores():
    """Programs started below run on CORES cores, whatever library they ask."""
    everywhere = os.sched_getaffinity(0)
    os.environ.update(dict.fromkeys(("TVM_NUM_THREADS", "OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS"), str(CORES)))
    os.sched_setaffinity(0, set(sorted(everywhere)[-CORES:]))
    try:
        yield
    finally:
        os.sched_setaffinity(0, everywhere)


def both_sides(mlc, folder, name):
    """A program of this folder under mlc and under CPython, which wants another name of the file."""
    path = HERE / f"{name}.mlc"
    return [mlc, "run", str(path)], [sys.executable, write(folder, f"{name}.py", path.read_text())]


def in_turns(commands, turns, figures=1, all_cores=False):
    """The least of each figure that programs print behind names, one {name: [figure, ...]} for each command."""
    best = [{} for _ in commands]
    with contextlib.nullcontext() if all_cores else on_cores():
        for _ in range(turns):
            for side, command in zip(best, commands):
                shown = subprocess.run(command, capture_output=True, text=True, check=True).stdout
                for name, *rest in (line.split() for line in shown.splitlines() if not line.startswith("#")):
                    seconds = [float(each) for each in rest[:figures]]
                    side[name] = [min(pair) for pair in zip(seconds, side.get(name, seconds))]
    return best


def defaults(mlc, folder, turns=2):
    """Layers that nobody has scheduled against NumPy or ONNX Runtime, whichever is faster, in turns on one core; those
    of sizes known only when they run against the same of known size."""
    sides = in_turns([[mlc, "run", str(HERE / "defaults.mlc")], [sys.executable, str(HERE / "defaults_peer.py")]], turns)
    best = [{name: seconds for name, (seconds,) in side.items()} for side in sides]
    ratios = []
    for name, ours in best[0].items():
        known = name.replace("symbolic_", "known_")
        theirs = best[0][known] if known != name else best[1].get(name)
        row(f"defaults: {name}", ours, theirs)
        if theirs is not None:
            ratios.append(theirs / ours)
    print(f"{'':<28} {statistics.geometric_mean(ratios):.3f} of the speed of the peers (geometric mean), {min(ratios):.3f} at the least")


def kernels(mlc, folder, turns=3):
    """The kernels of kernels.mlc under both, in turns on one core: speed and compile time."""
    best = in_turns(both_sides(mlc, folder, "kernels"), turns, figures=2)
    for index, metric in ((1, "run"), (0, "compile")):
        ratios = [best[0][name][index] / best[1][name][index] for name in best[0]]
        for name in best[0]:
            row(f"kernels: {name} {metric}", best[0][name][index], best[1][name][index])
        mean = statistics.geometric_mean(ratios)
        print(f"{'':<28} {metric}: mlc is {1 / mean:.3f} times as fast (geometric mean), {1 / max(ratios):.3f} at the least")


def session(mlc, folder):
    for name, seconds in terminal_session.figures(mlc, folder):
        row(f"session: {name}", seconds, None)


def program(mlc, name, folder):
    ours, theirs = in_turns(both_sides(mlc, folder, name), 1, all_cores=True)
    for metric, (seconds,) in ours.items():
        row(f"{name}: {metric}", seconds, *theirs.get(metric, [None]))


def main():
    global CORES
    mlc, *names = sys.argv[1:]
    if names[:1] == ["--cores"]:
        CORES = int(names[1])
        names = names[2:]
    outside = {each.__name__: each for each in (startup, cold, size, frontend, script, cache, schedule, tour, kernels,
                                                defaults, session)}
    programs = sorted(p.stem for p in HERE.glob("*.mlc") if p.stem not in {*outside, "layers"})
    with tempfile.TemporaryDirectory() as folder:
        for name in names or [*outside, *programs]:
            if name in outside:
                outside[name](mlc, folder)
            else:
                program(mlc, name, folder)


if __name__ == "__main__":
    main()
