# SPDX-License-Identifier: Apache-2.0
"""Runs golden files and examples under CPython with apache-tvm and compares with what they expect of mlc.

    python tests/oracle.py MLC PATH...

Statements run one by one, as `mlc test` runs them. Output must be the same byte for byte, but for the words of
exceptions that TVM, NumPy or Python raise: their classes and the fact of refusal are compared, what they say is
not (those that the golden raises itself are). Where the golden expects a diagnostic, CPython must raise something
too. Deliberate differences stand in oracle_differences.txt
(`path: reason`) or in the file itself (`# golden: no-oracle (reason)`).
"""
import argparse
import ast
import contextlib
import difflib
import io
import json
import linecache
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import time
import traceback
import types
import warnings

ROOT = pathlib.Path(__file__).resolve().parent.parent
LIMIT = 180  # seconds for one file: TVM waits for ever on some wrong arguments


def expectations(lines, start):
    """The `#|` and `#!` lines from line `start` on (0-based), until one that is neither."""
    out, errors = [], []
    for line in lines[start:]:
        mark = line.lstrip()[:2]
        if mark not in ("#|", "#!"):
            break
        (out if mark == "#|" else errors).append(line.lstrip()[3:])
    return out, errors


def without_end(lines):
    """The lines but for empty ones at the end."""
    while lines and not lines[-1]:
        lines = lines[:-1]
    return lines


def chunks(text):
    """Groups of statements that end on the same line: (statements, last line)."""
    groups = []
    for stmt in ast.parse(text).body:
        if groups and groups[-1][1] >= stmt.end_lineno:
            groups[-1][0].append(stmt)
        else:
            groups.append(([stmt], stmt.end_lineno))
    return groups


class NoteCaught(ast.NodeTransformer):
    """Every `except` hands its exception to `__caught__` first."""

    def visit_ExceptHandler(self, node):
        self.generic_visit(node)
        call = ast.parse("__caught__()").body[0]
        for part in ast.walk(call):
            ast.copy_location(part, node)
        node.body.insert(0, call)
        return node


def words_of(error, file):
    """What an exception says, whole and line by line, unless a statement of this file raised it."""
    last = error.__traceback__
    while last is not None and last.tb_next is not None:
        last = last.tb_next
    if last is not None and last.tb_frame.f_code.co_filename.startswith(file):
        line = linecache.getline(last.tb_frame.f_code.co_filename, last.tb_lineno)
        if line.lstrip().startswith("raise"):
            return []
    words = [str(error), *(str(one) for one in error.args)]
    words += [repr(one) for one in words]
    return [part for one in words for part in [one.strip(), *one.split("\n"), *(line.strip() for line in one.split("\n"))]]


def same_but_for(words, theirs, ours):
    """Whether two outputs are the same where each of `words` in theirs may be anything in ours."""
    pieces = [theirs]
    for one in sorted({one for one in words if len(one) > 5}, key=len, reverse=True):
        pieces = [part for piece in pieces for part in _between(piece, one)]
    # The texts between the words stand in ours in this order, the first at its beginning, the last at its end.
    fixed = [""]
    for piece in pieces:
        if piece is None:
            fixed.append("")
        else:
            fixed[-1] += piece
    if len(fixed) == 1:
        return ours == fixed[0]
    if not ours.startswith(fixed[0]) or not ours.endswith(fixed[-1]):
        return False
    at, end = len(fixed[0]), len(ours) - len(fixed[-1])
    for text in fixed[1:-1]:
        found = ours.find(text, at, end)
        if found < 0:
            return False
        at = found + len(text)
    return at <= end


def _between(piece, words):
    if piece is None:
        return [None]
    parts = []
    for part in piece.split(words):
        parts += [part, None]
    return parts[:-1]


