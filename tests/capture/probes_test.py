#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Holds recorded function calls and USDT probes against the counts of the probed program (root, BTF)."""

import collections
import json
import os
import signal
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
import harness  # noqa: E402
from harness import BUILD, DEADLINE_S, FXT, RECORDER, eventually, run  # noqa: E402

PROGRAM = os.path.join(BUILD, "tests", "probed")
UPROBE_EVENTS = "/sys/kernel/tracing/uprobe_events"
FUNCTIONS = ("c_sleeps+retval", "c_counts+retval", "c_wide+retval", "c_recurs+retval", "c_jumps_out", "c_never_returns",
             "shop::Throws+entry", "shop::Basket::Add+retval", "shop::Pay", "shop::Twice", "_ZN4shop3PayEi")


def why_not():
    reason = harness.why_not_recordable()
    if not reason and not os.path.exists("/sys/bus/event_source/devices/uprobe/type"):
        reason = "this kernel has no uprobes"
    return reason


def events_of(trace):
    """Returns the events of category probe in the order of the file."""
    return [event for event in json.loads(harness.fxt("json", trace, "-o", "-"))["traceEvents"] if event.get("cat") == "probe"]


class Spans:
    """Pairs begin and end events by their nesting on each thread."""

    def __init__(self, events):
        self.of = collections.defaultdict(list)  # name: (tid, us, arguments of the end, depth)
        self.open = collections.defaultdict(list)
        self.misnested = []
        for event in events:
            stack = self.open[event["tid"]]
            if event["ph"] == "B":
                stack.append(event)
            elif event["ph"] == "E":
                begin = stack.pop() if stack else {"name": None, "ts": 0}
                if begin["name"] != event.get("name", begin["name"]):
                    self.misnested.append(event)
                self.of[begin["name"]].append((event["tid"], event["ts"] - begin["ts"], event.get("args", {}), len(stack)))

    def left_open(self):
        return [event["name"] for stack in self.open.values() for event in stack]


def bpf_count():
    """Counts the BPF links of perf events on this machine."""
    links = run("bpftool", "-j", "link", "list")
    return sum(1 for link in json.loads(links.stdout or "[]") if link.get("type") == "perf_event")


def uprobe_events():
    try:
        with open(UPROBE_EVENTS, encoding="utf-8") as file:
            return file.read()
    except OSError:
        return ""


