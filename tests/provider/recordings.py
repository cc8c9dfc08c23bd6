# SPDX-License-Identifier: BSD-2-Clause
"""Recordings with providers, for the tests in this folder."""

import contextlib
import json
import os
import signal
import subprocess
import tempfile
import time
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BUILD = os.path.abspath(os.environ.get("BUILD", os.path.join(ROOT, "build")))
LIMIT_S = 60
# How long a program may run, beyond the limit.
LONGEST_S = float(os.environ.get("FXT_PROVIDER_CLOCK_SECONDS", "2"))


def eventually(holds):
    deadline = time.monotonic() + LIMIT_S
    while not holds():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.005)
    return True


@unittest.skipUnless(os.geteuid() == 0 and os.path.exists("/sys/kernel/btf/vmlinux"), "recording needs root and BTF")
class Recordings(unittest.TestCase):
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
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=LIMIT_S + LONGEST_S,
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
        """Records tests/exercise in the foreground."""
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

    def no_controller(self):
        return self.recorder("status", ok=None).returncode != 0
