# SPDX-License-Identifier: BSD-2-Clause
"""Clients with too many providers, unexpected descriptors, resized shared memory and invalid calls."""

import fcntl
import json
import os

from harness import eventually
from recordings import Recordings


class Limits(Recordings):
    def descriptors(self, pid):
        return len(os.listdir(f"/proc/{pid}/fd"))

    def test_more_providers_than_the_limit(self):
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
        # The limit of a hundred providers includes the recorder and the other program.
        self.assertEqual(refused, 3)
        self.assertEqual(len(self.names()), 100)
        for client in clients:
            client.close()
        self.assertTrue(eventually(lambda: len(self.names()) == 2))
        self.assertTrue(eventually(lambda: self.descriptors(pid) <= before + 1))
        self.say(honest, "x")
        self.assertEqual(len(self.rows(self.stop(), "SELECT 1 FROM instants WHERE name = 'line'")), 1)

    def test_unexpected_descriptors(self):
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

    def test_resized_and_punched_memory(self):
        """A provider cannot resize its memory. Holes in it affect no other provider."""
        self.begin("--streaming", "-o", self.path("s.fxt"), "-c", "sched:switch")
        client = self.call("RegisterProvider", {"name": "shaper"})
        memory, _ = self.memory(client)
        size = os.fstat(memory).st_size
        for length in (0, size - 1, size + 1):
            self.assertRaises(PermissionError, os.ftruncate, memory, length)
        self.assertRaises(PermissionError, fcntl.fcntl, memory, fcntl.F_ADD_SEALS, fcntl.F_SEAL_WRITE)
        punched = self.execute("fallocate", "--punch-hole", "--offset", "0", "--length", str(size), f"/proc/self/fd/{memory}",
                            pass_fds=(memory,), ok=None)
        self.assertEqual(punched.returncode, 0, punched.stderr)
        os.pwrite(memory, b"\xff" * size, 0)
        honest = self.start("follow")
        honest.stdout.readline()
        for number in range(5):
            self.say(honest, number)
        self.recorder("stop")
        self.assertEqual(len(self.rows(self.checked("s.fxt"), "SELECT 1 FROM instants WHERE name = 'line'")), 5)

    def test_invalid_calls(self):
        self.begin()
        for parameters in ({}, {"name": ""}, {"name": "x" * 101}, {"name": 7}, {"name": ["a"]}, {"name": None},
                           {"name": "a", "pid": 2**70}, {"name": "a", "pid": -1}, {"name": "a", "categories": "b"}, []):
            _, text = self.memory(self.call("RegisterProvider", parameters))
            self.assertIn("org.varlink.service", text, parameters)
        # Two calls on one connection, and half a call.
        twice = self.call("RegisterProvider", {"name": "first"})
        self.memory(twice)
        twice.sendall(json.dumps({"method": "fuchsia.tracing.controller.RegisterProvider", "more": True,
                                  "parameters": {"name": "second"}}).encode() + b"\0")
        half = self.call("RegisterProvider", {"name": "half"})
        half.sendall(b"{\"method\":")
        self.assertTrue(eventually(lambda: "half" in self.names()))
        self.assertNotIn("second", self.names())
        # The recorder takes the pid from the kernel, not from the call.
        other = self.call("RegisterProvider", {"name": "other", "pid": 1})
        self.memory(other)
        mine = [provider for provider in self.status()["providers"] if provider["name"] == "other"]
        self.assertEqual([provider["pid"] for provider in mine], [os.getpid()])
        self.stop()
