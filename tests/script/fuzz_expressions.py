# SPDX-License-Identifier: Apache-2.0
"""Random expressions under CPython and under mlc: the same value, an error of the same class, or a refusal by name.

    python3 tests/script/fuzz_expressions.py MLC [--count N] [--seed N] [--jobs N]

Every expression is made by type from a grammar: arithmetic, comparison, bit operations, formatting in its three
ways, slices, methods of str, list, tuple, dict, set and bytes, comprehensions, conversions and unpacking; now and
then an operand is of a wrong type. Integers have 128 bits in mlc: where CPython goes beyond, NotImplementedError is
a refusal. Differences are printed one by one with the expression that shows them.
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

BATCH = 250
# What mlc says when it refuses: too large an int, and what is left out by name.
REFUSALS = re.compile(r"NotImplementedError|MemoryError|ValueError: .*complex, which mlc has not")

PRELUDE = """\
import math
from functools import reduce
def show(number, f):
    try:
        text = repr(f())
    except RecursionError:
        text = "RecursionError"
    except Exception as e:
        text = type(e).__name__ + (": " + str(e) if "complex" in str(e) else "")
    print(number, text.replace("\\n", "\\\\n"))
def pack(*args, **kwargs): return args, kwargs
def pick(a, b=2, *rest, c=3, **more): return (a, b, rest, c, more)
"""


class Maker:
    def __init__(self, seed):
        self.r = random.Random(seed)
        self.names = {}  # type -> names in scope

    def one(self, *choices):
        return self.r.choice(choices)

    def expression(self):
        kind = self.one("int", "int", "float", "str", "str", "str", "bool", "list", "list", "tuple", "dict", "set", "bytes", "strs", "any")
        return self.make(kind, self.r.randint(1, 4))

    def make(self, kind, depth):
        if self.r.random() < 0.025:
            kind = self.one("int", "float", "str", "bool", "list", "tuple", "dict", "set", "none", "bytes", "strs", "any")
        if self.names.get(kind) and self.r.random() < 0.4:
            return self.r.choice(self.names[kind])
        if depth <= 0:
            return getattr(self, "leaf_" + kind)()
        if self.r.random() < 0.07:
            a, b = self.make(kind, depth - 1), self.make(kind, depth - 1)
            form = self.one("if", "or", "and", "walrus", "lambda", "index")
            if form == "if":
                return f"({a} if {self.make('bool', depth - 1)} else {b})"
            if form == "walrus":
                return f"(lambda v: {a})({b})" if self.r.random() < 0.5 else f"({a})"
            if form == "lambda":
                return f"(lambda p, q={b}: {self.one('p', 'q')})({a})"
            if form == "index":
                return f"[{a}, {b}][{self.one('0', '1', '-1')}]"
            return f"({a} {form} {b})"
        return getattr(self, "make_" + kind)(depth - 1)

    # ---- leaves ----
    def leaf_int(self):
        return self.one("0", "1", "2", "3", "7", "-1", "-2", "10", "-7", "255", "100", "12345", "-128", "0x1f", "0b101", "0o17",
                        "1_000", "2147483647", "9223372036854775807", "-9223372036854775807", str(self.r.randint(-100, 100)),
                        str(self.r.randint(-10**9, 10**9)), "True")

    def leaf_float(self):
        return self.one("0.0", "-0.0", "1.0", "0.5", "-1.5", "3.14159", "1e10", "1e-10", "1e300", "2.5", "-2.5", "0.1", "1e16",
                        "123456789.123", "1e22", "float('inf')", "float('nan')", "-float('inf')", "5e-324", "1.7976931348623157e308",
                        repr(self.r.uniform(-10, 10)), repr(self.r.uniform(-1e6, 1e6)), repr(round(self.r.uniform(-100, 100), 2)),
                        repr(self.r.gauss(0, 1) * 10.0 ** self.r.randint(-20, 20)))

    def leaf_bool(self):
        return self.one("True", "False")

    def leaf_none(self):
        return "None"

    def leaf_str(self):
        return self.one("''", "'a'", "'abc'", "'hello world'", "' x '", "'A-b_c'", "'123'", "'-4.5'", "'aXbXc'", "'tab\\there'",
                        "'l1\\nl2\\r\\nl3'", '"it\'s"', "'q\"d'", "'\\u00e9t\\u00e9'", "'\\u4e2d\\u6587'", "'\\U0001f600x'", "'\\x00\\x7f'",
                        "'aaa'", "'Hello'", "'HELLO'", "'%d %s'", "'{} {}'", "'mississippi'", "'a,b,,c'", "'x=1;y=2'",
                        "'\\\\'", "'  lead'", "'trail  '", "'1e5'", "'0x1f'", "'_'", "'a\\u0301'", "'\\u00a0\\u2003z'", "'\\u200b'",
                        "'snake_case_name'", "'3 blind mice'", "r'\\d'", "'ab' 'cd'", "'é'")

    def leaf_bytes(self):
        return self.one("b''", "b'abc'", "b'\\x00\\xff'", "b'a b c'", "b'Hello'", "b'12'", "b'\\n\\t\\\\'", "b'aXbX'")

    def leaf_list(self):
        n = self.r.choice([0, 1, 2, 3, 3, 5, 8])
        return "[" + ", ".join(str(self.r.randint(-9, 20)) for _ in range(n)) + "]"

    def leaf_strs(self):
        n = self.r.choice([0, 1, 2, 3, 4])
        return "[" + ", ".join(self.leaf_str() for _ in range(n)) + "]"

    def leaf_tuple(self):
        n = self.r.choice([0, 1, 2, 3, 4])
        return "(" + "".join(str(self.r.randint(-9, 20)) + ", " for _ in range(n)) + ")"

    def leaf_dict(self):
        n = self.r.choice([0, 1, 2, 3])
        return "{" + ", ".join(f"{self.one(self.leaf_int, self.leaf_str)()}: {self.one(self.leaf_int, self.leaf_str)()}" for _ in range(n)) + "}"

    def leaf_set(self):
        n = self.r.choice([0, 1, 2, 3, 5, 7])
        return "{" + ", ".join(str(self.r.randint(-9, 40)) for _ in range(n)) + "}" if n else "set()"

    def leaf_any(self):
        return self.make(self.one("int", "float", "str", "bool", "none", "list", "tuple", "dict", "bytes", "strs"), 0)

    # ---- by type ----
    def small(self):
        return self.one("0", "1", "2", "3", "5", "-1", "-2", "-3", "4", "10")

    def slice(self, depth):
        parts = [self.one("", self.small(), self.make("int", 0) if self.r.random() < 0.3 else "") for _ in range(2)]
        text = ":".join(parts)
        if self.r.random() < 0.4:
            text += ":" + self.one("", "1", "2", "-1", "-2", "3", "0" if self.r.random() < 0.2 else "-1")
        return text

    def sequence(self, depth):
        return self.make(self.one("list", "tuple", "str", "strs", "list", "set", "dict", "bytes"), depth)

    def iterable(self, depth):
        return self.one(self.make("list", depth), self.make("tuple", depth), self.make("set", depth), f"range({self.small()})",
                        f"range({self.small()}, {self.small()}, {self.one('1', '2', '-1', '3', '-2')})")

    def number(self, depth):
        return self.make(self.one("int", "int", "float", "bool"), depth)

    def make_int(self, d):
        a = lambda: self.make("int", d)
        pick = self.r.randrange(26)
        if pick < 8:
            op = self.one("+", "-", "*", "//", "%", "&", "|", "^", "+", "-", "*")
            return f"({a()} {op} {a()})"
        if pick == 8:
            return f"({a()} {self.one('<<', '>>')} {self.one(self.small(), a())})"
        if pick == 9:
            return f"({a()} ** {self.one('0', '1', '2', '3', '5', '10', '-1')})"
        if pick == 10:
            return f"{self.one('-', '+', '~')}{a()}"
        if pick == 11:
            return f"len({self.sequence(d)})"
        if pick == 12:
            s = self.make("str", d)
            return self.one(f"{s}.find({self.make('str', d)})", f"{s}.count({self.make('str', d)})", f"{s}.index({self.make('str', 0)})",
                            f"{s}.rfind({self.make('str', 0)}, {self.small()})", f"{s}.count({self.make('str', 0)}, {self.small()}, {self.small()})")
        if pick == 13:
            return f"int({self.one(self.make('float', d), self.make('str', d), self.make('bool', d), self.numeral(), self.numeral() + ', ' + self.one('0', '2', '8', '10', '16', '36'))})"
        if pick == 14:
            return f"{self.one('sum', 'max', 'min')}({self.iterable(d)})"
        if pick == 15:
            return f"{self.make('list', d)}[{self.small()}]"
        if pick == 16:
            return f"{self.make('list', d)}.{self.one('index', 'count')}({a()})"
        if pick == 17:
            return f"abs({a()})"
        if pick == 18:
            return f"pow({a()}, {self.one('2', '3', '0', '5')})"
        if pick == 19:
            return f"round({self.make('float', d)})"
        if pick == 20:
            return f"round({a()}, {self.one('-1', '-2', '0', '1', '-3')})"
        if pick == 21:
            return f"({a()}).{self.one('bit_length()', 'numerator', 'real', 'imag', 'denominator')}"
        if pick == 22:
            return f"ord({self.make('str', d)}[{self.small()}])"
        if pick == 23:
            return f"divmod({a()}, {a()})[{self.one('0', '1')}]"
        if pick == 24:
            return self.one(f"math.gcd({a()}, {a()})", f"math.floor({self.make('float', d)})", f"math.ceil({self.make('float', d)})", f"math.comb({self.small()}, {self.small()})", f"math.isqrt({a()})", f"math.trunc({self.number(d)})", f"math.lcm({self.small()}, {a()})", f"math.factorial({self.small()})")
        return f"int.from_bytes({self.make('bytes', d)}, {self.one(chr(39) + 'big' + chr(39), chr(39) + 'little' + chr(39))}{self.one('', ', signed=True')})"

    def numeral(self):
        return repr(self.one("12", "-12", " 42 ", "1_000", "0x1F", "0b11", "z", "7f", "+5", "--5", "", "1.5", "1e3", "0o17", "9999999999999999999", "1__0", "_1", "inf", "-Infinity", "nan", "1e400", ".5", "5.", ".", "1e", "0x1p3", "1_0.2_5", "1e-400", "\t3\n"))

    def make_float(self, d):
        a = lambda: self.number(d)
        f = lambda: self.make("float", d)
        pick = self.r.randrange(16)
        if pick < 6:
            return f"({f()} {self.one('+', '-', '*', '/', '//', '%')} {a()})"
        if pick == 6:
            return f"({a()} / {a()})"
        if pick == 7:
            return f"float({self.one(a(), self.make('str', 0), self.numeral())})"
        if pick == 8:
            return f"round({f()}, {self.one('0', '1', '2', '5', '-1', '-2', '10')})"
        if pick == 9:
            return f"{self.one('-', '+')}{f()}"
        if pick == 10:
            return f"abs({f()})"
        if pick == 11:
            return f"({f()} ** {self.one('2', '0.5', '-1', '3', '0', a())})"
        if pick == 12:
            return f"math.{self.one('sqrt', 'sin', 'exp', 'log', 'atan', 'floor', 'fabs', 'log2', 'log10', 'cos', 'tanh', 'degrees')}({a()})"
        if pick == 13:
            return f"math.{self.one('fmod', 'copysign', 'hypot', 'atan2', 'pow', 'ldexp')}({a()}, {self.small()})"
        if pick == 14:
            return f"divmod({f()}, {a()})[{self.one('0', '1')}]"
        return f"sum([{f()}, {a()}, {f()}])"

    def make_bool(self, d):
        pick = self.r.randrange(14)
        op = self.one("<", "<=", "==", "!=", ">", ">=")
        if pick < 3:
            return f"({self.number(d)} {op} {self.number(d)})"
        if pick == 3:
            k = self.one("str", "list", "tuple", "set", "bytes", "strs")
            return f"({self.make(k, d)} {op} {self.make(k, d)})"
        if pick == 4:
            return f"({self.number(d)} {op} {self.number(d)} {self.one('<', '<=', '==', '!=')} {self.number(d)})"
        if pick == 5:
            return f"({self.make('int', d)} {self.one('in', 'not in')} {self.iterable(d)})"
        if pick == 6:
            return f"({self.make('str', d)} {self.one('in', 'not in')} {self.make('str', d)})"
        if pick == 7:
            return f"{self.make('str', d)}.{self.one('isdigit', 'isalpha', 'isalnum', 'isspace', 'isupper', 'islower', 'isidentifier', 'isdecimal', 'isascii')}()"
        if pick == 8:
            return f"{self.make('str', d)}.{self.one('startswith', 'endswith')}({self.one(self.make('str', d), '(' + self.make('str', 0) + ', ' + self.make('str', 0) + ')')}{self.one('', '', ', ' + self.small())})"
        if pick == 9:
            return f"(not {self.make('any', d)})"
        if pick == 10:
            return f"bool({self.make('any', d)})"
        if pick == 11:
            return f"{self.one('any', 'all')}({self.one(self.iterable(d), '[' + self.make('bool', d) + ']')})"
        if pick == 12:
            return f"{self.make('set', d)}.{self.one('issubset', 'issuperset', 'isdisjoint')}({self.iterable(d)})"
        return self.one(f"isinstance({self.make('any', d)}, {self.one('int', 'float', 'str', '(int, str)', 'list', 'object', 'bool')})", f"({self.make('any', d)} is None)", f"({self.make('any', d)} == {self.make('any', d)})", f"callable({self.one('len', 'int', self.make('any', d))})", f"math.isclose({self.number(d)}, {self.number(d)})", f"({self.make('any', d)} {op} {self.make('any', d)})")

    def spec(self):
        fill = self.one("", "", "", "*<", "0>", "^", "<", ">", "=", "x=", "é^", "_>")
        sign = self.one("", "", "+", "-", " ")
        zero = self.one("", "", "0")
        width = self.one("", "", "5", "8", "12", "1", "20")
        group = self.one("", "", "", ",", "_")
        prec = self.one("", "", ".0", ".1", ".2", ".3", ".6", ".10")
        code = self.one("", "d", "x", "X", "o", "b", "e", "E", "f", "F", "g", "G", "%", "s", "c", "q" if self.r.random() < 0.1 else "")
        return fill + sign + zero + width + group + prec + code

    def kind_spec(self, kind):
        """A spec that mostly suits the type."""
        if self.r.random() < 0.2:
            return self.spec()
        fill = self.one("", "", "*<", "0>", "^", "<", ">")
        width = self.one("", "5", "8", "12", "20")
        if kind == "str":
            return fill + width + self.one("", ".0", ".2", ".5") + self.one("", "s")
        sign = self.one("", "", "+", " ", "-")
        if kind == "int":
            return fill + sign + self.one("", "#") + self.one("", "0") + width + self.one("", "", ",", "_") + self.one("", "d", "x", "X", "o", "b", "d")
        return fill + sign + self.one("", "0") + width + self.one("", "", ",", "_") + self.one("", ".0", ".1", ".3", ".6", ".12") + self.one("", "e", "f", "g", "%", "E", "G")

    def percent(self, d):
        flags = self.one("", "", "-", "+", " ", "0", "-+", "0+")
        width = self.one("", "", "5", "8", "1", "12")
        prec = self.one("", "", ".0", ".2", ".5", ".10")
        code = self.one("d", "i", "s", "r", "x", "X", "o", "f", "e", "g", "G", "E", "F", "c", "a", "u", "%" if self.r.random() < 0.1 else "s")
        if code in "dixXou":
            prec = ""
        if code in "dixXouc":
            v = self.make(self.one("int", "int", "int", "float"), d)
        elif code in "sra":
            v = self.make("any", d)
        else:
            v = self.number(d)
        return f"%{flags}{width}{prec}{code}", v

    def make_str(self, d):
        s = lambda: self.make("str", d)
        pick = self.r.randrange(32)
        if pick < 2:
            return f"({s()} + {s()})"
        if pick == 2:
            return f"({s()} * {self.one(self.small(), self.small())})"
        if pick < 5:
            return f"{s()}[{self.slice(d)}]"
        if pick == 5:
            return f"{s()}[{self.small()}]"
        if pick < 8:
            kind = self.one("int", "float", "str", "bool")
            return f"format({self.make(kind, d)}, {self.kind_spec(kind)!r})"
        if pick < 11:
            kind = self.one("int", "float", "str", "any")
            value = self.make(kind, d).replace('"', "'")
            if "\\" in value or "{" in value or "'" in value or '"' in value or "lambda" in value or "if" in value:
                value = self.leaf_int() if kind == "int" else self.leaf_float().replace("'", "") if kind == "float" and False else "123"
            form = self.one("", "", "!r", "!s", "!a", " = ", "=")
            spec = self.kind_spec("int" if kind == "any" else kind)
            if form in ("!r", "!s", "!a"):
                spec = self.kind_spec("str")
            spec = spec.replace("'", "")
            return 'f"' + self.one("", "a{{b}} ", "x") + "{" + f"({value})" + form + (":" + spec if spec else "") + "}" + self.one("", "!", " end") + '"'
        if pick < 14:
            n = self.one(1, 1, 2, 3)
            parts = [self.percent(d) for _ in range(n)]
            text = self.one("", "a ").join(p[0] for p in parts)
            values = ", ".join(p[1] for p in parts)
            return f"({text!r} % ({values},))"
        if pick == 14:
            kind = self.one("int", "float", "str")
            return f"{('{:' + self.kind_spec(kind) + '}' + self.one('', ' {}', ' {0}', ' {1!r}', '{{}}'))!r}.format({self.make(kind, d)}, {self.make('any', d)})"
        if pick == 15:
            return f"'{{{self.one('0', 'x', '0[0]', 'x[1]', '1', '', '0.real', 'y')}{self.one('', '!r', ':>6', ':{w}')}}}'.format({self.make('any', d)}, x={self.make('any', d)}, w={self.one('5', '10')})"
        if pick < 18:
            return f"{s()}.{self.one('upper', 'lower', 'title', 'capitalize', 'strip', 'lstrip', 'rstrip')}()"
        if pick == 18:
            return f"{s()}.{self.one('strip', 'lstrip', 'rstrip', 'removeprefix', 'removesuffix')}({s()})"
        if pick == 19:
            return f"{s()}.{self.one('ljust', 'rjust', 'center')}({self.one('3', '8', '11', '20')}{self.one('', ', ' + repr(self.one('*', '0', 'é')))})"
        if pick == 20:
            return f"{s()}.zfill({self.one('3', '8', '-1', '12')})"
        if pick == 21:
            return f"{s()}.replace({s()}, {s()}{self.one('', '', ', ' + self.small())})"
        if pick == 22:
            return f"{s()}.join({self.one(self.make('strs', d), self.make('strs', d), s())})"
        if pick < 25:
            return f"{self.one('str', 'repr', 'str', 'ascii')}({self.make('any', d)})"
        if pick == 25:
            return f"{self.one('hex', 'bin', 'oct', 'chr')}({self.make('int', d)})"
        if pick == 26:
            return f"{self.one('max', 'min')}({self.make('strs', d)}{self.one('', ', key=len', ', default=' + repr('none'))})"
        if pick == 27:
            return f"{self.make('strs', d)}[{self.small()}]"
        if pick in (28, 29):
            return f"{self.make('bytes', d)}.{self.one('decode()', 'hex()', 'decode(' + repr('latin-1') + ')', 'decode(' + repr('ascii') + ', ' + repr('replace') + ')')}"
        return f"type({self.make('any', d)}).__name__"

    def make_bytes(self, d):
        b = lambda: self.make("bytes", d)
        return self.one(
            lambda: f"({b()} + {b()})", lambda: f"{b()}[{self.slice(d)}]", lambda: f"({b()} * {self.small()})",
            lambda: f"{self.make('str', d)}.encode({self.one('', repr('utf-8'), repr('ascii'), repr('latin-1'))})", lambda: f"bytes({self.one(self.iterable(d), self.small())})",
            lambda: f"({self.make('int', d)}).to_bytes({self.one('1', '2', '4', '8')}, {self.one(repr('big'), repr('little'))}{self.one('', ', signed=True')})",
            lambda: f"{b()}.join([{b()}, {b()}])", lambda: f"bytes.fromhex({self.one(repr('00ff'), repr('12 ab'), repr('zz'))})")()

    def target(self, kind, name):
        return self.names.setdefault(kind, []), name

    def comprehension(self, element, depth, open_, close):
        """A comprehension over ints whose variable is in scope in its element."""
        name = "v%d" % self.r.randrange(3)
        ints = self.names.setdefault("int", [])
        source = self.iterable(depth)
        ints.append(name)
        try:
            body = element(depth)
            condition = f" if {self.make('bool', depth)}" if self.r.random() < 0.5 else ""
            inner = ""
            if self.r.random() < 0.15:
                other = "w%d" % self.r.randrange(2)
                inner = f" for {other} in {self.iterable(0)}"
        finally:
            ints.pop()
        return f"{open_}{body} for {name} in {source}{inner}{condition}{close}"

    def make_list(self, d):
        l = lambda: self.make("list", d)
        pick = self.r.randrange(20)
        if pick < 2:
            return f"({l()} + {l()})"
        if pick == 2:
            return f"({l()} * {self.small()})"
        if pick < 5:
            return f"{l()}[{self.slice(d)}]"
        if pick < 8:
            return self.comprehension(lambda depth: self.make("int", depth), d, "[", "]")
        if pick == 8:
            return f"sorted({self.iterable(d)}{self.one('', ', reverse=True', ', key=lambda k: -k', ', key=lambda k: k % 3', ', key=str', ', key=abs')})"
        if pick == 9:
            return f"list({self.one(self.sequence(d), self.iterable(d))})"
        if pick == 10:
            return f"list(reversed({l()}))"
        if pick == 11:
            return f"list(map({self.one('abs', 'str', 'lambda k: k * 2', 'float', 'bool', 'hex')}, {self.iterable(d)}))"
        if pick == 12:
            return f"list(filter({self.one('None', 'lambda k: k > 2', 'bool')}, {self.iterable(d)}))"
        if pick == 13:
            return f"list(zip({self.iterable(d)}, {self.sequence(d)}{self.one('', ', strict=True')}))"
        if pick == 14:
            return f"list(enumerate({self.sequence(d)}{self.one('', ', 5', ', start=-1')}))"
        if pick == 15:
            return f"[*{self.iterable(d)}, {self.make('int', d)}, *{self.iterable(d)}]"
        if pick == 16:
            change = self.one(f"append({self.make('any', d)})", "pop()", "reverse()", "sort()", f"insert({self.small()}, 99)", f"extend({self.iterable(d)})", f"remove({self.small()})", "clear()", f"pop({self.small()})", "sort(key=lambda k: -k)", "__setitem__(0, 7)", f"__setitem__(slice({self.small()}, {self.small()}), {self.iterable(d)})", f"__setitem__(slice(None, None, 2), {self.iterable(d)})", f"__delitem__({self.small()})")
            return f"(lambda m: [m.{change}, m])({l()})"
        if pick == 17:
            return f"list({self.make('dict', d)}.{self.one('items', 'keys', 'values')}())"
        if pick == 18:
            return f"[{self.make('any', d)}, {self.make('any', d)}]"
        return f"(lambda a, *b, c=0: [c, *b, a])(*{self.iterable(d)})"

    def make_strs(self, d):
        s = lambda: self.make("str", d)
        return self.one(
            lambda: f"{s()}.split({self.one('', s(), s() + ', ' + self.small(), 'None, ' + self.small())})", lambda: f"{s()}.rsplit({self.one('', s() + ', 1', 'None, 1')})",
            lambda: f"{s()}.splitlines({self.one('', 'True')})", lambda: f"list({s()})", lambda: f"sorted({self.make('strs', d)}{self.one('', ', key=len', ', key=str.lower', ', reverse=True')})",
            lambda: f"list({s()}.{self.one('partition', 'rpartition')}({s()}))", lambda: f"[{s()}, {s()}]", lambda: f"{self.make('strs', d)}[{self.slice(d)}]",
            lambda: self.comprehension(lambda depth: self.make("str", depth), d, "[", "]"), lambda: f"[k.{self.one('upper', 'strip', 'title')}() for k in {self.make('strs', d)}]")()

    def make_tuple(self, d):
        t = lambda: self.make("tuple", d)
        return self.one(
            lambda: f"({t()} + {t()})", lambda: f"{t()}[{self.slice(d)}]", lambda: f"({t()} * {self.small()})", lambda: f"tuple({self.sequence(d)})",
            lambda: f"({self.make('any', d)}, {self.make('any', d)})", lambda: f"divmod({self.number(d)}, {self.number(d)})", lambda: f"(*{self.iterable(d)}, {self.make('any', d)})",
            lambda: f"pack({self.make('any', d)}, *{self.iterable(d)}, k={self.make('any', d)}, **{{'z': 1}})", lambda: f"pick({', '.join(self.make('int', d) for _ in range(self.r.randint(0, 4)))}{self.one('', '', ' ')})",
            lambda: f"pick({self.make('int', d)}, {self.one('b', 'c', 'd', 'a')}={self.make('int', d)})", lambda: f"math.{self.one('floor', 'ceil')}({self.make('float', d)})",
            lambda: f"tuple({self.comprehension(lambda depth: self.make('any', depth), d, '(', ')')})")()

    def key(self, d):
        return self.make(self.one("int", "int", "str", "float", "tuple", "bool"), 0 if self.r.random() < 0.6 else d)

    def make_dict(self, d):
        m = lambda: self.make("dict", d)
        return self.one(
            lambda: f"{{{self.key(d)}: {self.make('any', d)}, {self.key(d)}: {self.make('any', d)}}}", lambda: f"{{**{m()}, **{m()}}}", lambda: f"({m()} | {m()})",
            lambda: self.comprehension(lambda depth: f"{self.make('int', depth)}: {self.make('any', depth)}", d, "{", "}"), lambda: f"dict(zip({self.iterable(d)}, {self.sequence(d)}))",
            lambda: f"dict(a={self.make('any', d)}, **{{'b': {self.make('any', d)}}})", lambda: f"dict.fromkeys({self.iterable(d)}{self.one('', ', 0')})",
            lambda: f"(lambda m: [m.{self.one('pop(' + self.key(0) + ', None)', 'pop(' + self.key(0) + ')', 'setdefault(' + self.key(0) + ', 1)', 'get(' + self.key(0) + ')', 'update({1: 2})', 'popitem()', 'clear()', 'copy()', 'update(a=1)', 'get(' + self.key(0) + ', -1)', '__contains__(' + self.key(0) + ')')}, m][1])({m()})",
            lambda: f"{{k: v for k, v in {m()}.items() if {self.make('bool', 0)}}}", lambda: f"{{v: k for k, v in {m()}.items()}}", lambda: f"dict({m()})")()

    def make_set(self, d):
        s = lambda: self.make("set", d)
        return self.one(
            lambda: f"({s()} {self.one('|', '&', '-', '^')} {s()})", lambda: f"set({self.iterable(d)})", lambda: f"{s()}.{self.one('union', 'intersection', 'difference', 'symmetric_difference')}({self.iterable(d)})",
            lambda: self.comprehension(lambda depth: self.make("int", depth), d, "{", "}"), lambda: f"{{*{self.iterable(d)}, {self.make('int', d)}}}", lambda: f"frozenset({self.iterable(d)})",
            lambda: f"(lambda m: [m.{self.one('add(5)', 'discard(3)', 'remove(1)', 'update([1, 2])', 'clear()', 'copy()', 'intersection_update([1, 2, 3])', 'difference_update([1])')}, m][1])({s()})", lambda: f"set({self.make('dict', d)}.keys() & {self.make('set', d)})")()

    def make_none(self, d):
        return "None"

    def make_any(self, d):
        return self.make(self.one("int", "float", "str", "bool", "none", "list", "tuple", "dict", "set", "bytes", "strs"), d)


def program(expressions):
    return PRELUDE + "".join(f"show({n}, lambda: {text})\n" for n, text in expressions)


def outputs(command, source, folder, hash_seed=0):
    path = pathlib.Path(folder, "program.py")
    path.write_text(source)
    environment = {**os.environ, "PYTHONIOENCODING": "utf-8:backslashreplace", "PYTHONHASHSEED": str(hash_seed)}
    try:
        done = subprocess.run([*command, str(path)], capture_output=True, check=False, timeout=30, env=environment)
    except subprocess.TimeoutExpired as late:
        done = subprocess.CompletedProcess(late.cmd, 124, late.stdout or b"", b"does not end")
    lines = {}
    for line in done.stdout.decode("utf-8", "surrogateescape").split("\n"):
        number, _, text = line.partition(" ")
        if number.isdigit():
            lines[int(number)] = text
    return lines, done.stderr.decode("utf-8", "surrogateescape"), done.returncode


def small_enough(text):
    return len(text) < 1500


def unordered(text):
    """The order of a set that holds None, nan or a str hangs on addresses and hashes."""
    return sorted(text) if "{" in text and re.search("None|nan|'", text) else text


def run_batch(mlc, seed):
    maker = Maker(seed)
    expressions = []
    while len(expressions) < BATCH:
        text = maker.expression()
        if small_enough(text):
            expressions.append((len(expressions), text))
    problems = []
    refused = 0
    with tempfile.TemporaryDirectory() as folder:
        python = [sys.executable, "-W", "ignore"]
        theirs, error, _ = outputs(python, program(expressions), folder, 1)
        if error:  # one expression is no Python at all: find those and leave them out
            kept = []
            for number, text in expressions:
                try:
                    compile(text, "?", "eval")
                    kept.append((number, text))
                except (SyntaxError, ValueError):
                    pass
            expressions = kept
            theirs, error, _ = outputs(python, program(expressions), folder, 1)
        # What depends on the hashes of strings is no one's to expect.
        again, _, _ = outputs(python, program(expressions), folder, 2)
        expressions = [each for each in expressions if theirs.get(each[0]) == again.get(each[0])]
        ours, failure, status = outputs([mlc, "run"], program(expressions), folder)
        if status < 0:
            problems.append((seed, "the whole batch", "ends", f"mlc ends by signal {-status}"))
        for number, text in expressions:
            if number not in theirs:
                continue
            if number not in ours:  # a refusal of the whole program, or a crash: this one on its own
                alone, failure, _ = outputs([mlc, "run"], program([(number, text)]), folder)
                if number not in alone:
                    problems.append((seed, text, theirs[number], failure.strip()[:400] or "ends without a word"))
                    continue
                ours[number] = alone[number]
            if ours[number] != theirs[number]:
                if unordered(theirs[number]) == unordered(ours[number]):
                    continue
                if REFUSALS.match(ours[number]):
                    refused += 1
                else:
                    problems.append((seed, text, theirs[number], ours[number]))
    return len(expressions), refused, problems


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("mlc")
    parser.add_argument("--count", type=int, default=10000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--most", type=int, default=40, help="differences shown")
    options = parser.parse_args()
    batches = max(1, options.count // BATCH)
    total = refused = 0
    shown = 0
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for made, refusals, problems in pool.map(lambda n: run_batch(options.mlc, options.seed * 1_000_000 + n), range(batches)):
            total += made
            refused += refusals
            for seed, text, theirs, ours in problems:
                shown += 1
                if shown <= options.most:
                    print(f"seed {seed}: {text}\n  CPython: {theirs[:300]}\n  mlc:     {ours[:300]}")
    print(f"{total} expressions, {refused} refused, {shown} differ")
    print(f"{total - shown} passed, {shown} failed")
    return shown > 0


if __name__ == "__main__":
    sys.exit(main())
