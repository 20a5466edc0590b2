# SPDX-License-Identifier: Apache-2.0
"""Measures mlc against CPython + apache-tvm in one run and prints ratios.

    python bench/run.py MLC [NAME]...

NAME is one of startup, cold, big, size, or a program of this folder (parse_print, matmul). Programs run under
both and print lines `metric seconds`; the others are measured from outside.
"""
import pathlib
import subprocess
import sys
import tempfile
import time

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
    best = None
    for _ in range(repeat):
        start = time.perf_counter()
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        took = time.perf_counter() - start
        best = took if best is None else min(best, took)
    return best


def row(name, ours, theirs, unit="s"):
    ratio = f"{ours / theirs:.3f}" if theirs else "-"
    show = lambda x: "-" if x is None else f"{x:.6f} {unit}" if unit == "s" else f"{x:.1f} {unit}"
    print(f"{name:<28} mlc {show(ours):>16}   tvm {show(theirs):>16}   ratio {ratio}", flush=True)


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


def big(mlc, folder):
    text = HEADER
    n = 0
    while len(text) < 1_000_000:
        text += MODULE.format(n=n)
        n += 1
    path = write(folder, "big.mlc", text)
    python = write(folder, "big.py", "import tvm\n" + text[: len(text) // 10].rsplit("\n@I", 1)[0])
    base = write(folder, "base.py", "import tvm\n")
    ours = wall([mlc, "run", path], 3)
    theirs = wall([sys.executable, python], 1) - wall([sys.executable, base], 2)
    row(f"{len(text) / 1e6:.2f} MB of modules", ours, theirs * 10)
    print(f"{'':<28} mlc {len(text) / 1e6 / ours:.2f} MB/s (a tenth of the file was run under tvm)")


def size(mlc, folder):
    """The program with every library it loads that a Debian base system does not have."""
    libraries = subprocess.run(["ldd", mlc], capture_output=True, text=True, check=True).stdout
    files = {pathlib.Path(mlc).resolve()}
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


def program(mlc, name, folder):
    path = HERE / f"{name}.mlc"
    copy = write(folder, f"{name}.py", path.read_text())

    def metrics(command):
        lines = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()
        return {l.split()[0]: float(l.split()[1]) for l in lines if l and not l.startswith("#")}

    theirs = metrics([sys.executable, copy])
    ours = metrics([mlc, "run", str(path)])
    for metric, seconds in ours.items():
        row(f"{name}: {metric}", seconds, theirs.get(metric))


def main():
    mlc, *names = sys.argv[1:]
    outside = {"startup": startup, "cold": cold, "big": big, "size": size}
    programs = sorted(p.stem for p in HERE.glob("*.mlc"))
    with tempfile.TemporaryDirectory() as folder:
        for name in names or [*outside, *programs]:
            if name in outside:
                outside[name](mlc, folder)
            else:
                program(mlc, name, folder)


if __name__ == "__main__":
    main()
