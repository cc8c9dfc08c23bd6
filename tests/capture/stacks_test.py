#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Holds recorded stacks against a program with known call chains, which measures its own waits (root, BTF)."""

import collections
import itertools
import json
import os
import pathlib
import shutil
import struct
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
import harness  # noqa: E402
from harness import BUILD, FXT, RECORDER, run  # noqa: E402

PROGRAM = os.path.join(BUILD, "tests", "call_chains")
TIMES = 30
FREQUENCY = 499
# The function of each wait and its caller.
CALLERS = {
    "nap_for_commit": "commit",
    "nap_for_retry": "retry",
    "nap_for_throttle": "throttle",
    "mycrate::nap": "main",
    "mycrate::old_nap": "main",
    "wait_for_lock": "acquire",
    "wait_in_read": "receive",
    "read_from_disk": "load_table",
    "nap_in_compiled_code": "compiled script:12",
}
# Something else may run between the end of a sleep and the program's reading of the clock, and one sleep in a thousand has
# no stack. Such a difference does not repeat for the same function each time.
ATTEMPTS = 5


def why_not():
    if os.uname().machine != "x86_64":
        return "the program makes its system calls inline on x86-64 alone"
    return harness.why_not_recordable()


class Recorded:
    """One recording of the program, with the times that the program measured."""

    def __init__(self, folder, name, *options, program=PROGRAM, times=TIMES):
        self.trace = os.path.join(folder, name + ".fxt")
        self.program = os.path.basename(program)
        done = run(RECORDER, "-q", "-c", "default,stack", "--stack-frequency", str(FREQUENCY),
                   "--only-command", "-o", self.trace, *options, "--", program, str(times), "600", ok=(0,))
        lines = dict(line.rsplit(" ", 1) for line in done.stdout.splitlines())
        self.compiled = f"/tmp/perf-{lines['pid']}.map"
        unittest.addModuleCleanup(pathlib.Path(f"/tmp/perf-{lines['pid']}.map").unlink, missing_ok=True)
        self.truth = {chain: int(ns) for chain, ns in lines.items() if chain != "pid"}

    def folded(self, kind, *options):
        stacks = []
        for line in harness.fxt("flame", "--of", kind, "--format", "folded", *options, self.trace, "-o", "-").splitlines():
            text, count = line.rsplit(" ", 1)
            stacks.append((text.split(";"), int(count)))
        return stacks

    def off(self):
        """Returns the microseconds of sleep by function, and by function and caller."""
        functions = collections.Counter()
        callers = collections.defaultdict(collections.Counter)
        for frames, count in self.folded("off"):
            user = [frame for frame in frames[2:] if not frame.endswith("_[k]")]
            if frames[0] == "call_chains" and user and user[-1] in CALLERS:
                functions[user[-1]] += count
                callers[user[-1]][user[-2]] += count
        return functions, callers


