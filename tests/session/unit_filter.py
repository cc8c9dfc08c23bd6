# SPDX-License-Identifier: BSD-2-Clause
"""The service under the system call filter of its unit file, which kills a process at a call that is missing there."""

import ctypes
import functools
import os
import re
import shutil
import struct
import subprocess
import unittest

from harness import ROOT, eventually
from sessions import Session

NUMBERS = f"/usr/include/{os.uname().machine}-linux-gnu/asm/unistd_64.h"
UNIT = os.path.join(ROOT, "service/fxt-record.service")


def why_not():
    if not shutil.which("systemd-analyze"):
        return "needs systemd-analyze, which has the groups of system calls"
    if os.uname().machine != "x86_64" or not os.path.exists(NUMBERS):
        return "needs the numbers of x86's system calls"
    return ""


@functools.cache
def calls_of(group):
    done = subprocess.run(["systemd-analyze", "syscall-filter", group], capture_output=True, text=True, check=True)
    calls = set()
    for line in done.stdout.splitlines()[1:]:
        word = line.strip()
        if word.startswith("@"):
            calls |= calls_of(word)
        elif word and not word.startswith("#"):
            calls.add(word)
    return frozenset(calls)


def allowed_calls():
    """Numbers of the calls that the unit allows, as systemd evaluates its lines."""
    with open(UNIT, encoding="utf-8") as file:
        lines = re.findall(r"^SystemCallFilter=(.*)$", file.read(), re.MULTILINE)
    names = set(calls_of("@default"))
    for line in lines:
        denied = line.startswith("~")
        for word in line.lstrip("~").split():
            calls = calls_of(word) if word.startswith("@") else {word}
            names = names - calls if denied else names | calls
    with open(NUMBERS, encoding="utf-8") as file:
        numbers = dict(re.findall(r"^#define __NR_(\w+) (\d+)$", file.read(), re.MULTILINE))
    return sorted(int(numbers[name]) for name in names if name in numbers)


def filter_of(numbers):
    """A classic BPF program: one comparison for each number, and an end for all others."""
    load, equal, give = 0x20, 0x15, 0x06
    allow, kill = 0x7fff0000, 0x80000000
    steps = [(load, 0, 0, 0)]
    for number in numbers:
        steps += [(equal, 0, 1, number), (give, 0, 0, allow)]
    steps.append((give, 0, 0, kill))
    return b"".join(struct.pack("HBBI", *step) for step in steps), len(steps)


@unittest.skipIf(why_not(), why_not())
class UnitFilter(Session):
    def test_a_session_needs_no_other_system_calls(self):
        program, steps = filter_of(allowed_calls())
        libc = ctypes.CDLL(None, use_errno=True)
        code = ctypes.create_string_buffer(program)
        described = ctypes.create_string_buffer(struct.pack("HxxxxxxQ", steps, ctypes.addressof(code)))

        def restrict():
            no_new_privileges, set_seccomp, by_filter = 38, 22, 2
            if libc.prctl(no_new_privileges, 1, 0, 0, 0) or libc.prctl(set_seccomp, by_filter, described, 0, 0):
                os._exit(100)
        server = self.serve("--circular", "4M", preexec_fn=restrict)
        self.assertTrue(eventually(lambda: self.status()["state"] == "STARTED"))
        self.do("alert", "one")
        self.do("snapshot", "-o", self.path("a.fxt"))
        self.do("stop", "-o", self.path("b.fxt.gz"))
        self.do("start", "--circular", "4M", "-c", "sched,task,syscall,block,net,signal,timer,irq,stack",
                "--counters", "task-clock", "--uprobe", f"{self.recorder}:main")
        self.command("status")
        self.do("snapshot", "-o", self.path("c.fxt"), "--last", "1s")
        self.do("cancel")
        self.do("start", "--streaming", "-o", self.path("d.fxt"), "-c", "default")
        self.do("stop")
        for name in ("a.fxt", "b.fxt.gz", "c.fxt", "d.fxt"):
            self.check(name)
        self.assertIsNone(server.poll())
