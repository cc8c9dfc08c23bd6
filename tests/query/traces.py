# SPDX-License-Identifier: BSD-2-Clause
"""The traces that the tests of this folder query, and the tables and queries that the documentation promises."""

import atexit
import functools
import os
import re
import tempfile
import unittest

import harness

ask = harness.query


def fxt(*words, stdin=None):
    """Runs `fxt` with any exit status; its output is bytes."""
    return harness.run(harness.FXT, *words, text=False, **({} if stdin is None else {"input": stdin}))


def documented_tables():
    """Columns and types by table, from docs/tables.md."""
    found = {}
    for part in re.split(r"^## ", harness.read("docs/tables.md").split("\n## Views")[0], flags=re.MULTILINE)[1:]:
        name = part.split("\n")[0]
        rows = re.findall(r"^\| ([a-z_, ]+) \| (INTEGER|REAL|TEXT)(\??) \|", part, re.MULTILINE)
        found[name] = {column: (kind, optional != "") for columns, kind, optional in rows
                       for column in columns.split(", ")}
    return found


def documented_queries():
    return re.findall(r"^## \d+\. (.*?)\n.*?```sql\n(.*?)```", harness.read("docs/queries.md"), re.MULTILINE | re.DOTALL)


def make_trace(path, millions="0.02", requests="0"):
    harness.run(os.path.join(harness.BUILD, "bench/make_switches"), path, millions, requests, ok=(0,))


@functools.cache
def traces():
    """Paths of the generated trace and, where this machine can record, of a recording."""
    folder = tempfile.TemporaryDirectory()
    atexit.register(folder.cleanup)
    paths = [os.path.join(folder.name, "generated.fxt")]
    make_trace(paths[0])
    if not harness.why_not_recordable():
        paths.append(os.path.join(folder.name, "recorded.fxt"))
        harness.record_everything(paths[-1])
    return paths


class Traces(unittest.TestCase):
    """Tests of the shared traces. Each class has a temporary folder for its output."""

    @classmethod
    def setUpClass(cls):
        cls.folder = harness.class_folder(cls)
        cls.traces = traces()

    def path(self, name):
        return os.path.join(self.folder, name)
