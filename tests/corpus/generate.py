# SPDX-License-Identifier: Apache-2.0
"""Writes modules as TVM prints them: FOLDER/<family>-<hash>.mlc, and FOLDER/index.tsv with where each comes from.

    python tests/corpus/generate.py FOLDER [--limit N] [--jobs N]

The cases are those of *_cases.py; variants.py schedules and lowers them. Every choice follows from a case's name,
so two runs write the same texts. A case at which TVM crashes is left out: its worker is started anew behind it.
"""
import argparse
import contextlib
import hashlib
import os
import pathlib
import subprocess
import sys
import zlib

LARGEST = 60_000  # characters; longer texts say little that shorter ones do not
PER_CASE = 120  # texts


def all_cases():
    import intrinsic_cases  # first: it watches registrations
    import kernel_cases
    import nn_cases
    import pass_cases
    import relax_cases
    import script_cases
    import te_cases
    import topi_cases

    for name, make in kernel_cases.cases():
        yield name, lambda n=name, m=make: of_kernel(n, m())
    for name, make in [*intrinsic_cases.cases(), *te_cases.cases(), *topi_cases.cases()]:
        yield name, lambda n=name, m=make: of_function(n, m())
    for name, make in nn_cases.cases():
        yield name, lambda n=name, m=make: of_network(n, m())
    for name, make in [*relax_cases.cases(), *script_cases.cases()]:
        yield name, lambda m=make: iter([("as it is", m())])
    yield from pass_cases.cases()


def lot(name, what):
    """A number that the name and the purpose decide."""
    return zlib.crc32(f"{name} {what}".encode())


def of_function(name, func):
    import tvm

    from variants import TARGETS, lowered, with_dlight, with_meta_schedule, with_random_schedule

    yield "function", func
    mod = tvm.IRModule({"main": func.with_attr("global_symbol", "main")})
    yield "module", mod
    if name.startswith("intrinsic"):
        return
    if lot(name, "llvm") % 12 == 0:
        yield from prefixed("llvm", lowered(mod, TARGETS["llvm"]))
    if lot(name, "cuda") % 40 == 0:
        yield from prefixed("cuda", lowered(mod, TARGETS["cuda"]))
    variants = []
    if lot(name, "dlight") % 4 == 0:
        variants.append(with_dlight(mod))
    if lot(name, "meta") % 6 == 0:
        variants.append(with_meta_schedule(mod, lot(name, "seed") % 2**30))
    if lot(name, "random") % 3 == 0:
        variants.append(with_random_schedule(mod, lot(name, "draw")))
    for variant in variants:
        for stage, target, scheduled in variant:
            yield stage, scheduled
            if target is not None and lot(name, stage) % 4 == 0:
                yield from prefixed(stage, lowered(scheduled, target))


def of_kernel(name, func):
    import tvm

    from kernel_cases import lowered

    yield "function", func
    if lot(name, "tirx") % 2 == 0:
        yield from prefixed("tirx", lowered(tvm.IRModule({"main": func})))


def of_network(name, mod):
    from nn_cases import stages
    from variants import TARGETS, lowered, with_dlight

    for stage, kernels in stages(mod):
        yield stage, kernels
        for function, func in kernels.functions.items():
            yield f"{stage}-{function.name_hint}", func
        yield from prefixed(f"{stage}-llvm", lowered(kernels, TARGETS["llvm"])[::6])
        for rule, target, scheduled in with_dlight(kernels):
            yield f"{stage}-{rule}", scheduled
            if rule.endswith("Fallback"):
                yield from prefixed(f"{stage}-{rule}", lowered(scheduled, target)[::6])


def prefixed(prefix, stages):
    return ((f"{prefix}-{stage}", mod) for stage, mod in stages)


def work(folder, number, jobs, start, limit):
    """Cases number, number + jobs, ... from the start-th on, each announced before it is made."""
    seen = set()
    cases = sorted(all_cases(), key=lambda case: lot(case[0], "order")) if limit else list(all_cases())
    index = open(folder / f"index-{number}.tsv", "a")
    for at, (name, make) in enumerate(cases):
        if at % jobs != number or at < start:
            continue
        (folder / f"at-{number}").write_text(str(at))
        if limit and len(os.listdir(folder)) >= limit + 2 * jobs:
            break
        count = 0
        stages = attempt(make)
        while stages is not None and count < PER_CASE:
            stage, mod = attempt(lambda: next(stages, (None, None))) or (None, None)
            if stage is None:
                break
            text = attempt(mod.script)
            if text is None or len(text) > LARGEST:
                continue
            digest = hashlib.sha1(text.encode()).hexdigest()[:16]
            if digest in seen:
                continue
            seen.add(digest)
            path = folder / f"{name.split('/')[0]}-{digest}.mlc"
            with contextlib.suppress(FileExistsError), open(path, "x") as file:
                file.write(text + "\n")
                index.write(f"{path.name}\t{name} {stage}\n")
                count += 1
        index.flush()


def attempt(make):
    try:
        return make()
    except Exception:  # TVM refuses what it does not support; the case is left out
        return None


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--limit", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--worker", type=int, nargs=2)
    args = parser.parse_args()
    if args.worker:
        return work(args.folder, args.worker[0], args.jobs, args.worker[1], args.limit)
    args.folder.mkdir(parents=True, exist_ok=True)
    for old in args.folder.iterdir():
        old.unlink()

    def start(number, first):
        command = [sys.executable, __file__, str(args.folder), "--jobs", str(args.jobs), "--limit", str(args.limit)]
        return subprocess.Popen([*command, "--worker", str(number), str(first)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    workers = {number: start(number, 0) for number in range(args.jobs)}
    while workers:
        for number, worker in list(workers.items()):
            try:
                status = worker.wait(timeout=1)
            except subprocess.TimeoutExpired:
                continue
            del workers[number]
            if status != 0:
                at = args.folder / f"at-{number}"
                if not at.exists():
                    sys.exit("the generator does not start; run it with --worker 0 0 to see why")
                workers[number] = start(number, int(at.read_text()) + 1)
    lines = []
    for part in sorted(args.folder.glob("index-*.tsv")):
        lines += part.read_text().splitlines()
        part.unlink()
    for at in args.folder.glob("at-*"):
        at.unlink()
    (args.folder / "index.tsv").write_text("\n".join(sorted(lines)) + "\n")
    print(f"{len(lines)} distinct texts in {args.folder}")


if __name__ == "__main__":
    main()
