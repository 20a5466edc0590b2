# SPDX-License-Identifier: Apache-2.0
"""Which outcomes of conditions no test has seen: what `./dev test coverage` ends with.

    python3 tests/coverage/branches.py BUILD PROFILES [PATH...]

BUILD is the folder of the preset `coverage`, PROFILES the folder with the counters that its programs have written. Of each
condition below PATH (all rooms unless told) that was never true, never false or never evaluated it prints a line, then a
table by room.
"""
import collections
import json
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
TOOLS = pathlib.Path("/usr/lib/llvm-19/bin")
PROGRAMS = ["repl/mlc", "tests/mlc_unit"]  # fuzz targets add nothing that tests of a kind should rely on


def counts(build, profiles, under):
    """Per file and place (line, column, end line, end column): how often a condition was true and how often false.

    What is compiled into several programs, or several times from a template, is added up.
    """
    merged = profiles / "all.profdata"
    raw = sorted(profiles.glob("*.profraw"))
    if not raw:
        sys.exit(f"no program has written counters into {profiles}")
    subprocess.run([TOOLS / "llvm-profdata", "merge", "-sparse", "-o", merged, *raw], check=True)
    programs = [build / name for name in PROGRAMS if (build / name).exists()]
    objects = [word for program in programs[1:] for word in ("-object", str(program))]
    sources = [word for path in under for word in ("-sources", str(ROOT / path))]
    command = [TOOLS / "llvm-cov", "export", "-skip-expansions", f"-instr-profile={merged}", programs[0], *objects, *sources]
    exported = subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout
    found = collections.defaultdict(lambda: collections.defaultdict(lambda: [0, 0]))
    for file in json.loads(exported)["data"][0]["files"]:
        for *place, true, false, _, _, _ in file["branches"]:
            sums = found[file["filename"]][tuple(place)]
            sums[0] += true
            sums[1] += false
    return found


def room(path):
    parts = path.split("/")
    return "/".join(parts[:3] if parts[:2] == ["transform", "pass"] else parts[:2])


def main():
    build, profiles, *wanted = sys.argv[1:]
    found = counts(pathlib.Path(build), pathlib.Path(profiles), wanted)
    table = collections.defaultdict(lambda: [0, 0])
    for file in sorted(found):
        path = pathlib.Path(file)
        if ROOT not in path.parents:
            continue
        name = str(path.relative_to(ROOT))
        if name.startswith((".", "build", "tests/")):
            continue
        lines = path.read_text().splitlines()
        for (line, column, last, end), (true, false) in sorted(found[file].items()):
            table[room(name)][0] += (true > 0) + (false > 0)
            table[room(name)][1] += 2
            if true and false:
                continue
            text = lines[line - 1][column - 1:end - 1 if last == line else None]
            how = "never evaluated" if not true and not false else "never true" if not true else "never false"
            print(f"{name}:{line}:{column}: {how}: {text}")
    print()
    for name, (seen, all_outcomes) in sorted(table.items()):
        print(f"{name:28} {seen:6} of {all_outcomes:6} outcomes  {100 * seen / all_outcomes:5.1f} %")


if __name__ == "__main__":
    main()
