# SPDX-License-Identifier: Apache-2.0
"""Random index expressions under mlc and under the oracle: what tvm.sym makes of them, compared as text.

    python tests/fuzz/arith_expressions.py MLC [SEED [COUNT [PYTHON]]]

PYTHON has tvm. Prints the share of equal texts per analysis, and writes what differs to arith_differences.txt in
the current folder. That values are kept is tested by the unit test of the simplifier, on random expressions.
"""
import collections
import pathlib
import random
import subprocess
import sys
import tempfile

R = random.Random()
VARS = ["x", "y", "z", "i", "j", "k"]


def const():
    return str(R.choice([0, 1, 1, 2, 2, 3, 4, 4, 5, 6, 7, 8, 8, 12, 16, 16, 32, 64, -1, -2, -3, -4, -8]))


def positive():
    return str(R.choice([1, 2, 2, 3, 4, 4, 5, 6, 8, 8, 12, 16, 32]))


def index(depth):
    """An integer expression as Python text."""
    if depth <= 0 or R.random() < 0.12:
        return R.choice(VARS) if R.random() < 0.85 else f"tirx.const({const()}, 'int32')"
    r = R.random()
    sub = lambda: index(depth - 1 - (R.random() < 0.3))
    if r < 0.22:
        return f"({sub()} + {sub() if R.random() < 0.7 else const()})"
    if r < 0.34:
        return f"({sub()} - {sub() if R.random() < 0.7 else const()})"
    if r < 0.50:
        return f"({sub()} * {const() if R.random() < 0.85 else sub()})"
    if r < 0.63:
        return f"({sub()} // {positive()})"
    if r < 0.76:
        return f"({sub()} % {positive()})"
    if r < 0.86:
        return f"tirx.{R.choice(['min', 'max'])}({sub()}, {sub() if R.random() < 0.7 else const()})"
    if r < 0.90:
        return f"tirx.Select({condition(depth - 1)}, {sub()}, {sub()})"
    if r < 0.93:
        return f"tirx.{R.choice(['truncdiv', 'truncmod'])}({sub()}, {positive()})"
    if r < 0.95:
        return f"({sub()} {R.choice(['<<', '>>'])} {R.randint(0, 4)})"
    if r < 0.96:
        return f"({sub()} & {R.choice([1, 3, 7, 15])})"
    if r < 0.98:
        return f"tirx.if_then_else({condition(depth - 1)}, {sub()}, {sub()})"
    return f"({sub()} // {R.choice(VARS)})"


def condition(depth):
    r = R.random()
    if depth <= 0 or r < 0.6:
        d = max(depth - 1, 1)
        right = index(d) if R.random() < 0.5 else const()
        return f"({index(d)} {R.choice(['<', '<=', '>', '>=', '==', '!='])} {right})"
    if r < 0.78:
        return f"tirx.And({condition(depth - 1)}, {condition(depth - 1)})"
    if r < 0.92:
        return f"tirx.Or({condition(depth - 1)}, {condition(depth - 1)})"
    return f"tirx.Not({condition(depth - 1)})"


def vector(depth):
    r = R.random()
    if depth <= 0 or r < 0.2:
        if R.random() < 0.6:
            return f"tirx.Ramp({index(1)}, {positive()}, 4)"
        return f"tirx.Broadcast({index(1)}, 4)"
    op = R.choice(["+", "-", "*", "//", "%", "min", "max"])
    if op in "+-":
        return f"({vector(depth - 1)} {op} {vector(depth - 1)})"
    if op in ("min", "max"):
        return f"tirx.{op}({vector(depth - 1)}, {vector(depth - 1)})"
    return f"({vector(depth - 1)} {op} tirx.Broadcast({positive()}, 4))"


def ranges():
    """Of some variables: (name, low, extent)."""
    out = []
    for name in VARS:
        if R.random() < 0.6:
            low = 0 if R.random() < 0.75 else R.choice([-8, -3, 1, 2, 5])
            out.append((name, low, R.choice([1, 2, 3, 4, 5, 7, 8, 8, 10, 16, 16, 32, 64, 128])))
    return out


def iter_map():
    """Indices over loops, mostly affine."""
    loops = [(n, R.choice([1, 2, 3, 4, 8, 8, 16, 16, 32, 12])) for n in R.sample(VARS, R.randint(1, 4))]
    total = 1
    fused = None
    for n, e in loops:
        fused = n if fused is None else f"({fused} * {e} + {n})"
        total *= e
    indices = []
    kind = R.random()
    if kind < 0.45:
        f = R.choice([2, 3, 4, 8, 16])
        g = R.choice([1, 2, 4])
        indices = [f"({fused} // {f * g})", f"({fused} % {f * g} // {g})", f"({fused} % {g})"][: R.randint(1, 3)]
        if R.random() < 0.3:
            indices[0] = f"({indices[0]} + {R.randint(1, 5)})"
    elif kind < 0.8:
        for n, e in loops:
            d = R.choice([1, 2, 4])
            r = R.random()
            if r < 0.3:
                indices.append(n)
            elif r < 0.6:
                indices += [f"({n} // {d})", f"({n} % {d})"]
            else:
                other, _ = R.choice(loops)
                indices.append(f"({n} * {R.choice([1, 2, 4, 8])} + {other})")
    else:
        indices = [index(2) for _ in range(R.randint(1, 2))]
    predicate = "True"
    if R.random() < 0.3:
        predicate = f"({fused} < {max(1, total - R.randint(0, 6))})"
        if R.random() < 0.3:
            predicate = f"tirx.And({predicate}, {loops[0][0]} < {max(1, loops[0][1] - 1)})"
    return loops, indices, predicate


