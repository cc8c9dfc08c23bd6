#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""The recipe of docs/ci.md, run: a benchmark that got slower fails, the same tree twice does not (root, BTF)."""

import json
import os
import subprocess
import sys
import tempfile
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BUILD = os.path.join(ROOT, "build")
COMPARE = os.path.join(ROOT, "examples/ci/compare")
# What of it is counted is the work between naps.
BENCH = """#!/usr/bin/env python3
import os, time
for _ in range(150):
    sum(range({rounds}))
    time.sleep(0.005)
"""


class Recipe(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def tree(self, name, rounds):
        """As a project's checkout lies there."""
        os.makedirs(os.path.join(self.folder, name, "perf"))
        path = os.path.join(self.folder, name, "perf/bench.py")
        with open(path, "w", encoding="utf-8") as file:
            file.write(BENCH.format(rounds=rounds))
        os.chmod(path, 0o755)

    def compare(self, *words):
        summary = os.path.join(self.folder, "summary.md")
        done = subprocess.run([COMPARE, *words], cwd=self.folder, capture_output=True, text=True, check=False, timeout=600,
                              env={**os.environ, "PATH": f"{BUILD}:{os.environ['PATH']}", "GITHUB_STEP_SUMMARY": summary})
        text = ""
        if os.path.exists(summary):
            with open(summary, encoding="utf-8") as file:
                text = file.read()
        return done, text

    def test_what_got_slower_fails_and_is_posted(self):
        self.tree("base", 1000)
        self.tree("new", 200000)
        done, summary = self.compare("base", "new", "perf/bench.py")
        self.assertEqual(done.returncode, 3, done.stdout + done.stderr)
        self.assertIn("CPU time", summary)
        for name in ("diff.md", "diff.html", "diff.xml", "base/05.fxt", "new/05.fxt"):
            self.assertTrue(os.path.exists(os.path.join(self.folder, "perf", name)), name)
        with open(os.path.join(self.folder, "perf/diff.md"), encoding="utf-8") as file:
            self.assertEqual(file.read(), summary)
        with open(os.path.join(self.folder, "perf/diff.json"), encoding="utf-8") as file:
            first = json.load(file)["findings"][0]
        # What runs the script has the process's name.
        self.assertEqual((first["group"]["process"], first["metric"], first["verdict"]), ("python#", "cpu_time", "worse"))

    def test_the_same_twice_is_silent(self):
        self.tree("base", 20000)
        self.tree("new", 20000)
        done, summary = self.compare("-o", "out", "base", "new", "perf/bench.py")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn("othing changed", summary)

    def test_a_benchmark_that_fails_is_no_finding(self):
        self.tree("base", 1000)
        self.tree("new", 1000)
        done, _ = self.compare("base", "new", "false")
        self.assertEqual(done.returncode, 1)


if __name__ == "__main__":
    if "--build" in sys.argv:
        at = sys.argv.index("--build")
        BUILD = os.path.abspath(sys.argv[at + 1])
        del sys.argv[at:at + 2]
    if os.geteuid() != 0 or not os.path.exists("/sys/kernel/btf/vmlinux"):
        print("SKIPPED: needs root and BTF")
        sys.exit(0)
    unittest.main(verbosity=2)
