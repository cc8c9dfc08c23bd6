#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Holds `fxt query`, its SQLite extension and `fxt export` against `fxt report` and `fxt info`, the documentation and one
another: of a made-up recording, and of this machine where it can be recorded."""

import csv
import gzip
import io
import json
import os
import re
import sqlite3
import struct
import subprocess
import sys
import tempfile
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BUILD = os.path.join(ROOT, "build")
sys.path.insert(0, os.path.join(ROOT, "tests/viewer"))

import capture  # noqa: E402  pylint: disable=wrong-import-position

KINDS = {"wakeup": "runnable_wakeup", "preempted": "runnable_preempted", "sleep": "sleeping", "blocked": "blocked",
         "stopped": "stopped"}


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


def make_trace(path):
    subprocess.run([os.path.join(BUILD, "bench/make_switches"), path, "0.02"], check=True, timeout=60)


class Traces(unittest.TestCase):
    """Traces that all tests of a class look at."""

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        made = os.path.join(cls.folder.name, "made.fxt")
        make_trace(made)
        cls.traces = [made]
        if os.access(os.path.join(BUILD, "capture_tests"), os.X_OK) and not capture.why_not_recordable(BUILD):
            recorded = os.path.join(cls.folder.name, "recorded.fxt")
            capture.record(BUILD, recorded)
            cls.traces.append(recorded)

    def path(self, name):
        return os.path.join(self.folder.name, name)


class Sums(Traces):
    def test_sums_are_those_of_report(self):
        for path in self.traces:
            report = json.loads(fxt("report", "--json", path).stdout)
            groups = report["groups"]

            def share(name, groups=groups):
                return sum(group["share_ns"][name] for group in groups)

            def whole(kind, field, groups=groups):
                return sum(group["times"][kind][field] for group in groups)

            seen = "began = 'seen' AND ended = 'seen'"
            with self.subTest(path):
                self.assertEqual(ask(path, "SELECT sum(length) FROM slices"), [[share("running")]])
                self.assertEqual(ask(path, f"SELECT count(*), sum(dur), max(dur) FROM slices WHERE {seen}"),
                                 [[whole("slice", "count"), whole("slice", "total_ns"),
                                   max(group["times"]["slice"]["max_ns"] for group in groups)]])
                for kind, name in KINDS.items():
                    rows = ask(path, f"SELECT total(length) FROM waits WHERE kind = '{kind}' AND certain")
                    self.assertEqual(rows, [[share(name)]], kind)
                for kind, name in (("wakeup", "wakeup_latency"), ("preempted", "preempted_wait"), ("sleep", "sleep"),
                                   ("blocked", "blocked")):
                    rows = ask(path, f"SELECT count(*), total(dur) FROM waits WHERE kind = '{kind}' AND certain AND {seen}")
                    self.assertEqual(rows, [[whole(name, "count"), whole(name, "total_ns")]], kind)
                cpus = ask(path, "SELECT cpu, busy_ns, idle_ns, unknown_ns FROM cpus WHERE busy_ns + idle_ns + unknown_ns")
                self.assertEqual(cpus, [list(cpu.values()) for cpu in report["machine"]["by_cpu"]
                                        if cpu["busy_ns"] + cpu["idle_ns"] + cpu["unknown_ns"]])
                self.assertEqual(ask(path, "SELECT begin_ts, end_ts, lost_events, unseen_switches FROM captures"),
                                 [[report[key] for key in ("begin_ns", "end_ns", "lost_events", "unseen_switches")]])

    def test_a_group_is_that_of_report(self):
        path = self.traces[0]
        report = json.loads(fxt("report", "--json", path).stdout)
        group = report["groups"][0]
        where = f"process = '{group['process']}' AND thread GLOB '{group['thread'].replace('#', '[0-9]')}' AND certain " \
                "AND kind = 'wakeup' AND began = 'seen' AND ended = 'seen'"
        times = group["times"]["wakeup_latency"]
        self.assertEqual(ask(path, f"SELECT quantile(dur, 0.5), quantile(dur, 0.9) FROM waits WHERE {where}"),
                         [[times["p50_ns"], times["p90_ns"]]])

    def test_counts_are_those_of_info(self):
        for path in self.traces:
            info = json.loads(fxt("info", "--json", path).stdout)
            count = {kind: counted["count"] for kind, counted in info["kinds"].items()}
            with self.subTest(path):
                for table, kinds in (("wakeups", ["wakeup"]), ("instants", ["instant", "async-instant"]),
                                     ("logs", ["log"]), ("blobs", ["blob", "large-blob"])):
                    self.assertEqual(ask(path, f"SELECT count(*) FROM {table}"),
                                     [[sum(count.get(kind, 0) for kind in kinds)]], table)
                self.assertEqual(ask(path, "SELECT records, switches FROM captures"), [[info["records"], count["switch"]]])
                # Info leaves out what the edges cut.
                for cpu in info["cpus"]:
                    rows = ask(path, "SELECT switches, wakeups, (SELECT total(dur) FROM slices WHERE cpu = "
                                     f"{cpu['cpu']}) FROM cpus WHERE cpu = {cpu['cpu']}")
                    self.assertEqual(rows, [[cpu["switches"], cpu["wakeups"], cpu["busy_ns"]]])

    def test_conditions_that_are_pushed_down_choose_the_same_rows(self):
        for path in self.traces:
            begin, end = ask(path, "SELECT begin_ts, end_ts FROM captures")[0]
            middle = begin + (end - begin) // 2
            cpu, tid = ask(path, "SELECT cpu, tid FROM slices ORDER BY dur DESC LIMIT 1")[0]
            for table in ("slices", "waits", "wakeups", "idle", "instants", "spans", "logs", "losses", "counters"):
                conditions = ["ts > {0}", "ts >= {0}", "ts < {0}", "ts <= {0} - 1000", "ts BETWEEN {0} AND {0} + 2000000",
                              "ts < {0} + 0.5", "ts = (SELECT min(ts) FROM {3})"]
                if table != "counters":
                    conditions.append("cpu = {1}")
                if table not in ("idle", "losses"):
                    conditions += ["tid = {2}", "tid = {2} AND ts < {0}"]
                for condition in conditions:
                    text = condition.format(middle, cpu, tid, table)
                    # A unary + keeps a column from being pushed down.
                    slow = re.sub(r"\b(ts|cpu|tid) (?=[<>=B])", r"+\1 ", text)
                    both = f"SELECT * FROM {table} WHERE {text}", f"SELECT * FROM {table} WHERE {slow}"
                    with self.subTest(table=table, condition=text):
                        self.assertNotEqual(text, slow)
                        self.assertEqual(ask(path, both[0]), ask(path, both[1]))

    def test_groups_are_those_of_sorting(self):
        for path in self.traces:
            for table, columns in (("slices", "process"), ("slices", "cpu, thread"), ("waits", "kind, waker, tid"),
                                   ("waits", "preemptor"), ("wakeups", "waker, thread"), ("idle", "cpu, began")):
                totals = "count(*), min(ts), max(ts), total(ts % 1000)"
                quick = ask(path, f"SELECT {columns}, {totals} FROM {table} GROUP BY {columns}")
                kept = ask(path, f"WITH r AS MATERIALIZED (SELECT * FROM {table}) "
                                 f"SELECT {columns}, {totals} FROM r GROUP BY {columns}")
                self.assertEqual(quick, kept)
            self.assertEqual(ask(path, "SELECT DISTINCT process FROM slices"),
                             ask(path, "SELECT process FROM slices GROUP BY +process"))


class Documentation(Traces):
    def test_tables_are_documented(self):
        documented = documented_tables()
        names = [row[0] for row in ask(self.traces[0], "SELECT name FROM sqlite_schema ORDER BY rowid")]
        self.assertEqual(list(documented), names)
        for name in names:
            columns = ask(self.traces[0], f"SELECT name, type, \"notnull\" FROM pragma_table_info('{name}')")
            self.assertEqual(documented[name], {column: (kind, not must) for column, kind, must in columns}, name)
            self.assertEqual(list(documented[name]), [column for column, _, _ in columns], name)

    def test_twenty_questions_have_answers(self):
        queries = documented_queries()
        self.assertEqual(len(queries), 20)
        for path in self.traces:
            for title, statement in queries:
                with self.subTest(title, path=path):
                    rows = ask(path, statement)
                    # What a machine happens to do is up to it.
                    made = path == self.traces[0]
                    if made and not re.search(r"missing|system call|interrupts|programs|of a process|disk", title):
                        self.assertNotEqual(rows, [])

    def test_answers_of_some_questions(self):
        queries = dict(documented_queries())
        path = self.traces[0]
        report = json.loads(fxt("report", "--json", path).stdout)
        by_process = {}
        for group in report["groups"]:
            by_process[group["process"]] = by_process.get(group["process"], 0) + group["share_ns"]["running"]
        rows = ask(path, queries["Where did the CPU time go?"])
        self.assertEqual([row[0] for row in rows], sorted(by_process, key=by_process.get, reverse=True))
        for process, _, ms in rows:
            self.assertAlmostEqual(ms, by_process[process] / 1e6)
        worst = report["worst_waits"][0]
        total = sum(row[2] for row in ask(path, queries["What ran on its CPU during the longest wait for one?"]))
        self.assertGreater(total * 1e6, worst["length_ns"] / 2)
        self.assertEqual(ask(path, "SELECT ts, dur, cpu, tid FROM waits WHERE kind IN ('wakeup', 'preempted') AND certain "
                                   "ORDER BY dur DESC LIMIT 1"),
                         [[worst["begin_ns"], worst["length_ns"], worst["cpu"], worst["thread"]["id"]]])
        runs = sum(row[1] for row in ask(path, queries["How many context switches a second?"]))
        self.assertEqual(ask(path, "SELECT count(*) FROM slices"), [[runs]])

    def test_sums_of_other_questions(self):
        """Answers, without the limit to the first ones, add up to what report and info say of the same trace."""
        path = self.traces[0]
        queries = dict(documented_queries())
        report = json.loads(fxt("report", "--json", path).stdout)
        groups = report["groups"]
        info = json.loads(fxt("info", "--json", path).stdout)
        wakeups = info["kinds"]["wakeup"]["count"]

        def answer(title):
            return ask(path, re.sub(r"\bLIMIT \d+", "", queries[title]))

        def times(kind, field):
            return [group["times"][kind][field] for group in groups]

        rows = answer("How long does it take from a wakeup to the CPU?")
        cut = ask(path, "SELECT count(*) FROM waits WHERE kind = 'wakeup' AND dur IS NULL")[0][0]
        self.assertEqual(sum(row[1] for row in rows), sum(times("wakeup_latency", "count")) + cut)
        self.assertAlmostEqual(max(row[4] for row in rows if row[4]) * 1e3, max(times("wakeup_latency", "max_ns")))
        self.assertEqual(sum(row[1] for row in answer("Does that depend on who wakes?")), wakeups)
        self.assertEqual(sum(row[2] for row in answer("Who wakes whom?")), wakeups)
        preempted = [blame for group in groups for blame in group["blames"]["preempted_by"] if "group" in blame]
        rows = answer("Who preempted whom?")
        self.assertEqual(sum(row[2] for row in rows), sum(blame["count"] for blame in preempted))
        self.assertAlmostEqual(sum(row[3] for row in rows) * 1e6, sum(blame["ns"] for blame in preempted), delta=1)
        busy = {cpu["cpu"]: cpu for cpu in report["machine"]["by_cpu"]}
        # All of it is one minute.
        for cpu, _, ms in answer("Which minute of each CPU was the busiest?"):
            self.assertAlmostEqual(ms * 1e6, busy[cpu]["busy_ns"])
        for cpu, percent, switches, woken in answer("How busy was each CPU?"):
            whole = busy[cpu]["busy_ns"] + busy[cpu]["idle_ns"] + busy[cpu]["unknown_ns"]
            self.assertAlmostEqual(percent, 100 * busy[cpu]["busy_ns"] / whole)
            self.assertIn({"cpu": cpu, "switches": switches, "wakeups": woken},
                          [{key: one[key] for key in ("cpu", "switches", "wakeups")} for one in info["cpus"]])
        for cpu, _, _, longest in answer("How long do CPUs stay idle?"):
            self.assertLessEqual(longest * 1e3, busy[cpu]["idle_ns"])
        runs = {row[0]: row[1] for row in answer("How long do threads run at once, and how does that end?")}
        self.assertEqual(runs["R+"], sum(group["switches_involuntary"] for group in groups))
        self.assertEqual(sum(count for state, count in runs.items() if state not in ("R+", None)),
                         sum(group["switches_voluntary"] for group in groups))
        self.assertEqual(sum(row[2] for row in answer("Which threads moved between CPUs most?")),
                         sum(group["migrations"] for group in groups))
        blocked = answer("Who waited for a disk or a lock of the kernel?")
        self.assertEqual(sum(row[2] for row in blocked), sum(times("blocked", "count")))
        self.assertEqual(sum(row[4] or 0 for row in answer("Is anything missing, and where?")), report["lost_events"])
        # Of one process, and the longest of its waits but for sleeps.
        process = groups[0]["process"]
        mine = [group for group in groups if group["process"] == process]
        named = {title: text.replace("'sh'", f"'{process}'") for title, text in queries.items()}
        rows = ask(path, named["Which threads of a process used it?"])
        self.assertAlmostEqual(sum(row[2] for row in rows) * 1e6, sum(group["share_ns"]["running"] for group in mine), delta=1)
        rows = ask(path, named["What are the longest waits of a process?"])
        self.assertAlmostEqual(rows[0][1] * 1e6, max(group["times"][kind]["max_ns"] for group in mine
                                                     for kind in ("wakeup_latency", "preempted_wait", "blocked")))


class Extension(Traces):
    """In SQLite's own shell."""

    @staticmethod
    def shell(*lines):
        script = "\n".join([f".load {os.path.join(BUILD, 'fxt_sqlite')}", ".mode csv", *lines])
        return subprocess.run(["sqlite3", "-batch", ":memory:"], input=script.encode(), capture_output=True, check=False,
                              timeout=120)

    def test_tables_of_the_extension_are_the_same(self):
        for path in self.traces:
            for table in documented_tables():
                done = self.shell(f"CREATE VIRTUAL TABLE t USING fxt('{path}', {table});", f"SELECT count(*) FROM t;")
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


