#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Captures of six hosts on two real ClickHouse servers: loading, queries, interrupted loads and missing servers."""

import bisect
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import unittest

sys.path[:0] = [os.path.join(os.path.dirname(os.path.abspath(__file__)), folder) for folder in (".", "../support")]

import harness  # noqa: E402
import servers  # noqa: E402
from harness import FXT, RECORDER  # noqa: E402
from servers import ask, fxt  # noqa: E402

HOSTS = [f"host{number}" for number in range(1, 7)]
SLOW = "host4"
CAPTURES = 6
# A service that works 100 times a second. Its priority keeps other load of the machine from reducing its work.
SERVICE = """
import ctypes, os, sys, time
os.setpriority(os.PRIO_PROCESS, 0, -15)
ctypes.CDLL(None).prctl(15, b"service", 0, 0, 0)
work, end = int(sys.argv[1]), time.monotonic() + 0.8
while time.monotonic() < end:
    for i in range(work): pass
    time.sleep(0.01)
"""


class Fleet(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp(prefix="fleet-")
        cls.addClassCleanup(shutil.rmtree, cls.folder, True)
        cls.servers = servers.start_cluster(cls.folder)
        for server in cls.servers:
            cls.addClassCleanup(lambda server=server: server.kill())
        for server in cls.servers:
            server.create_schema("--cluster", servers.CLUSTER)
        cls.captures = cls.load_everything()

    @classmethod
    def load_everything(cls):
        """Six hosts with two labels each. On one host the service of the second label does four times the work."""
        loaded = []
        for number in range(CAPTURES):
            for host in HOSTS:
                for label in ("v1", "v2"):
                    path = f"{cls.folder}/{label}-{host}-{number}.fxt"
                    work = 160_000 if (label, host) == ("v2", SLOW) else 40_000
                    harness.record(path, sys.executable, "-c", SERVICE, str(work), options=("-q",))
                    loaded.append((path, host, label))
        begin, rows, of_bytes = time.monotonic(), 0, 0
        for path, host, label in loaded:
            done = fxt("export", "--clickhouse", cls.servers[0].url, "--host", host, "--label", label, path)
            assert done.returncode == 0, done.stderr
            found = re.search(r": (\d+) rows to .* (\d+) bytes a row", done.stderr)
            rows += int(found[1])
            of_bytes += int(found[1]) * int(found[2])
        seconds = time.monotonic() - begin
        print(f"\nloaded {len(loaded)} captures of {len(HOSTS)} hosts: {rows} rows in {seconds:.1f} s, "
              f"{rows / seconds:.0f} rows/s, {of_bytes / rows:.0f} bytes a row sent")
        return loaded

    def kept_on(self, host):
        """Returns the server that stores the host, and the other one."""
        for number, server in enumerate(self.servers):
            if int(server.query(f"SELECT count() FROM fxt.loads_local WHERE host = '{host}'")):
                return server, self.servers[1 - number]
        raise AssertionError(f"no server stores {host}")

    def test_every_row_is_there_once(self):
        for table in ("slices", "waits", "wakeups", "threads"):
            inside = 0
            for path, _, _ in self.captures:
                inside += int(fxt("query", "--csv", path, f"SELECT count(*) FROM {table}").stdout.split()[-1])
            self.assertEqual(int(self.servers[1].query(f"SELECT count() FROM fxt.{table}")), inside, table)
        self.assertTrue(all(int(server.query("SELECT count() FROM fxt.slices_local")) for server in self.servers),
                        "one server has everything")
        sizes = [[int(n) for n in server.query(
            "SELECT sum(bytes_on_disk), sum(rows) FROM system.parts WHERE active AND database = 'fxt'").split()]
            for server in self.servers]
        print(f"on disk: {sum(s[0] for s in sizes) / sum(s[1] for s in sizes):.1f} bytes a row")

    def test_loading_again_replaces(self):
        path, host, label = self.captures[0]
        before = self.servers[0].query("SELECT count(), sum(dur) FROM fxt.waits")
        for files in ([path], [path, path]):
            again = fxt("export", "--clickhouse", self.servers[1].url, "--host", host, "--label", label, *files)
            self.assertEqual(again.returncode, 0, again.stderr)
            self.assertEqual(self.servers[0].query("SELECT count(), sum(dur) FROM fxt.waits"), before)

    def test_one_query_finds_the_slow_host(self):
        begin = time.monotonic()
        found = ask(self.servers[1], "regressed", "v1", "v2", "--format", "TabSeparated")
        print(f"the query that finds it took {time.monotonic() - begin:.2f} s:\n{found.stdout}")
        self.assertEqual(found.returncode, 0, found.stderr)
        # The captures also contain other load of this machine.
        rows = [line.split("\t") for line in found.stdout.splitlines()]
        ours = [row[0] for row in rows if row[1] == "service" and row[3] == "cpu_time"]
        values = self.servers[1].query("SELECT host, label, arraySort(groupArray(round(1000 * ns / capture_ns))) FROM "
                                       "fxt.totals WHERE process = 'service' AND metric = 'cpu_time' GROUP BY host, label "
                                       "ORDER BY host, label")
        self.assertEqual(ours, [SLOW], f"{found.stdout}\nms per second:\n{values}")

    def test_few_captures_say_nothing(self):
        found = ask(self.servers[0], "regressed", "v1", "v2", "--least", str(CAPTURES + 1), "--format", "TabSeparated")
        self.assertEqual((found.returncode, found.stdout), (0, ""))

    def test_histograms_add_up(self):
        """Over all hosts and captures, each bucket counts the waits of its lengths."""
        for kind, metric in (("wakeup", "wakeup_latency"), ("preempted", "preempted_wait"), ("blocked", "blocked")):
            waits = []
            for path, _, label in self.captures:
                if label == "v1":
                    answer = fxt("query", "--csv", path, f"SELECT dur FROM waits WHERE kind = '{kind}' AND certain = 1 "
                                 "AND began != 'edge' AND ended != 'edge'").stdout
                    waits += [int(line) for line in answer.splitlines()[1:]]
            waits.sort()
            self.assertTrue(waits)
            buckets = [[int(n) for n in line.split("\t")] for line in self.servers[0].query(
                "SELECT least_ns, most_ns, sum(count) FROM fxt.histograms WHERE label = 'v1' AND metric = "
                f"'{metric}' GROUP BY least_ns, most_ns").splitlines()]
            self.assertEqual(sum(count for _, _, count in buckets), len(waits), metric)
            for least, most, count in buckets:
                self.assertEqual(bisect.bisect_right(waits, most) - bisect.bisect_left(waits, least), count, metric)
            total = self.servers[0].query(f"SELECT sum(ns) FROM fxt.totals WHERE label = 'v1' AND metric = '{metric}'")
            self.assertEqual(int(total), sum(waits), metric)
        answer = ask(self.servers[0], "latency", "v1", "v2", "--format", "TabSeparated")
        self.assertEqual(answer.returncode, 0, answer.stderr)
        self.assertIn("service", answer.stdout)

    def test_killed_in_mid_load(self):
        path = f"{self.folder}/large.fxt"
        made = harness.run(RECORDER, "-q", "-o", path, "--", "perf", "bench", "sched", "pipe", "-l", "100000")
        if made.returncode != 0:
            self.skipTest("perf bench is not there")
        shard, other = self.kept_on(HOSTS[0])
        total = "SELECT count() FROM fxt.slices"
        before = int(other.query(total))
        command = [FXT, "export", "--clickhouse", other.url, "--host", HOSTS[0], "--label", "large", path]
        with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as load:
            arrived = "SELECT count() FROM fxt.slices_local WHERE label = 'large'"
            while int(shard.query(arrived)) == 0:
                self.assertIsNone(load.poll(), "the load was over too soon")
            shard.kill()
            broken = load.communicate(timeout=300)[1]
        print(f"a shard killed in mid-load: {broken.strip()}")
        self.assertEqual(load.returncode, 2)
        self.assertEqual(len([line for line in broken.splitlines() if "error" in line]), 1, broken)
        # A query without that shard is an error, not a shorter answer.
        with self.assertRaises(servers.QueryError):
            other.query(total)
        refused = ask(other, "regressed", "v1", "v2")
        print(f"a query with a shard missing: {refused.stderr.strip()[:160]}")
        self.assertNotEqual(refused.returncode, 0)
        shard.start()
        self.assertEqual(int(other.query(total)), before, "a part of a capture is seen")
        again = subprocess.run(command, stderr=subprocess.PIPE, text=True, check=False)
        print(f"the same once more: {again.stderr.strip()}")
        self.assertEqual(again.returncode, 0, again.stderr)
        self.assertIn("were there already", again.stderr)
        inside = int(fxt("query", "--csv", path, "SELECT count(*) FROM slices").stdout.split()[-1])
        self.assertEqual(int(other.query(total)), before + inside)
        different = int(fxt("query", "--csv", path, "SELECT count(*) FROM (SELECT DISTINCT ts, cpu, koid FROM slices)"
                            ).stdout.split()[-1])
        self.assertEqual(int(other.query("SELECT uniqExact(ts, cpu, koid) FROM fxt.slices WHERE label = 'large'")),
                         different, "a row is there twice, or another one is missing")

    def test_killed_in_mid_query(self):
        shard, other = self.kept_on(HOSTS[0])
        slow = "SELECT count() FROM fxt.slices_rows WHERE NOT ignore(sleep(1)) SETTINGS max_block_size = 4096"
        with subprocess.Popen(["curl", "-sS", "-w", "\n%{http_code}", other.url, "--data-binary", slow],
                              stdout=subprocess.PIPE, text=True) as query:
            end = time.monotonic() + 30
            while "ignore(sleep" not in shard.query("SELECT query FROM system.processes WHERE query NOT LIKE '%system%'"):
                self.assertLess(time.monotonic(), end, "the query did not come to the shard")
            shard.kill()
            answer = query.communicate(timeout=120)[0]
        shard.start()
        print(f"a shard killed in mid-query: {answer.splitlines()[0][:160]}")
        self.assertIn("Exception", answer)


class Errors(unittest.TestCase):
    def check(self, words, *arguments):
        done = fxt("export", *arguments)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertEqual(len([line for line in done.stderr.splitlines() if "error:" in line]), 1, done.stderr)
        self.assertRegex(done.stderr, words)

    def test_addresses(self):
        with tempfile.NamedTemporaryFile(suffix=".fxt") as trace:
            self.check("https", "--clickhouse", "https://a:1", trace.name)
            self.check("http://", "--clickhouse", "a:1", trace.name)
            self.check("port", "--clickhouse", "http://a:x", trace.name)
            self.check("--database", "--clickhouse", "http://a", "--database", "a;b", trace.name)
            self.check("--output has no effect with --clickhouse", "--clickhouse", "http://a", "-o", "x", trace.name)


if __name__ == "__main__":
    if not servers.SERVER:
        harness.skip("clickhouse-server is not installed (make deps DEPS=fleet)")
    harness.main()
