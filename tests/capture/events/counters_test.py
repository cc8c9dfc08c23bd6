#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Holds --counters against getrusage and perf stat of the same process (root, BTF)."""

import json
import os
import shutil
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../support"))
import harness  # noqa: E402
from harness import FXT, RECORDER, run  # noqa: E402

# A pause of the machine between the readings of two counters is time of the thread.
ATTEMPTS = 5
COUNTERS = "task-clock,page-faults,minor-faults,context-switches,cpu-migrations"
# Prints the counts of its own thread between two sleeps, so both ends are at a switch.
PROGRAM = r"""
import json, mmap, os, resource, time
def numbers():
    usage = resource.getrusage(resource.RUSAGE_THREAD)
    return {"clock": time.clock_gettime_ns(time.CLOCK_THREAD_CPUTIME_ID), "minor": usage.ru_minflt,
            "major": usage.ru_majflt, "switches": usage.ru_nvcsw + usage.ru_nivcsw}
time.sleep(0.05)
begin = numbers()
for _ in range(5):
    with mmap.mmap(-1, 2 << 20) as memory:
        memory.madvise(mmap.MADV_NOHUGEPAGE)
        for page in range(0, 2 << 20, 4096):
            memory[page] = 1
    until = time.thread_time_ns() + 20_000_000
    while time.thread_time_ns() < until:
        pass
    time.sleep(0.001)
end = numbers()
time.sleep(0.05)
print(json.dumps({"pid": os.getpid(), **{name: end[name] - begin[name] for name in begin}}))
"""


@unittest.skipIf(harness.why_not_recordable(), harness.why_not_recordable())
class Counters(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = harness.class_folder(cls)

    def record(self, counters, *command, options=("--only-command",)):
        trace = os.path.join(self.folder, "trace.fxt")
        done = run(RECORDER, "-q", "--counters", counters, *options, "-o", trace, "--", *command)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(run(FXT, "check", trace).returncode, 0)
        dumped = run(FXT, "dump", "--json", "--type", "counter", "--category", "counter", trace)
        runs = [json.loads(line) for line in dumped.stdout.splitlines()]
        return done.stdout, trace, [(each["thread"]["thread"] % 2**22,
                                     {arg["name"]: arg["value"] for arg in each["args"]}) for each in runs]

    def test_runs_of_a_thread_add_up_to_getrusage(self):
        text, trace, runs = self.record(COUNTERS, sys.executable, "-I", "-S", "-c", PROGRAM, options=())
        truth = json.loads(text)
        mine = [counts for tid, counts in runs if tid == truth["pid"]]
        total = {name: sum(counts.get(name, 0) for counts in mine) for name in COUNTERS.split(",")}
        for counts in mine:
            self.assertNotIn("partial", counts)
            self.assertEqual(set(counts), set(COUNTERS.split(",")))
        # The runs include the start and the end of the program; its own counts do not.
        self.assertGreaterEqual(total["page-faults"], truth["minor"] + truth["major"])
        self.assertGreaterEqual(truth["minor"], 5 * 512)
        self.assertLess(total["page-faults"], truth["minor"] + truth["major"] + 3000)
        self.assertGreaterEqual(total["task-clock"], truth["clock"] * 0.99)
        self.assertGreaterEqual(len(mine), truth["switches"])
        info = json.loads(run(FXT, "info", "--json", trace).stdout)
        # Each run begins with one switch, and with one more after a switch that the kernel did not show.
        self.assertGreaterEqual(total["context-switches"], len(mine))
        self.assertLessEqual(total["context-switches"], len(mine) + info["unseen_switches"])
        if "counted" in info:
            everything = sum(counts.get("page-faults", 0) for _, counts in runs)
            self.assertEqual(info["counted"]["page-faults"], everything)

    @unittest.skipUnless(shutil.which("perf"), "needs perf")
    def test_a_command_matches_perf_stat(self):
        stat = os.path.join(self.folder, "stat")
        command = (sys.executable, "-I", "-S", "-c", PROGRAM)
        for _ in range(ATTEMPTS):
            _, _, runs = self.record("page-faults,task-clock", "perf", "stat", "-x,", "-e", "page-faults,task-clock", "-o",
                                     stat, "--", *command)
            with open(stat, encoding="ascii") as lines:
                fields = [line.split(",") for line in lines if "," in line]
            counted = {words[2]: float(words[0]) for words in fields}
            tids = {}
            for tid, counts in runs:
                faults, clock = tids.get(tid, (0, 0))
                tids[tid] = (faults + counts["page-faults"], clock + counts["task-clock"])
            # perf counts from exec on. The child has some counts before that.
            faults, clock = max(tids.values())
            self.assertGreaterEqual(faults, counted["page-faults"])
            self.assertLess(faults, counted["page-faults"] + 500)
            expected = counted["task-clock"] * (1e6 if counted["task-clock"] < 1e6 else 1)
            if expected * 0.97 < clock < expected * 1.25 + 20e6:
                return
        self.fail(f"{clock / 1e6} ms instead of {expected / 1e6}")

    def test_an_unavailable_counter_is_an_error(self):
        done = run(RECORDER, "--counters", "cycles", "-o", os.path.join(self.folder, "refused.fxt"), "--", "true")
        if done.returncode == 0:
            self.skipTest("this machine counts cycles")
        self.assertIn("counter cycles", done.stderr)
        self.assertIn("task-clock", done.stderr)

    def test_a_wrong_name_gets_a_suggestion(self):
        done = run(RECORDER, "--counters", "page-fualts", "-o", os.path.join(self.folder, "refused.fxt"), "--", "true")
        self.assertEqual(done.returncode, 2)
        self.assertIn("page-faults", done.stderr)

    def test_without_the_option_there_are_no_counters(self):
        trace = os.path.join(self.folder, "without.fxt")
        self.assertEqual(run(RECORDER, "-q", "-c", "all", "-o", trace, "--", "true").returncode, 0)
        self.assertEqual(run(FXT, "dump", "--category", "counter", trace).stdout, "")


if __name__ == "__main__":
    harness.main()
