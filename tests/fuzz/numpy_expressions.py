# SPDX-License-Identifier: Apache-2.0
"""Random numpy expressions under mlc and under CPython's numpy, compared.

    python tests/fuzz/numpy_expressions.py MLC [SEED [COUNT]]

Types, shapes and texts must be the same, and the class of an error; sums, powers and functions of the
mathematics library may differ in the last place.
"""
import pathlib
import random
import re
import subprocess
import sys
import tempfile

R = random.Random()
INTS = ["int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"]
FLOATS = ["float16", "float32", "float64"]
TYPES = ["bool"] + INTS + FLOATS


def shape(most=3):
    return tuple(R.choice([0, 1, 1, 2, 3, 4] if R.random() < 0.1 else [1, 2, 3, 4]) for _ in range(R.randint(0, most)))


def array(shp=None, dtype=None, small=False):
    """The text of an array: values made by arithmetic, seen through some view."""
    shp = shape() if shp is None else shp
    dtype = dtype or R.choice(TYPES)
    n = 1
    for s in shp:
        n *= s
    if dtype == "bool":
        values = f"(np.arange({n}) * {R.randint(1, 9)} % {R.randint(2, 5)} > {R.randint(0, 2)})"
    elif dtype in INTS:
        low = 0 if dtype[0] == "u" else -R.randint(0, 9)
        top = R.choice([5, 9, 100]) if not small else 4
        values = f"(np.arange({n}) * {R.randint(1, 97)} % {top} + {low if not small else 0}).astype('{dtype}')"
        if dtype[0] == "u" and not small:
            values = f"(np.arange({n}) * {R.randint(1, 97)} % {top}).astype('{dtype}')"
    else:
        scale = R.choice(["/ 4", "* 0.37", "/ 7", "* 1.5e3", "* 1e-3", "- 2", "* 1.0"])
        values = f"((np.arange({n}) * {R.randint(1, 97)} % {R.randint(3, 101)} - {R.randint(0, 9)}) {scale}).astype('{dtype}')"
    text = f"{values}.reshape({shp})"
    r = R.random()
    if len(shp) >= 2 and r < 0.12:
        text = f"{text}.T"
        shp = shp[::-1]
    elif len(shp) >= 1 and r < 0.2:
        text = f"{text}[::-1]"
    elif len(shp) >= 1 and r < 0.27 and shp[0] > 1:
        text = f"{text}[1:]"
        shp = (shp[0] - 1,) + shp[1:]
    elif dtype in FLOATS and r < 0.34 and n > 1:
        text = f"with_special({text}, {R.randint(0, 3)})"
    return text, shp


def scalar():
    r = R.random()
    if r < 0.4:
        return str(R.choice([0, 1, 2, 3, -1, 7, 200, 300, -300, 70000]))
    if r < 0.7:
        return R.choice(["0.5", "2.0", "-1.5", "1e10", "0.0", "np.inf", "np.nan"])
    if r < 0.8:
        return R.choice(["True", "False"])
    t = R.choice(TYPES)
    return f"np.{'bool_' if t == 'bool' else t}({R.choice(['0', '1', '2', '3'])})"


def broadcastable(shp):
    out = list(shp[R.randint(0, len(shp)):]) if R.random() < 0.3 else list(shp)
    for i in range(len(out)):
        if R.random() < 0.2:
            out[i] = 1
    return tuple(out)


BINARY = ["add", "subtract", "multiply", "divide", "floor_divide", "remainder", "fmod", "maximum", "minimum", "fmax",
          "fmin", "bitwise_and", "bitwise_or", "bitwise_xor", "left_shift", "right_shift", "equal", "not_equal", "less",
          "less_equal", "greater", "greater_equal", "logical_and", "logical_or", "logical_xor", "copysign"]
OPS = ["+", "-", "*", "/", "//", "%", "**", "&", "|", "^", "<", "<=", "==", "!=", ">", ">="]
UNARY = ["negative", "absolute", "square", "sign", "invert", "logical_not", "isnan", "isinf", "isfinite", "floor", "ceil",
         "trunc", "rint", "sqrt", "reciprocal", "positive", "signbit", "fabs"]
