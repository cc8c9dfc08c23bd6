#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Holds recorded frames of Python against a program with its own clock and its own view of its frames (root, BTF).

FXT_PYTHONS names more interpreters than those in PATH, with ":" between them."""

import collections
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
import harness  # noqa: E402
from harness import RECORDER, run  # noqa: E402

VERSIONS = range(9, 14)
# Other programs do not disturb a wait each time.
ATTEMPTS = 5

# Three functions sleep: one is called by other Python code, one by C code (sorted), one in a thread by ctypes. Another
# thread looks at the frames of the first one while that sleeps. Functions with the same place in memory follow each other.
PROGRAM = """\
import ctypes, json, sys, threading, time
libc = ctypes.CDLL(None)
own = dict.fromkeys(("three", "five", "one_and_half"), 0.0)
seen = []

def three():
    begin = time.monotonic()
    time.sleep(0.003)
    own["three"] += time.monotonic() - begin

def five(value):
    begin = time.monotonic()
    time.sleep(0.005)
    own["five"] += time.monotonic() - begin
    return value

def one_and_half():
    begin = time.monotonic()
    libc.usleep(1500)
    own["one_and_half"] += time.monotonic() - begin

class Worker:
    def run(self):
        for _ in range(100):
            one_and_half()

def linger(value):
    while not seen:
        time.sleep(0.4)
    return value

def look(thread):
    time.sleep(0.2)
    frames, frame = [], sys._current_frames()[thread]
    while frame:
        code = frame.f_code
        frames.append([getattr(code, "co_qualname", code.co_name), code.co_filename, frame.f_lineno])
        frame = frame.f_back
    seen.extend(frames)

class Server:
    def serve(self):
        return [sorted([1], key=lambda value: linger(
            value))
            for _ in range(1)]

def main():
    worker = threading.Thread(target=Worker().run)
    worker.start()
    for _ in range(50):
        three()
        three()
        sorted([2, 1], key=five)
    worker.join()
    looker = threading.Thread(target=look, args=[threading.get_ident()])
    looker.start()
    Server().serve()
    looker.join()
    for number in range(8):
        text = f"import time\\ndef f{number}():\\n  time.sleep(0.002)\\nf{number}()"
        exec(compile(text, f"<made {number}>", "exec"), {})

main()
print(json.dumps({"own": own, "seen": seen}))
"""


def interpreters():
    """Returns the known interpreters of this machine: path by version."""
    found = {}
    named = [path for path in os.environ.get("FXT_PYTHONS", "").split(":") if path]
    for path in named + ["/usr/bin/python3"] + [shutil.which(f"python3.{minor}") for minor in VERSIONS]:
        if not path or not os.path.exists(path):
            continue
        version = subprocess.run([path, "-c", "import sys; print('%d.%d' % sys.version_info[:2])"],
                                 capture_output=True, text=True, check=False).stdout.strip()
        if version in {f"3.{minor}" for minor in VERSIONS}:
            found.setdefault(version, path)
    return found


def why_not():
    if os.uname().machine != "x86_64":
        return "frames of Python are recorded on x86-64 alone"
    return harness.why_not_recordable() or ("" if interpreters() else "no Python 3.9 to 3.13")


@unittest.skipIf(why_not(), why_not())
class Python(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.folder)
        self.script = os.path.join(self.folder, "sleepers.py")
        with open(self.script, "w", encoding="utf-8") as file:
            file.write(PROGRAM)

    def record(self, python):
        self.trace = os.path.join(self.folder, "trace.fxt")
        done = run(RECORDER, "-q", "-c", "default,stack:off,wake", "--only-command", "-o", self.trace, "--",
                   python, self.script, ok=(0,))
        return json.loads(done.stdout)

    def stacks(self):
        """Returns the frames of each stack, outermost first, and its microseconds."""
        stacks = []
        for line in harness.fxt("flame", "--lines", "--format", "folded", self.trace, "-o", "-").splitlines():
            text, count = line.rsplit(" ", 1)
            stacks.append((text.split(";"), int(count)))
        return stacks

    def times(self):
        """Returns the microseconds off the CPU by the innermost function of the script."""
        times = collections.Counter()
        for frames, count in self.stacks():
            own = [frame for frame in frames if frame.endswith(")") and "(sleepers.py:" in frame]
            if own:
                times[own[-1].split(" ")[0]] += count
        return times

    def test_each_function_sleeps_as_long_as_by_its_own_clock(self):
        for version, python in interpreters().items():
            left = {"three", "five", "one_and_half"}
            for _ in range(ATTEMPTS):
                own = self.record(python)["own"]
                times = self.times()
                errors = {name: times[name] / (seconds * 1e6) - 1 for name, seconds in own.items()}
                print(f"Python {version}: error of each function", {name: f"{x:+.2%}" for name, x in errors.items()})
                left -= {name for name, error in errors.items() if abs(error) < 0.03}
                if not left:
                    break
            with self.subTest(version=version):
                self.assertEqual(left, set(), errors)

    def test_frames_are_those_that_the_interpreter_has(self):
        for version, python in interpreters().items():
            with self.subTest(version=version):
                # One sleep in a thousand has no stack.
                for _ in range(ATTEMPTS):
                    seen = self.record(python)["seen"]
                    stacks = [stack for stack in self.stacks() if any("linger " in frame for frame in stack[0])]
                    if stacks:
                        break
                expected = [f"{name} ({os.path.basename(file)}:{line})" for name, file, line in reversed(seen)]
                longest = max(stacks, key=lambda stack: stack[1])
                got = [frame for frame in longest[0] if re.search(r"\(sleepers\.py:\d+\)$", frame)]
                # Frames of a flame graph have no ";" and no other signs than these.
                self.assertEqual(got, expected)
                # sorted() is between the function that it calls and its caller.
                index = longest[0].index(got[-2])
                self.assertFalse(longest[0][index - 1].endswith(".py"), longest[0])
                self.assertNotIn("sleepers.py", longest[0][index - 1])

    def test_a_function_at_the_place_of_another_has_its_own_name(self):
        for version, python in interpreters().items():
            with self.subTest(version=version):
                # Each of them sleeps once, unless it is preempted before until the time is over, and one sleep in a thousand
                # has no stack.
                names = collections.Counter()
                for _ in range(ATTEMPTS):
                    self.record(python)
                    found = collections.Counter()
                    for frames, count in self.stacks():
                        for frame in frames:
                            if match := re.fullmatch(r"f(\d) \(<made (\d)>:3\)", frame):
                                self.assertEqual(match[1], match[2])
                                found[match[1]] += count
                    names |= found
                    if len(names) == 8 and min(names.values()) > 1900:
                        break
                self.assertEqual(sorted(names), [str(number) for number in range(8)])
                for number, count in names.items():
                    self.assertGreater(count, 1900, number)

    def test_tables_have_functions_files_and_lines(self):
        version, python = next(iter(interpreters().items()))
        with self.subTest(version=version):
            self.record(python)
            rows = harness.query(self.trace, "SELECT DISTINCT function, module, line FROM frames WHERE function = 'three'")
            self.assertEqual(rows, [["three", self.script, 8]])
            rows = harness.query(self.trace, "SELECT name, module FROM symbols WHERE name = 'three'")
            self.assertEqual(rows, [["three", self.script]])
            self.assertEqual(harness.fxt("check", self.trace).count("error:"), 0)


if __name__ == "__main__":
    harness.main()
