#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Holds samples of running threads against programs that measure the CPU time of their functions (root, BTF)."""

import collections
import json
import math
import os
import shutil
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import harness  # noqa: E402
import python_test  # noqa: E402
from harness import BUILD, RECORDER, run  # noqa: E402

FREQUENCY = 999
TIMES = 60
BURNERS = ("burn_six", "burn_ten", "burn_three")
# A sample more or less at each of the slices of a function would be this error; others are of the machine, whose pauses are
# CPU time without samples, and a recorder that is late knows a mapping later.
ATTEMPTS = 6

# Functions of a script burn CPU: called by Python code, by C code and in a method.
SCRIPT = """\
import json, time
own = {}
def rounds(count):
    n = 0
    for i in range(count):
        n += i * i
    return n
def burn(seconds):
    end = time.thread_time() + seconds
    while time.thread_time() < end:
        rounds(1000)
def measured(name, function, *arguments):
    begin = time.thread_time_ns()
    function(*arguments)
    own[name] = own.get(name, 0) + time.thread_time_ns() - begin
def burn_six():
    burn(0.006)
def burn_ten(value):
    burn(0.010)
    return value
class Burner:
    def burn_three(self):
        burn(0.003)
for _ in range(60):
    measured("burn_six", burn_six)
    measured("burn_ten", lambda: sorted([1], key=burn_ten))
    measured("burn_three", Burner().burn_three)
for name, ns in own.items():
    print(name, ns)
"""


def why_not():
    if os.uname().machine not in ("x86_64", "aarch64"):
        return "stacks of this machine are not unwound by tables"
    return harness.why_not_recordable()


