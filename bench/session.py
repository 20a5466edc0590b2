# SPDX-License-Identifier: Apache-2.0
"""What somebody at a terminal waits for: seconds until the prompt, a key and a step are on the screen."""
import os
import pty
import select
import statistics
import time

READY = b"\x1b[?2004h"  # the editor waits for keys: pastes are in brackets from here on


class Terminal:
    def __init__(self, mlc, folder):
        self.began = time.perf_counter()
        self.pid, self.master = pty.fork()
        if self.pid == 0:
            os.execvpe(mlc, [mlc], dict(os.environ, TERM="xterm-256color", HOME=folder, XDG_STATE_HOME=folder))

    def until(self, wanted, limit=120):
        """Seconds since `began` when this has come; then whatever else does."""
        seen, end = b"", time.perf_counter() + limit
        while wanted not in seen:
            if time.perf_counter() > end or not select.select([self.master], [], [], limit)[0]:
                raise SystemExit(f"no {wanted!r} in {seen[-2000:]!r}")
            seen += os.read(self.master, 65536)
        took = time.perf_counter() - self.began
        while select.select([self.master], [], [], 0.002)[0]:
            seen += os.read(self.master, 65536)
        return took

    def send(self, keys):
        self.began = time.perf_counter()
        while keys:
            keys = keys[os.write(self.master, keys[:2048]):]

    def key(self, keys, shown):
        self.send(keys)
        return self.until(shown)

    def run(self, text):
        """From Enter to the next prompt."""
        self.send(b"\x1b[200~" + text.encode() + b"\x1b[201~")
        self.until(b"\x1b[?25h")  # painted
        self.send(b"\r")
        return self.until(READY)

    def close(self):
        os.close(self.master)
        os.waitpid(self.pid, 0)


def many(blocks):
    """A function of that many blocks: about ten nodes each."""
    rows = "".join(f"""    for i{n} in range(64):
        with T.sblock("b{n}"):
            v = T.axis.spatial(64, i{n})
            B[v, {n}] = A[v] * T.float32({n}) + T.float32(1)
""" for n in range(blocks))
    return f"""@T.prim_func(s_tir=True)
def f(A: T.Buffer((64,), "float32"), B: T.Buffer((64, {blocks}), "float32")):
{rows}"""


def percentile(times, share):
    return sorted(times)[min(len(times) - 1, int(len(times) * share))]


def figures(mlc, folder, keys=400, steps=200):
    starts = []
    for _ in range(9):
        terminal = Terminal(mlc, folder)
        starts.append(terminal.until(READY))
        terminal.send(b"\x04")
        terminal.close()
    yield "prompt", statistics.median(starts)
    terminal = Terminal(mlc, folder)
    terminal.until(READY)
    for _ in range(30):
        terminal.send(b"x = [\r")
        terminal.until(b"\n")
    pressed = [terminal.key(b"abcdefghij"[i % 10:i % 10 + 1], b"abcdefghij"[i % 10:i % 10 + 1]) for i in range(keys)]
    yield "key, median", statistics.median(pressed)
    yield "key, 99 %", percentile(pressed, 0.99)
    terminal.send(b"\x03")
    terminal.until(READY)
    terminal.run("import tvm")
    terminal.run("from tvm.script import tirx as T")
    for nodes, blocks in ((1000, 100), (50000, 5000)):
        path = os.path.join(folder, "many.mlc")
        with open(path, "w") as out:
            out.write(many(blocks))
        terminal.run(f":load {path}")
        terminal.run("sch = tvm.s_tir.Schedule(f)")
        count = steps if blocks < 1000 else steps // 4
        took = []
        for i in range(count):
            terminal.run(f"l = sch.get_loops('b{i % blocks}')[-1]")
            took.append(terminal.run("a, b = sch.split(l, [None, 2])"))
        yield f"step of {nodes} nodes, median", statistics.median(took)
        yield f"step of {nodes} nodes, 99 %", percentile(took, 0.99)
        refused = [terminal.run("sch.split(a, [None, 0])") for _ in range(20)]
        yield f"refused step of {nodes} nodes, with ways out, median", statistics.median(refused)
        moved = []
        for _ in range(20):
            moved += [terminal.run(":undo"), terminal.run(":redo")]
        yield f"undo of {nodes} nodes, median", statistics.median(moved)
        moved = []
        for _ in range(5):
            moved += [terminal.run(":goto 5"), terminal.run(":goto main")]
        yield f"goto of {count} steps, median", statistics.median(moved)
    terminal.send(b"\x04")
    terminal.close()
