#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Major faults whose thread changes CPU before it waits for the disk (root, BTF, two CPUs).

A thread reads an uncached file through a mapping. Another one changes the protection of the mapping without pause, so
that faults first sleep for the lock of the address space, and moves the reading thread from CPU to CPU meanwhile."""

import bisect
import ctypes
import json
import mmap
import os
import resource
import sys
import threading
import time
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../support"))
import harness  # noqa: E402
from harness import RECORDER  # noqa: E402
from waits_test import why_not  # noqa: E402

PAGES = 3000
# A busy machine reads fewer.
READ_S = 30


def load(path):
    with open(path, "wb") as file:
        file.write(os.urandom(2 * PAGES * mmap.PAGESIZE))
        file.flush()
        os.fsync(file.fileno())
    fd = os.open(path, os.O_RDONLY)
    os.posix_fadvise(fd, 0, 0, os.POSIX_FADV_DONTNEED)
    os.posix_fadvise(fd, 0, 0, os.POSIX_FADV_RANDOM)
    view = mmap.mmap(fd, 0, flags=mmap.MAP_PRIVATE, prot=mmap.PROT_READ | mmap.PROT_WRITE)
    view.madvise(mmap.MADV_RANDOM)
    begin = ctypes.addressof(ctypes.c_char.from_buffer(view))
    # Calls through CDLL run without the interpreter's lock.
    libc = ctypes.CDLL(None, use_errno=True)
    libc.memchr.argtypes = [ctypes.c_void_p, ctypes.c_int, ctypes.c_size_t]
    libc.mprotect.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
    reader = {}
    started = threading.Event()
    done = threading.Event()

    def read():
        reader["tid"] = threading.get_native_id()
        started.set()
        before = resource.getrusage(resource.RUSAGE_THREAD).ru_majflt
        end = time.monotonic() + READ_S
        for page in range(PAGES):
            libc.memchr(begin + 2 * page * mmap.PAGESIZE, 0, 1)
            if time.monotonic() > end:
                break
        reader["majors"] = resource.getrusage(resource.RUSAGE_THREAD).ru_majflt - before
        done.set()

    thread = threading.Thread(target=read)
    thread.start()
    started.wait()
    cpus = sorted(os.sched_getaffinity(0))
    for turn in range(1 << 60):
        if done.is_set():
            break
        for protection in (mmap.PROT_READ, mmap.PROT_READ | mmap.PROT_WRITE) * 8:
            libc.mprotect(begin, len(view), protection)
        try:
            os.sched_setaffinity(reader["tid"], {cpus[turn % len(cpus)]})
        except ProcessLookupError:
            break
    thread.join()
    print(json.dumps(reader))


@unittest.skipIf(why_not(), why_not())
@unittest.skipIf(len(os.sched_getaffinity(0)) < 2, "needs two CPUs")
class MovingFaults(unittest.TestCase):
    # How often another read brings the page depends on the load.
    @harness.in_one_of(3)
    def test_a_fault_that_changes_cpu_has_a_length(self):
        folder = harness.class_folder(type(self), dir="/var/tmp")
        trace = os.path.join(folder, "moving.fxt")
        done = harness.run(RECORDER, "-q", "-c", "sched,task,fault", "--only-command", "-o", trace, "--", sys.executable,
                           os.path.abspath(__file__), "load", os.path.join(folder, "file"), ok=(0,))
        counted = json.loads(done.stdout)
        if counted["majors"] == 0:
            self.skipTest("this file system keeps its files in memory")

        def ask(query):
            return json.loads(harness.fxt("query", "--json", trace, query))
        majors = [each for each in ask("SELECT ts, dur, args FROM spans WHERE category = 'fault' AND name = 'major' AND "
                                       f"tid = {counted['tid']} ORDER BY ts") if "minor" not in json.loads(each["args"])]
        self.assertEqual(len(majors), counted["majors"])
        faults = {}
        for each in ask(f"SELECT ts, args FROM instants WHERE category = 'fault' AND tid = {counted['tid']} ORDER BY ts"):
            faults.setdefault(json.loads(each["args"])["address"], []).append(each["ts"])
        runs = ask(f"SELECT ts, cpu FROM slices WHERE tid = {counted['tid']} ORDER BY ts")
        begins = [run["ts"] for run in runs]

        def cpu_at(time):
            return runs[bisect.bisect_right(begins, time) - 1]["cpu"]
        moved = []
        for major in majors:
            began = [ts for ts in faults.get(json.loads(major["args"])["address"], []) if ts <= major["ts"]]
            if began and cpu_at(began[-1]) != cpu_at(major["ts"]):
                moved.append(major["dur"])
        print(f"{len(majors)} major faults, {len(moved)} changed CPU before they waited", file=sys.stderr)
        if len(moved) < 5:
            self.skipTest(f"only {len(moved)} faults changed CPU before they waited")
        # A few have the length 0: another read brought their page while they waited for the lock or for a CPU. If a
        # fault were forgotten when its thread changes CPU, all of them would have it.
        self.assertLess(sum(length == 0 for length in moved), len(moved) / 2)


if __name__ == "__main__":
    if sys.argv[1:2] == ["load"]:
        load(sys.argv[2])
    else:
        harness.main()
