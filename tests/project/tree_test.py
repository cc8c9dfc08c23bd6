#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""The top of the tree has no other files, and file names have no special characters."""

import os
import string
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
import harness  # noqa: E402

TOP = {"CMakeLists.txt", "LICENSE", "Makefile", "README.md", "VERSION", "bindings", "bpf", "cmake", "completions", "docs",
       "examples", "include", "packaging", "scripts", "service", "tests", "userspace", ".ci", ".clang-format", ".clang-tidy",
       ".gitignore"}


class Tree(unittest.TestCase):
    def setUp(self):
        listed = harness.run("git", "-C", harness.ROOT, "ls-files", "-z")
        if listed.returncode != 0:
            self.skipTest("not a checkout of git")
        self.files = [name for name in listed.stdout.split("\0") if name]

    def test_top_of_the_tree(self):
        self.assertEqual({name.split("/")[0] for name in self.files} - TOP, set())

    def test_file_names(self):
        allowed = set(string.ascii_letters + string.digits + "/._-+#")
        self.assertEqual([name for name in self.files if set(name) - allowed], [])


if __name__ == "__main__":
    harness.main()
