# SPDX-License-Identifier: BSD-2-Clause
"""Limits of providers: places, descriptors, shared memory and malformed calls."""

import fcntl
import json
import os
import socket

from recordings import LIMIT_S, Recordings, eventually


class Limits(Recordings):
    def call(self, method, parameters, descriptors=(), more=True):
        """Returns a connection after the call, without reading the reply."""
        client = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.addCleanup(client.close)
        client.settimeout(LIMIT_S)
        client.connect(self.socket)
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

    def descriptors(self, pid):
        return len(os.listdir(f"/proc/{pid}/fd"))

    def test_more_providers_than_places(self):
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
        # 100 places: the recorder, the honest program, and 98 of these.
        self.assertEqual(refused, 3)
        self.assertEqual(len(self.names()), 100)
        for client in clients:
            client.close()
        self.assertTrue(eventually(lambda: len(self.names()) == 2))
        self.assertTrue(eventually(lambda: self.descriptors(pid) <= before + 1))
        honest.stdin.write("x\n")
        honest.stdin.flush()
        self.assertEqual(honest.stdout.readline(), "yes\n")
        self.assertEqual(len(self.rows(self.stop(), "SELECT 1 FROM instants WHERE name = 'line'")), 1)

    def test_unexpected_descriptors_are_closed(self):
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

    def test_the_shared_memory_cannot_be_resized_or_sealed(self):
        """Holes that are punched into it affect only its provider."""
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
        self.assertEqual(len(self.rows(self.checked("s.fxt"), "SELECT 1 FROM instants WHERE name = 'line'")), 5)

    def test_malformed_calls_are_refused(self):
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
        # The pid is the kernel's, not the one in the call.
        other = self.call("RegisterProvider", {"name": "other", "pid": 1})
        self.memory(other)
        mine = [provider for provider in self.status()["providers"] if provider["name"] == "other"]
        self.assertEqual([provider["pid"] for provider in mine], [os.getpid()])
        self.stop()