class Export(Traces):
    def rows(self, path, table):
        """As a database has them, those of `fxt query`."""
        text = fxt("query", "--csv", path, f"SELECT * FROM {table}").stdout.decode()
        return list(csv.reader(io.StringIO(text)))[1:]

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
                self.assertEqual(list(csv.reader(file)), [names] + wanted, table)
            with open(self.path(f"tsv/{table}.tsv"), encoding="utf-8", newline="\n") as file:
                lines = [line.rstrip("\n").split("\t") for line in file]
            self.assertEqual(lines[0], names)
            unescaped = [["" if text == r"\N" else text.replace("\\\\", "\\") for text in line] for line in lines[1:]]
            self.assertEqual(unescaped, wanted, table)
            cursor = stored.execute(f"SELECT * FROM {table}")
            self.assertEqual([column[0] for column in cursor.description], names)
            self.assertEqual([[self.text(value) for value in row] for row in cursor], wanted, table)
            kinds = [("INTEGER", False)] * len(own) + list(columns.values())
            with gzip.open(self.path(f"rowbinary/{table}.rowbinary.gz")) as file:
                self.assertEqual([[self.text(value) for value in row] for row in self.row_binary(file.read(), kinds)],
                                 wanted, table)

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

    def test_group_by_of_the_database_reads_the_index_alone(self):
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

    def test_the_capture_is_the_same_under_any_name(self):
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


