#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""From a command to a verdict: two planted regressions and one comparison of the same, three captures of one
second a side. What takes longer is in tests/regress/."""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path[:0] = [os.path.join(ROOT, folder) for folder in ("tests/regress", "tests/viewer")]

from capture import skip_unless_recordable  # noqa: E402
from judging import describe, diff, judge  # noqa: E402

BUILD = os.path.join(ROOT, "build")


class Regressions(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        with open(os.path.join(ROOT, "tests/regress/expectations.json"), encoding="utf-8") as file:
            cls.expected = json.load(file)["planted"]

    def compared(self, scenario, changed=("--slow",)):
        command = [os.path.join(BUILD, "tests/planted"), scenario, "--seconds", "1.2"]
        with tempfile.TemporaryDirectory() as folder:
            out = os.path.join(folder, "ab")
            subprocess.run([os.path.join(ROOT, "scripts/capture-ab"), "--quiet", "--no-warm-up", "--recorder",
                            os.path.join(BUILD, "fxt-record"), "-d", "1s", "3", out, "--", *command, "---", *command,
                            *changed], check=True)
            return diff(os.path.join(BUILD, "fxt"), [os.path.join(out, "base")], [os.path.join(out, "new")])

    def expect_cause(self, scenario):
        judgement = judge(self.compared(scenario), self.expected[scenario])
        self.assertTrue(judgement.good, f"{judgement.why}; at rank 1: {judgement.first}")

    def test_added_sleep(self):
        self.expect_cause("added_sleep")

    def test_more_forks(self):
        self.expect_cause("more_forks")

    def test_nothing(self):
        result = self.compared("doubled_work", changed=())
        self.assertEqual([describe(finding) for finding in result["findings"]], [])


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", default=BUILD)
    options, rest = parser.parse_known_args()
    BUILD = os.path.abspath(options.build)
    skip_unless_recordable(BUILD)
    unittest.main(argv=[sys.argv[0], *rest])
