# SPDX-License-Identifier: BSD-2-Clause
"""The virtual tables as an extension of sqlite3."""

import csv
import io
import os
import subprocess

from harness import BUILD, DEADLINE_S
from traces import Traces, ask, documented_tables, fxt


class Extension(Traces):
    @staticmethod
    def shell(*lines):
        script = "\n".join([f".load {os.path.join(BUILD, 'fxt_sqlite')}", ".mode csv", *lines])
        return subprocess.run(["sqlite3", "-batch", ":memory:"], input=script.encode(), capture_output=True, check=False,
                              timeout=DEADLINE_S)

    def test_tables_of_the_extension_are_the_same(self):
        for path in self.traces:
            for table in documented_tables():
                done = self.shell(f"CREATE VIRTUAL TABLE t USING fxt('{path}', {table});", "SELECT count(*) FROM t;")
                self.assertEqual((done.stdout.split(), done.stderr),
                                 ([str(len(ask(path, f"SELECT 1 FROM {table}"))).encode()], b""), table)

    def test_answers_of_the_extension_are_the_same(self):
        for path in self.traces:
            begin = ask(path, "SELECT begin_ts FROM captures")[0][0]
            statement = "SELECT process, cpu, sum(length), quantile(dur, 0.9) FROM slices " \
                        f"WHERE ts > {begin} + 100000 GROUP BY process, cpu"
            done = self.shell(f"CREATE VIRTUAL TABLE slices USING fxt('{path}');", f"{statement};")
            wanted = fxt("query", "--csv", path, statement).stdout.decode().splitlines()[1:]
            self.assertEqual((list(csv.reader(io.StringIO(done.stdout.decode()))), done.stderr),
                             (list(csv.reader(wanted)), b""))

    def test_errors(self):
        for wrong, message in (("a USING fxt('/dev/null/none', slices)", "Not a directory"), ("a USING fxt('x')", "no table a"),
                               ("slices USING fxt()", "takes a file")):
            self.assertIn(message, self.shell(f"CREATE VIRTUAL TABLE {wrong};").stderr.decode())
