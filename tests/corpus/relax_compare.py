# SPDX-License-Identifier: Apache-2.0
"""Does mlc read, infer, print and transform Relax as TVM does? The cases are those of relax_generate.py.

    python tests/corpus/relax_compare.py MLC FOLDER [FAMILY ...] [--only TEXT] [--lists FOLDER] [--jobs N]

A text passes when mlc prints what TVM prints, a wrong program when mlc refuses it, a pass when its result is
structurally equal to TVM's. What differs on purpose stands in relax_known_differences.txt. --lists writes what failed, a file for each operator, form or pass.
"""
import argparse
import collections
import concurrent.futures
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
BATCH = 100
SECONDS = 300  # a batch
STRUCTURE = {"passes", "legalize"}


def script_for(batch):
    """The runner with what the passes of this batch call; cases name their call by its number."""
    calls, lines = [], []
    for case in batch:
        if "call" in case:
            if case["call"] not in calls:
                calls.append(case["call"])
            case["apply"] = calls.index(case["call"])
    for number, call in enumerate(calls):
        lines += ["", "", f"def apply_{number}(mod):", *("    " + line for line in call.split("\n"))]
    names = ", ".join(f"apply_{number}" for number in range(len(calls)))
    return "\n".join([(HERE / "relax_run.mlc").read_text().rstrip(), *lines, "", "", f"run(sys.argv[1], [{names}])", ""])


def run_batch(mlc, batch):
    """Outcomes in the order of the cases. A crash costs the case at which it happens; the rest runs again behind it."""
    outcomes = []
    with tempfile.TemporaryDirectory() as folder:
        script, listing = pathlib.Path(folder) / "run.mlc", pathlib.Path(folder) / "cases.jsonl"
        script.write_text(script_for(batch))
        while len(outcomes) < len(batch):
            rest = batch[len(outcomes) :]
            listing.write_text("".join(json.dumps(case) + "\n" for case in rest))
            try:
                done = subprocess.run([*mlc, str(script), str(listing)], capture_output=True, text=True, timeout=SECONDS, check=False)
                first = next((line for line in done.stderr.split("\n") if "internal error" in line), done.stderr.strip()[-200:])
                output, errors = done.stdout, f"{first} (exit code {done.returncode})"
            except subprocess.TimeoutExpired as late:
                output, errors = (late.stdout or b"").decode(), f"takes more than {SECONDS} s"
            pieces = re.split(r"^begin \d+\n", output, flags=re.M)[1:]
            found = []
            for piece in pieces:
                try:
                    found.append(json.loads(piece.strip().split("\n")[-1]))
                except (json.JSONDecodeError, IndexError):
                    found.append({"crash": errors})
            if not found:  # the script itself does not run
                found = [{"crash": errors}] * len(rest)
            outcomes += found[: len(rest)]
    return outcomes


def in_order(text):
    """With the stores of VMShapeLower's functions sorted: TVM's order of them depends on addresses."""
    return re.sub(r"(?:^        H\[T\.int64\(\d+\)\] = .*\n)+", lambda stores: "".join(sorted(stores[0].splitlines(True))), text, flags=re.M)


def verdict(case, outcome, family):
    """`pass`, or what is wrong: equal, text, refused, accepted, crash."""
    if "crash" in outcome:
        return "crash"
    if "error" in case:
        return "pass" if "error" in outcome else "accepted"
    if "error" in outcome:
        return "refused"
    same = in_order(outcome["printed"]) == in_order(case["expected"])
    if family in STRUCTURE:
        return "pass" if same or outcome.get("equal") is True else "text"
    return "pass" if same else "equal" if outcome.get("equal") is True else "text"


def known_differences():
    lines = (HERE / "relax_known_differences.txt").read_text().split("\n")
    return [line.rsplit(": ", 1) for line in lines if line and not line.startswith("#")]


def is_known(case, outcome, known):
    said = f"{outcome.get('message', '')}\n{case.get('message', '')}"
    return any(pattern in said for pattern, _ in known)


def first_difference(left, right):
    left, right = left.split("\n"), right.split("\n")
    for number, (a, b) in enumerate(zip(left, right)):
        if a != b:
            return f"line {number + 1}\n  expected: {a}\n  got:      {b}"
    return f"expected {len(left)} lines, got {len(right)}"


