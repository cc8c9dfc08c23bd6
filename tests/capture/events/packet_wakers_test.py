#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Wakers through the NET_RX softirq: a client and a server answer each other over sockets, and know each waker
(root, BTF)."""

import ctypes
import json
import os
import shutil
import socket
import subprocess
import sys
import time
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../support"))
import harness  # noqa: E402
from harness import RECORDER  # noqa: E402

EXCHANGES = int(os.environ.get("FXT_EXCHANGES", "1000"))
CLONE_NEWNET = 0x40000000
CLIENT_ADDRESS, SERVER_ADDRESS = "10.99.0.1", "10.99.0.2"
NAMES = ("fxr-client", "fxr-server")


def why_not():
    return harness.why_not_recordable() or why_not_known()


def why_not_known():
    with open("/proc/net/softnet_stat", encoding="ascii") as file:
        if any(int(line.split()[9], 16) for line in file):
            return "this machine steers packets to other CPUs (RPS): the recorder names no senders"
    if os.path.isdir("/sys/bus/vmbus/devices") and os.listdir("/sys/bus/vmbus/devices"):
        return "the interrupts of Hyper-V have no tracepoint: the recorder names no senders"
    return ""


def why_no_veth():
    if shutil.which("ip") is None:
        return "needs `ip`"
    made = subprocess.run(["unshare", "-n", "ip", "link", "add", NAMES[0], "type", "veth", "peer", "name", NAMES[1]],
                          capture_output=True, text=True, check=False)
    return "" if made.returncode == 0 else "no veth here: " + made.stderr.strip()


def now():
    return time.clock_gettime_ns(time.CLOCK_BOOTTIME)


def ip(*words):
    subprocess.run(["ip", *words], check=True)


def own_network():
    if ctypes.CDLL(None, use_errno=True).unshare(CLONE_NEWNET) != 0:
        raise OSError(ctypes.get_errno(), "unshare")


def serve(connection, count, times):
    for _ in range(count):
        connection.recv(8)
        times["received"].append(now())
        times["sent"].append(now())
        connection.send(b"answered")


def ask(connection, count, times):
    for _ in range(count):
        times["sent"].append(now())
        connection.send(b"question")
        connection.recv(8)
        times["received"].append(now())


def connect_tcp(address, bound, ready):
    """Two functions that connect the server and the client."""
    def server():
        listener = socket.create_server((address, 0))
        bound(listener.getsockname()[1])
        connection = listener.accept()[0]
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return connection

    def client():
        connection = socket.create_connection((address, ready()))
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return connection
    return server, client


def connect_udp(address, bound, ready):
    def server():
        connection = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        connection.bind((address, 0))
        bound(connection.getsockname()[1])
        connection.connect(connection.recvfrom(8)[1])
        return connection

    def client():
        connection = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        connection.connect((address, ready()))
        connection.send(b"greeting")
        return connection
    return server, client


def load(kind, count):
    """The recorded program: a server process and a client process. Prints their pids and times."""
    pair = socket.socketpair()
    port_reader, port_writer = os.pipe()
    go_reader, go_writer = os.pipe()
    out_reader, out_writer = os.pipe()

    def bound(port):
        os.write(port_writer, str(port).encode())

    def ready():
        return int(os.read(port_reader, 16))

    address = SERVER_ADDRESS if kind == "veth" else "127.0.0.1"
    if kind == "unix":
        server, client = (lambda: pair[0]), (lambda: pair[1])
    else:
        server, client = (connect_udp if kind == "udp" else connect_tcp)(address, bound, ready)
    child = os.fork()
    times = {"pid": os.getpid(), "sent": [], "received": []}
    if child == 0:
        if kind == "veth":
            own_network()
            os.write(out_writer, b"1")
            os.read(go_reader, 1)
            ip("address", "add", SERVER_ADDRESS + "/24", "dev", NAMES[1])
            ip("link", "set", NAMES[1], "up")
        serve(server(), count, times)
        with os.fdopen(out_writer, "w") as out:
            json.dump(times, out)
        os._exit(0)
    if kind == "veth":
        own_network()
        os.read(out_reader, 1)
        ip("link", "add", NAMES[0], "type", "veth", "peer", "name", NAMES[1])
        ip("link", "set", NAMES[1], "netns", str(child))
        ip("address", "add", CLIENT_ADDRESS + "/24", "dev", NAMES[0])
        ip("link", "set", NAMES[0], "up")
        os.write(go_writer, b"1")
    ask(client(), count, times)
    os.close(out_writer)
    with os.fdopen(out_reader) as out:
        served = json.load(out)
    os.waitpid(child, 0)
    served["pid"] = child
    print(json.dumps({"client": times, "server": served}))


@unittest.skipIf(why_not(), why_not())
class PacketWakers(unittest.TestCase):
    def record(self, kind):
        trace = os.path.join(harness.class_folder(self, dir="/var/tmp"), f"{kind}.fxt")
        done = harness.run(RECORDER, "-q", "-o", trace, "--", sys.executable, os.path.abspath(__file__), "load", kind,
                           str(EXCHANGES), ok=(0,))
        return trace, json.loads(done.stdout)

    def judge(self, kind, via):
        trace, known = self.record(kind)
        woken = named = 0
        for receiver, sender in (("server", "client"), ("client", "server")):
            wakeups = json.loads(harness.fxt("query", "--json", trace,
                                             "SELECT ts, waker_tid, via FROM wakeups WHERE tid = "
                                             f"{known[receiver]['pid']} ORDER BY ts"))
            at = 0
            for sent, received in zip(known[sender]["sent"], known[receiver]["received"]):
                while at < len(wakeups) and wakeups[at]["ts"] < sent:
                    at += 1
                # A receiver that was still awake is not woken.
                if at == len(wakeups) or wakeups[at]["ts"] > received:
                    continue
                wakeup = wakeups[at]
                woken += 1
                if wakeup["waker_tid"] is None:
                    continue
                named += 1
                self.assertEqual((wakeup["waker_tid"], wakeup["via"]), (known[sender]["pid"], via), f"{kind}: {wakeup}")
        print(f"{kind}: {named} of {woken} wakeups name their sender", file=sys.stderr)
        # A process that does not let the other sleep shows nothing.
        self.assertGreater(woken, EXCHANGES // 50)
        # A timer's softirq or a device's interrupt between may hide one.
        self.assertGreaterEqual(named, woken * 0.99)
        return trace, known

    def test_tcp_over_loopback(self):
        trace, known = self.judge("tcp", "net_rx")
        # The table of waits, the dump and the waker of the switch say the same.
        pid = known["server"]["pid"]
        [row] = json.loads(harness.fxt("query", "--json", trace,
                                       "SELECT (SELECT count(*) FROM waits WHERE kind = 'sleep' AND via = 'net_rx' AND "
                                       f"tid = {pid}) AS waits, (SELECT count(*) FROM wakeups WHERE via = 'net_rx' AND "
                                       f"tid = {pid}) AS wakeups"))
        self.assertGreater(row["wakeups"], 0)
        # A thread that is preempted on its way to a sleep is woken, but has not slept.
        self.assertLessEqual(abs(row["wakeups"] - row["waits"]), 2 + row["wakeups"] // 20)
        dumped = harness.fxt("dump", "--type", "wakeup", trace)
        self.assertEqual(sum(f"[{pid}]" in line.split("waker=")[0] and 'via=net_rx' in line
                             for line in dumped.splitlines() if "waker=" in line), row["wakeups"])
        harness.fxt("check", trace)

    def test_udp_over_loopback(self):
        self.judge("udp", "net_rx")

    def test_unix_sockets_need_no_softirq(self):
        self.judge("unix", None)

    @unittest.skipIf(why_not() or why_no_veth(), why_not() or why_no_veth())
    def test_veth_between_network_namespaces(self):
        self.judge("veth", "net_rx")


if __name__ == "__main__":
    if sys.argv[1:2] == ["load"]:
        load(sys.argv[2], int(sys.argv[3]))
    else:
        harness.main()
