#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Records a load with events of all categories on every CPU with default buffers: a million events per second, and no
loss (root, BTF). FXT_MIXED_SECONDS is the length."""

import json
import os
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../support"))
import harness  # noqa: E402
from harness import BUILD, DEADLINE_S, FXT, RECORDER, run  # noqa: E402

SECONDS = int(os.environ.get("FXT_MIXED_SECONDS", "10"))
RATE = 1_000_000
# Categories of the load on any machine. Other categories depend on the kernel.
EXPECTED = {"sched", "task", "softirq", "syscall", "stack", "signal", "timer", "net", "workqueue"}
NICE = -10  # other work on the machine would lower the rate


@unittest.skipIf(harness.why_not_recordable(), harness.why_not_recordable())
class Mixed(unittest.TestCase):
    def test_a_million_mixed_events_a_second_without_loss(self):
        with tempfile.TemporaryDirectory(dir=BUILD) as folder:
            data, trace, stats = (os.path.join(folder, name) for name in ("data", "trace.fxt", "stats.json"))
            with open(data, "wb") as file:
                file.write(os.urandom(1 << 20))
                os.fsync(file.fileno())
            run("nice", "-n", str(NICE), RECORDER, "-c", "all", "-o", trace, "--stats-json", stats, "--",
                os.path.join(BUILD, "bench/prices_load"), "mixed", str(SECONDS), data, ok=(0,), timeout=SECONDS + DEADLINE_S)
            with open(stats, encoding="utf-8") as file:
                counted = json.load(file)
            rate = counted["raw_events"] / counted["duration_ns"] * 1e9
            kinds = ", ".join(f"{count:,} {name}" for name, count in counted["events"].items())
            print(f"{counted['raw_events']:,} events, {rate:,.0f} a second: {kinds}; lost {counted['lost_events']:,}, the fullest "
                  f"ring was {counted['fullest_ring_percent']}% full", flush=True)
            self.assertEqual((counted["lost_events"], counted["dropped"]), (0, {}))
            self.assertLessEqual(EXPECTED, {name for name, count in counted["events"].items() if count})
            self.assertEqual(counted["kernel"]["recursion_misses"], 0)
            checked = run(FXT, "check", trace)
            self.assertEqual(checked.returncode, 0, checked.stdout[-2000:] + checked.stderr)
            if rate < RATE:
                self.skipTest(f"nothing was lost, but there were only {rate:,.0f} events a second: the machine is busy, or slow")


if __name__ == "__main__":
    harness.main()
