# SPDX-License-Identifier: Apache-2.0
"""Relax functions of one operator call each: the rows of relax_operators*.txt and what becomes of a row's parameters
(symbolic and unknown shapes, other dtypes, ranks, kinds). Most texts of the second half are wrong; TVM says which."""
import pathlib
import random
import re

HERE = pathlib.Path(__file__).resolve().parent
SYMBOLS = "nmkbhcde"
IMPURE = {"print", "assert_op", "call_packed", "call_inplace_packed", "invoke_closure", "vm.alloc_storage", "vm.alloc_tensor", "vm.kill_object", "vm.call_tir_dyn",
          "memory.alloc_storage", "memory.alloc_tensor", "memory.kill_storage", "memory.kill_tensor", "call_builtin_with_ctx", "builtin.alloc_tensor"}
DTYPES = ["float16", "float64", "int32", "int64", "bool", "uint8", "bfloat16", "float8_e4m3fn"]
GLOBAL_INFOS = {
    "to_vdevice": 'I.module_global_infos({"vdevice": [I.vdevice({"kind": "llvm", "mtriple": "x86_64-linux-gnu"}), I.vdevice("cuda", 0), I.vdevice("cuda", 1, "shared")]})',
    "dist": 'I.module_global_infos({"mesh": [R.dist.device_mesh((2, 2), I.Range(0, 4)), R.dist.device_mesh((4,), I.Range(4, 8))]})',
}
KERNEL_TEXTS = '''    @T.prim_func(private=True)
    def copy2(x: T.Buffer((2, 3), "float32"), y: T.Buffer((2, 3), "float32")):
        for i, j in T.grid(2, 3):
            y[i, j] = x[i, j]

    @T.prim_func(private=True)
    def copyn(var_x: T.handle, var_y: T.handle):
        n, m = T.int64(), T.int64()
        x = T.match_buffer(var_x, (n, m))
        y = T.match_buffer(var_y, (n, m))
        for i, j in T.grid(n, m):
            y[i, j] = x[i, j]

    @T.prim_func
    def tuple2(x: T.Buffer((2, 3), "float32"), y: T.Buffer((2, 3), "float32"), z: T.Buffer((2, 3), "float32")):
        for i, j in T.grid(2, 3):
            y[i, j] = x[i, j]
            z[i, j] = x[i, j]

    @T.prim_func
    def scalar(x: T.Buffer((2, 3), "float32"), n: T.int64, y: T.Buffer((2, 3), "float32")):
        for i, j in T.grid(2, 3):
            y[i, j] = x[i, j] + T.Cast("float32", n)

    @T.prim_func
    def inplace1(x: T.Buffer((2, 3), "float32")):
        for i, j in T.grid(2, 3):
            x[i, j] = x[i, j] + T.float32(1)

    @T.prim_func
    def inplace2(x: T.Buffer((2, 3), "float32"), y: T.Buffer((2, 3), "float32")):
        for i, j in T.grid(2, 3):
            x[i, j] = y[i, j]
'''
KERNELS = {re.search(r"def (\w+)", text)[1]: text for text in KERNEL_TEXTS.split("\n\n")}


class Tensor:
    def __init__(self, dims, dtype):
        self.dims, self.dtype, self.ndim = dims, dtype, None

    def copy(self):
        other = Tensor(None if self.dims is None else list(self.dims), self.dtype)
        other.ndim = self.ndim
        return other

    def text(self):
        if self.dims is None:
            parts = [f"ndim={self.ndim}"] if self.ndim is not None else []
            parts += [f'dtype="{self.dtype}"'] if self.dtype else []
            return f"R.Tensor({', '.join(parts)})"
        shape = dims_text(self.dims)
        return f"R.Tensor({shape}, \"{self.dtype}\")" if self.dtype else f"R.Tensor({shape})"


class Other:
    """A parameter that is no tensor: its text stands as it is."""

    def __init__(self, type_text, dims=()):
        self.type_text, self.dims, self.dtype = type_text, list(dims), None

    def copy(self):
        return self

    def text(self):
        return self.type_text


def dims_text(dims):
    parts = [dim if dim.isdigit() else f'"{dim.replace("*", " * ").replace("+", " + ")}"' for dim in dims]
    return "(" + ", ".join(parts) + ("," if len(parts) == 1 else "") + ")"


