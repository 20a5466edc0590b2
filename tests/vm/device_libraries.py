# SPDX-License-Identifier: Apache-2.0
"""Libraries with kernels in them, as mlc and TVM write them: who imports whom, and what is known of each kernel.

    python tests/vm/device_libraries.py MLC

The texts of the kernels are each writer's own, so only their names, types and launches are compared.
"""
import ctypes
import os
import re
import struct
import subprocess
import sys
import tempfile

import tvm_ffi

# What the libraries ask of tvm-ffi when they are opened.
ctypes.CDLL(tvm_ffi.libinfo.find_libtvm_ffi(), ctypes.RTLD_GLOBAL)

PROGRAM = '''
import tvm
from tvm.script import ir as I, tirx as T


@I.ir_module
class Kernels:
    @T.prim_func(s_tir=True)
    def first(A: T.Buffer((64,), "float32"), n: T.int32, C: T.Buffer((64,), "float16")):
        B = T.alloc_buffer((64,), "float32")
        for i in T.thread_binding(64, thread="threadIdx.x"):
            with T.sblock("b"):
                v = T.axis.spatial(64, i)
                B[v] = A[v] + T.float32(n)
        for i in T.thread_binding(8, thread="blockIdx.x"):
            for j in T.thread_binding(8, thread="threadIdx.y"):
                with T.sblock("c"):
                    v = T.axis.spatial(64, i * 8 + j)
                    C[v] = T.Cast("float16", B[63 - v])

    @T.prim_func(s_tir=True)
    def second(a: T.handle, x: T.float32, s: T.int8):
        m = T.int64()
        A = T.match_buffer(a, (m,), "bfloat16")
        for i in T.thread_binding(m, thread="blockIdx.x"):
            with T.sblock("a"):
                v = T.axis.spatial(m, i)
                A[v] = T.Cast("bfloat16", x * T.Cast("float32", s))


@I.ir_module
class Dynamic:
    @T.prim_func(s_tir=True)
    def main(A: T.Buffer((8, 32), "float32"), B: T.Buffer((8, 32), "float32")):
        S = T.sblock_alloc_buffer((8, 32), "float32", scope="shared.dyn")
        for i in T.thread_binding(8, thread="blockIdx.x"):
            for j in T.thread_binding(32, thread="threadIdx.x"):
                with T.sblock("in"):
                    vi, vj = T.axis.remap("SS", [i, j])
                    S[vi, vj] = A[vi, vj]
            for j in T.thread_binding(32, thread="threadIdx.x"):
                with T.sblock("out"):
                    vi, vj = T.axis.remap("SS", [i, j])
                    B[vi, vj] = S[vi, 31 - vj]


def write(module, target, path):
    tvm.compile(module, target=tvm.target.Target(target, host="llvm")).export_library(path)


import os
folder = os.environ["LIBRARIES"]
write(Kernels, "opencl", folder + "/opencl.so")
write(Kernels, {"kind": "cuda", "arch": "sm_80"}, folder + "/cuda.so")
write(Dynamic, {"kind": "cuda", "arch": "sm_80"}, folder + "/dynamic.so")
'''


class Reader:
    def __init__(self, data):
        self.data, self.at = data, 0

    def take(self, count):
        assert self.at + count <= len(self.data), "the bytes end too early"
        self.at += count
        return self.data[self.at - count : self.at]

    def number(self):
        return struct.unpack("<Q", self.take(8))[0]

    def text(self):
        return self.take(self.number())


def kernels_of(data):
    """(kernels, the code) of a module of kernels; its format is each writer's own for CUDA."""
    reader = Reader(data)
    reader.text()
    kernels = {}
    for _ in range(reader.number()):
        key, name = reader.text(), reader.text()
        types = [reader.take(4) for _ in range(reader.number())]
        tags = [reader.text() for _ in range(reader.number())]
        extra = [reader.take(4) for _ in range(reader.number())]
        kernels[key] = (name, types, tags, extra)
    code = reader.text()
    assert reader.at == len(data), "something follows the code"
    return kernels, code


def modules_of(library):
    """What stands under tvm-ffi's symbol: the tree of modules, and each with its bytes."""
    symbol = ctypes.c_char.in_dll(ctypes.CDLL(library), "__tvm_ffi__library_bin")
    size = struct.unpack("<Q", ctypes.string_at(ctypes.addressof(symbol), 8))[0]
    reader = Reader(ctypes.string_at(ctypes.addressof(symbol) + 8, size))
    starts = [reader.number() for _ in range(reader.number())]
    children = [reader.number() for _ in range(reader.number())]
    modules = []
    while reader.at < size:
        kind = reader.text().decode()
        modules.append((kind, None if kind == "_lib" else kernels_of(reader.text())))
    return starts, children, modules


def main():
    mlc = sys.argv[1]
    passed = failed = 0
    with tempfile.TemporaryDirectory() as work:
        program = os.path.join(work, "program.py")
        with open(program, "w") as file:
            file.write(PROGRAM)
        for name, command in (("mlc", [mlc, "run"]), ("tvm", [sys.executable, "-W", "ignore"])):
            os.mkdir(os.path.join(work, name))
            path = program if name == "tvm" else program.replace(".py", ".mlc")
            with open(path, "w") as file:
                file.write(PROGRAM)
            environment = {**os.environ, "LIBRARIES": os.path.join(work, name)}
            done = subprocess.run(command + [path], env=environment, capture_output=True, text=True)
            if done.returncode != 0 and re.search("neither NVRTC nor nvcc", done.stderr):
                print("SKIPPED device libraries: no compiler for CUDA")
            elif done.returncode != 0:
                print(f"FAILED {name}: {done.stderr[-600:]}")
                failed += 1
        for library in ("opencl.so", "cuda.so", "dynamic.so"):
            paths = [os.path.join(work, name, library) for name in ("mlc", "tvm")]
            if not all(os.path.exists(path) for path in paths):
                continue
            ours, theirs = map(modules_of, paths)
            same = ours[:2] == theirs[:2] and [kind for kind, _ in ours[2]] == [kind for kind, _ in theirs[2]]
            for (kind, own), (_, other) in zip(ours[2], theirs[2]):
                same = same and (own is None) == (other is None) and (own is None or own[0] == other[0])
            if same:
                passed += 1
            else:
                failed += 1
                print(f"FAILED {library}:\n  mlc {ours}\n  TVM {theirs}")
    print(f"{passed} passed, {failed} failed")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