@unittest.skipIf(why_not(), why_not())
class Stacks(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = harness.class_folder(cls)
        cls.recorded = Recorded(cls.folder, "all")

    def test_off_cpu_time_matches_the_program(self):
        left = [chain for chain in CALLERS if chain in self.recorded.truth]
        for attempt in range(ATTEMPTS):
            recorded = self.recorded if attempt == 0 else Recorded(self.folder, f"again{attempt}")
            functions, _ = recorded.off()
            errors = {chain: functions[chain] * 1000 / recorded.truth[chain] - 1 for chain in left}
            left = [chain for chain, error in errors.items() if abs(error) > 0.03]
            if not left:
                return
        self.fail(f"off by these shares: {errors}")

    def test_chains_have_their_callers(self):
        _, callers = self.recorded.off()
        for function, caller in CALLERS.items():
            if function not in self.recorded.truth:
                continue  # the file system has no O_DIRECT
            with self.subTest(function):
                self.assertEqual(set(callers[function]), {caller})

    def test_a_program_after_exec_has_symbols(self):
        trace = os.path.join(self.folder, "executed.fxt")
        # The shell sleeps first, so the recorder knows its mappings under the same process id.
        script = f"sleep 0.01; read -t 0.05 nothing < <(sleep 1); exec {PROGRAM} 2 5"
        done = run(RECORDER, "-q", "-c", "default,stack:off", "-o", trace, "--", "bash", "-c", script)
        self.assertEqual(done.returncode, 0, done.stderr)
        pid = dict(line.rsplit(" ", 1) for line in done.stdout.splitlines())["pid"]
        self.addCleanup(pathlib.Path(f"/tmp/perf-{pid}.map").unlink, missing_ok=True)
        folded = run(FXT, "flame", "--format", "folded", trace, "-o", "-").stdout
        self.assertRegex(folded, r"(?m)^call_chains;.*;main;commit;nap_for_commit")
        self.assertNotRegex(folded, r"(?m)^call_chains;.*;\[unknown\];.*nap_for_commit")

    def test_waker_stacks_name_the_lock_holder(self):
        holders = collections.Counter()
        for frames, count in self.recorded.folded("wake"):
            if "wait_for_lock" in frames and "--" in frames:
                waker = frames[frames.index("--"):]
                for function, thread in (("release_after_checkpoint", "checkpointer"), ("release_after_vacuum", "vacuum")):
                    if function in waker:
                        self.assertEqual(waker[-1], thread)
                        holders[function] += count
        for function, waits in (("release_after_checkpoint", self.recorded.truth["waits for checkpointer"]),
                                ("release_after_vacuum", self.recorded.truth["waits for vacuum"])):
            self.assertGreater(waits, 0)
            self.assertLessEqual(holders[function], waits)
            # One sleep in a thousand has no stack.
            self.assertGreaterEqual(holders[function], waits - 1)

    def test_sample_count_matches_the_frequency(self):
        for attempt in range(ATTEMPTS):
            recorded = self.recorded if attempt == 0 else Recorded(self.folder, f"sampled{attempt}")
            samples = sum(count for frames, count in recorded.folded("on")
                          if frames[0] == "call_chains" and "compute" in frames)
            expected = recorded.truth["compute"] / 1e9 * FREQUENCY
            self.assertLess(samples, 1.2 * expected)
            # A pause of the machine is CPU time of its thread, and has no samples.
            if samples > 0.8 * expected:
                return
        self.fail(f"{samples} samples instead of {expected:.0f}")

    def test_the_file_is_valid_and_has_each_stack_once(self):
        checked = run(FXT, "check", self.recorded.trace)
        self.assertEqual(checked.returncode, 0, checked.stdout)
        dump = run(FXT, "dump", "--json", "--type", "backtrace", self.recorded.trace).stdout.splitlines()
        stacks = [json.dumps(json.loads(line)["frames"]) for line in dump]
        self.assertGreater(len(stacks), 10)
        self.assertEqual(len(stacks), len(set(stacks)))

    def test_a_trimmed_file_has_its_stacks(self):
        part = os.path.join(self.folder, "part.fxt")
        trimmed = run(FXT, "trim", "--from", "700ms", self.recorded.trace, "-o", part)
        self.assertEqual(trimmed.returncode, 0, trimmed.stderr)
        checked = run(FXT, "check", part)
        self.assertEqual(checked.returncode, 0, checked.stdout)
        self.assertIn("nap_for_throttle", run(FXT, "flame", "--format", "folded", part, "-o", "-").stdout)

    def test_the_trace_event_format_names_frames(self):
        written = run(FXT, "json", self.recorded.trace, "-o", "-")
        trace = json.loads(written.stdout)
        frames = trace["stackFrames"]
        chains = set()
        for event in trace["traceEvents"]:
            names, frame = [], event.get("sf")
            while frame is not None:
                names.append(frames[frame]["name"])
                frame = frames[frame].get("parent")
            chains.add(tuple(name for name in names if not name.endswith("_[k]"))[:2])
        for function, caller in CALLERS.items():
            if function in self.recorded.truth:
                self.assertIn((function, caller), chains)

    def test_short_sleeps_are_left_out(self):
        recorded = Recorded(self.folder, "long", "--stack-min", "9ms")
        self.assertIn("nap_for_throttle", recorded.off()[0])
        # A busy machine can make a short sleep long, so the recorded lengths are what counts.
        lengths = harness.query(recorded.trace, "SELECT json_extract(args, '$.away') FROM instants "
                                        "WHERE category = 'stack' AND name = 'off'")
        self.assertGreater(len(lengths), 0)
        for (away,) in lengths:
            self.assertGreaterEqual(int(away), 9_000_000)

    def test_symbols_are_in_the_file(self):
        program = os.path.join(self.folder, "short_lived")
        shutil.copy(PROGRAM, program)
        recorded = Recorded(self.folder, "named", "--symbols", program=program, times=16)
        here = {kind: recorded.folded(kind) for kind in ("off", "wake", "on")}
        self.assertIn("nap_for_commit", {frame for frames, _ in here["off"] for frame in frames})
        # Another machine has neither the programs and libraries, nor the kernel's symbols, nor the map of compiled code.
        os.remove(program)
        os.remove(recorded.compiled)
        empty = os.path.join(self.folder, "empty")
        pathlib.Path(empty).write_text("0000000000000000 T _text\nffffffff81000000 T _stext\n")
        for kind, stacks in here.items():
            away = recorded.folded(kind, "--no-symbols")
            self.assertEqual(away, stacks, kind)
            self.assertEqual(recorded.folded(kind, "--root", empty, "--kallsyms", empty), stacks, kind)
        checked = run(FXT, "check", recorded.trace)
        self.assertEqual(checked.returncode, 0, checked.stdout)
        shown = run(FXT, "dump", "--json", "--type", "event", recorded.trace).stdout
        for function, caller in CALLERS.items():
            if function in recorded.truth:
                self.assertIn(f"{function} <- {caller}", shown)
        part = os.path.join(self.folder, "named_part.fxt")
        self.assertEqual(run(FXT, "trim", "--from", "700ms", recorded.trace, "-o", part).returncode, 0)
        self.assertEqual(run(FXT, "check", part).returncode, 0)
        folded = run(FXT, "flame", "--no-symbols", "--format", "folded", part, "-o", "-").stdout
        self.assertIn("throttle;nap_for_throttle", folded)

    def test_symbols_need_stacks_and_a_file(self):
        for options, problem in ((["--symbols"], "--symbols needs category stack"),
                                 (["-c", "default,stack", "--symbols", "-o", "-"], "is not a regular file"),
                                 (["-c", "default,stack", "--symbols", "--oneshot", "1M"], "does not go with")):
            done = run("sh", "-c", '"$0" "$@" | cat >/dev/null; exit 0', RECORDER, *options, "--", "true")
            self.assertIn(problem, done.stderr)

    def test_pages_and_profiles(self):
        page = run(FXT, "flame", self.recorded.trace, "--base", self.recorded.trace, "-o", "-").stdout
        self.assertIn("nap_for_commit", page)
        # The name of SVG's namespace is not an address that is requested.
        self.assertNotIn("http://", page.replace("http://www.w3.org/2000/svg", ""))
        profile = json.loads(run(FXT, "flame", "--format", "speedscope", self.recorded.trace, "-o", "-").stdout)
        self.assertEqual(profile["$schema"], "https://www.speedscope.app/file-format-schema.json")
        samples, weights = profile["profiles"][0]["samples"], profile["profiles"][0]["weights"]
        self.assertEqual(len(samples), len(weights))
        self.assertEqual(sum(weights), profile["profiles"][0]["endValue"])
        both = run(FXT, "flame", "--format", "folded", self.recorded.trace, "--base", self.recorded.trace, "-o", "-")
        for line in both.stdout.splitlines():
            _, old, new = line.rsplit(" ", 2)
            self.assertEqual(old, new)


# Waits for three kinds of files in the same line of code, and prints the time for each, ns. A real-time priority lets it
# read its clock as soon as a wait ends.
READS_IN_TURN = """
import os, socket, threading, time
os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(2))
pipe, events, sockets = os.pipe(), os.eventfd(0), socket.socketpair()
write = [lambda: os.write(pipe[1], bytes(8)), lambda: os.eventfd_write(events, 1), lambda: sockets[1].send(bytes(8))]
read = [pipe[0], events, sockets[0].fileno()]
asleep = threading.Semaphore(0)
def answer():
    for turn in range(90):
        asleep.acquire()
        time.sleep(0.002 + 0.003 * (turn % 3))
        write[turn % 3]()
threading.Thread(target=answer).start()
waited = [0, 0, 0]
for turn in range(90):
    asleep.release()
    begin = time.monotonic_ns()
    os.read(read[turn % 3], 8)
    waited[turn % 3] += time.monotonic_ns() - begin
print(*waited)
"""


@unittest.skipIf(why_not(), why_not())
class StacksInTurn(unittest.TestCase):
    """A sleep has its own stack, not that of the sleep before it."""

    def test_each_stack_has_its_own_time(self):
        left = ["pipe_read", "eventfd_read", "unix_stream"]
        for _ in range(ATTEMPTS):
            with tempfile.TemporaryDirectory() as folder:
                trace = os.path.join(folder, "turn.fxt")
                done = run(RECORDER, "-q", "-c", "default,stack:off", "--stack-min", "1ns",
                           "--only-command", "-o", trace, "--", sys.executable, "-c", READS_IN_TURN)
                self.assertEqual(done.returncode, 0, done.stderr)
                waited = [int(word) for word in done.stdout.split()]
                folded = run(FXT, "flame", "--of", "off", "--format", "folded", trace, "-o", "-").stdout.splitlines()
            shares = {}
            for kind, truth in zip(["pipe_read", "eventfd_read", "unix_stream"], waited):
                found = sum(int(line.rsplit(" ", 1)[1]) for line in folded if kind in line)
                shares[kind] = found * 1000 / truth - 1
            left = [kind for kind in left if abs(shares[kind]) > 0.1]
            if not left:
                return
        self.fail(f"off by these shares: {shares}")


def mmap2_flags(path):
    """The `misc` of each MMAP2 record of a perf.data file (perf.data-file-format.txt of the kernel)."""
    with open(path, "rb") as file:
        data = file.read()
    at, size = struct.unpack_from("<QQ", data, 40)
    end, flags = at + size, []
    while at + 8 <= end:
        kind, misc, size = struct.unpack_from("<IHH", data, at)
        if size < 8:
            break
        if kind == 10:
            flags.append(misc)
        at += size
    return flags


@unittest.skipIf(why_not() or not shutil.which("perf"), why_not() or "needs perf")
class BesidePerf(unittest.TestCase):
    def test_records_of_perf_stay_as_they_are(self):
        """The kernel marks mappings as if they had a build id while another program requests build ids, and perf then crashes."""
        with tempfile.TemporaryDirectory() as folder:
            data = os.path.join(folder, "perf.data")
            done = run(RECORDER, "-q", "-c", "default,stack", "-o", os.path.join(folder, "beside.fxt"), "--",
                       "perf", "record", "-q", "-B", "-e", "cpu-clock", "-o", data, "--", "sleep", "0.1")
            if not os.path.exists(data):
                self.skipTest("perf cannot record: " + done.stderr)
            flags = mmap2_flags(data)
            self.assertTrue(flags)
            self.assertFalse([misc for misc in flags if misc & 1 << 14], flags)


@unittest.skipIf(why_not() or not shutil.which("perf"), why_not() or "needs perf")
class OddStacks(unittest.TestCase):
    """Stacks that no compiler makes are unwound as far as perf unwinds them."""

    PROGRAM = os.path.join(BUILD, "tests", "odd_stacks")

    @staticmethod
    def of_perf(folder):
        data = os.path.join(folder, "perf.data")
        done = run("perf", "record", "-q", "-B", "-e", "sched:sched_switch", "--call-graph", "fp", "--user-callchains", "-o", data,
                   OddStacks.PROGRAM)
        if done.returncode != 0:
            raise unittest.SkipTest("perf cannot record switches: " + done.stderr)
        script = run("perf", "script", "-i", data, "--max-stack", "200", "-F", "comm,ip", "--comms", "odd_stacks")
        blocks = script.stdout.split("\n\n")
        stacks = [[int(line, 16) for line in block.splitlines()[1:] if line.strip()] for block in blocks]
        # A kernel address ends the walk: no code of a process is there.
        return {tuple(itertools.takewhile(lambda frame: frame < 1 << 63, stack)) for stack in stacks}

    def of_ours(self, folder, *words):
        trace = os.path.join(folder, "odd.fxt")
        done = run(RECORDER, "-q", "-c", "sched,stack:off", "--stack-min", "1ns", "--only-command", "-o",
                   trace, "--", self.PROGRAM, *words)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(run(FXT, "check", trace).returncode, 0)
        stacks = [[int(frame, 16) for frame in json.loads(line)["frames"]] for line in
                  run(FXT, "dump", "--json", "--type", "backtrace", trace).stdout.splitlines()]
        return trace, {tuple(frame for frame in stack if frame < 1 << 63) for stack in stacks}

    @staticmethod
    def made_of(stack):
        """The frames of a stack that are addresses of the generated code."""
        return tuple(frame for frame in stack[1:] if 0x100000 < frame < 0x110000)

    @classmethod
    def made(cls, stacks):
        return {cls.made_of(stack) for stack in stacks} - {()}

    def test_unwinding_matches_perf(self):
        """Code without tables is unwound by frame pointer, as the kernel does for perf."""
        ours, theirs, lengths = set(), set(), []
        with tempfile.TemporaryDirectory() as folder:
            # The program sleeps once on each stack. A thread that is preempted before a sleep until the sleep is no longer
            # needed has none there, so the recordings are added up.
            for _ in range(2 * ATTEMPTS):
                theirs |= self.of_perf(folder)
                ours |= self.of_ours(folder)[1]
                # Stacks of the shorter recursion, and the longest ones.
                lengths = [[max((len(stack) for stack in stacks if least <= len(stack) < most and not self.made_of(stack)),
                                default=0) for least, most in ((21, 127), (127, 128))] for stacks in (ours, theirs)]
                if self.made(ours) == self.made(theirs) and all(map(all, lengths)):
                    break
        self.assertEqual(self.made(ours), self.made(theirs))
        self.assertGreater(len(self.made(ours)), 30)
        self.assertTrue(all(map(all, lengths)), lengths)
        # Tables find the callers of main(), too.
        self.assertGreaterEqual(lengths[0][0], lengths[1][0])
        for stacks in (ours, theirs):
            self.assertEqual(max(map(len, stacks)), 127)

    def test_an_address_that_is_not_code_ends_a_stack(self):
        with tempfile.TemporaryDirectory() as folder:
            # A busy machine may need more time until the recorder knows the program's mappings.
            for milliseconds in (300, 3_000, 30_000):
                trace, stacks = self.of_ours(folder, "unmapped", str(milliseconds))
                ends = harness.query(trace, "SELECT DISTINCT json_extract(args, '$.stack'), json_extract(args, '$.end') "
                                            "FROM instants WHERE category = 'stack' AND name = 'off'")
                found = collections.Counter(end for _, end in ends)
                if found["unmapped"] and len(self.made(stacks)) <= found["new"]:
                    break
        self.assertGreater(found["unmapped"], 0)
        # These are unwound by frame pointer.
        self.assertLessEqual(len(self.made(stacks)), found["new"])


if __name__ == "__main__":
    harness.main()
