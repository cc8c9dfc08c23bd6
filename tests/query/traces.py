# SPDX-License-Identifier: BSD-2-Clause
"""Traces to ask, those who answer, and what the documentation says that they answer."""

import atexit
import functools
import json
import os
import re
import subprocess
import sys
import tempfile
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
# Of whoever runs these tests.
BUILD = os.path.abspath(os.environ.get("BUILD", os.path.join(ROOT, "build")))
sys.path.insert(0, os.path.join(ROOT, "tests/viewer"))

import capture  # noqa: E402  pylint: disable=wrong-import-position


def fxt(*words, stdin=None):
    return subprocess.run([os.path.join(BUILD, "fxt"), *words], input=stdin, capture_output=True, check=False, timeout=120)


def ask(path, statement):
    """Rows, as lists of values."""
    done = fxt("query", "--json", path, statement)
    if done.returncode != 0:
        raise AssertionError(f"{statement}: {done.stderr.decode()}")
    return [list(row.values()) for row in json.loads(done.stdout)]


def documented_tables():
    """Columns and types by table, from docs/tables.md."""
    with open(os.path.join(ROOT, "docs/tables.md"), encoding="utf-8") as file:
        text = file.read().split("\n## In SQLite")[0]
    found = {}
    for part in re.split(r"^## ", text, flags=re.MULTILINE)[1:]:
        name = part.split("\n")[0]
        rows = re.findall(r"^\| ([a-z_, ]+) \| (INTEGER|REAL|TEXT)(\??) \|", part, re.MULTILINE)
        found[name] = {column: (kind, optional != "") for columns, kind, optional in rows
                       for column in columns.split(", ")}
    return found


def documented_queries():
    with open(os.path.join(ROOT, "docs/queries.md"), encoding="utf-8") as file:
        return re.findall(r"^## \d+\. (.*?)\n.*?```sql\n(.*?)```", file.read(), re.MULTILINE | re.DOTALL)


def make_trace(path, millions="0.02"):
    subprocess.run([os.path.join(BUILD, "bench/make_switches"), path, millions], check=True, timeout=60)


@functools.cache
def traces():
    """Paths of a made-up recording and, where this machine can be recorded, one of it."""
    folder = tempfile.TemporaryDirectory()
    atexit.register(folder.cleanup)
    made = os.path.join(folder.name, "made.fxt")
    make_trace(made)
    paths = [made]
    if os.access(os.path.join(BUILD, "capture_tests"), os.X_OK) and not capture.why_not_recordable(BUILD):
        paths.append(os.path.join(folder.name, "recorded.fxt"))
        capture.record(BUILD, paths[-1])
    return paths


class Traces(unittest.TestCase):
    """Tests of traces that all look at, each class with a folder of its own for what it makes of them."""

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        cls.traces = traces()

    def path(self, name):
        return os.path.join(self.folder.name, name)
