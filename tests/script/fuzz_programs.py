# SPDX-License-Identifier: Apache-2.0
"""Random programs under CPython and under mlc: the same output to the last line, or a refusal by name.

    python3 tests/script/fuzz_programs.py MLC [--count N] [--seed N] [--jobs N]

Programs are made from a grammar of statements: functions with all kinds of parameters, closures, classes with
inheritance and operators, generators that are sent to, thrown into and closed, `yield from`, try/except/else/finally,
with, loops with else, break and continue, unpacking, comprehensions inside comprehensions and with `:=`, closures that
share a variable, class bodies with lambdas and comprehensions, dicts and sets that change while they are
walked, decorators, raise from. Everything they do is traced by print(), uncaught exceptions too. Loops are
bounded, so that every program ends.
"""
import argparse
import concurrent.futures
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile
import warnings

REFUSALS = re.compile(r"64 bits|NotImplementedError")
PRELUDE = """\
def trace(*values):
    print(*[repr(v) for v in values])
    return values[0] if values else None
def place_free(value):  # as text; where a function lies depends on what was freed before
    return repr(value).split(" at 0x")[0]
def chain(e, depth=0):
    out = []
    while e is not None and depth < 6:
        out.append((type(e).__name__, e.__suppress_context__))
        e = e.__cause__ if e.__cause__ is not None else None if e.__suppress_context__ else e.__context__
        depth += 1
    return out
class Manager:
    def __init__(self, name, swallow=False, fail=0):
        self.name, self.swallow, self.fail = name, swallow, fail
    def __enter__(self):
        print("enter", self.name)
        if self.fail == 1:
            raise ValueError("enter " + self.name)
        return self
    def __exit__(self, kind, value, tb):
        print("exit", self.name, None if kind is None else kind.__name__, chain(value))
        if self.fail == 2:
            raise KeyError("exit " + self.name)
        return self.swallow
budget = [400]
def spend():
    budget[0] -= 1
    if budget[0] < 0:
        raise SystemExit
    return budget[0]
"""


