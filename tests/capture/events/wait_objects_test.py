#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""What threads slept for, held against a program that knows it of each of its waits (root, BTF)."""

import collections
import json
import os
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../support"))
import harness  # noqa: E402
from harness import BUILD, RECORDER  # noqa: E402

PROGRAM = os.path.join(BUILD, "tests", "waiting")
COUNT = int(os.environ.get("FXT_WAITS", "40"))
# ns; the program's waits take 400 us, but the disk may be faster.
KEPT = 100_000
# On a busy machine a waiter may come after its event: then it does not sleep.
LEAST_SEEN = 0.25

Expected = collections.namedtuple("Expected", "kind tid syscall object_kind object peer asked count")


def matches(expected, row):
    """Returns whether a row says nothing that differs from what the program knows."""
    if row["object_kind"] != expected.object_kind:
        return False
    if ".." in expected.object:
        begin, end = (int(address, 16) for address in expected.object.split(".."))
        if not begin <= int(row["object"], 16) < end:
            return False
    elif (row["object"] or "") != expected.object:
        return False
    if row["peer"] is not None and row["peer"] != expected.peer:
        return False
    return row["asked"] is None and expected.asked < 0 or row["asked"] == expected.asked


@unittest.skipIf(harness.why_not_recordable(), harness.why_not_recordable())
class WaitObjects(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = harness.class_folder(cls, dir="/var/tmp")
        cls.trace = os.path.join(folder, "waits.fxt")
        done = harness.run(RECORDER, "-q", "-c", "sched,task,wait", "-o", cls.trace, "--", PROGRAM, str(COUNT), folder, ok=(0,))
        cls.expected = collections.defaultdict(list)
        for line in done.stdout.splitlines():
            kind, tid, syscall, object_kind, name, peer, asked, count = line.split("\t")
            cls.expected[kind].append(Expected(kind, int(tid), syscall, object_kind, name, int(peer), int(asked), int(count)))
        rows = json.loads(harness.fxt(
            "query", "--json", cls.trace,
            "SELECT tid, syscall, object_kind, object, peer, asked, length, kind, state FROM waits WHERE kind IN "
            f"('sleep', 'blocked', 'stopped') AND ended = 'seen' AND began = 'seen' AND length >= {KEPT} ORDER BY ts"))
        cls.rows = collections.defaultdict(list)
        for row in rows:
            cls.rows[row["tid"]].append(row)

    def test_each_wait_is_for_what_the_program_knows(self):
        for kind, expected in self.expected.items():
            with self.subTest(kind):
                tid = expected[0].tid
                stopped = expected[0].object_kind in ("stop", "tracer")
                # A thread may be stopped before it is in the call again.
                rows = [row for row in self.rows[tid] if (row["kind"] == "stopped") == stopped
                        and (stopped or row["syscall"] == expected[0].syscall)]
                total = sum(each.count for each in expected)
                if kind == "fsync":
                    rows = [row for row in rows if row["kind"] == "blocked"]
                else:
                    self.assertGreaterEqual(len(rows), LEAST_SEEN * total, self.rows[tid][:5])
                if len(expected) == 1:
                    wrong = [row for row in rows if not matches(expected[0], row)]
                else:
                    # Each wait has an expectation of its own; those that were too short are missing.
                    following = iter(expected)
                    wrong = [row for row in rows if not any(matches(each, row) for each in following)]
                print(f"{kind}: {total} waits, {len(rows)} of {KEPT // 1000} us and more, {len(wrong)} wrong, "
                      f"{sum(row['peer'] is not None for row in rows)} with a peer", file=sys.stderr)
                self.assertEqual(wrong, [], expected[0])
                if expected[0].peer:
                    self.assertGreaterEqual(sum(row["peer"] is not None for row in rows), 0.9 * len(rows))

    def test_sleeps_of_the_program_have_a_call(self):
        """Counts the sleeps that are not described, among all that are long enough."""
        tids = {each.tid for expected in self.expected.values() for each in expected}
        sleeps = [row for tid in tids for row in self.rows[tid]]
        nameless = [row for row in sleeps if row["syscall"] is None and row["kind"] == "sleep"]
        self.assertLessEqual(len(nameless), len(sleeps) // 100, nameless[:3])


if __name__ == "__main__":
    harness.main()
