#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""A real ClickHouse server stores a capture once, whatever loads it concurrently and whatever the server or a proxy does."""

import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

sys.path[:0] = [os.path.join(os.path.dirname(os.path.abspath(__file__)), folder) for folder in (".", "../support")]

import harness  # noqa: E402
import proxy  # noqa: E402
import servers  # noqa: E402
from harness import FXT  # noqa: E402
from servers import ask, fxt  # noqa: E402

TABLES = ("slices", "waits", "wakeups", "threads")


class Once(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp(prefix="fleet-once-")
        cls.addClassCleanup(shutil.rmtree, cls.folder, True)
        cls.server = servers.Server(f"{cls.folder}/server")
        cls.server.write_config([cls.server])
        cls.server.start()
        cls.addClassCleanup(cls.server.kill)
        # Large enough for several blocks of each table.
        cls.trace = f"{cls.folder}/large.fxt"
        harness.record(cls.trace, "perf", "bench", "sched", "pipe", "-l", "60000", options=("-q",))
        cls.inside = {table: int(fxt("query", "--csv", cls.trace, f"SELECT count(*) FROM {table}").stdout.split()[-1])
                      for table in TABLES}
        loaded = fxt("export", "--clickhouse", cls.server.url, "--host", "first", "--label", "v1", cls.trace)
        assert loaded.returncode == 0, loaded.stderr

    def command(self, url, host, *more):
        return [FXT, "export", "--clickhouse", url, "--host", host, "--label", "v1", *more, self.trace]

    def count(self, what, host, table="slices"):
        return int(self.server.query(f"SELECT {what} FROM fxt.{table} WHERE host = '{host}'"))

    def assert_once(self, host):
        for table, rows in self.inside.items():
            self.assertEqual(self.count("count()", host, table), rows, table)
        self.assertEqual(self.count("uniqExact(ts, cpu, koid)", host), self.count("uniqExact(ts, cpu, koid)", "first"))

    def begin(self, host):
        """Starts a load and returns once some of its blocks have arrived."""
        before = self.count("count()", host, "slices_rows")
        load = subprocess.Popen(self.command(self.server.url, host), stderr=subprocess.DEVNULL)
        self.addCleanup(load.wait)
        while self.count("count()", host, "slices_rows") == before:
            self.assertIsNone(load.poll(), "the load was over too soon")
        return load

    def test_two_at_once(self):
        """The second load continues with the blocks of the first one, which then resumes."""
        first = self.begin("two")
        first.send_signal(signal.SIGSTOP)
        second = subprocess.run(self.command(self.server.url, "two"), capture_output=True, text=True, check=False)
        self.assertEqual(second.returncode, 0, second.stderr)
        self.assertIn("were there already", second.stderr)
        self.assert_once("two")
        first.send_signal(signal.SIGCONT)
        self.assertEqual(first.wait(), 0)
        self.assert_once("two")

    def test_killed_at_any_point(self):
        for tenths in range(8):
            with subprocess.Popen(self.command(self.server.url, "killed"), stderr=subprocess.DEVNULL) as load:
                time.sleep(tenths / 10)
                self.assertIn(self.count("count()", "killed"), (0, self.inside["slices"]), "a part of a capture is seen")
                load.kill()
        done = subprocess.run(self.command(self.server.url, "killed"), capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assert_once("killed")

    def test_a_block_that_arrives_late(self):
        with proxy.Proxy(self.server.http, ["fine", "late", "late"],
                         lambda target, body: b"slices_rows" in target.encode()) as before:
            done = subprocess.run(self.command(before.url, "late"), capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("late", before.plan.done)
        self.assertGreater(self.count("count()", "late", "slices_rows"), self.inside["slices"])
        self.assert_once("late")

    def test_a_proxy_that_fails(self):
        """A proxy that fails in many ways."""
        dice = random.Random(1)
        actions = dice.choices(["fine", "hints", "chunked", "lost", "cut", "late", "away", "gone"],
                             weights=[8, 2, 2, 1, 1, 1, 1, 1], k=60)
        for attempt in range(10):
            with proxy.Proxy(self.server.http, actions[attempt * 10:]) as before:
                done = subprocess.run(self.command(before.url, "bad"), capture_output=True, text=True, check=False)
            if done.returncode == 0:
                break
            self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assert_once("bad")

    def test_a_permanent_error_is_not_retried(self):
        with proxy.Proxy(self.server.http, ["refused"] * 9, lambda target, body: "INSERT" in target) as before:
            done = subprocess.run(self.command(before.url, "full"), capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 2)
        self.assertIn("not enough space", done.stderr)
        self.assertEqual(before.plan.done, ["refused"])

    def test_labels_are_any_text(self):
        for label in ("feature/it's", 'tab\t"\\ {0} ✓'):
            done = fxt("export", "--clickhouse", self.server.url, "--host", "odd", "--label", label, "--table",
                       "totals,histograms", self.trace)
            self.assertEqual(done.returncode, 0, done.stderr)
            found = ask(self.server, "latency", label, "", "--format", "JSON")
            self.assertEqual(found.returncode, 0, found.stderr)
            self.assertGreater(int(found.stdout.split('"rows": ')[1].split(",")[0]), 0, label)

    def test_wrong_clocks(self):
        """A capture of any year is stored once, with the nearest valid day."""
        with open(self.trace, "rb") as file:
            trace = file.read()
        start = re.search(rb"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d", trace)
        for time_of_start, day in ((b"2026-11-23T23:59:59", "2026-11-23"), (b"2026-11-24T00:00:01", "2026-11-24"),
                                   (b"1901-01-01T00:00:00", "0000-00-00"), (b"2500-01-01T00:00:00", "2105-12-31")):
            path, host = f"{self.folder}/day.fxt", f"clock-{time_of_start.decode()}"
            with open(path, "wb") as file:
                file.write(trace[:start.start()] + time_of_start + trace[start.end():])
            for _ in range(2):
                done = fxt("export", "--clickhouse", self.server.url, "--host", host, "--table", "slices", path)
                self.assertEqual(done.returncode, 0, done.stderr)
            found = self.server.query(f"SELECT day, count() FROM fxt.slices WHERE host = '{host}' GROUP BY day")
            self.assertEqual(found.replace("1970-01-01", "0000-00-00"), f"{day}\t{self.inside['slices']}\n")

    def test_cleaning_keeps_visible_loads(self):
        """Cleans loads of three days ago: a replaced one, its replacement, and an interrupted one."""
        for _ in range(2):
            done = subprocess.run(self.command(self.server.url, "old"), capture_output=True, text=True, check=False)
            self.assertEqual(done.returncode, 0, done.stderr)
        self.begin("old").kill()
        self.server.create_schema("--database", "old")
        for table in ("loads", "slices"):
            columns = [line.split("\t")[0] for line in
                       self.server.query(f"DESCRIBE TABLE old.{table}_rows").splitlines()]
            values = ", ".join("load - 3 * 86400000000000" if name == "load" else name for name in columns)
            self.server.query(f"INSERT INTO old.{table}_rows SELECT {values} FROM fxt.{table}_rows WHERE host = 'old'")
        rows = "SELECT count() FROM old.slices_rows"
        self.assertGreater(int(self.server.query(rows)), 2 * self.inside["slices"])
        cleaned = ask(self.server, "clean", "--database", "old")
        self.assertEqual(cleaned.returncode, 0, cleaned.stderr)
        end = time.monotonic() + harness.DEADLINE_S
        while int(self.server.query(rows)) != self.inside["slices"]:
            self.assertLess(time.monotonic(), end, self.server.query(rows))
            time.sleep(0.1)
        self.assertEqual(int(self.server.query("SELECT count() FROM old.slices")), self.inside["slices"])


if __name__ == "__main__":
    if not servers.SERVER or not shutil.which("perf"):
        harness.skip("clickhouse-server or perf is not installed (make deps DEPS=fleet)")
    harness.main()
