#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Programs typed letter by letter: whatever stands there, the server answers, and soon.

    python3 tests/lsp/prefixes.py MLC [--stride N] [--seconds S] FILE...

Of every file each N-th prefix is sent (17, which meets all places of a line sooner or later), then edits in the middle:
a line that is cut off, one that is left out. Each is asked for all that editors ask while somebody types. An answer that
takes more than S seconds of the processor (1), an error of the server's own, or its end, fails. It prints how much was
tried, and fails where that is too little to say anything. The last line counts files.
"""
import argparse
import os
import pathlib
import sys

from client import Client, Failed

INTERNAL = -32603
QUESTIONS = ["textDocument/completion", "textDocument/hover", "textDocument/definition", "textDocument/documentHighlight",
             "textDocument/documentSymbol", "textDocument/foldingRange", "textDocument/semanticTokens/full",
             "textDocument/inlayHint", "textDocument/codeAction", "textDocument/formatting", "textDocument/prepareRename"]


class Fuzz:
    def __init__(self, program, seconds):
        self.client = Client(program, limit=120.0)
        self.client.start()
        self.seconds = seconds
        self.version = 0
        self.asked = {question: 0 for question in QUESTIONS}
        self.refused = 0
        self.texts = 0
        self.with_problems = 0
        self.slowest = (0.0, "")

    def processor(self):
        """Seconds of the processor that the server has had: what else the machine does is not its fault."""
        fields = pathlib.Path(f"/proc/{self.client.process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def ask(self, question, uri, place, last):
        line, character = place
        position = {"line": line, "character": character}
        whole = {"start": {"line": 0, "character": 0}, "end": {"line": last, "character": 0}}
        params = {"textDocument": {"uri": uri}, "position": position}
        if question.endswith(("inlayHint", "codeAction")):
            params = {"textDocument": {"uri": uri}, "range": whole, "context": {"diagnostics": []}}
        if question.endswith("formatting"):
            params = {"textDocument": {"uri": uri}, "options": {"tabSize": 4, "insertSpaces": True}}
        self.asked[question] += 1
        try:
            self.client.request(question, params)
        except Failed as failure:
            if failure.code == INTERNAL:
                raise
            self.refused += 1  # what is broken is not formatted, what is no name is not renamed

    def look(self, uri, text, place, name):
        self.version += 1
        self.texts += 1
        start = self.processor()
        self.client.change(uri, self.version, [{"text": text}])
        found = self.client.wait_diagnostics(uri, self.version)
        self.with_problems += bool(found)
        times = [(self.processor() - start, "diagnostics")]
        last = text.count("\n") + 1
        # Two of the questions at each text, all of them in turn; completion, which is asked at every letter, always.
        turn = self.texts % (len(QUESTIONS) - 1) + 1
        for question in (QUESTIONS[0], QUESTIONS[turn]):
            start = self.processor()
            self.ask(question, uri, place, last)
            times.append((self.processor() - start, question))
        took, what = max(times)
        if took > self.slowest[0]:
            self.slowest = (took, f"{what} of {name} at line {place[0] + 1}")

    def file(self, path, stride):
        text = path.read_text()
        uri = path.resolve().as_uri()
        self.version += 1
        self.client.open(uri, "", self.version)
        for end in range(0, len(text) + stride, stride):
            prefix = text[:end]
            line = prefix.count("\n")
            self.look(uri, prefix, (line, len(prefix) - prefix.rfind("\n") - 1), path.name)
        lines = text.split("\n")
        for number in range(0, len(lines), max(1, stride // 3)):
            half = lines[:number] + [lines[number][:len(lines[number]) // 2]] + lines[number + 1:]
            self.look(uri, "\n".join(half), (number, len(half[number])), path.name)
            self.look(uri, "\n".join(lines[:number] + lines[number + 1:]), (number, 0), path.name)
        self.client.close(uri)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--stride", type=int, default=17)
    parser.add_argument("--seconds", type=float, default=1.0)
    parser.add_argument("files", nargs="+", type=pathlib.Path)
    options = parser.parse_args()
    fuzz = Fuzz(options.program, options.seconds)
    for path in options.files:
        fuzz.file(path, options.stride)
    code = fuzz.client.stop()
    print(f"{fuzz.texts} texts of {len(options.files)} files, {fuzz.with_problems} of them with something to report; "
          f"{sum(fuzz.asked.values())} questions, {fuzz.refused} refused; slowest {fuzz.slowest[0]:.2f} s of the processor, {fuzz.slowest[1]}")
    problems = []
    if fuzz.slowest[0] > options.seconds:
        problems.append(f"an answer took more than {options.seconds} s")
    if code != 0:
        problems.append(f"the server ended with {code}")
    least = sum(path.stat().st_size for path in options.files) // options.stride
    if fuzz.texts < least or min(fuzz.asked.values()) < fuzz.texts // 20:
        problems.append("too little was tried")
    if not fuzz.texts // 10 < fuzz.with_problems < fuzz.texts:
        problems.append("half-typed programs have mistakes, and whole ones have none")
    if fuzz.refused > sum(fuzz.asked.values()) // 3:
        problems.append("most questions were refused")
    for problem in problems:
        print("FAILED: " + problem)
    print(f"{0 if problems else len(options.files)} passed, {len(problems)} failed")
    sys.exit(bool(problems))


if __name__ == "__main__":
    main()
