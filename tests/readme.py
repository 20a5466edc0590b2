# SPDX-License-Identifier: Apache-2.0
"""The commands of README.md, run as they are typed, one after the other, in a folder with a copy of examples/.

    python3 tests/readme.py MLC

Of code blocks marked `sh` every line; of spans in the text those that begin with `mlc `, have an argument and name no
FILE; of session blocks what is typed at the prompt. Each must end with exit code 0, a session without an error.
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
FEWEST = 20  # so many are there at least: a README that is read wrongly would pass


def commands_of(text):
    """Pairs of a command and what it is told on standard input, in the order of the text."""
    found = []
    parts = re.split(r"^```(\w*)\n(.*?)^```$", text, flags=re.M | re.S)
    for i in range(0, len(parts), 3):
        for span in re.findall(r"(?<!`)`(mlc [^`]+)`(?!`)", parts[i]):
            command = " ".join(span.split())
            names_only = len(command.split()) < 3 and command != "mlc help"
            waits = re.match(r"mlc (jupyter|lsp)\b", command)  # for a client, and `install` writes into a home
            if not re.search(r"\b[A-Z]{3,}\b", command) and not names_only and not waits:
                found.append((command, ""))
        if i + 2 >= len(parts):
            break
        language, block = parts[i + 1], parts[i + 2]
        lines = block.splitlines()
        if language == "sh":
            found += [(line, "") for line in lines if line.startswith("mlc ")]
        elif any(line.startswith("mlc> ") for line in lines):
            start = [line[2:] for line in lines if line.startswith("$ ")]
            typed = [line[5:] for line in lines if line.startswith("mlc> ")]
            found.append((start[0] if start else "mlc", "\n".join(typed) + "\n"))
    return found


def main():
    mlc = os.path.realpath(sys.argv[1])
    with open(os.path.join(ROOT, "README.md")) as readme:
        commands = commands_of(readme.read())
    passed = failed = 0
    with tempfile.TemporaryDirectory() as work:
        os.mkdir(os.path.join(work, "bin"))
        os.symlink(mlc, os.path.join(work, "bin", "mlc"))
        shutil.copytree(os.path.join(ROOT, "examples"), os.path.join(work, "files", "examples"))
        home = os.path.join(work, "home")
        os.mkdir(home)
        environment = dict(os.environ, HOME=home, PATH=os.path.join(work, "bin") + ":" + os.environ["PATH"])
        for name in ("XDG_CACHE_HOME", "XDG_STATE_HOME", "XDG_CONFIG_HOME", "MLC_CACHE_DIR"):
            environment.pop(name, None)
        for command, typed in commands:
            run = subprocess.run(
                command, shell=True, cwd=os.path.join(work, "files"), env=environment, input=typed, timeout=300,
                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace")
            if run.returncode == 0 and not (typed and re.search(r"^error", run.stdout, re.M)):
                passed += 1
                continue
            failed += 1
            print(f"FAILED (exit code {run.returncode}): {command}\n{run.stdout[-2000:]}")
    if len(commands) < FEWEST:
        failed += 1
        print(f"FAILED: only {len(commands)} commands were found in README.md, which has {FEWEST} and more")
    print(f"{passed} passed, {failed} failed")
    return failed != 0


sys.exit(main())
