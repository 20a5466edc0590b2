# SPDX-License-Identifier: Apache-2.0
"""Plants mistakes in a copy of the tree and counts which of them the tests notice.

All mistakes of a campaign are compiled into one program, each behind a switch (switch.h). Every part of the suite runs
once with the right program, which notes whose switch it passes and whether what the mistake computes would have been
another value there. A mistake is then given to the parts that have passed it, the likeliest and shortest first, until
one fails, crashes, or takes many times as long as it should.
"""
import argparse
import concurrent.futures
import dataclasses
import hashlib
import json
import os
import pathlib
import queue
import random
import shutil
import subprocess
import sys
import tempfile
import threading
import time

import sites as planting
from sites import Site
from units import Workplace, all_units, fuzz_targets

# The rooms, and the parts of the suite that are about them.
ROOMS = {
    "transform/arith": ("tests/script/sym", "mlc_unit: "),
    "transform/schedule": ("tests/primitive/", "tests/script/schedule"),
    "transform/primitive": ("tests/primitive/",),
    "transform/pass/tir": ("tests/pass/", "tests/lower/", "tests/emitted/"),
    "transform/pass/relax": ("tests/pass/relax_",),
    "backend/llvm": ("tests/emitted/", "tests/codegen/", "tests/command_line/", "mlc_unit: "),
    "backend/c": ("tests/emitted/", "codegen_c: ", "tests/codegen/"),
    "backend/gpu": ("tests/emitted/", "tests/codegen_", "tests/lower/", "tests/cuda/", "tests/opencl/"),
    "backend/cuda": ("tests/emitted/", "tests/codegen_cuda/", "tests/cuda/"),
    "backend/opencl": ("tests/emitted/", "tests/codegen_opencl/", "tests/opencl/"),
    "backend/interp": ("tests/simulate/", "tests/script/", "tests/codegen/"),
    "ir": ("tests/script/", "tests/print/", "mlc_unit: "),
    "frontend/tvmscript": ("tests/parse/", "tests/diagnostics/"),
    "frontend/print": ("tests/print/",),
    "stdlib/schedule": ("tests/emitted/", "tests/stdlib/"),
}
TARGETS = ["mlc", "mlc_unit", "library_consumer"]
SWITCH_FILES = {"ir/core/mutation_switch.h": "switch.h", "ir/core/mutation_switch.cpp": "switch.cpp",
                "stdlib/schedule/mutation_switch.mlc": "switch.py"}
HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
# What built programs carry with them: not linked into mlc, and tried by tests/threads and tests/command_line.
ELSEWHERE = {"backend/runtime/parallel.cpp", "backend/runtime/program.cpp"}
PER_FILE = 3
PER_GROUP = 12  # of files that are compiled together: that takes half a minute, whatever the number of mutants
MOST = 100000  # ids, see switch.cpp
SLOWER = 8  # times as long as it should, and ten seconds, is too long


def tracked():
    names = subprocess.run(["git", "ls-files", "-co", "--exclude-standard"], cwd=ROOT, capture_output=True, text=True,
                           check=True).stdout.splitlines()
    return [name for name in names if (ROOT / name).is_file()]


def copy_tree(tree, below=""):
    """Makes `tree` the files of ROOT, with the switch, or its folder `below` alone. What does not change keeps its time."""
    wanted = set()
    for name in tracked():
        if name.startswith(below):
            wanted.add(name)
            write(tree / name, (ROOT / name).read_bytes(), (ROOT / name).stat().st_mode)
    for name, source in SWITCH_FILES.items():
        wanted.add(name)
        write(tree / name, (HERE / source).read_bytes())
    listing = tree / ".files"
    before = set(listing.read_text().splitlines()) if listing.exists() else set()
    for name in before - wanted:
        if name.startswith(below):
            (tree / name).unlink(missing_ok=True)
        else:
            wanted.add(name)
    listing.write_text("\n".join(sorted(wanted)))


def write(path, content, mode=None):
    if not path.exists() or path.read_bytes() != content:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    if mode is not None and path.stat().st_mode != mode:
        path.chmod(mode)


def run(*command, tree):
    log = tree / ".log"
    with open(log, "w") as out:
        if subprocess.run(command, cwd=tree, stdout=out, stderr=subprocess.STDOUT).returncode == 0:
            return None
    return log.read_text()


