# SPDX-License-Identifier: BSD-2-Clause
"""The records of providers beside those of the kernel."""

import json
import os
import sys

from recordings import BUILD, ROOT, Recordings

CLOCK_SECONDS = float(os.environ.get("FXT_PROVIDER_CLOCK_SECONDS", "2"))


class Records(Recordings):
    def test_spans_are_on_the_kernel_s_threads(self):
        name = self.record("spans", 3)
        outer = self.rows(name, "SELECT ts, dur, tid, pid, koid, process FROM spans WHERE name = 'outer'")
        inner = self.rows(name, "SELECT ts, dur, tid FROM spans WHERE name = 'inner'")
        self.assertEqual((len(outer), len(inner)), (15, 15))
        self.assertEqual({row["process"] for row in outer}, {"exercise"})
        self.assertEqual(len({row["tid"] for row in outer}), 3)
        tids = self.rows(name, "SELECT DISTINCT tid, args ->> 'tid' AS own FROM spans WHERE name = 'outer'")
        for row in tids:
            self.assertEqual(int(row["own"]), row["tid"])
        slept = self.rows(name, "SELECT ts, dur, tid, koid FROM waits WHERE kind = 'sleep' AND process = 'exercise'")
        for row in inner:
            # It lies within an outer span of its thread, and the thread sleeps in it.
            self.assertTrue(any(o["tid"] == row["tid"] and o["ts"] <= row["ts"] and
                                row["ts"] + row["dur"] <= o["ts"] + o["dur"] for o in outer), row)
            self.assertTrue(any(s["tid"] == row["tid"] and row["ts"] <= s["ts"] and s["dur"] is not None and
                                s["ts"] + s["dur"] <= row["ts"] + row["dur"] for s in slept), row)

    def test_records_are_in_the_provider_s_section(self):
        name = self.record("spans", 1)
        text = self.run_(os.path.join(BUILD, "fxt"), "info", self.path(name)).stdout
        self.assertRegex(text, r'#2 "exercise": \d+ records')

    def test_all_event_and_argument_types(self):
        name = self.record("kinds")
        values = json.loads(self.rows(name, "SELECT args FROM instants WHERE name = 'values'")[0]["args"])
        self.assertEqual({key: values[key] for key in ("int32", "uint32", "double", "string", "bool", "null")},
                         {"int32": -1, "uint32": 2, "double": 2.5, "string": "text", "bool": True, "null": None})
        self.assertEqual(int(values["int64"]), -2**63)
        self.assertEqual(int(values["uint64"]), 2**64 - 1)
        many = json.loads(self.rows(name, "SELECT args FROM instants WHERE name = 'many'")[0]["args"])
        self.assertEqual(list(many.values()), list(range(1, 16)))
        huge = json.loads(self.rows(name, "SELECT args FROM instants WHERE name = 'huge'")[0]["args"])
        self.assertRegex(huge["text"], r"^y{10000,}$")
        self.assertEqual(self.rows(name, "SELECT category FROM instants WHERE name = 'linux_state' AND "
                                         "process = 'exercise' AND category LIKE 'provider%'"),
                         [{"category": "provider:sched"}])
        self.assertEqual(len(self.rows(name, "SELECT 1 FROM instants WHERE name = 'alert-of-app'")), 1)
        done = json.loads(self.run_(os.path.join(BUILD, "fxt"), "json", self.path(name), "-o", "-").stdout)
        phases = {event["ph"] for event in done["traceEvents"] if event.get("cat") == "app"}
        self.assertLessEqual({"i", "C", "b", "n", "e", "s", "t", "f", "B", "E"}, phases)
        text = self.run_(os.path.join(BUILD, "fxt"), "info", self.path(name)).stdout
        self.assertRegex(text, r"blob +type 1, 3 records, 29\.\d KiB")

    def test_timestamps_are_on_the_session_s_clock(self):
        name = self.record("clock", CLOCK_SECONDS)
        times = self.rows(name, "SELECT ts, name, args FROM instants WHERE category = 'app' ORDER BY ts")
        off = []
        for instant, was in zip(times[::2], times[1::2]):
            self.assertEqual((instant["name"], was["name"]), ("clock", "was"))
            arguments = json.loads(was["args"])
            before, after = int(arguments["before"]), int(arguments["after"])
            # The distance from the interval between the two readings around it.
            off.append(max(before - instant["ts"], instant["ts"] - after, 0))
        self.assertGreater(len(off), 100)
        print(f"clock: {len(off)} instants over {(times[-1]['ts'] - times[0]['ts']) / 1e9:.1f} s, "
              f"at most {max(off)} ns off", file=sys.stderr)
        self.assertLess(max(off), 2000)

    def test_the_example_shows_who_held_up_a_request(self):
        self.run_(os.path.join(BUILD, "fxt-record"), "-q", "--providers", "--socket", self.socket, "-c", "sched,task", "-o",
                  self.path("server.fxt"), "--", os.path.join(BUILD, "examples/server"), "0.5")
        self.checked("server.fxt")
        spans = {}
        for row in self.rows("server.fxt", "SELECT name, ts, dur, tid FROM spans WHERE category = 'server' AND dur > 0"):
            spans.setdefault(row["name"], []).append(row)
        self.assertEqual(len(spans["request"]), 500)
        slowest = max(spans["lock"], key=lambda row: row["dur"])
        end = slowest["ts"] + slowest["dur"]
        # It lies within a request of its thread.
        self.assertTrue(any(row["tid"] == slowest["tid"] and row["ts"] <= slowest["ts"] and
                            end <= row["ts"] + row["dur"] for row in spans["request"]))
        # The thread sleeps in it until a worker, which holds the lock, wakes it.
        sleeps = self.rows("server.fxt", "SELECT ts, dur, waker_tid FROM waits WHERE kind = 'sleep' AND "
                                         f"tid = {slowest['tid']} AND ts >= {slowest['ts']} AND ts + dur <= {end}")
        longest = max(sleeps, key=lambda row: row["dur"])
        self.assertGreater(longest["dur"], slowest["dur"] / 2)
        workers = {row["tid"] for row in spans["request"]}
        self.assertIn(longest["waker_tid"], workers - {slowest["tid"]})
        self.assertTrue(any(row["tid"] in workers and row["ts"] < longest["ts"] + longest["dur"] and
                            row["ts"] + row["dur"] > slowest["ts"] for row in spans["compact"]))

    def test_a_python_program(self):
        script = ("import fxt_provider as t\n"
                  "assert t.wait(20000)\n"
                  "with t.duration('py', 'load', file='x', n=3, f=2.5, none=None, yes=True, big=2**64-1):\n"
                  "    t.counter('py', 'rows', done=4)\n"
                  "t.traced('py')(lambda: t.instant('py', 'inside'))()\n"
                  "t.blob('bytes', b'xyz')\n")
        environment = {**self.environment, "PYTHONPATH": os.path.join(ROOT, "bindings"),
                       "FXT_PROVIDER_LIBRARY": os.path.join(BUILD, "libfxt-provider.so"), "PYTHONDONTWRITEBYTECODE": "1"}
        self.begin()
        self.run_(sys.executable, "-c", script, env=environment)
        name = self.stop()
        span = self.rows(name, "SELECT args, process FROM spans WHERE name = 'load'")[0]
        self.assertEqual(json.loads(span["args"]), {"file": "x", "n": 3, "f": 2.5, "none": None, "yes": True,
                                                    "big": str(2**64 - 1)})
        self.assertEqual(len(self.rows(name, "SELECT 1 FROM instants WHERE name = 'inside'")), 1)
        # Without the library the functions do nothing.
        environment["FXT_PROVIDER_LIBRARY"] = "/nowhere"
        self.run_(sys.executable, "-c", script.replace("assert ", ""), env=environment)

    def test_marks_of_scripts(self):
        mark = os.path.join(BUILD, "fxt-mark")
        self.assertEqual(self.run_(mark, "instant", "unrecorded").stderr, "")
        self.assertEqual(self.run_(mark, "-v", "instant", "unrecorded", ok=(1,)).returncode, 1)
        self.run_(mark, "counter", "without-a-value", ok=(2,))
        self.run_(mark, "nonsense", "name", ok=(2,))
        self.begin()
        shell = self.run_("bash", "-c", f"{mark} begin outer; {mark} counter files 12.5; {mark} instant 'some thing'; "
                                        f"{mark} end outer; echo $$")
        name = self.stop()
        pid = int(shell.stdout)
        spans = self.rows(name, "SELECT tid, dur, process FROM spans WHERE category = 'mark'")
        self.assertEqual([(row["tid"], row["process"]) for row in spans], [(pid, "bash")])
        self.assertGreater(spans[0]["dur"], 0)
        self.assertEqual([row["tid"] for row in self.rows(name, "SELECT tid FROM instants WHERE name = 'some thing'")],
                         [pid])
