# SPDX-License-Identifier: Apache-2.0
"""mlc from Python: builds .mlc programs into tvm-ffi modules, loads and runs them.

The work is done by the program `mlc`, which this package carries; no part of the compiler runs in Python.

    import mlc, numpy as np
    module = mlc.build("matmul.mlc", target="llvm")     # a file, or the text of a program
    module["matmul"](a, b, c)                           # NumPy arrays, torch tensors: whatever speaks DLPack
"""
import os
import shutil
import subprocess
import sysconfig
import tempfile

__version__ = "@VERSION@"
__all__ = ["Error", "build", "load", "program", "run"]


class Error(RuntimeError):
    """What mlc reports of a program that is wrong: its text is the report, with lines and carets."""

    def __init__(self, report, exit_code):
        super().__init__(report)
        self.exit_code = exit_code


def program():
    """The path of the program: that of this installation, else the one on PATH."""
    for scheme in (None, f"{os.name}_user"):
        folder = sysconfig.get_path("scripts", *([scheme] if scheme else []))
        candidate = os.path.join(folder, "mlc")
        if os.access(candidate, os.X_OK):
            return candidate
    found = shutil.which("mlc")
    if found is None:
        raise FileNotFoundError("the program `mlc` is neither in this installation's scripts nor on PATH")
    return found


def _call(arguments, text):
    done = subprocess.run([program(), *arguments], input=text, capture_output=True, encoding="utf-8", check=False)
    if done.returncode != 0:
        raise Error(done.stderr.strip() or f"mlc ended with exit code {done.returncode}", done.returncode)
    return done.stdout


def _source(text_or_file):
    """Arguments and standard input that stand for a program. A text has more than one line; all else is a path."""
    if isinstance(text_or_file, str) and "\n" in text_or_file:
        return "-", text_or_file
    path = os.fspath(text_or_file)
    if not os.path.exists(path):
        raise FileNotFoundError(f"there is no file `{path}` (the text of a program has more than one line)")
    return path, ""


def load(path):
    """The functions of a library that `mlc build` has made: `load(path)["name"](...)`."""
    import tvm_ffi

    return tvm_ffi.load_module(os.path.abspath(path))  # a bare name would be looked for among the system's libraries


def build(text_or_file, target=None, output=None):
    """Compiles the module that a program binds last, and loads it.

    text_or_file: the path of a .mlc file, or a program's text. target: as `mlc build --target`; this machine's CPU
    unless told. output: where the library is to stay; a temporary file unless told. Raises Error with the report.
    """
    source, text = _source(text_or_file)
    folder = None
    if output is None:
        folder = tempfile.mkdtemp(prefix="mlc-")
        output = os.path.join(folder, "module.so")
    try:
        _call(["build", source, "-o", os.fspath(output), *(["--target", target] if target else [])], text)
        return load(output)
    finally:
        if folder is not None:  # a loaded library needs its file no more
            shutil.rmtree(folder, ignore_errors=True)


def run(text_or_file, *arguments):
    """Runs a program with `sys.argv[1:]` set to the arguments; returns what it prints. Raises Error."""
    source, text = _source(text_or_file)
    return _call(["run", source, *map(str, arguments)], text)
