#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Waits of threads whose cgroup has used up its quota, against the group's own statistics (root, BTF, the cpu
controller)."""

import json
import os
import subprocess
import sys
import time
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../support"))
import cgroup  # noqa: E402
import harness  # noqa: E402
from harness import RECORDER  # noqa: E402

QUOTA_US, PERIOD_US = 30_000, 100_000
SECONDS = 2.0
# A pause of the machine at the begin or end of a wait is counted by one of the two.
ATTEMPTS = 5


def why_not():
    return harness.why_not_recordable() or cgroup.why_no_quota()


def load(folder):
    """The recorded program: joins the group and computes for a while."""
    with open(os.path.join(folder, "cgroup.procs"), "w", encoding="ascii") as file:
        file.write(str(os.getpid()))
    end = time.monotonic() + SECONDS
    while time.monotonic() < end:
        pass


@unittest.skipIf(why_not(), why_not())
class Throttled(unittest.TestCase):
    def setUp(self):
        self.outer = cgroup.Group(f"fxr-outer-{os.getpid()}")
        self.addCleanup(self.outer.remove)
        self.inner = cgroup.Group(f"fxr-outer-{os.getpid()}/inner")
        self.addCleanup(self.inner.remove)
        self.outer.weigh_most()

    def record(self, limited):
        """Records the load in the inner group. Returns the trace and what the kernel counted."""
        limited.limit(QUOTA_US, PERIOD_US)
        trace = os.path.join(harness.class_folder(self, dir="/var/tmp"), "throttled.fxt")
        before = limited.throttled_ns()
        harness.run(RECORDER, "-q", "-o", trace, "--", sys.executable, os.path.abspath(__file__), "load",
                    self.inner.folder, ok=(0,))
        return trace, limited.throttled_ns() - before

    def ask(self, trace, query):
        return json.loads(harness.fxt("query", "--json", trace, query))

    def judge(self, trace, counted, limited):
        waits = self.ask(trace, "SELECT tid, length, throttled_by FROM waits WHERE kind = 'throttled' AND ended = 'seen'")
        self.assertGreater(len(waits), SECONDS * 1e6 / PERIOD_US / 3)
        self.assertEqual({wait["throttled_by"] for wait in waits}, {limited.path})
        total = sum(wait["length"] for wait in waits)
        print(f"throttled: {total / 1e6:.1f} ms in {len(waits)} waits, cpu.stat {counted / 1e6:.1f} ms", file=sys.stderr)
        self.assertLess(abs(total - counted), 0.01 * counted)
        # The parts of a wait follow each other without a gap.
        [seen] = self.ask(trace, "SELECT count(*) AS parts FROM waits a JOIN waits b ON a.koid = b.koid AND "
                          "a.ts + a.length = b.ts WHERE a.kind = 'throttled' AND a.ended = 'seen' AND "
                          "b.kind = 'preempted'")
        self.assertEqual(seen["parts"], len(waits))
        return waits

    @harness.in_one_of(ATTEMPTS)
    def test_one_thread_alone(self):
        trace, counted = self.record(self.inner)
        waits = self.judge(trace, counted, self.inner)
        report = json.loads(harness.fxt("report", "--json", trace))
        shares = sum(group["share_ns"]["throttled"] for group in report["groups"])
        self.assertAlmostEqual(shares, sum(wait["length"] for wait in waits), delta=PERIOD_US * 1000)
        limits = [limit for group in report["groups"] for limit in group["throttled_by"]]
        self.assertTrue(limits)
        for limit in limits:
            self.assertEqual((limit["cgroup"], limit["quota_ns"], limit["period_ns"]),
                             (self.inner.path, QUOTA_US * 1000, PERIOD_US * 1000))
        self.assertIn(f"its cgroup {self.inner.path} may use 30 ms of each 100 ms", harness.fxt("report", trace))
        harness.fxt("check", trace)

    @harness.in_one_of(ATTEMPTS)
    def test_group_up_the_tree_beside_busy_loops(self):
        busy = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(os.cpu_count())]
        try:
            trace, counted = self.record(self.outer)
        finally:
            for process in busy:
                process.kill()
                process.wait()
        self.judge(trace, counted, self.outer)


if __name__ == "__main__":
    if sys.argv[1:2] == ["load"]:
        load(sys.argv[2])
    else:
        harness.main()
