#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""A soak: hostile providers and clients of two users beside an honest program, in one circular session. Needs root.

hostile_soak.py BUILD SECONDS. Prints a line per snapshot, then the result as JSON. Fails if an event of the kernel or of
the honest program is lost, if the recorder's memory exceeds its limit or grows, or if a snapshot takes too long."""

import contextlib
import json
import os
import random
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import time

MIB = 1 << 20
USERS = (65533, 65532)
GROUP = 65531
BUFFER_MIB = 32
MARGIN = 128 * MIB
SNAPSHOT_LIMIT_S = 1.0
# Snapshots before this are the base of the memory's growth.
WARM_UP_S = 60
# Attacks of hostile providers, and a storm of forks.
ACTIONS = (("strings", "40"), ("async", "3000"), ("flood", "3000"), ("holes", "3000"), ("places", "60", "2000"),
           ("noise", "1", "3000"), ("blob",), ("births", "--times", "3000"))
# As on most machines: tids are not used again soon.
PID_MAX = 1 << 22


def as_user(user):
    """Runs first in a hostile process. It takes only time that other threads leave, so that the soak measures the
    recorder's work, and not the wait for a CPU."""
    def change():
        os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))
        os.setgroups([GROUP])
        os.setgid(user)
        os.setuid(user)
    return change


