#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Programs of torch, imported and run by mlc: python3 run.py MLC [--only PATTERN] [--folder DIR] [--verbose] [--least SHARE]

Needs torch; torchvision and TVM are used where they are there. Exports each program (programs.py) as it is and after
`run_decompositions`, lets mlc import and run both (run.mlc), and compares numbers with torch's, and modules with those that TVM's
importer makes of the same files. Prints what has not passed, by reason, and the sums; fails when fewer than --least pass.
"""

import argparse
import collections
import fnmatch
import pathlib
import subprocess
import sys
import tempfile
import warnings

CHUNK = 40  # programs of one process
SECONDS = 600


def flat(value):
    if isinstance(value, (tuple, list)):
        for each in value:
            yield from flat(each)
    elif isinstance(value, dict):
        for each in value.values():
            yield from flat(each)
    elif value is not None:
        yield value


def write_programs(folder, only):
    import copy

    import numpy as np
    import torch
    from programs import programs

    names = []
    for name, module, args, dynamic in programs():
        if not fnmatch.fnmatch(name, only):
            continue
        module.eval()
        program = torch.export.export(module, args, dynamic_shapes=dynamic)
        with torch.no_grad():
            results = list(flat(copy.deepcopy(module)(*args)))
        arrays = {f"in{i}": each.numpy() for i, each in enumerate(args)}
        arrays.update({f"out{i}": each.numpy() for i, each in enumerate(results)})
        for title, exported in ((name, program), (name + ".parts", program.run_decompositions())):
            torch.export.save(exported, folder / f"{title}.pt2")
            names.append(title)
        np.savez(folder / f"{name}.npz", **arrays)
    return names


def run(mlc, folder, names):
    """Result by name: `pass`, or the reason."""
    results, at = {}, 0
    while at < len(names):
        chunk = names[at : at + CHUNK]
        (folder / "list").write_text("\n".join(chunk))
        script = pathlib.Path(__file__).with_name("run.mlc")
        try:
            done = subprocess.run(
                [mlc, "run", script, folder],
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                timeout=SECONDS,
            )
            output, reason = done.stdout, f"mlc ends with {done.returncode}"
        except subprocess.TimeoutExpired as late:
            output, reason = (late.stdout or b"").decode("utf-8", "replace"), "takes too long"
        count = 0
        for line in output.splitlines():
            if line.startswith("@@ "):
                _, name, result = line.split(" ", 2)
                results[name] = result
                count += 1
        if count < len(chunk):  # the one that ended it
            results[chunk[count]] = f"{reason}: {output[-300:]}"
            count += 1
        at += count
    return results


def compare_with_tvm(folder, names):
    """`equal`, `differs`, or why TVM has no module."""
    import torch
    from tvm.relax.frontend.torch import from_exported_program

    results = {}
    for name in names:
        path = folder / f"{name}.module"
        try:
            other = from_exported_program(
                torch.export.load(folder / f"{name}.pt2"), keep_params_as_input=True
            )
            other["main"] = other["main"].without_attr("params")
        except Exception as error:
            results[name] = f"TVM refuses: {str(error)[:100]}"
            continue
        if not path.exists():
            results[name] = "mlc has none"
            continue
        # As texts: names and all. What constants hold is in the numbers that come out.
        results[name] = "equal" if path.read_text().strip() == other.script().strip() else "differs"
        if results[name] != "equal":
            (folder / f"{name}.tvm").write_text(other.script())
    return results


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("mlc")
    parser.add_argument("--only", default="*")
    parser.add_argument("--folder", type=pathlib.Path)
    parser.add_argument("--no-tvm", action="store_true")
    parser.add_argument(
        "--reuse", action="store_true", help="take the programs that lie in --folder"
    )
    parser.add_argument("--verbose", action="store_true")
    parser.add_argument("--least", type=float, default=0.9)
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    with tempfile.TemporaryDirectory() as temporary:
        folder = options.folder or pathlib.Path(temporary)
        folder.mkdir(exist_ok=True)
        if options.reuse:
            names = sorted(
                each.name[:-4]
                for each in folder.glob("*.pt2")
                if fnmatch.fnmatch(each.name[:-4], options.only)
            )
        else:
            names = write_programs(folder, options.only)
        results = run(options.mlc, folder, names)
        passed = [name for name in names if results[name].startswith("pass")]
        reasons = collections.Counter(results[name] for name in names if name not in passed)
        for reason, count in reasons.most_common():
            which = [name for name in names if results[name] == reason]
            print(f"{count:4} {reason}   [{', '.join(which[:4])}]")
        if options.verbose:
            for name in passed:
                print(f"{name:40} {results[name]}")
        print(f"{len(passed)} of {len(names)} programs give torch's numbers")
        if not options.no_tvm:
            try:
                compared = compare_with_tvm(folder, names)
            except ImportError as error:
                print(f"modules are not compared with TVM's: {error}")
            else:
                for name in names:
                    if compared[name] != "equal":
                        print(f"     {name}: {compared[name]}")
                has = [name for name in names if not compared[name].startswith("TVM refuses")]
                equal = [name for name in has if compared[name] == "equal"]
                print(f"{len(equal)} modules are TVM's, of {len(has)} that it makes")
    return 0 if len(passed) >= options.least * len(names) else 1


if __name__ == "__main__":
    sys.exit(main())
