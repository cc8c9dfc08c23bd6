#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""The tree stays one that can be looked over: what lies at its top, how long files are, how full folders."""

import os
import string
import subprocess
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
TOP = {"LICENSE", "Makefile", "README.md", "VERSION", "bindings", "bpf", "completions", "docs", "examples", "include", "packaging", "scripts",
       "service", "tests", "userspace", ".ci", ".clang-format", ".clang-tidy", ".gitignore"}
MOST_LINES = 400
MOST_FILES = 20
SOURCES = ("bpf/", "include/", "userspace/", "tests/")
CODE = (".c", ".cc", ".h", ".js", ".py", ".sh")


class Tree(unittest.TestCase):
    def setUp(self):
        listed = subprocess.run(["git", "-C", ROOT, "ls-files", "-z"], capture_output=True, check=False)
        if listed.returncode != 0:
            self.skipTest("SKIPPED: not a checkout of git")
        self.files = [name.decode(errors="replace") for name in listed.stdout.split(b"\0") if name]

    def test_nothing_else_at_the_top(self):
        self.assertEqual({name.split("/")[0] for name in self.files} - TOP, set())

    def test_names_are_plain(self):
        plain = set(string.ascii_letters + string.digits + "/._-+#")
        self.assertEqual([name for name in self.files if set(name) - plain], [])

    def test_files_are_short_and_folders_small(self):
        folders = {}
        for name in self.files:
            if not name.startswith(SOURCES) or not os.path.exists(os.path.join(ROOT, name)):
                continue
            folders.setdefault(os.path.dirname(name), []).append(name)
            # Recordings and other bytes that tests hold ours against are as long as they are.
            if name.startswith("tests/") and not name.endswith(CODE):
                continue
            with open(os.path.join(ROOT, name), encoding="utf-8") as file:
                self.assertLessEqual(sum(1 for _ in file), MOST_LINES, name)
        # A header and its source are one.
        for folder, names in folders.items():
            self.assertLessEqual(len({os.path.splitext(name)[0] for name in names}), MOST_FILES, folder)


if __name__ == "__main__":
    unittest.main()
