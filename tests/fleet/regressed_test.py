#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""What `scripts/fleet/ask regressed` finds in sums of many hosts that are made up here: noise of which the size is
known, and in some of them a regression. The server is a real one."""

import argparse
import math
import os
import random
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "tests/fleet"))

import servers  # noqa: E402

BUILD = os.path.join(ROOT, "build")
HOSTS = [f"host{number}" for number in range(1, 13)]
GROUPS = [f"process{number}" for number in range(40)]
FLEETS = 30
SECOND = 1_000_000_000


class Fleet:
    """Labels a and b of one fleet: each group's ms per second, with log-normal noise from capture to capture."""

    def __init__(self, number, captures):
        self.number, self.captures = number, captures
        self.labels = f"a{number}", f"b{number}"
        self.dice = random.Random(number)

    def rows(self, change=lambda host, group, label: 1.0):
        """(host, label, capture, process, ns) with each value times what `change` says."""
        level = {group: math.exp(self.dice.uniform(math.log(3), math.log(300))) for group in GROUPS}
        for host in HOSTS:
            of_host = {group: level[group] * math.exp(self.dice.gauss(0, 0.3)) for group in GROUPS}
            for side, label in zip("ab", self.labels):
                for number in range(self.captures):
                    capture = self.dice.getrandbits(62)
                    for group in GROUPS:
                        ms = of_host[group] * math.exp(self.dice.gauss(0, 0.15)) * change(host, group, side)
                        if ms > 0:
                            yield host, label, capture, group, int(ms * 1e6)


class Regressed(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.mkdtemp(prefix="fleet-regressed-")
        cls.addClassCleanup(shutil.rmtree, folder, True)
        cls.server = servers.Server(folder)
        cls.server.write_config([cls.server])
        cls.server.start()
        cls.addClassCleanup(cls.server.kill)
        schema = subprocess.run([f"{BUILD}/fxt", "export", "--print-schema"], capture_output=True, text=True,
                                check=True).stdout
        for statement in schema.split(";\n"):
            if statement.strip():
                cls.server.query(statement)

    def load(self, fleet, **change):
        rows = list(fleet.rows(**change))
        captures = sorted({row[:3] for row in rows})
        # A number for all blocks of a capture does.
        self.server.query("INSERT INTO fxt.loads_rows FORMAT TabSeparated\n" + "".join(
            f"1\ttotals\t2026-01-01\t{host}\t{label}\t{capture}\t1\t1\t1\t[{capture}]\n"
            for host, label, capture in captures))
        self.server.query("INSERT INTO fxt.totals_rows FORMAT TabSeparated\n" + "".join(
            f"{capture}\t1\t0\t2026-01-01\t{host}\t{label}\t{capture}\t{group}\t{group}\t0\tcpu_time\t100\t{ns}\t{SECOND}\n"
            for host, label, capture, group, ns in rows))

    def found(self, fleet, *more):
        done = subprocess.run([f"{ROOT}/scripts/fleet/ask", self.server.url, "regressed", *fleet.labels, *more,
                               "--format", "TabSeparated"], text=True, capture_output=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        return [tuple(line.split("\t")[:2]) for line in done.stdout.splitlines()]

    def test_silent_where_nothing_changed(self):
        """Of 30 fleets, in each of which 480 groups are looked at, one or two have a row by chance."""
        for captures in (3, 5):
            loud = 0
            for number in range(FLEETS):
                fleet = Fleet(1000 * captures + number, captures)
                self.load(fleet)
                loud += bool(self.found(fleet))
            self.assertLessEqual(loud, 4, f"{captures} captures of a label")

    def test_one_group_of_one_host(self):
        """Twice as much, where captures differ by 15% from one to the next."""
        seen = others = 0
        for number in range(FLEETS):
            fleet = Fleet(20_000 + number, 4)
            slow = HOSTS[number % len(HOSTS)], GROUPS[number % len(GROUPS)]
            self.load(fleet, change=lambda host, group, side, slow=slow:
                      2.0 if (host, group, side) == (*slow, "b") else 1.0)
            found = self.found(fleet)
            seen += slow in found
            others += len(set(found) - {slow})
        self.assertGreaterEqual(seen, FLEETS * 0.8)
        # One in twenty.
        self.assertLessEqual(others, FLEETS * 0.15)

    def test_what_was_not_there_before(self):
        fleet = Fleet(30_000, 4)
        self.load(fleet, change=lambda host, group, side: 0.0 if (host, group, side) == (HOSTS[2], GROUPS[5], "a") else 1.0)
        self.assertEqual(self.found(fleet), [(HOSTS[2], GROUPS[5])])

    def test_what_was_in_one_capture_is_noise(self):
        fleet, seen = Fleet(40_000, 5), []

        def once(host, group, _):
            if (host, group) != (HOSTS[2], GROUPS[5]):
                return 1.0
            seen.append(group)
            return 50.0 if len(seen) == 10 else 0.0

        self.load(fleet, change=once)
        self.assertEqual(self.found(fleet), [])

    def test_few_captures_say_nothing(self):
        fleet = Fleet(50_000, 2)
        self.load(fleet, change=lambda host, group, side: 4.0 if (host, side) == (HOSTS[0], "b") else 1.0)
        self.assertEqual(self.found(fleet), [])
        self.assertEqual(self.found(fleet, "--least", "1"), self.found(fleet, "--least", "2"))

    def test_one_host_alone(self):
        """Nobody lends it captures."""
        fleet = Fleet(60_000, 5)
        fleet_rows = fleet.rows
        fleet.rows = lambda **change: (row for row in fleet_rows(**change) if row[0] == HOSTS[0])
        self.load(fleet, change=lambda host, group, side: 4.0 if (group, side) == (GROUPS[7], "b") else 1.0)
        self.assertEqual(self.found(fleet), [(HOSTS[0], GROUPS[7])])


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", default=BUILD)
    known, rest = parser.parse_known_args()
    BUILD = os.path.abspath(known.build)
    if not servers.SERVER:
        print("SKIPPED fleet-test: clickhouse-server is not installed (make deps DEPS=fleet)")
        sys.exit(0)
    unittest.main(argv=[sys.argv[0], *rest], verbosity=2)
