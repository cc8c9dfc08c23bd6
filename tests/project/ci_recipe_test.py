#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""examples/ci: the workflow is valid and calls the script with the right arguments; the script handles the results of the
programs that it runs. Nothing is recorded: see tests/guide/ci_recipe_test.py."""

import os
import re
import shlex
import signal
import subprocess
import sys
import unittest

try:
    import yaml
except ImportError:
    yaml = None

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
import harness  # noqa: E402
from harness import DEADLINE_S, ROOT  # noqa: E402

RECIPE = os.path.join(ROOT, "examples/ci")
# Makes the output folder, which follows the number of captures, and logs its arguments.
CAPTURE_AB = """#!/bin/sh
while [ "$1" != 3 ]; do shift; done
mkdir -p "$2/base" "$2/new"
shift 2
echo "$*" >"$LOG"
exit "$CAPTURED"
"""
FXT = """#!/bin/sh
case "$*" in *--json*) echo '{}'; exit 0 ;; esac
while [ "$1" != --markdown ]; do shift; done
echo '# found' >"$2"
exit "$FOUND"
"""


def read(name):
    return harness.read("examples/ci", name)


@unittest.skipIf(yaml is None, "no python3-yaml (make deps)")
class Workflow(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.workflow = yaml.safe_load(read("perf.yml"))
        cls.job = cls.workflow["jobs"]["compare"]
        cls.steps = cls.job["steps"]

    def test_the_workflow_runs_for_pull_requests(self):
        # YAML 1.1 reads the key `on` as true.
        self.assertEqual(self.workflow[True], "pull_request")
        self.assertEqual(self.workflow["permissions"]["pull-requests"], "write")
        self.assertLessEqual(self.job["timeout-minutes"], 60)

    def test_every_step_is_an_action_or_a_script(self):
        for step in self.steps:
            self.assertEqual(len({"uses", "run"} & set(step)), 1, step)
            if "run" in step:
                done = subprocess.run(["sh", "-n", "-c", step["run"]], capture_output=True, check=False)
                self.assertEqual(done.stderr, b"", step["run"])
            else:
                self.assertRegex(step["uses"], r"^[a-z-]+/[a-z-]+@v\d+$")

    def test_the_script_gets_the_trees_that_were_checked_out(self):
        trees = {step["with"]["path"] for step in self.steps if step.get("uses", "").startswith("actions/checkout")}
        call = next(shlex.split(step["run"]) for step in self.steps if "examples/ci/compare" in step.get("run", ""))
        self.assertEqual(call[1:], ["-o", "perf", "base", "new", "perf/bench.sh"])
        self.assertEqual(trees, {"base", "new"})
        folder = call[2]
        self.assertIn(f"{folder}/diff.md", next(step["run"] for step in self.steps if "gh pr comment" in step.get("run", "")))
        kept = next(step for step in self.steps if "upload-artifact" in step.get("uses", ""))
        self.assertEqual(kept["with"]["path"], folder)

    def test_the_files_of_the_document_exist(self):
        text = harness.read("docs/ci.md")
        for name in re.findall(r"^\| `([a-z.]+)` \|", text, re.MULTILINE):
            self.assertTrue(os.path.exists(os.path.join(RECIPE, name)), name)


class Script(harness.FolderTest):
    def setUp(self):
        super().setUp()
        for name, text in (("capture-ab", CAPTURE_AB), ("fxt", FXT), ("fxt-record", "#!/bin/sh\n"), ("sudo", '#!/bin/sh\nshift\n"$@"\n')):
            os.chmod(self.write(name, text), 0o755)
        for name in ("old tree", "new"):
            os.mkdir(os.path.join(self.folder, name))

    def environment(self, captured, found, **more):
        return {**os.environ, "PATH": f"{self.folder}:{os.environ['PATH']}",
                "CAPTURE_AB": os.path.join(self.folder, "capture-ab"), "LOG": os.path.join(self.folder, "log"),
                "CAPTURED": str(captured), "FOUND": str(found),
                "GITHUB_STEP_SUMMARY": os.path.join(self.folder, "s.md"), **more}

    def compare(self, *words, captured=0, found=0, **more):
        return subprocess.run([os.path.join(RECIPE, "compare"), *words], cwd=self.folder, capture_output=True, text=True,
                              check=False, env=self.environment(captured, found, **more))

    def read(self, name):
        with open(os.path.join(self.folder, name), encoding="utf-8") as file:
            return file.read()

    def test_statuses(self):
        for captured, found, status in ((0, 0, 0), (0, 3, 3), (0, 2, 1), (1, 0, 1)):
            done = self.compare("-n", "3", "old tree", "new", "true", captured=captured, found=found)
            self.assertEqual(done.returncode, status, done.stderr)

    def test_the_benchmark_runs_in_each_tree(self):
        done = self.compare("-n", "3", "-o", "out", "old tree", "new", "perf/bench.sh", "--fast")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        log = self.read("log")
        self.assertIn("sh old tree perf/bench.sh --fast --- sh -c", log)
        self.assertTrue(log.endswith("sh new perf/bench.sh --fast\n"))
        self.assertEqual(self.read("out/diff.md"), self.read("s.md"))
        self.assertEqual(self.read("out/diff.json"), "{}\n")

    def test_wrong_command_lines(self):
        for words in ([], ["new", "true"], ["new", "nowhere", "true"], ["-x", "new", "new", "true"]):
            done = self.compare(*words)
            self.assertEqual(done.returncode, 2)
            self.assertIn("usage: compare", done.stderr)

    def test_too_few_captures_are_refused(self):
        for number in ("2", "0", "x", "", "-3", "3.5"):
            done = self.compare("-n", number, "old tree", "new", "true")
            self.assertEqual(done.returncode, 2, number)
            self.assertIn("from 3 on", done.stderr)

    def test_missing_programs_are_reported_first(self):
        for name in ("FXT", "FXT_RECORD"):
            done = self.compare("-n", "3", "old tree", "new", "true", **{name: "no-such-program"})
            self.assertEqual(done.returncode, 1)
            self.assertIn("no-such-program is not on PATH", done.stderr)
            self.assertFalse(os.path.exists(os.path.join(self.folder, "log")))

    def test_signals_end_the_recording(self):
        ended = os.path.join(self.folder, "ended")
        with open(os.path.join(self.folder, "capture-ab"), "w", encoding="utf-8") as file:
            file.write(f"#!/bin/sh\ntrap 'touch {ended}; exit 1' TERM\necho begun\nfor i in $(seq {10 * DEADLINE_S}); do sleep 0.1; done\n")
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            with subprocess.Popen([os.path.join(RECIPE, "compare"), "-n", "3", "old tree", "new", "true"], cwd=self.folder,
                                  stdout=subprocess.PIPE, env=self.environment(0, 0),
                                  # A background job of a shell ignores SIGINT, and nohup ignores SIGHUP.
                                  preexec_fn=lambda: [signal.signal(each, signal.SIG_DFL)
                                                      for each in (signal.SIGINT, signal.SIGHUP)]) as compare:
                self.assertEqual(compare.stdout.readline(), b"begun\n")
                compare.send_signal(number)
                self.assertEqual(compare.wait(DEADLINE_S), 128 + number)
            self.assertTrue(os.path.exists(ended), "it goes on recording")
            os.remove(ended)


if __name__ == "__main__":
    harness.main()
