# SPDX-License-Identifier: Apache-2.0
"""Relax modules in every form of the language, as people write them, right and wrong: relax_texts*.txt, the same with other
options of the printer, and functions drawn at random from statements of all kinds."""
import pathlib
import random
import re

HERE = pathlib.Path(__file__).resolve().parent
OPTIONS = [
    {"extra_config": {"script.use_pep695": True}},
    {"show_all_ty": False},
    {"name": "Other", "module_alias": "mod"},
    {"indent_spaces": 2},
    {"syntax_sugar": False},
]
TENSORS = {
    "x": 'R.Tensor((4, 8), "float32")', "y": 'R.Tensor((4, 8), "float32")', "w": 'R.Tensor((8, 16), "float32")',
    "s": 'R.Tensor(("n", "m"), "float32")', "t": 'R.Tensor(("n", "m"), "float32")', "u": 'R.Tensor("float32", ndim=2)',
    "c": 'R.Tensor((), "bool")', "i": 'R.Tensor((4,), "int64")', "p": 'R.Tuple(R.Tensor((4, 8), "float32"), R.Tensor(("n",), "int32"))',
    "h": 'R.Shape(["n", "m"])', "o": "R.Object", "k": 'R.Prim("int64")',
    "f": 'R.Callable((R.Tensor((4, 8), "float32"),), R.Tensor((4, 8), "float32"), True)',
}
KERNELS = '''
    @T.prim_func(s_tir=True)
    def scale(A: T.Buffer((4, 8), "float32"), B: T.Buffer((4, 8), "float32")):
        for i, j in T.grid(4, 8):
            with T.sblock("B"):
                vi, vj = T.axis.remap("SS", [i, j])
                B[vi, vj] = A[vi, vj] * T.float32(2)

    @T.prim_func(private=True, s_tir=True)
    def rows(a: T.handle, b: T.handle):
        n, m = T.int64(), T.int64()
        A = T.match_buffer(a, (n, m))
        B = T.match_buffer(b, (n,))
        for i in range(n):
            with T.sblock("B"):
                vi = T.axis.spatial(n, i)
                B[vi] = A[vi, 0]

    @R.function(private=True)
    def helper(a: R.Tensor((4, 8), "float32")) -> R.Tensor((4, 8), "float32"):
        b = R.nn.relu(a)
        return b
'''


def texts():
    written = []
    form, lines = None, []
    files = [path.read_text() for path in sorted(HERE.glob("relax_texts*.txt"))]
    for line in [*"".join(files).split("\n"), "#= end"]:
        if line.startswith("#= "):
            if form:
                written.append((form, "\n".join(lines).strip("\n") + "\n"))
            form, lines = line[3:].strip(), []
        elif form and not line.startswith("# "):
            lines.append(line)
    for number, (form, text) in enumerate(written):
        yield f"{form}/{number:03}", form, text, {}
        for at, options in enumerate(OPTIONS):
            if (number + at) % 2 == 0 or at == 0:
                yield f"printer/{number:03}-{at}", "printer options", text, options
    for number in range(700):
        draw = random.Random(f"relax text {number}")
        yield f"drawn/{number:03}", "drawn", drawn_module(draw), {}


