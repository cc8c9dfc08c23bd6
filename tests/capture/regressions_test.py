#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Two planted regressions and one comparison without a change, with three captures of one second a side; and
scripts/capture-ab with the recorder. Longer comparisons are in tests/regress/."""

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

sys.path[:0] = [os.path.join(os.path.dirname(os.path.abspath(__file__)), folder) for folder in ("../support", "../regress")]

import harness  # noqa: E402
from harness import BUILD, DEADLINE_S, FXT, RECORDER, ROOT  # noqa: E402
from judging import describe, diff, judge  # noqa: E402

# The load of the machine may change between the two sides of one comparison of three seconds, not of every one.
ATTEMPTS = 4


class Regressions(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        groups = json.loads(harness.read("tests/regress/expectations.json"))
        cls.expected = {name: entry for group in groups.values() for name, entry in group.items()}

    def compared(self, scenario, changed=("--slow",)):
        command = [os.path.join(BUILD, "tests/planted"), scenario, "--seconds", "1.2"]
        with tempfile.TemporaryDirectory() as folder:
            out = os.path.join(folder, "ab")
            subprocess.run([os.path.join(ROOT, "scripts/capture-ab"), "--quiet", "--no-warm-up", "--recorder",
                            RECORDER, "-d", "1s", "3", out, "--", *command, "---", *command,
                            *changed], check=True)
            return diff(FXT, [os.path.join(out, "base")], [os.path.join(out, "new")])

    def expect_cause(self, scenario):
        for _ in range(ATTEMPTS):
            judgement = judge(self.compared(scenario), self.expected[scenario])
            if judgement.good:
                return
        self.fail(f"{judgement.why}; at rank 1: {judgement.first}")

    def test_added_sleep(self):
        self.expect_cause("added_sleep")

    def test_more_forks(self):
        self.expect_cause("more_forks")

    def test_no_change_has_no_finding(self):
        for _ in range(ATTEMPTS):
            findings = [describe(finding) for finding in self.compared("doubled_work", changed=())["findings"]]
            if not findings:
                return
        self.fail(findings)


class CaptureAb(unittest.TestCase):
    """capture-ab with the recorder. tests/project/capture_ab_test.py has the tests without it."""

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory(prefix="capture ab ")
        self.addCleanup(self.folder.cleanup)
        self.out = os.path.join(self.folder.name, "a b")

    def command(self, captures, *commands):
        return [os.path.join(ROOT, "scripts/capture-ab"), "--no-warm-up", "--recorder",
                RECORDER, str(captures), self.out, "--", *commands]

    def diff(self):
        return diff(FXT, [os.path.join(self.out, "base")], [os.path.join(self.out, "new")])

    def recorders(self):
        """Returns the command lines of processes that still write below the folder."""
        found = []
        for path in pathlib.Path("/proc").glob("[0-9]*/cmdline"):
            try:
                words = path.read_bytes()
            except OSError:
                continue
            if self.out.encode() in words:
                found.append(words)
        return found

    def test_captures_before_ctrl_c_are_compared(self):
        third = os.path.join(self.out, "base/03.fxt")
        # The third one lasts until the signal.
        script = 'if [ -e "$0" ]; then exec sleep 300; fi; exec sleep 0.3'
        process = subprocess.Popen(self.command(9, "sh", "-c", script, third, "---", "sh", "-c", script, third),
                                   start_new_session=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                                   preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
        while not os.path.exists(third) and process.poll() is None:
            time.sleep(0.01)
        os.killpg(process.pid, signal.SIGINT)
        _, said = process.communicate(timeout=DEADLINE_S)
        self.assertEqual(process.returncode, 130, said)
        self.assertEqual(self.recorders(), [])
        self.assertFalse(os.path.exists(third))
        result = self.diff()
        self.assertEqual((result["base"]["captures"], result["new"]["captures"]), (2, 2))
        self.assertEqual(result["findings"], [])

    def test_short_commands(self):
        for attempt in range(ATTEMPTS):
            self.out = os.path.join(self.folder.name, f"a b{attempt}")
            subprocess.run(self.command(3, "true", "---", "true"), check=True, stdout=subprocess.DEVNULL)
            result = self.diff()
            self.assertTrue(result["per_run"])
            if not result["findings"]:
                return
        self.fail([describe(finding) for finding in result["findings"]])

    def test_a_missing_command(self):
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
    harness.skip_unless_recordable()
    harness.main()
