#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""A capture on a real ClickHouse server is there once, whoever loads it at the same time and however badly the
server or what lies before it behaves."""

import argparse
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

sys.dont_write_bytecode = True
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "tests/fleet"))

import proxy  # noqa: E402
import servers  # noqa: E402

BUILD = os.path.join(ROOT, "build")
TABLES = ("slices", "waits", "wakeups", "threads")


def fxt(*arguments):
    return subprocess.run([f"{BUILD}/fxt", *arguments], text=True, capture_output=True, check=False)


def ask(server, *arguments):
    return subprocess.run([f"{ROOT}/scripts/fleet/ask", server.url, *arguments], text=True, capture_output=True,
                          check=False)


class Once(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp(prefix="fleet-once-")
        cls.addClassCleanup(shutil.rmtree, cls.folder, True)
        cls.server = servers.Server(f"{cls.folder}/server")
        cls.server.write_config([cls.server])
        cls.server.start()
        cls.addClassCleanup(cls.server.kill)
        # Some blocks of each table.
        cls.trace = f"{cls.folder}/large.fxt"
        made = subprocess.run([f"{BUILD}/fxt-record", "-q", "-o", cls.trace, "--", "perf", "bench", "sched", "pipe",
                               "-l", "60000"], capture_output=True, text=True, check=False)
        assert made.returncode == 0, made.stderr
        cls.inside = {table: int(fxt("query", "--csv", cls.trace, f"SELECT count(*) FROM {table}").stdout.split()[-1])
                      for table in TABLES}
        loaded = fxt("export", "--clickhouse", cls.server.url, "--host", "first", "--label", "v1", cls.trace)
        assert loaded.returncode == 0, loaded.stderr

    def command(self, url, host, *more):
        return [f"{BUILD}/fxt", "export", "--clickhouse", url, "--host", host, "--label", "v1", *more, self.trace]

    def count(self, what, host, table="slices"):
        return int(self.server.query(f"SELECT {what} FROM fxt.{table} WHERE host = '{host}'"))

    def assert_once(self, host):
        for table, rows in self.inside.items():
            self.assertEqual(self.count("count()", host, table), rows, table)
        self.assertEqual(self.count("uniqExact(ts, cpu, koid)", host), self.count("uniqExact(ts, cpu, koid)", "first"))

    def begin(self, host):
        """A load that has brought some blocks, and not all."""
        before = self.count("count()", host, "slices_rows")
        load = subprocess.Popen(self.command(self.server.url, host), stderr=subprocess.DEVNULL)
        self.addCleanup(load.wait)
        while self.count("count()", host, "slices_rows") == before:
            self.assertIsNone(load.poll(), "the load was over too soon")
        return load

    def test_two_at_once(self):
        """The second one takes over what the first one brought, which then goes on."""
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

    def test_a_block_that_arrives_after_it_was_given_up(self):
        with proxy.Proxy(self.server.http, ["fine", "late", "late"],
                         lambda target, body: b"slices_rows" in target.encode()) as before:
            done = subprocess.run(self.command(before.url, "late"), capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("late", before.day.done)
        self.assertGreater(self.count("count()", "late", "slices_rows"), self.inside["slices"])
        self.assert_once("late")

    def test_bad_days(self):
        """All that a proxy may do, often."""
        dice = random.Random(1)
        deeds = dice.choices(["fine", "hints", "chunked", "lost", "cut", "late", "away", "gone"],
                             weights=[8, 2, 2, 1, 1, 1, 1, 1], k=60)
        for attempt in range(10):
            with proxy.Proxy(self.server.http, deeds[attempt * 10:]) as before:
                done = subprocess.run(self.command(before.url, "bad"), capture_output=True, text=True, check=False)
            if done.returncode == 0:
                break
            self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assert_once("bad")

    def test_an_error_that_stays_is_told_at_once(self):
        with proxy.Proxy(self.server.http, ["refused"] * 9, lambda target, body: "INSERT" in target) as before:
            done = subprocess.run(self.command(before.url, "full"), capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 2)
        self.assertIn("not enough space", done.stderr)
        self.assertEqual(before.day.done, ["refused"])

    def test_labels_are_any_text(self):
        for label in ("feature/it's", 'tab\t"\\ {0} ✓'):
            done = fxt("export", "--clickhouse", self.server.url, "--host", "odd", "--label", label, "--table",
                       "totals,histograms", self.trace)
            self.assertEqual(done.returncode, 0, done.stderr)
            found = ask(self.server, "latency", label, "", "--format", "JSON")
            self.assertEqual(found.returncode, 0, found.stderr)
            self.assertGreater(int(found.stdout.split('"rows": ')[1].split(",")[0]), 0, label)

    def test_clocks_that_are_wrong(self):
        """A capture of any year is there once, of the day that comes next to it."""
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

    def test_cleaning_leaves_what_is_seen(self):
        """Of loads of three days ago: one that was replaced, the one that replaced it, and one that was broken off."""
        for _ in range(2):
            done = subprocess.run(self.command(self.server.url, "old"), capture_output=True, text=True, check=False)
            self.assertEqual(done.returncode, 0, done.stderr)
        self.begin("old").kill()
        for statement in fxt("export", "--print-schema", "--database", "old").stdout.split(";\n"):
            if statement.strip():
                self.server.query(statement)
        for table in ("loads", "slices"):
            columns = [line.split("\t")[0] for line in
                       self.server.query(f"DESCRIBE TABLE old.{table}_rows").splitlines()]
            values = ", ".join("load - 3 * 86400000000000" if name == "load" else name for name in columns)
            self.server.query(f"INSERT INTO old.{table}_rows SELECT {values} FROM fxt.{table}_rows WHERE host = 'old'")
        rows = "SELECT count() FROM old.slices_rows"
        self.assertGreater(int(self.server.query(rows)), 2 * self.inside["slices"])
        cleaned = ask(self.server, "clean", "--database", "old")
        self.assertEqual(cleaned.returncode, 0, cleaned.stderr)
        end = time.monotonic() + 60
        while int(self.server.query(rows)) != self.inside["slices"]:
            self.assertLess(time.monotonic(), end, self.server.query(rows))
            time.sleep(0.1)
        self.assertEqual(int(self.server.query("SELECT count() FROM old.slices")), self.inside["slices"])


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", default=BUILD)
    known, rest = parser.parse_known_args()
    BUILD = os.path.abspath(known.build)
    if not servers.SERVER or not shutil.which("perf"):
        print("SKIPPED fleet-test: clickhouse-server or perf is not installed (make deps DEPS=fleet)")
        sys.exit(0)
    unittest.main(argv=[sys.argv[0], *rest], verbosity=2)
