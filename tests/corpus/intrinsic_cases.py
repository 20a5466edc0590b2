# SPDX-License-Identifier: Apache-2.0
"""Every tensor intrinsic that the wheel registers: what it describes, what it becomes.

There is no list of their names to ask for: they are read off the registrations, so this module has to be
imported before anything that imports `tvm.s_tir.tensor_intrin`."""
import sys

from tvm.s_tir import TensorIntrin

assert "tvm.s_tir.tensor_intrin" not in sys.modules, "imported too late to see the registrations"
registered = []
register = TensorIntrin.register


def record(name, desc, impl, override=False):
    registered.append((name, desc, impl))
    return register(name, desc, impl, override)


TensorIntrin.register = staticmethod(record)
import tvm.s_tir.tensor_intrin  # noqa: E402

TensorIntrin.register = staticmethod(register)


def cases():
    for name, desc, impl in registered:
        yield f"intrinsic/{name}/desc", lambda f=desc: f
        yield f"intrinsic/{name}/impl", lambda f=impl: f
