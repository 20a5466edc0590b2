# SPDX-License-Identifier: Apache-2.0
"""Whole notebooks through nbclient."""
import pathlib
import re
import subprocess

import nbformat
from nbclient import NotebookClient

SEEDS = pathlib.Path(__file__).resolve().parent.parent / "seeds"

# Each ends in one value at most: a session shows those of all statements.
CELLS = [
    "%matplotlib inline\nimport tvm\nimport numpy as np\nfrom tvm.script import ir as I, tirx as T",
    """@I.ir_module
class Scale:
    @T.prim_func(s_tir=True)
    def main(A: T.Buffer((8, 8), "float32"), B: T.Buffer((8, 8), "float32")):
        for i, j in T.grid(8, 8):
            with T.sblock("scale"):
                vi, vj = T.axis.remap("SS", [i, j])
                B[vi, vj] = A[vi, vj] * T.float32(3)
""",
    "Scale",
    "sch = tvm.s_tir.Schedule(Scale)\ni, j = sch.get_loops('scale')\nj0, j1 = sch.split(j, [None, 4])\nprint(len(sch.trace.insts))",
    ":diff",
    "sch.split(i, [3, 3])",
    "sch.vectorize(j1)\nsch.mod",
    ":steps",
    "lib = tvm.compile(sch.mod, target='llvm')\na = np.arange(64, dtype='float32').reshape(8, 8)\n"
    "b = tvm.runtime.tensor(np.zeros((8, 8), 'float32'))\nlib['main'](tvm.runtime.tensor(a), b)\nb",
    "for n in range(3):\n    print(n, 'é')\n",
    ":undo 2\n:steps",
    "nosuch(1)",
    "?sch.split",
    "{'a': [1, 2.5, None], 'b': (1,)}",
]


def execute(cells):
    """The notebook of these cells with its outputs."""
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(each) for each in cells])
    notebook.metadata.kernelspec = {"name": "mlc", "display_name": "mlc"}
    NotebookClient(notebook, timeout=300, kernel_name="mlc", allow_errors=True).execute()
    nbformat.validate(notebook)
    return notebook


def text_of(cell):
    text = ""
    for output in cell.outputs:
        if output.output_type == "stream" and output.name == "stdout":
            text += output.text
        elif output.output_type == "execute_result":
            text += output.data["text/plain"] + "\n"
        elif output.output_type == "error":
            text += "\n".join(output.traceback) + "\n"
    return text


def cells_of_golden(path):
    """(code, lines printed, is refused) of each group of statements that shows something."""
    code, shown, refused, lines = [], [], False, path.read_text().splitlines()
    for line in [*lines, ""]:
        expectation = line.startswith(("#|", "#!"))
        if not expectation and (shown or refused):
            yield "\n".join(code), shown, refused
            code, shown, refused = [], [], False
        if line.startswith("#|"):
            shown.append(line[3:])
        elif line.startswith("#!"):
            refused = True
        else:
            code.append(line)
    if any(line.strip() for line in code):
        yield "\n".join(code), [], False


def compare_with_golden(path):
    wanted = list(cells_of_golden(path))
    notebook = execute([code for code, _, _ in wanted])
    for (code, shown, refused), cell in zip(wanted, notebook.cells):
        errors = [each for each in cell.outputs if each.output_type == "error"]
        assert bool(errors) == refused, f"{path.name}: {code}\n{errors}"
        if not refused:
            got = [line.rstrip() for line in text_of(cell).splitlines()]
            assert got == [line.rstrip() for line in shown], f"{path.name}: {code}\n{got}\n{shown}"
    return len(wanted)


def compare_with_session(mlc):
    notebook = execute(CELLS)
    got = "".join(text_of(cell) for cell in notebook.cells)
    typed = "\n".join(cell for cell in CELLS).replace("%matplotlib inline\n", "") + "\n"
    wanted = subprocess.run([mlc, "repl"], input=typed, capture_output=True, text=True, check=False).stdout

    def comparable(text):  # inputs are counted differently, and take another time
        return re.sub(r"\d+(\.\d+)? [mu]?s\b", "TIME", re.sub(r"<(repl|cell)>\[\d+\]:\d+:", "<input>:", text))

    assert comparable(got) == comparable(wanted), f"{comparable(got)}\n-- the session --\n{comparable(wanted)}"
    assert len(wanted) > 2000, wanted
