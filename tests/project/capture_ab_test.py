#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""scripts/capture-ab, with a recorder that only notes what it was asked for."""

import os
import signal
import subprocess
import tempfile
import time
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SCRIPT = os.path.join(ROOT, "scripts/capture-ab")
# Writes its arguments into the file behind --output, and runs the command behind --.
RECORDER = """#!/bin/sh
all=$*
while [ "$1" != -- ]; do
  [ "$1" != --output ] || out=$2
  shift
done
shift
echo "$all" >"$out"
echo "$all" >>"$LOG"
[ -z "$SAY" ] || echo "$SAY"
exec "$@"
"""


class CaptureAb(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.out = os.path.join(self.folder.name, "out")
        self.log = os.path.join(self.folder.name, "log")
        self.recorder = os.path.join(self.folder.name, "recorder")
        with open(self.recorder, "w", encoding="utf-8") as file:
            file.write(RECORDER)
        os.chmod(self.recorder, 0o755)

    def run_script(self, *arguments, say=""):
        return subprocess.run([SCRIPT, "--recorder", self.recorder, *arguments], capture_output=True, text=True,
                              env={**os.environ, "LOG": self.log, "SAY": say}, check=False)

    def recorded(self):
        """What was recorded, in order: side/number.fxt; of a warm-up its name only."""
        with open(self.log, encoding="utf-8") as file:
            outputs = [line.split("--output ")[1].split()[0] for line in file]
        return [os.path.relpath(path, self.out) if path.startswith(self.out) else os.path.basename(path)
                for path in outputs]

    def test_sides_take_turns_behind_a_warm_up(self):
        done = self.run_script("3", self.out, "--", "true", "old", "---", "true", "new")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.recorded(), ["warm-up.fxt", "warm-up.fxt", "base/01.fxt", "new/01.fxt", "new/02.fxt",
                                           "base/02.fxt", "base/03.fxt", "new/03.fxt"])
        with open(os.path.join(self.out, "new/02.fxt"), encoding="utf-8") as file:
            self.assertTrue(file.read().endswith("-- true new\n"))
        self.assertIn(f"fxt diff {self.out}/base {self.out}/new", done.stdout)

    def test_options_are_handed_on(self):
        done = self.run_script("-d", "3s", "--record-args", "-c default,irq", "--no-warm-up", "1", self.out,
                               "--", "true", "--", "-d", "---", "true")
        self.assertEqual(done.returncode, 0, done.stderr)
        with open(os.path.join(self.out, "base/01.fxt"), encoding="utf-8") as file:
            self.assertIn(" -c default,irq --duration 3s -- true -- -d\n", file.read())
        self.assertEqual(len(self.recorded()), 2)

    def test_options_that_begin_with_a_dash(self):
        done = self.run_script("--record-args", "-z", "1", self.out, "--", "true", "---", "true")
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_nothing_is_overwritten(self):
        os.makedirs(os.path.join(self.out, "base"))
        done = self.run_script("1", self.out, "--", "true", "---", "true")
        self.assertEqual(done.returncode, 1)
        self.assertIn("is not empty", done.stderr)
        self.assertFalse(os.path.exists(self.log))

    def test_a_command_that_fails_ends_it(self):
        done = self.run_script("2", self.out, "--", "true", "---", "sh", "-c", "echo no such table; exit 3")
        self.assertEqual(done.returncode, 1)
        self.assertIn("no such table", done.stderr)
        self.assertIn("the command of the new side ended with status 3", done.stderr)
        kept = os.path.join(self.out, "kept")
        done = self.run_script("--ignore-exit-status", "1", kept, "--", "true", "---", "false")
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_interrupted(self):
        process = subprocess.Popen([SCRIPT, "--recorder", self.recorder, "--no-warm-up", "1", self.out, "--", "true",
                                    "---", "sleep", "60"], env={**os.environ, "LOG": self.log, "SAY": ""},
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True,
                                   # Who runs tests in the background may have it ignored.
                                   preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
        new = os.path.join(self.out, "new/01.fxt")
        while not os.path.exists(new) and process.poll() is None:
            time.sleep(0.01)
        os.killpg(process.pid, signal.SIGINT)
        _, said = process.communicate(timeout=30)
        self.assertEqual(process.returncode, 130)
        self.assertIn("interrupted", said)
        self.assertTrue(os.path.exists(os.path.join(self.out, "base/01.fxt")))
        self.assertFalse(os.path.exists(new))

    def test_losses_are_shown(self):
        done = self.run_script("1", self.out, "--", "true", "---", "true", say="fxt-record: LOST 7 events")
        self.assertEqual(done.returncode, 0)
        self.assertIn("01.fxt of new: fxt-record: LOST 7 events", done.stderr)

    def test_wrong_command_lines(self):
        for arguments in (["1", self.out], ["1", self.out, "--", "true"], ["1", self.out, "--", "true", "---"],
                          ["0", self.out, "--", "true", "---", "true"], ["x", self.out, "--", "true", "---", "true"],
                          ["--record-args", "'", "1", self.out, "--", "true", "---", "true"]):
            done = self.run_script(*arguments)
            self.assertEqual(done.returncode, 2, arguments)
            self.assertIn("capture-ab: error:", done.stderr)
        self.assertFalse(os.path.exists(self.out))

    def test_a_recorder_that_is_not_there(self):
        done = self.run_script("--recorder", "/nowhere", "1", self.out, "--", "true", "---", "true")
        self.assertEqual(done.returncode, 1)
        self.assertIn("/nowhere", done.stderr)
        self.assertFalse(os.path.exists(self.out))

    def test_help(self):
        done = self.run_script("--help")
        self.assertEqual(done.returncode, 0)
        self.assertIn("BASE-COMMAND --- NEW-COMMAND", done.stdout)


if __name__ == "__main__":
    unittest.main()
