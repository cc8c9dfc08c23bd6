#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Runs a command as a process with a chosen id: spawn_as.py PID COMMAND..."""

import ctypes
import os
import signal
import sys

CLONE3 = 435  # on every architecture


class CloneArguments(ctypes.Structure):
    _fields_ = [(name, ctypes.c_uint64) for name in (
        "flags", "pidfd", "child_tid", "parent_tid", "exit_signal", "stack", "stack_size", "tls", "set_tid", "set_tid_size",
        "cgroup")]


def spawn_as(pid, command, environment):
    """Forks and executes with a chosen pid. Raises OSError if the pid is in use.

    Only without other threads: the child has the locks of all of them, and waits for the interpreter's for ever.
    """
    number = ctypes.c_int(pid)
    arguments = CloneArguments(exit_signal=signal.SIGCHLD, set_tid=ctypes.addressof(number), set_tid_size=1)
    libc = ctypes.CDLL(None, use_errno=True)
    child = libc.syscall(CLONE3, ctypes.byref(arguments), ctypes.sizeof(arguments))
    if child == 0:
        try:
            os.execve(command[0], command, environment)
        finally:
            os._exit(127)
    if child < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


if __name__ == "__main__":
    sys.exit(spawn_as(int(sys.argv[1]), sys.argv[2:], dict(os.environ)))
