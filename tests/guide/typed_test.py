#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Runs the commands of README.md, docs/ and --help as they are typed there, on recordings of this machine. Needs root.

A command is what stands in an indented line, up to two spaces. The folder in which it runs has files of the names that
the documents use. Commands that record get an interrupt after a while, as Ctrl-C."""

import contextlib
import glob
import gzip
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
import harness  # noqa: E402
from harness import BUILD, FXT, RECORDER, ROOT, run  # noqa: E402

RECORDS_FOR_S = 1.5
NOBODY = 65534

# Texts that are no complete commands, or commands that need something a test does not have.
NOT_RUN = (
    (r"\.\.\.", "a pattern"),
    (r"[A-Z]+/|\bFILE\b|\bF\b|\bHOST\b|\[|trim / fxt", "a pattern"),
    (r"fxt-record records", "a sentence"),
    (r"clickhouse", "a server"),
    (r"--cpu 3\b", "a machine with four CPUs"),
    (r"4711", "an id of another trace"),
    (r"--pid 812", "a pid of another machine"),
    (r"shop|:Pay|libfoo|app\.py", "another program"),
    (r"lbr-filter|-c default,lbr|--counters cycles", "hardware counters"),
    (r"bash:readline", "a program with that symbol"),
    (r"request/redis|'to :18100'|postgres --from", "a trace of another server"),
    (r"-c sched:switch", "an error that the page explains"),
    (r"serve", "a service"),
    (r"^fxt-record (status|snapshot|alert|stop|cancel)", "a session, see Sessions"),
    (r"--kprobe", None if os.path.exists("/sys/bus/event_source/devices/kprobe") else "kprobes in this kernel"),
    (r"jq\b", None if shutil.which("jq") else "jq"),
    (r"flamegraph\.pl", "flamegraph.pl"),
    (r"perf\.data", None if shutil.which("perf") else "perf"),
    (r"\.png", None if shutil.which("rsvg-convert") else "rsvg-convert"),
    (r"'wakeup_latency", "a late wakeup"),
    (r"^fxt-mark", "a session, see Sessions"),
)


def reason_not_to_run(command):
    return next((reason for pattern, reason in NOT_RUN if reason and re.search(pattern, command)), None)


def commands_of(text, program):
    """The commands of a program in a text of indented lines."""
    for line in text.replace("\\\n", " ").splitlines():
        if not line.startswith("    ") and not line.startswith("  " + program):
            continue
        for part in re.split(r"\s{2,}", line.strip()):
            part = re.sub(r"^(\$ )?(sudo )?", "", part)
            if re.match(program + r"( |$)", part):
                yield part


def documents():
    for path in (os.path.join(ROOT, "README.md"), *sorted(glob.glob(os.path.join(ROOT, "docs/*.md")))):
        with open(path, encoding="utf-8") as file:
            yield file.read()


def helps(program):
    names = re.findall(r"^  ([a-z]+)  ", run(program, "--help").stdout, re.MULTILINE)
    for words in ([], *([name] for name in names)):
        yield run(program, *words, "--help").stdout


def typed(program, path):
    return sorted({command for text in (*documents(), *helps(path)) for command in commands_of(text, program)})


LOAD = r"""
import os, socket, subprocess, sys, threading, time
def named(name):
    with open("/proc/thread-self/comm", "w") as file: file.write(name)
def busy(name):
    named(name)
    while True:
        time.sleep(0.003)
        sum(range(20000))
for name in ("nginx-worker", "postgres"): threading.Thread(target=busy, args=(name,), daemon=True).start()
listener = socket.create_server(("127.0.0.1", 0))
def serve():
    while True:
        one, _ = listener.accept()
        while (text := one.recv(100)): one.sendall(text)
threading.Thread(target=serve, daemon=True).start()
sys.path.insert(0, sys.argv[1])
os.environ["FXT_PROVIDER_LIBRARY"] = sys.argv[2]
import fxt_provider
client = socket.create_connection(listener.getsockname())
open("ready", "w").close()
while not fxt_provider.wait(): time.sleep(0.01)
end = time.monotonic() + float(sys.argv[3])
while time.monotonic() < end:
    with fxt_provider.duration("app", "request"), fxt_provider.duration("http", "GET /items"):
        client.sendall(b"x"); client.recv(100); time.sleep(0.005)
