# SPDX-License-Identifier: BSD-2-Clause
"""Holds docs/tables.md and docs/queries.md against the program."""

import json
import re

from traces import Traces, ask, documented_queries, documented_tables, fxt


class Documentation(Traces):
    def test_tables_are_documented(self):
        documented = documented_tables()
        names = [row[0] for row in ask(self.traces[0], "SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY rowid")]
        self.assertEqual(list(documented), names)
        for name in names:
            columns = ask(self.traces[0], f"SELECT name, type, \"notnull\" FROM pragma_table_info('{name}')")
            self.assertEqual(documented[name], {column: (kind, not must) for column, kind, must in columns}, name)
            self.assertEqual(list(documented[name]), [column for column, _, _ in columns], name)

    def test_all_documented_queries_run(self):
        queries = documented_queries()
        self.assertEqual(len(queries), 40)
        for path in self.traces:
            for title, statement in queries:
                with self.subTest(title, path=path):
                    rows = ask(path, statement)
                    # A recording has what its machine did; the generated trace has rows for these queries.
                    if path == self.traces[0] and not re.search(r"missing|system call|interrupts|programs|of a process|disk|request|path|timers|slowest", title):
                        self.assertNotEqual(rows, [])

    def test_some_queries_match_the_report(self):
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
        self.assertLessEqual(total * 1e6, worst["length_ns"] + 1)
        self.assertEqual(ask(path, "SELECT ts, dur, cpu, tid FROM waits WHERE kind IN ('wakeup', 'preempted') AND certain "
                                   "ORDER BY dur DESC LIMIT 1"),
                         [[worst["begin_ns"], worst["length_ns"], worst["cpu"], worst["thread"]["id"]]])
        runs = sum(row[1] for row in ask(path, queries["How many context switches a second?"]))
        self.assertEqual(ask(path, "SELECT count(*) FROM slices"), [[runs]])

    def test_run_queue_lengths_match_the_waits(self):
        path = self.traces[0]
        begin, end = ask(path, "SELECT begin_ts, end_ts FROM captures")[0]
        waits = ask(path, "SELECT ts, ts + length FROM waits WHERE kind IN ('wakeup', 'preempted')")
        # The second trace has no waiting thread most of the time.
        few = self.path("few.fxt")
        fxt("trim", path, "-o", few, "--thread", str(ask(path, "SELECT max(tid) FROM waits WHERE kind = 'wakeup'")[0][0]))
        few_waits = ask(few, "SELECT ts, ts + length FROM waits WHERE kind IN ('wakeup', 'preempted')")
        few_edges = ask(few, "SELECT begin_ts, end_ts FROM captures")[0]
        query = dict(documented_queries())["How long was the run queue over time?"]
        for file, (first, last), times in ((path, (begin, end), waits), (few, few_edges, few_waits)):
            self.assertTrue(times)
            rows = {row[0]: row[1] for row in ask(file, query)}
            steps = range(first // 10**7, (last - 1) // 10**7 + 1)
            self.assertEqual(list(rows), [10 * step for step in steps])
            for step in steps:
                low, high = max(step * 10**7, first), min((step + 1) * 10**7, last)
                waited = sum(max(min(high, until) - max(low, since), 0) for since, until in times)
                self.assertAlmostEqual(rows[10 * step], waited / (high - low), 6, (file, step))

    def test_other_queries_add_up_to_report_and_info(self):
        """Without their LIMIT, the answers add up to the numbers of report and info."""
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
        # The whole trace is within one minute.
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
        # Queries about one process.
        process = groups[0]["process"]
        mine = [group for group in groups if group["process"] == process]
        named = {title: text.replace("'sh'", f"'{process}'") for title, text in queries.items()}
        rows = ask(path, named["Which threads of a process used it?"])
        self.assertAlmostEqual(sum(row[2] for row in rows) * 1e6, sum(group["share_ns"]["running"] for group in mine), delta=1)
        rows = ask(path, named["What are the longest waits of a process?"])
        self.assertAlmostEqual(rows[0][1] * 1e6, max(group["times"][kind]["max_ns"] for group in mine
                                                     for kind in ("wakeup_latency", "preempted_wait", "blocked")))
