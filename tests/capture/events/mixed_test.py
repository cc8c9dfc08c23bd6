#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Records all categories of a load that does a bit of everything on every CPU, with the buffers that there are by
default, and wants every event of a million a second (root, BTF). FXT_MIXED_SECONDS is how long."""

import json
import os
import subprocess
import sys
import tempfile
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
BUILD = os.path.abspath(os.environ.get("BUILD", os.path.join(ROOT, "build")))
SECONDS = int(os.environ.get("FXT_MIXED_SECONDS", "10"))
RATE = 1_000_000
# That the load has on any machine; others by what its kernel has.
EXPECTED = {"sched", "task", "softirq", "syscall", "stack", "signal", "timer", "net", "workqueue"}
NICE = -10  # beside other work there are fewer events, and so nothing to show


def why_not():
    if os.geteuid() != 0:
        return "needs root"
    if not os.path.exists("/sys/kernel/btf/vmlinux"):
        return "this kernel has no type information"
    return None


@unittest.skipIf(why_not(), why_not())
class Mixed(unittest.TestCase):
    def test_nothing_of_a_million_mixed_events_a_second_is_lost(self):
        with tempfile.TemporaryDirectory(dir=BUILD) as folder:
            data, trace, stats = (os.path.join(folder, name) for name in ("data", "trace.fxt", "stats.json"))
            with open(data, "wb") as file:
                file.write(os.urandom(1 << 20))
                os.fsync(file.fileno())
            done = subprocess.run(
                ["nice", "-n", str(NICE), os.path.join(BUILD, "fxt-record"), "-c", "all", "-o", trace, "--stats-json", stats,
                 "--", os.path.join(BUILD, "bench/prices_load"), "mixed", str(SECONDS), data],
                capture_output=True, text=True, check=False, timeout=SECONDS + 120)
            self.assertEqual(done.returncode, 0, done.stderr)
            with open(stats, encoding="utf-8") as file:
                said = json.load(file)
            rate = said["raw_events"] / said["duration_ns"] * 1e9
            kinds = ", ".join(f"{count:,} {name}" for name, count in said["events"].items())
            print(f"{said['raw_events']:,} events, {rate:,.0f} a second: {kinds}; lost {said['lost_events']:,}, the fullest "
                  f"ring was {said['fullest_ring_percent']}% full", flush=True)
            self.assertEqual((said["lost_events"], said["dropped"]), (0, {}))
            self.assertLessEqual(EXPECTED, {name for name, count in said["events"].items() if count})
            self.assertEqual(said["kernel"]["recursion_misses"], 0)
            checked = subprocess.run([os.path.join(BUILD, "fxt"), "check", trace], capture_output=True, text=True, check=False)
            self.assertEqual(checked.returncode, 0, checked.stdout[-2000:] + checked.stderr)
            if rate < RATE:
                self.skipTest(f"nothing was lost, but there were only {rate:,.0f} events a second: the machine is busy, or slow")


if __name__ == "__main__":
    sys.exit(unittest.main(verbosity=2))
