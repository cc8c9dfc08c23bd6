#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""`scripts/fleet/ask regressed` with generated sums of many hosts: noise of known size, and a regression in some of them.
The server is real."""

import math
import os
import random
import shutil
import sys
import tempfile
import unittest

sys.path[:0] = [os.path.join(os.path.dirname(os.path.abspath(__file__)), folder) for folder in (".", "../support")]

import harness  # noqa: E402
import servers  # noqa: E402
from servers import ask  # noqa: E402

HOSTS = [f"host{number}" for number in range(1, 13)]
GROUPS = [f"process{number}" for number in range(40)]
FLEETS = 30
SECOND = 1_000_000_000


class Fleet:
    """Labels a and b of one fleet: ms per second of each group, with log-normal noise between captures."""

    def __init__(self, number, captures):
        self.number, self.captures = number, captures
        self.labels = f"a{number}", f"b{number}"
        self.dice = random.Random(number)

    def rows(self, change=lambda host, group, label: 1.0):
        """Yields (host, label, capture, process, ns). `change` scales the values."""
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
        cls.server.create_schema()

    def load(self, fleet, **change):
        rows = list(fleet.rows(**change))
        captures = sorted({row[:3] for row in rows})
        # All blocks of a capture have one number.
        self.server.query("INSERT INTO fxt.loads_rows FORMAT TabSeparated\n" + "".join(
            f"1\ttotals\t2026-01-01\t{host}\t{label}\t{capture}\t1\t1\t1\t[{capture}]\n"
            for host, label, capture in captures))
        self.server.query("INSERT INTO fxt.totals_rows FORMAT TabSeparated\n" + "".join(
            f"{capture}\t1\t0\t2026-01-01\t{host}\t{label}\t{capture}\t{group}\t{group}\t0\tcpu_time\t100\t{ns}\t{SECOND}\n"
            for host, label, capture, group, ns in rows))

    def found(self, fleet, *more):
        done = ask(self.server, "regressed", *fleet.labels, *more, "--format", "TabSeparated")
        self.assertEqual(done.returncode, 0, done.stderr)
        return [tuple(line.split("\t")[:2]) for line in done.stdout.splitlines()]

    def test_no_finding_without_a_change(self):
        """By chance, one or two of 30 fleets with 480 groups each have a finding."""
        for captures in (3, 5):
            loud = 0
            for number in range(FLEETS):
                fleet = Fleet(1000 * captures + number, captures)
                self.load(fleet)
                loud += bool(self.found(fleet))
            self.assertLessEqual(loud, 4, f"{captures} captures of a label")

    def test_one_group_of_one_host(self):
        """A group takes twice as long; captures differ by 15%."""
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
        # One fleet in twenty.
        self.assertLessEqual(others, FLEETS * 0.15)

    def test_a_new_group(self):
        fleet = Fleet(30_000, 4)
        self.load(fleet, change=lambda host, group, side: 0.0 if (host, group, side) == (HOSTS[2], GROUPS[5], "a") else 1.0)
        self.assertEqual(self.found(fleet), [(HOSTS[2], GROUPS[5])])

    def test_a_single_capture_is_noise(self):
        fleet, seen = Fleet(40_000, 5), []

        def once(host, group, _):
            if (host, group) != (HOSTS[2], GROUPS[5]):
                return 1.0
            seen.append(group)
            return 50.0 if len(seen) == 10 else 0.0

        self.load(fleet, change=once)
        self.assertEqual(self.found(fleet), [])

    def test_too_few_captures_have_no_finding(self):
        fleet = Fleet(50_000, 2)
        self.load(fleet, change=lambda host, group, side: 4.0 if (host, side) == (HOSTS[0], "b") else 1.0)
        self.assertEqual(self.found(fleet), [])
        self.assertEqual(self.found(fleet, "--least", "1"), self.found(fleet, "--least", "2"))

    def test_one_host_alone(self):
        """A single host has only its own captures."""
        fleet = Fleet(60_000, 5)
        fleet_rows = fleet.rows
        fleet.rows = lambda **change: (row for row in fleet_rows(**change) if row[0] == HOSTS[0])
        self.load(fleet, change=lambda host, group, side: 4.0 if (group, side) == (GROUPS[7], "b") else 1.0)
        self.assertEqual(self.found(fleet), [(HOSTS[0], GROUPS[7])])


if __name__ == "__main__":
    if not servers.SERVER:
        harness.skip("clickhouse-server is not installed (make deps DEPS=fleet)")
    harness.main()
