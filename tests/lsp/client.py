# SPDX-License-Identifier: Apache-2.0
"""An editor, as the server sees one: JSON-RPC over the pipes of `mlc lsp`.

Every answer is read by lsprotocol, the types that Microsoft generates from the specification of LSP: one that does not
conform raises. Without lsprotocol the answers are not looked at so closely, and `CONFORMS` is false.
"""
import json
import os
import select
import subprocess
import time

try:
    from lsprotocol import converters, types
    CONVERTER = converters.get_converter()
    CONFORMS = True
except ImportError:
    CONFORMS = False


class Failed(Exception):
    """The server has answered with an error."""

    def __init__(self, error):
        super().__init__(f"{error['code']}: {error['message']}")
        self.code = error["code"]
        self.message = error["message"]


class Client:
    started = []

    @classmethod
    def end_all(cls):
        """Ends the servers that still run, and counts the messages of all of them that conform."""
        conforming = sum(each.conforming for each in cls.started)
        for each in cls.started:
            each.process.kill()
            each.process.wait()
        cls.started.clear()
        return conforming

    def __init__(self, program, limit=20.0, folder=None):
        self.limit = limit  # seconds that an answer may take
        self.process = subprocess.Popen([program, "lsp"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=folder)
        self.buffer = b""
        self.number = 0
        self.diagnostics = {}  # by uri: what was published last
        self.versions = {}
        self.conforming = 0  # answers and notifications that lsprotocol has read
        self.started.append(self)

    # ---- messages ----

    def send_bytes(self, body):
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
        self.process.stdin.flush()

    def send(self, message):
        self.send_bytes(json.dumps({"jsonrpc": "2.0", **message}).encode())

    def read(self):
        deadline = time.monotonic() + self.limit
        while True:
            head, found, rest = self.buffer.partition(b"\r\n\r\n")
            if found:
                length = int(head.split(b":")[1])
                if len(rest) >= length:
                    self.buffer = rest[length:]
                    return json.loads(rest[:length])
            left = deadline - time.monotonic()
            if left <= 0 or not select.select([self.process.stdout], [], [], left)[0]:
                raise TimeoutError(f"nothing came within {self.limit} s")
            block = os.read(self.process.stdout.fileno(), 1 << 16)
            if not block:
                raise EOFError(f"the server has ended: {self.process.wait()}")
            self.buffer += block

    def take(self, message):
        """A notification of the server."""
        if message.get("method") == "textDocument/publishDiagnostics":
            self.conform(types.PublishDiagnosticsNotification if CONFORMS else None, message)
            uri = message["params"]["uri"]
            self.diagnostics[uri] = message["params"]["diagnostics"]
            self.versions[uri] = message["params"].get("version")

    def conform(self, kind, message):
        if CONFORMS and kind is not None:
            CONVERTER.structure(message, kind)
            self.conforming += 1

    def request(self, method, params=None, answer=True):
        self.number += 1
        message = {"id": self.number, "method": method}
        if params is not None:
            message["params"] = params
        self.send(message)
        return self.answer(self.number, method) if answer else self.number

    def answer(self, number, method):
        while True:
            message = self.read()
            if message.get("id") != number or "method" in message:
                self.take(message)
                continue
            if "error" in message:
                raise Failed(message["error"])
            if CONFORMS:
                self.conform(types.METHOD_TO_TYPES[method][1], message)
            return message["result"]

    def notify(self, method, params):
        self.send({"method": method, "params": params})

    # ---- a session ----

    def start(self):
        result = self.request("initialize", {"processId": None, "rootUri": None, "capabilities": {}})
        self.notify("initialized", {})
        return result

    def stop(self):
        self.request("shutdown")
        self.notify("exit", None)
        self.process.stdin.close()
        self.process.stdout.close()
        return self.process.wait(10)

    def open(self, uri, text, version=1):
        self.notify("textDocument/didOpen", {"textDocument": {"uri": uri, "languageId": "mlc", "version": version, "text": text}})

    def change(self, uri, version, changes):
        self.notify("textDocument/didChange", {"textDocument": {"uri": uri, "version": version}, "contentChanges": changes})

    def close(self, uri):
        self.notify("textDocument/didClose", {"textDocument": {"uri": uri}})

    def wait_diagnostics(self, uri, version):
        while self.versions.get(uri) != version:
            self.take(self.read())
        return self.diagnostics[uri]

    def at(self, uri, place, **more):
        line, character = place
        return {"textDocument": {"uri": uri}, "position": {"line": line, "character": character}, **more}


def place_of(text, needle, occurrence=0, inside=0):
    """Line and column, in UTF-16, of a text's n-th `needle`."""
    at = -1
    for _ in range(occurrence + 1):
        at = text.index(needle, at + 1)
    before = text[:at + inside]
    line = before.count("\n")
    last = before[before.rfind("\n") + 1:]
    return line, len(last.encode("utf-16-le")) // 2


def edited(text, edits):
    """The text after edits, as an editor makes them."""
    lines = text.split("\n")

    def offset(position):
        if position["line"] >= len(lines):
            return len(text)
        line = lines[position["line"]]
        units = line.encode("utf-16-le")[:2 * position["character"]]
        return sum(len(each) + 1 for each in lines[:position["line"]]) + len(units.decode("utf-16-le"))

    for edit in sorted(edits, key=lambda each: offset(each["range"]["start"]), reverse=True):
        text = text[:offset(edit["range"]["start"])] + edit["newText"] + text[offset(edit["range"]["end"]):]
    return text
