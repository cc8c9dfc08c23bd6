# SPDX-License-Identifier: BSD-2-Clause
"""Receivers of snapshots that take nothing, or little at a time: only their own snapshot fails."""

import contextlib
import functools
import grp
import json
import os
import shutil
import socket
import struct
import subprocess
import sys
import time

import harness
from harness import DEADLINE_S, eventually
from sessions import INTERFACE, NOBODY, Session

IDLE_S = 10  # docs/control.md
PROMPT_S = 5  # a snapshot, status or stop that nothing holds up
# Sessions in which something may take longer, since the machine is busy or its grace periods are slow, before a test fails.
ATTEMPTS = 5

# One that another user may run.
PYTHON = shutil.which("python3", path="/usr/bin:/bin") or "python3"

# Runs as another user: connects, asks for a snapshot into a pipe, and reads the pipe as its argument says.
RECEIVER = """
import array, json, os, socket, sys, time
path, how = sys.argv[1:]
client = socket.socket(socket.AF_UNIX)
client.connect(path)
reading, writing = os.pipe()
call = {"method": "%s.TakeSnapshot", "parameters": {"output": {"descriptor": 0}}}
begin = time.monotonic()
client.sendmsg([json.dumps(call).encode() + b"\\0"],
               [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [writing]))])
print("asked", flush=True)
if how == "trickle":
    client.settimeout(0.2)
answer = b""
while not answer.endswith(b"\\0"):
    try:
        data = client.recv(65536)
        if not data:
            break
        answer += data
    except TimeoutError:
        os.read(reading, 512)
print(json.dumps({"seconds": time.monotonic() - begin, "answer": answer.decode().rstrip(chr(0))}), flush=True)
""" % INTERFACE


class Late(Exception):
    """Something took longer than it should where nothing holds it up."""


def in_one_of_some_sessions(method):
    """A test that fails if something is late in each of ATTEMPTS sessions."""
    @functools.wraps(method)
    def attempts(self):
        for attempt in range(ATTEMPTS):
            try:
                return method(self)
            except Late as late:
                if attempt + 1 == ATTEMPTS:
                    self.fail(late)
                print(f"again: {late}", file=sys.stderr)
                self.end_session()
        return None
    return attempts


