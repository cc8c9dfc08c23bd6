#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Whether what `fxt json` makes of a recording is JSON, and holds what `fxt info` counts in it."""

import collections
import json
import os
import sys
import tempfile
import unittest

import capture

BUILD = os.path.join(capture.ROOT, "build")

# Kinds of `fxt info` by phase of the Trace Event Format.
PHASES = {
    "i": "instant", "C": "counter", "B": "begin", "E": "end", "X": "complete", "b": "async-begin",
    "n": "async-instant", "e": "async-end", "s": "flow-begin", "t": "flow-step", "f": "flow-end",
}
CPU_TRACKS = 0x7FFFFFFF


def refuse(text):
    raise ValueError(f"{text} is no JSON")


def parse(text):
    """Python takes NaN and the infinities, and bytes that are not UTF-8, if not told otherwise."""
    return json.loads(text.decode("utf-8", errors="strict"), parse_constant=refuse)


def is_log(event):
    return event["ph"] == "i" and event["s"] == "g"


class Json(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "trace.fxt")
            capture.record(BUILD, path)
            cls.checked = capture.run(os.path.join(BUILD, "fxt"), "check", path).decode()
            cls.info = capture.info(BUILD, path)
            dumped = capture.run(os.path.join(BUILD, "fxt"), "dump", "--json", "--type", "log", path)
            cls.logged = [json.loads(line)["message"] for line in dumped.splitlines()]
            cls.trace = parse(capture.convert(BUILD, path))
            cls.with_slices = parse(capture.convert(BUILD, path, "--cpu-slices"))
        cls.kinds = {kind: counted["count"] for kind, counted in cls.info["kinds"].items()}

    def system_events(self, phase):
        return [event for event in self.trace["systemTraceEvents"]["events"] if event["ph"] == phase]

    def test_there_is_something_to_count(self):
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
        """A program can take its thread's name away; then there is nothing to say of it to viewers."""
        names = {event["tid"]: event["args"]["name"] for event in self.trace["traceEvents"]
                 if event["ph"] == "M" and event["name"] == "thread_name"}
        of_system = {event["tid"]: event["name"] for event in self.system_events("t")}
        self.assertEqual(names, {tid: name for tid, name in of_system.items() if name})
        for thread in self.info["threads"]:
            self.assertEqual(of_system[thread["koid"]], thread["name"])

    def test_slices_of_cpus_come_on_top(self):
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
        # Without the first and the last part of each CPU's time, which no switch begins or ends.
        for cpu in self.info["cpus"]:
            self.assertLessEqual(busy[cpu["cpu"]], cpu["busy_ns"] + 1)
            self.assertGreater(busy[cpu["cpu"]], 0)

    def test_times_are_those_of_the_recording(self):
        # What tells how the recording was made stands before it.
        times = [event["ts"] for event in self.trace["traceEvents"]
                 if "ts" in event and (event["cat"], event["name"]) != ("fxt-record", "session")]
        times += [event["ts"] for event in self.trace["systemTraceEvents"]["events"] if "ts" in event]
        self.assertEqual(round(min(times) * 1000), self.info["first_time_ns"])
        self.assertEqual(round(max(times) * 1000), self.info["last_time_ns"])


if __name__ == "__main__":
    if "--build" in sys.argv:
        at = sys.argv.index("--build")
        BUILD = os.path.abspath(sys.argv[at + 1])
        del sys.argv[at:at + 2]
    capture.skip_unless_recordable(BUILD)
    unittest.main(verbosity=2)