def parameter(text):
    kind = text[:1]
    if kind == "S":
        dims = text[1:].split(",")
        return Other("R.Shape([" + dims_text(dims)[1:-1].rstrip(",") + "])", dims)
    if kind == "P":
        return Other(f'R.Prim("{text[2:]}")')
    if kind == "A":
        return Other("R.Object")
    if kind == "F":
        return Other('R.Callable((R.Tensor((2, 3), "float32"),), R.Tensor((2, 3), "float32"), True)')
    if kind == "T":
        fields = [parameter(field) for field in text[2:-1].split(";")]
        return Other(f"R.Tuple({', '.join(field.text() for field in fields)})", [d for f in fields for d in f.dims])
    shape, _, dtype = text.partition(":")
    return Tensor([dim for dim in shape.split(",") if dim], dtype or "float32")


def rows():
    """Operator, parameters by name, calls."""
    found, heads = [], []
    for path in sorted(HERE.glob("relax_operators*.txt")):
        for line in path.read_text().split("\n"):
            if not line or line.startswith("#"):
                continue
            if not line.startswith(" "):
                names, _, spec = line.partition(": ")
                parameters = dict(item.split("=", 1) for item in spec.split())
                heads = [(name, {key: parameter(text) for key, text in parameters.items()}, []) for name in names.split()]
                found += heads
                continue
            for name, _, calls in heads:
                calls.append(line.strip().replace("@", "R." + name, 1) if "@" in line else line.strip())
    return found


def function_text(operator, parameters, call, style):
    """A whole text; the style (0..5) says how the call stands in it."""
    needs_module = operator.startswith("call_tir") or operator == "to_vdevice" or operator == "dist.annotate_sharding"
    dims = [dim for p in parameters.values() for dim in p.dims or []]
    symbols = {s for dim in dims for s in re.findall(r"[a-z]\w*", dim)}
    unbound = sorted(symbols - set(dims))
    if unbound:  # a dimension like `n + 1` does not introduce `n`
        parameters = {**parameters, "shape": Other("R.Shape([" + dims_text(unbound)[1:-1].rstrip(",") + "])", unbound)}
    used = sorted(s for s in symbols if s not in parameters and re.search(rf"\b{s}\b", re.sub(r'"[^"]*"|\b\w+=(?!=)|lambda.*?:', "", call)))
    signature = ", ".join(f"{name}: {p.text()}" for name, p in parameters.items())
    impure = operator in IMPURE
    lines = ["@R.function(pure=False)" if impure else "@R.function", f"def main({signature}):"]
    lines += [f"    {s} = T.int64()" for s in used]
    if operator in ("print", "assert_op", "memory.kill_storage", "memory.kill_tensor", "vm.kill_object"):
        lines += [f"    gv = {call}" if style % 2 else f"    _ = {call}", "    return R.tuple()" if not style % 2 else "    return gv"]
    elif style == 1 and not impure:
        lines += ["    with R.dataflow():", f"        lv = {call}", "        R.output(lv)", "    return lv"]
    elif style == 2:
        lines += [f"    return {call}"]
    elif style == 3 and not impure:
        lines += ["    with R.dataflow():", f"        lv0 = {call}", "        gv = lv0", "        R.output(gv)", "    return gv"]
    else:
        lines += [f"    gv = {call}", "    return gv"]
    if not needs_module:
        return "\n".join(lines) + "\n"
    head = ["@I.ir_module", "class Module:"]
    info = GLOBAL_INFOS.get(operator) or (GLOBAL_INFOS["dist"] if operator.startswith("dist") else None)
    if info:
        head += ["    " + info]
    kernels = "".join(text + "\n" for name, text in KERNELS.items() if f"cls.{name}" in call)
    at = 2
    if "cls." in call:
        lines.insert(at, "    cls = Module")
    return "\n".join(head) + "\n" + kernels + "\n".join("    " + line for line in lines) + "\n"


def tensors(parameters, call):
    return [name for name, p in parameters.items() if isinstance(p, Tensor) and re.search(rf"\b{name}\b(?!=)", call)]


