#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Holds unwound user stacks against the C library's own unwinder and a program's own clock (root, BTF)."""

import collections
import json
import os
import shutil
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
import harness  # noqa: E402
from harness import BUILD, FXT, RECORDER, run  # noqa: E402

NAPS = ("nap_three", "nap_five", "nap_short")
TIMES = 40
PRINTED = 8  # stacks
# Something else may run between the end of a sleep and the program's reading of the clock, or before a sleep until that is
# no longer needed; one sleep in a thousand has no stack; and a recorder that is late knows a mapping later.
ATTEMPTS = 5


def why_not():
    if os.uname().machine not in ("x86_64", "aarch64"):
        return "stacks of this machine are not unwound by tables"
    return harness.why_not_recordable()


@unittest.skipIf(why_not(), why_not())
class Unwound(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = harness.class_folder(cls)

    def record(self, name, program, *words):
        trace = os.path.join(self.folder, name + ".fxt")
        done = run(RECORDER, "-q", "-c", "default,stack:off", "--only-command", "-o", trace, "--", program, *words, ok=(0,))
        return trace, done.stdout.splitlines()

    def folded(self, trace):
        found = collections.Counter()
        for line in harness.fxt("flame", "--format", "folded", trace, "-o", "-").splitlines():
            text, count = line.rsplit(" ", 1)
            for name in set(text.split(";")) & set(NAPS):
                found[name] += int(count) * 1000
        return found

    def found_stacks(self, trace, lines):
        """The numbers of the stacks that the program printed and that are in the trace."""
        recorded = [[int(str(frame), 0) for frame in json.loads(line)["frames"]]
                    for line in run(FXT, "dump", "--json", "--type", "backtrace", trace, ok=(0,)).stdout.splitlines()]
        user = [[frame for frame in frames if frame >> 63 == 0] for frames in recorded]
        printed = [[int(word, 16) for word in line.split()[1:]] for line in lines if line.startswith("stack")]
        self.assertEqual(len(printed), PRINTED)
        for frames in printed:
            self.assertGreaterEqual(len(frames), 2)
        return {number for number, frames in enumerate(printed) if any(stack[-len(frames):] == frames for stack in user)}

    def are_whole(self, trace):
        """Nearly all stacks are complete: those of a program's first moments are unwound before its mappings are known."""
        ends = self.ends(trace)
        return ends["entry"] > 40 and ends["entry"] >= 0.9 * sum(ends.values())

    def check_program(self, name, program, *command, has_names=True):
        """In one of some recordings each: each stack that the program printed is there, each of two functions sleeps as long as
        by its own clock, and nearly all stacks are complete."""
        absent, naps, whole = set(range(PRINTED)), set(NAPS[:2] if has_names else ()), False
        for attempt in range(ATTEMPTS):
            trace, lines = self.record(f"{name}{attempt}", program, *command, str(TIMES))
            absent -= self.found_stacks(trace, lines)
            whole |= self.are_whole(trace)
            truth = {words[0]: int(words[1]) for words in (line.split() for line in lines) if words[0] in NAPS}
            found = self.folded(trace)
            # The other sleeps of the program are those of nap_short.
            errors = {nap: found[nap] / truth[nap] - 1 for nap in naps}
            naps = {nap for nap, error in errors.items() if abs(error) > 0.03}
            if not absent and not naps and whole:
                return
        self.fail(f"absent: stacks {absent} of {lines}; off by these shares: {errors}; ends {self.ends(trace)}")

    def test_with_the_distributions_libc(self):
        self.check_program("dynamic", os.path.join(BUILD, "tests", "unwound"))

    def test_static(self):
        self.check_program("static", os.path.join(BUILD, "tests", "unwound_static"))

    def test_stripped(self):
        program = os.path.join(self.folder, "unwound_stripped")
        if not shutil.which("strip"):
            self.skipTest("no strip")
        subprocess.run(["strip", "-o", program, os.path.join(BUILD, "tests", "unwound")], check=True)
        self.check_program("stripped", program, has_names=False)

    def test_a_program_of_the_distribution(self):
        """The caller of a sleep of an interpreter without frame pointers is found, down to its entry."""
        python = "/usr/bin/python3"
        if not os.path.exists(python):
            self.skipTest("no /usr/bin/python3")
        for _ in range(ATTEMPTS):
            trace, _ = self.record("python", python, "-c", "import time\ntime.sleep(0.3)\nfor _ in range(60): time.sleep(0.002)")
            if self.are_whole(trace):
                return
        self.fail(self.ends(trace))

    def ends(self, trace):
        return collections.Counter(end for (end,) in harness.query(
            trace, "SELECT json_extract(args, '$.end') FROM instants WHERE category = 'stack' AND name = 'off'"))

    def test_a_sleep_while_a_program_is_executed(self):
        """The old program's stack is gone and the new one has none yet: such a stack ends at the entry."""
        trace = os.path.join(self.folder, "executed.fxt")
        run(RECORDER, "-q", "-c", "default,stack:off", "--stack-min", "1us", "--only-command", "-o", trace, "--",
            "/bin/sh", "-c", "i=0; while [ $i -lt 200 ]; do /bin/true; i=$((i+1)); done", ok=(0,))
        ends = self.ends(trace)
        self.assertGreater(ends["entry"], 200)
        self.assertEqual(ends[None], 0, ends)

    @harness.in_one_of(ATTEMPTS)
    def test_a_short_program(self):
        """The tables of the recorded program are there before it starts, and its mappings are found when it sleeps."""
        for _ in range(3):
            trace, _ = self.record("short", "/bin/sh", "-c", "/bin/sleep 0.001; /bin/sleep 0.001")
            ends = self.ends(trace)
            # Stacks of the shell, which waits; the first run of sleep may be new.
            self.assertGreater(ends["entry"], 0)
            self.assertLessEqual(ends["new"], 1 + sum(ends.values()) // 2)
        trace, _ = self.record("alone", os.path.join(BUILD, "tests", "unwound"), "2")
        ends = self.ends(trace)
        self.assertEqual(ends["new"], 0, ends)
        self.assertGreater(ends["entry"], 10)

    @harness.in_one_of(ATTEMPTS)
    def test_programs_that_were_seen_before(self):
        """Processes of a known program have complete stacks from their first sleep on."""
        program = os.path.join(BUILD, "tests", "unwound")
        trace, _ = self.record("again", "/bin/sh", "-c", f"{program} 30 >/dev/null; for i in 1 2 3 4 5 6 7 8; do {program} 1; done")
        processes = collections.defaultdict(collections.Counter)
        for process, end in harness.query(
                trace, "SELECT pid, json_extract(args, '$.end') FROM instants WHERE category = 'stack' AND name = 'off' "
                       "AND process = 'unwound' ORDER BY ts"):
            processes[process][end] += 1
        later = list(processes.values())[1:]
        self.assertEqual(len(later), 8)
        for ends in later:
            self.assertEqual(ends["new"], 0, ends)
            self.assertGreater(ends["entry"], 4)

    def test_a_program_without_a_file(self):
        """The table of an executable in memory comes from the mapping itself."""
        script = ("import os, sys\n"
                  "fd = os.memfd_create('unwound')\n"
                  "os.write(fd, open(sys.argv[1], 'rb').read())\n"
                  "os.execv(f'/proc/self/fd/{fd}', ['unwound', sys.argv[2]])")
        self.check_program("memory", sys.executable, "-c", script, os.path.join(BUILD, "tests", "unwound"), has_names=False)

    def test_totals_count_what_ends_early(self):
        trace = os.path.join(self.folder, "totals.fxt")
        done = run(RECORDER, "-c", "default,stack:off", "--only-command", "-o", trace, "--",
                   os.path.join(BUILD, "tests", "unwound"), "2", ok=(0,))
        self.assertRegex(done.stderr, r"user stacks (are complete|end early: )")
        self.assertRegex(done.stderr, r"unwind tables of \d+ files took .* \(at most 32")
        self.assertRegex(harness.fxt("info", trace), r"(?m)^stacks +\d+(, all complete| of \d+ end early)$")


if __name__ == "__main__":
    harness.main()
