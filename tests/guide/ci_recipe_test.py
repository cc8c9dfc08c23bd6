#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Runs the recipe of docs/ci.md: a slower benchmark fails, the same tree twice does not (root, BTF)."""

import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
import harness  # noqa: E402
from harness import BUILD, ROOT  # noqa: E402

# The load of the machine may change between the two sides of one comparison, not of every one.
ATTEMPTS = 4
COMPARE = os.path.join(ROOT, "examples/ci/compare")
# The work between the sleeps is what changes.
BENCH = """#!/usr/bin/env python3
import os, time
for _ in range(150):
    sum(range({rounds}))
    time.sleep(0.005)
"""


class Recipe(harness.FolderTest):
    def tree(self, name, rounds):
        """Makes the checkout of a project."""
        os.chmod(self.write(f"{name}/perf/bench.py", BENCH.format(rounds=rounds)), 0o755)

    def compare(self, *words):
        summary = os.path.join(self.folder, "summary.md")
        done = harness.run(COMPARE, *words, cwd=self.folder, timeout=600,
                           env={**os.environ, "PATH": f"{BUILD}:{os.environ['PATH']}", "GITHUB_STEP_SUMMARY": summary})
        text = ""
        if os.path.exists(summary):
            with open(summary, encoding="utf-8") as file:
                text = file.read()
        return done, text

    def test_a_slower_benchmark_fails_and_is_posted(self):
        self.tree("base", 1000)
        self.tree("new", 200000)
        for _ in range(ATTEMPTS):
            for made in ("perf", "summary.md"):
                harness.run("rm", "-rf", os.path.join(self.folder, made))
            done, summary = self.compare("base", "new", "perf/bench.py")
            if self.first_finding() == ("python3", "cpu_time", "worse"):
                break
        self.assertEqual(done.returncode, 3, done.stdout + done.stderr)
        self.assertIn("CPU time", summary)
        for name in ("diff.md", "diff.html", "diff.xml", "base/05.fxt", "new/05.fxt"):
            self.assertTrue(os.path.exists(os.path.join(self.folder, "perf", name)), name)
        with open(os.path.join(self.folder, "perf/diff.md"), encoding="utf-8") as file:
            self.assertEqual(file.read(), summary)
        # The process is named after the interpreter.
        self.assertEqual(self.first_finding(), ("python3", "cpu_time", "worse"))

    def first_finding(self):
        with open(os.path.join(self.folder, "perf/diff.json"), encoding="utf-8") as file:
            findings = json.load(file)["findings"]
        return next((((first["group"] or {}).get("process"), first["metric"], first["verdict"]) for first in findings), None)

    def test_the_same_tree_has_no_finding(self):
        self.tree("base", 20000)
        self.tree("new", 20000)
        for attempt in range(ATTEMPTS):
            done, summary = self.compare("-o", f"out{attempt}", "base", "new", "perf/bench.py")
            if done.returncode == 0:
                break
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn("othing changed", summary)

    def test_a_failing_benchmark_is_an_error(self):
        self.tree("base", 1000)
        self.tree("new", 1000)
        done, _ = self.compare("base", "new", "false")
        self.assertEqual(done.returncode, 1)


if __name__ == "__main__":
    harness.skip_unless_recordable()
    harness.main()