NEAR = ["exp", "log", "sin", "cos", "tanh", "log1p", "expm1", "arctan", "exp2", "log2", "cbrt", "sinh", "cosh", "log10"]
REDUCE = ["sum", "prod", "max", "min", "mean", "var", "std", "any", "all", "argmax", "argmin", "cumsum", "cumprod",
          "median", "count_nonzero"]


def axis(n):
    if n == 0 or R.random() < 0.3:
        return "None"
    if R.random() < 0.1:
        return str(n)
    if R.random() < 0.2 and n > 1:
        return str(tuple(R.sample(range(n), 2)))
    return str(R.randint(-n, n - 1))


def index(shp):
    parts = []
    for s in shp[:R.randint(0, len(shp))] if R.random() < 0.5 else shp:
        r = R.random()
        if r < 0.25:
            parts.append(str(R.randint(-s, s) if s else 0))
        elif r < 0.6:
            parts.append(R.choice([":", "::2", "1:", ":-1", "::-1", "-2:", "0:1", "3:1"]))
        elif r < 0.7:
            parts.append("None")
        elif r < 0.85:
            parts.append(str([R.randint(-s, s - 1) if s else 0 for _ in range(R.choice([1, 2, 2, 3]))]))
        elif r < 0.93:
            parts.append(f"np.arange({s}) % 2 == {R.randint(0, 1)}")
        else:
            parts.append("...")
    return ", ".join(parts) or "..."


ADDED = ["bfloat16", "float8_e4m3fn", "float8_e5m2", "float8_e3m4", "float8_e4m3", "float8_e4m3fnuz", "float8_e5m2fnuz",
         "float8_e4m3b11fnuz", "float6_e2m3fn", "float6_e3m2fn", "float4_e2m1fn"]


def added():
    """An expression with arrays of the types that ml_dtypes adds."""
    t = R.choice(ADDED)
    shp = shape(2)
    x = f"({array(shp, R.choice(FLOATS + ['int64']))[0]}).astype('{t}')"
    y = R.choice([f"({array(broadcastable(shp), 'float32')[0]}).astype('{t}')", scalar(), array(broadcastable(shp), R.choice(TYPES))[0]])
    text = R.choice([f"{x} {R.choice(['+', '-', '*', '/', '<', '==', '>='])} {y}", f"np.{R.choice(UNARY + ['exp', 'tanh', 'square'])}({x})",
                     f"np.{R.choice(['maximum', 'minimum', 'add', 'multiply'])}({x}, {y})", f"({x}).astype('{R.choice(ADDED + TYPES)}')", x,
                     f"({x}).{R.choice(['sum', 'max', 'min', 'cumsum', 'argmax', 'mean', 'any'])}()", f"({x}).view('uint8')" if t != "bfloat16" else f"({x}).view('uint16')",
                     f"({x}).tolist()", f"np.sort(np.nan_to_num({x}))", f"np.concatenate([{x}, {x}])" if shp else x, f"np.promote_types('{t}', '{R.choice(TYPES)}')",
                     f"np.can_cast('{t}', '{R.choice(TYPES)}')", f"np.where({x}, {x}, 0)"])
    return text, "tanh" in text or "exp(" in text


def drawn():
    """Random numbers of one seed."""
    of = R.choice(["np.random.RandomState", "np.random.default_rng"]) + f"({R.randint(0, 9999)})"
    size = R.choice(["None", "3", "(2, 2)", "0"])
    whole = "randint" if "State" in of else "integers"
    call = R.choice([f"normal({R.randint(-2, 2)}, {R.randint(1, 3)}, size={size})", f"uniform(-1, {R.randint(0, 5)}, size={size})",
                     f"{whole}({R.randint(1, 300)}, size={size})", f"{whole}(-5, 5, size={size}, dtype='{R.choice(INTS[0::2])}')",
                     f"permutation({R.randint(1, 9)})", f"choice({R.randint(5, 9)}, size={R.randint(1, 4)}, replace={R.choice(['True', 'False'])})",
                     f"standard_normal({size})", f"normal([0, 10], [[1], [2]])", f"random({size})"])
    return f"{of}.{call}"


