# SPDX-License-Identifier: BSD-2-Clause
"""The records of providers beside those of the kernel."""

import collections
import ctypes
import json
import os
import sys

from harness import BUILD, FXT, RECORDER, ROOT, TEST_LIMIT_S, limited
from recordings import Recordings

# Recordings of the example: a machine that is busy may run its threads one after the other, so that none waits for long.
ATTEMPTS = 5
CLOCK_SECONDS = float(os.environ.get("FXT_PROVIDER_CLOCK_SECONDS", "2"))


class Records(Recordings):
    def test_spans_are_on_the_kernels_threads(self):
        name = self.record("spans", 3)
        outer = self.rows(name, "SELECT ts, dur, tid, pid, koid, process FROM spans WHERE name = 'outer'")
        inner = self.rows(name, "SELECT ts, dur, tid FROM spans WHERE name = 'inner'")
        self.assertEqual((len(outer), len(inner)), (15, 15))
        self.assertEqual({row["process"] for row in outer}, {"exercise"})
        self.assertEqual(len({row["tid"] for row in outer}), 3)
        threads = self.rows(name, "SELECT DISTINCT tid, args ->> 'tid' AS own_tid FROM spans WHERE name = 'outer'")
        for row in threads:
            self.assertEqual(int(row["own_tid"]), row["tid"])
        slept = self.rows(name, "SELECT ts, dur, tid, koid FROM waits WHERE kind = 'sleep' AND process = 'exercise'")
        with_sleep = set()
        for row in inner:
            # The inner span lies within an outer one of its thread.
            self.assertTrue(any(o["tid"] == row["tid"] and o["ts"] <= row["ts"] and
                                row["ts"] + row["dur"] <= o["ts"] + o["dur"] for o in outer), row)
            if any(s["tid"] == row["tid"] and row["ts"] <= s["ts"] and s["dur"] is not None and
                   s["ts"] + s["dur"] <= row["ts"] + row["dur"] for s in slept):
                with_sleep.add(row["tid"])
        # A thread that loses its CPU while it goes to sleep may find its timer expired, and does not sleep in that
        # span; of five spans of a thread this is not all.
        self.assertEqual(with_sleep, {row["tid"] for row in inner})

    def test_records_are_in_the_section_of_their_provider(self):
        name = self.record("spans", 1)
        text = self.execute(FXT, "info", self.path(name)).stdout
        self.assertRegex(text, r'#2 "exercise": \d+ records')

    def test_every_kind_and_type(self):
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
        done = json.loads(self.execute(FXT, "json", self.path(name), "-o", "-").stdout)
        phases = {event["ph"] for event in done["traceEvents"] if event.get("cat") == "app"}
        self.assertLessEqual({"i", "C", "b", "n", "e", "s", "t", "f", "B", "E"}, phases)
        text = self.execute(FXT, "info", self.path(name)).stdout
        self.assertRegex(text, r"blob +type 1, 3 records, 29\.\d KiB")

    @limited(TEST_LIMIT_S + CLOCK_SECONDS)
    def test_the_clock_is_that_of_the_session(self):
        name = self.record("clock", CLOCK_SECONDS)
        times = self.rows(name, "SELECT ts, name, args FROM instants WHERE category = 'app' ORDER BY ts")
        off = []
        for instant, was in zip(times[::2], times[1::2]):
            self.assertEqual((instant["name"], was["name"]), ("clock", "was"))
            arguments = json.loads(was["args"])
            before, after = int(arguments["before"]), int(arguments["after"])
            # The distance from the interval between two readings of the clock around the instant.
            off.append(max(before - instant["ts"], instant["ts"] - after, 0))
        self.assertGreater(len(off), 100)
        print(f"clock: {len(off)} instants over {(times[-1]['ts'] - times[0]['ts']) / 1e9:.1f} s, "
              f"at most {max(off)} ns off", file=sys.stderr)
        self.assertLess(max(off), 2000)

    def test_the_example_shows_the_lock_holder(self):
        for _ in range(ATTEMPTS):
            if self.server_shows_the_lock_holder():
                return
        self.fail("no sleep for the lock is ended by the worker that has compacted")

    def server_shows_the_lock_holder(self):
        self.execute(RECORDER, "-q", "--providers", "--socket", self.socket, "-c", "sched,task", "-o",
                  self.path("server.fxt"), "--", os.path.join(BUILD, "examples/server"), "0.5")
        self.checked("server.fxt")
        spans = collections.defaultdict(list)
        for row in self.rows("server.fxt", "SELECT name, ts, dur, tid, args ->> 'number' AS number FROM spans WHERE "
                                           "category IN ('server', 'client') AND dur > 0"):
            spans[row["name"]].append(row)
        # On a busy machine the first ones may precede the recorder's reply.
        sent = sorted(row["number"] for row in spans["send"])
        self.assertEqual(sent, list(range(sent[0], 501)))
        answered = [row["number"] for row in spans["request"]]
        self.assertEqual(len(answered), len(set(answered)))
        self.assertLessEqual(set(sent), set(answered))
        sleeps = self.rows("server.fxt", "SELECT ts, dur, tid, waker_tid FROM waits WHERE kind = 'sleep' AND dur > 0")
        workers = {row["tid"] for row in spans["request"]}

        def inside(inner, outer):
            return inner["tid"] == outer["tid"] and outer["ts"] <= inner["ts"] and \
                inner["ts"] + inner["dur"] <= outer["ts"] + outer["dur"]

        def explained(lock):
            """The lock span lies in a request, and a worker that compacted ended a sleep in it."""
            return any(inside(lock, request) for request in spans["request"]) and any(
                inside(sleep, lock) and sleep["waker_tid"] in workers - {lock["tid"]} and
                any(compact["tid"] == sleep["waker_tid"] and compact["ts"] < sleep["ts"] + sleep["dur"] and
                    compact["ts"] + compact["dur"] > lock["ts"] for compact in spans["compact"]) for sleep in sleeps)

        # A busy machine may delay a thread anywhere, so the longest span need not be one of these.
        return any(explained(lock) for lock in spans["lock"] if lock["dur"] > 5_000_000)

    def test_a_python_provider(self):
        script = ("import fxt_provider as t\n"
                  "assert t.wait(300000)\n"
                  "with t.duration('py', 'load', file='x', n=3, f=2.5, none=None, yes=True, big=2**64-1):\n"
                  "    t.counter('py', 'rows', done=4)\n"
                  "t.traced('py')(lambda: t.instant('py', 'inside'))()\n"
                  "t.blob('bytes', b'xyz')\n")
        environment = {**self.environment, "PYTHONPATH": os.path.join(ROOT, "bindings"),
                       "FXT_PROVIDER_LIBRARY": os.path.join(BUILD, "libfxt-provider.so"), "PYTHONDONTWRITEBYTECODE": "1"}
        self.begin()
        self.execute(sys.executable, "-c", script, env=environment)
        name = self.stop()
        span = self.rows(name, "SELECT args, process FROM spans WHERE name = 'load'")[0]
        self.assertEqual(json.loads(span["args"]), {"file": "x", "n": 3, "f": 2.5, "none": None, "yes": True,
                                                    "big": str(2**64 - 1)})
        self.assertEqual(len(self.rows(name, "SELECT 1 FROM instants WHERE name = 'inside'")), 1)
        # Without the library the calls do nothing, with a message where a recorder is named.
        environment["FXT_PROVIDER_LIBRARY"] = "/nowhere"
        said = self.execute(sys.executable, "-c", script.replace("assert ", ""), env=environment).stderr
        try:
            ctypes.CDLL("libfxt-provider.so.0")  # installed: the binding finds it
        except OSError:
            self.assertIn("writes no records; install it or set FXT_PROVIDER_LIBRARY", said)

    def test_scripts_leave_marks(self):
        mark = os.path.join(BUILD, "fxt-mark")
        self.assertEqual(self.execute(mark, "instant", "unrecorded").stderr, "")
        self.assertEqual(self.execute(mark, "-v", "instant", "unrecorded", ok=(1,)).returncode, 1)
        self.execute(mark, "counter", "without-a-value", ok=(2,))
        self.execute(mark, "nonsense", "name", ok=(2,))
        self.begin()
        shell = self.execute("bash", "-c", f"{mark} begin outer; {mark} counter files 12.5; {mark} instant 'some thing'; "
                                        f"{mark} end outer; echo $$")
        name = self.stop()
        pid = int(shell.stdout)
        spans = self.rows(name, "SELECT tid, dur, process FROM spans WHERE category = 'mark'")
        self.assertEqual([(row["tid"], row["process"]) for row in spans], [(pid, "bash")])
        self.assertGreater(spans[0]["dur"], 0)
        self.assertEqual([row["tid"] for row in self.rows(name, "SELECT tid FROM instants WHERE name = 'some thing'")],
                         [pid])