def with_offsets_in_order(lines):
    """The lines with the variables of element offsets numbered as the buffers stand: TVM numbers those that nothing
    else uses by their addresses, another way in each run."""
    names = dict.fromkeys(re.findall(r"elem_offset=(elem_offset(?:_\d+)?)\b", "\n".join(lines)))
    if len(names) < 2:
        return lines
    lines = [line for line in lines if not re.fullmatch(r"elem_offset(_\d+)? = TypeVar\(.*\)", line)]
    numbers = {name: f"elem_offset#{number}" for number, name in enumerate(names)}
    return [re.sub(r"\belem_offset(_\d+)?\b(?!=)", lambda m: numbers.get(m[0], m[0]), line) for line in lines]


def run_golden(path):
    text = path.read_text()
    lines = text.split("\n")
    try:
        groups = chunks(text)
    except SyntaxError:
        expected = any(line.lstrip().startswith("#! error") for line in lines)
        return [] if expected else ["CPython finds a syntax error, mlc does not"]
    module = types.ModuleType("__main__")
    sys.modules["__main__"] = module
    sys.argv = [str(path)]
    problems = []
    caught = []  # the words of exceptions that the running statements have handled

    def note_caught():
        error = sys.exc_info()[1]
        while error is not None:
            caught.extend(words_of(error, str(path)))
            error = error.__cause__ or error.__context__

    module.__dict__["__caught__"] = note_caught
    for number, (stmts, last) in enumerate(groups):
        # TVM reads the source of decorated definitions back: each group is a file of its own to it.
        name = f"{path}#{number}"
        first = min(d.lineno for s in stmts for d in [s, *getattr(s, "decorator_list", [])])
        source = "\n" * (first - 1) + "\n".join(lines[first - 1 : last]) + "\n"
        linecache.cache[name] = (len(source), None, source.splitlines(True), name)
        module.__file__ = name
        out = io.StringIO()
        error = None
        caught.clear()
        tree = NoteCaught().visit(ast.Module(stmts, []))
        with contextlib.redirect_stdout(out):
            try:
                exec(compile(tree, name, "exec"), module.__dict__)
            except SystemExit:
                break
            except BaseException as e:  # TVM raises classes of its own
                error = e
        expected, diagnostics = expectations(lines, last)
        shown = with_offsets_in_order(without_end([line.rstrip() for line in out.getvalue().split("\n")]))
        ours = with_offsets_in_order(without_end([line.rstrip() for line in expected]))
        if ours != shown and not same_but_for(caught, "\n".join(shown), "\n".join(ours)):
            diff = difflib.unified_diff(expected, shown, "mlc", "CPython + TVM", lineterm="", n=1)
            problems.append(f"line {last}: other output\n" + "\n".join(diff))
        if error is not None and not diagnostics:
            problems.append(f"line {last}: raises {type(error).__name__}: {str(error)[:500]}")
        if error is None and any(line.startswith("error[") for line in diagnostics):
            problems.append(f"line {last}: raises nothing where mlc reports: {diagnostics[0]}")
    return problems


def run_example(mlc, path):
    """Examples print times; what they define must be the same."""
    copy = pathlib.Path(ROOT, ".cache", path.stem + "_oracle.py")
    copy.parent.mkdir(exist_ok=True)
    copy.write_text(path.read_text())
    module = types.ModuleType(path.stem)
    module.__file__ = str(copy)
    sys.modules[path.stem] = module
    sys.argv = [str(path)]
    with contextlib.redirect_stdout(io.StringIO()):
        try:
            exec(compile(copy.read_text(), str(copy), "exec"), module.__dict__)
        except SystemExit:
            return []
    last = None
    for value in module.__dict__.values():
        value = getattr(value, "mod", value)
        if hasattr(value, "script") and not isinstance(value, types.ModuleType):
            last = value
    if last is None:
        return []
    theirs = last.script()
    ours = subprocess.run([mlc, "print", str(path)], capture_output=True, text=True, check=False)
    if ours.returncode != 0:
        return ["mlc print fails:\n" + ours.stderr]
    strip = lambda text: [l for l in text.split("\n") if l and "import" not in l]
    if strip(theirs) != strip(ours.stdout):
        return ["\n".join(difflib.unified_diff(strip(ours.stdout), strip(theirs), "mlc", "TVM", lineterm="", n=1))]
    return []