def extreme():
    """An array of numbers far apart, as they are printed."""
    numbers = [R.choice(["1e300", "1e-300", "5e-324", "-1.7976931348623157e308", "0.1", "123456789.123", "np.nan", "-np.inf", "1e16", "-0.0", "1e5", "1e-5", "3"])
               for _ in range(R.randint(1, 6))]
    return f"np.array([{', '.join(numbers)}]).astype('{R.choice(['float64', 'float64', 'float32', 'float16'])}')"


def expression():
    """Text, and whether the last place may differ."""
    kind = R.randint(0, 23)
    near = False
    a, s = array()
    if kind <= 2:
        b = array(broadcastable(s))[0] if R.random() < 0.6 else scalar() if R.random() < 0.7 else array()[0]
        op = R.choice(OPS)
        near = op == "**"
        text = f"{a} {op} {b}" if R.random() < 0.8 else f"{b} {op} {a}"
    elif kind <= 4:
        b = array(broadcastable(s))[0] if R.random() < 0.7 else scalar()
        extra = R.choice(["", "", "", ", dtype='float64'"])
        text = f"np.{R.choice(BINARY)}({a}, {b}{extra})"
    elif kind == 5:
        text = f"np.{R.choice(UNARY)}({a if R.random() < 0.9 else scalar()})"
    elif kind == 6:
        near = True
        text = f"np.{R.choice(NEAR)}({a})"
    elif kind <= 8:
        f = R.choice(REDUCE)
        near = f in ("var", "std")
        arg = f"axis={axis(len(s))}"
        if f not in ("cumsum", "cumprod") and R.random() < 0.3:
            arg += ", keepdims=True"
        text = f"np.{f}({a}, {arg})"
    elif kind == 9:
        f = R.choice(["add", "multiply", "maximum", "minimum", "logical_and", "logical_or", "bitwise_or", "subtract"])
        text = R.choice([f"np.{f}.reduce({a}, axis={axis(len(s))})",
                         f"np.{f}.reduce({a})"])
    elif kind <= 11:
        text = f"({a})[{index(s)}]"
    elif kind == 12:
        text = f"assigned({a}, np.s_[{index(s)}], {R.choice([scalar(), array(shape(1))[0]])})"
    elif kind == 13:
        f = R.choice([f"np.transpose({a})", f"np.reshape({a}, {R.choice(['-1', '(1, -1)', '(-1, 2)', str(s[::-1])])})",
                      f"np.squeeze({a})", f"np.expand_dims({a}, {R.randint(-1, 1)})", f"np.flip({a}, {axis(len(s))})",
                      f"np.roll({a}, {R.randint(-3, 3)}, {axis(len(s))})", f"np.tile({a}, {R.choice(['2', '(2, 1)', '(1, 2, 1)'])})",
                      f"np.repeat({a}, {R.randint(0, 3)}, {axis(len(s))})", f"np.concatenate([{a}, {a}], axis={axis(len(s))})",
                      f"np.stack([{a}, {a}], axis={R.randint(-1, 2)})", f"np.pad({a}, {R.randint(0, 2)}, {R.choice([repr(m) for m in ['constant', 'edge', 'reflect', 'symmetric', 'wrap']])})",
                      f"np.split({a}, {R.choice(['2', '[1]', '[1, 2]'])})", f"np.array_split({a}, 3)",
                      f"np.tril({a})", f"np.triu({a}, 1)", f"np.diag({a})", f"np.diagonal({a})", f"np.trace({a})",
                      f"np.moveaxis({a}, 0, -1)", f"np.swapaxes({a}, 0, {R.randint(0, 1)})", f"np.ravel({a}, 'F')", f"np.vstack([{a}, {a}])",
                      f"np.hstack([{a}, {a}])",
                      f"np.append({a}, {scalar()})", f"np.atleast_2d({a})", f"np.broadcast_to({a}, (2,) + {s})"])
        text = f
    elif kind == 14:
        t = R.choice(TYPES)
        text = R.choice([f"({a}).astype('{t}')", f"({a}).tolist()", f"({a}).dtype.name", f"np.result_type({a}, {scalar()})",
                         f"np.can_cast('{R.choice(TYPES)}', '{t}')", f"np.promote_types('{R.choice(TYPES)}', '{t}')",
                         f"np.array({a}, dtype='{t}')", f"np.full_like({a}, {R.choice(['1', '2.5'])})", f"({a}).strides",
                         f"np.where({a}, {scalar()}, {scalar()})", f"np.clip({a}, {R.choice(['0', '1', '0.5', 'None'])}, {R.choice(['2', '3', '2.5'])})",
                         f"np.round({a}, {R.randint(-1, 2)})", f"({a}).view('{R.choice(['int8', 'int32', 'float32'])}')", f"str({a})",
                         f"({a}).tobytes()", f"np.nan_to_num({a})", f"({a}).item()", f"bool({a})", f"int({a})", f"float({a})", f"len({a})"])
    elif kind == 15:
        text = R.choice([f"np.sort({a}, axis={R.choice(['-1', '0', 'None'])})", f"np.argsort({a}, kind='stable')", f"np.unique({a})",
                         f"np.unique({a}, return_index=True, return_inverse=True, return_counts=True)", f"np.nonzero({a})", f"np.argwhere({a})",
                         f"np.searchsorted(np.sort(np.ravel({a})), {array(shape(1))[0]})", f"np.diff({a})",
                         f"np.take({a}, {R.choice(['[0]', '[0, 0]', '0', '[[0, -1]]'])}, axis={axis(len(s))})",
                         f"np.meshgrid({array((2,))[0]}, {array((3,))[0]})", f"np.flatnonzero({a})",
                         f"np.percentile({a}, {R.choice(['50', '[25, 75]', '10'])})"])
        near = "percentile" in text
    elif kind == 16:
        m, k, n = R.randint(1, 4), R.randint(1, 4), R.randint(1, 4)
        x, y = array((m, k), R.choice(TYPES))[0], array((k, n), R.choice(TYPES))[0]
        b1, b2 = array((2, m, k))[0], array((k, n))[0]
        text = R.choice([f"{x} @ {y}", f"np.dot({x}, {y})", f"np.matmul({b1}, {b2})", f"np.einsum('ij,jk->ik', {x}, {y})",
                         f"np.tensordot({x}, {y}, 1)", f"np.outer({array((2,))[0]}, {array((3,))[0]})",
                         f"np.einsum('ij->j', {x})", f"np.linalg.norm({x})", f"np.einsum('ii', {array((3, 3))[0]})"])
        near = True
    elif kind == 17:
        text, near = added()
    elif kind == 18:
        text, near = drawn(), False
    elif kind == 19:
        small = array(shape(2), R.choice(FLOATS))[0]
        text = R.choice([f"divmod(np.asarray({a}), {scalar()})", f"np.ldexp({small}, {R.randint(-30, 30)})",
                         f"np.isposinf({small})", f"np.signbit({small})",
                         f"np.nextafter({small}.astype('float32'), np.float32({R.randint(-3, 3)}))"])
    elif kind == 20:
        flat = array((R.randint(1, 9),))[0]
        text = R.choice([f"np.convolve({flat}, {array((2,))[0]}, {R.choice([repr('full'), repr('same'), repr('valid')])})", f"np.partition({flat}, 0)",
                         f"np.hamming({R.randint(0, 6)})", f"np.take({a}, {R.randint(-3, 3)}, mode='wrap')",
                         f"np.linspace({scalar()}, {scalar()}, {R.randint(0, 6)})", f"np.eye({R.randint(0, 4)}, k={R.randint(-3, 3)})"])
        near = True
    elif kind == 21:
        n = R.randint(1, 4)
        m, w = [f"np.nan_to_num({array(each, 'float64')[0]}, posinf=1, neginf=1)" for each in ((n, n), (R.randint(1, 4), R.randint(1, 4)))]
        text = R.choice([f"np.round(np.linalg.norm({w}, 'fro'), 6)", f"np.round(np.linalg.det({m}), 3)",
                         f"np.round(np.linalg.solve({m} + 50 * np.eye({n}), np.ones({n})), 6)", f"np.round(np.linalg.inv({m} + 50 * np.eye({n})), 6)"])
        near = True
    elif kind == 22:
        text = R.choice([f"crossed({a})", f"saved({a})", f"np.from_dlpack({a})", f"readonly({a})",
                         f"np.array2string({a}, precision={R.randint(0, 6)}, suppress_small={R.choice(['True', 'False'])})", f"repr({a})",
                         f"str({extreme()})", f"repr({extreme()})"])
    else:
        f = R.choice(["+=", "-=", "*=", "//=", "/=", "&=", "**="])
        near = f == "**="
        text = f"inplace({a}, '{f[:-1]}', {array(broadcastable(s))[0] if R.random() < 0.6 else scalar()})"
    return text, near


