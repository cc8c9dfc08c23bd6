#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Holds recorded tracepoints (-e) against trace-cmd, field by field (root, trace-cmd)."""

import collections
import contextlib
import json
import os
import re
import shutil
import signal
import struct
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../support"))
import harness  # noqa: E402
from harness import DEADLINE_S, FXT, RECORDER, eventually  # noqa: E402

TRACEFS = next((path for path in ("/sys/kernel/tracing", "/sys/kernel/debug/tracing")
                if os.path.isdir(os.path.join(path, "events", "sched"))), None)

PATTERNS = ["sched:*", "kmem:*", "signal:*", "task:*", "exceptions:*", "raw_syscalls:*", "filemap:*", "timer:*",
            "sock:*", "net:*", "skb:*", "tcp:*", "mmap:*", "percpu:*", "cgroup:*", "writeback:*", "workqueue:*",
            "syscalls:sys_*_write", "syscalls:sys_*_mmap", "syscalls:sys_*_kill", "filelock:*"]
# Events that perf misses or adds because it is writing an event at the time.
DISTURBED_BY_PERF = {
    # perf wakes its reader in an interrupt of its own.
    "sched:sched_wakeup", "sched:sched_waking", "sched:sched_migrate_task",
    # perf copies the strings of system calls, which may cause a page fault.
    "exceptions:page_fault_kernel",
}
ATTEMPTS = 4
CHILD = r"""
import fcntl, mmap, os, signal, socket, sys, tempfile, threading, time
signal.signal(signal.SIGUSR1, lambda *_: None)
os.kill(os.getpid(), signal.SIGUSR1)
with tempfile.TemporaryFile(dir=sys.argv[1]) as file:
    for _ in range(20):
        file.write(os.urandom(4096))
    file.flush()
    for _ in range(5):
        os.write(file.fileno(), b"short")
    fcntl.lockf(file, fcntl.LOCK_EX)
    os.fsync(file.fileno())
    with mmap.mmap(-1, 1 << 20) as memory:
        for page in range(0, 1 << 20, 4096):
            memory[page] = 1
server = socket.create_server(("127.0.0.1", 0))
client = socket.create_connection(server.getsockname())
peer, _ = server.accept()
for _ in range(20):
    client.sendall(b"x" * 100)
    peer.recv(100)
    time.sleep(0.0005)
"""
# Prints the pids of its children, which both recordings have from start to end.
WORKLOAD = r"""
import subprocess, sys
for command in (["true"], [sys.executable, "-I", "-S", "-c", sys.argv[1], sys.argv[2]]):
    child = subprocess.Popen(command)
    print(child.pid, flush=True)
    if child.wait() != 0:
        sys.exit(1)
"""


def run(*command):
    return harness.run(*command, errors="surrogateescape")


def why_not():
    reason = harness.why_not_recordable()
    if not reason and TRACEFS is None:
        reason = "tracefs is not mounted"
    if not reason and shutil.which("trace-cmd") is None:
        reason = "needs trace-cmd"
    return reason


def list_events(pattern):
    """Returns the list of (field, type) by event name, from --list-events."""
    done = run(RECORDER, "--list-events", pattern)
    if done.returncode != 0:
        raise AssertionError(done.stderr)
    events = {}
    for line in done.stdout.splitlines():
        if not line.startswith(" "):
            fields = events[line] = []
        else:
            name, kind = line.split(None, 1)
            fields.append((name, kind.strip()))
    return events


class Instance:
    """An ftrace instance."""

    def __init__(self, names):
        self.name = f"fxr_tracepoints_{os.getpid()}"
        self.path = os.path.join(TRACEFS, "instances", self.name)
        os.mkdir(self.path)
        try:
            self.write("buffer_size_kb", "32768")
            # This process and its descendants.
            self.write("options/event-fork", "1")
            self.write("set_event_pid", str(os.getpid()))
            for name in names:
                self.write(os.path.join("events", *name.split(":"), "enable"), "1")
        except BaseException:
            self.remove()
            raise

    def write(self, file, text):
        with open(os.path.join(self.path, file), "w", encoding="ascii") as out:
            out.write(text)

    def text(self, folder):
        """Returns the raw fields as trace-cmd prints them."""
        self.write("tracing_on", "0")
        data = os.path.join(folder, "trace.dat")
        for _ in range(ATTEMPTS):
            done = run("trace-cmd", "extract", "-B", self.name, "-o", data)
            # trace-cmd copies /proc/kallsyms first and gives up if a program is loaded or unloaded meanwhile.
            if "/proc/kallsyms" not in done.stderr:
                break
        if done.returncode != 0:
            raise AssertionError(done.stderr)
        return run("trace-cmd", "report", "-R", "-i", data).stdout

    def remove(self):
        with contextlib.suppress(OSError):
            self.write("tracing_on", "0")
            self.write("events/enable", "0")
        # trace-cmd removes an instance that it has extracted.
        with contextlib.suppress(FileNotFoundError):
            os.rmdir(self.path)


