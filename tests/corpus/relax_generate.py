# SPDX-License-Identifier: Apache-2.0
"""Asks TVM what Relax texts mean: FOLDER/<family>.jsonl, a case per line with its name, operator (or form, or pass),
input, and what TVM prints (`expected`) or the class of its error (`error`, with `message`).

    python tests/corpus/relax_generate.py FOLDER [FAMILY ...] [--every N]

Families are `instances`, `texts`, `networks`, `passes` and `legalize`. Every choice follows from a case's name, so two runs write
the same cases. A case at which TVM crashes is left out: its worker is started anew behind it.
"""
import argparse
import json
import pathlib
import subprocess
import sys
import time

FAMILIES = ["instances", "texts", "networks", "passes", "legalize"]
PER_WORKER = 400  # cases; then another worker takes over, since TVM gets slower with every text


def cases(family):
    """name, group, function that answers the fields of the case."""
    if family == "instances":
        import relax_instances

        for name, operator, text in relax_instances.instances():
            yield name, operator, lambda t=text: read(t)
    elif family == "texts":
        import relax_texts

        for name, form, text, options in relax_texts.texts():
            yield name, form, lambda t=text, o=options: read_twice(t, o)
    elif family == "networks":
        import relax_networks

        yield from relax_networks.cases()
    elif family == "passes":
        import relax_passes

        yield from relax_passes.cases()
    elif family == "legalize":
        import relax_passes

        yield from relax_passes.legalize_cases()


def read(text, options=None):
    import tvm

    try:
        module = tvm.script.from_source(text)
        if options:
            return {"input": text, "options": options, "expected": module.script(**options)}
        expected = module.script()
    except Exception as error:
        if options:  # what is wrong is so without options too
            return None
        return {"input": text, "error": type(error).__name__, "message": str(error).split("\n")[0][:300]}
    return {"input": text, "expected": expected}


def read_twice(text, options):
    """The text, and what TVM prints of it read again."""
    found = read(text, options)
    if not found or "expected" not in found or found["expected"].strip() == text.strip():
        return found
    again = {} if options and not options.get("extra_config") else read(found["expected"])
    return [found, {"suffix": " printed", **again}] if again and "expected" in again else found


def work(folder, family, start, every):
    with open(folder / f"{family}.jsonl", "a") as file:
        done = 0
        for at, (name, group, make) in enumerate(cases(family)):
            if at < start or at % every:
                continue
            (folder / f"{family}.at").write_text(f"{at} {name}")
            try:
                found = make()
            except Exception as error:
                print(f"{name}: {type(error).__name__} {str(error).splitlines()[:1]}", file=sys.stderr)
                found = None
            for fields in found if isinstance(found, list) else [found] if found else []:
                case = {"name": name + fields.pop("suffix", ""), "op": group, **fields}
                file.write(json.dumps(case) + "\n")
            file.flush()
            done += 1
            if done == PER_WORKER:
                sys.exit(3)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("families", nargs="*")
    parser.add_argument("--every", type=int, default=1, help="every so many-th case")
    parser.add_argument("--worker", type=int)
    args = parser.parse_args()
    families = args.families or FAMILIES
    if args.worker is not None:
        return work(args.folder, families[0], args.worker, args.every)
    args.folder.mkdir(parents=True, exist_ok=True)
    for family in families:
        started = time.time()
        path = args.folder / f"{family}.jsonl"
        path.unlink(missing_ok=True)
        log = open(args.folder / f"{family}.log", "w")
        start, crashes = 0, []
        while True:
            at = args.folder / f"{family}.at"
            at.unlink(missing_ok=True)
            command = [sys.executable, __file__, str(args.folder), family, "--every", str(args.every), "--worker", str(start)]
            try:
                status = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=log, timeout=1800, check=False).returncode
            except subprocess.TimeoutExpired:
                status = -1
            if status == 0:
                break
            if not at.exists():
                sys.exit(f"the generator does not start; `{' '.join(command)}` shows why")
            number, name = at.read_text().split(" ", 1)
            if status != 3:
                crashes.append(name)
            start = int(number) + 1
            at.unlink()
        at.unlink(missing_ok=True)
        lines = path.read_text().splitlines()
        wrong = sum('"error":' in line for line in lines)
        print(f"{family}: {len(lines)} cases, {wrong} of them wrong programs; TVM crashed at {len(crashes)}; {time.time() - started:.0f} s")
        for name in crashes:
            print(f"  crash: {name}")


if __name__ == "__main__":
    main()
