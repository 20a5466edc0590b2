#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Compiled graphs between mlc and TVM: each loads and runs what the other has written.

    python3 tests/vm/exchange.py MLC

Needs CPython with apache-tvm (`./dev oracle` installs it). The module has symbolic sizes, a branch, a tuple and a
constant.
"""
import os
import subprocess
import sys
import tempfile

here = os.path.dirname(os.path.abspath(__file__))
mlc = os.path.abspath(sys.argv[1])
PROGRAM = open(os.path.join(here, "exchange_model.txt"), encoding="utf-8").read()
INPUTS = """
x = np.arange(12, dtype="float32").reshape(3, 4) - 5
w = np.linspace(-1, 1, 20, dtype="float32").reshape(4, 5)
"""
RUN = """
vm = relax.VirtualMachine(tvm.runtime.load_module(path), tvm.cpu())
y, (flat, shape) = vm["main"](tvm.runtime.tensor(x), tvm.runtime.tensor(w))
print([round(float(v), 4) for v in y.numpy().flatten()], y.numpy().shape, [round(float(v), 3) for v in flat.numpy()])
print([int(d) for d in shape])
for flag in (True, False):
    got = vm["pick"](tvm.runtime.tensor(x), tvm.runtime.tensor(np.array(flag)))
    print([round(float(v), 3) for v in got.numpy().flatten()])
try:
    vm["main"](tvm.runtime.tensor(x), tvm.runtime.tensor(x))
    print("accepted")
except Exception as error:
    print("refused", type(error).__name__)
"""
HEAD = """
import numpy as np
import tvm
from tvm import relax
from tvm.script import ir as I, relax as R, tirx as T
"""


def by_mlc(text, folder):
    path = os.path.join(folder, "program.mlc")
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    done = subprocess.run([mlc, "run", path], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"mlc run failed:\n{done.stdout}{done.stderr}")
    return done.stdout


def by_tvm(text, folder):
    path = os.path.join(folder, "program.py")
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    done = subprocess.run([sys.executable, "-W", "ignore", path], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"CPython with TVM failed:\n{done.stdout}{done.stderr[-3000:]}")
    return done.stdout


def main():
    failed = passed = 0
    with tempfile.TemporaryDirectory() as folder:
        for name, write in (("mlc", by_mlc), ("tvm", by_tvm)):
            for mode, ending in (("bytecode", ".so"), ("bytecode", ".tar"), ("compiled", ".so")):
                library = os.path.join(folder, f"{mode}_by_{name}{ending}")
                save = f'{HEAD}{PROGRAM}\nrelax.build(Model, "llvm", exec_mode="{mode}").export_library("{library}")\n'
                write(save, folder)
                texts = []
                for run in (by_mlc, by_tvm):
                    own = os.path.join(folder, f"{mode}_{name}_{run.__name__}{ending}")
                    with open(library, "rb") as source, open(own, "wb") as copy:
                        copy.write(source.read())
                    texts.append(run(f'{HEAD}{INPUTS}\npath = "{own}"\n{RUN}', folder))
                if texts[0] == texts[1] and texts[0].count("\n") == 5 and "refused" in texts[0]:
                    passed += 1
                else:
                    failed += 1
                    print(f"FAILED {os.path.basename(library)}, written by {name}:\n  in mlc\n{texts[0]}  in TVM\n{texts[1]}")
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


sys.exit(main())
