#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The language server as an editor meets it.

    python3 tests/lsp/run.py MLC [NAME]...

Every function below that begins with `test_` is a session of its own. All answers are read by lsprotocol, which knows
the specification (client.py); where it is missing that is said, and fails unless ALLOW_UNTYPED is set.
"""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time
import traceback

import client
from client import Client, Failed, edited, place_of

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
URI = "file:///tmp/program.mlc"
MM_RELU = (ROOT / "examples/mm_relu.mlc").read_text()
HEAD = "import tvm\nfrom tvm.script import tirx as T\n\n\n"
KERNEL = HEAD + '''N = 64


@T.prim_func(s_tir=True)
def scale(A: T.Buffer((N, N), "float32"), B: T.Buffer((N, N), "float32")):
    for i, j in T.grid(N, N):
        with T.sblock("B"):
            vi, vj = T.axis.remap("SS", [i, j])
            B[vi, vj] = A[vi, vj] * T.float32(2)


sch = tvm.s_tir.Schedule(scale)
block = sch.get_sblock("B", "main")
i, j = sch.get_loops(block)
sch.split(i, factors=[None, 8])
sch.vectorize(j)
'''


class Session(Client):
    """A document that is open, and questions about it."""

    def __init__(self, program, text):
        super().__init__(program)
        self.start()
        self.text = text
        self.version = 1
        self.open(URI, text)

    def found(self):
        return self.wait_diagnostics(URI, self.version)

    def codes(self):
        return [each["code"] for each in self.found()]

    def type(self, needle, inserted, occurrence=0, inside=0, remove=0):
        """An incremental edit at the n-th `needle`."""
        line, character = place_of(self.text, needle, occurrence, inside)
        span = {"start": {"line": line, "character": character}, "end": {"line": line, "character": character + remove}}
        self.version += 1
        self.change(URI, self.version, [{"range": span, "text": inserted}])
        self.text = edited(self.text, [{"range": span, "newText": inserted}])

    def ask(self, what, needle, occurrence=0, inside=0, **more):
        return self.request("textDocument/" + what, self.at(URI, place_of(self.text, needle, occurrence, inside), **more))

    def all(self, what, **more):
        whole = {"start": {"line": 0, "character": 0}, "end": {"line": 100000, "character": 0}}
        return self.request("textDocument/" + what, {"textDocument": {"uri": URI}, "range": whole, **more})

    def hover(self, *where):
        answer = self.ask("hover", *where)
        return answer and answer["contents"]["value"]

    def labels(self, *where):
        return {each["label"]: each for each in self.ask("completion", *where)["items"]}

    def words(self, locations):
        """The lines, counted from 1, and texts of locations."""
        lines = self.text.split("\n")
        return [(each["range"]["start"]["line"] + 1,
                 lines[each["range"]["start"]["line"]][each["range"]["start"]["character"]:each["range"]["end"]["character"]])
                for each in locations]

    def rename(self, new, *where):
        answer = self.ask("rename", *where, newName=new)
        return edited(self.text, answer["changes"][URI])


def refused(action):
    try:
        action()
    except Failed as failure:
        return failure
    raise AssertionError("that is refused")


def test_lifecycle(program):
    editor = Client(program)
    early = refused(lambda: editor.request("textDocument/hover", {}))
    assert early.code == -32002, early
    capabilities = editor.start()["capabilities"]
    assert capabilities["positionEncoding"] == "utf-16" and capabilities["textDocumentSync"]["change"] == 2
    assert refused(lambda: editor.request("initialize", {"processId": None, "rootUri": None, "capabilities": {}})).code == -32600
    assert refused(lambda: editor.request("textDocument/nonsense", {})).code == -32601
    assert refused(lambda: editor.request("textDocument/hover", {})).code == -32602
    missing = {"textDocument": {"uri": "file:///not/open"}, "position": {"line": 0, "character": 0}}
    assert "not open" in refused(lambda: editor.request("textDocument/hover", missing)).message
    editor.send_bytes(b"{ no json")
    assert editor.read()["error"]["code"] == -32700
    editor.send_bytes(b"[1, 2]")
    assert editor.read()["error"]["code"] == -32600
    editor.process.stdin.write(b"Nonsense: 1\r\n\r\n")  # a header without a length
    editor.notify("$/unknown", {})
    editor.request("shutdown")
    assert refused(lambda: editor.request("textDocument/hover", missing)).code == -32600
    editor.notify("exit", None)
    assert editor.process.wait(10) == 0


def test_exit_without_shutdown(program):
    editor = Client(program)
    editor.start()
    editor.notify("exit", None)
    assert editor.process.wait(10) == 1
    editor = Client(program)
    editor.start()
    editor.process.stdin.close()
    assert editor.process.wait(10) == 1


def test_syntax_errors(program):
    editor = Session(program, KERNEL)
    assert editor.found() == []
    editor.type("sch.split", "x = (1 +\n")
    found = editor.found()
    assert found and found[0]["severity"] == 1 and found[0]["source"] == "mlc", found
    assert found[0]["range"]["start"]["line"] == 18, found
    editor.version += 1
    editor.change(URI, editor.version, [{"text": KERNEL}])
    assert editor.found() == []
    editor.close(URI)
    assert editor.stop() == 0


def test_definitions_are_checked(program):
    editor = Session(program, KERNEL)
    assert editor.codes() == []
    editor.type("T.grid", "T.grd", remove=6)
    found = editor.found()
    assert len(found) == 1 and found[0]["severity"] == 1, found
    assert "did you mean `T.grid`" in found[0]["message"] or "`grid`" in found[0]["message"], found
    start = found[0]["range"]["start"]
    assert start["line"] == place_of(editor.text, "T.grd")[0], found
    editor.type("T.grd", "T.grid", remove=5)
    assert editor.codes() == []
    editor.type("A[vi, vj]", "A[vi]", remove=9)
    assert len(editor.found()) == 1 and "2" in editor.found()[0]["message"], editor.found()
    editor.type("A[vi]", "A[vi + 1, vj]", remove=5)
    (found,) = editor.found()
    assert (found["code"], found["severity"]) == ("out-of-bounds", 2) and "index 64" in found["message"], found
    editor.type(" + 1", "", remove=4)
    assert editor.codes() == []


def test_nothing_runs(program):
    """Opening, typing and asking leave no trace of the program."""
    with tempfile.TemporaryDirectory() as folder:
        trace = pathlib.Path(folder) / "trace"
        beside = pathlib.Path(folder) / "tvm.mlc"
        beside.write_text(f'open("{trace}", "w").close()\n')
        touch = f'open("{trace}", "w")'
        text = HEAD + f'''
x = {touch}
def helper(): {touch}
K = helper()

@T.prim_func(s_tir=True)
def direct(A: T.Buffer((4,), "float32")):
    A[0] = T.meta_var({touch})

@T.prim_func(s_tir=True)
def behind(A: T.Buffer((4,), "float32")):
    A[0] = T.meta_var(helper.__globals__["helper"]())

@T.prim_func(s_tir=True)
def captured(A: T.Buffer((K,), "float32")):
    A[0] = T.float32(helper())

@T.prim_func(s_tir=True)
def known(A: T.Buffer((4,), "float32")):
    A[0] = B[0]
'''
        editor = Client(program, folder=folder)
        editor.start()
        uri = (pathlib.Path(folder) / "program.mlc").as_uri()
        editor.open(uri, text)
        found = editor.wait_diagnostics(uri, 1)
        # The last definition captures nothing, so it is checked; the others are left alone.
        assert [each["range"]["start"]["line"] for each in found] == [text[:text.index("B[0]")].count("\n")], found
        for method in ("completion", "hover", "definition"):
            editor.request("textDocument/" + method, editor.at(uri, place_of(text, "helper", 1)))
        assert editor.stop() == 0
        assert not trace.exists()


def test_long_computations_do_not_stop_it(program):
    editor = Session(program, HEAD + '''
@T.prim_func(s_tir=True)
def slow(A: T.Buffer((4,), "float32")):
    A[0] = T.float32(sum([i for i in range(10000000000)]))
''')
    assert editor.codes() == []
    editor.text = HEAD + "N = 10 ** 10 ** 10\nM = 'x' * 100000000000\n"
    editor.version += 1
    editor.change(URI, editor.version, [{"text": editor.text}])
    assert editor.codes() == []
    assert editor.stop() == 0


def test_warnings(program):
    editor = Session(program, KERNEL + 'x, y = sch.get_loops(block)\nprint(x, unknown)\n')
    found = editor.found()
    assert [each["code"] for each in found] == ["unused-handle", "undefined-name"], found
    assert found[0]["severity"] == 2 and found[0]["tags"] == [1]


def test_positions_are_utf16(program):
    editor = Session(program, 's = "\U0001F600 ä 字"; value = 1\nprint(value, valu)\n')
    found = editor.found()
    assert found[0]["range"] == {"start": {"line": 1, "character": 13}, "end": {"line": 1, "character": 17}}, found
    place = editor.ask("definition", "value", 1)[0]["range"]
    assert place["start"] == {"line": 0, "character": 14}, place
    editor.type("value", "x", inside=0)  # behind the characters of two units
    assert editor.codes() == ["undefined-name", "undefined-name"]
    editor.type("\U0001F600", "", remove=2)
    assert editor.ask("definition", "xvalue") != []
    editor.version += 1
    editor.change(URI, editor.version, [{"text": "a = 1\r\nb = a\r\n"}])
    editor.text = "a = 1\r\nb = a\r\n"
    assert editor.words(editor.ask("references", "a = 1", context={"includeDeclaration": True})) == [(1, "a"), (2, "a")]


def test_edits_beyond_the_end(program):
    editor = Session(program, "a = 1\n")
    editor.version = 2
    far = {"line": 99, "character": 99}
    editor.change(URI, 2, [{"range": {"start": far, "end": far}, "text": "b = c\n"},
                           {"range": {"start": {"line": 0, "character": 99}, "end": {"line": 0, "character": 200}}, "text": "0"}])
    found = editor.found()
    assert found[0]["range"]["start"] == {"line": 1, "character": 4}, found


def test_hover(program):
    editor = Session(program, KERNEL)
    editor.found()
    assert "buffer (64, 64) float32, 16 KiB" in editor.hover("A: T.Buffer")
    assert "loop of 64" in editor.hover("i, j in T.grid")
    assert "spatial iterator of 64" in editor.hover("vi, vj = T")
    assert "method Schedule.split(" in editor.hover("split(i", 0)
    assert "T.grid" not in editor.hover("grid") and "serial loops" in editor.hover("grid")
    assert "block\nof scale" in editor.hover('"B", "main"', 0, 1)
    assert "function of the IR" in editor.hover("Schedule(scale", 0, 9)
    assert "module tvm" in editor.hover("tvm.s_tir")
    assert editor.hover("import") is None


GRAPH = '''from tvm.script import ir as I, relax as R, tirx as T


@I.ir_module
class Mlp:
    @T.prim_func(s_tir=True)
    def twice(A: T.Buffer((4,), "float32"), B: T.Buffer((4,), "float32")):
        for i in range(4):
            with T.sblock("B"):
                vi = T.axis.spatial(4, i)
                B[vi] = A[vi] + A[vi]

    @R.function
    def layer(x: R.Tensor(("n", 4), "float32"), w: R.Tensor((4, "m"), "float32")) -> R.Tensor(("n", "m"), "float32"):
        h = R.matmul(x, w)
        return h

    @R.function
    def main(a: R.Tensor(("n", 4), "float32"), flat: R.Tensor(("n * 4",), "float32"), w: R.Tensor((4, 8), "float32"), c: R.Tensor((), "bool")):
        n = T.int64()
        cls = Mlp
        with R.dataflow():
            h = cls.layer(a, w)
            h = R.nn.relu(h)
            s: R.Tensor((n, 8), "float32") = R.nn.softmax(h, axis=1)
            R.output(s)
        if c:
            y = R.add(s, s)
        else:
            y = R.sum(s, axis=1)
        z = R.reshape(flat, (n, 4))
        b = R.call_tir(cls.twice, (R.zeros((4,), "float32"),), out_ty=R.Tensor((4,), "float32"))
        first, second = R.split(z, 2, axis=1)
        return (y, b, first)
'''


def test_graphs(program):
    editor = Session(program, GRAPH)
    assert editor.found() == []
    assert 'h: R.Tensor((n, 8), dtype="float32")\nof main\n\nh = cls.layer(a, w)' in editor.hover("h = cls.layer")
    assert 'first: R.Tensor((n, 2), dtype="float32")' in editor.hover("first)")
    assert 'y: R.Tensor(dtype="float32")' in editor.hover("y, b")  # of branches of different ranks
    assert 's: R.Tensor((n, 8), dtype="float32")' in editor.hover("s, s)")
    assert "n: symbolic dimension\nof main" in editor.hover('n, 4))')
    assert "softmax(" in editor.hover("softmax(h") and "axis" in editor.hover("softmax(h")
    assert "function of the IR" in editor.hover("layer(a, w)")
    hints = {text: each["label"] for each in editor.all("inlayHint") for text in
             [editor.text.split("\n")[each["position"]["line"]][:each["position"]["character"]].split()[-1]]}
    assert hints["z"] == ': R.Tensor((n, 4), dtype="float32")' and "s" not in hints and "a" not in hints, hints
    # Names: functions of the module by `cls`, dimensions also within quotes, values in branches and blocks.
    everything = {"context": {"includeDeclaration": True}}
    assert editor.words(editor.ask("definition", "layer(a, w)")) == [(14, "layer")]
    assert editor.words(editor.ask("definition", "twice, (R")) == [(7, "twice")]
    assert editor.words(editor.ask("definition", "n, 4))")) == [(19, "n")]
    assert [line for line, _ in editor.words(editor.ask("references", "n * 4", **everything))] == [19, 19, 20, 25, 31]
    assert [line for line, _ in editor.words(editor.ask("references", "y = R.add", **everything))] == [28, 30, 34]
    assert editor.words(editor.ask("references", '"m"), "float32")) ->', 0, 1, **everything)) == [(14, "m"), (14, "m")]
    renamed = editor.rename("rows", "n * 4")
    for part in ('"rows", 4), "float32"), flat: R.Tensor(("rows * 4",)', "rows = T.int64()", "((rows, 8)", "(rows, 4))"):
        assert part in renamed, part
    assert 'def layer(x: R.Tensor(("n", 4)' in renamed
    subprocess.run([program, "check", "-"], input=renamed, capture_output=True, text=True, check=True)
    assert "total = R.sum" in editor.rename("total", "y = R.add")
    assert "`w`" in refused(lambda: editor.rename("w", "n * 4")).message
    # Completion
    editor.type("        z = R.reshape", "        R.\n        R.nn.\n        cls.\n        R.nn.softmax(z, )\n")
    assert {"matmul", "call_tir", "Tensor", "nn"} <= set(editor.labels("R.\n", 0, 2))
    relu = editor.labels("R.nn.\n", 0, 5)["relu"]
    assert relu["detail"].startswith("nn.relu(") or relu["detail"].startswith("relu("), relu
    assert {"layer", "twice", "main"} <= set(editor.labels("cls.\n", 0, 4))
    assert "axis=" in editor.labels("softmax(z, )", 0, 11)
    outline = editor.request("textDocument/documentSymbol", {"textDocument": {"uri": URI}})
    assert [each["name"] for each in outline[0]["children"]] == ["twice", "layer", "main"], outline


def test_graphs_that_are_wrong(program):
    editor = Session(program, GRAPH.replace("w: R.Tensor((4, 8)", "w: R.Tensor((5, 8)").replace("z, 2, axis=1", "z, 2, axis=2"))
    found = editor.found()
    assert [each["range"]["start"]["line"] + 1 for each in found] == [23, 33], found
    assert any("`w`" in each["message"] for each in found[0]["relatedInformation"]), found


def test_definition_and_references(program):
    editor = Session(program, MM_RELU)
    everything = {"context": {"includeDeclaration": True}}
    assert editor.words(editor.ask("definition", '"Y", "mm_relu"', 0, 1)) == [(16, "Y")]
    assert editor.words(editor.ask("references", '"Y", "mm_relu"', 0, 1, **everything)) == [(16, "Y"), (28, "Y")]
    # The buffer Y is another thing than the block Y, and the first loop i another than the second.
    assert [line for line, _ in editor.words(editor.ask("references", "Y = T.sblock", **everything))] == [14, 19, 20, 20, 24]
    assert [line for line, _ in editor.words(editor.ask("references", "i, j, k in", **everything))] == [15, 17]
    assert [line for line, _ in editor.words(editor.ask("references", "i, j in", **everything))] == [21, 23]
    assert editor.words(editor.ask("definition", "MmRelu)", 0)) == [(11, "MmRelu")]
    assert editor.words(editor.ask("definition", '"mm_relu"', 0, 1)) == [(13, "mm_relu")]
    written = [each["kind"] for each in editor.ask("documentHighlight", "block_Y")]
    assert written == [3, 2, 2], written


def runs(program, text):
    return subprocess.run([program, "print", "-"], input=text, capture_output=True, text=True, check=True).stdout


def test_rename(program):
    editor = Session(program, MM_RELU)
    for new, where in (("rows", ("i, j, k in",)), ("product", ('"Y", "mm_relu"', 0, 1)), ("scratch", ("Y = T.sblock",)),
                       ("step", ("i, j0, k, j1", 0, 3)), ("kernel", ("MmRelu:",)), ("main", ('"mm_relu"', 0, 1))):
        renamed = editor.rename(new, *where)
        assert renamed != MM_RELU and new in renamed
        # Names of the IR change, and nothing else: the renamed program is one that runs.
        after = runs(program, renamed)
        assert after.count("\n") == runs(program, MM_RELU).count("\n")
    assert "`j`" in refused(lambda: editor.rename("j", "i, j, k in")).message
    assert "cannot be a name" in refused(lambda: editor.rename("for", "i, j, k in")).message
    assert "already" in refused(lambda: editor.rename("C", 'sblock("Y")', 0, 8)).message
    assert "`as NAME`" in refused(lambda: editor.rename("tv", "import tvm", 0, 7)).message
    assert editor.ask("prepareRename", "Y = T.sblock")["placeholder"] == "Y"
    refused(lambda: editor.ask("prepareRename", "import numpy", 0, 2))
    assert "np" in refused(lambda: editor.rename("np", "T.grid")).message
    assert "import numpy as num\n" in editor.rename("num", "np\n")


CLASSES = '''
def total(rows, count):
    largest = max(rows)
    return largest + undone


class Counter:
    seen = 0

    def add(self, n):
        self.n = n
        return self

    def __len__(self):
        return 1


def twice(counter):
    return counter.add(1).add(2)
'''


def test_rename_captures_nothing(program):
    editor = Session(program, HEAD + CLASSES)
    # A builtin, and a name that is not written yet, would mean what is renamed.
    assert "`max` in line" in refused(lambda: editor.rename("max", "rows, count")).message
    assert "`undone` in line" in refused(lambda: editor.rename("undone", "largest =")).message
    assert "def total(rows, sum):" in editor.rename("sum", "count)")  # nothing else of that name is used
    # Methods are used behind dots of values whose class nobody knows.
    assert "`.add`" in refused(lambda: editor.rename("increase", "add(self")).message
    assert "its meaning" in refused(lambda: editor.rename("size", "__len__")).message
    assert "most = 0" in editor.rename("most", "seen = 0")
    # The module's own names stay free to be renamed.
    assert "def sum_of(rows" in editor.rename("sum_of", "total(rows")


def test_several_files(program):
    """Definitions, references and hover go to the files that are imported, as they are open or on the disk."""
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        part = HEAD + "N = 64\n\n\ndef scale(a, by=2):\n    return a * by * N\n"
        use = "import part\nimport shapes\nfrom part import scale as s\nfrom shapes import scale\nfrom numpy import zeros\n\nprint(s(1), part.scale(part.N), scale, shapes.inner, zeros)\n"
        (folder / "part.mlc").write_text(part)
        (folder / "shapes").mkdir()
        (folder / "shapes/__init__.mlc").write_text("from part import scale\nfrom shapes.inner import *\n")
        (folder / "shapes/inner.mlc").write_text("DEEP = 1\n")
        (folder / "other.mlc").write_text("import part\n\nprint(part.scale(3))\n")
        editor = Client(program)
        editor.start()
        uri = (folder / "use.mlc").as_uri()
        editor.open(uri, use)

        def ask(what, needle, occurrence=0, text=use, where=uri, **more):
            return editor.request("textDocument/" + what, editor.at(where, place_of(text, needle, occurrence), **more))

        def names(found):
            return sorted((os.path.basename(each["uri"]), each["range"]["start"]["line"]) for each in found)

        line = part[:part.index("def scale")].count("\n")
        for needle, occurrence in (("s(1)", 0), ("scale(part", 0), ("scale, shapes", 0), ("scale\n", 0)):
            assert names(ask("definition", needle, occurrence)) == [("part.mlc", line)], (needle, occurrence)
        assert names(ask("definition", "N)")) == [("part.mlc", 4)]
        assert names(ask("definition", "part\n")) == [("part.mlc", 0)]
        assert names(ask("definition", "inner,")) == [("inner.mlc", 0)]
        assert names(ask("definition", "zeros)")) == [("use.mlc", 4)]  # of the library
        assert "def scale(a, by=2)" in ask("hover", "s(1)")["contents"]["value"]
        context = {"includeDeclaration": True}
        wanted = [("__init__.mlc", 0), ("other.mlc", 2), ("part.mlc", line), ("use.mlc", 2), ("use.mlc", 3), ("use.mlc", 6), ("use.mlc", 6), ("use.mlc", 6)]
        found = names(ask("references", "s(1)", context=context))
        assert found == wanted, found
        # What is open counts as it stands there, and what was written to the disk as it is now.
        shifted = "\n" + part
        editor.open((folder / "part.mlc").as_uri(), shifted)
        assert names(ask("definition", "s(1)")) == [("part.mlc", line + 1)]
        # Rename goes along; what is imported under another name keeps that.
        changes = ask("rename", "scale(a", 0, shifted, (folder / "part.mlc").as_uri(), newName="grow")["changes"]
        texts = {"part.mlc": shifted, "use.mlc": use, "other.mlc": (folder / "other.mlc").read_text(), "__init__.mlc": (folder / "shapes/__init__.mlc").read_text()}
        after = {pathlib.Path(each).name: edited(texts[pathlib.Path(each).name], edits) for each, edits in changes.items()}
        assert after["part.mlc"] == shifted.replace("scale", "grow")
        assert after["use.mlc"] == use.replace("scale", "grow")
        assert after["other.mlc"] == "import part\n\nprint(part.grow(3))\n"
        assert after["__init__.mlc"] == "from part import grow\nfrom shapes.inner import *\n"
        assert ask("rename", "scale(part", newName="grow")["changes"].keys() == changes.keys()
        assert "already means" in refused(lambda: ask("rename", "scale, shapes", newName="s")).message
        editor.close((folder / "part.mlc").as_uri())
        (folder / "part.mlc").write_text("\n\n" + part)
        assert names(ask("definition", "s(1)")) == [("part.mlc", line + 2)]
        (folder / "part.mlc").unlink()
        assert names(ask("definition", "s(1)")) == [("use.mlc", 2)]
        assert editor.stop() == 0


def test_rename_of_what_strings_leave_open(program):
    twice = '''
@T.prim_func(s_tir=True)
def f(A: T.Buffer((4,), "float32")):
    for i in range(4):
        with T.sblock("X"):
            vi = T.axis.spatial(4, i)
            A[vi] = T.float32(0)


@T.prim_func(s_tir=True)
def g(A: T.Buffer((4,), "float32")):
    for i in range(4):
        with T.sblock("X"):
            vi = T.axis.spatial(4, i)
            A[vi] = T.float32(0)


def step(sch):
    return sch.get_sblock("X")


sch = tvm.s_tir.Schedule(g)
known = sch.get_sblock("X")
print(known, step(sch))
'''
    editor = Session(program, HEAD + twice)
    assert len(editor.ask("definition", '"X")', 2, 1)) == 2
    assert len(editor.ask("definition", '"X")', 3, 1)) == 1
    assert "one of 2" in refused(lambda: editor.rename("Z", '"X")', 2, 1)).message
    assert "line" in refused(lambda: editor.rename("Z", '"X")', 3, 1)).message


def test_completion(program):
    editor = Session(program, KERNEL)
    editor.found()
    methods = editor.labels("sch.split", 0, 4)
    assert "reorder" in methods and "loop" in methods["split"]["detail"]
    assert methods["split"]["documentation"].startswith("Replace one loop"), methods["split"]
    assert "grid" in editor.labels("T.grid", 0, 2)
    assert "factors=" in editor.labels("factors=", 0, 0)
    inside = editor.labels("A[vi, vj]", 0, 0)
    assert inside["A"]["detail"].startswith("buffer (64, 64)") and {"vi", "i", "N", "range", "for"} <= inside.keys()
    assert set(editor.labels('"B", "main"', 0, 1)) == {"B"}
    assert set(editor.labels('"main"', 0, 1)) == {"main"}
    # Half-typed: the line is no program, and the names are known all the same.
    editor.type("sch.vectorize(j)", "sch.", remove=len("sch.vectorize(j)"))
    assert editor.found() != []
    assert "vectorize" in editor.labels("sch.\n", 0, 4)
    editor.type("sch.\n", "sch.bind(j, \"", remove=4)
    assert "threadIdx.x" in editor.labels('bind(j, "', 0, 9)
    editor.type("bind(j", "tensorize(j", remove=6)
    assert any("wmma" in each for each in editor.labels('tensorize(j, "', 0, 14))
    editor.type("tensorize(j, \"", "# T.", remove=14)
    assert editor.labels("# T.", 0, 4) == {}


def test_completion_of_other_files(program):
    """Modules beside the program and what they bind, relative imports of a package too."""
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        (folder / "part.mlc").write_text("N = 64\n_own = 1\n\n\ndef scale(a):\n    return a * N\n")
        (folder / "shapes").mkdir()
        (folder / "shapes/__init__.mlc").write_text("")
        (folder / "shapes/inner.mlc").write_text("DEEP = 1\n")
        editor = Client(program)
        editor.start()

        def labels(name, text):
            uri = (folder / name).as_uri()
            editor.open(uri, text)
            line = text.count("\n")
            found = editor.request("textDocument/completion", editor.at(uri, (line, len(text.rpartition("\n")[2]))))["items"]
            return {each["label"] for each in found}

        assert {"part", "shapes", "tvm", "json", "numpy"} <= labels("use.mlc", "import pa")
        assert "use" not in labels("use.mlc", "from ")
        assert labels("use.mlc", "from part import ") == {"N", "scale"}
        assert labels("use.mlc", "import part\npart.") == {"N", "scale"}
        assert labels("use.mlc", "import part as p\nx = p.sc") == {"N", "scale"}
        assert labels("use.mlc", "import shapes.") == set() and "DEEP" in labels("use.mlc", "from shapes.inner import D")
        assert "grid" in labels("use.mlc", "from tvm.script.tirx import g")
        assert labels("shapes/other.mlc", "from .inner import ") == {"DEEP"}
        text = "from .inner import DEEP\nfrom ..part import scale\nfrom . import inner\nprint(DEEP, scale(1), inner.DEEP)\n"
        uri = (folder / "shapes/other.mlc").as_uri()
        editor.open(uri, text)
        for needle, name in (("DEEP, scale", "inner.mlc"), ("scale(1)", "part.mlc"), ("inner.DEEP", "inner.mlc"), ("DEEP)", "inner.mlc")):
            found = editor.request("textDocument/definition", editor.at(uri, place_of(text, needle)))
            assert [pathlib.Path(each["uri"]).name for each in found] == [name], (needle, found)
        assert editor.stop() == 0


def test_symbols(program):
    editor = Session(program, MM_RELU)
    symbols = {each["name"]: each for each in editor.all("documentSymbol")}
    assert {"MmRelu", "sch", "block_Y"} <= symbols.keys()
    function = symbols["MmRelu"]["children"][0]
    assert function["name"] == "mm_relu"
    assert [each["name"] for each in function["children"]] == ["A", "B", "C", "Y", "Y", "C"]
    folds = {(each["startLine"], each["endLine"], each.get("kind")) for each in editor.all("foldingRange")}
    assert {(3, 6, "imports"), (0, 2, "comment"), (12, 23, None)} <= folds, folds


def test_semantic_tokens(program):
    editor = Session(program, MM_RELU)
    legend = legend_of(program)
    line = character = 0
    seen = {}
    data = editor.all("semanticTokens/full")["data"]
    lines = MM_RELU.split("\n")
    for i in range(0, len(data), 5):
        step, column, length, kind, _ = data[i:i + 5]
        character = column if step else character + column
        line += step
        seen.setdefault(legend[kind], set()).add(lines[line][character:character + length])
    assert {"A", "B", "C", "Y"} <= seen["buffer"] and {"i", "j", "k"} <= seen["loop"]
    assert seen["block"] == {"Y", "C"} and {"vi", "vj", "vk"} <= seen["iterator"]
    assert "split" in seen["method"] and "T" in seen["namespace"]


def legend_of(program):
    return Client(program).start()["capabilities"]["semanticTokensProvider"]["legend"]["tokenTypes"]


def test_inlay_hints(program):
    editor = Session(program, KERNEL)
    hints = [each["label"] for each in editor.all("inlayHint")]
    assert hints == [": (64, 64) float32"] * 2 + [": 64"] * 2 + [": spatial 64"] * 2, hints


def test_formatting(program):
    editor = Session(program, KERNEL.replace("factors=[None, 8]", "factors = [None,8]"))
    options = {"options": {"tabSize": 4, "insertSpaces": True}}
    laid_out = subprocess.run([program, "fmt", "-"], input=editor.text, capture_output=True, text=True, check=True).stdout
    assert "factors=[None, 8]" in laid_out
    assert edited(editor.text, editor.all("formatting", **options)) == laid_out
    editor.type("sch.split", "(")
    assert "syntax errors" in refused(lambda: editor.all("formatting", **options)).message


def test_code_actions(program):
    old = HEAD.replace("tirx", "tir") + '''
@T.prim_func(s_tir=True)
def f(A: T.Buffer((4,), "float32")):
    for i in range(4):
        with T.block("X"):
            vi = T.axis.spatial(4, i)
            A[vi] = T.float32(0)


sch = tvm.tir.Schedule(f)
(outer,) = sch.get_loops(sch.get_block("X"))
print(sch, sum, suum)
'''
    editor = Session(program, old)
    editor.found()
    actions = {each["title"]: each for each in editor.all("codeAction", context={"diagnostics": []})}
    fixed = subprocess.run([program, "fix", "-"], input=old, capture_output=True, text=True, check=True).stdout
    assert edited(old, actions["Use the names of today (mlc fix)"]["edit"]["changes"][URI]) == fixed
    assert "print(sch, sum, sum)" in edited(old, actions["Change to `sum`"]["edit"]["changes"][URI])
    assert "(_outer,) = " in edited(old, actions["Call it `_outer`"]["edit"]["changes"][URI])
    only = editor.all("codeAction", context={"diagnostics": [], "only": ["source.fixAll"]})
    assert [each["kind"] for each in only] == ["source.fixAll.mlc"]


def run_to(editor, needle):
    line, character = place_of(editor.text, needle)
    argument = {"uri": URI, "position": {"line": line, "character": character}}
    return editor.request("workspace/executeCommand", {"command": "mlc.runToHere", "arguments": [argument]})


def test_run_to_here(program):
    editor = Session(program, KERNEL)
    first = run_to(editor, "block = ")
    split = run_to(editor, "sch.split")
    assert first["ok"] and "T.grid(64, 64)" in first["module"], first
    assert split["ok"] and "i_0" in split["module"] and "vectorized" not in split["module"], split
    editor.type("sch.vectorize(j)", "sch.vectorise(j)", remove=len("sch.vectorize(j)"))
    failed = run_to(editor, "sch.vectorise")
    assert not failed["ok"] and "vectorize" in failed["error"], failed
    editor.type("sch.vectorise(j)", "while True: pass", remove=len("sch.vectorise(j)"))
    argument = {"uri": URI, "position": {"line": editor.text.count("\n") - 1, "character": 0}}
    number = editor.request("workspace/executeCommand", {"command": "mlc.runToHere", "arguments": [argument]}, answer=False)
    assert editor.hover("grid")  # the server answers meanwhile
    editor.notify("$/cancelRequest", {"id": number})
    assert refused(lambda: editor.answer(number, "workspace/executeCommand")).code == -32800
    assert editor.stop() == 0


def test_ways_out(program):
    """A step that is refused when the program runs: what was tried in its place are quick fixes."""
    refusing = KERNEL.replace("factors=[None, 8]", "factors=[3, 8]").replace('"B", "main"', '"B"')
    editor = Session(program, refusing)
    assert editor.found() == []
    where = place_of(refusing, "sch.split")
    here = {"line": where[0], "character": where[1]}

    def actions():
        span = {"start": here, "end": here}
        found = editor.request("textDocument/codeAction", {"textDocument": {"uri": URI}, "range": span, "context": {"diagnostics": []}})
        return {each["title"]: each for each in found}

    offered = actions()["Run the program to here, and try ways out where a step is refused"]["command"]
    answer = editor.request("workspace/executeCommand", {"command": offered["command"], "arguments": offered["arguments"]})
    assert not answer["ok"] and answer["ways"], answer
    editor.versions.clear()
    found = editor.found()
    assert [each["severity"] for each in found] == [1] and found[0]["range"]["start"]["line"] == where[0], found
    fixes = [each for title, each in actions().items() if title.startswith("Change to")]
    assert len(fixes) == len(answer["ways"])
    # What is offered runs.
    for fix, way in zip(fixes, answer["ways"]):
        fixed = edited(refusing, fix["edit"]["changes"][URI])
        assert fixed == refusing.replace("sch.split(i, factors=[3, 8])", way)
        run = subprocess.run([program, "run", "-"], input=fixed, capture_output=True, text=True)
        assert run.returncode == 0, run.stderr
    # Once the text has changed nothing is known of the run any more.
    editor.type("sch.vectorize", "# ")
    assert editor.found() == []
    editor.type("sch.split(i, factors=[3, 8])", "sch.split(i, factors=[None, 8])", remove=len("sch.split(i, factors=[3, 8])"))
    again = editor.request("workspace/executeCommand", {"command": "mlc.waysOut", "arguments": [{"uri": URI, "position": here}]})
    assert again == {"ok": True, "error": "", "ways": []}, again
    assert "mlc.waysOut" in refused(lambda: editor.request("workspace/executeCommand", {"command": "mlc.nothing", "arguments": [{}]})).message
    assert editor.stop() == 0


def test_run_to_here_waits_for_the_program_alone(program):
    """A program that is left behind has the pipes, and is not waited for."""
    editor = Session(program, KERNEL + "import subprocess\nsubprocess.run(['sh', '-c', 'sleep 50 &'])\n")
    begin = time.monotonic()
    answer = run_to(editor, "subprocess.run")
    assert answer["ok"] and "vectorized" in answer["module"], answer
    assert time.monotonic() - begin < 30
    assert editor.stop() == 0


def test_many_documents(program):
    editor = Session(program, KERNEL)
    for number in range(20):
        editor.open(f"untitled:{number}", "x = missing\n", 7)
    for number in range(20):
        assert editor.wait_diagnostics(f"untitled:{number}", 7)[0]["code"] == "undefined-name"
        editor.close(f"untitled:{number}")
    assert editor.stop() == 0


def test_editor_files(program):
    """What `editors/` says of the server is what the server says."""
    vscode = ROOT / "editors/vscode"
    package = json.loads((vscode / "package.json").read_text())
    standard = {"namespace", "class", "function", "method", "property", "parameter", "variable"}
    own = {each["id"] for each in package["contributes"]["semanticTokenTypes"]}
    assert standard | own == set(legend_of(program))
    for each in package["contributes"]["languages"]:
        json.loads((vscode / each["configuration"]).read_text())
    grammar = json.loads((vscode / package["contributes"]["grammars"][0]["path"]).read_text())
    patterns = [each for part in grammar["repository"].values() for each in part["patterns"]]
    expressions = [each[key] for each in patterns for key in ("match", "begin") if key in each]
    assert len(expressions) > 10
    for expression in expressions:
        re.compile(expression)
    included = {each["include"][1:] for each in patterns if "include" in each}
    assert included - {"escapes"} <= grammar["repository"].keys()


def main():
    program = os.path.abspath(sys.argv[1])
    if not client.CONFORMS and not os.environ.get("ALLOW_UNTYPED"):
        raise SystemExit("lsprotocol is not installed: pip install lsprotocol")
    wanted = sys.argv[2:]
    passed = failed = conforming = 0
    for name, test in list(globals().items()):
        if not name.startswith("test_") or (wanted and name not in wanted):
            continue
        try:
            test(program)
            passed += 1
        except Exception:
            failed += 1
            print(f"FAILED {name}")
            traceback.print_exc(file=sys.stdout)
        conforming += Client.end_all()
    print(f"{conforming} messages conform to the specification")
    if client.CONFORMS and not wanted and conforming < 100:
        failed += 1
        print("FAILED: too few to say anything")
    print(f"{passed} passed, {failed} failed")
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