PROLOGUE = '''import ml_dtypes
import numpy as np
import operator
import os
import tempfile
np.seterr(all="ignore")


def with_special(a, k):
    flat = a.reshape(-1).copy()
    flat[k % flat.size] = [np.nan, np.inf, -np.inf, -0.0][k]
    return flat.reshape(a.shape)


def assigned(a, index, value):
    a = a.copy()
    a[index] = value
    return a


def inplace(a, op, b):
    a = np.array(a)
    if op == "+": a += b
    elif op == "-": a -= b
    elif op == "*": a *= b
    elif op == "//": a //= b
    elif op == "/": a /= b
    elif op == "&": a &= b
    else: a **= b
    return a


def saved(a):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "a.npz")
        np.savez(path, a=a, b=a.T)
        with np.load(path) as found:
            return found["a"], found["b"], sorted(found.files)


def crossed(a):
    b = np.from_dlpack(a)
    return np.shares_memory(a, b), b.strides if a.size else (), b


def readonly(a):
    a = np.array(a)
    a.flags.writeable = False
    found = [a.flags.writeable, a.T.flags.writeable, a[...].flags.writeable, a.copy().flags.writeable]
    try:
        a += 1
    except ValueError:
        found.append("refused")
    return found


def show(name, f):
    try:
        r = f()
        kind = f"{r.dtype} {r.shape}" if isinstance(r, (np.ndarray, np.generic)) else "" if hasattr(r, "itemsize") else type(r).__name__
        print(name, kind, repr(r))
    except Exception as e:
        print(name, type(e).__name__, e)

'''