class Body:
    """Statements of one function, with the names that they may use by kind."""

    def __init__(self, draw, names, depth, in_module):
        self.draw, self.depth, self.in_module = draw, depth, in_module
        self.fixed = [n for n in "xy" if n in names]  # (4, 8) float32
        self.symbolic = [n for n in "st" if n in names]  # (n, m)
        self.names, self.count = names, 0
        self.anything = [n for n in names if n != "k"]

    def new(self, stem="lv"):
        self.count += 1
        return f"{stem}{self.count}"

    def statement(self, pad, dataflow):
        draw = self.draw
        kinds = ["unary", "binary", "nested", "matmul", "tuple", "const", "reshape", "rename", "annotated", "split", "astype", "operators"]
        kinds += ["symbolic", "shape", "match", "prim"] if self.symbolic else []
        kinds += ["call_tir", "call_tir_symbolic", "call_function", "dps", "pure_packed"] if self.in_module else ["dps", "pure_packed"]
        kinds += ["if", "function", "print"] if not dataflow and self.depth < 2 else []
        kind = draw.choice(kinds)
        a, b = (draw.choice(self.fixed) for _ in range(2)) if self.fixed else (None, None)
        if a is None and kind not in ("symbolic", "shape", "match", "const"):
            kind = "const"
        s = draw.choice(self.symbolic) if self.symbolic else None
        name = self.new(draw.choice(["lv", "gv", "r", "out"]))
        one = f"{pad}{name} = "
        if kind == "unary":
            self.fixed.append(name)
            return [one + f"R.{draw.choice(['exp', 'nn.relu', 'nn.gelu', 'sigmoid', 'tanh', 'nn.softmax', 'negative', 'abs'])}({a})"]
        if kind == "binary":
            self.fixed.append(name)
            return [one + f"R.{draw.choice(['add', 'multiply', 'subtract', 'maximum', 'divide'])}({a}, {b})"]
        if kind == "operators":
            self.fixed.append(name)
            return [one + draw.choice([f"{a} + {b}", f"{a} * {b} - {a}", f"-{a}", f"({a} + {b}) / {b}", f"{a} // {b}", f"{a} ** {b}"])]
        if kind == "nested":
            self.fixed.append(name)
            return [one + f"R.add(R.exp({a}), R.multiply({b}, R.const({draw.choice(['1', '0.5', '-2', '1e-5', '3.25'])}, \"float32\")))"]
        if kind == "matmul":
            if "w" not in self.names:
                return self.statement(pad, dataflow)
            self.anything.append(name)
            return [one + f"R.matmul({a}, w)"]
        if kind == "tuple":
            other = self.new("t")
            self.fixed.append(other)
            return [one + draw.choice([f"({a}, {b})", f"R.tuple({a}, {b})", f"({a}, ({b}, {a}))"]), f"{pad}{other} = {name}[0]"]
        if kind == "split":
            other = self.new("part")
            self.anything.append(other)
            return [one + f"R.split({a}, 2, axis=1)", f"{pad}{other} = {name}[{draw.choice([0, 1])}]"]
        if kind == "const":
            self.anything.append(name)
            return [one + draw.choice(['R.const(1.0, "float32")', 'R.const(3, "int32")', "R.const(True, \"bool\")", 'R.zeros((4, 8), "float32")',
                                       'R.shape([2, 3])', "R.prim_value(5)", 'R.str("text")', 'R.dtype("float16")', "R.null_value()"])]
        if kind == "reshape":
            self.anything.append(name)
            return [one + draw.choice([f"R.reshape({a}, (8, 4))", f"R.permute_dims({a})", f"R.expand_dims({a}, 0)", f"R.sum({a}, axis=1)", f"R.flatten({a})"])]
        if kind == "rename":
            self.fixed.append(name)
            return [one + a]
        if kind == "annotated":
            self.fixed.append(name)
            form = draw.choice(['R.Tensor((4, 8), "float32")', 'R.Tensor((4, 8), dtype="float32")'])
            return [f"{pad}{name}: {form} = R.exp({a})"]
        if kind == "astype":
            self.anything.append(name)
            return [one + draw.choice([f'R.astype({a}, "float16")', f'{a}.astype("int32")'])]
        if kind == "symbolic":
            self.symbolic.append(name)
            return [one + draw.choice([f"R.exp({s})", f"R.add({s}, {s})", f"R.nn.softmax({s}, axis=0)"])]
        if kind == "shape":
            self.anything.append(name)
            return [one + draw.choice([f"R.shape_of({s})", "R.shape([n, m * 2])", f"R.reshape({s}, (n * m,))", f"R.concat(({s}, {s}), axis=0)", f"R.strided_slice({s}, axes=[0], begin=[1], end=[n])",
                                       'R.ones((n + 1, m // 2), "float32")', f"R.permute_dims({s})", f"R.repeat({s}, 2, axis=0)"])]
        if kind == "match":
            if "u" not in self.names:
                return self.statement(pad, dataflow)
            self.anything.append(name)
            fresh = self.new("q")
            return [f"{pad}{fresh} = T.int64()", one + f'R.match_cast(u, R.Tensor(({fresh}, {draw.choice(["8", "m", "4"])}), "float32"))']
        if kind == "prim":
            self.anything.append(name)
            return [one + draw.choice(["R.prim_value(n)", "R.prim_value(n * 2 + 1)", "R.shape([n])"])]
        if kind == "call_tir":
            self.fixed.append(name)
            return [one + f'R.call_tir(cls.scale, ({a},), out_ty=R.Tensor((4, 8), dtype="float32"))']
        if kind == "call_tir_symbolic":
            self.anything.append(name)
            if s:
                return [one + f'R.call_tir(cls.rows, {s}, out_ty=R.Tensor((n,), "float32"))']
            return [one + f'R.call_tir(cls.rows, ({a},), out_ty=R.Tensor((4,), "float32"))']
        if kind == "call_function":
            if dataflow and draw.random() < 0.3:
                return self.statement(pad, dataflow)
            self.fixed.append(name)
            return [one + f"cls.helper({a})"]
        if kind == "dps":
            self.fixed.append(name)
            return [one + f'R.call_dps_packed("ext.scale", ({a}, {b}), out_ty=R.Tensor((4, 8), "float32"))']
        if kind == "pure_packed":
            self.anything.append(name)
            return [one + f'R.call_pure_packed("ext.get", {a}, R.prim_value({draw.randrange(9)}), ty_args=R.Tensor(ndim=2, dtype="float32"))']
        if kind == "print":
            return [f'{pad}R.print({a}, format="{{}}")'] if self.draw.random() < 0.3 else [f"{pad}_ = R.exp({a})"]
        if kind == "if":
            if "c" not in self.names:
                return self.statement(pad, dataflow)
            lines = [f"{pad}if c:"]
            for word in ("then", "else"):
                inner = Body(draw, self.names, self.depth + 1, self.in_module)
                inner.fixed, inner.symbolic, inner.anything, inner.count = list(self.fixed), list(self.symbolic), list(self.anything), self.count + 10
                for _ in range(draw.randrange(3)):
                    lines += inner.statement(pad + "    ", False)
                lines += [f"{pad}    {name} = R.{draw.choice(['exp', 'tanh'])}({draw.choice(inner.fixed)})"]
                lines += [f"{pad}else:"] if word == "then" else []
                self.count = inner.count
            self.fixed.append(name)
            return lines
        if kind == "function":
            inner = Body(draw, {"z": 1}, 2, False)
            inner.fixed, inner.anything, inner.count = ["z"], ["z"], self.count + 20
            lines = [f"{pad}@R.function", f'{pad}def {name}_f(z: R.Tensor((4, 8), "float32")) -> R.Tensor((4, 8), "float32"):']
            for _ in range(1 + draw.randrange(2)):
                lines += inner.statement(pad + "    ", False)
            last = draw.choice(inner.fixed)
            lines += [f"{pad}    return R.add({last}, {a})" if draw.random() < 0.4 else f"{pad}    return {last}"]
            self.count = inner.count
            self.fixed.append(name)
            return [*lines, f"{pad}{name} = {name}_f({a})"]
        raise ValueError(kind)


