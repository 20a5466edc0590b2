#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Sessions of the REPL in a terminal of a given size, key by key.

    python3 tests/terminal/run.py MLC [--update] [SESSION.keys]...

A line `> keys` is what is typed, named keys in angle brackets: `<enter>`, `<C-a>`, `<left>`, `<paste>...<end-paste>`.
Beneath it stands the screen once the program waits again, each row after `| `, the cursor as `▏`. `>> keys` shows no
screen. `start keys` does not wait for the program; `wait SECONDS` waits. `size COLUMNS ROWS` ends the session and begins another one (the
first begins by itself with 60 by 20), `resize COLUMNS ROWS` changes its window, `kill` kills it. `command ARGUMENTS` is how the next one is begun. `file NAME TEXT` writes
a file into the folder where the session runs, `<newline>` and `<less>` as in keys. Lines that begin with `#` are comments.
"""
import fcntl
import os
import pathlib
import pty
import re
import select
import signal
import struct
import sys
import tempfile
import termios
import time

import pyte

HERE = pathlib.Path(__file__).resolve().parent
NAMED = {
    "enter": "\r", "tab": "\t", "S-tab": "\x1b[Z", "backspace": "\x7f", "escape": "\x1b", "delete": "\x1b[3~",
    "up": "\x1b[A", "down": "\x1b[B", "right": "\x1b[C", "left": "\x1b[D", "home": "\x1b[H", "line-end": "\x1b[F",
    "C-left": "\x1b[1;5D", "C-right": "\x1b[1;5C", "C-home": "\x1b[1;5H", "C-line-end": "\x1b[1;5F",
    "C-delete": "\x1b[3;5~", "M-enter": "\x1b\r", "M-backspace": "\x1b\x7f", "paste": "\x1b[200~",
    "end-paste": "\x1b[201~", "page-up": "\x1b[5~", "C-_": "\x1f", "less": "<", "newline": "\n", "O-up": "\x1bOA",
}
QUIET = 0.08  # seconds without output, and the program asleep


def bytes_of(keys):
    made = b""
    while keys:
        end = keys.find(">")
        if keys[0] == "<" and end > 0:
            name = keys[1:end]
            keys = keys[end + 1:]
            if name in NAMED:
                made += NAMED[name].encode()
            elif name.startswith("C-") and len(name) == 3:
                made += bytes([ord(name[2].upper()) & 0x1f])
            elif name.startswith("M-") and len(name) == 3:
                made += b"\x1b" + name[2].encode()
            elif name == "M->":
                made += b"\x1b>"
            elif name.startswith("x"):
                made += bytes.fromhex(name[1:])
            else:
                raise SystemExit(f"no key is called <{name}>")
            continue
        made += keys[0].encode()
        keys = keys[1:]
    return made


class Terminal:
    def __init__(self, command, columns, rows, environment, folder):
        self.screen = pyte.Screen(columns, rows)
        self.stream = pyte.ByteStream(self.screen)
        self.folder = folder
        self.pid, self.master = pty.fork()
        if self.pid == 0:
            os.chdir(folder)
            os.execvpe(command[0], command, environment)
        self.resize(columns, rows)
        self.settle()

    def resize(self, columns, rows):
        fcntl.ioctl(self.master, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        if (columns, rows) != (self.screen.columns, self.screen.lines):
            self.screen.resize(rows, columns)

    def asleep(self):
        try:
            fields = pathlib.Path(f"/proc/{self.pid}/stat").read_text().rsplit(")", 1)[1].split()
        except FileNotFoundError:
            return True
        return fields[0] in "STZ"

    def settle(self, limit=60):
        end = time.monotonic() + limit
        while time.monotonic() < end:
            ready, _, _ = select.select([self.master], [], [], QUIET)
            if ready:
                try:
                    data = os.read(self.master, 65536)
                except OSError:
                    return
                if not data:
                    return
                self.stream.feed(data)
            elif self.asleep():
                return
        raise SystemExit("the program does not come to rest")

    def send(self, data, wait=True):
        while data:
            data = data[os.write(self.master, data[:1024]):]
        if wait:
            self.settle()

    def rows(self):
        shown = [line.rstrip() for line in self.screen.display]
        y, x = self.screen.cursor.y, self.screen.cursor.x
        # A wide character takes two cells, the second of which is empty here.
        before, cells = "", 0
        for cell in range(self.screen.columns):
            if cell >= x:
                break
            before += self.screen.buffer[y][cell].data
        after = "".join(self.screen.buffer[y][cell].data for cell in range(x, self.screen.columns)).rstrip()
        shown[y] = before + "▏" + after
        while shown and not shown[-1] and len(shown) > y + 1:
            shown.pop()
        return [re.sub(r"\d{4}-\d\d-\d\d \d\d:\d\d", "YEAR-MM-DD HH:MM", row).replace(self.folder, "FOLDER")
                for row in shown]

    def end(self):
        self.send(b"\x03\x04")
        self.close()

    def close(self):
        try:
            os.kill(self.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        os.close(self.master)
        os.waitpid(self.pid, 0)


def play(mlc, session):
    """The session with the screens as they are."""
    lines = session.read_text().splitlines()
    made = []
    terminal = None
    arguments = []
    with tempfile.TemporaryDirectory() as folder:
        environment = dict(os.environ, XDG_STATE_HOME=folder, HOME=folder, TERM="xterm-256color", NO_COLOR="1",
                           LC_ALL="C")

        def start(columns, rows):
            return Terminal([mlc, *arguments], columns, rows, environment, folder)

        for line in lines:
            if line.startswith("| ") or line == "|":
                continue
            made.append(line)
            if line.startswith("size ") or (line.startswith(">") and terminal is None):
                if terminal:
                    terminal.end()
                terminal = start(*(map(int, line.split()[1:]) if line.startswith("size ") else (60, 20)))
            if line.startswith("resize "):
                columns, rows = map(int, line.split()[1:])
                terminal.resize(columns, rows)
                terminal.settle()
            if line.startswith("command "):
                arguments = line.split()[1:]
            if line == "kill":
                terminal.close()
                terminal = None
            if line.startswith("file "):
                _, name, text = line.split(" ", 2)
                (pathlib.Path(folder) / name).write_bytes(bytes_of(text))
                time.sleep(0.2)
                terminal.settle()
            if line.startswith("wait "):
                time.sleep(float(line[5:]))
            if line.startswith("start "):
                terminal.send(bytes_of(line[6:]), wait=False)
                time.sleep(0.5)  # so that it is at work
            elif line.startswith(">> "):
                terminal.send(bytes_of(line[3:]))
            elif line.startswith("> ") or line == ">":
                terminal.send(bytes_of(line[2:]))
                made += [f"| {row}".rstrip() for row in terminal.rows()]
        if terminal:
            terminal.end()
    return "\n".join(made) + "\n"


def main():
    arguments = [each for each in sys.argv[1:] if each != "--update"]
    mlc, sessions = arguments[0], [pathlib.Path(each) for each in arguments[1:]] or sorted(HERE.glob("*.keys"))
    passed = failed = 0
    for session in sessions:
        made = play(os.path.abspath(mlc), session)
        if "--update" in sys.argv:
            session.write_text(made)
        before = session.read_text()
        if made == before:
            passed += 1
            continue
        failed += 1
        print(f"FAILED {session}")
        import difflib
        print("\n".join(difflib.unified_diff(before.splitlines(), made.splitlines(), lineterm="", n=2)))
    print(f"{passed} passed, {failed} failed")
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
