# SPDX-License-Identifier: BSD-2-Clause
"""Hostile providers: what they cost the recorder and other providers, and what they cannot say."""

import contextlib
import glob
import json
import os
import signal
import socket
import subprocess
import sys
import time

from harness import BUILD, DEADLINE_S, ROOT, eventually
from recordings import ROOMY, Recordings

MIB = 1 << 20
# Memory that the recorder may take beyond its buffer.
MARGIN = 128 * MIB
# The longest storm of forks, which make few processes on a slow machine, and the longest sequence of programs.
STORM_S = 60
SEQUENCE_S = 300
HOSTILE = os.environ.get("FXT_HOSTILE", os.path.join(BUILD, "tests/hostile"))


class Trust(Recordings):
    def hostile(self, *words, **more):
        return subprocess.Popen([HOSTILE, self.socket, *map(str, words)], **more)

    def resident(self, pid):
        """The recorder's resident memory and its peak, bytes."""
        with open(f"/proc/{pid}/status", encoding="utf-8") as file:
            fields = dict(line.split(":", 1) for line in file)
        return [int(fields[name].split()[0]) * 1024 for name in ("VmRSS", "VmHWM")]

    def peak_growth(self, pid, action):
        before = self.resident(pid)[0]
        action()
        return self.resident(pid)[1] - before

    def test_short_programs_in_sequence_keep_their_records(self):
        # Without switches a busy machine cannot fill the buffer during a test.
        self.begin("--circular", ROOMY, "-c", "task")
        count, deadline = 0, time.monotonic() + SEQUENCE_S
        while count < 600 and time.monotonic() < deadline:
            self.execute(self.exercise, "one", str(count))
            count += 1
        refused = self.status().get("providers_refused")
        name = self.stop()
        seen = self.rows(name, "SELECT count(*) AS n FROM instants WHERE name = 'one'")[0]["n"]
        self.assertEqual((seen, refused), (count, 0))

    def test_refused_programs_are_reported(self):
        self.begin("--circular", ROOMY, "-c", "task")
        holder = self.hostile("places", 120, 2000, stdout=subprocess.PIPE, text=True)
        refused = int(holder.stdout.readline())
        holder.wait(DEADLINE_S)
        holder.stdout.close()
        self.assertGreater(refused, 0)
        self.assertEqual(self.status()["providers_refused"], refused)
        self.assertIn("refused: too many", self.recorder("status").stdout)
        name = self.stop()
        rows = self.rows(name, "SELECT args FROM instants WHERE name = 'providers_refused'")
        self.assertEqual(sum(int(json.loads(row["args"])["count"]) for row in rows), refused)

    def test_refused_programs_are_reported_in_the_foreground(self):
        stats = self.path("stats.json")
        for options in ([], ["-q"], ["--circular", "2M"]):
            with self.subTest(options=options):
                single = "--circular" not in options
                done = self.execute(os.path.join(BUILD, "fxt-record"), *options, "--providers", "--socket", self.socket,
                                    *(["--stats-json", stats] if single else []), "-c", "sched:switch,task", "-o",
                                    self.path("f.fxt"), "--", HOSTILE, self.socket, "places", "105", "0")
                refused = int(done.stdout)
                self.assertGreater(refused, 0)
                self.assertIn(f" {refused} providers were refused", done.stderr)
                if single:
                    with open(stats, encoding="utf-8") as file:
                        self.assertEqual(json.load(file)["providers_refused"], refused)
                os.unlink(self.path("f.fxt"))

    def test_programs_that_leave_strings_behind(self):
        for mode in (("--streaming", "-o", self.path("s.fxt")), ("--circular", "8M")):
            with self.subTest(mode=mode[0]):
                self.assertTrue(eventually(self.no_controller))
                self.begin(*mode, "-c", "sched,task")
                honest = self.start("follow")
                honest.stdout.readline()
                pid = self.status()["pid"]
                grown = self.peak_growth(pid, lambda: self.assertEqual(self.hostile("strings", 256).wait(DEADLINE_S), 0))
                honest.stdin.write("after\n")
                honest.stdin.flush()
                self.assertEqual(honest.stdout.readline(), "yes\n")
                if mode[0] == "--streaming":
                    self.recorder("stop")
                    name = self.checked("s.fxt")
                else:
                    name = self.stop()
                print(f"strings {mode[0]}: {grown / MIB:.0f} MiB", file=sys.stderr)
                self.assertLess(grown, MARGIN)
                self.assertEqual(len(self.rows(name, "SELECT 1 FROM instants WHERE name = 'line'")), 1)

    def test_open_spans_take_limited_memory(self):
        self.begin("--streaming", "-o", self.path("s.fxt"), "-c", "sched:switch,task")
        pid = self.status()["pid"]
        grown = self.peak_growth(pid, lambda: self.assertEqual(self.hostile("async", 4000).wait(DEADLINE_S), 0))
        self.recorder("stop")
        self.checked("s.fxt")
        print(f"async: {grown / MIB:.0f} MiB", file=sys.stderr)
        self.assertLess(grown, MARGIN)

    def test_a_storm_of_forks_takes_limited_memory(self):
        # Tids that are not used again soon, as on most machines: a new task would take the place of an ended one.
        with open("/proc/sys/kernel/pid_max", encoding="ascii") as file:
            before = file.read().strip()
        self.addCleanup(subprocess.run, ["sysctl", "-q", f"kernel.pid_max={before}"], check=True)
        subprocess.run(["sysctl", "-q", f"kernel.pid_max={1 << 22}"], check=True)
        # Without events of the scheduler only the tasks themselves bound the buffer's window.
        self.begin("--circular", "8M", "-c", "task")
        pid = self.status()["pid"]
        forks, deadline = 0, time.monotonic() + STORM_S

        def run():
            nonlocal forks
            while forks < 300_000 and time.monotonic() < deadline:
                done = self.execute(os.path.join(BUILD, "tests/odd_tasks"), "births", "--times", "3000")
                forks += int(done.stdout.rpartition("count=")[2])
            self.recorder("snapshot", "-o", self.path("during.fxt"))
        grown = self.peak_growth(pid, run)
        self.stop()
        print(f"{forks} forks: {grown / MIB:.0f} MiB", file=sys.stderr)
        self.assertLess(grown, MARGIN)

    def test_untouched_blocks_are_not_faulted_in(self):
        with subprocess.Popen([os.path.join(BUILD, "fxt-record"), "serve", "--socket", self.socket],
                              stderr=subprocess.DEVNULL) as service:
            try:
                self.assertTrue(eventually(lambda: not self.no_controller()))
                client = self.connect()
                for method, parameters in (
                        ("InitializeTracing", {"config": {
                            "buffering_mode": "CIRCULAR", "buffer_size_megabytes_hint": 8, "categories": ["sched"],
                            "provider_specs": [{"name": "hostile", "buffer_size_megabytes_hint": 1024}]}}),
                        ("StartTracing", {})):
                    self.call(method, parameters, more=False, client=client)
                    self.assertNotIn("error", self.memory(client)[1])

                def run():
                    children = [self.hostile("holes", 2000) for _ in range(3)]
                    time.sleep(0.5)
                    self.recorder("snapshot", "-o", self.path("during.fxt"))
                    for child in children:
                        self.assertEqual(child.wait(DEADLINE_S), 0)
                grown = self.peak_growth(service.pid, run)
                print(f"holes: {grown / MIB:.0f} MiB", file=sys.stderr)
                self.assertLess(grown, MARGIN)
            finally:
                service.terminate()

    def test_kernel_categories_and_threads_of_others(self):
        self.begin("--circular", ROOMY, "-c", "sched,task")
        with subprocess.Popen(["sleep", str(DEADLINE_S)]) as victim:
            self.assertEqual(self.hostile("forge", victim.pid).wait(DEADLINE_S), 0)
            name = self.stop()
            victim.kill()
        rows = self.rows(name, "SELECT DISTINCT category, process FROM spans WHERE process IN ('sleep', 'hostile')")
        self.assertEqual(sorted((row["category"], row["process"]) for row in rows),
                         [(f"provider:{category}", "hostile") for category in ("irq", "oom", "syscall")])

    def test_perfetto_blobs_are_refused(self):
        self.begin("--streaming", "-o", self.path("s.fxt"), "-c", "sched:switch,task")
        self.assertEqual(self.hostile("blob").wait(DEADLINE_S), 0)
        self.recorder("stop")
        text = self.execute(os.path.join(BUILD, "fxt"), "info", self.path(self.checked("s.fxt"))).stdout
        self.assertRegex(text, r"type 1, 1 records, 8 B")
        self.assertNotRegex(text, r"type [23], ")

    def test_an_orphan_does_not_mark_its_new_parent(self):
        self.begin()
        script = (f"import json, os, socket, time\n"
                  f"parent = os.getpid()\n"
                  f"if os.fork(): os._exit(0)\n"
                  f"while os.getppid() == parent: time.sleep(0.01)\n"
                  f"client = socket.socket(socket.AF_UNIX)\n"
                  f"client.connect({self.socket!r})\n"
                  f"client.send(json.dumps({{'method': 'fuchsia.tracing.controller.SendMark', 'parameters':"
                  f" {{'kind': 'INSTANT', 'name': 'orphan', 'pid': 1}}}}).encode() + b'\\0')\n"
                  f"client.recv(1000)\n"
                  f"os.mkdir({self.path('parent')!r} + str(os.getppid()))\n")
        subprocess.run([sys.executable, "-c", script], check=True)
        self.assertTrue(eventually(lambda: glob.glob(self.path("parent*"))))
        if not os.path.exists(self.path("parent1")):
            self.skipTest("orphans have another parent than process 1 here")
        rows = self.rows(self.stop(), "SELECT tid FROM instants WHERE name = 'orphan'")
        self.assertEqual(len(rows), 1)
        self.assertNotEqual(rows[0]["tid"], 1)

    def connection_of_a_dead_process(self):
        """Returns the pid of a process that has died, and its connection."""
        ours, theirs = socket.socketpair()
        child = os.fork()
        if child == 0:
            try:
                client = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
                client.connect(self.socket)
                socket.send_fds(theirs, [b"x"], [client.fileno()])
            finally:
                os._exit(0)
        theirs.close()
        found = socket.recv_fds(ours, 1, 1)[1]
        # The recorder accepts the connection while the process runs.
        self.status()
        os.waitpid(child, 0)
        ours.close()
        client = socket.socket(fileno=found[0])
        client.settimeout(DEADLINE_S)
        self.addCleanup(client.close)
        return child, client

    @staticmethod
    def name_of(pid):
        """The executable of a process; empty: there is none."""
        with contextlib.suppress(OSError), open(f"/proc/{pid}/comm", encoding="utf-8") as file:
            return file.read().strip()
        return ""

    def test_a_connection_does_not_speak_for_the_next_process_of_its_pid(self):
        self.begin()
        pid, client = self.connection_of_a_dead_process()
        successor = subprocess.Popen([sys.executable, os.path.join(ROOT, "tests/provider/spawn_as.py"), str(pid),
                                      "/bin/sleep", str(DEADLINE_S)], stderr=subprocess.PIPE, text=True)
        try:
            self.assertTrue(eventually(lambda: successor.poll() is not None or self.name_of(pid) == "sleep"))
            if successor.poll() is not None:
                self.skipTest(f"no process with a chosen id: {successor.communicate()[1]}")
            with contextlib.suppress(ConnectionError):
                self.call("RegisterProvider", {"name": "late"}, client=client)
                memory, text = self.memory(client)
                self.assertIsNone(memory, text)
            self.assertNotIn("late", self.names())
            self.assertEqual(self.name_of(pid), "sleep")
        finally:
            if self.name_of(pid) == "sleep":
                os.kill(pid, signal.SIGKILL)
            successor.communicate()
        self.stop()