def configure(tree):
    dependencies = tree / ".deps"
    if not dependencies.exists():
        dependencies.symlink_to((ROOT / ".deps").resolve())
    failed = run("cmake", "--preset", "release", tree=tree)
    if failed:
        sys.exit(failed)


class Equivalents:
    """Mistakes that are none. A line is FILE | TEXT OF THE LINE | CHANGE | REASON; none depends on line numbers."""

    def __init__(self):
        self.reasons = {}
        for line in (HERE / "equivalents.txt").read_text().splitlines():
            if line.strip() and not line.startswith("#"):
                path, text, change, reason = (part.strip() for part in line.split(" | "))
                self.reasons[path, text, change] = reason

    def __contains__(self, site):
        return key(site) in self.reasons

    @staticmethod
    def row(site):
        return " | ".join(key(site)) + " | "


def key(site):
    return tuple(part.replace(" | ", " ¦ ") for part in (site.path, site.text, site.change))


class Drawing:
    """Draws sites of a room: groups of files that are compiled together by their size, some files of each, some sites
    of each file, until there are enough that compile."""

    def __init__(self, tree, headers, seed, first_id):
        import cpp_sites
        import mlc_sites
        self.tree, self.seed, self.cpp, self.mlc = tree, seed, cpp_sites, mlc_sites
        self.parser = cpp_sites.Parser(cpp_sites.Flags(tree / "build"), headers)
        self.equivalents = Equivalents()
        self.next_id = first_id
        self.contents = {}

    def room(self, room, names, count, per_file):
        names = sorted(name for name in names if name.endswith((".cpp", ".mlc")) and name not in ELSEWHERE)
        generator = random.Random(f"{self.seed} {room}")
        groups = {}
        for name in names:
            groups.setdefault(self.parser.flags.group(self.tree / name), []).append(name)
        size = {name: (self.tree / name).stat().st_size for name in names}

        def taken(things, weight):
            thing = generator.choices(things, [weight(thing) for thing in things])[0]
            things.remove(thing)
            return thing

        chosen = []
        left = list(groups.values())
        while left and len(chosen) < count:
            files = taken(left, lambda files: sum(size[name] for name in files))
            most = min(count, len(chosen) + max(PER_GROUP, per_file))
            while files and len(chosen) < most:
                chosen += self.file(taken(files, size.get), min(per_file, most - len(chosen)), generator)
        for site in chosen:
            site.room = room
        return chosen

    def file(self, name, count, generator):
        file = self.tree / name
        source = file.read_bytes()
        if name.endswith(".mlc"):
            found = self.mlc.find(name, source)
        elif str(file) in self.parser.flags.of_file:
            found = self.cpp.find(name, file, self.parser)
        else:
            return []
        found = [site for site in found if site not in self.equivalents]
        sites = []
        for _ in range(3):  # what does not compile is replaced
            more = planting.drawn(found, count - len(sites), generator, sites)
            for site in more:
                site.id, self.next_id = self.next_id, self.next_id + 1
            found = [site for site in found if site not in more]
            sites += more
            if name.endswith(".cpp"):
                sites = self.cpp.compiling(file, source, sites, self.parser)
            if len(sites) >= count or not more:
                break
        if sites:
            switched = self.mlc.switched if name.endswith(".mlc") else self.cpp.switched
            self.contents[name] = switched(source, sites)
        return sites


def draw_room(job):
    tree, headers, seed, first_id, room, names, count, per_file = job
    drawing = Drawing(tree, headers, seed, first_id)
    sites = drawing.room(room, names, count, per_file)
    print(f"drawn: {len(sites)} in {room}", flush=True)
    return sites, drawing.contents


