# SPDX-License-Identifier: BSD-2-Clause
"""Tracepoints, counters, probes and stacks in sessions, compared with the counts of the recorded program."""

import json
import os
import re
import signal
import subprocess
import sys
import time

from harness import BUILD, DEADLINE_S, FXT, eventually, run
from sessions import NOBODY, Session, Varlink

PROBED = os.path.join(BUILD, "tests", "probed")
# For each line, the program sends signals to itself, touches new pages, prints its counts and sleeps again.
PROGRAM = r"""
import json, mmap, os, resource, signal, sys, time
signal.signal(signal.SIGUSR2, signal.SIG_IGN)
signal.signal(signal.SIGWINCH, signal.SIG_IGN)
print(os.getpid(), flush=True)
for line in sys.stdin:
    before = resource.getrusage(resource.RUSAGE_THREAD).ru_minflt
    times = []
    for _ in range(int(line)):
        times.append(time.clock_gettime_ns(time.CLOCK_BOOTTIME))
        os.kill(os.getpid(), signal.SIGUSR2)
        os.kill(os.getpid(), signal.SIGWINCH)
    with mmap.mmap(-1, 1 << 20) as memory:
        memory.madvise(mmap.MADV_NOHUGEPAGE)
        for page in range(0, 1 << 20, 4096):
            memory[page] = 1
    faults = resource.getrusage(resource.RUSAGE_THREAD).ru_minflt - before
    print(json.dumps([faults, times[:1000]]), flush=True)
"""
# Without switches a busy machine cannot fill the buffer during a test.
ROOMY = ("--circular", "64M", "-c", "task")
SIGNALS = ("-e", "signal:signal_generate", "--filter", f"sig == {int(signal.SIGUSR2)}")


