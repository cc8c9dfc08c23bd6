#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""`fxt` for 64-bit ARM, under qemu-user: it says of the same trace what that of this machine says."""

import os
import subprocess
import sys
import tempfile
import unittest

OPTIONS = {"--emulator": "qemu-aarch64-static", "--build": "build", "--cross-build": "build/aarch64"}
JSON = """{"traceEvents": [
 {"ph": "X", "pid": 1, "tid": 1, "ts": 10, "dur": 5, "name": "work", "cat": "app", "args": {"n": 7}},
 {"ph": "X", "pid": 1, "tid": 2, "ts": 12, "dur": 9, "name": "more \\u00e4", "cat": "app"},
 {"ph": "i", "pid": 1, "tid": 2, "ts": 30, "name": "done", "s": "t"}]}"""


class Arm64(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def run_both(self, *words):
        """Output of both programs, each in its own folder."""
        answers = []
        for name, command in (("here", [os.path.abspath(OPTIONS["--build"]) + "/fxt"]),
                              ("arm64", [OPTIONS["--emulator"], os.path.abspath(OPTIONS["--cross-build"]) + "/fxt"])):
            folder = os.path.join(self.folder, name)
            os.makedirs(folder, exist_ok=True)
            done = subprocess.run([*command, *words], cwd=folder, capture_output=True, check=False, timeout=300)
            self.assertEqual(done.returncode, 0, done.stderr)
            answers.append(done.stdout)
        return answers

    def test_same_answers(self):
        for name in ("here", "arm64"):
            os.makedirs(os.path.join(self.folder, name))
            with open(os.path.join(self.folder, name, "t.json"), "w", encoding="utf-8") as file:
                file.write(JSON)
        for words in (("--version",), ("import", "t.json", "-o", "t.fxt"), ("info", "--json", "t.fxt"), ("dump", "t.fxt"),
                      ("query", "--csv", "t.fxt", "SELECT name, dur FROM spans ORDER BY ts"), ("json", "t.fxt", "-o", "-"),
                      ("check", "--format-only", "t.fxt")):
            here, there = self.run_both(*words)
            self.assertEqual(here, there, words)
        with open(os.path.join(self.folder, "here/t.fxt"), "rb") as one, \
                open(os.path.join(self.folder, "arm64/t.fxt"), "rb") as other:
            self.assertEqual(one.read(), other.read())


if __name__ == "__main__":
    for option in OPTIONS:
        if option in sys.argv:
            at = sys.argv.index(option)
            OPTIONS[option] = sys.argv[at + 1]
            del sys.argv[at:at + 2]
    unittest.main(verbosity=2)
