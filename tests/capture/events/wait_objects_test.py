#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""What threads slept for, held against a program that knows it of each of its waits (root, BTF)."""

import os
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../support"))
import harness  # noqa: E402
import wait_truth  # noqa: E402
from harness import BUILD, FXT, RECORDER  # noqa: E402

PROGRAM = os.path.join(BUILD, "tests", "waiting")
COUNT = int(os.environ.get("FXT_WAITS", "40"))


@unittest.skipIf(harness.why_not_recordable(), harness.why_not_recordable())
class WaitObjects(unittest.TestCase):
    def record(self, *command, categories):
        trace = os.path.join(harness.class_folder(type(self), dir="/var/tmp"), "waits.fxt")
        done = harness.run(RECORDER, "-q", "-c", categories, "-o", trace, "--", PROGRAM, *command, ok=(0,))
        return trace, done.stdout

    def test_each_wait_is_for_what_the_program_knows(self):
        folder = harness.class_folder(type(self), dir="/var/tmp")
        for subject in wait_truth.SUBJECTS:
            trace, output = self.record(subject, str(COUNT), folder, categories="sched,task,wait,block,fault")
            found, skipped = wait_truth.tally(FXT, trace, output)
            wait_truth.show(found, skipped, sys.stderr)
            self.assertTrue(found)
            for kind, count in found.items():
                with self.subTest(kind):
                    self.assertEqual(count.wrong, 0, count.examples)
                    # A machine that is busy misses some of few.
                    self.assertGreaterEqual(count.right, 0.9 * count.kept, count.examples)


if __name__ == "__main__":
    harness.main()