os.unlink("ready")
"""


class Folder:
    """The files that the documents name."""

    def __init__(self, path):
        self.path = path
        self.environment = {**os.environ, "PATH": os.path.join(path, "bin") + ":" + BUILD + ":" + os.environ["PATH"],
                            "PAGER": "cat", "XDG_RUNTIME_DIR": path,
                            "FXT_RECORD_SOCKET": os.path.join(path, "control")}
        os.chmod(path, 0o777)
        os.mkdir(os.path.join(path, "bin"))
        self.script("bin/xdg-open", "exit 0")
        self.script("server", "sleep 0.3")
        self.script("client", "sleep 0.3")
        self.script("program", "sleep 0.3")
        self.write("Makefile", "all:\n\t@sleep 0.3\n")
        self.write("load.py", LOAD)
        self.write("latencies.sql", "SELECT count(*) AS n FROM waits;\n")
        shutil.copy("/bin/sh", os.path.join(path, "redis-server"))
        # The load runs already: commands ask for what its threads do a second after the recording has begun.
        with subprocess.Popen([sys.executable, "load.py", f"{ROOT}/bindings", f"{BUILD}/libfxt-provider.so.0", "3.2"], cwd=path,
                              env=self.environment) as load:
            try:
                harness.eventually(lambda: os.path.exists(self.name("ready")) or load.poll() is not None)
                self.record("trace.fxt", "-c", "default,stack,wait,settings", "--providers", "--", "sh", "-c",
                            "./redis-server -c 'i=0; while [ $i -lt 600 ]; do sleep 0.005; i=$((i+1)); done' & "
                            "while [ -e ready ]; do sleep 0.1; done; wait")
            finally:
                load.kill()
        for side in ("base", "new"):
            for number in (1, 2, 3):
                self.record(f"{side}{number}.fxt", "-c", "default,stack", "--", "sleep", "0.1")
        for folder in ("base", "new", "ab/base", "ab/new", "aa", "day"):
            os.makedirs(os.path.join(path, folder))
            for number in (1, 2, 3):
                name = f"{'new' if folder.endswith('new') else 'base'}{number}.fxt"
                self.copy(name, f"{folder}/{number}.fxt")
                self.compress(name, f"{folder}/{number}.fxt.gz") if folder == "day" else None
        for number in (1, 2, 3):
            self.copy(f"base{number}.fxt", f"a{number}.fxt")
            self.copy(f"new{number}.fxt", f"b{number}.fxt")
        for name in ("old", "new", "here", "there", "before", "after", "server"):
            self.copy("trace.fxt", name + ".fxt")
        self.compress("trace.fxt", "trace.fxt.gz")
        self.copy("trace.fxt", "kept")
        whole = self.read("trace.fxt")
        self.write("damaged.fxt", whole[:len(whole) // 2] + b"\xff" * 999 + whole[len(whole) // 2:])
        self.write("cut.fxt.gz", self.read("trace.fxt.gz")[:-1000])
        run(FXT, "summarize", self.name("trace.fxt"), "-o", self.name("trace.fxs"), ok=(0,))
        run(FXT, "json", self.name("trace.fxt"), "-o", self.name("trace.json"), ok=(0,))
        self.compress("trace.json", "trace.json.gz")
        self.write("app.json", self.app())
        run(FXT, "import", self.name("app.json"), "-o", self.name("other-tool.fxt"), ok=(0,))
        self.write("kallsyms.txt", "".join(open("/proc/kallsyms", encoding="utf-8")))
        if shutil.which("perf"):
            run("perf", "record", "-q", "-B", "-N", "-e", "cpu-clock", "-o", self.name("perf.data"), "--", "sleep", "0.1")

    def name(self, name):
        return os.path.join(self.path, name)

    def read(self, name):
        with open(self.name(name), "rb") as file:
            return file.read()

    def write(self, name, content):
        with open(self.name(name), "wb") as file:
            file.write(content if isinstance(content, bytes) else content.encode())

    def script(self, name, line):
        self.write(name, f"#!/bin/sh\n{line}\n")
        os.chmod(self.name(name), 0o755)

    def copy(self, source, target):
        shutil.copy(self.name(source), self.name(target))

    def compress(self, source, target):
        self.write(target, gzip.compress(self.read(source), 1))

    def record(self, name, *words):
        run(RECORDER, "-q", "-o", name, *words, ok=(0,), cwd=self.path, env=self.environment)

    def app(self):
        """Events of a program, in the runs of one of its threads, on the trace's own clock."""
        rows = json.loads(run(FXT, "query", "--json", self.name("trace.fxt"),
                              "SELECT ts, dur, tid, pid FROM slices WHERE thread = 'postgres' AND dur > 1000 LIMIT 50",
                              ok=(0,)).stdout)
        return json.dumps({"traceEvents": [
            {"ph": "X", "name": "work", "cat": "app", "ts": row["ts"] / 1000, "dur": row["dur"] / 1000,
             "pid": row["pid"], "tid": row["tid"]} for row in rows]})

    def shell(self, command, is_interrupted=False):
        """Runs a command. Returns its status and output; an interrupt reaches all of its processes."""
        self.copy("kept", "trace.fxt")  # the command before may have written it
        process = subprocess.Popen(["bash", "-o", "pipefail", "-c", command], cwd=self.path, env=self.environment,
                                   stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                   start_new_session=True)
        if is_interrupted:
            threading.Thread(target=self.interrupt, args=(process,), daemon=True).start()
        try:
            output, _ = process.communicate(b"SELECT 1;\n", timeout=harness.DEADLINE_S)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            output, _ = process.communicate()
        return process.returncode, output.decode(errors="replace")

    @staticmethod
    def interrupt(process):
        """Interrupts a recorder a while after it takes interrupts as the end of its recording: it may be slow to begin."""
        if harness.eventually(lambda: process.poll() is not None or takes_interrupts(process.pid)):
            time.sleep(RECORDS_FOR_S)
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGINT)


