# SPDX-License-Identifier: BSD-2-Clause
"""The allowed statements, and the formats of their rows."""

import json
import os

from traces import Traces, ask, fxt, make_trace


class Statements(Traces):
    def test_statements_write_and_load_nothing(self):
        path = self.traces[0]
        target = self.path("written")
        before = sorted(os.listdir(self.folder))
        for statement in (f"ATTACH '{target}' AS x", f"VACUUM INTO '{target}'", "CREATE TABLE x(a)", "PRAGMA journal_mode=WAL",
                          "SELECT load_extension('x')", "DROP TABLE slices", "DELETE FROM sqlite_schema",
                          f"CREATE VIRTUAL TABLE x USING fxt('{path}', slices)", "INSERT INTO slices(ts) VALUES(1)",
                          "PRAGMA temp_store_directory='/'", "CREATE VIRTUAL TABLE temp.x USING fts5(a)"):
            done = fxt("query", path, statement)
            with self.subTest(statement):
                self.assertEqual((done.returncode, done.stdout), (2, b""))
                self.assertRegex(done.stderr.decode(), r"\Afxt: error: [^\n]*\n(fxt: hint: [^\n]*\n)?\Z")
        self.assertEqual(sorted(os.listdir(self.folder)), before)

    def test_unknown_names_get_the_nearest(self):
        for statement, hint in (("SELECT * FROM wait", "did you mean 'waits'? the tables are: captures, "),
                                ("SELECT * FROM nothing_like_it", "fxt: hint: the tables are: captures, "),
                                ("SELECT s.durr FROM slices s", "did you mean 'dur'? .schema TABLE"),
                                ("SELECT priority FROM waits", "fxt: hint: a column of slices; .schema TABLE"),
                                (".table", ".tables, ")):
            done = fxt("query", self.traces[0], statement)
            with self.subTest(statement):
                self.assertEqual((done.returncode, done.stdout), (2, b""))
                self.assertIn(hint, done.stderr.decode())

    def test_names_of_tables_and_columns(self):
        tables = ask(self.traces[0], ".tables")
        self.assertIn(["waits"], [list(row) for row in tables])
        columns = [tuple(row) for row in ask(self.traces[0], ".schema")]
        self.assertIn(("slices", "ts", "INTEGER"), columns)
        self.assertEqual({table for table, _, _ in columns}, {table for table, in tables})

    def test_weights_histograms_and_levels(self):
        path = self.traces[0]
        self.assertEqual(ask(path, "WITH v(x, w) AS (VALUES (10, 1), (20, 3), (30, 0), (40, NULL), (NULL, 9)) "
                                   "SELECT quantile(x, 0.2, w), quantile(x, 0.5, w), quantile(x, 1, w), quantile(x, 1) FROM v"),
                         [[10, 20, 20, 40]])
        bars = json.loads(ask(path, "WITH v(x) AS (VALUES (0), (3), (3), (1000000)) SELECT histogram(x) FROM v")[0][0])
        self.assertEqual(sum(bar["count"] for bar in bars), 4)
        for value, count in ((0, 1), (3, 2), (1000000, 1)):
            self.assertTrue(any(bar["least"] <= value <= bar["most"] and bar["count"] >= count for bar in bars), bars)
        self.assertEqual(ask(path, "SELECT histogram(1, 0), concurrency(NULL, 1)"), [[None, None]])
        levels = ask(path, "SELECT value ->> 'level', value ->> 'ns' FROM json_each((SELECT concurrency(ts, length) FROM waits "
                           "WHERE kind IN ('wakeup', 'preempted')))")
        changes = {}
        for ts, end in ask(path, "SELECT ts, ts + length FROM waits WHERE kind IN ('wakeup', 'preempted')"):
            changes[ts] = changes.get(ts, 0) + 1
            changes[end] = changes.get(end, 0) - 1
        times, level, last = {}, 0, min(changes)
        for ts in sorted(changes):
            times[level] = times.get(level, 0) + ts - last
            level, last = level + changes[ts], ts
        self.assertEqual({row[0]: row[1] for row in levels}, {level: ns for level, ns in times.items() if ns})

    def test_states_of_spans_add_up(self):
        path = self.path("requests.fxt")
        make_trace(path, "0.02", "50")
        states = ask(path, "SELECT id, ts, koid, dur, sum(state_ns), count(DISTINCT state) FROM span_states GROUP BY id, ts, koid, dur")
        spans = ask(path, "SELECT count(*) FROM spans WHERE dur > 0")[0][0]
        self.assertGreater(spans, 10)
        self.assertEqual(len(states), spans)
        for *_, dur, total, kinds in states:
            self.assertEqual(total, dur)
            self.assertGreater(kinds, 1)
        for ts, waker_tid, begin, dur, koid in ask(path, "SELECT w.ts, w.waker_tid, w.span_ts, w.span_dur, s.tid FROM waker_spans w "
                                                         "JOIN spans s ON s.ts = w.span_ts AND s.dur = w.span_dur"):
            self.assertEqual(waker_tid, koid)
            self.assertTrue(begin <= ts <= begin + dur)
        self.assertIn(["span_states"], [list(row) for row in ask(path, ".tables")])

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

    def test_json_writes_large_integers_as_strings(self):
        numbers = (0, -1, 2**53 - 1, 2**53, -2**53, 2**53 + 1, -2**53 - 1, 2**63 - 1, -2**63)
        columns = ", ".join(f"{number if number != -2**63 else '-9223372036854775807 - 1'} AS n{i}" for i, number in enumerate(numbers))
        done = fxt("query", "--json", self.traces[0], f"SELECT {columns}")
        self.assertEqual((done.returncode, done.stderr), (0, b""))
        values = list(json.loads(done.stdout)[0].values())
        self.assertEqual(values, [number if abs(number) <= 2**53 else str(number) for number in numbers])
        # As a number everywhere else.
        self.assertEqual(fxt("query", "--csv", self.traces[0], f"SELECT {columns}").stdout.decode().splitlines()[1],
                         ",".join(str(number) for number in numbers))
        capture = fxt("query", "--csv", self.traces[0], "SELECT capture FROM captures").stdout.split()[1].decode()
        self.assertGreater(int(capture), 2**53)
        self.assertEqual(ask(self.traces[0], "SELECT capture FROM captures"), [[capture]])

    def test_statements_come_from_standard_input(self):
        done = fxt("query", "--csv", self.traces[0], stdin=b"SELECT 1\n  AS a;\n.schema idle\nSELECT 2 AS b")
        self.assertEqual(done.stderr, b"")
        lines = done.stdout.decode().splitlines()
        self.assertEqual((lines[:3], lines[-2:]), (["a", "1", "name,type"], ["b", "2"]))

    def test_an_error_is_one_line_and_a_hint(self):
        for statement in ("SELEC 1", "SELECT * FROM none", "SELECT quantile(dur, 2) FROM slices", "SELECT 'a\nb",
                          "SELECT quantile(dur, 'x') FROM slices", "SELECT quantile(dur, NULL) FROM slices"):
            done = fxt("query", self.traces[0], statement)
            self.assertEqual(done.returncode, 2)
            self.assertRegex(done.stderr.decode(), r"\Afxt: error: [^\n]+\n(fxt: hint: [^\n]+\n)?\Z")

    def test_quantile_takes_integers(self):
        # 0.4 us would be 0.
        for value in ("dur / 1e9", "-1", "'x'", "1e300", "x'00'"):
            done = fxt("query", self.traces[0], f"SELECT quantile({value}, 0.5) FROM slices")
            self.assertEqual((done.returncode, b"quantile(dur, 0.5) / 1e3" in done.stderr), (2, True), value)
        self.assertEqual(ask(self.traces[0], "SELECT quantile(1.0 * dur, 0.5) = quantile(dur, 0.5), quantile(dur || '', 0.5) = "
                                             "quantile(dur, 0.5), quantile(NULL, 0.5), quantile(0, 1) FROM slices"), [[1, 1, None, 0]])