class Receivers(Session):
    def setUp(self):
        super().setUp()
        # The service and its clients inherit this: how long they take must not depend on other programs.
        self.addCleanup(os.setpriority, os.PRIO_PROCESS, 0, os.getpriority(os.PRIO_PROCESS, 0))
        with contextlib.suppress(PermissionError):
            os.setpriority(os.PRIO_PROCESS, 0, -20)
        self.group = grp.getgrgid(NOBODY).gr_name if NOBODY in [g.gr_gid for g in grp.getgrall()] else str(NOBODY)

    def serve(self, *options, **more):
        self.server = super().serve(*options, **more)
        return self.server

    def end_session(self):
        self.server.kill()
        self.server.wait()
        for name in os.listdir(self.folder):
            if name.endswith(".fxt"):
                os.unlink(self.path(name))

    def member(self, how):
        """A user of the group with a snapshot that does not get on."""
        receiver = subprocess.Popen([PYTHON, "-c", RECEIVER, self.socket, how], stdout=subprocess.PIPE, text=True,
                                    user=NOBODY, group=NOBODY, extra_groups=[])
        self.addCleanup(receiver.communicate)
        self.addCleanup(receiver.kill)
        self.assertEqual(receiver.stdout.readline(), "asked\n")
        return receiver

    @staticmethod
    def in_time(what, seconds, limit=PROMPT_S):
        if seconds >= limit:
            raise Late(f"{what} took {seconds:.1f} s")

    def promptly(self, *words):
        begin = time.monotonic()
        done = self.do(*words)
        self.in_time(words, time.monotonic() - begin)
        return done

    def fill(self):
        """Events for more than a pipe holds."""
        for _ in range(20000):
            time.sleep(0.00001)

    def holds_up_nobody(self, how):
        server = self.serve("--group", self.group, "--circular", "4M", "--trigger", "alert x", "-o", self.path("x-%n.fxt"))
        self.fill()
        receiver = self.member(how)
        time.sleep(0.5)
        self.promptly("status")
        self.promptly("snapshot", "-o", self.path("root.fxt"))
        self.check("root.fxt")
        self.do("alert", "x")
        self.assertTrue(eventually(lambda: os.path.exists(self.path("x-1.fxt"))))
        self.promptly("stop", "-o", self.path("end.fxt"))
        self.check("end.fxt")
        self.promptly("start", "--circular", "4M")
        self.promptly("cancel")
        return server, receiver

    @in_one_of_some_sessions
    def test_a_full_pipe(self):
        _, receiver = self.holds_up_nobody("block")
        answer = json.loads(receiver.stdout.readline())
        self.assertIn("was not read to its end", answer["answer"])
        self.assertGreater(answer["seconds"], IDLE_S - 1)
        self.in_time("a snapshot that is not read", answer["seconds"], IDLE_S + PROMPT_S)

    @in_one_of_some_sessions
    def test_a_trickling_pipe(self):
        _, receiver = self.holds_up_nobody("trickle")
        # Below the least average rate.
        answer = json.loads(receiver.stdout.readline())
        self.assertIn("was not read to its end", answer["answer"])
        self.assertLess(answer["seconds"], DEADLINE_S)

    @in_one_of_some_sessions
    def test_one_snapshot_of_a_user_at_a_time(self):
        self.serve("--group", self.group, "--circular", "4M")
        self.fill()
        self.member("block")
        second = self.member("block")
        answer = json.loads(second.stdout.readline())
        self.in_time("the second snapshot", answer["seconds"])
        self.assertIn("a snapshot of this user is being written", answer["answer"])
        self.promptly("snapshot", "-o", self.path("root.fxt"))

    def test_roots_snapshots_come_before_those_of_members(self):
        self.serve("--group", self.group, "--circular", "16M")
        self.fill()
        first, second = self.client(), self.client()
        os.setegid(NOBODY)
        os.seteuid(NOBODY)
        try:
            member = self.client()
        finally:
            os.seteuid(0)
            os.setegid(0)

        def root_overtakes():
            """Whether root's second snapshot ends before the member's, which was asked for earlier."""
            clients = (first, member, second)
            names = [self.path(f"{name}.fxt") for name in ("first", "member", "second")]
            for client, name in zip(clients, names):
                with open(name, "wb") as file:
                    client.send("TakeSnapshot", {"output": {"descriptor": 0}}, [file.fileno()])
            for client in clients:
                self.assertNotIn("error", client.receive())
            ends = [json.loads(harness.fxt("info", "--json", name))["last_time_ns"] for name in names]
            return ends[2] < ends[1]
        # Unless the member's is begun before root's second one arrives.
        self.assertTrue(eventually(root_overtakes))

    @in_one_of_some_sessions
    def test_stop_with_results_into_a_full_pipe(self):
        self.serve("--group", self.group, "--circular", "4M")
        self.fill()
        reading, writing = os.pipe()
        client = self.client()
        client.send("StopTracing", {"options": {"write_results": True}, "output": {"descriptor": 0}}, [writing])
        os.close(writing)
        self.addCleanup(os.close, reading)
        self.assertTrue(eventually(lambda: json.loads(self.promptly("status", "--json").stdout)["state"] == "STOPPED"))
        self.promptly("snapshot", "-o", self.path("root.fxt"))
        self.promptly("cancel")

    def test_a_socket_sees_the_client(self):
        self.serve("--group", self.group, "--circular", "2M")
        ours, theirs = socket.socketpair()
        self.addCleanup(ours.close)
        self.addCleanup(theirs.close)
        ours.setsockopt(socket.SOL_SOCKET, socket.SO_PASSCRED, 1)
        ours.settimeout(DEADLINE_S)
        program = ("import array, json, socket, sys; client = socket.socket(socket.AF_UNIX); client.connect(sys.argv[1]); "
                   "client.sendmsg([json.dumps({'method': sys.argv[2], 'parameters': {'output': {'descriptor': 0}}})"
                   ".encode() + b'\\0'], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array('i', [int(sys.argv[3])]))]); "
                   "client.recv(65536)")
        client = subprocess.Popen([PYTHON, "-c", program, self.socket, f"{INTERFACE}.TakeSnapshot",
                                   str(theirs.fileno())], user=NOBODY, group=NOBODY, extra_groups=[],
                                  pass_fds=[theirs.fileno()])
        self.addCleanup(client.wait)
        self.addCleanup(client.kill)
        _, ancillary, _, _ = ours.recvmsg(65536, socket.CMSG_SPACE(struct.calcsize("3i")))
        _, user, group = struct.unpack("3i", ancillary[0][2])
        self.assertEqual((user, group), (NOBODY, NOBODY))

    def test_numbers_go_on(self):
        for last in (1, 2):
            self.start("--trigger", "alert x", "--circular", "2M", "-o", self.path("x-%n.fxt"))
            self.do("alert", "x")
            self.assertTrue(eventually(lambda last=last: os.path.exists(self.path(f"x-{last}.fxt"))))
            self.do("cancel")
            self.ended_by_itself()
        self.check("x-1.fxt")
        self.check("x-2.fxt")

    def test_capabilities(self):
        server = self.serve("--circular", "2M")
        dropped = {"sys_module": 16, "sys_rawio": 17, "sys_boot": 22, "net_admin": 12, "mknod": 27}
        bits = {}
        for task in os.listdir(f"/proc/{server.pid}/task"):
            with open(f"/proc/{server.pid}/task/{task}/status", encoding="ascii") as file, contextlib.suppress(KeyError):
                bits[task] = {line.split()[0]: int(line.split()[1], 16) for line in file if line.startswith("Cap")}
        for task, sets in bits.items():
            for name, number in dropped.items():
                for which in ("CapPrm:", "CapEff:", "CapBnd:"):
                    self.assertEqual(sets[which] >> number & 1, 0, f"thread {task}: {name} in {which}")
        self.do("snapshot", "-o", self.path("a.fxt"))
        self.check("a.fxt")
