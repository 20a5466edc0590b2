# SPDX-License-Identifier: Apache-2.0
"""Sites in C++: what stands in bodies of functions, outside of macros, templates and constants of the compiler."""
import ctypes
import hashlib
import json
import os
import pathlib
import re
import shlex
import subprocess

from clang import cindex
from clang.cindex import CursorKind as Kind

from sites import CPP, ORDERED, RELATIONS, SUMS, TWINS, Site, rewritten

INCLUDE = b'#include "ir/core/mutation_switch.h"\n#line 1\n'
BODIES = {Kind.FUNCTION_DECL, Kind.CXX_METHOD, Kind.CONSTRUCTOR, Kind.DESTRUCTOR, Kind.CONVERSION_FUNCTION,
          Kind.LAMBDA_EXPR}
SKIPPED = {Kind.STATIC_ASSERT, Kind.FUNCTION_TEMPLATE, Kind.CLASS_TEMPLATE, Kind.CXX_THROW_EXPR, Kind.DECL_REF_EXPR,
           Kind.TEMPLATE_REF, Kind.TYPE_REF, Kind.ENUM_DECL, Kind.STRING_LITERAL}
EXPRESSIONS = {Kind.CALL_EXPR, Kind.BINARY_OPERATOR, Kind.COMPOUND_ASSIGNMENT_OPERATOR}
# Evaluated though the right program would not: nothing that may fail or change anything.
PURE = {Kind.DECL_REF_EXPR, Kind.MEMBER_REF_EXPR, Kind.INTEGER_LITERAL, Kind.CXX_BOOL_LITERAL_EXPR, Kind.PAREN_EXPR,
        Kind.UNEXPOSED_EXPR, Kind.CXX_NULL_PTR_LITERAL_EXPR, Kind.CXX_THIS_EXPR, Kind.TYPE_REF, Kind.NAMESPACE_REF,
        Kind.CXX_STATIC_CAST_EXPR}
GETTERS = {"size", "empty", "operator->", "get", "dtype", "bits", "lanes", "code", "operator*", "value", "same_as"}
PLAIN = re.compile(r"^(const )?(bool|char|short|int|long|long long|unsigned.*|size_t|u?int(8|16|32|64)_t)$")


# Asking each cursor for its file's name takes longer than parsing.
in_main_file = cindex.conf.lib.clang_Location_isFromMainFile
in_main_file.argtypes, in_main_file.restype = [cindex.SourceLocation], ctypes.c_int


class Flags:
    """How each file is compiled, from compile_commands.json; members of unity groups as their groups."""

    def __init__(self, build):
        self.of_file = {}
        for entry in json.loads((pathlib.Path(build) / "compile_commands.json").read_text()):
            files = [entry["file"]]
            if "/Unity/" in entry["file"]:
                try:
                    group = pathlib.Path(entry["file"]).read_text()
                except OSError:
                    continue
                files = re.findall(r'#include "([^"]+)"', group)
            for file in files:
                self.of_file.setdefault(file, entry["command"])
        headers = subprocess.run(["c++", "-print-file-name=include"], capture_output=True, text=True, check=True)
        self.common = ["-isystem", headers.stdout.strip(), "-Wno-everything", "-ferror-limit=0"]

    def group(self, file):
        """What is the same for files that are compiled together."""
        return self.of_file.get(str(file), str(file))

    def __call__(self, file):
        """The flags, and the header that comes before everything else."""
        words = iter(word for word in shlex.split(self.of_file[str(file)]) if word != "-Xclang")
        flags, header = [], None
        for word in words:
            if word.startswith(("-I", "-D", "-std=")):
                flags.append(word)
            elif word == "-isystem":
                flags += [word, next(words)]
            elif word == "-include":
                header = next(words)
            elif word == "-include-pch":
                next(words)  # another compiler's
        return flags + self.common, header


