#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""From a command to a verdict: two planted regressions and one comparison of the same, three captures of one
second a side; and scripts/capture-ab as people use it. What takes longer is in tests/regress/."""

import argparse
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time
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


class CaptureAb(unittest.TestCase):
    """With the recorder; what needs none is in tests/project/capture_ab_test.py."""

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory(prefix="capture ab ")
        self.addCleanup(self.folder.cleanup)
        self.out = os.path.join(self.folder.name, "a b")

    def command(self, captures, *commands):
        return [os.path.join(ROOT, "scripts/capture-ab"), "--no-warm-up", "--recorder",
                os.path.join(BUILD, "fxt-record"), str(captures), self.out, "--", *commands]

    def diff(self):
        return diff(os.path.join(BUILD, "fxt"), [os.path.join(self.out, "base")], [os.path.join(self.out, "new")])

    def recorders(self):
        """Processes that still write below the folder."""
        found = []
        for path in pathlib.Path("/proc").glob("[0-9]*/cmdline"):
            try:
                words = path.read_bytes()
            except OSError:
                continue
            if self.out.encode() in words:
                found.append(words)
        return found

    def test_what_was_captured_before_ctrl_c_is_compared(self):
        process = subprocess.Popen(self.command(9, "sleep", "0.3", "---", "sleep", "0.3"), start_new_session=True,
                                   stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                                   preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
        third = os.path.join(self.out, "base/03.fxt")
        while not os.path.exists(third) and process.poll() is None:
            time.sleep(0.01)
        os.killpg(process.pid, signal.SIGINT)
        _, said = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 130, said)
        self.assertEqual(self.recorders(), [])
        self.assertFalse(os.path.exists(third))
        result = self.diff()
        self.assertEqual((result["base"]["captures"], result["new"]["captures"]), (2, 2))
        self.assertEqual(result["findings"], [])

    def test_commands_that_end_at_once(self):
        subprocess.run(self.command(3, "true", "---", "true"), check=True, stdout=subprocess.DEVNULL)
        result = self.diff()
        self.assertTrue(result["per_run"])
        self.assertEqual([describe(finding) for finding in result["findings"]], [])

    def test_a_command_that_is_not_there(self):
        done = subprocess.run(self.command(3, "true", "---", "/no/such/program"), capture_output=True, text=True,
                              check=False)
        self.assertEqual(done.returncode, 1)
        self.assertIn("/no/such/program", done.stderr)
        self.assertEqual(os.listdir(self.out), ["base"])

    @unittest.skipUnless(shutil.which("setpriv"), "no setpriv")
    def test_without_root(self):
        os.chmod(self.folder.name, 0o777)
        done = subprocess.run(["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups",
                               *self.command(1, "true", "---", "true")], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 1)
        self.assertIn("error: ", done.stderr)
        self.assertFalse(os.path.exists(self.out))


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", default=BUILD)
    options, rest = parser.parse_known_args()
    BUILD = os.path.abspath(options.build)
    skip_unless_recordable(BUILD)
    unittest.main(argv=[sys.argv[0], *rest])
