# SPDX-License-Identifier: Apache-2.0
"""Does mlc read and write what TVM printed? Every text must parse and print as it stands, byte for byte.

    python tests/corpus/compare.py MLC FOLDER [--jobs N] [--show N] [--limit N] [--only TEXT] [--save FILE]

What fails is grouped by the first thing that is wrong; known_differences.txt explains the groups that stay.
"""
import argparse
import collections
import concurrent.futures
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
BATCH = 200


def run_batch(mlc, paths):
    """path -> outcome. A crash costs the file at which it happens; the rest runs again behind it."""
    outcomes = {}
    while paths:
        with tempfile.NamedTemporaryFile("w", suffix=".txt") as listing:
            listing.write("".join(f"{path}\n" for path in paths))
            listing.flush()
            try:
                done = subprocess.run([*mlc, str(HERE / "round_trip.mlc"), listing.name], capture_output=True, text=True,
                                      timeout=600, check=False)
                output, errors = done.stdout, done.stderr
            except subprocess.TimeoutExpired as late:
                output, errors = (late.stdout or b"").decode(), "takes more than 600 s"
        pieces = re.split(r"^begin (.*)\n", output, flags=re.M)[1:]
        for path, outcome in zip(pieces[::2], pieces[1::2]):
            outcomes[path] = outcome.rstrip("\n") or "crash\t" + errors.strip()[-300:]
        if not pieces:
            sys.exit(f"the comparison does not run:\n{errors}")
        paths = paths[paths.index(pieces[-2]) + 1 :]
    return outcomes


def group(outcome):
    """What failures have in common: names and numbers do not count."""
    lines = outcome.split("\n")
    if len(lines) > 1 and lines[0].startswith("parse"):
        outcome = "parse\t" + re.sub(r"^<str>[:\d]* (error|warning)", r"\1", lines[1])
    text = re.sub(r"\s+", " ", outcome.replace("\t", " | ", 1).split("\n")[0])
    text = re.sub(r"line \d+", "line", text)
    text = re.sub(r"\b[A-Za-z_]\w*_\d+\b|\b\w*\d+\w*\b", "#", text) if not text.startswith("parse") else re.sub(r"\d+", "#", text)
    return text[:160]


def known_differences():
    rows = []
    for line in (HERE / "known_differences.txt").read_text().split("\n"):
        if line and not line.startswith("#"):
            pattern, reason = line.split(": ", 1)
            rows.append((pattern, reason))
    return rows


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("mlc", help="the program; or `tvm` for TVM itself")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--show", type=int, default=40, help="groups of failures")
    parser.add_argument("--limit", type=int, default=0, help="every so many-th file, to about that number")
    parser.add_argument("--only", default="", help="files whose origin contains this")
    parser.add_argument("--save", type=pathlib.Path, help="writes one outcome per line")
    args = parser.parse_args()
    mlc = [sys.executable] if args.mlc == "tvm" else [args.mlc, "run"]
    origins = dict(line.split("\t") for line in (args.folder / "index.tsv").read_text().splitlines())
    names = sorted(name for name, origin in origins.items() if args.only in origin or args.only in name)
    if args.limit:
        names = names[:: max(1, len(names) // args.limit)]
    paths = [str(args.folder / name) for name in names]
    batches = [paths[at : at + BATCH] for at in range(0, len(paths), BATCH)]
    outcomes = {}
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        for done in pool.map(lambda batch: run_batch(mlc, batch), batches):
            outcomes.update(done)
    failures = {pathlib.Path(path).name: what for path, what in outcomes.items() if not what.startswith("ok")}
    unchecked = sum(what == "ok unchecked" for what in outcomes.values())
    groups = collections.defaultdict(list)
    known = collections.Counter()
    for name, what in failures.items():
        reason = next((reason for pattern, reason in known_differences() if pattern in what or pattern in origins[name]), None)
        if reason:
            known[reason] += 1
        else:
            groups[group(what)].append(name)
    for what, members in sorted(groups.items(), key=lambda item: -len(item[1]))[: args.show]:
        print(f"{len(members):5}  {what}")
        smallest = min(members, key=lambda name: (args.folder / name).stat().st_size)
        print(f"       {smallest}  {origins[smallest]}")
    for reason, count in known.most_common():
        print(f"{count:5}  known: {reason}")
    if args.save:
        args.save.write_text("".join(f"{name}\t{origins[name]}\t{what.splitlines()[0]}\n" for name, what in sorted(failures.items())))
    good = len(outcomes) - len(failures)
    print(f"{good} of {len(outcomes)} texts parse and print as they stand: {100 * good / max(1, len(outcomes)):.2f} %")
    if unchecked:
        print(f"{unchecked} of them are not well formed and were read with check_well_formed=False")
    unknown = sum(len(members) for members in groups.values())
    return unknown > 0


if __name__ == "__main__":
    sys.exit(main())
