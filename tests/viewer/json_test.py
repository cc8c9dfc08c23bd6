#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""`fxt json` of a recording is valid JSON and has the events that `fxt info` counts."""

import collections
import json
import os
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


def refuse(text):
    raise ValueError(f"{text} is no JSON")


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

    def system_events(self, phase):
        return [event for event in self.trace["systemTraceEvents"]["events"] if event["ph"] == phase]

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
        self.assertEqual(self.trace["systemTraceEvents"]["type"], "fuchsia")
        self.assertEqual(len(self.system_events("k")), self.kinds["switch"])
        self.assertEqual(len(self.system_events("w")), self.kinds["wakeup"])
        self.assertEqual(len(self.system_events("p")), self.info["named_processes"])
        self.assertEqual(len(self.system_events("t")), self.info["named_threads"])

    def test_switches_of_each_cpu_and_thread(self):
        by_cpu = collections.Counter(event["cpu"] for event in self.system_events("k"))
        self.assertEqual(dict(by_cpu), {cpu["cpu"]: cpu["switches"] for cpu in self.info["cpus"] if cpu["switches"]})
        by_thread = collections.Counter(event["in"]["tid"] for event in self.system_events("k"))
        self.assertEqual(dict(by_thread),
                         {thread["koid"]: thread["switches"] for thread in self.info["threads"] if thread["switches"]})

    def test_names(self):
        """A program may clear the name of its thread. Such a thread has no metadata event."""
        names = {event["tid"]: event["args"]["name"] for event in self.trace["traceEvents"]
                 if event["ph"] == "M" and event["name"] == "thread_name"}
        of_system = {event["tid"]: event["name"] for event in self.system_events("t")}
        self.assertEqual(names, {tid: name for tid, name in of_system.items() if name})
        for thread in self.info["threads"]:
            self.assertEqual(of_system[thread["koid"]], thread["name"])

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
        times += [event["ts"] for event in self.trace["systemTraceEvents"]["events"] if "ts" in event]
        self.assertEqual(round(min(times) * 1000), self.info["first_time_ns"])
        self.assertEqual(round(max(times) * 1000), self.info["last_time_ns"])


if __name__ == "__main__":
    harness.skip_unless_recordable()
    harness.main()