class Soak:
    def __init__(self, build, seconds):
        self.build = os.path.abspath(build)
        self.seconds = seconds
        self.folder = tempfile.mkdtemp(prefix="hostile-soak-")
        os.chmod(self.folder, 0o755)
        self.socket = os.path.join(self.folder, "control")
        self.environment = {**os.environ, "FXT_RECORD_SOCKET": self.socket}
        self.hostile = []
        self.clients = []
        self.snapshots = []

    def tool(self, *words):
        return subprocess.run([os.path.join(self.build, "fxt-record"), *words, "--socket", self.socket], text=True,
                              capture_output=True, check=True, env=self.environment).stdout

    def status(self):
        return json.loads(self.tool("status", "--json"))

    @staticmethod
    def take_peak(pid):
        """Bytes of resident memory: the most since the last call, and now."""
        with open(f"/proc/{pid}/status", encoding="utf-8") as file:
            fields = dict(line.split(":", 1) for line in file)
        with open(f"/proc/{pid}/clear_refs", "w", encoding="utf-8") as file:
            file.write("5")
        return int(fields["VmHWM"].split()[0]) * 1024, int(fields["VmRSS"].split()[0]) * 1024

    def start_hostile(self):
        """Keeps three hostile programs of each user at work."""
        self.hostile = [each for each in self.hostile if each.poll() is None]
        while len(self.hostile) < 3 * len(USERS):
            user = USERS[len(self.hostile) % len(USERS)]
            action = random.choice(ACTIONS)
            program = ("tests/odd_tasks",) if action[0] == "births" else ("tests/hostile", self.socket)
            self.hostile.append(subprocess.Popen(
                [os.path.join(self.build, program[0]), *program[1:], *action],
                preexec_fn=as_user(user), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=self.environment))

    def start_clients(self):
        """Connections that stall, send garbage, or call without reading."""
        while self.clients and len(self.clients) > 20:
            self.clients.pop(0).close()
        with contextlib.suppress(OSError):
            client = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
            client.setblocking(False)
            client.connect(self.socket)
            text = random.choice((b"{\"method\":", os.urandom(1000), b"\0" * 1000,
                                  b"{\"method\":\"fuchsia.tracing.controller.GetStatus\"}\0" * 50))
            client.send(text)
            self.clients.append(client)

    def run_clients_of_users(self):
        """One process per user, which stalls connections and marks processes that are not its own."""
        children = []
        for user in USERS:
            child = os.fork()
            if child == 0:
                with contextlib.suppress(BaseException):
                    as_user(user)()
                    hostile_client(self.socket, self.seconds)
                os._exit(0)
            children.append(child)
        return children

    def snapshot(self, service):
        path = os.path.join(self.folder, "snapshot.fxt")
        begin = time.monotonic()
        self.tool("snapshot", "-o", path, "--last", "2s")
        took = time.monotonic() - begin
        self.snapshots.append((time.monotonic() - self.begin, took, *self.take_peak(service)))
        return path

    def count_honest(self, path):
        """Gaps in the numbers of the honest program's instants, and lost events, of one file."""
        query = ("SELECT count(*) AS n, min(CAST(args ->> 'k' AS INTEGER)) AS first, "
                 "max(CAST(args ->> 'k' AS INTEGER)) AS last FROM instants WHERE name = 'count'")
        done = subprocess.run([os.path.join(self.build, "fxt"), "query", "--json", path, query], capture_output=True,
                              text=True, check=True)
        row = json.loads(done.stdout)[0]
        return row["n"], (row["last"] - row["first"] + 1 - row["n"]) if row["n"] else 0

    def run(self):
        service = subprocess.Popen([os.path.join(self.build, "fxt-record"), "serve", "--socket", self.socket, "--group",
                                    str(GROUP)], stderr=subprocess.DEVNULL, env=self.environment)
        while not os.path.exists(self.socket):
            time.sleep(0.05)
        self.tool("start", "--circular", f"{BUFFER_MIB}M", "-c", "sched,task")
        honest = subprocess.Popen([os.path.join(self.build, "tests/exercise"), "count",
                                   os.path.join(self.folder, "progress"), "1"], stdout=subprocess.DEVNULL,
                                  env=self.environment)
        users = self.run_clients_of_users()
        self.begin = time.monotonic()
        next_snapshot = self.begin + 5
        missing = total = 0
        try:
            while time.monotonic() - self.begin < self.seconds:
                self.start_hostile()
                self.start_clients()
                time.sleep(0.2)
                if time.monotonic() < next_snapshot:
                    continue
                next_snapshot += 10
                path = self.snapshot(service.pid)
                count, gap = self.count_honest(path)
                total, missing = total + count, missing + gap
                at, took, peak, resident = self.snapshots[-1]
                print(f"{at:7.0f} s: snapshot {took:.3f} s, memory {resident / MIB:.0f} MiB, at most "
                      f"{peak / MIB:.0f} MiB, honest {count}, missing {gap}", flush=True)
            status = self.status()
        finally:
            for each in [*self.hostile, honest]:
                each.kill()
                each.wait()
            for child in users:
                os.kill(child, signal.SIGKILL)
                os.waitpid(child, 0)
            service.send_signal(signal.SIGTERM)
            service.wait()
        return self.result(status, total, missing)

    def result(self, status, total, missing):
        peaks = [each[2] for each in self.snapshots]
        memory = [each[3] for each in self.snapshots]
        early = [each[3] for each in self.snapshots if each[0] < 2 * WARM_UP_S] or memory
        late = memory[len(memory) * 3 // 4:]
        took = [each[1] for each in self.snapshots]
        lost = {each["name"]: each["lost"] for each in status["categories"]}
        result = {"seconds": round(time.monotonic() - self.begin), "snapshots": len(took),
                  "snapshot_median_s": round(statistics.median(took), 3), "snapshot_max_s": round(max(took), 3),
                  "memory_max_mib": round(max(peaks) / MIB), "memory_early_mib": round(statistics.median(early) / MIB),
                  "memory_late_mib": round(statistics.median(late) / MIB), "honest_records": total,
                  "honest_missing": missing, "kernel_events": sum(each["events"] for each in status["categories"]),
                  "kernel_lost": sum(lost.values()), "providers_refused": status["providers_refused"]}
        print(json.dumps(result, indent=1))
        failures = [name for name, failed in (
            ("honest records are missing", missing != 0), ("no honest records", total == 0),
            ("kernel events are lost", result["kernel_lost"] != 0),
            ("memory exceeds its limit", max(peaks) > BUFFER_MIB * MIB + MARGIN),
            ("memory grows", statistics.median(late) > statistics.median(early) + 32 * MIB),
            ("a snapshot is slow", max(took) > SNAPSHOT_LIMIT_S)) if failed]
        for failure in failures:
            print(f"FAILED: {failure}")
        return 1 if failures else 0


def hostile_client(path, seconds):
    """Runs as a user: stalled snapshots, marks of init, and connections without an end."""
    end = time.monotonic() + seconds
    held = []
    while time.monotonic() < end:
        with contextlib.suppress(OSError):
            client = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
            client.settimeout(1)
            client.connect(path)
            kind = random.randrange(3)
            if kind == 0:
                reading, writing = os.pipe()
                text = json.dumps({"method": "fuchsia.tracing.controller.TakeSnapshot",
                                   "parameters": {"output": {"descriptor": 0}}}).encode() + b"\0"
                socket.send_fds(client, [text], [writing])
                os.close(writing)
                held.append((client, reading))
            elif kind == 1:
                client.send(json.dumps({"method": "fuchsia.tracing.controller.SendMark", "parameters": {
                    "kind": "INSTANT", "name": "forged", "pid": 1}}).encode() + b"\0")
                client.recv(1000)
            else:
                client.send(b"{\"method\": \"fuchsia.tracing")
                held.append((client, None))
        while len(held) > 8:
            client, descriptor = held.pop(0)
            client.close()
            if descriptor is not None:
                os.close(descriptor)
        time.sleep(0.5)


def main():
    with open("/proc/sys/kernel/pid_max", encoding="ascii") as file:
        pid_max = int(file.read())
    subprocess.run(["sysctl", "-q", f"kernel.pid_max={PID_MAX}"], check=True)
    try:
        return Soak(sys.argv[1], float(sys.argv[2])).run()
    finally:
        subprocess.run(["sysctl", "-q", f"kernel.pid_max={pid_max}"], check=True)


if __name__ == "__main__":
    sys.exit(main())
