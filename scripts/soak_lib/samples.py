# SPDX-License-Identifier: BSD-2-Clause
"""Samples the resources of a process over time and checks for growth."""

import argparse
import os
import re
import time

WARM_UP_S = 60  # the reference is the state after a minute
GROWTH_ALLOWED_KIB = 4096


def duration(text):
    match = re.fullmatch(r"(\d+)(s|m|h)?", text)
    if not match or int(match[1]) == 0:
        raise argparse.ArgumentTypeError(f"{text} is not a duration such as 90s, 30m or 2h")
    return int(match[1]) * {"s": 1, "m": 60, "h": 3600, None: 1}[match[2]]


def look_at(pid, begin, load):
    """Returns a sample, or None if the process has ended."""
    try:
        with open(f"/proc/{pid}/status", encoding="utf-8") as file:
            status = dict(line.rstrip("\n").split(":\t", 1) for line in file if ":\t" in line)
        with open(f"/proc/{pid}/stat", encoding="utf-8") as file:
            fields = file.read().rpartition(")")[2].split()
        descriptors = len(os.listdir(f"/proc/{pid}/fd"))
    except (OSError, ValueError):
        return None
    if "VmRSS" not in status:
        return None
    kib = {key: int(status[key].split()[0]) for key in ("VmRSS", "RssAnon", "VmHWM")}
    return {"at_s": round(time.monotonic() - begin, 1), "rss_kib": kib["VmRSS"], "anonymous_kib": kib["RssAnon"],
            "peak_kib": kib["VmHWM"], "descriptors": descriptors, "threads": int(status["Threads"]),
            "cpu_s": (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK"),
            "phase": "rest" if load.resting else "load"}


def describe(sample):
    return (f"{sample['at_s'] / 60:5.1f} min  {sample['phase']}  memory {sample['rss_kib'] / 1024:.1f} MiB "
            f"(own {sample['anonymous_kib'] / 1024:.1f}, peak {sample['peak_kib'] / 1024:.1f})  "
            f"descriptors {sample['descriptors']}  threads {sample['threads']}  CPU {sample['cpu_s']:.1f} s")


def verdict(samples):
    """Returns the growing figures as text. The first minute is a warm-up."""
    steady = [sample for sample in samples if sample["at_s"] >= min(WARM_UP_S, samples[-1]["at_s"] / 2)]
    third = max(1, len(steady) // 3)
    problems = []
    for key, allowed in (("rss_kib", GROWTH_ALLOWED_KIB), ("anonymous_kib", GROWTH_ALLOWED_KIB),
                         ("descriptors", 0), ("threads", 0)):
        first, last = (max(sample[key] for sample in part) for part in (steady[:third], steady[-third:]))
        if last > first + allowed:
            problems.append(f"{key} grew from {first} to {last}")
    return problems