@unittest.skipIf(why_not(), why_not())
class Probes(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.trace = os.path.join(harness.class_folder(cls), "all.fxt")
        options = [part for function in FUNCTIONS for part in ("--uprobe", f"{PROGRAM}:{function}")]
        done = run(RECORDER, "-q", "-c", "task,syscall", *options, "--usdt", f"{PROGRAM}:probed:sold", "--usdt",
                   f"{PROGRAM}:probed:plain", "--only-command", "-o", cls.trace, "--", PROGRAM)
        if done.returncode != 0:
            raise AssertionError(done.stderr)
        lines = [line.rsplit(" ", 2) for line in done.stdout.splitlines()]
        cls.counts = {name: int(count) for name, count, _ in lines}
        cls.took = {name: int(ns) for name, _, ns in lines}
        cls.events = events_of(cls.trace)
        cls.spans = Spans(cls.events)

    def of(self, name):
        return self.spans.of[name]

    def test_the_file_is_valid(self):
        done = run(FXT, "check", self.trace)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertEqual(self.spans.misnested, [])
        self.assertEqual(self.spans.left_open(), [])

    def test_durations_match_the_program(self):
        calls = self.of("c_sleeps")
        self.assertEqual(len(calls), self.counts["c_sleeps"])
        self.assertEqual([call[2]["retval"] for call in calls], [3 * ms for ms in range(1, 11)])
        for ms, call in enumerate(calls, 1):
            self.assertGreaterEqual(call[1], ms * 1000)
        # The program reads its clock outside the probes.
        self.assertLessEqual(sum(call[1] for call in calls) * 1000, self.took["c_sleeps"])

    def test_every_call_has_its_return_value(self):
        child = self.counts["child"]
        own = [call for call in self.of("c_counts") if call[0] != child]
        self.assertEqual(len(own), 1000 + 4 * 250)
        self.assertEqual(sorted(call[2]["retval"] for call in own), sorted([-n for n in range(1000)] + [-n for n in range(250)] * 4))
        self.assertEqual(len([call for call in self.of("c_counts") if call[0] == child]), 100)
        wide = [call[2]["retval"] for call in self.of("c_wide")]
        truth = [n * 0x9e3779b97f4a7c15 % 2**64 for n in range(1, 6)]
        self.assertEqual([int(value) % 2**64 for value in wide], truth)

    def test_calls_are_on_their_threads(self):
        by_thread = collections.Counter(call[0] for call in self.of("c_counts"))
        self.assertEqual(sorted(by_thread.values()), [100, 250, 250, 250, 250, 1000])

    def test_recursion_nests(self):
        calls = self.of("c_recurs")
        self.assertEqual(sorted(call[3] for call in calls), list(range(21)))
        self.assertTrue(all(call[2]["retval"] == 20 - call[3] for call in calls))

    def test_calls_that_never_return_are_marked(self):
        for name, count in (("c_jumps_out", 15), ("c_never_returns", 4)):
            with self.subTest(name):
                calls = self.of(name)
                self.assertEqual(len(calls), count)
                self.assertTrue(all(call[2].get("no_return") for call in calls))

    def test_entry_probes_work_with_exceptions(self):
        self.assertEqual(len([event for event in self.events if event["name"] == "shop::Throws()" and event["ph"] == "i"]), 4)

    def test_names_are_mangled_or_not(self):
        self.assertEqual(len(self.of("shop::Basket::Add(int)")), 7)
        self.assertEqual(len(self.of("shop::Pay(int)")), 1)
        self.assertEqual(len(self.of("shop::Pay(char const*)")), 1)
        self.assertEqual(len(self.of("int shop::Twice<int>(int)")), 1)
        self.assertEqual(len(self.of("long shop::Twice<long>(long)")), 1)

    def test_usdt_probes_have_their_arguments(self):
        sold = [event["args"] for event in self.events if event["name"] == "probed:sold"]
        self.assertEqual(sold, [{"arg1": -i, "arg2": 200 + i, "arg3": i << 40, "arg4": -i} for i in range(6)])
        self.assertEqual(len([event for event in self.events if event["name"] == "probed:plain"]), 6)


@unittest.skipIf(why_not(), why_not())
class Endings(harness.FolderTest):
    def setUp(self):
        super().setUp()
        self.trace = self.path("trace.fxt")
        self.program = subprocess.Popen([PROGRAM, "wait"], stdout=subprocess.PIPE, text=True)
        self.addCleanup(self.end, self.program)
        self.program.stdout.readline()

    @staticmethod
    def end(process):
        process.kill()
        process.wait()
        if process.stdout:
            process.stdout.close()

    def record(self, *options):
        recorder = subprocess.Popen([RECORDER, "-q", "-c", "task", "--uprobe", f"{PROGRAM}:c_sleeps", "--uprobe", f"{PROGRAM}:c_counts",
                                     "-o", self.trace, *options])
        self.addCleanup(self.end, recorder)
        return recorder

    def has_calls(self, least=5):
        done = run(FXT, "json", self.trace, "-o", "-")
        return done.returncode == 0 and done.stdout.count('"c_sleeps"') > 2 * least

    def ns_of_a_call(self, calls=20000):
        done = run(PROGRAM, "plain", str(calls))
        return int(done.stdout.split()[2]) / calls

    def test_a_killed_program(self):
        recorder = self.record("--pid", str(self.program.pid))
        self.assertTrue(eventually(self.has_calls))
        self.program.kill()
        self.program.wait()
        recorder.send_signal(signal.SIGINT)
        self.assertEqual(recorder.wait(DEADLINE_S), 0)
        spans = Spans(events_of(self.trace))
        self.assertEqual((spans.misnested, spans.left_open()), ([], []))
        self.assertEqual({call[0] for call in spans.of["c_sleeps"]}, {self.program.pid})
        self.assertEqual(run(FXT, "check", self.trace).returncode, 0)

    def test_a_killed_recorder_leaves_nothing(self):
        links, written = bpf_count(), uprobe_events()
        recorder = self.record()
        self.assertTrue(eventually(self.has_calls))
        self.assertGreater(bpf_count(), links)
        self.assertEqual(uprobe_events(), written)
        probed = self.ns_of_a_call()
        recorder.kill()
        recorder.wait()
        self.assertTrue(eventually(lambda: bpf_count() <= links))
        # A trap takes hundreds of nanoseconds, a call a few. Other load may slow a measurement down, so it is repeated.
        self.assertTrue(eventually(lambda: self.ns_of_a_call() < probed / 4), f"{probed} ns a call with probes")
        self.assertEqual(uprobe_events(), written)
        self.assertIsNone(self.program.poll())

    def test_other_processes_are_not_recorded(self):
        recorder = self.record("--pid", str(self.program.pid))
        self.assertTrue(eventually(self.has_calls))
        self.ns_of_a_call(100)
        recorder.send_signal(signal.SIGINT)
        self.assertEqual(recorder.wait(DEADLINE_S), 0)
        self.assertEqual(Spans(events_of(self.trace)).of["c_counts"], [])


@unittest.skipIf(why_not(), why_not())
class Refusals(unittest.TestCase):
    def refused(self, *options):
        with tempfile.TemporaryDirectory() as folder:
            trace = os.path.join(folder, "trace.fxt")
            done = run(RECORDER, *options, "-o", trace, "--", "true")
            self.assertNotIn(done.returncode, (0, -signal.SIGSEGV, -signal.SIGABRT))
            self.assertFalse(os.path.exists(trace))
        return done.stderr

    def test_wrong_probes_are_errors(self):
        for options, words in ((("--uprobe", f"{PROGRAM}:c_count"), ("no function 'c_count'", "c_counts")),
                               (("--uprobe", "/no/such:f"), ("no file '/no/such'",)),
                               (("--uprobe", "libc.so.66:malloc"), ("no library 'libc.so.66'", "libc.so.6")),
                               (("--uprobe", "c_counts"), ("no file and function",)),
                               (("--uprobe", "/etc/passwd:f"), ("not an ELF file",)),
                               (("--usdt", f"{PROGRAM}:probed:solt"), ("no USDT probe 'probed:solt'", "probed:sold")),
                               (("--usdt", f"{PROGRAM}:sold"), ("no file, provider and probe",)),
                               (("-c", "probe"), ("needs a function",))):
            with self.subTest(options):
                said = self.refused(*options)
                for word in words:
                    self.assertIn(word, said)

    def test_a_stripped_program_is_an_error(self):
        with tempfile.TemporaryDirectory() as folder:
            stripped = os.path.join(folder, "stripped")
            # Without exports a stripped program has only the names of its imports.
            subprocess.run(["strip", "-o", stripped, PROGRAM], check=True)
            self.assertIn("stripped", self.refused("--uprobe", f"{stripped}:c_counts"))


if __name__ == "__main__":
    harness.main()
