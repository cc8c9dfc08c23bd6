#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Why threads waited in D: a program that reads a file which is in no cache, through a mapping and by calls (root, BTF)."""

import collections
import json
import mmap
import os
import resource
import subprocess
import sys
import tempfile
import time
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
BUILD = os.path.abspath(os.environ.get("BUILD", os.path.join(ROOT, "build")))
FXT = os.path.join(BUILD, "fxt")
PAGES = 48


def why_not():
    if os.geteuid() != 0 or not os.path.exists("/sys/kernel/btf/vmlinux"):
        return "needs root and BTF"
    if os.uname().machine != "x86_64":
        return "page faults have tracepoints on x86 alone"
    return None


def uncached(path):
    """A file of twice as many pages, none of which is in memory."""
    with open(path, "wb") as file:
        file.write(os.urandom(4 * PAGES * mmap.PAGESIZE))
        file.flush()
        os.fsync(file.fileno())
    fd = os.open(path, os.O_RDONLY)
    os.posix_fadvise(fd, 0, 0, os.POSIX_FADV_DONTNEED)
    os.posix_fadvise(fd, 0, 0, os.POSIX_FADV_RANDOM)
    return fd


def load(folder):
    """Touches every second page of a mapping, then reads every second one by calls."""
    mapped = uncached(os.path.join(folder, "mapped"))
    called = uncached(os.path.join(folder, "called"))
    view = mmap.mmap(mapped, 0, prot=mmap.PROT_READ)
    view.madvise(mmap.MADV_RANDOM)
    before = resource.getrusage(resource.RUSAGE_THREAD)
    begin = time.clock_gettime_ns(time.CLOCK_BOOTTIME)
    total = sum(view[2 * page * mmap.PAGESIZE] for page in range(PAGES))
    middle = time.clock_gettime_ns(time.CLOCK_BOOTTIME)
    after = resource.getrusage(resource.RUSAGE_THREAD)
    for page in range(PAGES):
        total += len(os.pread(called, mmap.PAGESIZE, 2 * page * mmap.PAGESIZE))
    end = time.clock_gettime_ns(time.CLOCK_BOOTTIME)
    print(json.dumps({"pid": os.getpid(), "majors": after.ru_majflt - before.ru_majflt, "begin": begin, "middle": middle,
                      "end": end, "total": total}))


@unittest.skipIf(why_not(), why_not() or "")
class Waits(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory(dir="/var/tmp")
        cls.addClassCleanup(cls.folder.cleanup)
        cls.trace = os.path.join(cls.folder.name, "waits.fxt")
        done = subprocess.run([os.path.join(BUILD, "fxt-record"), "-q", "-c", "default,block,fault,stack:off", "--stack-min",
                               "1us", "--only-command", "-o", cls.trace, "--", sys.executable, os.path.abspath(__file__), "load",
                               cls.folder.name], capture_output=True, text=True, check=False, timeout=120)
        if done.returncode != 0:
            raise AssertionError(done.stderr)
        cls.said = json.loads(done.stdout)
        if cls.said["majors"] == 0:
            raise unittest.SkipTest("this file system keeps its files in memory")
        cls.waits = cls.ask("SELECT ts, length, reason FROM waits WHERE kind = 'blocked' AND ended = 'seen' AND "
                            f"tid = {cls.said['pid']} ORDER BY ts")

    @classmethod
    def fxt(cls, *arguments):
        done = subprocess.run([FXT, *arguments], capture_output=True, text=True, check=False, timeout=60)
        if done.returncode != 0:
            raise AssertionError(done.stdout + done.stderr)
        return done.stdout

    @classmethod
    def ask(cls, query):
        return json.loads(cls.fxt("query", "--json", cls.trace, query))

    def between(self, begin, end):
        return [wait for wait in self.waits if self.said[begin] <= wait["ts"] < self.said[end]]

    def test_major_faults_are_those_of_getrusage(self):
        spans = self.ask("SELECT ts, dur, args FROM spans WHERE category = 'fault' AND name = 'major' AND "
                         f"tid = {self.said['pid']} AND ts >= {self.said['begin']} AND ts < {self.said['middle']}")
        majors = [span for span in spans if "minor" not in json.loads(span["args"])]
        self.assertEqual(len(majors), self.said["majors"])
        inside = sum(span["dur"] for span in majors)
        self.assertLess(inside, self.said["middle"] - self.said["begin"])
        # What a thread waits for in a mapping that is in no memory is nearly all that it does.
        self.assertGreater(inside, 0.3 * (self.said["middle"] - self.said["begin"]))

    def test_waits_of_faults_say_so(self):
        waits = self.between("begin", "middle")
        self.assertGreater(len(waits), PAGES // 4)
        kinds = collections.Counter()
        for wait in waits:
            reason = wait["reason"] or ""
            kinds["fault"] += reason.startswith("page fault at 0x")
            kinds["request"] += "block read" in reason
            kinds["function"] += not reason.endswith("bytes") and "; " in reason
        for kind, count in kinds.items():
            self.assertGreaterEqual(count, 0.9 * len(waits), kind)

    def test_waits_of_calls_name_their_request(self):
        waits = self.between("middle", "end")
        self.assertGreater(len(waits), PAGES // 4)
        named = sum((wait["reason"] or "").startswith("block read") for wait in waits)
        self.assertGreaterEqual(named, 0.9 * len(waits))

    def test_report_and_info_say_it(self):
        report = json.loads(self.fxt("report", "--json", self.trace))
        worst = [wait for wait in report["worst_blocked"] if wait["thread"]["id"] == self.said["pid"]]
        self.assertTrue(worst)
        self.assertTrue(any("block read" in wait.get("reason", "") for wait in worst))
        self.assertIn("waited for", self.fxt("report", self.trace))
        blocked = {each["reason"]: each for each in json.loads(self.fxt("info", "--json", self.trace))["blocked"]}
        self.assertGreater(blocked["page fault"]["waits"], PAGES // 4)
        self.assertIn("waits in D, by what they waited for", self.fxt("info", self.trace))

    def test_the_file_is_sound(self):
        self.fxt("check", self.trace)


if __name__ == "__main__":
    if sys.argv[1:2] == ["load"]:
        load(sys.argv[2])
    else:
        unittest.main(verbosity=2)
