#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""The reasons of D waits: a program reads an uncached file through a mapping and by system calls (root, BTF)."""

import collections
import json
import mmap
import os
import re
import resource
import sys
import time
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../support"))
import harness  # noqa: E402
from harness import RECORDER  # noqa: E402

# Each way of reading goes on until the thread has waited WAITS times, as the kernel counts its switches, or has read PAGES.
# A fast disk often answers before the thread has begun to wait.
WAITS = 24
PAGES = 1024
# A machine that is busy, or short of memory, makes other D waits among the few of a recording, and a thread that is late
# finds its page already read.
ATTEMPTS = 5


def why_not():
    if os.uname().machine != "x86_64":
        return "page faults have tracepoints on x86 alone"
    return harness.why_not_recordable()


def uncached(path):
    """Opens a file without a page in memory."""
    with open(path, "wb") as file:
        file.write(os.urandom(2 * PAGES * mmap.PAGESIZE))
        file.flush()
        os.fsync(file.fileno())
    fd = os.open(path, os.O_RDONLY)
    os.posix_fadvise(fd, 0, 0, os.POSIX_FADV_DONTNEED)
    os.posix_fadvise(fd, 0, 0, os.POSIX_FADV_RANDOM)
    return fd


def read_until_it_waited(read_page):
    """Reads every second page. Returns what the kernel counted meanwhile, and the times (ns) around it."""
    before = resource.getrusage(resource.RUSAGE_THREAD)
    begin = time.clock_gettime_ns(time.CLOCK_BOOTTIME)
    for page in range(PAGES):
        read_page(2 * page * mmap.PAGESIZE)
        after = resource.getrusage(resource.RUSAGE_THREAD)
        if after.ru_nvcsw - before.ru_nvcsw >= WAITS:
            break
    return {"begin": begin, "end": time.clock_gettime_ns(time.CLOCK_BOOTTIME),
            "majors": after.ru_majflt - before.ru_majflt, "switches": after.ru_nvcsw - before.ru_nvcsw}


def load(folder):
    """The recorded program: reads pages first through a mapping, then by pread()."""
    mapped = uncached(os.path.join(folder, "mapped"))
    called = uncached(os.path.join(folder, "called"))
    view = mmap.mmap(mapped, 0, prot=mmap.PROT_READ)
    view.madvise(mmap.MADV_RANDOM)
    print(json.dumps({"pid": os.getpid(), "faults": read_until_it_waited(lambda offset: view[offset]),
                      "calls": read_until_it_waited(lambda offset: os.pread(called, mmap.PAGESIZE, offset))}))


