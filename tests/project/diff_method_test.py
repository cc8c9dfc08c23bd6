#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Holds the tables of docs/diff-method.md against userspace/compare: the code defines each constant once, and the page has
its value."""

import collections
import os
import pathlib
import re
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
import harness  # noqa: E402

ROOT = pathlib.Path(harness.ROOT)
COMPARE = ROOT / "userspace/compare"
PAGE = (ROOT / "docs/diff-method.md").read_text(encoding="utf-8")
CONSTANT = re.compile(r"\bconstexpr (?:double|float|size_t|int|unsigned|u?int\d+_t) (k[A-Z]\w*) =\s*([^;]+);")
# Units, counts, and constants that are no numbers of the method.
NOT_OF_THE_METHOD = {"kNsPerUs", "kNsPerMs", "kUsPerMs", "kNsPerSecond", "kMetrics", "kStatistics", "kAbsent"}
RULE_TABLES = {"change rule": "change_rules.cc", "verdict rule": "verdict_rules.cc",
               "suppression rule": "suppression_rules.cc", "cross-group rule": "attribution.cc"}
# A rule of such a table: its name, the metrics that it is for (of suppression rules), the reason, the constant.
RULE = re.compile(r'\{"(\w+)",\s*(?:k\w+,\s*)?((?:"(?:[^"\\]|\\.)*"\s*)+),\s*([\w.]+),')
UNITS = {"kMsPerSecond": "ms/s", "kPerSecond": "1/s", "kMicroseconds": "us", "kMilliseconds": "ms"}


def rows(first_heading):
    """Returns the cells of the table whose first column has this heading."""
    table = re.search(rf"^\| {first_heading} \|.*\n\|[-:|]+\|\n((?:\|.*\n)+)", PAGE, re.MULTILINE)
    return [[cell.strip().strip("`") for cell in line.strip("|").split("|")] for line in table[1].splitlines()]


class Constants(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        self.found = collections.defaultdict(list)
        for path in sorted(COMPARE.rglob("*.[ch]*")):
            for name, value in CONSTANT.findall(path.read_text(encoding="utf-8")):
                self.found[name].append((value, str(path.relative_to(COMPARE))))

    def test_each_stands_in_one_place(self):
        self.assertGreater(len(self.found), 20)
        self.assertEqual({name: places for name, places in self.found.items() if len(places) != 1}, {})

    def test_the_page_has_them_with_their_values(self):
        documented = {name: (value, file) for name, value, _, file in rows("constant")}
        self.assertEqual(documented, {name: places[0] for name, places in self.found.items()
                                      if name not in NOT_OF_THE_METHOD})

    def test_the_text_names_none_that_is_not_there(self):
        for name in re.findall(r"`(k[A-Z]\w*)`", PAGE):
            self.assertIn(name, self.found)


class Rules(unittest.TestCase):
    maxDiff = None

    def test_the_page_has_each_with_its_reason_and_constant(self):
        for heading, file in RULE_TABLES.items():
            with self.subTest(heading):
                found = RULE.findall((COMPARE / file).read_text(encoding="utf-8"))
                self.assertGreater(len(found), 3)
                self.assertEqual([tuple(row) for row in rows(heading)],
                                 [(name, "".join(re.findall(r'"((?:[^"\\]|\\.)*)"', reason)),
                                   "" if constant == "0" else constant) for name, reason, constant in found])


class Statistics(unittest.TestCase):
    def test_the_page_has_each_as_the_code_has_it(self):
        text = re.sub(r"\s+", " ", (COMPARE / "values/metric.cc").read_text(encoding="utf-8"))
        enum = re.sub(r"\s+", " ", (COMPARE / "values/metric.h").read_text(encoding="utf-8"))
        metrics = re.findall(r"\b(k\w+),", re.search(r"enum class Metric[^{]*\{(.*?)\}", enum)[1])
        ids = dict(zip(metrics, re.findall(r'"(\w+)"', re.search(r"kIds\[\] = \{(.*?)\}", text)[1])))
        table = re.findall(r'\{Statistic::\w+, Metric::(\w+), "(\w+)", StatisticUnit::(\w+), ([\d.]+), ([\d.]+), ([\d.]+), ([\d.]+)\}',
                           text)
        self.assertGreater(len(table), 20)
        self.assertEqual([[metric, statistic, unit, *numbers[:-1], numbers[-1] or "0"]
                          for metric, statistic, _, unit, *numbers in rows("metric")],
                         [[ids[metric], statistic, UNITS[unit], *numbers] for metric, statistic, unit, *numbers in table])


if __name__ == "__main__":
    harness.main()