def report(case, outcome, what):
    lines = [f"=== {case['name']}: {what}"]
    if "error" in case:
        lines += [f"TVM refuses: {case['message']}"]
    if "crash" in outcome:
        lines += [f"crash: {outcome['crash']}"]
    elif "error" in outcome:
        lines += [f"mlc refuses: {outcome['message']}"]
    elif what in ("text", "equal"):
        lines += [first_difference(case["expected"], outcome["printed"])]
        if isinstance(outcome.get("equal"), str):
            lines += [outcome["equal"]]
    lines += ["--- input", case["input"].rstrip()]
    if "call" in case:
        lines += ["--- call", case["call"]]
    if "expected" in case:
        lines += ["--- expected", case["expected"].rstrip()]
    if "printed" in outcome:
        lines += ["--- got", outcome["printed"].rstrip()]
    return "\n".join(lines) + "\n\n"


def cause(outcome, case, what):
    """What failures have in common."""
    if what == "crash":
        text = "crash: " + outcome["crash"]
    elif what == "refused":
        text = next((line for line in outcome["message"].split("\n") if "error[" in line), outcome["message"].split("\n")[0])
        text = re.sub(r"^<str>:[\d:]* ", "", text)
    elif what == "accepted":
        text = "accepted: " + case["message"]
    else:
        text = what + " differs"
    return re.sub(r"\d+", "#", text)[:140]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("mlc", help="the program; or `tvm` for TVM itself")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("families", nargs="*")
    parser.add_argument("--only", default="", help="cases whose operator contains this")
    parser.add_argument("--lists", type=pathlib.Path)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--show", type=int, default=30, help="causes")
    parser.add_argument("--every", type=int, default=1, help="every so many-th case")
    args = parser.parse_args()
    mlc = [sys.executable] if args.mlc == "tvm" else [args.mlc, "run"]
    families = args.families or [path.stem for path in sorted(args.folder.glob("*.jsonl"))]
    failed_in_all = 0
    known = known_differences()
    for family in families:
        cases = [json.loads(line) for line in (args.folder / f"{family}.jsonl").read_text().splitlines()]
        cases = [case for case in cases if args.only in case["op"]][:: args.every]
        if not cases:
            continue
        batches = [cases[at : at + BATCH] for at in range(0, len(cases), BATCH)]
        outcomes = []
        with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
            for found in pool.map(lambda batch: run_batch(mlc, batch), batches):
                outcomes += found
        table = collections.defaultdict(collections.Counter)
        causes = collections.Counter()
        listed = collections.defaultdict(list)
        for case, outcome in zip(cases, outcomes):
            what = verdict(case, outcome, family)
            if what in ("refused", "accepted") and is_known(case, outcome, known):
                table[case["op"]]["known"] += 1
                continue
            kind = "wrong" if "error" in case else "right"
            table[case["op"]][kind + " pass" if what == "pass" else what] += 1
            table[case["op"]][kind] += 1
            if what != "pass":
                causes[cause(outcome, case, what)] += 1
                listed[case["op"]].append(report(case, outcome, what))
        if args.lists:
            folder = args.lists / family
            folder.mkdir(parents=True, exist_ok=True)
            for op in table:
                (folder / f"{op.replace('/', '-')}.txt").unlink(missing_ok=True)
            for op, reports in listed.items():
                (folder / f"{op.replace('/', '-')}.txt").write_text("".join(reports))
        total = sum(table.values(), collections.Counter())
        good, wrong_good = total["right pass"], total["wrong pass"]
        print(f"## {family}: {good} of {total['right']} as TVM ({100 * good / max(1, total['right']):.1f} %); "
              f"wrong programs refused: {wrong_good} of {total['wrong']} ({100 * wrong_good / max(1, total['wrong']):.1f} %)")
        print(f"not as TVM: {total['refused']} refused, {total['text']} differ, {total['equal']} differ in text only, {total['crash']} crash; {total['known']} on purpose\n")
        print(f"{'':36} {'pass':>5} {'of':>5} {'text only':>9} {'differ':>6} {'refused':>7} {'crash':>5}   {'wrong refused':>13}")
        for op, row in sorted(table.items(), key=lambda item: (item[1]["right pass"] - item[1]["right"], item[0])):
            print(f"{op:36} {row['right pass']:5} {row['right']:5} {row['equal']:9} {row['text']:6} {row['refused']:7} {row['crash']:5}   {row['wrong pass']:6} of {row['wrong']}")
        print("\ncauses:")
        for what, count in causes.most_common(args.show):
            print(f"{count:6}  {what}")
        print(flush=True)
        failed_in_all += len(cases) - good - wrong_good - total["known"]
    return failed_in_all > 0


if __name__ == "__main__":
    sys.exit(main())