class Parser:
    def __init__(self, flags, folder):
        self.flags, self.folder = flags, pathlib.Path(folder)
        self.index = cindex.Index.create()

    def precompiled(self, header, flags, options):
        """The header as libclang wants it, made once in the folder, which several processes may share."""
        out = self.folder / (hashlib.sha256(" ".join([header, *flags]).encode()).hexdigest()[:16] + ".pch")
        if not out.exists():
            made = out.with_suffix(f".{os.getpid()}")
            self.index.parse(header, args=["-x", "c++-header"] + flags,
                             options=options | cindex.TranslationUnit.PARSE_INCOMPLETE).save(str(made))
            made.rename(out)
        return str(out)

    def parse(self, file, text=None):
        flags, header = self.flags(file)
        options = cindex.TranslationUnit.PARSE_DETAILED_PROCESSING_RECORD
        if header is not None:
            flags = flags + ["-include-pch", self.precompiled(header, flags, options)]
        unsaved = None if text is None else [(str(file), text)]
        return self.index.parse(str(file), args=flags, unsaved_files=unsaved, options=options)

    def bad_lines(self, file, text):
        """The lines of the file that do not compile."""
        unit = self.parse(file, text)
        return {error.location.line for error in unit.diagnostics
                if error.severity >= cindex.Diagnostic.Error and error.location.file is not None
                and error.location.file.name == str(file)}


