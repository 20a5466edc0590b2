# SPDX-License-Identifier: Apache-2.0
"""Runs a program that stands on the command line, and stops it by Ctrl-C a little after its first line has come."""
import signal
import subprocess
import sys
import time

run = subprocess.Popen(["mlc", "-c", sys.argv[1]], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
print(run.stdout.readline(), end="")
time.sleep(0.2)
run.send_signal(signal.SIGINT)
print(run.stdout.read(), run.wait(), sep="")
