# SPDX-License-Identifier: Apache-2.0
"""Measures how long a notebook waits: from the start of a kernel to the result of its first cell, mlc's and ipykernel's
in turn. `./dev bench notebook` runs it.

    python bench/notebook.py MLC [COUNT]
"""
import contextlib
import os
import pathlib
import socket
import statistics
import subprocess
import sys
import tempfile
import time

from jupyter_client import KernelManager


def first_result(kernel, code):
    """Seconds until the first result, and those that the next one takes."""
    begin = time.perf_counter()
    manager = KernelManager(kernel_name=kernel)
    manager.start_kernel(stderr=subprocess.DEVNULL)
    # A client that connects too early tries again a tenth of a second later, which is no time of the kernel's.
    while True:
        with contextlib.suppress(OSError), socket.create_connection((manager.ip, manager.shell_port)):
            break
        time.sleep(0.001)
    client = manager.blocking_client()
    client.start_channels(iopub=False, stdin=False, hb=False, control=False)
    times = []
    for _ in range(2):
        request = client.execute(code)
        while client.get_shell_msg(timeout=60)["parent_header"]["msg_id"] != request:
            pass
        times.append(time.perf_counter() - begin)
        begin = time.perf_counter()
    client.stop_channels()
    manager.shutdown_kernel(now=True)
    manager.cleanup_resources()
    return times


def main():
    mlc, count = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 10
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        os.environ.update(JUPYTER_PATH=str(folder / "share/jupyter"), JUPYTER_RUNTIME_DIR=str(folder), XDG_STATE_HOME=str(folder),
                          IPYTHONDIR=str(folder / "ipython"))
        subprocess.run([mlc, "jupyter", "install", "--prefix", folder], check=True, stdout=subprocess.DEVNULL)
        taken = {"mlc": [], "python3": []}
        for _ in range(count):
            for kernel, times in taken.items():
                times.append(first_result(kernel, "1 + 1"))
    for i, what in enumerate(("start to first result", "next result")):
        ours, theirs = (statistics.median(each[i] for each in taken[kernel]) for kernel in ("mlc", "python3"))
        print(f"{what:24} {ours * 1e3:9.1f} ms   ipykernel {theirs * 1e3:9.1f} ms   ratio {ours / theirs:.3f}")


if __name__ == "__main__":
    main()