@unittest.skipIf(why_not(), why_not())
class Waits(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = harness.class_folder(cls, dir="/var/tmp")
        cls.trace = os.path.join(cls.folder, "waits.fxt")
        cls.record_again()

    @classmethod
    def record_again(cls):
        done = harness.run(RECORDER, "-q", "-c", "default,block,fault,stack:off", "--stack-min", "1us", "--only-command",
                           "-o", cls.trace, "--", sys.executable, os.path.abspath(__file__), "load", cls.folder, ok=(0,))
        cls.counted = json.loads(done.stdout)
        if cls.counted["faults"]["majors"] == 0:
            raise unittest.SkipTest("this file system keeps its files in memory")
        if min(cls.counted[part]["switches"] for part in ("faults", "calls")) == 0:
            raise unittest.SkipTest("this disk answers before a thread can wait")
        cls.waits = cls.ask("SELECT ts, length, reason FROM waits WHERE kind = 'blocked' AND ended = 'seen' AND "
                            f"tid = {cls.counted['pid']} ORDER BY ts")

    @classmethod
    def ask(cls, query):
        return json.loads(harness.fxt("query", "--json", cls.trace, query))

    def waits_of(self, part):
        """The waits in D of a part of the program."""
        counted = self.counted[part]
        waits = [wait for wait in self.waits if counted["begin"] <= wait["ts"] < counted["end"]]
        return waits

    def all_waits_of(self, part):
        """The same. The program waits for nothing else, so that the kernel counted as many switches; but a busy machine makes it
        wait for locks."""
        waits = self.waits_of(part)
        self.assertGreater(len(waits), 0.66 * self.counted[part]["switches"])
        self.assertLessEqual(len(waits), self.counted[part]["switches"])
        return waits

    def test_major_faults_match_getrusage(self):
        counted = self.counted["faults"]
        spans = self.ask("SELECT ts, dur, args FROM spans WHERE category = 'fault' AND name = 'major' AND "
                         f"tid = {self.counted['pid']} AND ts >= {counted['begin']} AND ts < {counted['end']}")
        majors = [span for span in spans if "minor" not in json.loads(span["args"])]
        self.assertEqual(len(majors), counted["majors"])
        inside = sum(span["dur"] for span in spans)
        self.assertLess(inside, counted["end"] - counted["begin"])
        # Each wait of this part for the page of a fault is in a span. Reclaim of memory waits in minor faults, too.
        for wait in self.waits_of("faults"):
            if re.match("page fault at .*; block read", wait["reason"] or ""):
                self.assertTrue(any(span["ts"] < wait["ts"] + wait["length"] and wait["ts"] < span["ts"] + span["dur"]
                                    for span in spans), wait)

    @harness.in_one_of(ATTEMPTS)
    def test_waits_in_faults_have_their_reason(self):
        waits = self.all_waits_of("faults")
        kinds = collections.Counter()
        for wait in waits:
            reason = wait["reason"] or ""
            kinds["fault"] += reason.startswith("page fault at 0x")
            kinds["request"] += "block read" in reason
            kinds["function"] += not reason.endswith("bytes") and "; " in reason
        for kind, count in kinds.items():
            self.assertGreaterEqual(count, 0.9 * len(waits), kind)

    @harness.in_one_of(ATTEMPTS)
    def test_waits_in_system_calls_name_their_request(self):
        waits = self.all_waits_of("calls")
        named = sum((wait["reason"] or "").startswith("block read") for wait in waits)
        self.assertGreaterEqual(named, 0.9 * len(waits))

    @harness.in_one_of(ATTEMPTS)
    def test_report_and_info_show_the_reasons(self):
        report = json.loads(harness.fxt("report", "--json", self.trace))
        worst = [wait for wait in report["worst_blocked"] if wait["thread"]["id"] == self.counted["pid"]]
        # Threads whose CPU the program takes may wait longer than the program itself.
        self.assertTrue(worst or min(wait["length_ns"] for wait in report["worst_blocked"]) >=
                        max(wait["length"] for wait in self.waits))
        # Other work may make waits without a request the longest ones: each has the reason that the table has.
        reasons = collections.defaultdict(set)  # by length: two waits may have the same one
        for wait in self.waits:
            reasons[wait["length"]].add(wait["reason"] or "")
        self.assertTrue(any(wait["reason"] for wait in self.waits))
        for wait in worst:
            self.assertIn(wait.get("reason", ""), reasons[wait["length_ns"]])
        self.assertIn("waited for", harness.fxt("report", self.trace))
        blocked = {each["reason"]: each for each in json.loads(harness.fxt("info", "--json", self.trace))["blocked"]}
        faults = sum((wait["reason"] or "").startswith("page fault") for wait in self.waits)
        self.assertGreater(faults, 0)
        self.assertEqual(blocked["page fault"]["waits"], faults)
        self.assertRegex(harness.fxt("info", self.trace), r"(?m)^waits in D .* by reason$")

    def test_the_file_is_valid(self):
        harness.fxt("check", self.trace)


if __name__ == "__main__":
    if sys.argv[1:2] == ["load"]:
        load(sys.argv[2])
    else:
        harness.main()