@unittest.skipIf(why_not(), why_not())
class Samples(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = harness.class_folder(cls)

    def record(self, name, *command):
        """Returns the trace, and the ns of each function by its own clock."""
        trace = os.path.join(self.folder, name + ".fxt")
        done = run(RECORDER, "-q", "-c", "default,stack:on", "--stack-frequency", str(FREQUENCY), "--only-command",
                   "-o", trace, "--", *command, ok=(0,))
        own = dict(line.split() for line in done.stdout.splitlines())
        return trace, {function: int(ns) for function, ns in own.items()}

    def stacks(self, trace, *options):
        """Frames without those of the kernel, outermost first, and samples."""
        for line in harness.fxt("flame", "--of", "on", "--format", "folded", *options, trace, "-o", "-").splitlines():
            text, count = line.rsplit(" ", 1)
            yield [frame for frame in text.split(";")[2:] if not frame.endswith("_[k]")], int(count)

    def check_shares(self, name, function_of, *command, options=(), checks=()):
        """In one of some recordings the share of each function is that of its own clock, and the other checks pass."""
        for attempt in range(ATTEMPTS):
            trace, own = self.record(f"{name}{attempt}", *command)
            samples = collections.Counter()
            for frames, count in self.stacks(trace, *options):
                for function in {function_of(frame) for frame in frames} & set(BURNERS):
                    samples[function] += count
            expected = {function: sum(samples.values()) * ns / sum(own.values()) for function, ns in own.items()}
            errors = {function: samples[function] / expected[function] - 1 for function in BURNERS}
            print(f"{name}: {dict(samples)} samples, errors", {key: f"{error:+.1%}" for key, error in errors.items()})
            # Three standard deviations of counts.
            limits = {function: max(0.03, 3 / math.sqrt(expected[function])) for function in BURNERS}
            total = sum(own.values()) / 1e9 * FREQUENCY
            problem = f"off by these shares: {errors}, {sum(samples.values())} samples instead of {total}"
            if all(abs(errors[key]) <= limits[key] for key in BURNERS) and abs(sum(samples.values()) / total - 1) <= 0.1:
                try:
                    for check in (self.check_ends, *checks):
                        check(trace)
                    return
                except AssertionError as error:
                    problem = error
        self.fail(problem)

    def check_ends(self, trace):
        ends = collections.Counter(end for (end,) in harness.query(
            trace, "SELECT json_extract(args, '$.end') FROM instants WHERE category = 'stack' AND name = 'on'"))
        self.assertGreater(ends["entry"], 500)
        self.assertGreaterEqual(ends["entry"], 0.98 * sum(ends.values()), ends)

    def check_chains(self, trace):
        """Each sample in one of the short functions has all its callers, at whatever instruction it was taken."""
        chains = collections.Counter()
        for frames, count in self.stacks(trace):
            if "rounds" not in frames or not set(frames) & set(BURNERS):
                continue
            at = frames.index("rounds")
            callers, callees = frames[:at], tuple(frames[at + 1:])
            is_whole = callers[0] == "_start" and "main" in callers and callers[-1] in BURNERS
            chains[is_whole and callees in ((), ("step",), ("step", "leaf"))] += count
        self.assertGreater(chains[True], 500)
        self.assertLessEqual(chains[False], 0.005 * chains.total(), chains)

    def test_functions_without_frame_pointers(self):
        self.check_shares("dynamic", str, os.path.join(BUILD, "tests", "burners"), str(TIMES), checks=(self.check_chains,))

    def test_a_static_program(self):
        self.check_shares("static", str, os.path.join(BUILD, "tests", "burners_static"), str(TIMES), checks=(self.check_chains,))

    def test_exceptions(self):
        self.check_shares("throwing", str, os.path.join(BUILD, "tests", "burners"), str(TIMES), "throw")

    def test_a_stripped_program(self):
        """The frames of a program without symbols are there, and its debug file names them."""
        if not shutil.which("objcopy"):
            self.skipTest("no objcopy")
        program = os.path.join(BUILD, "tests", "burners")
        stripped = os.path.join(self.folder, "burners")
        note = run("readelf", "-n", program, ok=(0,)).stdout
        build_id = note.split("Build ID: ")[1].split()[0]
        debug = os.path.join(self.folder, "debug", ".build-id", build_id[:2])
        os.makedirs(debug)
        subprocess.run(["objcopy", "--only-keep-debug", program, os.path.join(debug, build_id[2:] + ".debug")], check=True)
        subprocess.run(["strip", "-o", stripped, program], check=True)
        options = ("--debug-dir", os.path.join(self.folder, "debug"))
        self.check_shares("stripped", str, stripped, str(TIMES), options=options)

    def test_functions_of_python(self):
        script = os.path.join(self.folder, "burners.py")
        with open(script, "w", encoding="utf-8") as file:
            file.write(SCRIPT)
        for version, python in python_test.interpreters().items():
            with self.subTest(version=version):
                self.check_shares(f"python{version}", lambda frame: frame.split(" ")[0].rsplit(".", 1)[-1], python, script,
                                  options=("--lines",), checks=(self.check_python_chains,))

    def check_python_chains(self, trace):
        """A sample in the script's innermost function has its callers, with their lines."""
        lines = {"rounds": {4, 5, 6, 7}, "burn": {11}, "burn_six": {17}, "burn_ten": {19}, "burn_three": {23}}
        right = collections.Counter()
        for frames, count in self.stacks(trace, "--lines"):
            own = [frame for frame in frames if "(burners.py:" in frame]
            if not own or own[-1].split(" ")[0] != "rounds":
                continue
            names = [frame.split(" ")[0].rsplit(".", 1)[-1] for frame in own]
            places = [int(frame.rsplit(":", 1)[1].rstrip(")")) for frame in own]
            is_right = (names[0] == "<module>" and names[-2] == "burn" and names[-3] in BURNERS and
                        all(place in lines[name] for name, place in zip(names[-3:], places[-3:])))
            right[is_right] += count
        self.assertGreater(right[True], 300)
        self.assertLessEqual(right[False], 0.01 * right.total(), right)

    def test_samples_of_other_parts(self):
        """All parts together, at the same time."""
        trace = os.path.join(self.folder, "all.fxt")
        run(RECORDER, "-q", "-c", "default,stack", "--stack-frequency", str(FREQUENCY), "--stack-min", "1us", "-o", trace, "--",
            os.path.join(BUILD, "tests", "burners"), "20", ok=(0,))
        kinds = {kind for (kind,) in harness.query(trace, "SELECT DISTINCT name FROM instants WHERE category = 'stack'")}
        self.assertLessEqual({"off", "wake", "on"}, kinds)
        self.assertEqual(run(harness.FXT, "check", trace).returncode, 0)
        frames = [json.loads(line)["frames"] for line in
                  run(harness.FXT, "dump", "--json", "--type", "backtrace", trace, ok=(0,)).stdout.splitlines()]
        self.assertEqual(len(frames), len({tuple(stack) for stack in frames}))


@unittest.skipIf(why_not(), why_not())
class HostileStacks(unittest.TestCase):
    """A program that changes its stacks and what looks like an interpreter while both are read."""

    def test_others_have_all_their_stacks(self):
        program = os.path.join(BUILD, "tests", "hostile_stacks")
        trace = os.path.join(harness.class_folder(type(self)), "hostile.fxt")
        done = run(RECORDER, "-c", "default,stack", "--stack-frequency", str(FREQUENCY), "--only-command", "-o", trace, "--",
                   "sh", "-c", f"{program} 8 & {program} 6 bystander; wait $!", ok=(0,))
        self.assertEqual(run(harness.FXT, "check", trace).returncode, 0)
        ends = collections.defaultdict(collections.Counter)
        for process, kind, end, count in harness.query(
                trace, "SELECT pid, name, json_extract(args, '$.end'), count(*) FROM instants WHERE category = 'stack' "
                       "AND name IN ('off', 'on') AND process = 'hostile_stacks' GROUP BY 1, 2, 3"):
            ends[process][kind, end] += count
        (_, hostile), (tid, bystander) = sorted(ends.items(), key=lambda process: -process[1].total())
        self.assertGreater(hostile["off", "unmapped"], 20, hostile)
        self.assertGreater(hostile["on", "unmapped"], 20, hostile)
        # A thread that loses its CPU before a sleep until that is no longer needed does not sleep.
        [[sleeps]] = harness.query(trace, f"SELECT count(*) FROM waits WHERE kind = 'sleep' AND ended = 'seen' AND tid = {tid}")
        self.assertGreater(sleeps, int(done.stdout.split()[1]) / 2)
        # At the start its table may not be there yet.
        known = {end: count for (kind, end), count in bystander.items() if kind == "off" and end != "new"}
        self.assertGreaterEqual(known["entry"], 0.95 * sleeps - 2 - bystander["off", "new"], bystander)
        self.assertGreaterEqual(known["entry"], 0.98 * sum(known.values()), bystander)
        # Frames of its interpreter were followed.
        frames = harness.query(trace, "SELECT count(*) FROM frames WHERE (address >> 62) & 3 = 1")
        self.assertGreater(frames[0][0], 100)


if __name__ == "__main__":
    harness.main()
