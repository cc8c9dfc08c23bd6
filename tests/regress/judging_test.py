#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""The rules of judging.py, and the completeness of expectations.json."""

import json
import os
import pathlib
import re
import sys
import unittest

from judging import judge

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "../support"))

import harness  # noqa: E402

EXPECTED = {"causes": {"^shop/worker-": ["sleep"], "^shop/client-": ["blocked"]}, "verdicts": ["worse"]}


def finding(rank, group="shop/worker-#", metric="sleep", verdict="worse"):
    process, _, thread = group.partition("/")
    return {"rank": rank, "group": {"process": process, "thread": thread} if group else {}, "metric": metric,
            "verdict": verdict, "ratio": 2.0}


def result(*findings, unconfirmed=()):
    return {"findings": list(findings), "unconfirmed": list(unconfirmed)}


class Judging(unittest.TestCase):
    def test_cause_at_rank_1(self):
        judgement = judge(result(finding(1), finding(2, "other/other")), EXPECTED)
        self.assertTrue(judgement.good)
        self.assertEqual(judgement.first, "worse shop/worker-# sleep x2.00")

    def test_elapsed_time_is_skipped(self):
        self.assertTrue(judge(result(finding(1, "", "elapsed"), finding(2)), EXPECTED).good)
        self.assertFalse(judge(result(finding(1, "", "elapsed")), EXPECTED).good)

    def test_another_group_above_it(self):
        judgement = judge(result(finding(2), finding(1, "other/other")), EXPECTED)
        self.assertFalse(judgement.good)
        self.assertEqual(judgement.rank, 2)

    def test_another_metric_or_verdict_is_a_miss(self):
        self.assertFalse(judge(result(finding(1, metric="cpu_time")), EXPECTED).good)
        self.assertFalse(judge(result(finding(1, metric="blocked")), EXPECTED).good)
        self.assertFalse(judge(result(finding(1, verdict="better")), EXPECTED).good)

    def test_what_the_first_sentence_says(self):
        expected = {"conclusion": "runs on .* CPUs at a time"}
        said = {**result(finding(1, "", "elapsed")), "conclusion": "hasher runs on 1.0 CPUs at a time instead of 1.9"}
        self.assertTrue(judge(said, expected).good)
        self.assertFalse(judge({**said, "conclusion": "nothing changed by 10% or more"}, expected).good)

    def test_nothing_found(self):
        self.assertFalse(judge(result(), EXPECTED).good)
        self.assertTrue(judge(result(), {"nothing": True}).good)
        self.assertFalse(judge(result(finding(1)), {"nothing": True}).good)

    def test_nothing_worse_below_an_improvement(self):
        better = {**EXPECTED, "verdicts": ["better"], "nothing_worse": True}
        self.assertTrue(judge(result(finding(1, verdict="better")), better).good)
        self.assertFalse(judge(result(finding(1, verdict="better"), finding(2, "other/other")), better).good)

    def test_others_are_named_first(self):
        expected = {"because_of_others": ["^hog/"]}
        row = {"because": [{"group": {"process": "hog", "thread": "hog"}}, {"group": {"process": "b", "thread": "b"}}]}
        self.assertTrue(judge({**result(), "slower_because_of_others": [row]}, expected).good)
        self.assertFalse(judge({**result(), "slower_because_of_others": []}, expected).good)
        self.assertFalse(judge({**result(finding(1)), "slower_because_of_others": [row]}, expected).good)
        row["because"].reverse()
        self.assertFalse(judge({**result(), "slower_because_of_others": [row]}, expected).good)

    def test_unconfirmed(self):
        self.assertTrue(judge(result(unconfirmed=[finding(1)]), EXPECTED, unconfirmed=True).good)
        self.assertFalse(judge(result(unconfirmed=[finding(1)]), EXPECTED).good)


class Expectations(unittest.TestCase):
    def setUp(self):
        self.expectations = json.loads(harness.read("tests/regress/expectations.json"))

    def test_are_complete(self):
        for name, expected in (pair for part in self.expectations.values() for pair in part.items()):
            if "because_of_others" in expected:
                self.assertTrue(expected["because_of_others"], name)
            elif "conclusion" in expected:
                re.compile(expected["conclusion"])
            elif not expected.get("nothing"):
                self.assertTrue(expected["causes"] and expected["verdicts"], name)
                for group, metrics in expected["causes"].items():
                    re.compile(group)
                    self.assertTrue(metrics, name)

    def test_every_scenario_has_one(self):
        for subject, entries in self.expectations.items():
            if subject not in ("scripts", "programs"):
                source = harness.read(f"tests/regress/planted/{subject}.cc")
                self.assertEqual(re.findall(r'^ +\{"(\w+)",', source, re.MULTILINE), list(entries))

    def test_every_program_has_one(self):
        found = pathlib.Path(HERE, "programs").rglob("*.sh")
        programs = {path.stem for path in found if "lib" not in (path.stem, path.parent.name)}
        self.assertEqual(programs, set(self.expectations["programs"]))
        found = pathlib.Path(HERE, "scripts").iterdir()
        scripts = {path.stem for path in found if path.is_file() and os.access(path, os.X_OK)}
        self.assertEqual(scripts, set(self.expectations["scripts"]))


if __name__ == "__main__":
    harness.main()