class Finder:
    def __init__(self, path, file, source, unit):
        self.path, self.file, self.source = path, str(file), source
        self.lines = source.splitlines()
        self.sites, self.seen = [], set()
        self.macros = [self.span(cursor) for cursor in unit.cursor.get_children()
                       if cursor.kind == Kind.MACRO_INSTANTIATION and self.here(cursor)]
        for cursor in unit.cursor.get_children():
            if self.here(cursor) and cursor.kind not in (Kind.MACRO_INSTANTIATION, Kind.MACRO_DEFINITION):
                self.walk(cursor, None, False)

    def here(self, cursor):
        return in_main_file(cursor.location)

    def span(self, cursor):
        return cursor.extent.start.offset, cursor.extent.end.offset

    def text(self, cursor):
        start, end = self.span(cursor)
        return self.source[start:end].decode()

    def add(self, cursor, kind, form, mutated):
        start, end = self.span(cursor)
        if start >= end or any(start < last and first < end for first, last in self.macros):
            return
        if "\n" in mutated:  # the lines after it keep their numbers
            if "//" in mutated:
                return
            mutated = " ".join(mutated.split("\n"))
        key = (start, end, mutated)
        if key in self.seen:
            return
        self.seen.add(key)
        line = self.source.count(b"\n", 0, start)
        self.sites.append(Site(self.path, line + 1, start, end, kind, form, self.text(cursor), mutated,
                               self.lines[line].decode().strip()))

    def condition(self, cursor, kind):
        if cursor.kind not in (Kind.VAR_DECL, Kind.DECL_STMT):
            self.add(cursor, kind, "fixed", "true")
            self.add(cursor, kind, "fixed", "false")

    def body_runs(self, cursor, body):
        """Whether this function is one of the program's, not also of the compiler's."""
        head = self.source[cursor.extent.start.offset:body.extent.start.offset]
        return re.search(rb"\b(constexpr|consteval)\b", head) is None

    def walk(self, cursor, parent, inside):
        if cursor.kind in SKIPPED:
            return
        children = list(cursor.get_children())
        if cursor.kind in BODIES:
            for child in children:
                if child.kind in (Kind.COMPOUND_STMT, Kind.CXX_TRY_STMT) and self.body_runs(cursor, child):
                    self.walk(child, cursor, True)
            return
        if cursor.kind == Kind.VAR_DECL:
            name = cursor.location.offset
            head = self.source[cursor.extent.start.offset:name]
            children = [child for child in children if child.extent.start.offset > name and not (
                child.kind == Kind.INTEGER_LITERAL and "[" in cursor.type.spelling)]
            if re.search(rb"\b(constexpr|static)\b", head):
                inside = False
        elif cursor.kind == Kind.CASE_STMT:
            children = children[1:]
        elif cursor.kind == Kind.MEMBER_REF_EXPR:
            children = [child for child in children if child.extent.start.offset < cursor.location.offset]
        if inside:
            self.look_at(cursor, parent, children)
        for child in children:
            self.walk(child, cursor, inside)

    def look_at(self, cursor, parent, children):
        kind = cursor.kind
        if kind == Kind.IF_STMT:
            head = self.source[cursor.extent.start.offset:children[0].extent.start.offset]
            if b"constexpr" not in head and children[0].kind not in (Kind.DECL_STMT, Kind.VAR_DECL):
                self.condition(children[0], "branch")
        elif kind == Kind.CONDITIONAL_OPERATOR and len(children) == 3:
            self.condition(children[0], "branch")
        elif kind == Kind.BINARY_OPERATOR and len(children) == 2:
            self.operator(cursor, children, True)
        elif kind == Kind.INTEGER_LITERAL:
            number = re.fullmatch(r"(\d+)([uUlLzZ]*)", self.text(cursor))
            if number:
                for value in (int(number[1]) + 1, int(number[1]) - 1):
                    if value >= 0:
                        self.add(cursor, "number", "either", f"{value}{number[2]}")
        elif kind == Kind.CXX_BOOL_LITERAL_EXPR:
            text = self.text(cursor)
            if text in ("true", "false"):
                self.add(cursor, "truth", "either", "false" if text == "true" else "true")
        elif kind == Kind.CALL_EXPR:
            self.call(cursor)
        if parent is not None and parent.kind in (Kind.COMPOUND_STMT, Kind.IF_STMT) and kind in EXPRESSIONS:
            condition = parent.kind == Kind.IF_STMT and cursor == next(parent.get_children())
            if not condition and (kind != Kind.BINARY_OPERATOR or self.between(children) == "="):
                self.add(cursor, "statement", "statement", "")

    def between(self, operands):
        text = self.source[self.span(operands[0])[1]:self.span(operands[1])[0]].decode()
        return re.sub(r"//.*|/\*.*?\*/", "", text).strip()

    def pure(self, cursor):
        """Plain values, reads of variables and members: they can be computed once more, whatever happens."""
        if cursor.kind == Kind.CALL_EXPR:
            if cursor.spelling not in GETTERS:
                return False
        elif cursor.kind not in PURE:
            return False
        return all(self.pure(child) for child in cursor.get_children())

    def operator(self, cursor, operands, builtin):
        operator = self.between(operands)
        left, right = self.text(operands[0]), self.text(operands[1])
        plain = (builtin and PLAIN.match(cursor.type.get_canonical().spelling) is not None
                 and all(self.pure(operand) for operand in operands))
        form = "either" if plain else "ternary"
        if operator in ("&&", "||") and builtin:
            neutral = "true" if operator == "&&" else "false"
            for operand in operands:
                self.add(operand, "condition", "fixed", neutral)
        elif operator in RELATIONS:
            self.add(cursor, "relation", form, f"{left} {RELATIONS[operator]} {right}")
        elif operator in ("+", "-", "*", "/", "%") and "string" not in cursor.type.get_canonical().spelling:
            if operator in ("+", "-", "*"):
                self.add(cursor, "term", form, left)
            if operator in ("+", "*"):
                self.add(cursor, "term", form, right)
            else:
                # A quotient the other way round may divide by zero.
                self.add(cursor, "operands", form if operator == "-" else "ternary", f"({right}) {operator} ({left})")

    def call(self, cursor):
        name = cursor.spelling
        arguments = [argument for argument in cursor.get_arguments() if argument is not None]
        whole = self.text(cursor)
        if name.startswith("operator"):
            if len(arguments) == 2 and name[8:] in ("+", "-", "*", "/", "%", "<", "<=", ">", ">=", "==", "!="):
                self.operator(cursor, arguments, False)
            return
        callee = re.match(r"[\w:.\->]*\b" + re.escape(name) + r"(?=\()", whole) if name else None
        if callee is None:
            return
        if name in TWINS:
            self.add(cursor, "call", "ternary", callee[0][:-len(name)] + TWINS[name] + whole[callee.end():])
        if len(arguments) == 2 and all(self.span(argument)[0] < self.span(argument)[1] for argument in arguments):
            first, second = (self.text(argument) for argument in arguments)
            if name in ORDERED:
                self.add(cursor, "operands", "ternary", f"{callee[0]}({second}, {first})")
            if name in SUMS:
                self.add(cursor, "term", "ternary", first)
                self.add(cursor, "term", "ternary", second)


def find(path, file, parser):
    source = pathlib.Path(file).read_bytes()
    return Finder(path, file, source, parser.parse(file)).sites


def switched(source, sites):
    return INCLUDE + rewritten(source, sites, CPP)


def compiling(file, source, sites, parser):
    """Those of the sites that compile: what stands on lines with errors goes, until there are none."""
    sites = list(sites)
    shift = INCLUDE.count(b"\n")
    while sites:
        bad = {line - shift for line in parser.bad_lines(file, switched(source, sites).decode())}
        if not bad:
            break
        left = [site for site in sites
                if not any(site.line <= line <= site.line + site.right.count("\n") for line in bad)]
        # An error elsewhere follows from some site; there is no knowing from which.
        sites = left if len(left) < len(sites) else []
    return sites