class Statements(Traces):
    def test_nothing_is_written_or_loaded(self):
        path = self.traces[0]
        target = self.path("written")
        before = sorted(os.listdir(self.folder.name))
        for statement in (f"ATTACH '{target}' AS x", f"VACUUM INTO '{target}'", "CREATE TABLE x(a)", "PRAGMA journal_mode=WAL",
                          "SELECT load_extension('x')", "DROP TABLE slices", "DELETE FROM sqlite_schema",
                          f"CREATE VIRTUAL TABLE x USING fxt('{path}', slices)", "INSERT INTO slices(ts) VALUES(1)",
                          "PRAGMA temp_store_directory='/'", "CREATE VIRTUAL TABLE temp.x USING fts5(a)"):
            done = fxt("query", path, statement)
            with self.subTest(statement):
                self.assertEqual((done.returncode, done.stdout), (2, b""))
                self.assertRegex(done.stderr.decode(), r"\Afxt: error: [^\n]*\n(fxt: hint: [^\n]*\n)?\Z")
        self.assertEqual(sorted(os.listdir(self.folder.name)), before)

    def test_temporary_tables_are_allowed(self):
        script = self.path("script.sql")
        with open(script, "w", encoding="utf-8") as file:
            file.write("CREATE TEMP TABLE s AS SELECT * FROM slices WHERE cpu = 1;\nCREATE INDEX temp.i ON s(tid);\n"
                       "-- a comment\nSELECT count(*) AS n FROM s;")
        done = fxt("query", "--json", "-f", script, self.traces[0])
        self.assertEqual((done.returncode, done.stderr), (0, b""))
        self.assertEqual(json.loads(done.stdout), [{"n": ask(self.traces[0], "SELECT count(*) FROM slices WHERE cpu = 1")[0][0]}])

    def test_formats(self):
        statement = "SELECT 1 AS a, NULL AS b, 'x,\"|' AS c, 0.5 AS d, x'01ff' AS e"
        texts = {(): "a     b  c       d  e\n-  ----  ----  ---  ----\n1  NULL  x,\"|  0.5  01ff\n",
                 ("--csv",): 'a,b,c,d,e\n1,,"x,""|",0.5,01ff\n',
                 ("--json",): '[\n{"a":1,"b":null,"c":"x,\\"|","d":0.5,"e":"01ff"}\n]\n',
                 ("--markdown",): '| a | b | c | d | e |\n|---|---|---|---|---|\n| 1 |  | x,"\\| | 0.5 | 01ff |\n'}
        for options, text in texts.items():
            done = fxt("query", *options, self.traces[0], statement)
            self.assertEqual((done.stdout.decode(), done.stderr), (text, b""))

    def test_statements_come_from_standard_input(self):
        done = fxt("query", "--csv", self.traces[0], stdin=b"SELECT 1\n  AS a;\n.schema idle\nSELECT 2 AS b")
        self.assertEqual(done.stderr, b"")
        lines = done.stdout.decode().splitlines()
        self.assertEqual((lines[:3], lines[-2:]), (["a", "1", "name,type"], ["b", "2"]))

    def test_wrong_statements_are_one_line(self):
        for statement in ("SELEC 1", "SELECT * FROM none", "SELECT quantile(dur, 2) FROM slices", "SELECT 'a\nb"):
            done = fxt("query", self.traces[0], statement)
            self.assertEqual(done.returncode, 2)
            self.assertRegex(done.stderr.decode(), r"\Afxt: error: [^\n]+\n\Z")