def drawn_module(draw):
    in_module = draw.random() < 0.6
    names = ["x", *draw.sample([n for n in TENSORS if n != "x"], draw.randrange(2, 7))]
    if ("t" in names or "h" in names) and "s" not in names:
        names.insert(1, "s")
    impure = draw.random() < 0.15
    body = Body(draw, dict.fromkeys(names, 1), 0, in_module)
    lines = []
    if "s" in names:
        lines += draw.choice([["n = T.int64()", "m = T.int64()"], ["n, m = T.int64(), T.int64()"]])
    if draw.random() < 0.3:
        lines += ["R.func_attr({" + draw.choice(['"num_input": 1', '"relax.force_pure": True', '"a": 1, "b": "text", "c": [1, 2]', '"global_symbol": "main"']) + "})"]
    if in_module:
        lines += ["cls = Module"]
    for _ in range(1 + draw.randrange(3)):
        if draw.random() < 0.55:
            lines += ["with R.dataflow():"]
            before = list(body.fixed), list(body.symbolic), list(body.anything)
            for _ in range(1 + draw.randrange(4)):
                lines += body.statement("    ", True)
            made = [n for n in dict.fromkeys([*body.fixed, *body.symbolic, *body.anything]) if not any(n in part for part in before)]
            if not made:
                lines += ["    last = R.exp(x)"]
                made, body.fixed = ["last"], [*body.fixed, "last"]
            keep = draw.sample(made, min(len(made), 1 + draw.randrange(2)))
            lines += [f"    R.output({', '.join(keep)})"]
            body.fixed = [n for n in body.fixed if n in before[0] or n in keep]
            body.symbolic = [n for n in body.symbolic if n in before[1] or n in keep]
            body.anything = [n for n in body.anything if n in before[2] or n in keep]
        else:
            for _ in range(1 + draw.randrange(3)):
                lines += body.statement("", False)
    found = [*body.fixed, *body.symbolic, *body.anything]
    answer = draw.choice([found[-1], body.fixed[-1], f"({', '.join(draw.sample(found, min(2, len(found))))},)" if draw.random() < 0.5 else body.fixed[-1], f"R.exp({body.fixed[-1]})"])
    lines += [f"return {answer}"]
    result = draw.choice(["", "", "", " -> R.Object" if draw.random() < 0.2 else ""])
    head = "@R.function(pure=False)" if impure else draw.choice(["@R.function", "@R.function", "@R.function(private=True)" if in_module else "@R.function"])
    signature = ", ".join(f"{n}: {TENSORS[n]}" for n in names)
    function = [head, f"def main({signature}){result}:", *("    " + line for line in lines)]
    if not in_module:
        return "\n".join(function) + "\n"
    extra = draw.choice(["", "", '    I.module_attrs({"version": 1})\n', '    I.module_global_infos({"vdevice": [I.vdevice({"kind": "llvm", "mtriple": "x86_64-linux-gnu"})]})\n'])
    parts = KERNELS.split("\n\n")
    used = [part.strip("\n") for part in parts if f"cls.{re.search(r'def (.*?)[(]', part)[1]}(" in "\n".join(lines) or f"cls.{re.search(r'def (.*?)[(]', part)[1]}," in "\n".join(lines)]
    if draw.random() < 0.5:
        used = [*used, "\n".join("    " + line for line in function)]
    else:
        used = ["\n".join("    " + line for line in function), *used]
    return "@I.ir_module\nclass Module:\n" + extra + "\n\n".join(used) + "\n"
