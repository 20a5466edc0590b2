# SPDX-License-Identifier: Apache-2.0
"""A front end of the kernel for the tests: jupyter_client, with what came back to each request."""
import os
import subprocess

from jupyter_client import KernelManager

PATIENCE = 30  # seconds after which a message that has not come never will


def install(mlc, folder):
    """The kernel in `folder`, where jupyter_client finds it from now on; state and caches in there as well."""
    os.environ.update(JUPYTER_PATH=str(folder / "share/jupyter"), JUPYTER_RUNTIME_DIR=str(folder / "runtime"),
                      JUPYTER_CONFIG_DIR=str(folder / "config"), JUPYTER_DATA_DIR=str(folder / "data"),
                      XDG_STATE_HOME=str(folder / "state"), XDG_CACHE_HOME=str(folder / "cache"), NO_COLOR="1")
    return subprocess.run([mlc, "jupyter", "install", "--prefix", folder], capture_output=True, text=True, check=True)


class Answer:
    """What one request has led to."""

    def __init__(self, reply, messages):
        self.reply = reply["content"]
        self.header = reply["header"]
        self.messages = messages  # on iopub, in order

    def types(self):
        return [each["msg_type"] for each in self.messages]

    def contents(self, kind):
        return [each["content"] for each in self.messages if each["msg_type"] == kind]

    def stream(self, name="stdout"):
        return "".join(each["text"] for each in self.contents("stream") if each["name"] == name)

    def result(self):
        """The text of the cell's value, or None."""
        results = self.contents("execute_result")
        assert len(results) < 2, results
        return results[0]["data"]["text/plain"] if results else None

    def data(self):
        (result,) = self.contents("execute_result")
        return result["data"]


class Front:
    def __init__(self, transport="tcp", **environment):
        self.manager = KernelManager(kernel_name="mlc", transport=transport)
        self.manager.start_kernel(env={**os.environ, **environment}, stderr=subprocess.DEVNULL)
        self.connect()

    def connect(self):
        self.client = self.manager.blocking_client()
        self.client.start_channels()
        self.client.wait_for_ready(timeout=PATIENCE)

    def close(self):
        self.client.stop_channels()
        if self.manager.is_alive():
            self.manager.shutdown_kernel(now=True)
        self.manager.cleanup_resources()

    def __enter__(self):
        return self

    def __exit__(self, *unused):
        self.close()

    def message(self, channel):
        """The next one that the client can read: a date that a test has changed may be none, and comes back."""
        while True:
            try:
                return getattr(self.client, f"get_{channel}_msg")(timeout=PATIENCE)
            except ValueError:
                pass

    def iopub_until(self, wanted):
        """Messages of all requests up to the first that `wanted` takes."""
        messages = []
        while True:
            message = self.message("iopub")
            messages.append(message)
            if wanted(message):
                return messages

    def finish(self, request, channel="shell"):
        def is_end(message):
            return (message["parent_header"].get("msg_id") == request and message["msg_type"] == "status"
                    and message["content"]["execution_state"] == "idle")

        messages = [each for each in self.iopub_until(is_end) if each["parent_header"].get("msg_id") == request]
        while True:
            reply = self.message(channel)
            if reply["parent_header"].get("msg_id") == request:
                return Answer(reply, messages)

    def start(self, code, **options):
        return self.client.execute(code, **options)

    def run(self, code, **options):
        return self.finish(self.start(code, **options))

    def ask(self, kind, channel="shell", **content):
        message = self.client.session.msg(kind, content)
        getattr(self.client, f"{channel}_channel").send(message)
        return self.finish(message["header"]["msg_id"], channel)

    def wait_for_stream(self, text):
        seen = ""

        def has_come(message):
            nonlocal seen
            if message["msg_type"] == "stream":
                seen += message["content"]["text"]
            return text in seen

        self.iopub_until(has_come)
