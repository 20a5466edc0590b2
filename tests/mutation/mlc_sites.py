# SPDX-License-Identifier: Apache-2.0
"""Sites in modules of the language, which are valid Python."""
import ast

from sites import MLC, ORDERED, RELATIONS, SUMS, TWINS, Site, rewritten

OPERATORS = {ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Eq: "==", ast.NotEq: "!="}
ARITHMETIC = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.FloorDiv: "//", ast.Mod: "%"}
IMPORT = b"from mlc.schedule.mutation_switch import mutant_fixed, mutant_on\n"


class Finder(ast.NodeVisitor):
    def __init__(self, path, source):
        self.path, self.source, self.sites = path, source, []
        self.inside = False
        self.lines = [0]
        for line in source.splitlines(keepends=True):
            self.lines.append(self.lines[-1] + len(line))

    def span(self, node):
        return (self.lines[node.lineno - 1] + node.col_offset, self.lines[node.end_lineno - 1] + node.end_col_offset)

    def text(self, node):
        start, end = self.span(node)
        return self.source[start:end].decode()

    def add(self, node, kind, form, mutated):
        if self.inside:
            start, end = self.span(node)
            line = self.source.splitlines()[node.lineno - 1].decode().strip()
            self.sites.append(Site(self.path, node.lineno, start, end, kind, form, self.text(node), mutated, line))

    def condition(self, node, kind):
        self.add(node, kind, "fixed", "True")
        self.add(node, kind, "fixed", "False")

    def visit_FunctionDef(self, node):
        if any(ast.unparse(decorator).startswith(("T.", "I.", "R.")) for decorator in node.decorator_list):
            return  # a program of the other language
        outside, self.inside = self.inside, True
        for statement in node.body:
            self.visit(statement)
        self.inside = outside

    def visit_JoinedStr(self, node):
        pass  # its positions are not those of the file

    def visit_Raise(self, node):
        pass  # what a message says

    def visit_If(self, node):
        self.condition(node.test, "branch")
        self.generic_visit(node)

    def visit_IfExp(self, node):
        self.condition(node.test, "branch")
        self.generic_visit(node)

    def visit_comprehension(self, node):
        for test in node.ifs:
            self.condition(test, "branch")
        self.generic_visit(node)

    def visit_BoolOp(self, node):
        neutral = "True" if isinstance(node.op, ast.And) else "False"
        for value in node.values:
            self.add(value, "condition", "fixed", neutral)
        self.generic_visit(node)

    def visit_Compare(self, node):
        if len(node.ops) == 1 and type(node.ops[0]) in OPERATORS:
            operator = RELATIONS[OPERATORS[type(node.ops[0])]]
            self.add(node, "relation", "ternary", f"{self.text(node.left)} {operator} {self.text(node.comparators[0])}")
        self.generic_visit(node)

    def visit_BinOp(self, node):
        operator = ARITHMETIC.get(type(node.op))
        if operator and not isinstance(node.left, (ast.JoinedStr, ast.List)) and not (
                isinstance(node.left, ast.Constant) and isinstance(node.left.value, str)):
            left, right = f"({self.text(node.left)})", f"({self.text(node.right)})"
            if operator in "+-*":
                self.add(node, "term", "ternary", left)
            if operator in "+*":
                self.add(node, "term", "ternary", right)
            else:
                self.add(node, "operands", "ternary", f"{right} {operator} {left}")
        self.generic_visit(node)

    def visit_Constant(self, node):
        if type(node.value) is int:
            self.add(node, "number", "ternary", str(node.value + 1))
            if node.value > 0:
                self.add(node, "number", "ternary", str(node.value - 1))
        elif type(node.value) is bool:
            self.add(node, "truth", "fixed", str(not node.value))

    def visit_Call(self, node):
        name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        whole, callee = self.text(node), self.text(node.func)
        arguments = [self.text(argument) for argument in node.args]
        if name in TWINS:
            twin = callee[:len(callee) - len(name)] + TWINS[name]
            self.add(node, "call", "ternary", twin + whole[len(callee):])
        if len(arguments) == 2 and not node.keywords:
            if name in ORDERED:
                self.add(node, "operands", "ternary", f"{callee}({arguments[1]}, {arguments[0]})")
            if name in SUMS and not any(isinstance(argument, ast.Starred) for argument in node.args):
                self.add(node, "term", "ternary", arguments[0])
                self.add(node, "term", "ternary", arguments[1])
        self.generic_visit(node)

    def visit_Expr(self, node):
        if isinstance(node.value, ast.Call):
            self.add(node.value, "statement", "statement", "None")
        if not isinstance(node.value, ast.Constant):
            self.generic_visit(node)


def find(path, source):
    finder = Finder(path, source)
    finder.visit(ast.parse(source))
    return finder.sites


def switched(source, sites):
    """The module with its switches, which it imports below its documentation."""
    tree = ast.parse(source)
    text = rewritten(source, sites, MLC)
    first = tree.body[0]
    documented = isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant)
    lines = text.splitlines(keepends=True)
    at = first.end_lineno if documented else first.lineno - 1
    return b"".join(lines[:at]) + IMPORT + b"".join(lines[at:])
