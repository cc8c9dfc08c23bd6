# SPDX-License-Identifier: BSD-2-Clause
"""Functions for the programs in this folder. Each runs as PROGRAM base|slow SECONDS and ends after that time."""

import contextlib
import os
import signal
import sys


def arguments():
    """Returns (slow, seconds) from the command line."""
    if len(sys.argv) != 3 or sys.argv[1] not in ("base", "slow"):
        sys.exit(f"usage: {sys.argv[0]} base|slow SECONDS")
    return sys.argv[1] == "slow", float(sys.argv[2])


def take_name(name):
    """Sets the comm of this process."""
    with open("/proc/self/comm", "w", encoding="ascii") as file:
        file.write(name)


def run(seconds, roles):
    """Runs each (name, function) of `roles` in its own process for `seconds`."""
    children = []
    for name, body in roles:
        child = os.fork()
        if child == 0:
            take_name(name)
            with contextlib.suppress(OSError, EOFError):
                body()
            os._exit(0)
        children.append(child)
    signal.signal(signal.SIGALRM, lambda *_: None)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    signal.pause()
    for child in children:
        os.kill(child, signal.SIGKILL)
    for child in children:
        os.waitpid(child, 0)
