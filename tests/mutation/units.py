# SPDX-License-Identifier: Apache-2.0
"""The suite in parts that can run alone, and which mutants each of them reaches."""
import hashlib
import math
import os
import pathlib
import resource
import shutil
import signal
import subprocess
import tempfile
import threading
import time
from dataclasses import dataclass, field

# A mutant that allocates without end is noticed, not the machine's end.
MEMORY = 6 << 30
WAIT = 20  # times as long by the clock as by the processor
# Inputs of each fuzz target: a few seconds' worth.
FUZZ_COUNTS = {"fuzz_build": 1500, "fuzz_format": 1000, "fuzz_parse": 3000, "fuzz_arith": 2000, "fuzz_codegen": 100,
               "fuzz_graph": 60}


@dataclass
class Unit:
    name: str
    command: list
    sources: list = field(default_factory=list)  # what it depends on beside the program
    seconds: float = 0.0
    reached: frozenset = frozenset()
    differs: frozenset = frozenset()
    passes: bool = False
    # Some leave something in /tmp under a name that is always the same.
    alone: threading.Lock = field(default_factory=threading.Lock)

    def stamp(self):
        digest = hashlib.sha256(" ".join(self.command).encode())
        for source in self.sources:
            digest.update(pathlib.Path(source).read_bytes())
        return digest.hexdigest()

    def runs_into(self, site):
        return site.id in (self.differs if site.tells_difference else self.reached)


class Workplace:
    """A folder that looks like the tree, where one unit at a time runs and leaves what it leaves."""

    def __init__(self, tree):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="mlc-mutation-"))
        for entry in pathlib.Path(tree).iterdir():
            if not entry.name.startswith("."):
                (self.folder / entry.name).symlink_to(entry)
        self.scratch = self.folder / ".scratch"

    def close(self):
        shutil.rmtree(self.folder, ignore_errors=True)

    def run(self, unit, limit, **variables):
        """(exit status or None when it ran out of time, output, seconds). Seconds are the processor's: beside other
        work a unit takes longer, and is no slower for that."""
        with unit.alone:
            return self.run_alone(unit, limit, variables)

    def run_alone(self, unit, limit, variables):
        shutil.rmtree(self.scratch, ignore_errors=True)
        self.scratch.mkdir()
        environment = os.environ | {"XDG_CACHE_HOME": str(self.scratch), "NO_COLOR": "1"} | variables
        with open(self.scratch / "output", "wb") as output:
            process = subprocess.Popen(unit.command, cwd=self.folder, env=environment, stdin=subprocess.DEVNULL,
                                       stdout=output, stderr=subprocess.STDOUT, start_new_session=True,
                                       preexec_fn=lambda: bounded(limit))
            # What waits for ever uses no processor.
            end = time.monotonic() + WAIT * limit
            ended = 0
            while not ended and time.monotonic() < end:
                ended, status, usage = os.wait4(process.pid, os.WNOHANG)
                if not ended:
                    time.sleep(0.01)
            try:
                os.killpg(process.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
            if not ended:
                _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)  # it has been waited for
        late = not ended or process.returncode in (-signal.SIGXCPU, 128 + signal.SIGXCPU)
        return (None if late else process.returncode, (self.scratch / "output").read_text(errors="replace"),
                usage.ru_utime + usage.ru_stime)

    def record(self, unit):
        """Runs it with the right program and writes into it what it reaches."""
        note = self.folder / ".reached"
        note.unlink(missing_ok=True)
        status, output, unit.seconds = self.run(unit, 600, MLC_MUTANTS_REACHED=str(note))
        unit.passes = status == 0
        events = {"reached": set(), "differs": set()}
        if note.exists():
            for line in note.read_text().splitlines():
                mutant, event = line.split()
                events[event].add(int(mutant))
        unit.reached, unit.differs = frozenset(events["reached"]), frozenset(events["differs"])
        return output


def bounded(seconds):
    resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_CPU, (math.ceil(seconds), math.ceil(seconds) + 5))


def fuzz_targets(tree):
    return sorted("fuzz_" + path.stem for path in (tree / "tests/fuzz").glob("*.cpp"))


def all_units(tree, build):
    tree, build = pathlib.Path(tree), pathlib.Path(build)
    program = str(build / "repl/mlc")

    def inside(path):
        return str(path.relative_to(tree))

    def files(*patterns):
        return sorted(path for pattern in patterns for path in tree.glob(pattern))

    apart = tuple(f"tests/{folder}/" for folder in (
        "command_line", "library", "models", "onnx", "torch_export", "cuda", "opencl", "simulate/campaign"))
    for path in files("grammar/*.md", "tests/**/*.mlc", "tests/**/*.repl", "examples/tour/*.mlc"):
        name = inside(path)
        shown = path.suffix != ".mlc" or not name.startswith("examples/") or "\n#|" in path.read_text()
        if shown and not name.startswith(apart):
            yield Unit(name, [program, "test", "--quiet", "-j1", name], [path])
    unit_tests = build / "tests/mlc_unit"
    names = subprocess.run([unit_tests, "--list-test-names-only"], capture_output=True, text=True)
    for name in names.stdout.splitlines()[:-1]:  # the last line is the sum
        escaped = name.replace("\\", "\\\\").replace(",", "\\,").replace("[", "\\[")
        yield Unit(f"mlc_unit: {name}", [str(unit_tests), "-w", "NoTests", escaped], files("tests/unit/*"))
    for path in files("tests/command_line/*.txt"):
        yield Unit(inside(path), ["sh", "tests/command_line/run.sh", program, inside(path)],
                   [path, *(file for file in files("tests/command_line/files/**/*") if file.is_file())])
    inexpressible = (tree / "tests/codegen_c/inexpressible.txt").read_text()
    for path in files("tests/codegen/*.mlc"):
        if f"{path.name}: " not in inexpressible:
            yield Unit(f"codegen_c: {path.name}", ["sh", "tests/codegen_c/run.sh", program, inside(path)], [path])
    for path in files("tests/opencl/*.mlc"):
        yield Unit(inside(path), ["sh", "tests/opencl/run.sh", program, inside(path)], files("tests/opencl/*"))
    yield Unit("tests/cuda/run.sh", ["sh", "tests/cuda/run.sh", program], files("tests/cuda/*"))
    yield Unit("tests/codegen_cuda/run.py", ["python3", "tests/codegen_cuda/run.py", str(unit_tests)],
               files("tests/codegen_cuda/*"))
    simulate = '"$1" run tests/simulate/campaign/run.mlc 60 | tail -n 1 | grep ", 0 failed"'
    yield Unit("tests/simulate/campaign", ["sh", "-c", simulate, "sh", program],
               files("tests/simulate/campaign/*"))
    yield Unit("tests/fuzz/out_of_range.py", ["python3", "tests/fuzz/out_of_range.py", program],
               files("tests/fuzz/out_of_range.py"))
    for name in fuzz_targets(tree):
        inputs = [] if name == "fuzz_schedule" else ["tests", "examples"]
        yield Unit(name, [str(build / "tests" / name), "--seed", "1", "--count", str(FUZZ_COUNTS.get(name, 500)),
                          "--seconds", "600", *inputs])
    consumer = str(build / "tests/library_consumer")
    yield Unit("tests/library", ["sh", "tests/library/run.sh", program, consumer], files("tests/library/*"))
    yield Unit("tests/examples.sh", ["sh", "tests/examples.sh", program], files("examples/*.mlc", "examples/tour/*.mlc"))
    yield Unit("tests/corpus/sample", ["sh", "tests/corpus/sample.sh", program], files("tests/corpus/sample/*"))