class Damage(Traces):
    """Any bytes: an answer or one clear error."""

    def trace(self, name, data):
        with open(self.path(name), "wb") as file:
            file.write(data)
        return self.path(name)

    def test_a_file_that_was_cut(self):
        with open(self.traces[0], "rb") as file:
            data = file.read()
        path = self.trace("cut.fxt", data[:len(data) // 2 + 3])
        done = fxt("query", "--csv", path, "SELECT truncated FROM captures")
        self.assertEqual((done.returncode, done.stdout), (0, b"truncated\n1\n"))
        self.assertIn(b"cut short", done.stderr)

    def test_what_is_no_trace(self):
        for name, data in (("empty", b""), ("text", b"SELECT 1;" * 100), ("magic", struct.pack("<Q", 0x0016547846040010)),
                           ("zeros", struct.pack("<Q", 0x0016547846040010) + bytes(64))):
            path = self.trace(name, data)
            for words in (["query", path, "SELECT count(*) FROM slices"], ["export", path, "-o", self.path("damage.db")]):
                done = fxt(*words)
                self.assertEqual(done.returncode, 0 if name == "magic" else 2, (name, done.stderr))
                self.assertLessEqual(len(done.stderr.splitlines()), 2, done.stderr)
        done = fxt("query", "/dev/null", "SELECT 1")
        self.assertEqual(done.returncode, 2)

    def test_flipped_bytes(self):
        with open(self.traces[-1], "rb") as file:
            data = bytearray(file.read()[:200_000])
        for start in range(24, len(data), 7919):
            data[start] ^= 0xff
        path = self.trace("flipped.fxt", bytes(data))
        for table in documented_tables():
            done = fxt("query", "--csv", path, f"SELECT * FROM {table}")
            self.assertIn(done.returncode, (0, 2), table)
        self.assertIn(fxt("export", "--format", "tsv", path, "-o", self.path("flipped")).returncode, (0, 2))

    def test_hostile_names(self):
        name = b"\x1b[2Jx\n\xff,\"y\t"
        padded = name + bytes(-len(name) % 8)
        words = [struct.pack("<Q", 0x0016547846040010), struct.pack("<QQ", 1 | 2 << 4, 1_000_000_000)]
        for koid in (7, 8):
            words.append(struct.pack("<QQ", 7 | (2 + len(padded) // 8) << 4 | 2 << 16 | (0x8000 | len(name)) << 24, koid) + padded)
        for time, out, into in ((100, 7, 8), (200, 8, 7)):
            words.append(struct.pack("<QQQQQQ", 8 | 6 << 4 | 3 << 24 | 120 << 44 | 120 << 52, time, out, out, into, into))
        path = self.trace("hostile.fxt", b"".join(words))
        clean = "\\u001b[2Jx\\u000a\\xff,\"y\\u0009"
        self.assertEqual(ask(path, "SELECT tid, thread, dur, length FROM slices ORDER BY ts, tid"),
                         [[7, clean, None, 0], [8, clean, 100, 100], [7, clean, None, 0]])
        for options in ([], ["--csv"], ["--markdown"]):
            out = fxt("query", *options, path, "SELECT thread FROM slices").stdout
            self.assertNotIn(b"\x1b", out)
            self.assertNotIn(b"\xff", out)


if __name__ == "__main__":
    if "--build" in sys.argv:
        at = sys.argv.index("--build")
        BUILD = os.path.abspath(sys.argv[at + 1])
        del sys.argv[at:at + 2]
    unittest.main(verbosity=2)
