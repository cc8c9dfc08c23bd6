# SPDX-License-Identifier: BSD-2-Clause
"""Recordings with providers, for the tests in this folder."""

import contextlib
import json
import os
import signal
import socket
import subprocess
import unittest

import harness
from harness import BUILD, DEADLINE_S, FXT, RECORDER

# A buffer that a busy machine does not fill during a test.
ROOMY = "64M"
# The longest time that a test asks a program to write.
LONGEST_S = float(os.environ.get("FXT_PROVIDER_CLOCK_SECONDS", "2"))


@unittest.skipIf(harness.why_not_recordable(), harness.why_not_recordable())
class Recordings(harness.FolderTest):
    def setUp(self):
        super().setUp()
        self.socket = self.path("control")
        self.environment = {**os.environ, "FXT_RECORD_SOCKET": self.socket}
        self.exercise = os.path.join(BUILD, "tests/exercise")

    def execute(self, *command, ok=(0,), **more):
        more.setdefault("env", self.environment)
        return harness.run(*command, ok=ok, timeout=DEADLINE_S + LONGEST_S, **more)

    def recorder(self, *words, **more):
        return self.execute(RECORDER, *words, "--socket", self.socket, **more)

    def begin(self, *options):
        self.recorder("start", *(options or ("--circular", ROOMY, "-c", "sched,task")))
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
        """Records `exercise` in the foreground."""
        self.execute(RECORDER, "-q", "--providers", "--socket", self.socket, "-c", "sched,task",
                  *options, "-o", self.path(name), "--", self.exercise, *map(str, words))
        return self.checked(name)

    def checked(self, name):
        self.execute(FXT, "check", self.path(name))
        return name

    def rows(self, name, query):
        done = self.execute(FXT, "query", "--json", self.path(name), query)
        return json.loads(done.stdout)

    def start(self, *words, **more):
        more.setdefault("env", self.environment)
        child = subprocess.Popen([self.exercise, *map(str, words)], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                 text=True, **more)

        def end():
            child.kill()
            child.wait(DEADLINE_S)
            child.stdin.close()
            child.stdout.close()
        self.addCleanup(end)
        return child

    def connect(self):
        client = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.addCleanup(client.close)
        client.settimeout(DEADLINE_S)
        client.connect(self.socket)
        return client

    def call(self, method, parameters, descriptors=(), more=True, client=None):
        """Returns a connection after the call, without reading the reply."""
        client = client or self.connect()
        text = json.dumps({"method": f"fuchsia.tracing.controller.{method}", "more": more, "parameters": parameters})
        socket.send_fds(client, [text.encode() + b"\0"], list(descriptors))
        return client

    @staticmethod
    def memory(client):
        """The descriptor of the shared memory, or None, and the text of the reply."""
        text, found = b"", []
        while b"\0" not in text and not found:
            got, descriptors, _, _ = socket.recv_fds(client, 4096, 4)
            text += got
            found += descriptors
            if not got:
                break
        return (found or [None])[0], text.decode()

    def names(self):
        return [provider["name"] for provider in self.status()["providers"]]

    def snapshot_rows(self, name, query):
        """Writes a snapshot and queries it."""
        self.recorder("snapshot", "-o", self.path(name))
        return self.rows(self.checked(name), query)

    def say(self, child, word, answer="yes\n"):
        """Sends a line to an `exercise follow`, which records it, and reads its answer."""
        child.stdin.write(f"{word}\n")
        child.stdin.flush()
        self.assertEqual(child.stdout.readline(), answer)

    def finish(self, mode):
        """Ends the session of `mode` and returns the name of its file."""
        if mode != "--streaming":
            return self.stop()
        self.recorder("stop")
        return self.checked("s.fxt")

    def no_controller(self):
        return self.recorder("status", ok=None).returncode != 0
