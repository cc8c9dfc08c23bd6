# SPDX-License-Identifier: BSD-2-Clause
"""Every format of `fxt export` has the rows of `fxt query`."""

import csv
import gzip
import io
import os
import pty
import sqlite3
import struct
import subprocess
import time

from harness import FXT
from traces import Traces, ask, documented_tables, fxt


class Export(Traces):
    def rows(self, path, table):
        """The rows of `fxt query`, without the header."""
        text = fxt("query", "--csv", path, f"SELECT * FROM {table}").stdout.decode()
        return list(csv.reader(io.StringIO(text)))[1:]

    def assert_rows(self, rows, wanted, table):
        """Fails with the first row that differs: unittest takes minutes to print the difference of long lists."""
        self.assertEqual(len(rows), len(wanted), table)
        for number, (row, other) in enumerate(zip(rows, wanted)):
            if row != other:
                self.assertEqual(row, other, f"{table}, row {number}")

    def test_every_format_has_all_rows(self):
        tables = documented_tables()
        database = self.path("trace.db")
        for form, options in (("sqlite", []), ("csv", ["--gzip"]), ("tsv", []), ("rowbinary", ["--gzip"])):
            output = database if form == "sqlite" else self.path(form)
            done = fxt("export", "--format", form, *options, *self.traces, "-o", output)
            self.assertEqual((done.returncode, done.stderr), (0, b""))
        stored = sqlite3.connect(database)
        captures = [row[0] for row in stored.execute("SELECT capture FROM captures")]
        self.assertEqual(len(set(captures)), len(self.traces))
        for table, columns in tables.items():
            own = [] if table == "captures" else ["capture"]
            wanted = []
            for number, path in zip(captures, self.traces):
                wanted += [[str(number)] * len(own) + row for row in self.rows(path, table)]
            names = own + list(columns)
            with gzip.open(self.path(f"csv/{table}.csv.gz"), "rt", encoding="utf-8", newline="") as file:
                self.assert_rows(list(csv.reader(file)), [names] + wanted, table)
            with open(self.path(f"tsv/{table}.tsv"), encoding="utf-8", newline="\n") as file:
                lines = [line.rstrip("\n").split("\t") for line in file]
            self.assertEqual(lines[0], names)
            unescaped = [["" if text == r"\N" else text.replace("\\\\", "\\") for text in line] for line in lines[1:]]
            self.assert_rows(unescaped, wanted, table)
            cursor = stored.execute(f"SELECT * FROM {table}")
            self.assertEqual([column[0] for column in cursor.description], names)
            self.assert_rows([[self.text(value) for value in row] for row in cursor], wanted, table)
            kinds = [("INTEGER", False)] * len(own) + list(columns.values())
            with gzip.open(self.path(f"rowbinary/{table}.rowbinary.gz")) as file:
                self.assert_rows([[self.text(value) for value in row] for row in self.row_binary(file.read(), kinds)],
                                 wanted, table)

    def test_progress_on_a_terminal(self):
        """Also where the terminal is standard output, as the output is a file."""
        string = bytes([0x22, 0, 1, 0, 8, 0, 0, 0]) + b"abcdefgh"
        ours, theirs = pty.openpty()
        with subprocess.Popen([FXT, "export", "--format", "perfetto", "-", "-o", self.path("progress.pftrace")],
                              stdin=subprocess.PIPE, stdout=theirs, stderr=theirs) as export:
            export.stdin.write(bytes.fromhex("1000044678541600") + string * 100_000)
            export.stdin.flush()
            time.sleep(1.1)  # shorter work has no progress
            export.stdin.write(string * 100_000)
            export.stdin.close()
            self.assertEqual(export.wait(), 0)
        os.close(theirs)
        self.assertIn(b"\rfxt export: -: ", os.read(ours, 65536))
        os.close(ours)

    @staticmethod
    def text(value):
        if isinstance(value, float):
            text = repr(value)
            return text[:-2] if text.endswith(".0") else text
        return "" if value is None else str(value)

    @staticmethod
    def row_binary(data, kinds):
        at = 0
        while at < len(data):
            row = []
            for kind, optional in kinds:
                if optional:
                    at += 1
                    if data[at - 1]:
                        row.append(None)
                        continue
                if kind == "TEXT":
                    size = shift = 0
                    while True:
                        byte = data[at]
                        at += 1
                        size |= (byte & 0x7f) << shift
                        shift += 7
                        if byte < 0x80:
                            break
                    row.append(data[at:at + size].decode())
                    at += size
                else:
                    row.append(struct.unpack_from("<q" if kind == "INTEGER" else "<d", data, at)[0])
                    at += 8
            yield row

    def test_group_by_uses_the_covering_index(self):
        output = self.path("index.db")
        self.assertEqual(fxt("export", self.traces[0], "-o", output).returncode, 0)
        plan = sqlite3.connect(output).execute("EXPLAIN QUERY PLAN SELECT process_id, sum(dur) FROM slices_rows GROUP BY 1")
        self.assertIn("COVERING INDEX slices_by_process", str(plan.fetchall()))

    def test_one_table_to_standard_output_and_from_standard_input(self):
        with open(self.traces[0], "rb") as file:
            trace = file.read()
        done = fxt("export", "--format", "csv", "--table", "slices", "-", "-o", "-", stdin=trace)
        self.assertEqual((done.returncode, done.stderr), (0, b""))
        self.assertEqual(len(done.stdout.splitlines()), 1 + ask(self.traces[0], "SELECT count(*) FROM slices")[0][0])

    def test_the_capture_number_depends_on_the_content(self):
        packed = self.path("again.fxt.gz")
        with open(self.traces[0], "rb") as source, gzip.open(packed, "wb") as file:
            file.write(source.read())
        self.assertEqual(ask(packed, "SELECT capture FROM captures"), ask(self.traces[0], "SELECT capture FROM captures"))

    def test_errors(self):
        path = self.traces[0]
        for words, message in ((["--format", "xml", path, "-o", self.path("x")], "no format"),
                               (["--table", "nothing", path, "-o", self.path("x")], "no table"),
                               (["--format", "csv", path, "-o", "-"], "one table"),
                               (["--gzip", path, "-o", self.path("x.db")], "--gzip"),
                               ([path, "-o", "-"], "a database is a file"),
                               (["--format", "csv", path, "-o", path], "both input and output"),
                               ([path, "-o", "/dev/null/x.db"], "/dev/null"),
                               ([self.path("none.fxt"), "-o", self.path("x.db")], "No such file")):
            done = fxt("export", *words)
            with self.subTest(words):
                self.assertEqual(done.returncode, 2)
                self.assertRegex(done.stderr.decode(), f"\\Afxt: error: .*{message}")
        self.assertFalse(os.path.exists(self.path("x.db")))
