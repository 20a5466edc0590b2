# SPDX-License-Identifier: Apache-2.0
"""Indices out of range as `mlc check` finds them, compared with every iteration of random loop nests.

    python3 tests/fuzz/out_of_range.py MLC [--seed N] [--count N]

Each function has up to three short loops, conditions around and one store. What is reported must happen; what happens
must be reported, since all loops are short enough to be tried whole.
"""
import argparse
import itertools
import json
import pathlib
import random
import subprocess
import sys
import tempfile

FEWEST = 0.15  # of the functions leave their buffer, and as many do not


def expression(draw, names, depth=2):
    if depth == 0 or draw.random() < 0.3:
        return draw.choice(names) if draw.random() < 0.75 else str(draw.randint(0, 9))
    a, b = expression(draw, names, depth - 1), expression(draw, names, depth - 1)
    operator = draw.choice(["+", "+", "-", "*", "//", "%", "min", "max"])
    if operator in ("//", "%"):
        return f"({a}) {operator} {draw.randint(1, 7)}"
    return f"T.{operator}({a}, {b})" if operator in ("min", "max") else f"({a}) {operator} ({b})"


def value(text, names):
    return eval(text.replace("T.", ""), {"min": min, "max": max, **names})  # noqa: S307: made above


def leaves(names, ranges, conditions, index, size):
    for values in itertools.product(*ranges):
        now = dict(zip(names, values))
        if all(value(each, now) for each in conditions) and not 0 <= value(index, now) < size:
            return True
    return False


def function(draw, number):
    """The lines of a function, and whether its store leaves the buffer."""
    begins = [(draw.randint(-3, 3), draw.randint(0, 9)) for _ in range(draw.randint(1, 3))]
    names = ["i", "j", "k"][: len(begins)]
    size = draw.randint(1, 40)
    # A loop variable in it, so that it is no constant, which the parser judges by itself.
    index = f"{expression(draw, names)} + {names[0]} * {draw.randint(1, 2)}"
    conditions = []
    if draw.random() < 0.6:
        comparison = draw.choice(["<", "<=", "==", ">", "!="])
        conditions.append(f"{expression(draw, names)} {comparison} {expression(draw, names)}")
    if draw.random() < 0.3:
        conditions.append(f"{names[-1]} < {draw.randint(0, 9)}")
    lines = ["@T.prim_func(s_tir=True)", f"def f{number}(A: T.Buffer(({size},), 'float32')):"]
    indent = "    "
    for name, (begin, extent) in zip(names, begins):
        lines.append(f"{indent}for {name} in range({begin}, {begin + extent}):")
        indent += "    "
    for condition in conditions:
        lines.append(f"{indent}if {condition}:")
        indent += "    "
    lines.append(f"{indent}A[{index}] = 1.0")
    ranges = [range(begin, begin + extent) for begin, extent in begins]
    return lines, leaves(names, ranges, conditions, index, size)


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("mlc")
    arguments.add_argument("--seed", type=int, default=1)
    arguments.add_argument("--count", type=int, default=600)
    given = arguments.parse_args()
    draw = random.Random(given.seed)
    lines, wrong, right = ["from tvm.script import tirx as T"], set(), set()
    for number in range(given.count):
        body, is_wrong = function(draw, number)
        lines += ["", *body]
        (wrong if is_wrong else right).add(len(lines))
    with tempfile.TemporaryDirectory() as folder:
        program = pathlib.Path(folder) / "indices.mlc"
        program.write_text("\n".join(lines) + "\n")
        shown = subprocess.run([given.mlc, "check", "--json", program], capture_output=True, text=True, check=False)
    found, other = set(), []
    for line in shown.stdout.splitlines():
        diagnostic = json.loads(line)
        if diagnostic["name"] == "out-of-bounds":
            found.add(diagnostic["span"]["line"])
        elif diagnostic["name"] != "index-out-of-range":  # where simplification leaves a constant
            other.append(line)
    complaints = [f"reported and does not happen: {lines[line - 1]}" for line in sorted(found & right)]
    complaints += [f"happens and is not reported: {lines[line - 1]}" for line in sorted(wrong - found)]
    complaints += [f"not asked for: {line}" for line in other]
    for name, those in (("leave their buffer", wrong), ("do not", right)):
        if len(those) < FEWEST * given.count:
            complaints.append(f"only {len(those)} of {given.count} functions {name}")
    print("\n".join(complaints[:20]))
    print(f"seed {given.seed}: {given.count} functions, {len(wrong)} leave their buffer, {len(found)} reported")
    print(f"{given.count - len(complaints)} passed, {len(complaints)} failed")
    return bool(complaints)


sys.exit(main())
