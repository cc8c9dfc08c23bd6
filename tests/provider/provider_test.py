#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Programs that take part in recordings: what they write and where it ends up, beside what the kernel
says; how they come, go, die and lie. Needs root.

FXT_PROVIDER_KILLS, FXT_PROVIDER_LIARS and FXT_PROVIDER_CLOCK_SECONDS: how much of each is tried."""

import contextlib
import fcntl
import json
import mmap
import os
import random
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import time
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BUILD = os.path.join(ROOT, "build")
LIMIT_S = 60
NOBODY = 65534
KILLS = int(os.environ.get("FXT_PROVIDER_KILLS", "8"))
LIARS = int(os.environ.get("FXT_PROVIDER_LIARS", "8"))
CLOCK_SECONDS = float(os.environ.get("FXT_PROVIDER_CLOCK_SECONDS", "2"))


def eventually(holds):
    deadline = time.monotonic() + LIMIT_S
    while not holds():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.005)
    return True


@unittest.skipUnless(os.geteuid() == 0 and os.path.exists("/sys/kernel/btf/vmlinux"), "recording needs root and BTF")
class Providers(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        os.chmod(self.folder, 0o755)
        self.socket = self.path("control")
        self.environment = {**os.environ, "FXT_RECORD_SOCKET": self.socket}
        self.exercise = os.path.join(BUILD, "tests/exercise")

    def path(self, name):
        return os.path.join(self.folder, name)

    def run_(self, *command, ok=(0,), **more):
        more.setdefault("env", self.environment)
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=LIMIT_S + CLOCK_SECONDS,
                              **more)
        if ok is not None:
            self.assertIn(done.returncode, ok, f"{command}: {done.stdout}{done.stderr}")
        return done

    def recorder(self, *words, **more):
        return self.run_(os.path.join(BUILD, "fxt-record"), *words, "--socket", self.socket, **more)

    def begin(self, *options):
        self.recorder("start", *(options or ("--circular", "2M", "-c", "sched,task")))
        pid = self.status()["pid"]

        def end():
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        self.addCleanup(end)

    def status(self):
        return json.loads(self.recorder("status", "--json").stdout)

    def stop(self, name="trace.fxt"):
        self.recorder("stop", "-o", self.path(name))
        return self.checked(name)

    def record(self, *words, name="trace.fxt", options=()):
        """A recording in the foreground of what exercise does."""
        self.run_(os.path.join(BUILD, "fxt-record"), "-q", "--providers", "--socket", self.socket, "-c", "sched,task",
                  *options, "-o", self.path(name), "--", self.exercise, *map(str, words))
        return self.checked(name)

    def checked(self, name):
        self.run_(os.path.join(BUILD, "fxt"), "check", self.path(name))
        return name

    def rows(self, name, query):
        done = self.run_(os.path.join(BUILD, "fxt"), "query", "--json", self.path(name), query)
        return json.loads(done.stdout)

    def start(self, *words, **more):
        more.setdefault("env", self.environment)
        child = subprocess.Popen([self.exercise, *map(str, words)], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                 text=True, **more)

        def end():
            child.kill()
            child.wait(LIMIT_S)
            child.stdin.close()
            child.stdout.close()
        self.addCleanup(end)
        return child

    def names(self):
        return [provider["name"] for provider in self.status()["providers"]]

    # What is written.

    def test_spans_stand_on_the_kernel_s_threads(self):
        name = self.record("spans", 3)
        outer = self.rows(name, "SELECT ts, dur, tid, pid, koid, process FROM spans WHERE name = 'outer'")
        inner = self.rows(name, "SELECT ts, dur, tid FROM spans WHERE name = 'inner'")
        self.assertEqual((len(outer), len(inner)), (15, 15))
        self.assertEqual({row["process"] for row in outer}, {"exercise"})
        self.assertEqual(len({row["tid"] for row in outer}), 3)
        told = self.rows(name, "SELECT DISTINCT tid, args ->> 'tid' AS told FROM spans WHERE name = 'outer'")
        for row in told:
            self.assertEqual(int(row["told"]), row["tid"])
        slept = self.rows(name, "SELECT ts, dur, tid, koid FROM waits WHERE kind = 'sleep' AND process = 'exercise'")
        for row in inner:
            # Within the outer one of the same thread, and it slept in between.
            self.assertTrue(any(o["tid"] == row["tid"] and o["ts"] <= row["ts"] and
                                row["ts"] + row["dur"] <= o["ts"] + o["dur"] for o in outer), row)
            self.assertTrue(any(s["tid"] == row["tid"] and row["ts"] <= s["ts"] and s["dur"] is not None and
                                s["ts"] + s["dur"] <= row["ts"] + row["dur"] for s in slept), row)

    def test_its_records_stand_in_its_own_section(self):
        name = self.record("spans", 1)
        text = self.run_(os.path.join(BUILD, "fxt"), "info", self.path(name)).stdout
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
        done = json.loads(self.run_(os.path.join(BUILD, "fxt"), "json", self.path(name), "-o", "-").stdout)
        phases = {event["ph"] for event in done["traceEvents"] if event.get("cat") == "app"}
        self.assertLessEqual({"i", "C", "b", "n", "e", "s", "t", "f", "B", "E"}, phases)
        text = self.run_(os.path.join(BUILD, "fxt"), "info", self.path(name)).stdout
        self.assertRegex(text, r"blob +type 1, 3 records, 29\.\d KiB")

    def test_the_clock_is_the_session_s(self):
        name = self.record("clock", CLOCK_SECONDS)
        times = self.rows(name, "SELECT ts, name, args FROM instants WHERE category = 'app' ORDER BY ts")
        off = []
        for instant, was in zip(times[::2], times[1::2]):
            self.assertEqual((instant["name"], was["name"]), ("clock", "was"))
            arguments = json.loads(was["args"])
            before, after = int(arguments["before"]), int(arguments["after"])
            # By how much it lies outside of what was read around it.
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
        # Within a request of the same thread.
        self.assertTrue(any(row["tid"] == slowest["tid"] and row["ts"] <= slowest["ts"] and
                            end <= row["ts"] + row["dur"] for row in spans["request"]))
        # It slept there, and was woken by a worker that held the lock.
        sleeps = self.rows("server.fxt", "SELECT ts, dur, waker_tid FROM waits WHERE kind = 'sleep' AND "
                                         f"tid = {slowest['tid']} AND ts >= {slowest['ts']} AND ts + dur <= {end}")
        longest = max(sleeps, key=lambda row: row["dur"])
        self.assertGreater(longest["dur"], slowest["dur"] / 2)
        workers = {row["tid"] for row in spans["request"]}
        self.assertIn(longest["waker_tid"], workers - {slowest["tid"]})
        self.assertTrue(any(row["tid"] in workers and row["ts"] < longest["ts"] + longest["dur"] and
                            row["ts"] + row["dur"] > slowest["ts"] for row in spans["compact"]))

    def test_python_takes_part(self):
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
        # Without the library nothing happens.
        environment["FXT_PROVIDER_LIBRARY"] = "/nowhere"
        self.run_(sys.executable, "-c", script.replace("assert ", ""), env=environment)

    def test_scripts_leave_marks(self):
        mark = os.path.join(BUILD, "fxt-mark")
        self.assertEqual(self.run_(mark, "instant", "nobody").stderr, "")
        self.assertEqual(self.run_(mark, "-v", "instant", "nobody", ok=(1,)).returncode, 1)
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

    # How programs come and go.

    def test_sessions_of_every_mode(self):
        for mode in (("--circular", "2M"), ("--oneshot", "4M"), ("--streaming", "-o", self.path("s.fxt"))):
            with self.subTest(mode=mode[0]):
                self.assertTrue(eventually(self.no_controller))
                early = self.start("follow")
                self.begin(*mode, "-c", "sched,task")
                self.assertEqual(early.stdout.readline(), "recorded\n")
                self.assertIn("exercise", self.names())
                late = self.start("follow")
                self.assertEqual(late.stdout.readline(), "recorded\n")
                for child, word in ((early, "from-early"), (late, "from-late")):
                    child.stdin.write(word + "\n")
                    child.stdin.flush()
                    self.assertEqual(child.stdout.readline(), "yes\n")
                late.stdin.close()
                late.wait(LIMIT_S)
                self.assertTrue(eventually(lambda: self.names().count("exercise") == 1))
                if mode[0] == "--streaming":
                    self.recorder("stop")
                    name = self.checked("s.fxt")
                else:
                    name = self.stop()
                told = self.rows(name, "SELECT args ->> 'what' AS what FROM instants WHERE name = 'told'")
                self.assertEqual(sorted(row["what"] for row in told), ["from-early", "from-late"])
                # It goes on without.
                early.stdin.write("afterwards\n")
                early.stdin.flush()
                self.assertTrue(eventually(lambda: self.no_controller()))
                self.assertIn(early.stdout.readline(), ("yes\n", "no\n"))
                early.stdin.close()
                early.wait(LIMIT_S)

    def no_controller(self):
        return self.recorder("status", ok=None).returncode != 0

    def test_snapshots_have_what_came_so_far(self):
        self.begin()
        child = self.start("follow")
        child.stdout.readline()
        for number, words in enumerate((["a"], ["a", "b"])):
            child.stdin.write(words[-1] + "\n")
            child.stdin.flush()
            child.stdout.readline()
            name = f"{number}.fxt"
            self.recorder("snapshot", "-o", self.path(name))
            self.checked(name)
            told = self.rows(name, "SELECT args ->> 'what' AS what FROM instants WHERE name = 'told' ORDER BY ts")
            self.assertEqual([row["what"] for row in told], words)

    def test_categories_are_chosen_and_known(self):
        self.begin("--circular", "2M", "-c", "sched,provider:other")
        child = self.start("one", 1)
        child.wait(LIMIT_S)
        name = self.stop()
        self.assertEqual(self.rows(name, "SELECT 1 FROM instants WHERE category = 'app'"), [])
        self.begin("--circular", "2M", "-c", "sched,provider:app")
        child = self.start("follow")
        child.stdout.readline()
        name = self.stop()
        child.stdin.close()

    def test_categories_are_chosen_in_a_plain_recording(self):
        recorder = [os.path.join(BUILD, "fxt-record"), "-q", "--socket", self.socket, "-o", self.path("chosen.fxt")]
        for chosen, count in (("provider:app", 1), ("sched:switch,provider:app,provider:more", 1), ("provider:other", 0)):
            self.run_(*recorder, "--providers", "-c", chosen, "--", self.exercise, "one", "3")
            self.checked("chosen.fxt")
            self.assertEqual(len(self.rows("chosen.fxt", "SELECT 1 FROM instants WHERE category = 'app'")), count, chosen)
        refused = self.run_(*recorder, "-c", "provider:app", "--", "true", ok=(2,))
        self.assertIn("--providers", refused.stderr)

    def test_alerts_fire_triggers(self):
        self.begin("--circular", "2M", "-c", "sched", "--trigger", "alert told-alert", "-o", self.path("t-%n.fxt"))
        child = self.start("follow")
        child.stdout.readline()
        child.stdin.write("alert\n")
        child.stdin.flush()
        self.assertTrue(eventually(lambda: self.status()["triggers"][0]["files"] == 1))
        self.checked("t-1.fxt")
        self.assertEqual(len(self.rows("t-1.fxt", "SELECT 1 FROM instants WHERE name = 'told-alert'")), 1)

    def test_a_forked_child_is_a_provider_of_its_own(self):
        name = self.record("fork")
        parents = self.rows(name, "SELECT DISTINCT pid FROM instants WHERE name = 'parent'")
        children = self.rows(name, "SELECT DISTINCT pid FROM instants WHERE name = 'child'")
        execs = self.rows(name, "SELECT DISTINCT pid FROM instants WHERE name = 'one'")
        self.assertEqual((len(parents), len(children), len(execs)), (1, 1, 1))
        self.assertEqual(len({row["pid"] for row in parents + children + execs}), 3)

    def written_and_lost(self, name):
        written = self.rows(name, "SELECT count(*) AS n FROM instants WHERE name = 'burst'")[0]["n"]
        lost = self.rows(name, "SELECT coalesce(sum(args ->> 'count'), 0) AS n FROM instants WHERE name = 'lost_events' "
                               "AND args ->> 'category' = 'exercise'")[0]["n"]
        return written, lost

    @unittest.skipUnless(shutil.which("unshare"), "no unshare")
    def test_in_another_process_namespace(self):
        """Its own numbers for its threads are not the machine's."""
        self.begin()
        self.run_("unshare", "--pid", "--fork", self.exercise, "spans", "3")
        name = self.stop()
        outer = self.rows(name, "SELECT DISTINCT tid, pid, process FROM spans WHERE name = 'outer' OR name = 'inner'")
        self.assertEqual([(row["process"], row["tid"] == row["pid"]) for row in outer], [("exercise", True)])
        self.assertEqual(len(self.rows(name, "SELECT 1 FROM threads WHERE process = 'exercise' AND tid < 5")), 0)

    def test_a_full_buffer_is_a_counted_loss(self):
        # How much of it the recorder takes away in time is the machine's business.
        count = 600_000
        self.assertEqual(sum(self.written_and_lost(self.record("burst", count))), count)
        # Here it takes away nothing.
        self.begin("--oneshot", "32M", "-c", "sched:switch")
        self.run_(self.exercise, "burst", str(count))
        written, lost = self.written_and_lost(self.stop())
        self.assertEqual(written + lost, count)
        self.assertGreater(written, 80_000)
        self.assertGreater(lost, 400_000)

    def test_without_the_socket_s_rights_it_runs_untouched(self):
        self.begin()
        done = self.run_(self.exercise, "wait", user=NOBODY, group=NOBODY, extra_groups=[], input="\n")
        self.assertEqual((done.stdout, done.stderr), ("alone\n", ""))
        self.assertNotIn("exercise", self.names())

    def test_without_a_recorder_it_runs_untouched(self):
        self.assertEqual(self.run_(self.exercise, "kinds").stderr, "")

    # How programs die and lie.

    def test_killed_at_any_time(self):
        self.begin("--streaming", "-o", self.path("killed.fxt"), "-c", "sched:switch,task")
        dead = []
        for number in range(KILLS):
            progress = self.path(f"progress{number % 16}")
            with contextlib.suppress(FileNotFoundError):
                os.unlink(progress)
            child = self.start("count", progress, 2)
            child.stdout.readline()
            time.sleep(random.uniform(0, 0.02))
            child.kill()
            child.wait(LIMIT_S)
            with open(progress, "rb") as file, mmap.mmap(file.fileno(), 4096, access=mmap.ACCESS_READ) as memory:
                dead.append((child.pid, [struct.unpack_from("Q", memory, i * 64)[0] for i in range(2)]))
            child.stdin.close()
            child.stdout.close()
        self.recorder("stop")
        name = self.checked("killed.fxt")
        rows = self.rows(name, "SELECT pid, args ->> 'thread' AS worker, count(*) AS n, max(args ->> 'k') AS last, "
                               "count(DISTINCT args ->> 'k') AS kinds, sum(args ->> 'k' != args ->> 'same') AS torn "
                               "FROM instants WHERE name = 'count' GROUP BY pid, worker")
        seen = {(row["pid"], int(row["worker"])): row for row in rows}
        for pid, done in dead:
            for thread, committed in enumerate(done):
                row = seen.get((pid, thread), {"n": 0, "kinds": 0, "last": 0, "torn": 0})
                # All that was committed, at most one more, and nothing torn.
                self.assertIn(row["n"], (committed, committed + 1), row)
                self.assertEqual((int(row["last"]), row["kinds"], row["torn"] or 0), (row["n"], row["n"], 0), row)
        print(f"killed: {len(dead)} programs, {sum(row['n'] for row in rows)} records", file=sys.stderr)

    def call(self, method, parameters, descriptors=(), more=True):
        """A connection on which that was called; what comes of it is its own business."""
        client = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.addCleanup(client.close)
        client.settimeout(LIMIT_S)
        client.connect(self.socket)
        text = json.dumps({"method": f"fuchsia.tracing.controller.{method}", "more": more, "parameters": parameters})
        socket.send_fds(client, [text.encode() + b"\0"], list(descriptors))
        return client

    @staticmethod
    def memory(client):
        """What a provider is given, or None, and the answer."""
        text, found = b"", []
        while b"\0" not in text and not found:
            got, descriptors, _, _ = socket.recv_fds(client, 4096, 4)
            text += got
            found += descriptors
            if not got:
                break
        return (found or [None])[0], text.decode()

    def descriptors(self, pid):
        return len(os.listdir(f"/proc/{pid}/fd"))

    def test_more_than_there_is_room_for(self):
        self.begin()
        honest = self.start("follow")
        honest.stdout.readline()
        pid = self.status()["pid"]
        before = self.descriptors(pid)
        clients, refused = [], 0
        for number in range(101):
            client = self.call("RegisterProvider", {"name": ("\u202e\x1b[31m<b>" * 9)[:40 + number % 3] + str(number)})
            memory, text = self.memory(client)
            refused += "FAILED" in text
            if memory is not None:
                os.close(memory)
            clients.append(client)
        # The document's hundred are the recorder itself, the honest one, and these.
        self.assertEqual(refused, 3)
        self.assertEqual(len(self.names()), 100)
        for client in clients:
            client.close()
        self.assertTrue(eventually(lambda: len(self.names()) == 2))
        self.assertTrue(eventually(lambda: self.descriptors(pid) <= before + 1))
        honest.stdin.write("x\n")
        honest.stdin.flush()
        self.assertEqual(honest.stdout.readline(), "yes\n")
        self.assertEqual(len(self.rows(self.stop(), "SELECT 1 FROM instants WHERE name = 'told'")), 1)

    def test_descriptors_nobody_asked_for(self):
        self.begin()
        pid = self.status()["pid"]
        before = self.descriptors(pid)
        clients = []
        with open("/dev/null", "rb") as null:
            for number in range(20):
                clients.append(self.call("RegisterProvider", {"name": f"p{number}"}, [null.fileno()] * 20))
                self.memory(clients[-1])
        self.assertLess(self.descriptors(pid), before + 200)
        for client in clients:
            client.close()
        self.assertTrue(eventually(lambda: self.descriptors(pid) <= before + 1))
        self.stop()

    def test_memory_of_another_shape(self):
        """It cannot be made shorter; holes in it and seals on it harm nobody."""
        self.begin("--streaming", "-o", self.path("s.fxt"), "-c", "sched:switch")
        client = self.call("RegisterProvider", {"name": "shaper"})
        memory, _ = self.memory(client)
        size = os.fstat(memory).st_size
        for length in (0, size - 1, size + 1):
            self.assertRaises(PermissionError, os.ftruncate, memory, length)
        self.assertRaises(PermissionError, fcntl.fcntl, memory, fcntl.F_ADD_SEALS, fcntl.F_SEAL_WRITE)
        punched = self.run_("fallocate", "--punch-hole", "--offset", "0", "--length", str(size), f"/proc/self/fd/{memory}",
                            pass_fds=(memory,), ok=None)
        self.assertEqual(punched.returncode, 0, punched.stderr)
        os.pwrite(memory, b"\xff" * size, 0)
        honest = self.start("follow")
        honest.stdout.readline()
        for number in range(5):
            honest.stdin.write(f"{number}\n")
            honest.stdin.flush()
            self.assertEqual(honest.stdout.readline(), "yes\n")
        self.recorder("stop")
        self.assertEqual(len(self.rows(self.checked("s.fxt"), "SELECT 1 FROM instants WHERE name = 'told'")), 5)

    def test_calls_that_are_none(self):
        self.begin()
        for parameters in ({}, {"name": ""}, {"name": "x" * 101}, {"name": 7}, {"name": ["a"]}, {"name": None},
                           {"name": "a", "pid": 2**70}, {"name": "a", "pid": -1}, {"name": "a", "categories": "b"}, []):
            _, text = self.memory(self.call("RegisterProvider", parameters))
            self.assertIn("org.varlink.service", text, parameters)
        # Twice on one connection, and half a call.
        twice = self.call("RegisterProvider", {"name": "first"})
        self.memory(twice)
        twice.sendall(json.dumps({"method": "fuchsia.tracing.controller.RegisterProvider", "more": True,
                                  "parameters": {"name": "second"}}).encode() + b"\0")
        half = self.call("RegisterProvider", {"name": "half"})
        half.sendall(b"{\"method\":")
        self.assertTrue(eventually(lambda: "half" in self.names()))
        self.assertNotIn("second", self.names())
        # Of another process, it says; whose it is the kernel says.
        other = self.call("RegisterProvider", {"name": "other", "pid": 1})
        self.memory(other)
        mine = [provider for provider in self.status()["providers"] if provider["name"] == "other"]
        self.assertEqual([provider["pid"] for provider in mine], [os.getpid()])
        self.stop()

    def test_liars_harm_nobody_else(self):
        for mode in ("--streaming", "--circular"):
            with self.subTest(mode=mode):
                self.begin(*(("--streaming", "-o", self.path("s.fxt")) if mode == "--streaming" else (mode, "4M")),
                           "-c", "sched,task")
                honest = self.start("follow")
                honest.stdout.readline()
                liars = [subprocess.Popen([os.path.join(BUILD, "tests/hostile"), self.socket, str(seed), "300"])
                         for seed in range(LIARS)]
                for number in range(20):
                    honest.stdin.write(f"{number}\n")
                    honest.stdin.flush()
                    self.assertEqual(honest.stdout.readline(), "yes\n")
                if mode == "--circular":
                    self.recorder("snapshot", "-o", self.path("during.fxt"))
                    self.checked("during.fxt")
                for liar in liars:
                    self.assertEqual(liar.wait(LIMIT_S), 0)
                if mode == "--streaming":
                    self.recorder("stop")
                    name = self.checked("s.fxt")
                else:
                    name = self.stop()
                told = self.rows(name, "SELECT args ->> 'what' AS what FROM instants WHERE name = 'told' ORDER BY ts")
                self.assertEqual([row["what"] for row in told], [str(number) for number in range(20)])
                honest.stdin.close()
                honest.wait(LIMIT_S)
                self.assertTrue(eventually(self.no_controller))


if __name__ == "__main__":
    if "--build" in sys.argv:
        at = sys.argv.index("--build")
        BUILD = os.path.abspath(sys.argv[at + 1])
        del sys.argv[at:at + 2]
    unittest.main(verbosity=2)
