# SPDX-License-Identifier: Apache-2.0
"""What the Jupyter project asks of every kernel: its own suite, which also holds each message against a schema."""
import jupyter_kernel_test

PLOT = """import tvm
from tvm.script import ir as I, tirx as T

@I.ir_module
class Mod:
    @T.prim_func(s_tir=True)
    def main(A: T.Buffer((16,), "float32")):
        for i in range(16):
            with T.sblock("one"):
                vi = T.axis.spatial(16, i)
                A[vi] = T.float32(1)

:plot nest"""


class Conformance(jupyter_kernel_test.KernelTests):
    kernel_name = "mlc"
    language_name = "mlc"
    file_extension = ".mlc"
    code_hello_world = "print('hello, world')"
    code_stderr = "import sys\nprint('wrong', file=sys.stderr)"
    completion_samples = [{"text": "zi", "matches": {"zip"}}]
    complete_code_samples = ["1", "print('x')", "def f(x):\n  return x * 2\n\n\n", ":steps"]
    incomplete_code_samples = ["print('''hello", "def f(x):\n  x * 2", "f(1,"]
    invalid_code_samples = ["import = 7q"]
    code_generate_error = "raise ValueError('x')"
    code_execute_result = [{"code": "6*7", "result": "42"}, {"code": "1+2", "result": "3"}]
    code_display_data = [{"code": PLOT, "mime": "image/svg+xml"}]
    code_inspect_sample = "print"
    code_history_pattern = "1?2*"
    supported_history_operations = ("tail", "range", "search")
