# SPDX-License-Identifier: Apache-2.0
"""Tries the tool itself: the mistakes that it finds in a small program, and that its text with all of them behind their
switches compiles, computes the right values, each mistake's own, and notes what it passes.

    python tests/mutation/try_sites.py MLC
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

import cpp_sites
import mlc_sites
from campaign import Equivalents, key
from units import Unit, Workplace

HERE = pathlib.Path(__file__).resolve().parent

CPP = r"""
#define CHECK(condition) do { if (!(condition)) __builtin_trap(); } while (0)
constexpr int twice(int x) { return x * 2; }
template <typename T> T third(T x) { return x / 3; }
int sub(int a, int b) { return a - b; }
static int calls = 0;
void count() { ++calls; }
int clamp(int x, int least) {
  CHECK(x < 1000);
  if (x < 0 && least > 3) return least;
  count();
  switch (x) {
    case 7: return sub(x, least);
  }
  return x + calls;
}
#include <cstdio>
int main() {
  int first = clamp(-2, 5), second = clamp(7, 4), third = clamp(9, 4);
  std::printf("%d %d %d\n", first, second, third);
}
"""

# What `clamp` and `sub` have, in the order of the text, and what the program prints with each.
CPP_MISTAKES = {
    "`a - b` becomes `a`": "5 7 11",
    "`a - b` becomes `(b) - (a)`": "5 -3 11",
    "`x < 0 && least > 3` is taken for true": "5 4 4",
    "`x < 0 && least > 3` is taken for false": "-1 3 12",
    "`x < 0` is taken for true": "5 4 4",
    "`x < 0` becomes `x <= 0`": "5 3 11",
    "`0` becomes `1`": "5 3 11",
    "`least > 3` is taken for true": "5 3 11",
    "`least > 3` becomes `least >= 3`": "5 3 11",
    "`3` becomes `4`": "5 3 11",
    "`3` becomes `2`": "5 3 11",
    "`count()` is left out": "5 3 9",
    "`sub(x, least)` becomes `add(x, least)`": None,  # there is no `add`
    "`sub(x, least)` becomes `sub(least, x)`": "5 -3 11",
    "`sub(x, least)` becomes `x`": "5 7 11",
    "`sub(x, least)` becomes `least`": "5 4 11",
    "`x + calls` becomes `x`": "5 3 9",
    "`x + calls` becomes `calls`": "5 3 2",
}
CPP_RIGHT = "5 3 11"

MLC = '''"""A module."""
import math


def clamp(x, least, seen):
    if x < 0 and least > 3:
        return least
    seen.append(x)
    return max(x, least) - len(seen)
'''
MLC_CALLS = "seen = []\nprint(clamp(-2, 5, seen), clamp(7, 4, seen), clamp(9, 4, seen))\n"
MLC_MISTAKES = {
    "`x < 0 and least > 3` is taken for True": "5 4 4",
    "`x < 0 and least > 3` is taken for False": "4 5 6",
    "`x < 0` is taken for True": "5 4 4",
    "`x < 0` becomes `x <= 0`": "5 6 7",
    "`0` becomes `1`": "5 6 7",
    "`least > 3` is taken for True": "5 6 7",
    "`least > 3` becomes `least >= 3`": "5 6 7",
    "`3` becomes `4`": "5 6 7",
    "`3` becomes `2`": "5 6 7",
    "`seen.append(x)` is left out": "5 7 9",
    "`max(x, least) - len(seen)` becomes `(max(x, least))`": "5 7 9",
    "`max(x, least) - len(seen)` becomes `(len(seen)) - (max(x, least))`": "5 -6 -7",
    "`max(x, least)` becomes `min(x, least)`": "5 3 2",
    "`max(x, least)` becomes `x`": "5 6 7",
    "`max(x, least)` becomes `least`": "5 3 2",
}
MLC_RIGHT = "5 6 7"

passed = failed = 0


def check(good, text):
    global passed, failed
    if good:
        passed += 1
    else:
        failed += 1
        print(f"FAILED {text}")


def compare_found(found, expected, language):
    changes = [site.change for site in found]
    for change in expected:
        check(changes.count(change) == 1, f"{language}: {change}: found {changes.count(change)} times")
    for change in changes:
        check(change in expected, f"{language}: not expected: {change}")


def compare_run(command, folder, sites, expected, right, language):
    """Runs it right and with each mistake, and sees that the notes say which mistakes matter."""
    place = Workplace(folder)
    unit = Unit(language, command)
    output = place.record(unit)
    check(output.strip() == right, f"{language} prints {output.strip()} where {right} is right")
    for site in sites:
        _, output, _ = place.run(unit, 60, MLC_MUTANT=str(site.id))
        check(output.strip() == expected[site.change], f"{language}: {site.change} prints {output.strip()}")
        if expected[site.change] != right:
            check(unit.runs_into(site), f"{language}: {site.change} matters and is not noted")
    check(all(site.id in unit.reached for site in sites), f"{language}: not all are reached: {sorted(unit.reached)}")
    for site in sites:
        if site.tells_difference and site.change == "`x < 0` becomes `x <= 0`":
            check(not unit.runs_into(site), f"{language}: {site.change} is noted, though x is never 0")
    place.close()


def nested(sites):
    """One site per text, since two mistakes of the same text cannot share it: several rounds cover all."""
    rounds = []
    for site in sites:
        for chosen in rounds:
            if all((site.start, site.end) != (other.start, other.end) for other in chosen):
                chosen.append(site)
                break
        else:
            rounds.append([site])
    return rounds


def number(sites):
    for index, site in enumerate(sites):
        site.id = index
    return sites


def try_cpp(folder):
    source = CPP.lstrip().encode()
    file = folder / "sample.cpp"
    file.write_bytes(source)
    core = folder / "ir/core"
    core.mkdir(parents=True)
    (core / "mutation_switch.h").write_bytes((HERE / "switch.h").read_bytes())
    command = f"c++ -std=c++20 -I{folder} -c {file}"
    (folder / "compile_commands.json").write_text(json.dumps(
        [{"directory": str(folder), "file": str(file), "command": command}]))
    parser = cpp_sites.Parser(cpp_sites.Flags(folder), folder)
    found = cpp_sites.find("sample.cpp", file, parser)
    compare_found([site for site in found if site.line < 16], CPP_MISTAKES, "C++")
    for sites in nested(site for site in found if site.change in CPP_MISTAKES):
        number(sites)
        kept = cpp_sites.compiling(file, source, sites, parser)
        check([site.change for site in sites if site not in kept]
              == [site.change for site in sites if CPP_MISTAKES[site.change] is None], "C++: what does not compile")
        (folder / "switched.cpp").write_bytes(cpp_sites.switched(source, kept))
        subprocess.run(["c++", "-std=c++20", f"-I{folder}", "-o", folder / "sample", folder / "switched.cpp",
                        HERE / "switch.cpp"], check=True)
        compare_run([str(folder / "sample")], folder, kept, CPP_MISTAKES, CPP_RIGHT, "C++")


def try_mlc(folder, program):
    source = MLC.encode()
    found = mlc_sites.find("sample.mlc", source)
    compare_found(found, MLC_MISTAKES, "mlc")
    switch = (HERE / "switch.py").read_text()
    for sites in nested(found):
        number(sites)
        text = mlc_sites.switched(source, sites).decode()
        check(mlc_sites.IMPORT.decode() in text, "mlc: the switch is imported")
        (folder / "sample.mlc").write_text(switch + text.replace(mlc_sites.IMPORT.decode(), "") + MLC_CALLS)
        compare_run([program, "run", "sample.mlc"], folder, sites, MLC_MISTAKES, MLC_RIGHT, "mlc")


def try_flags(folder):
    """The flags of members of a group, as clang and as gcc are told of precompiled headers."""
    group = folder / "build/Unity/unity_a.cxx"
    group.parent.mkdir(parents=True)
    group.write_text('#include "/tree/a.cpp"\n#include "/tree/b.cpp"\n')
    clang = "clang++ -DX=1 -I/tree -O2 -Xclang -include-pch -Xclang h.hxx.pch -Xclang -include -Xclang h.hxx"
    (folder / "build/compile_commands.json").write_text(json.dumps([
        {"directory": "/", "file": str(group), "command": f"{clang} -o a.o -c {group}"},
        {"directory": "/", "file": "/tree/c.cpp", "command": "g++ -isystem /y -include h.hxx -o c.o -c /tree/c.cpp"}]))
    flags = cpp_sites.Flags(folder / "build")
    check(flags.group("/tree/a.cpp") == flags.group("/tree/b.cpp") != flags.group("/tree/c.cpp"), "groups of files")
    for file, wanted in ("/tree/b.cpp", ["-DX=1", "-I/tree"]), ("/tree/c.cpp", ["-isystem", "/y"]):
        found, header = flags(file)
        check(found == wanted + flags.common and header == "h.hxx", f"the flags of {file} are {found}, {header}")


def try_limits(folder):
    """A unit ends when it has used the processor for too long; waiting is no work."""
    place = Workplace(folder)
    status, _, seconds = place.run(Unit("busy", ["sh", "-c", "while :; do :; done"]), 1)
    check(status is None and seconds > 0.5, f"what does not end ends with {status} after {seconds} s")
    status, _, seconds = place.run(Unit("idle", ["sleep", "1.5"]), 1)
    check(status == 0 and seconds < 1, f"what waits ends with {status} after {seconds} s")
    place.close()


def try_equivalents():
    """Every row must still be about a line of its file; otherwise it is about nothing, and goes."""
    for path, text, change in Equivalents().reasons:
        file = HERE.parent.parent / path
        lines = file.read_text().splitlines() if file.exists() else []
        check(any(line.strip().replace(" | ", " ¦ ") == text for line in lines), f"no such line: {path}: {text}")


def main():
    program = os.path.abspath(sys.argv[1])
    with tempfile.TemporaryDirectory() as folder:
        (pathlib.Path(folder) / "cpp").mkdir()
        (pathlib.Path(folder) / "mlc").mkdir()
        try_cpp(pathlib.Path(folder) / "cpp")
        try_mlc(pathlib.Path(folder) / "mlc", program)
        try_flags(pathlib.Path(folder))
        try_limits(pathlib.Path(folder) / "cpp")
    try_equivalents()
    print(f"{passed} passed, {failed} failed")
    sys.exit(failed != 0)


main()
