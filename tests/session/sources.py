# SPDX-License-Identifier: BSD-2-Clause
"""What is not recorded unless it is named, in sessions: tracepoints, counters, probes and stacks of a program that
counts them itself."""

import json
import os
import signal
import subprocess
import sys
import time

from support import BUILD, LIMIT_S, NOBODY, Session, Varlink, eventually, run

PROBED = os.path.join(BUILD, "tests", "probed")
# A batch for each line that it reads: signals to itself, and pages that it touches first. Then it is asleep again.
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
# Without switches: however busy the machine is, nothing goes while a test lasts.
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
        """Its own count of faults, and when it sent the signals (ns of CLOCK_BOOTTIME); it is asleep afterwards."""
        child.stdin.write(f"{signals}\n")
        child.stdin.flush()
        told = json.loads(child.stdout.readline())

        def asleep():
            with open(f"/proc/{child.pid}/stat", encoding="ascii") as stat:
                return stat.read().rsplit(")", 1)[1].split()[0] == "S"
        self.assertTrue(eventually(asleep))
        return told

    def events(self, name, kind, called=None):
        events = [json.loads(line) for line in self.dump(name, "--json", "--type", kind).splitlines()]
        return [each for each in events if called in (None, each["name"])]

    def of(self, child, events):
        return [each for each in events if each["thread"]["thread"] % 2**22 == child.pid]

    def holds(self, name, child, signals, faults):
        """The file has so many signals of the child and so many faults, by the child's own count."""
        self.check(name)
        self.assertEqual(len(self.of(child, self.events(name, "instant", "signal_generate"))), signals)
        runs = self.of(child, [each for each in self.events(name, "counter") if each["category"] == "counter"])
        found = sum(arg["value"] for each in runs for arg in each["args"] if arg["name"] == "minor-faults")
        # Reading the line and telling the count are not in the count.
        self.assertLessEqual(faults, found)
        self.assertLess(found, faults + 100)

    def test_a_window_has_what_a_program_counted_in_it(self):
        child = self.program()
        self.start(*ROOMY, *SIGNALS, "--counters", "minor-faults,task-clock")
        first, times = self.batch(child, 200)
        between = time.monotonic()
        second, more = self.batch(child, 70)
        self.do("snapshot", "-o", self.path("all.fxt"))
        self.holds("all.fxt", child, 270, first + second)
        # What was before a window is not in it, wherever the window begins.
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

    def test_the_oldest_go_when_there_is_no_room(self):
        """The memory for tracepoints has an end as the rings have; the file begins where all of it is there."""
        child = self.program()
        self.start("--circular", "1M", "-c", "sched", "-e", "signal:signal_generate")
        batches = 0

        def full():
            nonlocal batches
            batches += 1
            self.batch(child, 20_000)
            return self.status()["covered_seconds"] < started + time.monotonic() - 0.5
        started = -time.monotonic()
        self.assertTrue(eventually(full))
        self.batch(child, 10)
        self.do("snapshot", "-o", self.path("a.fxt"))
        self.check("a.fxt")
        # Each is there twice.
        found = len(self.of(child, self.events("a.fxt", "instant", "signal_generate")))
        self.assertLess(found, batches * 40_000)
        self.assertGreater(found, 5_000)
        # A megabyte is little for such storms: what does not fit is counted, and is next to nothing.
        self.assertLess(self.status()["lost"], batches * 400)
        self.assertLess(self.status()["resident_bytes"], 100 << 20)
        self.do("cancel")

    def test_oneshot_is_full_of_them(self):
        child = self.program()
        self.start("--oneshot", "1M", "-c", "sched", "-e", "signal:signal_generate")

        def full():
            self.batch(child, 5_000)
            return self.status()["state"] == "STOPPED"
        self.assertTrue(eventually(full))
        self.assertIn("full", self.status()["reason"])
        self.do("stop", "-o", self.path("a.fxt"))
        self.check("a.fxt")
        # From the first one on.
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
            # Nobody records this.
            self.batch(child, 300)
            self.check(name)
            found = self.of(child, self.events(name, "instant", "signal_generate"))
            self.assertEqual(len(found), expected, disposition)

    def test_streaming_has_all_of_them(self):
        child = self.program()
        self.start("--streaming", "-o", self.path("day.fxt"), *SIGNALS, "--counters", "minor-faults")
        faults, _ = self.batch(child, 150)
        self.do("stop")
        self.holds("day.fxt", child, 150, faults)

    def test_files_that_follow_each_other(self):
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
        recording.communicate(timeout=LIMIT_S)
        self.assertEqual(recording.returncode, 0)
        found = 0
        for name in os.listdir(self.folder):
            if name.startswith("day-"):
                self.check(name)
                found += len(self.of(child, self.events(name, "instant", "signal_generate")))
        self.assertEqual(found, batches * 30)

    def test_calls_of_functions_and_stacks(self):
        self.start("--circular", "64M", "-c", "task,stack:off", "--uprobe", f"{PROBED}:c_sleeps+retval", "--usdt",
                   f"{PROBED}:probed:sold")
        done = run(PROBED)
        self.assertEqual(done.returncode, 0)
        counts = {line.rsplit(" ", 2)[0]: int(line.split()[-2]) for line in done.stdout.splitlines()}
        self.do("snapshot", "-o", self.path("a.fxt"))
        self.check("a.fxt")
        self.assertEqual(len(self.events("a.fxt", "begin", "c_sleeps")), counts["c_sleeps"])
        self.assertEqual(len(self.events("a.fxt", "instant", "probed:sold")), 6)
        # What the addresses of a program mean is asked while it is there.
        waits = subprocess.Popen([PROBED, "wait"], stdout=subprocess.PIPE)
        self.addCleanup(waits.communicate)
        waits.stdout.readline()

        def sleeps():
            self.do("snapshot", "-o", self.path("b.fxt"))
            return len(self.of(waits, self.events("b.fxt", "instant", "off"))) > 3
        self.assertTrue(eventually(sleeps))
        waits.kill()
        waits.wait()
        self.do("snapshot", "-o", self.path("c.fxt"))
        self.check("c.fxt")
        flame = run(os.path.join(BUILD, "fxt"), "flame", "--of", "off", "--format", "folded", self.path("c.fxt"), "-o", "-")
        self.assertRegex(flame.stdout, r"(?m)^probed;.*;main;[^\n]*nanosleep", flame.stderr)
        self.do("cancel")

    def test_nothing_is_left_of_a_killed_controller(self):
        """Probes, tracepoints and counters go with the process that asked for them."""
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

    def test_what_is_wrong_is_said(self):
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

    def test_probes_are_for_root(self):
        self.serve("--group", str(NOBODY))
        config = {"buffering_mode": "CIRCULAR", "sources": {"uprobes": [f"{PROBED}:c_counts"]}}
        call = json.dumps({"method": "fuchsia.tracing.controller.InitializeTracing", "parameters": {"config": config}})
        # As another user: a process of its own, of which only the kernel's word counts.
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