# Stands for a value that trace-cmd prints as a kernel symbol or an Internet address.
NAMED = "named"


def element_format(kind):
    width = 8 if re.search(r"long|64", kind) else 2 if re.search(r"short|16", kind) else 4
    return {2: "H", 4: "I", 8: "Q"}[width]


def prefixes(name):
    """Returns the prefixes of fields that the kernel and trace-cmd print in hexadecimal or octal without one."""
    with open(os.path.join(TRACEFS, "events", *name.split(":"), "format"), encoding="ascii") as text:
        match = re.search(r'print fmt: "((?:[^"\\]|\\.)*)"\s*(?:,(.*))?', text.read(), re.DOTALL)
    if not match or match.group(2) is None:
        return {}
    arguments, depth = [""], 0
    for letter in match.group(2):
        depth += (letter in "({") - (letter in ")}")
        if letter == "," and depth == 0:
            arguments.append("")
        else:
            arguments[-1] += letter
    formats = re.findall(r"(0x)?%[-+ #0]*\d*(?:\.\d+)?(?:hh|h|ll|l|z)?([a-zA-Z])", match.group(1).replace("%%", ""))
    fields = (re.fullmatch(r"\s*(?:\([^()]*\)\s*)?REC->(\w+)\s*", argument) for argument in arguments)
    return {field.group(1): {"x": "0x", "o": "0o"}[kind] for field, (_, kind) in zip(fields, formats)
            if field and kind in "xo"}


def plain(value, kind):
    """Normalizes a value of either side to a number or bytes."""
    value = value.strip() if isinstance(value, str) else value
    if isinstance(value, bool) or value is None:
        return value
    if isinstance(value, int):
        return value % 2**64
    array = re.fullmatch(r"ARRAY\[(.*)\]", value)
    if array:
        return bytes(int(byte, 16) for byte in array.group(1).replace(",", " ").split())
    if re.fullmatch(r"-?\d+|0x[0-9a-f]+|0o[0-7]+", value) and "[" not in kind:
        return int(value, 0 if value.startswith("0x") or value.startswith("0o") else 10) % 2**64
    if value == "(nil)":
        return 0
    return value.encode(errors="surrogateescape") if "char" in kind else NAMED


def recorded_plain(value, kind):
    if isinstance(value, str) and "[" in kind and "char" not in kind:
        if re.search(r"\b(__)?[us]8\b|struct|bool", kind):
            return bytes.fromhex(value)
        mask = {"H": 2**16, "I": 2**32, "Q": 2**64}[element_format(kind)]
        numbers = [int(each) % mask for each in value.split(",")] if value else []
        return struct.pack(f"={len(numbers)}{element_format(kind)}", *numbers)
    return plain(value, kind)


