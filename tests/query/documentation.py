# SPDX-License-Identifier: BSD-2-Clause
"""docs/tables.md and docs/queries.md are true."""

import json
import re

from traces import Traces, ask, documented_queries, documented_tables, fxt


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