class Sources(Session):
    def program(self):
        child = subprocess.Popen([sys.executable, "-I", "-S", "-c", PROGRAM], stdin=subprocess.PIPE,
                                 stdout=subprocess.PIPE, text=True)
        self.addCleanup(child.communicate)
        self.assertEqual(child.stdout.readline(), f"{child.pid}\n")
        return child

    def batch(self, child, signals):
        """Runs a batch. Returns the faults and the times of the signals (ns of CLOCK_BOOTTIME) once the child sleeps."""
        child.stdin.write(f"{signals}\n")
        child.stdin.flush()
        counted = json.loads(child.stdout.readline())

        def asleep():
            with open(f"/proc/{child.pid}/stat", encoding="ascii") as stat:
                return stat.read().rsplit(")", 1)[1].split()[0] == "S"
        self.assertTrue(eventually(asleep))
        return counted

    def events(self, name, kind, called=None):
        events = [json.loads(line) for line in self.dump(name, "--json", "--type", kind).splitlines()]
        return [each for each in events if called in (None, each["name"])]

    def of(self, child, events):
        return [each for each in events if each["thread"]["thread"] % 2**22 == child.pid]

    def holds(self, name, child, signals, faults):
        """The file has the signals and the faults that the child counted."""
        self.check(name)
        self.assertEqual(len(self.of(child, self.events(name, "instant", "signal_generate"))), signals)
        runs = self.of(child, [each for each in self.events(name, "counter") if each["category"] == "counter"])
        found = sum(arg["value"] for each in runs for arg in each["args"] if arg["name"] == "minor-faults")
        # The child does not count the faults of its input and output.
        self.assertLessEqual(faults, found)
        self.assertLess(found, faults + 100)

    def test_a_window_has_the_events_that_the_program_counted(self):
        child = self.program()
        self.start(*ROOMY, *SIGNALS, "--counters", "minor-faults,task-clock")
        first, times = self.batch(child, 200)
        between = time.monotonic()
        second, more = self.batch(child, 70)
        self.do("snapshot", "-o", self.path("all.fxt"))
        self.holds("all.fxt", child, 270, first + second)
        # A window excludes the events before its begin.
        self.do("snapshot", "-o", self.path("last.fxt"), "--last", f"{int((time.monotonic() - between) * 1e6)}us")
        self.check("last.fxt")
        begin = self.events("last.fxt", "instant", "session")[0]["time_ns"]
        later = sum(1 for each in times + more if each >= begin)
        found = len(self.of(child, self.events("last.fxt", "instant", "signal_generate")))
        # The program reads the clock before it sends.
        self.assertIn(found, (later, later + 1))
        self.assertLess(found, 200)
        counts = {each["name"]: each["events"] for each in self.status()["categories"]}
        self.assertGreaterEqual(counts["tracepoint"], 270)
        self.assertGreater(counts["counter"], 4)
        third, _ = self.batch(child, 5)
        self.do("stop", "-o", self.path("end.fxt"))
        self.holds("end.fxt", child, 275, first + second + third)

    def test_the_oldest_events_are_dropped_first(self):
        """The memory for tracepoints is bounded. The file begins where all sources have their events."""
        child = self.program()
        self.start("--circular", "1M", "-c", "sched", "-e", "signal:signal_generate")
        batches = 0

        def full():
            nonlocal batches
            batches += 1
            self.batch(child, 20_000)
            # Before the status is asked for: that may take long.
            passed = time.monotonic() - started
            return self.status()["covered_seconds"] < passed - 0.5
        started = time.monotonic()
        self.assertTrue(eventually(full))
        self.batch(child, 10)
        self.do("snapshot", "-o", self.path("a.fxt"))
        self.check("a.fxt")
        # Each signal of a batch appears twice, as SIGUSR2 and as SIGWINCH.
        found = len(self.of(child, self.events("a.fxt", "instant", "signal_generate")))
        self.assertLess(found, batches * 40_000)
        self.assertGreater(found, 1_000)
        self.assertLess(self.status()["resident_bytes"], 100 << 20)
        self.do("cancel")

    def test_oneshot_stops_when_it_is_full(self):
        child = self.program()
        self.start("--oneshot", "1M", "-c", "sched", "-e", "signal:signal_generate")

        def full():
            self.batch(child, 5_000)
            return self.status()["state"] == "STOPPED"
        self.assertTrue(eventually(full))
        self.assertIn("full", self.status()["reason"])
        self.do("stop", "-o", self.path("a.fxt"))
        self.check("a.fxt")
        # The buffer keeps the oldest events.
        first = self.of(child, self.events("a.fxt", "instant", "signal_generate"))[:2]
        self.assertEqual([arg["value"] for each in first for arg in each["args"] if arg["name"] == "sig"],
                         [int(signal.SIGUSR2), int(signal.SIGWINCH)])

    def test_stopped_and_started_again(self):
        child = self.program()
        self.serve()
        client = self.client()
        config = {"buffering_mode": "CIRCULAR", "buffer_size_megabytes_hint": 64, "categories": ["task"],
                  "sources": {"tracepoints": [{"name": "signal:signal_generate",
                                               "filter": f"sig == {int(signal.SIGUSR2)}"}],
                              "counters": ["minor-faults"]}}
        self.assertEqual(client.call("InitializeTracing", {"config": config}), {"parameters": {}})
        for disposition, expected in (("CLEAR_ALL", 20), ("RETAIN", 40), ("CLEAR_NONDURABLE", 20)):
            self.assertEqual(client.call("StartTracing", {"options": {"buffer_disposition": disposition}}),
                             {"parameters": {}})
            self.batch(child, 20)
            name = f"{disposition}.fxt"
            written = client.call("StopTracing", {"options": {"write_results": True}, "output": {"path": self.path(name)}})
            self.assertIn("written", written["parameters"])
            # The session is stopped.
            self.batch(child, 300)
            self.check(name)
            found = self.of(child, self.events(name, "instant", "signal_generate"))
            self.assertEqual(len(found), expected, disposition)

    def test_streaming_has_all_events(self):
        child = self.program()
        self.start("--streaming", "-o", self.path("day.fxt"), *SIGNALS, "--counters", "minor-faults")
        faults, _ = self.batch(child, 150)
        self.do("stop")
        self.holds("day.fxt", child, 150, faults)

    def test_rotated_files_have_all_events(self):
        child = self.program()
        recording = subprocess.Popen([self.recorder, "--rotate", "1s", "-o", self.path("day-%n.fxt"), *SIGNALS],
                                     stderr=subprocess.PIPE, text=True)
        self.addCleanup(recording.communicate)
        self.addCleanup(recording.kill)
        self.assertIn("recording into", recording.stderr.readline())
        batches = 0

        def rotated():
            nonlocal batches
            batches += 1
            self.batch(child, 30)
            return os.path.exists(self.path("day-3.fxt"))
        self.assertTrue(eventually(rotated))
        recording.send_signal(signal.SIGINT)
        recording.communicate(timeout=DEADLINE_S)
        self.assertEqual(recording.returncode, 0)
        found = 0
        for name in os.listdir(self.folder):
            if name.startswith("day-"):
                self.check(name)
                found += len(self.of(child, self.events(name, "instant", "signal_generate")))
        self.assertEqual(found, batches * 30)

    def test_probes_and_stacks(self):
        self.start("--circular", "64M", "-c", "task,stack:off", "--uprobe", f"{PROBED}:c_sleeps+retval", "--usdt",
                   f"{PROBED}:probed:sold")
        done = run(PROBED)
        self.assertEqual(done.returncode, 0)
        counts = {line.rsplit(" ", 2)[0]: int(line.split()[-2]) for line in done.stdout.splitlines()}
        self.do("snapshot", "-o", self.path("a.fxt"))
        self.check("a.fxt")
        self.assertEqual(len(self.events("a.fxt", "begin", "c_sleeps")), counts["c_sleeps"])
        self.assertEqual(len(self.events("a.fxt", "instant", "probed:sold")), 6)
        # The recorder reads the mappings while the program runs.
        waits = subprocess.Popen([PROBED, "wait"], stdout=subprocess.PIPE)
        self.addCleanup(waits.communicate)
        waits.stdout.readline()

        whole = r"(?m)^probed;.*;main;[^\n]*nanosleep"

        def flame(name):
            return run(FXT, "flame", "--of", "off", "--format", "folded", self.path(name), "-o", "-").stdout

        def sleeps():
            self.do("snapshot", "-o", self.path("b.fxt"))
            return len(self.of(waits, self.events("b.fxt", "instant", "off"))) > 3 and re.search(whole, flame("b.fxt"))
        self.assertTrue(eventually(sleeps))
        waits.kill()
        waits.wait()
        self.do("snapshot", "-o", self.path("c.fxt"))
        self.check("c.fxt")
        self.assertRegex(flame("c.fxt"), whole)
        self.do("cancel")

    def test_a_killed_controller_leaves_nothing(self):
        """The kernel removes probes, tracepoints and counters with their process."""
        def count(kind):
            return sum(1 for each in json.loads(run("bpftool", "-j", "link", "list").stdout or "[]")
                       if each.get("type") == kind)

        def enabled():
            with open("/sys/kernel/tracing/events/signal/signal_generate/enable", encoding="ascii") as file:
                return file.read().strip()
        before = count("perf_event"), count("tracing"), enabled()
        self.start("--circular", "2M", *SIGNALS, "--counters", "minor-faults", "--uprobe", f"{PROBED}:c_counts")
        self.assertGreater((count("perf_event"), count("tracing")), before[:2])
        os.kill(self.status()["pid"], signal.SIGKILL)
        self.assertTrue(eventually(lambda: (count("perf_event"), count("tracing"), enabled()) == before))

    def test_wrong_sources_are_errors(self):
        for options, code, words in (
                (("-e", "no:such"), 1, "no:such"), (("-e", "sched:sched_switch", "--filter", "x >"), 1, "filter"),
                (("--filter", "x"), 2, "-e"), (("--counters", "page-fualts"), 2, "page-faults"),
                (("-c", "tracepoint"), 2, "does not say of what"), (("-c", "probe"), 2, "needs a function"),
                (("--uprobe", f"{PROBED}:c_count"), 1, "c_counts"), (("--usdt", "/no/such:a:b"), 1, "/no/such")):
            for mode in (("--circular", "2M"), ("--streaming", "-o", self.path("no.fxt"))):
                done = self.command("start", *mode, *options)
                self.assertEqual(done.returncode, code, f"{options}: {done.stderr}")
                self.assertIn(words, done.stderr, options)
                self.assertFalse(os.path.exists(self.path("no.fxt")))

    def test_probes_need_root(self):
        self.serve("--group", str(NOBODY))
        config = {"buffering_mode": "CIRCULAR", "sources": {"uprobes": [f"{PROBED}:c_counts"]}}
        call = json.dumps({"method": "fuchsia.tracing.controller.InitializeTracing", "parameters": {"config": config}})
        # The call comes from a process of another user.
        reading, writing = os.pipe()
        child = os.fork()
        if child == 0:
            try:
                os.setgroups([])
                os.setresgid(NOBODY, NOBODY, NOBODY)
                os.setresuid(NOBODY, NOBODY, NOBODY)
                client = Varlink(self.socket)
                client.socket.sendall(call.encode() + b"\0")
                os.write(writing, json.dumps(client.receive()).encode())
            finally:
                os._exit(0)
        os.close(writing)
        with open(reading, encoding="ascii") as answer:
            self.assertIn("PermissionDenied", answer.read())
        os.waitpid(child, 0)
        self.assertEqual(self.status()["state"], "READY")
