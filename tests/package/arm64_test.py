#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""`fxt` for 64-bit ARM under qemu-user gives the same answers as the native `fxt`."""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
import harness  # noqa: E402

OPTIONS = {"--emulator": "qemu-aarch64-static", "--cross-build": "build/aarch64"}
JSON = """{"traceEvents": [
 {"ph": "X", "pid": 1, "tid": 1, "ts": 10, "dur": 5, "name": "work", "cat": "app", "args": {"n": 7}},
 {"ph": "X", "pid": 1, "tid": 2, "ts": 12, "dur": 9, "name": "more \\u00e4", "cat": "app"},
 {"ph": "i", "pid": 1, "tid": 2, "ts": 30, "name": "done", "s": "t"}]}"""


class Arm64(harness.FolderTest):
    def run_both(self, *words):
        """Runs both programs, each in its own folder, and returns their outputs."""
        answers = []
        for name, command in (("here", [harness.FXT]),
                              ("arm64", [OPTIONS["--emulator"], os.path.abspath(OPTIONS["--cross-build"]) + "/fxt"])):
            folder = os.path.join(self.folder, name)
            os.makedirs(folder, exist_ok=True)
            answers.append(harness.run(*command, *words, cwd=folder, text=False, ok=(0,)).stdout)
        return answers

    def test_same_answers(self):
        for name in ("here", "arm64"):
            self.write(f"{name}/t.json", JSON)
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
    harness.main()
