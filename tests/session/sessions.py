# SPDX-License-Identifier: BSD-2-Clause
"""A controller for each test, its commands, and a client that speaks JSON."""

import array
import contextlib
import json
import os
import signal
import socket
import subprocess
import unittest

import harness
from harness import DEADLINE_S, RECORDER, eventually, run

INTERFACE = "fuchsia.tracing.controller"
GO_PATH = "/usr/share/gocode"
NOBODY = 65534
CIRCULAR = {"config": {"categories": ["sched"], "buffer_size_megabytes_hint": 2, "buffering_mode": "CIRCULAR"}}


class Varlink:
    """A client that writes JSON to the socket."""

    def __init__(self, path):
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.socket.settimeout(DEADLINE_S)
        self.socket.connect(path)
        self.buffer = b""

    def send(self, method, parameters=None, descriptors=(), **more):
        call = {"method": f"{INTERFACE}.{method}", "parameters": parameters or {}, **more}
        data = json.dumps(call).encode() + b"\0"
        control = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", descriptors))] if descriptors else []
        self.socket.sendmsg([data], control)

    def receive(self):
        while b"\0" not in self.buffer:
            data = self.socket.recv(65536)
            if not data:
                raise ConnectionError("the controller ended the connection")
            self.buffer += data
        message, self.buffer = self.buffer.split(b"\0", 1)
        return json.loads(message)

    def call(self, method, parameters=None, descriptors=()):
        self.send(method, parameters, descriptors)
        return self.receive()

    def close(self):
        self.socket.close()


@unittest.skipIf(harness.why_not_recordable(), harness.why_not_recordable())
class Session(harness.FolderTest):
    def setUp(self):
        super().setUp()
        self.recorder = RECORDER
        self.socket = os.path.join(self.folder, "control")

    def command(self, *words, **more):
        return run(self.recorder, *words, "--socket", self.socket, **more)

    def do(self, *words, **more):
        done = self.command(*words, **more)
        self.assertEqual(done.returncode, 0, f"{words}: {done.stdout}{done.stderr}")
        return done

    def refused(self, *words, **more):
        done = self.command(*words, **more)
        self.assertEqual(done.returncode, 1, f"{words}: {done.stdout}{done.stderr}")
        self.assertRegex(done.stderr, r"^fxt-record: error: [^\n]+\n(fxt-record: hint: [^\n]+\n)?")
        return done.stderr

    def status(self):
        return json.loads(self.do("status", "--json").stdout)

    def start(self, *options):
        done = self.do("start", *(options or ("--circular", "2M", "-c", "sched")))
        pid = self.status()["pid"]
        self.addCleanup(self.gone, pid)
        return done

    def gone(self, pid):
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)

    def serve(self, *options, **more):
        server = subprocess.Popen([self.recorder, "serve", "--socket", self.socket, *options], stdout=subprocess.PIPE,
                                  stderr=subprocess.PIPE, text=True, **more)

        def end():
            server.kill()
            server.communicate()
        self.addCleanup(end)
        self.assertEqual(server.stdout.readline(), "READY\n")
        return server

    def ends(self, server, number=signal.SIGTERM):
        """Ends the server. Returns its exit status and its output."""
        server.send_signal(number)
        out, err = server.communicate(timeout=DEADLINE_S)
        return server.returncode, out, err

    def client(self):
        client = Varlink(self.socket)
        self.addCleanup(client.close)
        return client

    def check(self, name):
        checked = harness.fxt("check", self.path(name))
        self.assertGreater(int(checked.split(": ")[1].split()[0]), 20, checked)

    def dump(self, name, *options):
        return harness.fxt("dump", *options, self.path(name))

    def ended_by_itself(self):
        """The controller of `start` ends with its session."""
        self.assertTrue(eventually(lambda: not os.path.exists(self.socket)))
