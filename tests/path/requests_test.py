#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Records requests that are made slow in a known way, and compares the results of fxt diff and fxt path with that
(root, BTF).

    requests_test.py              every cause once, two pairs of equal captures
    REQUESTS_PAIRS=40 ...         as many pairs of equal captures: none may have a finding of a request
    REQUESTS_ROUNDS=5 ...         each regression as often
"""

import json
import os
import shutil
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
import cgroup  # noqa: E402
import harness  # noqa: E402
from harness import BUILD, RECORDER, run  # noqa: E402

PROGRAM = os.path.join(BUILD, "tests", "requests")
ROUNDS = int(os.environ.get("REQUESTS_ROUNDS", "1"))
PAIRS = int(os.environ.get("REQUESTS_PAIRS", "2"))
CAPTURES = (3, 5, 7)  # of each side; more where other work of the machine disturbs the first
MILLISECONDS = "2000"

# Cause: the slow request, the words of the first sentence for the part that grew, and the thread of that part.
REGRESSIONS = {
    "lock": ("checkout", "waits for expiry", "expiry"),
    "compute": ("search", "runs", "worker"),
    "sleep": ("upload", "sleeps until a timer", "worker"),
    "helper": ("orders", "waits for ledger", "ledger"),
    "child": ("reviews", "waits for renderer", "renderer"),
}


def setUpModule():
    harness.skip_unless_recordable()
    harness.use_own_socket()


def record(trace, *arguments):
    run(RECORDER, "-q", "-c", "default,syscall,block,wait", "--providers", "-o", trace, "--", PROGRAM, *arguments, ok=(0,))


class Folder(unittest.TestCase):
    def setUp(self):
        # On a disk, if there is one.
        folder = tempfile.TemporaryDirectory(dir="/var/tmp")
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def path(self, name):
        return os.path.join(self.folder, name)

    def sides(self, cause, captures=CAPTURES[0]):
        """Records both sides alternately, without those that were recorded before."""
        for side in ("base", "new"):
            os.makedirs(self.path(f"{cause}/{side}"), exist_ok=True)
        for number in range(captures):
            for side, what in (("base", "none"), ("new", cause)):
                trace = self.path(f"{cause}/{side}/{number}.fxt")
                if not os.path.exists(trace):
                    record(trace, "ten", MILLISECONDS, what)
        return self.path(f"{cause}/base"), self.path(f"{cause}/new")


class RegressionsOfOneNameInTen(Folder):
    def judge(self, cause):
        for captures in CAPTURES:
            try:
                return self.judge_sides(cause, *self.sides(cause, captures))
            except AssertionError as error:
                print(f"{cause}, {captures} captures of each side: {error}", file=sys.stderr)
                if captures == CAPTURES[-1] and not self.is_drowned(cause):
                    raise
        self.skipTest(f"{cause}: other work of the machine makes these requests longer than the cause does")

    def is_drowned(self, cause):
        """Whether equal captures of the request differ by more than the cause, and what is found is the cause all the same."""
        name, _, thread = REGRESSIONS[cause]
        diff = json.loads(harness.fxt("diff", "--json", self.path(f"{cause}/base"), self.path(f"{cause}/new")))
        rows = [row for row in diff["rows"] if row["metric"] == "request" and row["name"] == name]
        drowned = all(max(row["captures"]["base"]) > min(row["captures"]["new"]) for row in rows)
        return drowned and all(row["group"].get("thread") == thread for row in diff["findings"][:1])

    def judge_sides(self, cause, base, new):
        name, words, _ = REGRESSIONS[cause]
        diff = json.loads(harness.fxt("diff", "--json", base, new))
        self.assertEqual(len(diff["requests"]), 10)
        self.assertTrue(diff["findings"], diff["conclusion"])
        first = diff["findings"][0]
        sentence = first["text"]["sentence"]
        print(f"{cause}: {sentence}", file=sys.stderr)
        self.assertEqual((first["metric"], first.get("name"), first["verdict"]), ("request", name, "worse"), sentence)
        self.assertTrue(sentence.startswith(f"request {name} takes "), sentence)
        self.assertIn(words, sentence)
        self.assertIn(words, diff["conclusion"])
        # The parts explain the change.
        changes = [part["change_ms"] for part in first["parts"]]
        self.assertGreater(max(changes), 0.5 * sum(changes))
        return base, new, diff

    def test_the_slow_one_is_first_with_the_part_that_grew(self):
        for number in range(ROUNDS):
            for cause in REGRESSIONS:
                with self.subTest(cause, round=number):
                    shutil.rmtree(self.path(cause), ignore_errors=True)
                    self.judge(cause)

    def test_summaries_say_the_same_as_traces(self):
        base, new, of_traces = self.judge("helper")
        summaries = []
        for side in (base, new):
            summaries.append(side + ".fxs")
            files = sorted(os.path.join(side, name) for name in os.listdir(side))
            harness.fxt("summarize", *files, "-o", summaries[-1])
        of_summaries = json.loads(harness.fxt("diff", "--json", *summaries))
        self.assertEqual(of_summaries["requests"], of_traces["requests"])
        self.assertEqual([(row["metric"], row.get("name"), row["q"]) for row in of_summaries["findings"]],
                         [(row["metric"], row.get("name"), row["q"]) for row in of_traces["findings"]])
        chosen = json.loads(harness.fxt("diff", "--json", "--span", "o*", *summaries))
        self.assertEqual([request["name"] for request in chosen["requests"]], ["orders"])
        chosen = json.loads(harness.fxt("diff", "--json", "--span", "app/o*", base, new))
        self.assertEqual([request["name"] for request in chosen["requests"]], ["orders"])


class EqualCaptures(Folder):
    def test_no_pair_has_a_finding_of_a_request(self):
        # Other work of the machine may come between the sides of a pair: more captures show that it does not follow the side. Of
        # many pairs, which are counted, each is judged by its first captures.
        for number in range(PAIRS):
            shutil.rmtree(self.path("none"), ignore_errors=True)
            for captures in CAPTURES if PAIRS <= 2 else CAPTURES[:1]:
                base, new = self.sides("none", captures)
                diff = json.loads(harness.fxt("diff", "--json", base, new))
                found = [row["text"]["sentence"] for row in diff["findings"] if row["metric"] == "request"]
                if not found:
                    break
                print(f"pair {number}, {captures} captures of each side: {found}", file=sys.stderr)
            self.assertEqual(found, [], f"pair {number}")


class SlowOnes(Folder):
    """The first two lines of fxt path --slow p99 name the cause."""

    def judge(self, trace, words, quantile="p99"):
        text = harness.fxt("path", "--span", "app/request", "--slow", quantile, trace)
        first = "\n".join(text.splitlines()[:2])
        print(first, file=sys.stderr)
        for word in words:
            self.assertIn(word, first)
        return first

    def record_slow(self, cause, milliseconds="6000"):
        trace = self.path(f"{cause}.fxt")
        record(trace, "slow", milliseconds, cause, self.path("data"))
        return trace

    def test_a_lock_held_by_a_background_job(self):
        self.judge(self.record_slow("lock"), ["janitor"])

    def test_a_full_pool(self):
        self.judge(self.record_slow("pool"), ["pool"])

    def test_a_neighbour_that_syncs(self):
        kind = run("stat", "-f", "-c", "%T", self.folder, ok=(0,)).stdout.strip()
        if kind in ("tmpfs", "ramfs", "overlayfs"):
            harness.skip(f"{self.folder} is on {kind}, which waits for no disk")
        text = self.judge(self.record_slow("fsync", "9000"), [])
        # The disk that its own sync waits for, or the neighbour itself.
        self.assertRegex(text, r"(device|blocked).*data\.journal|backup")

    def test_a_cgroup_that_is_throttled(self):
        if why := cgroup.why_no_quota():
            harness.skip(why)
        group = cgroup.Group(f"fxr-requests-{os.getpid()}")
        self.addCleanup(group.remove)
        group.limit(20_000, 100_000)
        group.weigh_most()
        trace = self.path("throttled.fxt")
        run(RECORDER, "-q", "-c", "default,syscall,wait", "--providers", "-o", trace, "--", "sh", "-c",
            'echo $$ >"$0/cgroup.procs" && exec "$@"', group.folder, PROGRAM, "slow", "6000", "compute",
            self.path("data"), ok=(0,))
        self.judge(trace, ["throttled"], "p95")

    def test_a_garbage_collector(self):
        self.judge(self.record_slow("collector"), ["collector"])


if __name__ == "__main__":
    harness.main()
