# SPDX-License-Identifier: BSD-2-Clause
"""Sums over rows equal the numbers of `fxt report` and `fxt info`."""

import json
import re

from traces import Traces, ask, fxt

KINDS = {"wakeup": "runnable_wakeup", "preempted": "runnable_preempted", "sleep": "sleeping", "blocked": "blocked",
         "stopped": "stopped", "throttled": "throttled"}


class Sums(Traces):
    def test_sums_match_report(self):
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

    def test_quantiles_of_a_group_match_report(self):
        path = self.traces[0]
        report = json.loads(fxt("report", "--json", path).stdout)
        group = report["groups"][0]
        where = f"process = '{group['process']}' AND thread GLOB '{group['thread'].replace('#', '[0-9]')}' AND certain " \
                "AND kind = 'wakeup' AND began = 'seen' AND ended = 'seen'"
        times = group["times"]["wakeup_latency"]
        self.assertEqual(ask(path, f"SELECT quantile(dur, 0.5), quantile(dur, 0.9) FROM waits WHERE {where}"),
                         [[times["p50_ns"], times["p90_ns"]]])

    def test_counts_match_info(self):
        for path in self.traces:
            info = json.loads(fxt("info", "--json", path).stdout)
            count = {kind: counted["count"] for kind, counted in info["kinds"].items()}
            with self.subTest(path):
                for table, kinds in (("wakeups", ["wakeup"]), ("instants", ["instant", "async-instant"]),
                                     ("logs", ["log"]), ("blobs", ["blob", "large-blob"])):
                    self.assertEqual(ask(path, f"SELECT count(*) FROM {table}"),
                                     [[sum(count.get(kind, 0) for kind in kinds)]], table)
                self.assertEqual(ask(path, "SELECT records, switches FROM captures"), [[info["records"], count["switch"]]])
                for cpu in info["cpus"]:
                    self.assertEqual(ask(path, "SELECT switches, wakeups, busy_ns, unknown_ns FROM cpus "
                                               f"WHERE cpu = {cpu['cpu']}"),
                                     [[cpu["switches"], cpu["wakeups"], cpu["busy_ns"], cpu["unknown_ns"]]])
                self.assertEqual(ask(path, "SELECT end_ts - begin_ts FROM captures"), [[info["window_ns"]]])
                blocked = info.get("blocked", [])
                self.assertEqual(ask(path, "SELECT count(*), total(length) FROM waits WHERE kind = 'blocked' "
                                           "AND began = 'seen' AND (ended = 'seen' AND certain OR ended = 'no_wakeup')"),
                                 [[sum(why["waits"] for why in blocked), sum(why["ns"] for why in blocked)]])
                ran = {thread["koid"]: thread["run_ns"] for thread in info["threads"] if not thread["idle"] and thread["run_ns"]}
                self.assertEqual(dict(ask(path, "SELECT koid, sum(length) FROM slices WHERE length > 0 GROUP BY koid")), ran)

    def test_pushed_down_conditions_select_the_same_rows(self):
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

    def test_grouping_matches_sorting(self):
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