@unittest.skipIf(why_not(), why_not())
class Tracepoints(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = harness.class_folder(cls)

    def record(self, *options):
        """Returns the fields by event name, and for trace-cmd and for fxt the lists of (tid, fields) by name."""
        trace = os.path.join(self.folder, "trace.fxt")
        patterns = [word for option, word in zip(options, options[1:]) if option == "-e"]
        known = {name: fields for pattern in patterns for name, fields in list_events(pattern).items()}
        instance = Instance(known)
        try:
            done = run(RECORDER, "-q", "-c", "task", "--only-command", *options, "-o", trace, "--", sys.executable, "-c", WORKLOAD, CHILD,
                       self.folder)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            text = instance.text(self.folder)
        finally:
            instance.remove()
        self.assertNotIn("LOST", text)
        children = {int(line) for line in done.stdout.splitlines()}
        self.assertEqual(run(FXT, "check", trace).returncode, 0)
        return known, self.theirs(text, known, children), self.ours(trace, known, children)

    def theirs(self, text, known, tids):
        names = collections.defaultdict(list)
        printed = {}
        for name in known:
            names[name.split(":")[1]].append(name)
        events = collections.defaultdict(list)
        # Times of 14 digits, of a machine that is up for some hours, leave no space before them.
        line_pattern = re.compile(r".*?-(\d+)\s+\[\d+\]\s*(?:\S+\s+)?[\d.]+:\s+(\S+):\s?(.*)")
        for line in text.splitlines():
            match = line_pattern.fullmatch(line)
            if not match or int(match.group(1)) not in tids or len(names[match.group(2)]) != 1:
                continue
            name = names[match.group(2)][0]
            fields = known[name]
            values = re.fullmatch(r"\s*" + " ".join(re.escape(field) + "=(.*)" for field, _ in fields) + r"\s*",
                                  match.group(3)) if fields else None
            self.assertTrue(values or not fields, (line, fields))
            values = [value.strip() for value in values.groups()] if values else []
            if name not in printed:
                printed[name] = prefixes(name)
            values = [printed[name][field] + value
                      if field in printed[name] and re.fullmatch("[0-9a-f]+", value) else value
                      for value, (field, _) in zip(values, fields)]
            events[name].append((int(match.group(1)),) + tuple(
                plain(value, kind) for value, (_, kind) in zip(values, fields)))
        return events

    def ours(self, trace, known, tids):
        events = collections.defaultdict(list)
        done = run(FXT, "dump", "--json", "--type", "instant", trace)
        self.assertEqual(done.returncode, 0, done.stderr)
        for line in done.stdout.splitlines():
            record = json.loads(line)
            name = f"{record.get('category')}:{record.get('name')}"
            # The upper bits distinguish tasks with the same thread id.
            tid = record["thread"]["thread"] % 2**22
            if name not in known or tid not in tids:
                continue
            arguments = {each["name"]: each.get("value") for each in record.get("args", [])}
            fields = known[name]
            if len(fields) > 15:
                self.assertIn("more", arguments)
                continue
            self.assertEqual(list(arguments), [field for field, _ in fields])
            events[name].append((tid,) + tuple(
                recorded_plain(arguments[field], kind) for field, kind in fields))
        return events

    def compare(self):
        """Returns the number of equal events by name, the differences by name, and the number of named fields."""
        known, theirs, ours = self.record(*[word for pattern in PATTERNS for word in ("-e", pattern)])
        equal, different, named = {}, {}, 0
        for name in sorted(theirs.keys() | ours.keys()):
            if len(known[name]) > 15 or name in DISTURBED_BY_PERF:
                continue
            for column in range(1, len(known[name]) + 1):
                if any(event[column] == NAMED for event in theirs[name]):
                    named += 1
                    for side in (theirs, ours):
                        side[name] = [event[:column] + (NAMED,) + event[column + 1:] for event in side[name]]
            missing = collections.Counter(theirs[name]) - collections.Counter(ours[name])
            extra = collections.Counter(ours[name]) - collections.Counter(theirs[name])
            if missing or extra:
                different[name] = (list(missing.items())[:3], list(extra.items())[:3],
                                   missing.total() / max(1, len(theirs[name])))
            else:
                equal[name] = len(ours[name])
        return equal, different, named

    def test_fields_match_trace_cmd(self):
        equal, different, named = self.compare()
        systems = {name.split(":")[0] for name in equal}
        print(f"{len(equal)} tracepoints of {len(systems)} systems, {sum(equal.values())} events: each as trace-cmd shows "
              f"it ({named} fields, which it shows by names of symbols or addresses, were not compared)")
        self.assertGreaterEqual(len(equal), 30, different)
        self.assertGreaterEqual(len(systems), 10, different)
        # perf misses an event that interrupts its own writing. On a quiet machine that does not repeat each time.
        for _ in range(ATTEMPTS - 1):
            if not different:
                break
            again = self.compare()[1]
            different = {name: what for name, what in different.items() if name in again}
        self.assertEqual({name: what for name, what in different.items() if what[1] or what[2] > 0.01}, {})

    def test_a_filter_applies_to_the_event_before_it(self):
        for _ in range(ATTEMPTS):
            _, theirs, ours = self.record("-e", "syscalls:sys_exit_read", "-e", "syscalls:sys_exit_write", "--filter",
                                          "ret > 50", "-e", "signal:signal_generate")
            everything = theirs["syscalls:sys_exit_write"]
            wanted = [event for event in everything if 50 < event[-1] < 2**63]
            if sorted(ours["syscalls:sys_exit_write"]) == sorted(wanted) and 0 < len(wanted) < len(everything) and \
                    len(ours["syscalls:sys_exit_read"]) == len(theirs["syscalls:sys_exit_read"]):
                break
        self.assertEqual(sorted(ours["syscalls:sys_exit_write"]), sorted(wanted))
        self.assertTrue(0 < len(wanted) < len(everything), everything)
        self.assertTrue(any(event[-1] <= 50 for event in ours["syscalls:sys_exit_read"]))
        self.assertEqual(len(ours["syscalls:sys_exit_read"]), len(theirs["syscalls:sys_exit_read"]))

    def refusal(self, *options):
        trace = os.path.join(self.folder, "refused.fxt")
        done = run(RECORDER, *options, "-o", trace, "--", "true")
        self.assertNotEqual(done.returncode, 0)
        self.assertFalse(os.path.exists(trace))
        return done.stderr

    def test_a_wrong_name_gets_suggestions(self):
        self.assertIn("sched:sched_switch", self.refusal("-e", "sched:sched_swich"))
        self.assertIn("sched:sched_switch", self.refusal("-e", "sched_switch"))
        self.assertIn("no tracepoint", self.refusal("-e", "nosuchsystem:*"))

    def test_a_wrong_filter_is_an_error(self):
        self.assertIn("nosuch > 2", self.refusal("-e", "sched:sched_switch", "--filter", "nosuch > 2"))
        self.assertIn("before", self.refusal("--filter", "prev_pid > 2", "-e", "sched:sched_switch"))

    @unittest.skipUnless(shutil.which("unshare"), "needs unshare")
    def test_tracefs_need_not_be_mounted(self):
        trace = os.path.join(self.folder, "unmounted.fxt")
        script = f"""umount -l {TRACEFS} && ! test -d {TRACEFS}/events &&
            {RECORDER} -q -d 300ms -e sched:sched_stat_runtime -o {trace} && ! test -d {TRACEFS}/events"""
        done = run("unshare", "--mount", "sh", "-c", script)
        if done.returncode == 32:
            self.skipTest("tracefs cannot be unmounted here")
        # A busy machine may lose some of this many events.
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("sched_stat_runtime", run(FXT, "dump", "--type", "instant", trace).stdout)

    def test_events_that_do_not_fit_are_counted_as_lost(self):
        trace = os.path.join(self.folder, "lost.fxt")
        stats = os.path.join(self.folder, "stats.json")
        # The recorder is stopped while a ring of 128 KiB fills.
        recorder = subprocess.Popen([RECORDER, "-q", "-c", "task", "-b", "4K", "-e", "raw_syscalls:*", "--stats-json", stats,
                                     "-o", trace], preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
        self.addCleanup(recorder.kill)
        # The file has a name early; it has bytes once the recording has begun.
        self.assertTrue(eventually(lambda: os.path.exists(trace) and os.path.getsize(trace) > 0))
        recorder.send_signal(signal.SIGSTOP)
        run("dd", "if=/dev/zero", "of=/dev/null", "bs=1", "count=100000")
        recorder.send_signal(signal.SIGCONT)
        recorder.send_signal(signal.SIGINT)
        self.assertEqual(recorder.wait(DEADLINE_S), 0)
        with open(stats, encoding="utf-8") as text:
            numbers = json.load(text)
        self.assertGreater(sum(cpu.get("tracepoint", 0) for cpu in numbers["dropped"].values()), 100000)
        # Other programs may start faster than the stopped recorder keeps their names: those losses count, too.
        lost = sum(count for cpu in numbers["dropped"].values() for count in cpu.values())
        self.assertEqual(numbers["raw_events"], numbers["records"] + sum(numbers["suppressed"].values()) + lost)
        info = json.loads(run(FXT, "info", "--json", trace).stdout)
        self.assertEqual(sum(each["count"] for each in info["lost"]), lost)

    def test_the_list_matches_tracefs(self):
        listed = list_events("sched:*")
        folder = os.path.join(TRACEFS, "events", "sched")
        self.assertEqual({name.split(":")[1] for name in listed},
                         {name for name in os.listdir(folder) if os.path.isdir(os.path.join(folder, name))})
        with open(os.path.join(folder, "sched_switch", "format"), encoding="ascii") as text:
            fields = re.findall(r"field:.*?(\w+)(?:\[\d*\])?;", text.read())
        self.assertEqual([field for field, _ in listed["sched:sched_switch"]],
                         [field for field in fields if not field.startswith("common_")])


if __name__ == "__main__":
    harness.main()
