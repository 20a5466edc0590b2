# SPDX-License-Identifier: Apache-2.0
"""Random inputs for as long as it is told: every fuzz target and generator with fresh seeds, in parallel.

    python3 tests/fuzz/campaign.py BUILD SECONDS [--jobs N] [--python PYTHON] [--out FOLDER] [NAME...]

NAMEs choose targets (`schedule`, `codegen`, ...). Each turn runs one of them for a slice of the time with a new seed, in a
folder of its own; a turn that fails leaves its folder under FOLDER, with the log, the command that runs it again and, from
the targets in C++, the shrunk input. PYTHON has apache-tvm and numpy; the generators that need them are left out, and
named, where there is none. Ends with turns, counts and failures by target and fails if a turn failed or a target had none.
"""
import argparse
import collections
import concurrent.futures
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys
import threading
import time

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent


def targets(build, python):
    """name: the command of a turn, from seconds and a seed."""
    mlc = build / "repl/mlc"
    found = {}
    for path in sorted((build / "tests").glob("fuzz_*")):
        if path.is_file() and os.access(path, os.X_OK):
            name = path.name.removeprefix("fuzz_")
            # An input of codegen is a dozen programs for a compiler.
            more = ["--limit-ms", 60000] if name == "codegen" else []
            # Where bytes are seeds, those of files are the same in each turn.
            more += [] if name in ("codegen", "graph") else [ROOT / "tests", ROOT / "examples"]
            found[name] = lambda seconds, seed, path=path, more=more: [
                path, "--seconds", f"{seconds:.0f}", "--seed", seed, *more]
    # Their inputs are counted, not timed: about as many as a processor does in a minute.
    found["script_expressions"] = lambda seconds, seed: [
        sys.executable, "-W", "ignore", ROOT / "tests/script/fuzz_expressions.py", mlc, "--jobs", 1, "--seed", seed,
        "--count", int(150 * seconds)]
    found["script_programs"] = lambda seconds, seed: [
        sys.executable, "-W", "ignore", ROOT / "tests/script/fuzz_programs.py", mlc, "--jobs", 1, "--seed", seed,
        "--count", int(5 * seconds)]
    if python:
        found["numpy_expressions"] = lambda seconds, seed: [
            python, "-W", "ignore", HERE / "numpy_expressions.py", mlc, seed, int(100 * seconds)]
        for name in ["te_programs", "network_programs"]:
            found[name] = lambda seconds, seed, name=name: [
                python, "-W", "ignore", HERE / f"{name}.py", mlc, "--seed", seed, "--seconds", int(seconds)]
    return found


def turn(name, command, folder):
    """Runs it; what it counted, and whether it failed."""
    folder.mkdir(parents=True)
    command = [str(each) for each in command]
    with open(folder / "log", "w", encoding="utf-8") as log:
        status = subprocess.run(command, cwd=folder, stdout=log, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL,
                                check=False).returncode
    (folder / "command").write_text(" ".join(command) + "\n")
    text = (folder / "log").read_text(errors="replace")
    counts = {label: (int(part), int(whole)) for label, part, whole in
              re.findall(r"^([a-z][a-z ,]*): (\d+) of (\d+)", text, re.M)}
    counts |= {"inputs": (int(n), int(n)) for n in re.findall(r"^(\d+) inputs, \d+ bytes", text, re.M)}
    if status == 0:
        shutil.rmtree(folder)
    return name, counts, status


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("seconds", type=float)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--python")
    parser.add_argument("--out", type=pathlib.Path, default=ROOT / ".cache/fuzz/found")
    options = parser.parse_args()
    known = targets(options.build.resolve(), options.python)
    for name in options.names:
        if name not in known:
            parser.error(f"no target is called {name}; there are {', '.join(known)}")
    names = options.names or list(known)
    if not options.python:
        print("without apache-tvm and numpy: numpy_expressions, te_programs and network_programs are left out")

    # Every target gets a turn; long campaigns give each many.
    piece = max(2.0, min(120.0, options.seconds * options.jobs / len(names)))
    end = time.monotonic() + options.seconds
    lock = threading.Lock()
    turns, failures = collections.Counter(), collections.Counter()
    totals = collections.defaultdict(collections.Counter)
    order = iter(range(sys.maxsize))

    def worker():
        while True:
            with lock:
                number = next(order)
            if number >= len(names) and time.monotonic() + piece / 2 > end:
                return
            name = names[number % len(names)]
            seed = random.SystemRandom().randrange(1 << 31)
            folder = options.out / f"{name}-{seed}"
            name, counts, status = turn(name, known[name](piece, seed), folder)
            with lock:
                turns[name] += 1
                for label, (part, whole) in counts.items():
                    totals[name][label] += part
                    totals[name][label, "of"] += whole
                if status != 0:
                    failures[name] += 1
                    print(f"{name}, seed {seed}: failed, see {folder}", flush=True)

    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for each in [pool.submit(worker) for _ in range(options.jobs)]:
            each.result()
    for name in names:
        sums = totals[name]
        said = [f"{label} {sums[label]}" + (f" of {sums[label, 'of']}" if sums[label] != sums[label, "of"] else "")
                for label in sums if isinstance(label, str)]
        print(f"{name}: {turns[name]} turns, {failures[name]} failed; {', '.join(said) or 'nothing was counted'}")
    bad = sum(failures.values()) + sum(turns[name] == 0 for name in names)
    print(f"{sum(turns.values()) - sum(failures.values())} passed, {bad} failed")
    sys.exit(bad != 0)


main()