def variants(parameters, call, draw):
    """What else the parameters could be: name and parameters. The name says what was done."""
    names = tensors(parameters, call)
    yield "as is", parameters
    if not names:
        return

    def changed(chosen, change):
        new = {name: p.copy() for name, p in parameters.items()}
        for name in chosen:
            change(new[name])
        return new

    def symbolic(p, mapping):
        p.dims = [mapping.get(dim, dim) for dim in p.dims]

    values = sorted({dim for name in names for dim in parameters[name].dims if dim.isdigit() and int(dim) > 1})
    taken = {s for name in names for dim in parameters[name].dims for s in re.findall(r"[a-z]", dim)} | set(parameters)
    free = [s for s in SYMBOLS if s not in taken]
    mapping = dict(zip(values, free))
    if mapping:
        yield "symbolic", changed(names, lambda p: symbolic(p, mapping))
        one = draw.choice(sorted(mapping))
        yield f"symbolic {one}", changed(names, lambda p: symbolic(p, {one: mapping[one]}))
        derived = dict(mapping)
        for value, symbol in mapping.items():
            for other in values:
                if other != value and int(other) % int(value) == 0 and derived[other] == mapping[other]:
                    derived[other] = f"{symbol}*{int(other) // int(value)}"
                elif int(other) == int(value) + 1 and derived.get(other) == mapping.get(other):
                    derived[other] = f"{symbol}+1"
        if derived != mapping:
            yield "derived", changed(names, lambda p: symbolic(p, derived))
    for chosen, word in [(names, "all"), *([([name], name) for name in names] if len(names) > 1 else [])]:
        def rank_only(p):
            p.ndim, p.dims = len(p.dims), None

        def nothing(p):
            p.dims = None

        def no_dtype(p):
            p.dtype = None

        def all_unknown(p):
            p.dims, p.dtype = None, None

        def rank_and_no_dtype(p):
            p.ndim, p.dims, p.dtype = len(p.dims), None, None

        yield f"{word} ndim", changed(chosen, rank_only)
        yield f"{word} unknown", changed(chosen, nothing)
        yield f"{word} dtype unknown", changed(chosen, no_dtype)
        yield f"{word} all unknown", changed(chosen, all_unknown)
        yield f"{word} ndim alone", changed(chosen, rank_and_no_dtype)
        for dtype in draw.sample(DTYPES, 3 if word == "all" else 1):
            def with_dtype(p, d=dtype):
                p.dtype = d
            yield f"{word} {dtype}", changed(chosen, with_dtype)
    for name in names:
        dims = parameters[name].dims
        if dims:
            at = draw.randrange(len(dims))
            for word, dim in [("one", "1"), ("plus one", str(int(dims[at]) + 1) if dims[at].isdigit() else dims[at] + "+1"), ("zero", "0")]:
                def other_dim(p, d=dim):
                    p.dims[at] = d
                yield f"{name} {word}", changed([name], other_dim)
            yield f"{name} rank less", changed([name], lambda p: p.dims.pop())
        yield f"{name} rank more", changed([name], lambda p: p.dims.insert(0, "2"))
        kinds = [f"R.Shape([{', '.join(['2'] * max(1, len(dims)))}])", f"R.Tuple({parameters[name].text()}, {parameters[name].text()})", "R.Object", 'R.Prim("int64")']
        kind = draw.choice(kinds)
        yield f"{name} as {kind[:7]}", {**parameters, name: Other(kind)}


def wrong_calls(call, parameters, draw):
    """The call with an argument less or more, or a keyword that it does not have."""
    at = re.match(r"R\.[\w.]+\(", call)
    if not at:
        return
    inside = call[at.end() :]
    first = re.match(r"\w+, ", inside)
    if first:
        yield "argument less", call[: at.end()] + inside[first.end() :]
    if "=" not in inside and inside.endswith(")") and inside != ")":
        yield "arguments more", call[:-1] + ", 1, 2, 3, 4, 5, 6, 7, 8, 9)"
    yield "unknown keyword", call[:-1] + (", " if inside != ")" else "") + "nonsense=1)"
    names = tensors(parameters, call)
    if names:
        yield "string", re.sub(rf"\b{draw.choice(names)}\b(?!=)", '"text"', call, count=1)


def instances():
    """name, operator, text; in a fixed order."""
    by_operator = {}
    for row in rows():
        by_operator.setdefault(row[0], []).append(row)
    for operator, found in sorted(by_operator.items()):
        draw = random.Random("relax " + operator)
        seen, number = set(), 0
        plain, changed, wrong = [], [], []
        for _, parameters, calls in found:
            for call in calls:
                for what, new in variants(parameters, call, draw):
                    text = function_text(operator, new, call, 0 if not plain else draw.choice([0, 0, 0, 1, 2, 3]))
                    (plain if what == "as is" else changed).append((what, text))
                for what, other in wrong_calls(call, parameters, draw):
                    wrong.append((what, function_text(operator, parameters, other, 0)))
        draw.shuffle(changed)
        draw.shuffle(wrong)
        for what, text in [*plain, *changed[:60], *wrong[:6]]:
            if text not in seen:
                seen.add(text)
                number += 1
                yield f"{operator}/{number:03} {what}", operator, text