def program(count):
    lines = [PROLOGUE]
    for i in range(count):
        text, near = expression()
        lines.append(f"show('{'~' if near else '#'}{i}', lambda: {text})")
    return "\n".join(lines) + "\n"


def answers(text):
    found, key = {}, None
    for line in text.splitlines(True):
        match = re.match(r"([~#]\d+) ", line)
        if match:
            key = match.group(1)
            found[key] = line
        elif key:
            found[key] += line
    return found


NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*(?:e[-+]?\d+)?|inf|nan)")


def close(x, y):
    tolerance = 2e-3 if "float16" in x else 3e-6 if "float32" in x else 1e-12
    left, right = NUMBER.findall(x), NUMBER.findall(y)
    if len(left) != len(right) or "".join(NUMBER.sub("#", x).split()) != "".join(NUMBER.sub("#", y).split()):
        return False
    pairs = [(float(p), float(q)) for p, q in zip(left, right) if p != q]
    return all(p == q or abs(p - q) <= tolerance * max(abs(p), abs(q), 1) for p, q in pairs)


def error_of(text):
    match = re.match(r"\S+ (\w+Error) ", text)
    return match.group(1) if match else None


def main():
    mlc = sys.argv[1]
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else 1
    count = int(sys.argv[3]) if len(sys.argv) > 3 else 2000
    R.seed(seed)
    text = program(count)
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "program.mlc"
        path.write_text(text)
        ran = [subprocess.run([*command, path], capture_output=True, text=True, errors="replace")
               for command in ([mlc, "run"], [sys.executable])]
    ours, numpys = (answers(r.stdout) for r in ran)
    different = 0
    for line in text.splitlines():
        match = re.match(r"show\('([~#]\d+)', lambda: (.*)\)$", line)
        if not match:
            continue
        key, source = match.groups()
        x, y = ours.get(key, "nothing\n"), numpys.get(key, "nothing\n")
        if "NotImplementedError" in x or x == y or (key[0] == "~" and close(x, y)) or (error_of(y) and error_of(x) == error_of(y)):
            continue
        different += 1
        print(f"{source}\nmlc   {x}numpy {y}")
    print(f"{count - different} of {count} expressions agree (seed {seed})")
    return different != 0 or len(numpys) < count


if __name__ == "__main__":
    sys.exit(main())
