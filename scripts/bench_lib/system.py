# SPDX-License-Identifier: BSD-2-Clause
"""Reads facts about the machine and changes two of its settings during a benchmark."""

import contextlib
import os
import platform
import subprocess

TRACEFS = "/sys/kernel/tracing"
BPF_STATS = "/proc/sys/kernel/bpf_stats_enabled"
TICKS = os.sysconf("SC_CLK_TCK")


def read_text(path):
    with open(path, encoding="utf-8", errors="replace") as file:
        return file.read()


def context_switches():
    """Returns the kernel's count of context switches since boot."""
    for line in read_text("/proc/stat").splitlines():
        if line.startswith("ctxt "):
            return int(line.split()[1])
    raise OSError("/proc/stat has no ctxt line")


def busy_seconds():
    """Returns the busy time of all CPUs, in precision of ticks."""
    fields = [int(field) for field in read_text("/proc/stat").split("\n", 1)[0].split()[1:9]]
    user, nice, system, _idle, _iowait, irq, softirq, steal = fields
    return (user + nice + system + irq + softirq + steal) / TICKS


def online_cpus():
    return sorted(os.sched_getaffinity(0))


def last_cpu():
    return online_cpus()[-1]


def mounts_of(kind):
    """Returns the mount points of this file system type."""
    fields = (line.split() for line in read_text("/proc/self/mounts").splitlines())
    return [mount for _, mount, found, *_ in fields if found == kind]


@contextlib.contextmanager
def tracefs():
    """Mounts tracefs if necessary, for perf and trace-cmd, and unmounts it afterwards. Yields None or an error."""
    if os.path.exists(os.path.join(TRACEFS, "events")):
        yield None
        return
    mounted = subprocess.run(["mount", "-t", "tracefs", "nodev", TRACEFS], capture_output=True, text=True, check=False)
    if mounted.returncode != 0:
        yield f"tracefs cannot be mounted at {TRACEFS}: {mounted.stderr.strip()}"
        return
    try:
        yield None
    finally:
        subprocess.run(["umount", TRACEFS], check=False, capture_output=True)


@contextlib.contextmanager
def bpf_statistics():
    """Enables the run times of BPF programs, which add two clock readings to each run."""
    before = read_text(BPF_STATS)
    with open(BPF_STATS, "w", encoding="utf-8") as file:
        file.write("1\n")
    try:
        yield
    finally:
        with open(BPF_STATS, "w", encoding="utf-8") as file:
            file.write(before)


def describe(root):
    """Describes the machine and the measured tree for later comparisons."""
    model = ""
    for line in read_text("/proc/cpuinfo").splitlines():
        if line.startswith("model name"):
            model = line.partition(":")[2].strip()
            break
    memory = int(read_text("/proc/meminfo").split()[1]) * 1024

    def git(*arguments):
        done = subprocess.run(["git", "-C", root, *arguments], capture_output=True, text=True, check=False)
        return done.stdout.strip() if done.returncode == 0 else ""

    return {"kernel": platform.release(), "machine": platform.machine(), "cpu_model": model,
            "cpus": len(online_cpus()), "memory_bytes": memory, "commit": git("rev-parse", "--short=12", "HEAD"),
            "changed_files": len(git("status", "--porcelain").splitlines())}
