# SPDX-License-Identifier: Apache-2.0
"""Every form of a PTX instruction, as mlc writes it, under ptxas: each text must be taken by one architecture.

    python3 tests/codegen_cuda/run.py MLC_UNIT [--save FILE]

Forms with modifiers that are newer than ptxas of CUDA 13.0 are listed in newer_than_ptxas.txt: of them only what is taken
counts as passed.
"""
import argparse
import concurrent.futures
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import nvrtc

HERE = pathlib.Path(__file__).resolve().parent
# CUDA 13.0 has none below sm_75.
ROW_ARCHITECTURES = ["sm_75", "sm_80", "sm_89", "sm_90", "sm_90a", "sm_100a", "sm_120"]
ARCHITECTURES = ["sm_100a", "sm_90a", "sm_120a", "sm_103a", "sm_80"]


def split_entries(ptx):
    """The head of a text of PTX, and its kernels by name."""
    parts = re.split(r"(?m)^(?=\t?// \t?\.globl|\.visible \.entry)", ptx)
    head, entries = [], {}
    for part in parts:
        found = re.search(r"\.visible \.entry (\w+)\(", part)
        if found:
            entries[found.group(1)] = part
        else:
            head.append(part)
    return "".join(head), entries


def retargeted(head, arch):
    return re.sub(r"(?m)^\.target .*$", f".target {arch}", head)


def check_file(path, is_newer):
    """kernel -> (modifiers, "" or what is wrong). Of what is newer than ptxas one architecture is asked."""
    text = path.read_text()
    modifiers = dict(re.findall(r"(?m)^// (k_\w+) (.*)$", text))
    ptx, log = nvrtc.compile_text(text, "compute_100a", ptx=True, options=["-device-int128", "-rdc=true"])
    if ptx is None:
        return {name: (words, "nvrtc: " + log.split("\n")[0]) for name, words in modifiers.items()}
    head, entries = split_entries(ptx.decode().rstrip("\0"))
    if not nvrtc.assemble(retargeted(head, ARCHITECTURES[0]) + "".join(entries.values()), ARCHITECTURES[0]):
        return {name: (words, "") for name, words in modifiers.items()}
    outcomes = {}
    for name, words in modifiers.items():
        first = ""
        for arch in ARCHITECTURES[:1] if is_newer else ARCHITECTURES:
            said = nvrtc.assemble(retargeted(head, arch) + entries[name], arch)
            first = first or said
            if not said:
                break
        errors = re.findall(r"error\s*: (.*)", first)
        outcomes[name] = (words, "" if not said else errors[0] if errors else first[:100])
    return outcomes


def lowest_of(known):
    """name -> the least architecture that has it, from a file of `name: architecture`."""
    rows = [row.split(": ") for row in known.read_text().split("\n") if row and not row.startswith("#")]
    return {name: arch for name, arch in rows}


def has(arch, lowest):
    """Has an architecture what the other one has? `sm_90a` is for itself."""
    if lowest.endswith("a"):
        return arch == lowest or (lowest == "sm_100a" and arch == "sm_103a")
    return int(re.sub(r"\D", "", arch)) >= int(re.sub(r"\D", "", lowest))


def compile_row(job):
    name, text, arch = job
    code, log = nvrtc.compile_text(text, arch, options=["-device-int128"])
    errors = re.findall(r"error\s*:\s*(.*)", log)
    return name, arch, "" if code is not None else errors[0] if errors else log[:200]


def check_rows(mlc):
    """Every operation of T.cuda under NVRTC and ptxas, for each architecture that has it; and refused by the others."""
    made = subprocess.run([mlc, "run", HERE / "rows.mlc"], capture_output=True, text=True, check=True)
    rows = json.loads(made.stdout)
    lowest = lowest_of(HERE / "row_architectures.txt")
    failures = [f"{name}: no kernel in rows.mlc" for name in rows.pop("absent")]
    for name, row in rows.items():
        if ("refused" in row) != (lowest.get(name) == "none"):
            failures.append(f"{name}: {row.get('refused', 'is written; row_architectures.txt says that it is not')}")
    jobs = [(name, row["text"], arch) for name, row in rows.items() if "text" in row for arch in ROW_ARCHITECTURES]
    with concurrent.futures.ProcessPoolExecutor(2) as pool:
        outcomes = list(pool.map(compile_row, jobs, chunksize=8))
    passed = 0
    for name, arch, wrong in outcomes:
        expected = has(arch, lowest.get(name, "sm_75"))
        passed += expected == (not wrong)
        if expected and wrong:
            failures.append(f"{name} for {arch}: {wrong}")
        if not expected and not wrong:
            failures.append(f"row_architectures.txt: {arch} has `{name}`")
    for failure in failures:
        print(f"FAILED T.cuda.{failure}")
    print(f"{len(jobs)} texts of {len(rows)} operations of T.cuda for {', '.join(ROW_ARCHITECTURES)}: {passed} as expected")
    return passed, len(failures)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("unit", help="the program of unit tests, which writes the texts")
    parser.add_argument("--mlc", help="the program, which writes a kernel for each operation of T.cuda")
    parser.add_argument("--save", type=pathlib.Path, help="writes one line per text that is refused")
    args = parser.parse_args()
    if nvrtc.library() is None:
        print("SKIPPED codegen_cuda: no CUDA toolkit (libnvrtc, ptxas)")
        print("0 passed, 0 failed")
        return 0
    known = set()
    for row in (HERE / "newer_than_ptxas.txt").read_text().split("\n"):
        if row and not row.startswith("#"):
            known.add(row.split(": ")[0])
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, "MLC_PTX_TEXTS": folder}
        subprocess.run([args.unit, "[ptx-texts]"], env=environment, check=True, stdout=subprocess.DEVNULL)
        paths = sorted(pathlib.Path(folder).glob("*.cu"))
        with concurrent.futures.ProcessPoolExecutor(2) as pool:
            newer = [path.stem in known for path in paths]
            outcomes = dict(zip((path.stem for path in paths), pool.map(check_file, paths, newer)))
    refused = {form: [(words, why) for words, why in texts.values() if why] for form, texts in outcomes.items()}
    total = sum(map(len, outcomes.values()))
    bad = sum(map(len, refused.values()))
    failed = 0
    lines = []
    for form, texts in refused.items():
        for words, why in texts:
            lines.append(f"{form} {words}: {why}")
            if form not in known:
                failed += 1
                print(f"FAILED {form} {words}: {why}")
        if form in known and not texts:
            print(f"newer_than_ptxas.txt: this ptxas takes all of `{form}`")
    if args.save:
        args.save.write_text("\n".join(lines) + "\n")
    print(f"{total} texts of {len(outcomes)} forms, {total - bad} taken by ptxas")
    passed, wrong = check_rows(args.mlc) if args.mlc else (0, 0)
    print(f"{total - bad + passed} passed, {failed + wrong} failed")
    return 1 if failed or wrong else 0


if __name__ == "__main__":
    sys.exit(main())