class Program:
    def __init__(self, seed):
        self.r = random.Random(seed)
        self.lines = []
        self.indent = 0
        self.names = 0
        self.functions = []  # (name, least, most positional)
        self.generators = []
        self.classes = []
        self.variables = [["a", "b", "c", "xs", "d"]]
        self.in_loop = [False]
        self.in_function = [False]
        self.in_generator = [False]
        self.size = 0

    def one(self, *choices):
        return self.r.choice(choices)

    def chance(self, p):
        return self.r.random() < p

    def put(self, text):
        self.lines.append("    " * self.indent + text)
        self.size += 1

    def fresh(self, prefix):
        self.names += 1
        return f"{prefix}{self.names}"

    # ---- expressions ----
    def variable(self):
        return self.r.choice(self.variables[-1])

    def expression(self, depth=2):
        pick = self.r.randrange(22) if depth > 0 else self.r.randrange(6)
        e = lambda: self.expression(depth - 1)
        if pick < 3:
            return self.variable()
        if pick < 6:
            return self.one(str(self.r.randint(-3, 9)), "'s'", "2.5", "[1, 2]", "()", "None", "True", "{1: 2}", "'xyz'")
        if pick < 9:
            return f"({e()} {self.one('+', '-', '*', '//', '%', '<', '==', 'and', 'or', 'in', 'is')} {e()})"
        if pick == 9:
            return f"[{e()}, {e()}]"
        if pick == 10:
            return f"({e()}, {e()})"
        if pick == 11:
            return f"({e()} if {e()} else {e()})"
        if pick == 12:
            v = self.fresh("k")
            self.variables[-1].append(v)
            body = e()
            cond = f" if {self.expression(0)}" if self.chance(0.4) else ""
            self.variables[-1].remove(v)
            open_, close = self.one(("[", "]"), ("list(", ")"), ("{", "}") if self.chance(0.1) else ("[", "]"))
            return f"{open_}{body} for {v} in {self.iterable()}{cond}{close}"
        if pick == 13:
            v = self.fresh("p")
            self.variables[-1].append(v)
            body = e()
            self.variables[-1].remove(v)
            return f"(lambda {v}{self.one('', '=1')}: {body})({e()})"
        if pick < 17 and self.functions:
            return self.call()
        if pick == 17 and self.classes:
            return self.instance(depth - 1)
        if pick == 18 and self.generators:
            name = self.r.choice(self.generators)
            return self.one(f"list({name}({e()}))", f"next({name}({e()}), 'end')", f"sum(1 for _ in {name}({e()}))", f"[*{name}({e()})]")
        if pick == 19:
            return f"{self.one('len', 'str', 'repr', 'type', 'sorted', 'sum', 'bool', 'list', 'abs', 'tuple')}({e()})" if self.chance(0.7) else f"type({e()}).__name__"
        if pick == 20:
            return f"{self.variable()}{self.one('[0]', '[1:]', '[-1]', '[::-1]', '.v', '.go(1)', '[1]', '.append(3)', '.pop()')}"
        return f"f\"{{{self.variable()}}}{self.one('', '!')}\"" if self.chance(0.5) else f"(not {e()})"

    def iterable(self):
        return self.one(f"range({self.r.randint(0, 4)})", "xs", "[1, 2, 3]", "'ab'", "enumerate('ab')", "zip([1, 2], 'xy')", "{1: 2, 3: 4}.items()", self.variable(),
                        *([f"{self.r.choice(self.generators)}({self.r.randint(0, 4)})"] if self.generators else []))

    def call(self):
        name, least, most, keywords = self.r.choice(self.functions)
        n = self.r.randint(least, most) if self.chance(0.92) else self.r.randint(0, most + 1)
        parts = [self.expression(1) for _ in range(n)]
        if self.chance(0.1):
            parts.append(f"*{self.one('[]', '(1,)', 'xs')}")
        for key in keywords:
            if self.chance(0.3):
                parts.append(f"{key}={self.expression(0)}")
        if self.chance(0.05):
            parts.append("**{'extra': 1}")
        return f"{name}({', '.join(parts)})"

    def instance(self, depth):
        return f"{self.r.choice(self.classes)}({self.expression(depth)})"

    # ---- statements ----
    def block(self, depth, least=1, most=3):
        self.indent += 1
        begin = len(self.lines)
        for _ in range(self.r.randint(least, most)):
            self.statement(depth)
        if len(self.lines) == begin:
            self.put("pass")
        self.indent -= 1

    def target(self):
        return self.variable() if self.chance(0.7) else self.new_variable()

    def new_variable(self):
        name = self.fresh("n")
        self.variables[-1].append(name)
        return name

    def statement(self, depth):
        if self.size > 90:
            return self.put(f"trace({self.expression(1)})")
        pick = self.r.randrange(42)
        e = self.expression
        if pick >= 34:
            return self.special(pick - 34, depth)
        if pick < 6:
            return self.put(f"trace({e()})")
        if pick < 10:
            value = e()
            return self.put(f"{self.target()} = {value}")
        if pick == 10:
            value = e(1)
            return self.put(f"{self.one('{0}, {1}', '{0}, *{1}', '*{0}, {1}', '[{0}, {1}]').format(self.target(), self.target())} = {self.one(value, '(1, 2)', '[3, 4, 5]', 'xs')}")
        if pick == 11:
            return self.put(f"{self.variable()} {self.one('+=', '-=', '*=', '//=', '|=')} {e(1)}")
        if pick == 12:
            return self.put(f"{self.variable()}{self.one('[0]', '.v', '[1:2]', '.w', '[-1]')} = {e(1)}")
        if pick == 13:
            return self.put(f"assert {e(1)}, {e(0)}")
        if pick == 14 and self.in_loop[-1]:
            self.put(f"if {e(1)}:")
            self.indent += 1
            self.put(self.one("break", "continue"))
            self.indent -= 1
            return None
        if pick == 15 and self.in_function[-1]:
            if self.chance(0.5):
                self.put(f"if {e(1)}:")
                self.indent += 1
                self.put(f"return {e(1)}")
                self.indent -= 1
            else:
                self.put(f"return {e(1)}")
            return None
        if pick == 16:
            kind = self.one("ValueError", "KeyError", "TypeError", "IndexError", "RuntimeError('r')", "StopIteration", "LookupError('l', 2)", *(c for c in self.classes if c.startswith("E")))
            text = kind if "(" in kind or self.chance(0.2) else f"{kind}({e(0)})"
            if self.chance(0.25):
                text += f" from {self.one('None', 'ValueError(0)', 'KeyError')}"
            if self.chance(0.7):
                self.put(f"if {e(1)}:")
                self.indent += 1
                self.put(f"raise {text}")
                self.indent -= 1
            else:
                self.put(f"raise {text}")
            return None
        if pick in (17, 18) and self.in_generator[-1]:
            return self.put(self.one(f"yield {e(1)}", f"yield {e(1)}", f"{self.target()} = yield {e(1)}", f"yield from {self.iterable()}"))
        if pick == 19:
            return self.put(f"del {self.one(self.variable() + '[0]', 'd[1]', self.variable() + '.v', self.new_variable())}")
        if depth <= 0:
            return self.put(f"trace({e(1)})")
        if pick in (20, 21):
            self.put(f"if {e(1)}:")
            self.block(depth - 1)
            if self.chance(0.3):
                self.put(f"elif {e(1)}:")
                self.block(depth - 1)
            if self.chance(0.4):
                self.put("else:")
                self.block(depth - 1)
            return None
        if pick in (22, 23):
            loop = self.one("for", "for", "while")
            if loop == "for":
                target = self.one(self.new_variable(), f"{self.new_variable()}, {self.new_variable()}" if self.chance(0.4) else self.new_variable())
                self.put(f"for {target} in {self.iterable()}:")
            else:
                self.put(f"while {self.one('True', e(1))}:")
            self.indent += 1
            self.put("spend()")
            if loop == "while":
                self.put(f"if spend() % {self.r.randint(2, 5)} == 0: break")
            self.indent -= 1
            self.in_loop.append(True)
            self.block(depth - 1)
            self.in_loop.pop()
            if self.chance(0.3):
                self.put("else:")
                self.block(depth - 1)
            return None
        if pick in (24, 25, 26):
            return self.attempt(depth)
        if pick == 27:
            items = [f"Manager({self.fresh('m')!r}, {self.one('False', 'False', 'True')}, {self.one('0', '0', '0', '1', '2')})" + (f" as {self.new_variable()}" if self.chance(0.5) else "") for _ in range(self.one(1, 1, 2))]
            self.put(f"with {', '.join(items)}:")
            return self.block(depth - 1)
        if pick in (28, 29):
            return self.function(depth)
        if pick == 30:
            return self.generator(depth)
        if pick in (31, 32):
            return self.cls(depth)
        return self.put(f"{self.target()} = {e()}")

    def special(self, pick, depth):
        e = self.expression
        if pick == 0:
            return self.put(f"trace({self.nested()})")
        if pick == 1 and depth > 0:
            return self.driven_generator(depth)
        if pick == 2:
            return self.changing_walk()
        if pick == 3 and depth > 0:
            return self.closure(depth)
        if pick == 4:
            return self.class_scope()
        if pick == 5:
            name = self.new_variable()
            return self.put(f"trace({self.one('[{0} := {1} for _ in {2}]', 'any(({0} := {1}) for _ in {2})', '[({0} := _) for _ in {2} if {1}]', '{{({0} := 3): {1} for _ in {2}}}').format(name, e(0), self.iterable())}, {name})")
        if pick == 6:
            return self.container_change()
        return self.put(f"trace({self.one('sorted(locals().keys())[:0]', 'len(locals()) > 0', 'vars() is not None', 'callable(globals)')})")

    def nested(self):
        i, j = self.fresh("k"), self.fresh("k")
        self.variables[-1] += [i, j]
        body = self.one(self.expression(1), f"({i}, {j})", f"[{i} for {self.fresh('k')} in {self.iterable()}]", f"(lambda: {i})")
        cond = self.one("", f" if {self.expression(0)}", f" if {i} != {j}")
        inner = self.one(f"for {i} in {self.iterable()} for {j} in {self.iterable()}", f"for {i} in {self.iterable()} for {j} in ({i},)", f"for {i}, *{j} in [(1, 2), 'xyz', {self.expression(0)}]")
        self.variables[-1].remove(i)
        self.variables[-1].remove(j)
        text = self.one("[{} {}{}]", "[*({} {}{})]", "dict(enumerate({} {}{}))", "len({{place_free({}) {}{}}})").format(body, inner, cond)
        return f"[g() if callable(g) else g for g in {text}]" if "lambda" in body and text.startswith("[") else text

    # A generator that meets whatever can be raised in it, and somebody who does all of that to it.
    def driven_generator(self, depth):
        name, got = self.fresh("g"), self.fresh("s")
        self.put(f"def {name}(n=2):")
        self.indent += 1
        self.put(f"{got} = None")
        loop = self.chance(0.6)
        if loop:
            self.put(self.one("for i in range(3):", "while True:"))
            self.indent += 1
        self.put("spend()")
        self.put("try:")
        self.indent += 1
        self.put(self.one(f"{got} = yield n", f"{got} = yield ('a', {got})", f"{got} = yield from {self.iterable()}", f"trace((yield), (yield 2))", f"{got} = yield from {self.r.choice(self.generators)}()" if self.generators else f"{got} = yield"))
        self.put(f"trace({got})")
        self.indent -= 1
        if self.chance(0.7):
            self.put(f"except {self.one('KeyError', 'GeneratorExit', 'BaseException', 'Exception', '(ValueError, KeyError)', 'StopIteration')} as x:")
            self.indent += 1
            self.put("print('inside', type(x).__name__)")
            self.put(self.one("pass", "raise", "yield 'late'", "return 'done'", "raise ValueError('new')", "raise StopIteration(4)", "break" if loop else "pass", "continue" if loop else "pass"))
            self.indent -= 1
            handled = True
        else:
            handled = False
        if not handled or self.chance(0.4):
            self.put("finally:")
            self.indent += 1
            self.put(f"print('left', {got})")
            if self.chance(0.2):
                self.put(self.one("yield 'f'", "return 'r'", "raise KeyError('f')"))
            self.indent -= 1
        if loop:
            self.indent -= 1
        self.put(self.one("return 'end'", "yield 'after'", "pass"))
        self.indent -= 1
        self.generators.append(name)
        variable = self.new_variable()
        self.put(f"{variable} = {name}()")
        for _ in range(self.r.randint(2, 5)):
            action = self.one("next({0})", "next({0}, 'over')", "{0}.send('S')", "{0}.send(None)", "{0}.throw(KeyError('t'))", "{0}.throw(ValueError)", "{0}.throw(GeneratorExit)", "{0}.close()", "[x for x, _ in zip({0}, range(3))]").format(variable)
            self.put("try:")
            self.put(f"    trace({action})")
            self.put("except BaseException as x:")
            self.put("    print('out', type(x).__name__, chain(x))")
        self.put(self.one("pass", f"del {variable}", f"{variable}.close()"))
        if self.lines[-1].strip() == f"del {variable}":
            self.variables[-1].remove(variable)

    def changing_walk(self):
        kind = self.one("dict", "set", "list")
        name, each = self.new_variable(), self.fresh("k")
        if kind == "list":
            self.put(f"{name} = [1, 2, 3]")
            change = self.one("{0}.append({1})", "{0}.pop()", "{0}.remove({1})", "{0}.insert(0, {1})", "{0}.clear()", "del {0}[0]", "{0}[:] = [{1}]")
        elif kind == "dict":
            self.put(f"{name} = {{1: 'x', 2: 'y', 3: 'z'}}")
            change = self.one("{0}[{1}] = 0", "{0}.pop(1, 0)", "{0}[{1} + 5] = 1", "{0}.clear()", "{0}.update(q=1)", "{0}.setdefault(9)")
        else:
            self.put(f"{name} = {{1, 2, 3}}")
            change = self.one("{0}.add({1} + 7)", "{0}.discard({1})", "{0}.add({1})", "{0}.clear()", "{0}.update([8, 9])")
        walked = self.one("{0}", "{0}.items()" if kind == "dict" else "{0}", "list({0})", "iter({0})", "enumerate({0})").format(name)
        self.put("try:")
        self.put(f"    for {each} in {walked}:")
        self.put("        if spend() % 7 == 0: break")
        if "items" in walked or "enumerate" in walked:
            self.put(f"        {each} = {each}[0]")
        self.put("        " + change.format(name, each))
        self.put(f"    trace(sorted({name}, key=repr))")
        self.put("except (RuntimeError, ValueError, IndexError) as x:")
        self.put(f"    print(type(x).__name__)")

    def closure(self, depth):
        maker, get, put = self.fresh("f"), self.fresh("f"), self.fresh("f")
        shared, other = self.fresh("n"), self.fresh("n")
        self.put(f"def {maker}({shared}={self.expression(0)}, *{other}):")
        self.indent += 1
        self.put(f"def {get}(): return {self.one(shared, f'[{shared} for _ in (1, 2)]', f'({shared}, {other})', f'(lambda: {shared})()', f'sorted(locals())')}")
        self.put(f"def {put}(v):")
        self.put(f"    nonlocal {shared}")
        self.put(f"    {self.one(f'{shared} = v', f'{shared} = [{shared}, v]', f'del {shared}', f'{shared} = {get}()', f'[{shared} := _ for _ in (v, v)]')}")
        self.put(f"    return {get}()")
        if self.chance(0.4):
            self.put(f"class C{shared}:")
            self.put(f"    {self.one(shared, 'w')} = {self.one(shared, '[' + shared + ' for _ in (1,)]', '(lambda: ' + shared + ')()', '5')}")
            self.put(f"    def look(self): return {shared}, (lambda: {shared})()")
            self.put(f"trace(C{shared}().look(), sorted(k for k in vars(C{shared}) if not k.startswith('_')))")
        self.put(f"return {get}, {put}")
        self.indent -= 1
        a, b = self.new_variable(), self.new_variable()
        self.put(f"{a}, {b} = {maker}({self.one('', self.expression(0), '1, 2')})")
        for _ in range(self.r.randint(1, 3)):
            self.put(self.one(f"trace({a}())", f"trace({b}({self.expression(0)}))"))

    # What a class body sees, and what is inside it.
    def class_scope(self):
        name, v = self.fresh("C"), self.variable()
        self.put(f"class {name}:")
        self.indent += 1
        self.put(f"{self.one('v', v if v.isidentifier() else 'v')} = {self.expression(0)}")
        for _ in range(self.r.randint(1, 4)):
            self.put(self.one("p = [i for i in range(2)]", "p = [lambda: i for i in range(2)]", "p = list(i * 2 for i in (1, 2))", "p = lambda self=0: __class__ if 0 else 3",
                              "def go(self, y=1): return __class__.__name__", "def go(self, y=1): self.own = y; return sorted(self.__dict__)", "k = max", "p = {n: n for n in 'ab'}",
                              "def __getattr__(self, name): return 'no ' + name", "def __init_subclass__(cls, **kw): print('sub', cls.__name__, kw)", "def __class_getitem__(cls, i): return cls.__name__, i",
                              "def __set_name__(self, owner, name): print('named', name)", "def __get__(self, obj, owner=None): return ('got', obj is None)", "def __set__(self, obj, value): print('set', value)",
                              "def __index__(self): return 2", "def __format__(self, spec): return '<' + spec + '>'", "def __iadd__(self, o): return NotImplemented",
                              "def __missing__(self, key): return key", "def __reversed__(self): return iter('ab')", "def __setattr__(self, n, v): object.__setattr__(self, n, (v,))", "def __delattr__(self, n): print('del', n)"))
        self.indent -= 1
        self.classes.append(name) if self.chance(0.3) else None
        o, h = self.new_variable(), self.fresh("H")
        self.put(f"{o} = {name}()")
        self.put(f"class {h}({self.one('', name)}):")
        self.put(f"    d = {o}")
        for _ in range(self.r.randint(1, 3)):
            text = self.one("trace([f() if callable(f) else f for f in {0}.p])", "trace({0}.go())", "trace({1}.__name__, {1}.__mro__[-1])", "trace({2}().d is {0})", "{2}().d = 5", "trace({1}[3])", "trace([1, 2, 3][{0}])",
                            "trace(f'{{{0}:>4}}')", "{0} += 1", "trace({0} + 1)", "trace(list(reversed({0})))", "{0}.x = 1", "trace({0}.x)", "del {0}.x", "trace({0}.k(1, 2))", "trace(type({0}).__name__)").format(o, name, h)
            self.put("try:")
            self.put("    " + text)
            self.put("except Exception as x:")
            self.put("    print(type(x).__name__)")

    def container_change(self):
        name = self.new_variable()
        self.put(f"{name} = {self.one('[5, 1, 4]', '{1: 2, 3: 4}', '{1, 2, 3}', 'list(range(6))')}")
        for _ in range(self.r.randint(1, 3)):
            text = self.one("{0}[1:2] = {1}", "del {0}[::2]", "{0}[::-1] = [1, 2, 3]", "{0} |= {1}", "{0} += {1}", "{0}.update({1})", "{0}.sort(key=lambda v: -v)", "{0}.sort(key=repr)", "{0}.extend({1})", "{0}[{1}] = 7", "{0} *= 2",
                            "{0} -= {1}", "{0}.pop(1)", "{0}.symmetric_difference_update({1})", "trace({0}.popitem())", "trace({0}.setdefault(1, {1}))", "trace({0}[slice(None, None, -2)])", "trace({0}.index(4))", "{0}.insert(-1, {1})", "{0}.reverse()").format(name, self.expression(0))
            self.put("try:")
            self.put("    " + text)
            self.put("except Exception as x:")
            self.put("    print(type(x).__name__)")
        self.put(f"trace({name} if not isinstance({name}, set) else len({name}))")

    def attempt(self, depth):
        self.put("try:")
        self.block(depth - 1)
        handled = self.chance(0.85)
        if handled:
            for _ in range(self.one(1, 1, 2)):
                kind = self.one("ValueError", "(KeyError, TypeError)", "LookupError", "Exception", "ZeroDivisionError", "AttributeError", *(c for c in self.classes if c.startswith("E")))
                name = self.fresh("e")
                self.put(f"except {kind} as {name}:")
                self.indent += 1
                self.put(f"print('caught', chain({name}))")
                self.indent -= 1
                self.variables[-1].append(name)
                self.block(depth - 1)
                self.variables[-1].remove(name)
                if self.chance(0.15):
                    self.indent += 1
                    self.put("raise")
                    self.indent -= 1
            if self.chance(0.15):
                self.put("except:")
                self.indent += 1
                self.put("print('bare')")
                self.put("raise")
                self.indent -= 1
            if self.chance(0.3):
                self.put("else:")
                self.block(depth - 1)
        if not handled or self.chance(0.35):
            self.put("finally:")
            self.indent += 1
            self.put(f"print('finally', {self.names})")
            self.indent -= 1
            loops = self.in_loop[-1]
            self.block(depth - 1, 0 if self.chance(0.5) else 1, 2)
            self.in_loop[-1] = loops

    def parameters(self):
        names = [self.fresh("p") for _ in range(self.r.randint(0, 3))]
        least = self.r.randint(0, len(names))
        parts = [name if i < least else f"{name}={self.expression(0)}" for i, name in enumerate(names)]
        keywords = []
        most = len(names)
        if names and self.chance(0.15):
            parts.insert(self.r.randint(1, len(parts)), "/")
        if self.chance(0.2):
            rest = self.fresh("r")
            parts.append("*" + rest)
            names.append(rest)
            most += 1
        if self.chance(0.2):
            if not any(p.startswith("*") for p in parts):
                parts.append("*")
            key = self.fresh("q")
            keywords.append(key)
            parts.append(key + self.one("", "=7"))
            names.append(key)
        if self.chance(0.15):
            more = self.fresh("w")
            parts.append("**" + more)
            names.append(more)
        return parts, names, least, most, keywords

    def body(self, names, depth, generator=False):
        outer = self.variables[-1]
        local = list(names)
        shared = None
        if self.chance(0.3) and self.in_function[-1]:
            shared = self.r.choice(outer)
        self.variables.append(local + [v for v in outer if self.chance(0.3)] or ["a"])
        self.in_loop.append(False)
        self.in_function.append(True)
        self.in_generator.append(generator)
        self.indent += 1
        self.put("spend()")
        self.indent -= 1
        self.block(depth - 1, 1, 4)
        if self.chance(0.5):
            self.indent += 1
            self.put(f"return {self.expression(1)}")
            self.indent -= 1
        for stack in (self.variables, self.in_loop, self.in_function, self.in_generator):
            stack.pop()

    def function(self, depth):
        name = self.fresh("f")
        parts, names, least, most, keywords = self.parameters()
        if self.chance(0.15) and self.functions:
            self.put(f"@(lambda g: lambda *x, **y: (print('deco'), g(*x, **y))[1])")
        self.put(f"def {name}({', '.join(parts)}):")
        self.body(names, depth)
        self.functions.append((name, least, most, keywords))
        self.put(f"trace({self.call()})")
        if self.in_function[-1]:
            self.functions.pop() if self.chance(0.7) else None

    def generator(self, depth):
        name = self.fresh("g")
        arg = self.fresh("p")
        self.put(f"def {name}({arg}=2):")
        self.indent += 1
        self.put(f"yield {arg}")
        self.indent -= 1
        self.body([arg], depth, True)
        self.generators.append(name)
        if self.chance(0.5):
            variable = self.new_variable()
            self.put(f"{variable} = {name}()")
            for _ in range(self.r.randint(1, 3)):
                self.put(f"trace({self.one('next({0})', '{0}.send(5)', 'next({0}, 0)', '{0}.close()', '{0}.throw(KeyError(1))', 'list({0})').format(variable)})")
        else:
            self.put(f"trace(list({name}(3)))")

    def cls(self, depth):
        error = self.chance(0.25)
        name = self.fresh("E" if error else "C")
        bases = self.one("ValueError", "Exception", "KeyError") if error else ", ".join(self.r.sample([c for c in self.classes if c.startswith("C")], k=min(self.one(0, 0, 1, 1, 2), len([c for c in self.classes if c.startswith("C")]))))
        self.put(f"class {name}({bases}):" if bases else f"class {name}:")
        self.indent += 1
        if error:
            self.put("def __str__(self): return 'E:' + repr(self.args)" if self.chance(0.5) else "code = 3")
            self.indent -= 1
            self.classes.append(name)
            return
        self.put(f"v = {self.expression(0)}")
        if not bases or self.chance(0.5):
            self.put("def __init__(self, x=0):")
            self.indent += 1
            if bases:
                self.put("super().__init__(x)")
            self.put(self.one("self.v = x", "self.w = x", "self.v, self.w = x, [x]"))
            self.indent -= 1
        if self.chance(0.6):
            self.put("def go(self, y=1):")
            self.body(["self", "y", "self.v"], depth)
        extra = [
            "def __repr__(self): return '<' + type(self).__name__ + '>'",
            "def __eq__(self, o): return isinstance(o, type(self))",
            "def __add__(self, o): return ('add', type(o).__name__)",
            "def __radd__(self, o): return ('radd', type(o).__name__)",
            "def __len__(self): return 2",
            "def __getitem__(self, i):\n" + "    " * (self.indent + 1) + "if isinstance(i, int) and i > 2: raise IndexError(i)\n" + "    " * (self.indent + 1) + "return i",
            "def __bool__(self): return False",
            "def __iter__(self): return iter([1, 2])",
            "def __contains__(self, x): return x == 1",
            "def __call__(self, *a): return ('called', a)",
            "def __getattr__(self, n): return 'no ' + n if not n.startswith('_') else object.__getattribute__(self, n)",
            "@property\n" + "    " * self.indent + "def w(self): return 'w'",
            "@staticmethod\n" + "    " * self.indent + "def s(x=1): return ('s', x)",
            "@classmethod\n" + "    " * self.indent + "def k(cls): return cls.__name__",
            "def __lt__(self, o): return True",
            "def __enter__(self): return 1",
            "def __exit__(self, *a): return True",
            "def __hash__(self): return 5",
        ]
        self.put(extra[0])
        for text in self.r.sample(extra[1:], self.r.randint(0, 4)):
            for line in text.split("\n"):
                self.lines.append(line if line.startswith("    ") else "    " * self.indent + line)
        self.indent -= 1
        self.classes.append(name)
        variable = self.new_variable()
        self.put(f"{variable} = {name}({self.expression(0)})")
        self.put(f"trace({variable}.{self.one('v', 'go()', 'w', 'k()', 's(2)', '__class__.__name__')})")

    def text(self):
        self.put("a, b, c, xs, d = 1, 'bee', 2.0, [3, 1, 2], {1: 'one'}")
        self.put("try:")
        self.indent += 1
        for _ in range(self.r.randint(4, 9)):
            self.put("try:")
            self.block(3, 1, 4)
            self.put("except Exception as top:")
            self.indent += 1
            self.put("print('top', chain(top))")
            self.indent -= 1
        self.indent -= 1
        self.put("except SystemExit:")
        self.put("    print('budget')")
        return PRELUDE + "\n".join(self.lines) + "\n"


