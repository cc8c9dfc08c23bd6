#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Compares the recorded objects of waits with a program that knows the object of each of its waits (root, BTF)."""

import os
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../support"))
import harness  # noqa: E402
import wait_truth  # noqa: E402
from harness import BUILD, FXT, RECORDER  # noqa: E402

COUNT = int(os.environ.get("FXT_WAITS", "40"))


@unittest.skipIf(harness.why_not_recordable(), harness.why_not_recordable())
class WaitObjects(unittest.TestCase):
    def test_each_wait_is_for_what_the_program_knows(self):
        folder = harness.class_folder(type(self), dir="/var/tmp")
        for name, found, skipped in wait_truth.run(COUNT, folder, BUILD, RECORDER, FXT):
            wait_truth.show(found, skipped, sys.stderr)
            self.assertTrue(found)
            for kind, count in found.items():
                with self.subTest(f"{name}: {kind}"):
                    self.assertEqual(count.wrong, 0, count.examples)
                    # packet_wakers_test.py has the cases in which wakers are unknown.
                    if name == "exchanges":
                        continue
                    # A machine that is busy misses some, and of some kinds keeps few.
                    self.assertGreaterEqual(count.right, 0.9 * count.kept - 2, count.examples)


if __name__ == "__main__":
    harness.main()