HEAD = """import tvm
from tvm import tirx
import tvm.sym as sym
x, y, z, i, j, k = [tirx.Var(n, "int32") for n in "xyzijk"]
def iter_map(*args):
    r = sym.detect_iter_map(*args)
    padding = r.padding_predicate
    return r.indices, list(map(str, r.errors)), None if padding is None else sym.normalize_iter_map_to_expr(padding)
def show(case, what, f):
    try:
        text = str(f())
    except Exception as e:
        text = "raises " + type(e).__name__
    print(case + " " + what + " | " + text.replace("\\n", "; "))
"""


def program(count, seed):
    R.seed(seed)
    lines = [HEAD]
    cases = []
    for n in range(count):
        kind = R.random()
        lines.append(f"def case{n}():")
        lines.append("    ana = sym.Analyzer()")
        bounds = ranges()
        for name, low, extent in bounds:
            lines.append(f"    ana.bind({name}, tvm.ir.Range.from_min_extent({low}, {extent}))")
        scope = ""
        tag = f"'{n}'"
        if kind < 0.72:
            shape = R.random()
            e = index(R.randint(1, 4)) if shape < 0.7 else condition(R.randint(1, 3)) if shape < 0.9 else vector(R.randint(0, 2))
            cases.append(f"{e}  with {bounds}")
            if R.random() < 0.2:
                lines.append(f"    scope = ana.constraint_scope({condition(1)})")
                cases[-1] += " under " + lines[-1][4:]
                scope = "scope"
            lines.append(f"    e = {e}")
            if scope:
                lines.append("    scope.__enter__()")
            lines.append(f"    show({tag}, 'text', lambda: e)")
            for what in ("simplify", "rewrite_simplify", "canonical_simplify"):
                lines.append(f"    show({tag}, '{what}', lambda: ana.{what}(e))")
            if shape < 0.7:
                lines.append(f"    show({tag}, 'const_int_bound', lambda: ana.const_int_bound(e))")
                lines.append(f"    show({tag}, 'modular_set', lambda: ana.modular_set(e))")
                lines.append(f"    show({tag}, 'int_set', lambda: ana.int_set(e))")
            elif shape < 0.9:
                lines.append(f"    show({tag}, 'can_prove', lambda: ana.can_prove(e))")
        else:
            loops, indices, predicate = iter_map()
            cases.append(f"{indices} of {loops} where {predicate}")
            dom = ", ".join(f"{v}: tvm.ir.Range(0, {e})" for v, e in loops)
            level = R.choice(["surjective", "surjective", "bijective", "nocheck"])
            divided = "surjective" if level == "nocheck" else level
            trivial = R.choice(["True", "True", "False"])
            rest = f"[{', '.join(indices)}], {{{dom}}}, {predicate}, '{level}', {trivial}"
            cases[-1] += f" {level} {trivial}"
            lines.append(f"    show({tag}, 'detect_iter_map', lambda: iter_map({rest}))")
            lines.append(f"    show({tag}, 'iter_map_simplify', lambda: sym.iter_map_simplify({rest}))")
            inner = ", ".join(v for v, _ in loops[len(loops) // 2 :])
            lines.append(
                f"    show({tag}, 'subspace_divide', lambda: sym.subspace_divide([{', '.join(indices)}], {{{dom}}}, [{inner}], {predicate}, '{divided}'))"
            )
            lines.append(
                f"    show({tag}, 'normalize_to_iter_sum', lambda: sym.normalize_to_iter_sum({indices[0]}, {{{dom}}}))"
            )
        lines.append(f"try: case{n}()\nexcept Exception: pass")
    return "\n".join(lines) + "\n", cases


def answers(command, text):
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "arith_fuzz.py"
        path.write_text(text)
        done = subprocess.run(command + [str(path)], capture_output=True, text=True, timeout=1200)
    out = {}
    for line in done.stdout.splitlines():
        key, _, value = line.partition(" | ")
        out[key] = value
    if not out or done.returncode:
        sys.stderr.write(done.stderr[-2000:])
    return out


def main():
    mlc = sys.argv[1]
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else 1
    count = int(sys.argv[3]) if len(sys.argv) > 3 else 500
    python = sys.argv[4] if len(sys.argv) > 4 else sys.executable
    text, cases = program(count, seed)
    ours, theirs = answers([mlc, "run"], text), answers([python], text)
    same, total = collections.Counter(), collections.Counter()
    with open("arith_differences.txt", "w") as out:
        for key, value in theirs.items():
            number, what = key.split(" ")
            # What was built differs: then the analyses are of different things.
            if what != "text" and theirs.get(f"{number} text") != ours.get(f"{number} text"):
                continue
            total[what] += 1
            if ours.get(key) == value:
                same[what] += 1
            else:
                out.write(f"{what} #{number}: {cases[int(number)]}\n  text   {theirs.get(number + ' text')}\n")
                out.write(f"  oracle {value}\n  mlc    {ours.get(key)}\n")
    for what in total:
        print(f"{what:22} {same[what]:6} of {total[what]:6}  {100 * same[what] / total[what]:.1f} %")


if __name__ == "__main__":
    main()
