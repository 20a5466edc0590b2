#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What typing costs: the time from a keystroke to its diagnostics, and the memory of the server meanwhile.

    python3 tests/lsp/keystrokes.py MLC [--edits N] [--lines N] [FILE]

Types letters at random places of FILE (examples/mm_relu.mlc, repeated up to --lines lines), each followed by its
removal, and waits for the diagnostics of each. Prints figures; asserts none.
"""
import argparse
import os
import pathlib
import random
import time

from client import Client

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
URI = "file:///tmp/typing.mlc"


def memory(process):
    for line in pathlib.Path(f"/proc/{process.pid}/status").read_text().splitlines():
        if line.startswith("VmRSS"):
            return int(line.split()[1]) / 1024
    raise RuntimeError("the system does not say")


def processor(process):
    """Seconds of the processor that the server and what it has started have had."""
    fields = pathlib.Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()
    return sum(int(each) for each in fields[11:15]) / os.sysconf("SC_CLK_TCK")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--edits", type=int, default=1000)
    parser.add_argument("--lines", type=int, default=0)
    parser.add_argument("file", nargs="?", type=pathlib.Path, default=ROOT / "examples/mm_relu.mlc")
    options = parser.parse_args()
    text = options.file.read_text()
    while text.count("\n") < options.lines:
        text += "\n\n" + options.file.read_text()
    lines = text.split("\n")
    editor = Client(options.program, limit=120)
    editor.start()
    editor.open(URI, text)
    editor.wait_diagnostics(URI, 1)
    chance = random.Random(1)
    times, version = [], 1
    before = processor(editor.process)
    print(f"{len(lines)} lines; {memory(editor.process):.1f} MiB at first")
    for edit in range(options.edits // 2):
        line = chance.randrange(len(lines))
        column = chance.randrange(len(lines[line]) + 1)
        begin, end = {"line": line, "character": column}, {"line": line, "character": column + 1}
        letter = chance.choice("abcxyz0 (\"'.,=")
        for change in ({"range": {"start": begin, "end": begin}, "text": letter}, {"range": {"start": begin, "end": end}, "text": ""}):
            version += 1
            start = time.perf_counter()
            editor.change(URI, version, [change])
            editor.wait_diagnostics(URI, version)
            times.append((time.perf_counter() - start) * 1000)
        if (edit + 1) % max(1, options.edits // 20) == 0:
            print(f"{2 * (edit + 1)} edits: {memory(editor.process):.1f} MiB", flush=True)
    times.sort()
    share = lambda part: times[min(len(times) - 1, int(len(times) * part))]
    print(f"keystroke to diagnostics: median {share(0.5):.1f} ms, 90 % {share(0.9):.1f} ms, 99 % {share(0.99):.1f} ms, most {times[-1]:.1f} ms")
    print(f"of the processor: {(processor(editor.process) - before) * 1000 / len(times):.1f} ms on average")
    if editor.stop() != 0:
        raise SystemExit("the server did not end well")


if __name__ == "__main__":
    main()
