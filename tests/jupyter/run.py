#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The kernel of notebooks, driven by a real client: jupyter_client, nbclient.

    python3 tests/jupyter/run.py MLC [TEST]...
"""
import json
import os
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import traceback
import unittest

import conformance
from front import PATIENCE, Front, install
import notebooks

MODULE = """
import tvm
import numpy as np
from tvm.script import ir as I, tirx as T

@I.ir_module
class Mod:
    @T.prim_func(s_tir=True)
    def main(A: T.Buffer((16,), "float32"), B: T.Buffer((16,), "float32")):
        for i in range(16):
            with T.sblock("double"):
                vi = T.axis.spatial(16, i)
                B[vi] = A[vi] * T.float32(2)
"""

# Runs for hours, in compiled code alone.
ENDLESS = """
@I.ir_module
class Endless:
    @T.prim_func(s_tir=True)
    def main(A: T.Buffer((4,), "float32")):
        for i, j, k in T.grid(1000000, 1000000, 4):
            A[k] = A[k] * T.float32(0.5) + T.float32(i + j)

endless = tvm.compile(Endless, target="llvm")["main"]
a = tvm.runtime.tensor(np.zeros(4, "float32"))
"""


def same(got, wanted):
    assert got == wanted, f"got {got!r}, not {wanted!r}"


# ---- cells ----


def test_values(front):
    answer = front.run("1 + 1")
    same(answer.result(), "2")
    same(answer.reply["status"], "ok")
    same(answer.reply["execution_count"], 1)
    same(answer.types(), ["status", "execute_input", "execute_result", "status"])
    same(front.run("_ + 1").result(), "3")
    same(front.run("x = 5").result(), None)
    same(front.run("None").result(), None)
    same(front.run("1\nx\n'é'").result(), "'é'")
    same(front.run("").reply["status"], "ok")
    same(front.run("# nothing").result(), None)


def test_streams(front):
    answer = front.run("import sys\nprint('one')\nprint('two', file=sys.stderr)\nprint('ü' * 40000)\n3")
    same(answer.stream(), "one\n" + "ü" * 40000 + "\n")
    same(answer.stream("stderr"), "two\n")
    same(answer.types()[-2:], ["execute_result", "status"])  # behind all that was printed
    answer = front.run("import subprocess\nr = subprocess.run(['sh', '-c', 'echo from a program; echo wrong >&2'])")
    same(answer.stream(), "from a program\n")
    same(answer.stream("stderr"), "wrong\n")
    # What a program in the background says belongs to the cell that has started it, when another has not run yet.
    request = front.start("r = subprocess.run(['sh', '-c', '(sleep 0.3; echo late) &'])")
    front.finish(request)
    message = front.client.get_iopub_msg(timeout=PATIENCE)
    same((message["content"]["text"], message["parent_header"]["msg_id"]), ("late\n", request))


def test_what_compiled_code_prints(front):
    front.run(MODULE)
    answer = front.run(
        "@I.ir_module\nclass Speaks:\n    @T.prim_func(s_tir=True)\n    def main(A: T.Buffer((2,), 'int32')):\n"
        "        for i in range(2):\n            T.evaluate(T.call_extern('int32', 'puts', 'from C'))\n"
        "            A[i] = i\n\nprint('before')\n"
        "tvm.compile(Speaks, target='llvm')['main'](tvm.runtime.tensor(np.zeros(2, 'int32')))\nprint('after')")
    same(answer.stream(), "before\nfrom C\nfrom C\nafter\n")


def test_output_comes_while_the_cell_runs(front):
    request = front.start("print('begun')\nname = input('who? ')\nname")
    front.wait_for_stream("begun\n")
    question = front.client.get_stdin_msg(timeout=PATIENCE)
    same(question["msg_type"], "input_request")
    same(question["content"], {"prompt": "who? ", "password": False})
    front.client.input("Grüße")
    same(front.finish(request).result(), "'Grüße'")


def test_input_that_cannot_be_had(front):
    answer = front.run("input('who? ')", allow_stdin=False)
    same(answer.reply["ename"], "EOFError")
    assert "cannot be asked" in answer.stream("stderr")
    request = front.start("import sys\nsys.stdin.readline()")
    front.client.get_stdin_msg(timeout=PATIENCE)
    front.client.input("a line")
    same(front.finish(request).result(), "'a line\\n'")


def test_silent(front):
    front.run("n = 1")
    answer = front.run("n += 1\nprint(n)\nn", silent=True)
    same(answer.types(), ["status", "stream", "status"])
    same(answer.reply["execution_count"], 1)
    same(front.run("nosuch", silent=True).types(), ["status", "status"])
    answer = front.run("n", store_history=False)
    same((answer.result(), answer.reply["execution_count"]), ("2", 1))
    same(front.run("n").reply["execution_count"], 2)


def test_user_expressions(front):
    answer = front.run("n = 6", user_expressions={"twice": "2 * n", "wrong": "nosuch"})
    values = answer.reply["user_expressions"]
    same(values["twice"], {"status": "ok", "data": {"text/plain": "12"}, "metadata": {}})
    same((values["wrong"]["status"], values["wrong"]["ename"]), ("error", "NameError"))


def test_errors(front):
    answer = front.run("print('before')\n1 / 0\nprint('never')")
    same(answer.reply["status"], "error")
    same(answer.reply["ename"], "ZeroDivisionError")
    same(answer.types(), ["status", "execute_input", "stream", "error", "status"])
    (error,) = answer.contents("error")
    same(error["traceback"], answer.reply["traceback"])
    assert any("1 / 0" in line for line in error["traceback"]), error
    assert any("<cell>[1]:2:1" in line for line in error["traceback"]), error
    same(front.run("class Own(Exception): pass\n\nraise Own('mine')").reply["ename"], "Own")
    same(front.run("def f(:").reply["ename"], "SyntaxError")
    same(front.run("import sys\nsys.exit(3)").reply["ename"], "SystemExit")
    same(front.run(":nosuch").reply["ename"], "UsageError")
    same(front.run("1").result(), "1")


def test_what_waits_behind_an_error(front):
    for stops in (True, False):
        first = front.start("import time\ntime.sleep(0.3)\n1 / 0", stop_on_error=stops)
        others = [front.start("x = 1"), front.client.kernel_info(), front.start("x = 2")]
        same(front.finish(first).reply["status"], "error")
        wanted = ["aborted", "ok", "aborted"] if stops else ["ok", "ok", "ok"]
        same([front.finish(each).reply["status"] for each in others], wanted)
    same(front.run("x").result(), "2")


def test_forms_of_values(front):
    front.run(MODULE)
    data = front.run("Mod").data()
    assert data["text/plain"].startswith("# from tvm.script import ir as I"), data
    assert data["text/html"].startswith("<pre ") and "def</span> main" in data["text/html"], data
    assert "A[vi]" in data["text/html"] and "\x1b" not in data["text/plain"]
    same(set(front.run("np.zeros(3)").data()), {"text/plain"})
    front.run("class Shown:\n    def _repr_html_(self): return '<b>bold</b>'\n    def __repr__(self): return 'plain'\n")
    same(front.run("Shown()").data(), {"text/plain": "plain", "text/html": "<b>bold</b>"})
    with Front(NO_COLOR="") as coloured:
        coloured.run(MODULE)
        data = coloured.run("Mod").data()
        assert "\x1b" not in data["text/plain"]
        assert "\x1b" in coloured.run("Mod.show()").stream()
        assert "\x1b" in "".join(coloured.run("nosuch").reply["traceback"])


def test_plots_are_shown_in_their_place(front):
    front.run(MODULE)
    answer = front.run("print('before')\n:plot nest\nprint('after')")
    same(answer.types(), ["status", "execute_input", "stream", "display_data", "stream", "status"])
    (shown,) = answer.contents("display_data")
    assert shown["data"]["image/svg+xml"].startswith(("<svg ", "<!-- Made by mlc. -->\n<svg ")), shown
    assert shown["data"]["text/plain"], shown
    with tempfile.TemporaryDirectory() as folder:
        same(front.run(f":plot nest -o {folder}/p.svg").contents("display_data"), [])
        assert (pathlib.Path(folder) / "p.svg").exists()


# ---- lines that are no statements ----


def test_commands_in_a_cell(front):
    front.run(MODULE)
    front.run("sch = tvm.s_tir.Schedule(Mod)")
    answer = front.run("(i,) = sch.get_loops('double')\nsch.split(i, [4, 4])\n:diff\n:undo\n:steps")
    assert "split  i (16) -> i_0 (4), i_1 (4)" in answer.stream(), answer.stream()
    assert "split" in answer.stream() and answer.result() is None
    same(front.run(":undo\n1 + 1").result(), "2")
    assert "sch" in front.run("?sch.split").stream() or "split" in front.run("?sch.split").stream()
    assert "split" in front.run("sch.split?").stream()
    assert "split" in front.run("x = 1\nsch.split??\n").stream()
    same(front.run("x = '''\n:steps\n!ls\n'''\nx").result(), r"'\n:steps\n!ls\n'")
    same(front.run("y = (7\n% 4)\ny").result(), "3")
    answer = front.run(":help set\n1 / 0")
    assert any("]:2:1" in line for line in answer.reply["traceback"]), answer.reply


def test_no_editor_is_opened(front):
    front.run("from tvm.script import tirx as T\n@T.prim_func(s_tir=True)\ndef edited(A: T.Buffer((4,), 'int32')):\n    A[0] = 1")
    answer = front.run(":edit")
    assert answer.reply["status"] == "error" and "no editor" in answer.reply["evalue"], answer.reply


def test_ways_out_of_a_refused_step(front):
    front.run(MODULE)
    front.run("sch = tvm.s_tir.Schedule(Mod)\n(i,) = sch.get_loops('double')")
    answer = front.run("sch.split(i, [3, 2])")
    (error,) = answer.contents("error")
    assert "  :fix 1  sch.split(i, [3, None])" in error["traceback"], error
    same(error["traceback"], answer.reply["traceback"])
    answer = front.run(":fix 1\n:diff")
    assert "i (16) -> i_0 (3), i_1 (6)" in answer.stream(), answer.stream()
    # What was offered goes with the next statement, and an error of a command has nothing to offer.
    front.run("x = 1")
    assert not any(":fix" in line for line in front.run(":goto 99").reply["traceback"])


def test_help_of_python(front):
    assert ":undo [N]" in front.run("help()").stream()
    assert "split" in front.run("help(tvm.s_tir.Schedule.split)").stream()
    same(front.run("def help(x): return 2 * x\n").reply["status"], "ok")
    same(front.run("help(4)").result(), "8")


def test_magics(front):
    answer = front.run("%matplotlib inline\n%load_ext autoreload\n!python3 -m  pip install numpy\n%pip install x\nx = 3\nx")
    same(answer.result(), "3")
    notes = answer.stream("stderr").splitlines()
    same(len(notes), 4)
    assert notes[0].startswith("note: `%matplotlib inline` is passed over: "), notes
    assert notes[2].startswith("note: `!python3 -m  pip install numpy` is passed over: "), notes
    answer = front.run("%time x + 1")
    same(answer.result(), "4")
    assert answer.stream().startswith("Wall time: "), answer.stream()
    answer = front.run("%%time\ny = x + 2\ny")
    same(answer.result(), "5")
    assert answer.stream().startswith("Wall time: "), answer.stream()
    assert " a run (median of " in front.run("%timeit x + 1").stream()
    assert " a run (median of 6; " in front.run("%timeit -n 2 -r3 x + 1").stream()
    answer = front.run("%%timeit z = 4\nz * z")
    assert " a run (median of " in answer.stream() and answer.result() is None
    same(front.run("%%capture\nx").result(), "3")
    for cell, name in (("!ls", "`!ls`"), ("%%bash\nls", "`%%bash`"), ("%whos", "`%whos`"), ("%nosuch", "`%nosuch`"),
                       ("%timeit -n", "-n")):
        answer = front.run("reached = 1\n" + cell if not cell.startswith("%%") else cell)
        same((cell, answer.reply["ename"]), (cell, "UsageError"))
        assert name in answer.reply["evalue"], answer.reply


# ---- what front ends ask ----


def complete(front, code, position=None):
    answer = front.ask("complete_request", code=code, cursor_pos=len(code) if position is None else position)
    reply = answer.reply
    return reply["matches"], code[:reply["cursor_start"]], code[reply["cursor_end"]:]


def test_completion(front):
    front.run(MODULE)
    front.run("sch = tvm.s_tir.Schedule(Mod)\nrésumé = 1")
    matches, before, after = complete(front, "x = 'é'; sch.spl + 1", 16)
    assert "split" in matches, matches
    same((before, after), ("x = 'é'; sch.", " + 1"))
    assert "double" in complete(front, "sch.get_sblock('dou")[0]
    same(complete(front, "rés")[0], ["résumé"])
    matches, before, after = complete(front, "x = 1\n:st")
    assert "steps" in matches, matches
    same((before, after), ("x = 1\n:", ""))
    matches, before, after = complete(front, "%time")
    same((matches, before), (["time", "timeit"], "%"))
    same(complete(front, "nosuch.x")[0], [])
    same(complete(front, "")[1:], ("", ""))
    same(complete(front, "ab", 10 ** 6)[2], "")


def inspect_at(front, code, position=None):
    reply = front.ask("inspect_request", code=code, cursor_pos=len(code) if position is None else position,
                      detail_level=0).reply
    same(reply["found"], bool(reply["data"]))
    return reply["data"].get("text/plain")


def test_inspection(front):
    front.run(MODULE)
    front.run("sch = tvm.s_tir.Schedule(Mod)\nn = 5")
    for code, position in (("sch.split", None), ("sch.split(", None), ("sch.split(i, [4, ", None), ("é = sch.split", 9)):
        text = inspect_at(front, code, position)
        assert text and "split" in text and "factors" in text, (code, text)
    assert "int" in inspect_at(front, "n + 1", 1)
    assert "Writes the values" in inspect_at(front, "print")
    same(inspect_at(front, "nosuch_at_all"), None)
    front.run("class Bad:\n    def __repr__(self): raise ValueError('no text')\n\nbad = Bad()")
    same(front.ask("inspect_request", code="bad", cursor_pos=3).reply["ename"], "ValueError")
    same(front.run("bad").reply["ename"], "ValueError")
    same(front.run("1").result(), "1")
    same(inspect_at(front, ""), None)


def test_complete_code(front):
    for code, status, indent in (
            ("1 + 1", "complete", None), ("for i in x:", "incomplete", "    "), ("f(1,", "incomplete", "    "),
            ("for i in x:\n    f(i)", "incomplete", "    "), ("for i in x:\n    f(i)\n\n", "complete", None),
            ("def f():\n    return 1", "incomplete", ""), ("for i in x:\n    f(i)\n    ", "complete", None), ("x = )", "invalid", None), (":steps", "complete", None),
            ("?print", "complete", None), ("!ls", "complete", None), ("%%time\nx", "incomplete", ""), ("", "complete", None),
            ("@T.prim_func", "incomplete", ""), ("x = '''a", "incomplete", "")):
        reply = front.ask("is_complete_request", code=code).reply
        same((code, reply["status"], reply.get("indent")), (code, status, indent))


def test_history(front):
    for code in ("a = 1", "bb = 2", "a + bb", "a = 1"):
        front.run(code)
    front.run("hidden = 1", store_history=False)

    def ask(kind, **content):
        return front.ask("history_request", hist_access_type=kind, raw=True, **{"output": False, **content}).reply["history"]

    same([each[1:] for each in ask("range", session=0, start=2, stop=4)], [[2, "bb = 2"], [3, "a + bb"]])
    same(ask("range", session=0, start=3, stop=4, output=True)[0][2], ["a + bb", "3"])
    same([each[2] for each in ask("tail", n=2)], ["a + bb", "a = 1"])
    same([each[2] for each in ask("search", pattern="a =*", n=5, unique=True)], ["a = 1"])
    same(front.ask("history_request", hist_access_type="nosuch").reply["status"], "error")
    with Front() as other:  # which begins with the inputs of the first
        same([each[2] for each in other.ask("history_request", hist_access_type="tail", n=1, output=False, raw=True)
              .reply["history"]], ["a = 1"])


def test_kernel_info(front):
    for channel in ("shell", "control"):
        answer = front.ask("kernel_info_request", channel)
        same(answer.header["msg_type"], "kernel_info_reply")
        same(answer.reply["status"], "ok")
        same(answer.reply["protocol_version"], "5.3")
        same(answer.reply["language_info"]["file_extension"], ".mlc")
        same(answer.types(), ["status", "status"])
    same(front.ask("connect_request").reply["shell_port"], front.manager.shell_port)


def test_comms(front):
    same(front.ask("comm_info_request", target_name="x").reply, {"status": "ok", "comms": {}})
    message = front.client.session.msg("comm_open", {"comm_id": "c1", "target_name": "widget", "data": {}})
    front.client.shell_channel.send(message)
    messages = front.iopub_until(lambda each: each["msg_type"] == "comm_close")
    same(messages[-1]["content"]["comm_id"], "c1")
    same(front.run("1").result(), "1")


def test_heart_beats(front):
    front.run(MODULE + ENDLESS)
    front.client.hb_channel.unpause()
    request = front.start("print('runs')\nendless(a)")
    front.wait_for_stream("runs")
    front.client.hb_channel.stop()
    context = __import__("zmq").Context()
    socket = context.socket(__import__("zmq").REQ)
    socket.linger = 0
    socket.connect(f"tcp://{front.manager.ip}:{front.manager.hb_port}")
    for beat in (b"ping", b"pong"):
        socket.send(beat)
        assert socket.poll(PATIENCE * 1000), "no heartbeat"
        same(socket.recv(), beat)
    # The control channel answers meanwhile, too.
    same(front.ask("kernel_info_request", "control").reply["status"], "ok")
    front.manager.interrupt_kernel()
    socket.close()
    context.term()
    reply = front.client.get_shell_msg(timeout=PATIENCE)
    same((reply["parent_header"]["msg_id"], reply["content"]["ename"]), (request, "KeyboardInterrupt"))


# ---- stopping ----


def interrupt_by_message(front):
    front.manager.interrupt_kernel()  # the kernel asks for messages


def interrupt_by_signal(front):
    os.kill(front.manager.provisioner.pid, signal.SIGINT)


def test_interrupts(front):
    front.run(MODULE + ENDLESS)
    for interrupt in (interrupt_by_message, interrupt_by_signal):
        for loop in ("while True: pass", "endless(a)", "import time\ntime.sleep(1000)"):
            request = front.start("print('runs')\n" + loop)
            front.wait_for_stream("runs")
            interrupt(front)
            answer = front.finish(request)
            same((loop, answer.reply["ename"]), (loop, "KeyboardInterrupt"))
            same((loop, front.run("1 + 1").result()), (loop, "2"))
        request = front.start("input('?')")
        front.client.get_stdin_msg(timeout=PATIENCE)
        interrupt(front)
        same(front.finish(request).reply["ename"], "KeyboardInterrupt")
    # One that comes when nothing runs stops nothing. It has come when it is answered, or when the signal is sent:
    # the manager does not wait for the answer, and the kernel reads what is sent to it in any order.
    for sent in (lambda: same(front.ask("interrupt_request", "control").reply["status"], "ok"),
                 lambda: interrupt_by_signal(front)):
        sent()
        same(front.ask("kernel_info_request").reply["status"], "ok")
        same(front.run("sum(range(1000))").result(), "499500")


def test_restart(front):
    front.run("x = 5")
    front.client.stop_channels()
    front.manager.restart_kernel()
    front.connect()
    answer = front.run("x")
    same((answer.reply["ename"], answer.reply["execution_count"]), ("NameError", 1))


def test_shutdown(front):
    for channel, code in (("control", None), ("shell", None), ("control", "while True: pass")):
        with Front() as other:
            if code:
                other.start("print('runs')\n" + code)
                other.wait_for_stream("runs")
            message = other.client.session.msg("shutdown_request", {"restart": False})
            getattr(other.client, f"{channel}_channel").send(message)
            reply = getattr(other.client, f"get_{channel}_msg")(timeout=PATIENCE)
            same((reply["msg_type"], reply["content"]), ("shutdown_reply", {"status": "ok", "restart": False}))
            same(other.manager.provisioner.process.wait(PATIENCE), 0)
    with Front() as other:
        reply = other.run("quit()").reply
        same(reply["payload"], [{"source": "ask_exit", "keepkernel": False}])
        same(other.manager.provisioner.process.wait(PATIENCE), 0)


def test_two_kernels(front):
    with Front() as other:
        front.run("x = 'first'")
        other.run("x = 'second'")
        requests = [each.start("import time\ntime.sleep(0.1)\nprint(x)\nx") for each in (front, other)]
        for each, request, wanted in zip((front, other), requests, ("first", "second")):
            answer = each.finish(request)
            same((answer.stream(), answer.result()), (wanted + "\n", repr(wanted)))


def test_sockets_of_the_file_system(front):
    folder = os.getcwd()
    with tempfile.TemporaryDirectory() as scratch:
        os.chdir(scratch)  # they are made there
        try:
            with Front(transport="ipc") as other:
                same(other.run("2 * 3").result(), "6")
                assert other.manager.transport == "ipc"
        finally:
            os.chdir(folder)
    same(front.run("1").result(), "1")


def test_two_front_ends(front):
    second = front.manager.blocking_client()
    second.start_channels()
    second.wait_for_ready(timeout=PATIENCE)
    front.run("x = 7")
    same(second.execute_interactive("x", timeout=PATIENCE, output_hook=lambda message: None)["content"]["status"], "ok")
    request = front.start("input('?')")
    front.client.get_stdin_msg(timeout=PATIENCE)  # asked is who runs the cell
    front.client.input("mine")
    same(front.finish(request).result(), "'mine'")
    second.stop_channels()


def test_the_starter_dies(front):
    for waits in (False, True):
        starter = ("import os, sys\nfrom jupyter_client import KernelManager\n"
                   "manager = KernelManager(kernel_name='mlc')\nmanager.start_kernel(stdout=2)\n"
                   "print(manager.provisioner.pid, flush=True)\n"
                   + ("client = manager.blocking_client()\nclient.start_channels()\nclient.wait_for_ready()\n" if waits else "")
                   + "os._exit(0)")
        process = subprocess.Popen([sys.executable, "-c", starter], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        kernel = int(process.stdout.readline())
        process.wait()
        for _ in range(PATIENCE * 20):
            try:
                os.kill(kernel, 0)
                if "Z" in pathlib.Path(f"/proc/{kernel}/stat").read_text().rsplit(")", 1)[1]:
                    break  # dead, and nobody asks for it
            except (ProcessLookupError, FileNotFoundError):
                break
            time.sleep(0.05)
        else:
            os.kill(kernel, signal.SIGKILL)
            raise AssertionError("the kernel lives on")


def test_a_fault_says_what_it_was(front):
    front.run(MODULE)
    front.run(
        "@I.ir_module\nclass Far:\n    @T.prim_func(s_tir=True)\n"
        "    def main(A: T.Buffer((8,), 'float32'), at: T.Buffer((1,), 'int64')):\n        for i in range(1):\n"
        "            with T.sblock('B'):\n                vi = T.axis.spatial(1, i)\n                A[at[vi]] = T.float32(2)\n\n"
        "far = tvm.compile(Far, target='llvm')['main']")
    front.start("far(tvm.runtime.tensor(np.zeros(8, 'float32')), tvm.runtime.tensor(np.array([1 << 45], 'int64')))")
    front.wait_for_stream("A[at[vi]]")
    same(front.manager.provisioner.process.wait(PATIENCE), 1)


# ---- messages that are wrong ----


def test_malformed_messages(front):
    session = front.client.session
    socket = front.client.shell_channel.socket
    good = session.serialize(session.msg("execute_request", {"code": "print('run')", "silent": False}))

    def signed(*parts):
        return [b"<IDS|MSG>", session.sign(list(parts)), *parts]

    header = good[2]
    bad = [
        [good[0], b"0" * 64, *good[2:]],  # the signature of somebody else
        [good[0], b"", *good[2:]],
        good[:3],
        [b"nothing at all"],
        [b"<IDS|MSG>"],
        signed(b"{", b"{}", b"{}", b"{}"),
        signed(b"[]", b"{}", b"{}", b"{}"),
        signed(b"\xff\xfe", b"{}", b"{}", b"{}"),
        signed(b"{}", b"{}", b"{}", b"{}"),
        signed(b'{"msg_type": 5}', b"{}", b"{}", b"{}"),
        signed(header, b"{}", b"{}", b"null"),
        signed(header, b"{}", b"{}", b"[" * 100000),
    ]
    for frames in bad:
        socket.send_multipart(frames)
    answer = front.run("'alive'")
    same((answer.result(), answer.stream(), answer.reply["execution_count"]), ("'alive'", "", 1))
    for kind, content in (("execute_request", {}), ("execute_request", {"code": 5}), ("execute_request", {"code": None}),
                          ("execute_request", {"code": "1", "user_expressions": [1]}),
                          ("complete_request", {"code": []}), ("complete_request", {"code": "x", "cursor_pos": "y"}),
                          ("inspect_request", {}), ("is_complete_request", {"code": {}}), ("history_request", {}),
                          ("nosuch_request", {})):
        reply = front.ask(kind, **content).reply
        same((kind, content, reply["status"]), (kind, content, "error"))
        assert reply["ename"] and reply["evalue"], reply
    message = session.msg("shutdown_request", {"restart": "perhaps"})
    front.client.control_channel.send(message)
    same(front.client.get_control_msg(timeout=PATIENCE)["content"]["status"], "error")
    same(front.run("'alive'").result(), "'alive'")
    same(front.ask("complete_request", code="ab", cursor_pos=-5).reply["cursor_end"], 0)


def test_messages_with_a_byte_changed(front):
    front.run(MODULE)
    session = front.client.session
    draw = random.Random(1)
    kinds = [("execute_request", {"code": "x = [1, 2]", "silent": False, "user_expressions": {"a": "x"}}),
             ("complete_request", {"code": "Mod.fun", "cursor_pos": 7}), ("inspect_request", {"code": "print(", "cursor_pos": 6}),
             ("is_complete_request", {"code": "for i in x:"}), ("history_request", {"hist_access_type": "tail", "n": 3}),
             ("comm_info_request", {}), ("comm_open", {"comm_id": "c", "target_name": "t", "data": {}})]
    for _ in range(1000):
        kind, content = draw.choice(kinds)
        parts = session.serialize(session.msg(kind, content))[2:]
        changed = draw.randrange(4)
        part = bytearray(parts[changed])
        part[draw.randrange(len(part))] = draw.choice(b'{}[]",:0-x\\\x00\xff')
        parts[changed] = bytes(part)
        front.client.shell_channel.socket.send_multipart([b"<IDS|MSG>", session.sign(parts), *parts])
    same(front.ask("kernel_info_request").reply["status"], "ok")
    same(front.run("'alive'").result(), "'alive'")


def test_conformance(front):
    del front  # it starts kernels of its own
    suite = unittest.defaultTestLoader.loadTestsFromTestCase(conformance.Conformance)
    done = unittest.TextTestRunner(stream=sys.stdout, verbosity=0).run(suite)
    assert done.wasSuccessful(), done
    # No pager and nothing that takes back an output is there.
    same(sorted(str(reason) for _, reason in done.skipped), ["No code clear output", "No code page something"])
    assert done.testsRun >= 10, done


# ---- notebooks ----


def test_notebooks_of_the_goldens(front):
    count = 0
    for path in sorted(notebooks.SEEDS.glob("*.mlc")):
        count += notebooks.compare_with_golden(path)
    assert count >= 20, f"{count} outputs"


def test_a_notebook_prints_what_the_session_does(front):
    notebooks.compare_with_session(front.mlc)


# ---- the command ----


def test_install(front):
    with tempfile.TemporaryDirectory() as folder:
        def call(*arguments, **environment):
            done = subprocess.run([front.mlc, "jupyter", *arguments], capture_output=True, text=True, check=False,
                                  env={**os.environ, **environment})
            return done.returncode, done.stdout + done.stderr

        folder = pathlib.Path(folder)
        code, said = call("install", "--prefix", folder / "p")
        kernel = folder / "p/share/jupyter/kernels/mlc"
        same((code, str(kernel) in said), (0, True))
        described = json.loads((kernel / "kernel.json").read_text())
        same(described["argv"][1:], ["jupyter", "kernel", "{connection_file}"])
        assert pathlib.Path(described["argv"][0]).samefile(front.mlc)
        same(call("install", "--user", JUPYTER_DATA_DIR=str(folder / "d"))[0], 0)
        assert (folder / "d/kernels/mlc/kernel.json").exists()
        (folder / "file").write_text("")
        (folder / "broken.json").write_text('{"ip": "127.0.0.1", "key": ""}')
        for wrong in (("install", "--user", "--prefix", "x"), ("kernel",), ("kernel", folder / "none.json"),
                      ("kernel", folder / "file"), ("kernel", folder / "broken.json"), ("install", "x"), ("nosuch",), (),
                      ("kernel", "--user", "x"), ("install", "--prefix", folder / "file")):
            code, said = call(*wrong)
            same((wrong, code), (wrong, 2))
            assert said.startswith("error: "), said


def main():
    mlc = shutil.which(sys.argv[1]) or sys.argv[1]
    tests = {name: test for name, test in globals().items() if name.startswith("test_")}
    chosen = sys.argv[2:] or list(tests)
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        install(mlc, pathlib.Path(folder))
        for name in chosen:
            shutil.rmtree(pathlib.Path(folder) / "state", ignore_errors=True)
            try:
                with Front() as front:
                    front.mlc = mlc
                    tests[name](front)
            except Exception:  # pylint: disable=broad-except
                failed += 1
                print(f"FAILED {name}")
                traceback.print_exc(file=sys.stdout)
    print(f"{len(chosen) - failed} passed, {failed} failed")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
