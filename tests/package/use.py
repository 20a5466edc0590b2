# SPDX-License-Identifier: Apache-2.0
"""use.py PROGRAM: the module `mlc`, as a program of Python uses it."""
import sys

import mlc
import numpy as np
import tvm_ffi


def twice(module):
    a, b = np.array([1, 2, 3], "float32"), np.zeros(3, "float32")
    module["twice"](tvm_ffi.from_dlpack(a), tvm_ffi.from_dlpack(b))
    return b


print(twice(mlc.build(sys.argv[1])))
with open(sys.argv[1], encoding="utf-8") as file:
    print(twice(mlc.build(file.read(), target="llvm", output="kept.so")))
print(mlc.run(sys.argv[1]).strip())
try:
    mlc.run("x = (\ny = 1\n")
except mlc.Error as error:
    print(error.exit_code, str(error).split(":")[0])
