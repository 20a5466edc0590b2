# SPDX-License-Identifier: Apache-2.0
"""Runs one program of random kernels under TVM and under mlc, and compares what it prints of each kernel, stage by stage.

The program prints `=== name stage` before the text of a stage, and `=== name refused` before a refusal.
"""
import argparse
import collections
import difflib
import pathlib
import re
import subprocess
import tempfile


def arguments(count):
    parser = argparse.ArgumentParser()
    parser.add_argument("mlc")
    parser.add_argument("python")
    parser.add_argument("--count", type=int, default=count)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--family")
    return parser.parse_args()


def parts_of(text):
    found, current = {}, None
    for line in text.splitlines():
        mark = re.match(r"=== (\S+) (\w+)$", line)
        if mark:
            current = found.setdefault(mark.groups(), [])
        elif current is not None:
            current.append(line)
    return {key: "\n".join(lines).strip() for key, lines in found.items()}


def verdict(name, stages, theirs, ours):
    refused = [each.get((name, "refused")) for each in (theirs, ours)]
    for stage in stages:
        left, right = theirs.get((name, stage)), ours.get((name, stage))
        if left is None and right is None:
            return "both refuse" if refused[0] == refused[1] else "refused otherwise"
        if left is None or right is None:
            return f"only {'TVM' if left is None else 'mlc'} refuses ({stage})"
        if left != right:
            return f"different ({stage})"
    return "equal"


def compare(options, program, cases, stages, allowed, least):
    """Exits with 1 when a verdict is not allowed, or when fewer than one kernel in `least` was compared.

    cases: (name, what it is for, text) of each kernel; the name begins with its family.
    """
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "kernels.mlc"
        path.write_text(program)
        commands = ([options.python, "-W", "ignore", str(path)], [options.mlc, "run", str(path)])
        theirs, ours = [parts_of(subprocess.run(c, capture_output=True, text=True).stdout) for c in commands]
    sums = collections.defaultdict(collections.Counter)
    failed = 0
    for name, wanted, text in cases:
        said = verdict(name, stages, theirs, ours)
        sums[name.split("-")[0]][said] += 1
        if said not in ("equal", "both refuse", *allowed):
            failed += 1
            print(f"{name} for {wanted}: {said}\n{text}")
            for stage in stages:
                sides = [each.get((name, stage), "").splitlines() for each in (theirs, ours)]
                print("\n".join(list(difflib.unified_diff(*sides, "TVM", "mlc", lineterm="", n=1))[:30]))
    for family, counter in sums.items():
        print(family, dict(counter))
    equal = sum(counter["equal"] for counter in sums.values())
    # Kernels that both refuse show little.
    if equal * least < len(cases):
        failed += 1
        print(f"only {equal} of {len(cases)} kernels were compared")
    print(f"{len(cases) - failed} passed, {failed} failed")
    raise SystemExit(failed > 0)
