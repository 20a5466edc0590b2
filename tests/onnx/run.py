#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""ONNX's own tests of operators, run by mlc: python3 run.py MLC [--only PATTERN] [--every N] [--least SHARE]

The package `onnx` (PyPI) makes the tests: a model of one node each, inputs, and what must come out. They are written to a
folder; mlc reads the models, runs them in the interpreter of graphs and compares (node_tests.mlc). Prints what has not
passed, by reason, and passed of all; fails when fewer than --least pass.
"""

import argparse
import collections
import fnmatch
import pathlib
import subprocess
import sys
import tempfile
import warnings

CHUNK = 60  # tests of one process
SECONDS = 120  # for one process


def write_tests(folder, only, every):
    """A folder for each test; the names of all, and of those that have no tensors alone."""
    warnings.simplefilter("ignore")
    import numpy as np
    import onnx
    from onnx import numpy_helper
    from onnx.backend.test.loader import load_model_tests

    try:
        from onnx.backend.test.case.node import collect_testcases

        cases = collect_testcases(None)
    except TypeError:
        cases = collect_testcases()
    names, others = [], []
    for case in cases:
        if not fnmatch.fnmatch(case.name, only):
            continue
        if case.model is None or not case.data_sets:
            others.append(case.name)
            continue
        model = case.model
        values = [value for data in case.data_sets for part in data for value in part]
        if not all(isinstance(v, (np.ndarray, np.generic, int, float)) and np.asarray(v).dtype != object for v in values):
            others.append(case.name)
            continue
        try:
            where = folder / case.name
            where.mkdir()
            for kind, part in zip(("in", "out"), case.data_sets[0]):
                for i, value in enumerate(part):
                    tensor = numpy_helper.from_array(np.asarray(value))
                    (where / f"{kind}{i}.pb").write_bytes(tensor.SerializeToString())
            (where / "model.onnx").write_bytes(model.SerializeToString())
            (where / "tolerance").write_text(f"{case.rtol} {case.atol}")
        except (TypeError, ValueError):  # texts
            others.append(case.name)
            continue
        names.append(case.name)
    return names[::every], others


def run(mlc, folder, names):
    """Result by name: `pass`, or the reason."""
    results = {}
    script = pathlib.Path(__file__).with_name("node_tests.mlc")
    at = 0
    while at < len(names):
        chunk = names[at : at + CHUNK]
        (folder / "list").write_text("\n".join(chunk))
        try:
            done = subprocess.run(
                [mlc, "run", script, folder], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=SECONDS
            )
            output, reason = done.stdout, f"mlc ends with {done.returncode}"
        except subprocess.TimeoutExpired as late:
            output, reason = (late.stdout or b"").decode("utf-8", "replace"), "takes too long"
        for line in output.splitlines():
            if line.startswith("TEST "):
                name, result = line[5:].split(" ", 1)
                results[name] = result
        answered = [name for name in chunk if name in results]
        if len(answered) < len(chunk):  # the first without an answer has ended the process
            results[chunk[len(answered)]] = reason
        at += min(len(answered) + 1, len(chunk))
    return results


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("mlc")
    parser.add_argument("--only", default="*")
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--least", type=float, default=0.0)
    parser.add_argument("--verbose", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch)
        names, others = write_tests(folder, options.only, options.every)
        results = run(options.mlc, folder, names)
    given = sum(result == "pass with constants" for result in results.values())
    passed = given + sum(result == "pass" for result in results.values())
    reasons = collections.defaultdict(list)
    for name, result in results.items():
        if not result.startswith("pass"):
            reasons[result if options.verbose else result.split(":")[0]].append(name)
    for reason, failed in sorted(reasons.items(), key=lambda each: -len(each[1])):
        print(f"{len(failed):4} {reason}: {' '.join(failed if options.verbose else failed[:4])}")
    share = passed / max(len(names), 1)
    print(
        f"{passed} of {len(names)} node tests pass ({share:.1%}), {given} of them with shapes, axes and the "
        f"like as constants; {len(others)} of texts, sequences and optionals are not run"
    )
    enough = bool(names) and share >= options.least
    print("1 passed, 0 failed" if enough else "0 passed, 1 failed")
    return 0 if enough else 1


if __name__ == "__main__":
    sys.exit(main())