def draw(tree, arguments):
    names = tracked()
    if arguments.path:
        rooms = {arguments.path: [name for name in names if (name + "/").startswith(arguments.path.rstrip("/") + "/")]}
        if not any(rooms.values()):
            sys.exit(f"there is nothing in {arguments.path}")
    else:
        rooms = {room: [name for name in names if name.startswith(room + "/")] for room in ROOMS}
    jobs = []
    headers = tempfile.mkdtemp()
    for number, (room, files) in enumerate(rooms.items()):
        count = (arguments.count * (number + 1)) // len(rooms) - (arguments.count * number) // len(rooms)
        per_file = PER_FILE if not arguments.path else max(PER_FILE, -(-count // max(1, len(files))) * 2)
        jobs.append((tree, headers, arguments.seed, MOST // len(rooms) * number, room, files, count, per_file))
    sites, contents = [], {}
    with concurrent.futures.ProcessPoolExecutor(arguments.jobs) as pool:
        for some, texts in pool.map(draw_room, jobs):
            sites += some
            contents |= texts
    shutil.rmtree(headers)
    return sites, contents


def build(tree, sites, contents, jobs):
    """Builds the program with all mutants. Files that the compiler refuses after all lose theirs."""
    right = {name: (tree / name).read_bytes() for name in contents}
    for name, content in contents.items():
        write(tree / name, content)
    while True:
        failed = run("cmake", "--build", "build", "-j", str(jobs), "--target", *TARGETS, *fuzz_targets(tree),
                     "--", "-k", "0", tree=tree)
        if failed is None:
            return sites
        refused = {site.path for site in sites if any(
            f"{tree}/{site.path}:" in line and "error" in line for line in failed.splitlines())}
        if not refused:
            sys.exit(failed[-5000:] + "\nthe copy of the tree does not build")
        print("does not compile with its mutants, and is left as it is: " + ", ".join(sorted(refused)), flush=True)
        for name in refused:
            write(tree / name, right[name])
        sites = [site for site in sites if site.path not in refused]


def program_of(tree):
    return hashlib.sha256((tree / "build/repl/mlc").read_bytes()).hexdigest()


class Workers:
    def __init__(self, tree, count):
        self.free = queue.Queue()
        self.all = [Workplace(tree) for _ in range(count)]
        for workplace in self.all:
            self.free.put(workplace)

    def map(self, function, things):
        def with_workplace(thing):
            workplace = self.free.get()
            try:
                return function(workplace, thing)
            finally:
                self.free.put(workplace)

        with concurrent.futures.ThreadPoolExecutor(len(self.all)) as pool:
            yield from pool.map(with_workplace, things)

    def close(self):
        for workplace in self.all:
            workplace.close()


def record(units, workers, known):
    """Runs the suite with the right program. `known` are records of units that have not changed, by their stamp."""
    def one(workplace, unit):
        stamp = unit.stamp()
        if stamp in known and known[stamp][1]:
            unit.seconds, unit.passes, reached, differs = known[stamp]
            unit.reached, unit.differs = frozenset(reached), frozenset(differs)
            return stamp, unit
        output = workplace.record(unit)
        if not unit.passes:
            print(f"fails without a mutant, and is left out: {unit.name}\n  " + output[-300:].replace("\n", "\n  "),
                  flush=True)
        return stamp, unit

    records = {stamp: (unit.seconds, unit.passes, sorted(unit.reached), sorted(unit.differs))
               for stamp, unit in workers.map(one, units)}
    return [unit for unit in units if unit.passes], records


class Trials:
    """Gives each mutant to the units that pass it, as long as `patience` seconds last."""

    def __init__(self, units, patience):
        self.units, self.patience = units, patience
        self.noticed = {}  # by unit and by file or room, how often
        self.lock = threading.Lock()

    def likely(self, unit, site):
        """Sorts units: those that have noticed something in this file, those called like it, those of its room, those
        that have noticed something in its room, then the shortest."""
        return (-self.noticed.get((unit.name, site.path), 0), pathlib.PurePath(site.path).stem not in unit.name,
                not unit.name.startswith(ROOMS.get(site.room, ())), -self.noticed.get((unit.name, site.room), 0),
                unit.seconds)

    def __call__(self, workplace, site):
        passing = [unit for unit in self.units if unit.runs_into(site)]
        with self.lock:
            passing.sort(key=lambda unit: self.likely(unit, site))
        spent = 0
        for number, unit in enumerate(passing):
            spent += unit.seconds
            if number and spent > self.patience:
                return site, None, f"{number} of {len(passing)} parts of the suite pass it; the others were not tried"
            status, _, _ = workplace.run(unit, 10 + SLOWER * unit.seconds, MLC_MUTANT=str(site.id))
            if status != 0:
                with self.lock:
                    for kind in (site.path, site.room):
                        self.noticed[unit.name, kind] = self.noticed.get((unit.name, kind), 0) + 1
                how = "takes too long" if status is None else "crashes" if status < 0 or status > 128 else "fails"
                return site, f"{unit.name} {how}"
        if not any(site.id in unit.reached for unit in self.units):
            return site, None, "never reached"
        if not passing:
            return site, None, "reached, and never another value"
        return site, None, f"{len(passing)} parts of the suite pass it"


def try_all(sites, units, workers, patience):
    trials = Trials(units, patience)
    results = {}
    start = time.monotonic()
    for result in workers.map(trials, sites):
        site, unit = result[:2]
        results[site.id] = result[1:]
        place = f"{site.path}:{site.line}: {site.change}"
        if unit is None:
            told(f"SURVIVES {place}\n         {site.text}\n         {result[2]}")
        else:
            told(f"noticed  {place}\n         {unit}")
    told(f"{len(sites)} mutants in {time.monotonic() - start:.0f} s")
    return results


def summary(sites, results):
    noticed_in_all = 0
    lines = []
    for room in dict.fromkeys(site.room for site in sites):
        here = [site for site in sites if site.room == room]
        noticed = sum(results[site.id][0] is not None for site in here)
        noticed_in_all += noticed
        lines.append(f"{room:24} {noticed:4} of {len(here):4}  {100 * noticed / len(here):5.1f} %")
    lines.append(f"{'all':24} {noticed_in_all:4} of {len(sites):4}  {100 * noticed_in_all / max(1, len(sites)):5.1f} %")
    return "\n".join(lines)


def told(line):
    print(line, flush=True)


def main():
    parser = argparse.ArgumentParser(prog="./dev mutate")
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--seed", type=int, default=int(time.time()))
    parser.add_argument("--jobs", type=int, default=min(2, os.cpu_count() or 1))
    parser.add_argument("--patience", type=float, default=120,
                        help="seconds for the parts of the suite that pass a mutant, as the right program takes them")
    parser.add_argument("--again", action="store_true",
                        help="the survivors of the last campaign once more, with the tests of today")
    parser.add_argument("--tree", type=pathlib.Path, default=ROOT / ".cache/mutation/tree")
    parser.add_argument("path", nargs="?")
    arguments = parser.parse_args()
    tree = arguments.tree.absolute()
    tree.mkdir(parents=True, exist_ok=True)
    kept = tree / ".campaign.json"
    known = {}
    results = {}
    if arguments.again:
        campaign = json.loads(kept.read_text())
        sites = [Site(**site) for site in campaign["sites"]]
        results = {int(mutant): result for mutant, result in campaign["results"].items()}
        copy_tree(tree, below="tests/")  # the program stays as it was drawn from: half of a newer one is none
        failed = run("cmake", "--build", "build", "-j", str(arguments.jobs), "--target", *TARGETS, *fuzz_targets(tree),
                     tree=tree)
        if failed:
            sys.exit(failed[-5000:])
        if program_of(tree) == campaign["program"]:  # otherwise what passes, and what it reaches, may be another
            known = campaign["records"]
        equivalents = Equivalents()
        sites = [site for site in sites if site not in equivalents]
    else:
        copy_tree(tree)
        configure(tree)
        sites, contents = draw(tree, arguments)
        sites = build(tree, sites, contents, arguments.jobs)
        print(f"built: {len(sites)} mutants, seed {arguments.seed}", flush=True)
    records = known

    def keep():
        kept.write_text(json.dumps({"program": program_of(tree), "sites": [dataclasses.asdict(site) for site in sites],
                                    "records": records, "results": results}))

    keep()
    workers = Workers(tree, arguments.jobs)
    try:
        start = time.monotonic()
        units, records = record(list(all_units(tree, tree / "build")), workers, known)
        told(f"the suite: {len(units)} parts, {sum(unit.seconds for unit in units):.0f} s of one process, "
             f"recorded in {time.monotonic() - start:.0f} s")
        keep()
        tried = [site for site in sites if site.id not in results or results[site.id][0] is None]
        results |= try_all(tried, units, workers, arguments.patience)
        keep()
    finally:
        workers.close()
    survivors = [site for site in sites if results[site.id][0] is None]
    if survivors:
        told("\nThe survivors, as rows for tests/mutation/equivalents.txt should they change nothing:")
        for site in survivors:
            told(Equivalents.row(site))
    told("\n" + summary(sites, results))


if __name__ == "__main__":
    main()
