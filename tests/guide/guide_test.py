#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Runs the commands of docs/guide.md and compares their output with the document.

    tests/guide/guide_test.py --build build             the test: needs root, BTF and PostgreSQL; two minutes
    tests/guide/guide_test.py --build build --write     writes the output and the pictures of this run to the document
"""

import os
import re
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
import harness  # noqa: E402
from harness import BUILD, ROOT  # noqa: E402

DOCUMENT = os.path.join(ROOT, "docs/guide.md")
BLOCK = re.compile(r"^```console\n(.*?)^```$", re.MULTILINE | re.DOTALL)
LIMIT_S = 900
# The load of the machine may change between the two sides of one comparison, not of every one.
ATTEMPTS = 3
CAUSE = "\n 1. worse  postgres: D-state waits per run\n"
NOTHING = "nothing changed by 10% or more"


class Step:
    """A command with its output."""

    def __init__(self, typed):
        self.typed = typed    # as in the document, with continued lines
        self.output = ""      # both streams
        self.status = None

    @property
    def command(self):
        return self.typed.replace("\\\n", " ")


def parse(block):
    steps = []
    goes_on = False
    for line in block.splitlines():
        if goes_on:
            steps[-1].typed += "\n" + line
        elif line.startswith("$ "):
            steps.append(Step(line[2:]))
        else:
            steps[-1].output += line + "\n"
        goes_on = line.endswith("\\") and (goes_on or line.startswith("$ "))
    return steps


def document():
    return harness.read("docs/guide.md")


def shape(text):
    """Replaces the parts that differ between runs: numbers and the spaces around them."""
    text = re.sub(r"[0-9]+(\.[0-9]+)?(e-[0-9]+)?(ns|us|ms|s)?\b", "#", text)
    return re.sub(r"\s+", " ", text).strip()


class Place:
    """A folder with the layout of the clone, and an environment with the programs on PATH."""

    def __init__(self, folder):
        self.folder = folder
        for name in ("examples", "scripts"):
            os.symlink(os.path.join(ROOT, name), os.path.join(folder, name))
        os.symlink(BUILD, os.path.join(folder, "build"))
        tools = os.path.join(folder, ".tools")
        os.mkdir(tools)
        # The test runs as root, so sudo only runs its command.
        with open(os.path.join(tools, "sudo"), "w", encoding="utf-8") as file:
            file.write('#!/bin/sh\nexec "$@"\n')
        os.chmod(os.path.join(tools, "sudo"), 0o755)
        os.mkdir(os.path.join(folder, "orders"))
        # The server runs as another user.
        os.chmod(folder, 0o755)
        self.environment = {**os.environ, "PATH": f"{tools}:{folder}/build:{os.environ['PATH']}",
                            "ORDERS": os.path.join(folder, "orders"), "LC_ALL": "C.UTF-8", "COLUMNS": "120"}

    def run(self, typed):
        step = Step(typed)
        done = subprocess.run(["bash", "-c", step.command], cwd=self.folder, env=self.environment, check=False,
                              timeout=LIMIT_S, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL)
        step.output = done.stdout.decode()
        step.status = done.returncode
        return step


def why_not():
    found = harness.run("sh", "-c", "ls /usr/lib/postgresql/*/bin/pgbench && id postgres && command -v runuser jq")
    if found.returncode != 0:
        return "no PostgreSQL or jq (make deps DEPS=regress)"
    return harness.why_not_recordable()


class Guide(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.said = [step for block in BLOCK.findall(document()) for step in parse(block)]
        for _ in range(ATTEMPTS):
            folder = tempfile.TemporaryDirectory(dir="/tmp")
            cls.addClassCleanup(folder.cleanup)
            cls.place = Place(folder.name)
            cls.done = []
            for step in cls.said:
                cls.done.append(cls.place.run(step.typed))
                print(f"$ {step.typed}\n{cls.done[-1].output}", flush=True)
            if CAUSE in cls.outputs("fxt diff ab/base ab/new --lines --html")[1] and NOTHING in cls.outputs("fxt diff check/")[1]:
                break

    @classmethod
    def outputs(cls, beginning):
        """Returns the documented and the actual output of the command with this beginning."""
        found = [(said.output, done.output) for said, done in zip(cls.said, cls.done)
                 if said.command.removeprefix("sudo ").startswith(beginning)]
        assert len(found) == 1, beginning
        return found[0]

    def test_every_command_works(self):
        for step in self.done:
            # `diff` returns 1 for files that differ.
            self.assertEqual(step.status, 1 if step.command.startswith("diff ") else 0, f"{step.typed}\n{step.output}")
        for name in ("diff.html", "report.html", "flame.html", "strip.svg"):
            self.assertGreater(os.path.getsize(os.path.join(self.place.folder, name)), 1000, name)

    def test_it_is_measured_as_said(self):
        for said, done in zip(self.said[:2], self.done[:2]):
            self.assertIn("orders.sh", said.typed)
            self.assertEqual(shape(done.output), shape(said.output))

    def test_the_cause_is_at_rank_1(self):
        for output in self.outputs("fxt diff ab/base ab/new --lines --html"):
            self.assertIn(CAUSE, output)
            # On a busy machine another thread may end these waits, in place of the device.
            self.assertRegex(output.split(" 2. ")[0], r"\n +postgres is blocked .* per run longer in fdatasync")

    def test_the_report_names_it(self):
        for output in self.outputs("fxt report"):
            self.assertRegex(output, r"\A  postgres \*\n")
            self.assertRegex(output, r"\n    blocked [0-9.]+ \(D\), ended by: (interrupt or timer|kworker)")

    def test_the_finding_names_the_stack(self):
        for output in self.outputs("fxt diff ab/base ab/new --lines --html"):
            self.assertRegex(output, r"\n +stack: fdatasync( \(fdatasync.c:[0-9]+\))? <- .*XLogFlush")

    def test_the_stack_is_whole(self):
        for output in self.outputs("fxt diff ab/base ab/new --lines --json"):
            frames = [frame.split(" (")[0] for frame in output.splitlines()]
            self.assertEqual(frames[0], "fdatasync")
            places = [frames.index(name) for name in ("XLogFlush", "CommitTransactionCommand", "PostgresMain", "main")]
            self.assertEqual(places, sorted(places))

    def test_the_line_is_what_differs(self):
        said, done = self.outputs("diff ")
        self.assertEqual(said, done)
        self.assertIn("< synchronous_commit = off\n", done)

    def test_with_the_line_nothing_is_slower(self):
        for output in self.outputs("fxt diff check/"):
            self.assertIn(NOTHING, output)


def write():
    """Writes this output to the document."""
    sys.path.insert(0, os.path.join(ROOT, "tests/guide"))
    import pictures  # pylint: disable=import-outside-toplevel
    with tempfile.TemporaryDirectory(dir="/tmp") as folder:
        place = Place(folder)

        def run(match):
            lines = ""
            for step in parse(match[1]):
                done = place.run(step.typed)
                print(f"$ {step.typed}\n{done.output}", flush=True)
                lines += f"$ {step.typed}\n{done.output}"
            return f"```console\n{lines}```"

        text = BLOCK.sub(run, document())
        pictures.take(folder, os.path.join(ROOT, "docs/images"))
    with open(DOCUMENT, "w", encoding="utf-8") as file:
        file.write(text)


if __name__ == "__main__":
    if why_not():
        harness.skip(why_not())
    if sys.argv[1:] == ["--write"]:
        write()
    else:
        harness.main()