def takes_interrupts(session):
    """Whether a recorder of this session blocks SIGINT, to read it from a descriptor."""
    for folder in glob.glob("/proc/[0-9]*"):
        with contextlib.suppress(OSError):
            with open(f"{folder}/stat", encoding="utf-8", errors="replace") as file:
                name, _, rest = file.read().partition("(")[2].rpartition(")")
            if name != "fxt-record" or int(rest.split()[3]) != session:
                continue
            with open(f"{folder}/status", encoding="utf-8", errors="replace") as file:
                if int(re.search(r"^SigBlk:\s*(\w+)", file.read(), re.MULTILINE)[1], 16) & 1 << (signal.SIGINT - 1):
                    return True
    return False


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as one:
        return one.getsockname()[1]


class Typed(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.folder = Folder(cls.temporary.name)

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()

    def check(self, commands, run_one, statuses=(0,)):
        left_out = {}
        count = 0
        for command in commands:
            reason = reason_not_to_run(command)
            if reason:
                left_out[command] = reason
                continue
            count += 1
            with self.subTest(command):
                status, output = run_one(command)
                self.assertIn(status, statuses, output[-2000:])
        print(f"{count} commands run; {len(left_out)} need something else", file=sys.stderr)
        return count

    @harness.limited(10 * harness.DEADLINE_S)
    def test_commands_that_read(self):
        def run_one(command):
            if re.match(r"fxt (open|view)", command):
                # They serve until the page is gone; here none comes.
                command += f" --port {free_port()} --timeout 1s"
                status, output = self.folder.shell(command)
                return (0 if "127.0.0.1" in output else status), output
            return self.folder.shell(command)
        # 3: something got worse, of equal captures by chance.
        self.assertGreater(self.check(typed("fxt", FXT), run_one, (0, 3)), 60)

    @harness.limited(10 * harness.DEADLINE_S)
    def test_commands_that_record(self):
        commands = [command for command in typed("fxt-record", RECORDER) if not command.startswith("fxt-record start")]
        self.assertGreater(self.check(commands, self.record_for_a_while), 15)

    def record_for_a_while(self, command):
        if "--as-caller" in command:  # as sudo sets it
            command = f"export SUDO_UID={NOBODY} SUDO_GID={NOBODY}; {command}"
        # Pipelines and recorded commands end, and what comes after needs a whole recording.
        return self.folder.shell(command, not any(word in command for word in ("|", "&&", " -- ")))

    def test_sessions(self):
        for command in ("fxt-record start --circular 64M", "fxt-record status", "fxt-mark begin backup",
                        "fxt-mark end backup", "fxt-record snapshot -o spike.fxt --last 10s",
                        "fxt-record alert slow-request", "fxt-record stop -o trace.fxt", "fxt-record start",
                        "fxt-record cancel"):
            with self.subTest(command):
                status, output = self.folder.shell(command)
                self.assertEqual(status, 0, output)
        run(FXT, "check", self.folder.name("spike.fxt"), ok=(0,))


if __name__ == "__main__":
    harness.skip_unless_recordable()
    harness.main()