def run(command, path, hash_seed):
    done = subprocess.run([*command, str(path)], capture_output=True, check=False, timeout=60,
                          env={**os.environ, "PYTHONIOENCODING": "utf-8", "PYTHONHASHSEED": str(hash_seed)})
    return done.stdout.decode("utf-8", "replace"), done.stderr.decode("utf-8", "replace"), done.returncode


# A comprehension is no function of its own in mlc: a variable without a value is local there, not free.
UNBOUND = re.compile(r"'(?:UnboundLocalError|NameError)', \"cannot access (?:local|free) variable ('\w+') where it is not"
                     r" associated with a value(?: in enclosing scope)?\"")
ADDRESS = re.compile(r" at 0x[0-9a-f]+|<function [^>]*>|<bound method [^\n]*")


def compare(mlc, seed):
    text = Program(seed).text()
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "program.py")
        path.write_text(text)
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                compile(text, "program.py", "exec")
        except (SyntaxError, ValueError):
            return seed, "left out", "", "", text
        try:
            theirs, error, status = run([sys.executable, "-W", "ignore"], path, 1)
            again, _, _ = run([sys.executable, "-W", "ignore"], path, 2)
            if theirs != again:
                return seed, "left out", "", "", text
            ours, failure, code = run([mlc, "run"], path, 0)
        except subprocess.TimeoutExpired:
            return seed, "differs", "", "does not end", text
    theirs, ours = (UNBOUND.sub(r"unbound \1", ADDRESS.sub("", text)) for text in (theirs, ours))
    if theirs == ours and (status == 0) == (code == 0):
        return seed, "same", "", "", text
    if code >= 0 and REFUSALS.search(ours + failure):
        return seed, "refused", "", "", text
    mine, yours = ours.split("\n"), theirs.split("\n")
    at = next((i for i, (x, y) in enumerate(zip(mine, yours)) if x != y), min(len(mine), len(yours)) - 1)
    note = failure.strip()[:300] if code != 0 else ""
    return seed, "differs", yours[at], mine[at] + ("\n" + note if note else ""), text


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("mlc")
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--most", type=int, default=10, help="differences shown")
    parser.add_argument("--keep", help="a folder for the programs that differ")
    options = parser.parse_args()
    counts = {"same": 0, "refused": 0, "differs": 0, "left out": 0}
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for seed, outcome, theirs, ours, text in pool.map(lambda n: compare(options.mlc, options.seed * 1_000_000 + n), range(options.count)):
            counts[outcome] += 1
            if outcome != "differs":
                continue
            if options.keep:
                pathlib.Path(options.keep, f"{seed}.py").write_text(text)
            if counts["differs"] <= options.most:
                print(f"seed {seed}\n  CPython: {theirs[:300]}\n  mlc:     {ours[:500]}")
    print(", ".join(f"{n} {outcome}" for outcome, n in counts.items()))
    print(f"{counts['same'] + counts['refused']} passed, {counts['differs']} failed")
    return counts["differs"] > 0


if __name__ == "__main__":
    sys.exit(main())
