#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""`fxt json` of a recording is valid JSON and has the events that `fxt info` counts."""

import collections
import json
import os
import re
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
import harness  # noqa: E402

# Kinds of `fxt info` by phase of the Trace Event Format.
PHASES = {
    "i": "instant", "C": "counter", "B": "begin", "E": "end", "X": "complete", "b": "async-begin",
    "n": "async-instant", "e": "async-end", "s": "flow-begin", "t": "flow-step", "f": "flow-end",
}
CPU_TRACKS = 0x7FFFFFFF
LINE = re.compile(r"(?P<task>.*)-(?P<tid>\d+) \((?P<pid>\d+|-----)\) \[(?P<cpu>\d+)\] \.{4} (?P<time>\d+\.\d{9}): "
                  r"(?P<event>\w+): (?P<rest>.*)")
NEXT = re.compile(r" next_pid=(\d+) next_prio=")


def refuse(text):
    raise ValueError(f"{text} is not JSON")


def parse(text):
    """Parses strictly: neither NaN and infinities nor invalid UTF-8 pass."""
    return json.loads(text.decode("utf-8", errors="strict"), parse_constant=refuse)


def is_log(event):
    return event["ph"] == "i" and event["s"] == "g"


class Json(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "trace.fxt")
            harness.record_everything(path)
            cls.checked = harness.fxt("check", path)
            cls.info = json.loads(harness.fxt("info", "--json", path))
            dumped = harness.fxt("dump", "--json", "--type", "log", path)
            cls.logged = [json.loads(line)["message"] for line in dumped.splitlines()]
            cls.trace = parse(harness.fxt("json", path, "-o", "-", text=False))
            cls.with_slices = parse(harness.fxt("json", "--cpu-slices", path, "-o", "-", text=False))
        cls.kinds = {kind: counted["count"] for kind, counted in cls.info["kinds"].items()}

    def system_lines(self, event):
        """The lines of an event in the ftrace text, each as a match of LINE."""
        lines = [LINE.fullmatch(line) for line in self.trace["systemTraceEvents"].splitlines()
                 if not line.startswith("#")]
        self.assertNotIn(None, lines)
        return [line for line in lines if line["event"] == event]

    def test_the_recording_has_events(self):
        self.assertIn("0 errors, 0 warnings", self.checked)
        for kind in ("switch", "wakeup", "log", "instant", "begin", "end"):
            self.assertGreater(self.kinds.get(kind, 0), 0, kind)

    def test_events_of_each_phase(self):
        phases = collections.Counter(event["ph"] for event in self.trace["traceEvents"] if not is_log(event))
        del phases["M"]
        expected = {phase: self.kinds[kind] for phase, kind in PHASES.items() if self.kinds.get(kind)}
        self.assertEqual(dict(phases), expected)
        self.assertEqual(sum(phases.values()), self.info["events"])

    def test_log_messages(self):
        logs = [event for event in self.trace["traceEvents"] if is_log(event)]
        self.assertEqual(len(logs), self.kinds["log"])
        self.assertEqual([event["args"]["message"] for event in logs], self.logged)

    def test_system_events(self):
        """Perfetto accepts only a string."""
        self.assertIsInstance(self.trace["systemTraceEvents"], str)
        self.assertEqual(len(self.system_lines("sched_switch")), self.kinds["switch"])
        self.assertEqual(len(self.system_lines("sched_waking")), self.kinds["wakeup"])

    def test_clock_of_the_system_events(self):
        """chrome://tracing refuses ftrace text whose clock is not known."""
        (sync,) = self.system_lines("tracing_mark_write")
        self.assertEqual(sync["rest"], f"trace_event_clock_sync: parent_ts={sync['time']}")
        self.assertEqual(self.trace["metadata"], {"clock-domain": "LINUX_CLOCK_MONOTONIC"})

    def test_switches_of_each_cpu_and_thread(self):
        lines = self.system_lines("sched_switch")
        by_cpu = collections.Counter(int(line["cpu"]) for line in lines)
        self.assertEqual(dict(by_cpu), {cpu["cpu"]: cpu["switches"] for cpu in self.info["cpus"] if cpu["switches"]})
        by_thread = collections.Counter(int(NEXT.search(line["rest"])[1]) for line in lines)
        del by_thread[0]  # idle
        self.assertEqual(dict(by_thread), {thread["koid"]: thread["switches"] for thread in self.info["threads"]
                                           if thread["switches"] and not thread["name"].startswith("swapper/")})

    def test_names(self):
        """A program may clear the name of its thread. Such a thread has no metadata event."""
        names = {event["tid"]: event["args"]["name"] for event in self.trace["traceEvents"]
                 if event["ph"] == "M" and event["name"] == "thread_name"}
        for thread in self.info["threads"]:
            self.assertEqual(names.get(thread["koid"], ""), thread["name"])

    def test_cpu_slices_are_added(self):
        slices = [event for event in self.with_slices["traceEvents"] if event.get("pid") == CPU_TRACKS]
        others = [event for event in self.with_slices["traceEvents"] if event.get("pid") != CPU_TRACKS]
        self.assertEqual(others, self.trace["traceEvents"])
        self.assertEqual(self.with_slices["systemTraceEvents"], self.trace["systemTraceEvents"])
        begun, busy = {}, collections.Counter()
        for event in slices:
            if event["ph"] == "B":
                self.assertNotIn(event["tid"], begun)
                begun[event["tid"]] = event
            elif event["ph"] == "E":
                begin = begun.pop(event["tid"])
                self.assertEqual(begin["name"], event["name"])
                busy[event["tid"]] += round((event["ts"] - begin["ts"]) * 1000)
        self.assertEqual(begun, {})
        # The time before the first switch of a CPU and after its last one has no slice.
        for cpu in self.info["cpus"]:
            self.assertLessEqual(busy[cpu["cpu"]], cpu["busy_ns"] + 1)
            if cpu["switches"] > 2 and cpu["busy_ns"]:
                self.assertGreater(busy[cpu["cpu"]], 0)

    def test_times_are_those_of_the_recording(self):
        # The instant that describes the session precedes the recording.
        times = [event["ts"] for event in self.trace["traceEvents"]
                 if "ts" in event and (event["cat"], event["name"]) != ("fxt-record", "session")]
        times += [float(line["time"]) * 1e6 for event in ("sched_switch", "sched_waking")
                  for line in self.system_lines(event)]
        self.assertEqual(round(min(times) * 1000), self.info["first_time_ns"])
        self.assertEqual(round(max(times) * 1000), self.info["last_time_ns"])


if __name__ == "__main__":
    harness.skip_unless_recordable()
    harness.main()
