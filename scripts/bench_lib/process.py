# SPDX-License-Identifier: BSD-2-Clause
"""Starts programs and measures the cost of a program with all its children."""

import os
import signal
import subprocess
import time

from .system import read_text

CPUACCT = "/sys/fs/cgroup/cpuacct"
UNIFIED = "/sys/fs/cgroup"


class CpuGroup:
    """A control group. Its CPU time is exact and includes unreaped children.

    Version 1 (cpuacct) or version 2 (cpu.stat), whichever there is. Without either, seconds() is None and the
    kernel's accounting of waited-for children has to do.
    """

    def __init__(self, name):
        self.path = None
        self.unified = False
        for root, unified in ((CPUACCT, False), (UNIFIED, True)):
            probe = os.path.join(root, "cgroup.controllers" if unified else "cpuacct.usage")
            if not os.path.exists(probe):
                continue
            path = os.path.join(root, f"{name}-{os.getpid()}")
            try:
                os.mkdir(path)
            except OSError:
                continue
            self.path, self.unified = path, unified
            return

    def join(self):
        """Runs in the child between fork and exec."""
        if self.path:
            with open(os.path.join(self.path, "cgroup.procs"), "w", encoding="ascii") as file:
                file.write(str(os.getpid()))

    def seconds(self):
        if not self.path:
            return None
        if not self.unified:
            return int(read_text(os.path.join(self.path, "cpuacct.usage"))) / 1e9
        fields = dict(line.split() for line in read_text(os.path.join(self.path, "cpu.stat")).splitlines())
        return int(fields["usage_usec"]) / 1e6

    def remove(self):
        if not self.path:
            return
        for _ in range(50):
            try:
                os.rmdir(self.path)
                return
            except OSError:
                time.sleep(0.02)


class Program:
    """A running program in its own session, with its output in files."""

    def __init__(self, command, folder, name, group=None, cpus=None, stdin=subprocess.DEVNULL):
        self.output_path = os.path.join(folder, name + ".out")
        self.error_path = os.path.join(folder, name + ".err")
        self.group = group
        self.usage = None
        self.exit_code = None

        def prepare():
            if group:
                group.join()
            if cpus:
                os.sched_setaffinity(0, cpus)

        environment = dict(os.environ, LC_ALL="C", PERF_PAGER="cat", PAGER="cat")
        with open(self.output_path, "wb") as output, open(self.error_path, "wb") as errors:
            self.started = time.monotonic()
            self._process = subprocess.Popen(command, stdin=stdin, stdout=output, stderr=errors, cwd=folder,
                                             start_new_session=True, preexec_fn=prepare, env=environment)
        self.pid = self._process.pid

    def output(self):
        return read_text(self.output_path) + read_text(self.error_path)

    def poll(self):
        """Returns whether the program has ended."""
        if self.exit_code is None:
            self._reap(os.WNOHANG)
        return self.exit_code is not None

    def _reap(self, flags):
        pid, status, usage = os.wait4(self.pid, flags)
        if pid == 0:
            return
        self.exit_code = self._process.returncode = os.waitstatus_to_exitcode(status)
        self.usage = usage

    def wait(self, seconds):
        """Waits for the end. Kills the program after the limit and returns False."""
        end = time.monotonic() + seconds
        pause = 0.0005
        while not self.poll():
            if time.monotonic() > end:
                self.kill()
                return False
            time.sleep(pause)
            pause = min(2 * pause, 0.01)
        return True

    def signal(self, number):
        if self.exit_code is None:
            os.kill(self.pid, number)

    def kill(self):
        """Signals all processes of the session."""
        for pid in self.tree():
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        if self.exit_code is None:
            self._reap(0)

    def tree(self):
        """Returns the live processes of the session, including orphans."""
        found = []
        for entry in os.listdir("/proc"):
            if not entry.isdigit():
                continue
            try:
                fields = read_text(f"/proc/{entry}/stat").rpartition(")")[2].split()
            except OSError:
                continue
            # state, parent, group, session
            if fields[0] != "Z" and int(fields[3]) == self.pid:
                found.append(int(entry))
        return found

    def cpu_seconds(self):
        """Returns the CPU time of the program and its children so far. Without a control group, ended children are
        missing while the program runs."""
        if self.group and self.group.path:
            return self.group.seconds()
        if self.usage:
            return self.usage.ru_utime + self.usage.ru_stime
        total = 0
        for pid in self.tree():
            for path in task_files(pid, "schedstat"):
                total += int(path.split()[0])
        return total / 1e9

    def peak_resident(self):
        """Returns the sum of the peak memory of all processes, in bytes. Call it while the program runs."""
        return sum(status_fields(pid).get("VmHWM", 0) * 1024 for pid in self.tree())

    def sleeps(self):
        """Returns the number of voluntary switches of its threads so far."""
        total = 0
        for pid in self.tree():
            for text in task_files(pid, "status"):
                fields = parse_status(text)
                total += fields.get("voluntary_ctxt_switches", 0)
        return total


def parse_status(text):
    fields = {}
    for line in text.splitlines():
        key, _, value = line.partition(":")
        words = value.split()
        if words and words[0].isdigit():
            fields[key] = int(words[0])
    return fields


def status_fields(pid):
    try:
        return parse_status(read_text(f"/proc/{pid}/status"))
    except OSError:
        return {}


def task_files(pid, name):
    try:
        tasks = os.listdir(f"/proc/{pid}/task")
    except OSError:
        return
    for task in tasks:
        try:
            yield read_text(f"/proc/{pid}/task/{task}/{name}")
        except OSError:
            continue