def problems_of(mlc, path):
    try:
        return run_example(mlc, path) if "examples" in path.parts else run_golden(path)
    except Exception as e:  # a defect of this script, or of TVM
        return [f"{type(e).__name__}: {e}"]


def start(mlc, path):
    """Finds the problems of one file in a process of its own: TVM may crash or hang. Forked, so that it need not
    load TVM again: that is most of the time of most files."""
    result, messages = tempfile.TemporaryFile("w+"), tempfile.TemporaryFile("w+")
    sys.stdout.flush()
    pid = os.fork()
    if pid == 0:
        try:
            os.dup2(messages.fileno(), 1)
            os.dup2(messages.fileno(), 2)
            json.dump(problems_of(mlc, pathlib.Path(path)), result)
            result.flush()
            sys.stdout.flush()
            os._exit(0)
        except BaseException:
            traceback.print_exc()
            sys.stderr.flush()
        os._exit(1)
    return pid, result, messages


def problems_of_all(mlc, files):
    """The problems of each file, in order; as many files at a time as there are processors."""
    with contextlib.suppress(ImportError):
        import numpy  # noqa: F401
        import tvm  # noqa: F401
    waiting = list(enumerate(files))
    running = {}  # pid: number, result, messages, deadline
    found = {}
    shown = 0
    while shown < len(files):
        while waiting and len(running) < (os.cpu_count() or 1):
            number, path = waiting.pop(0)
            pid, result, messages = start(mlc, path)
            running[pid] = number, result, messages, time.monotonic() + LIMIT
        pid, status = os.waitpid(-1, os.WNOHANG)
        if pid == 0:
            for late, (number, _, _, deadline) in running.items():
                if time.monotonic() > deadline and number not in found:
                    found[number] = [f"no end after {LIMIT} s"]
                    os.kill(late, signal.SIGKILL)
            time.sleep(0.01)
            continue
        number, result, messages, _ = running.pop(pid)
        for file in (result, messages):
            file.seek(0)
        if number not in found:
            code = os.waitstatus_to_exitcode(status)
            found[number] = json.load(result) if code == 0 else [f"CPython ends with status {code}\n{messages.read()[-2000:]}"]
        while shown in found:
            yield files[shown], found[shown]
            shown += 1


def skipped():
    reasons = {}
    for line in (ROOT / "tests/oracle_differences.txt").read_text().split("\n"):
        if line and not line.startswith("#"):
            path, reason = line.split(": ", 1)
            reasons[path] = reason
    return reasons


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("mlc", help="the program")
    parser.add_argument("paths", nargs="+", metavar="PATH", help="golden files or folders of them")
    arguments = parser.parse_args()
    if arguments.mlc.endswith(".mlc"):
        parser.error(f"the first argument is the program, not a file to compare: {arguments.mlc}")
    warnings.simplefilter("ignore")
    reasons = skipped()
    files = []
    for root in arguments.paths:
        found = [pathlib.Path(root)] if root.endswith(".mlc") else sorted(pathlib.Path(root).rglob("*.mlc"))
        for path in found:
            if "command_line" in path.parts:
                continue
            text = path.read_text()
            match = re.search(r"^# golden: no-oracle \((.*)\)", text, re.M)
            reason = match.group(1) if match else reasons.get(str(path))
            if re.search(r"^(import|from) mlc\b", text, re.M):
                reason = "uses what only mlc has"
            if reason:
                print(f"skipped {path}: {reason}")
            else:
                files.append(str(path))
    failed = 0
    for path, problems in problems_of_all(arguments.mlc, files):
        print(f"{'FAILED' if problems else 'ok'} {path}")
        for problem in problems:
            print("  " + problem.replace("\n", "\n  "))
        failed += bool(problems)
    print(f"{len(files) - failed} passed, {failed} failed")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
