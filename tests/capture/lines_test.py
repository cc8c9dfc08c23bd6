#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Holds lines and inlined functions of stacks against the text of a program (root, BTF, a C compiler)."""

import os
import shutil
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
import harness  # noqa: E402
from harness import RECORDER, run  # noqa: E402

TEXT = """#include <unistd.h>
static inline __attribute__((always_inline)) void nap(unsigned us) {
  usleep(us);  /* sleeps */
  __asm__ volatile("" : : : "memory");
}
static inline __attribute__((always_inline)) void twice(void) {
  nap(1000);   /* once */
  nap(1500);   /* again */
}
__attribute__((noinline)) void commit(void) {
  twice();     /* commits */
}
int main(void) {
  for (int i = 0; i < 20; ++i) {
    commit();  /* calls */
    __asm__ volatile("" : : : "memory");
  }
}
"""


def why_not():
    if os.uname().machine != "x86_64":
        return "stacks are unwound by tables on x86-64 alone"
    for program in ("cc", "objcopy", "strip"):
        if not shutil.which(program):
            return f"no {program}"
    return harness.why_not_recordable()


def line_of(mark):
    return next(number for number, line in enumerate(TEXT.splitlines(), 1) if f"/* {mark} */" in line)


@unittest.skipIf(why_not(), why_not())
class Lines(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = harness.class_folder(cls)
        cls.program = os.path.join(cls.folder, "lines")
        source = os.path.join(cls.folder, "lines.c")
        with open(source, "w", encoding="utf-8") as file:
            file.write(TEXT)
        subprocess.run(["cc", "-O2", "-g", "-Wl,--build-id", "-o", cls.program, source], check=True)
        cls.whole = cls.program + ".whole"
        shutil.copy(cls.program, cls.whole)
        cls.trace = os.path.join(cls.folder, "lines.fxt")
        run(RECORDER, "-q", "-c", "default,stack:off", "--only-command", "-o", cls.trace, "--", cls.program, ok=(0,))

    def setUp(self):
        shutil.copy(self.whole, self.program)

    def folded(self, *options):
        return harness.fxt("flame", "--format", "folded", *options, self.trace, "-o", "-")

    def check(self, *options):
        text = self.folded("--lines", *options)
        for mark in ("once", "again"):
            frames = [f"main (lines.c:{line_of('calls')})", f"commit (lines.c:{line_of('commits')})",
                      f"twice (lines.c:{line_of(mark)})", f"nap (lines.c:{line_of('sleeps')})"]
            self.assertIn(";".join(frames), text)

    def strip(self):
        """Returns the debug information."""
        debug = self.program + ".debug"
        subprocess.run(["objcopy", "--only-keep-debug", self.whole, debug], check=True)
        subprocess.run(["strip", self.program], check=True)
        return debug

    def test_of_the_program(self):
        self.check()

    def test_functions_alone_without_the_option(self):
        text = self.folded()
        self.assertIn("main;commit;", text)
        self.assertNotIn("lines.c", text)

    def test_of_a_debug_file_by_its_link(self):
        debug = self.strip()
        subprocess.run(["objcopy", f"--add-gnu-debuglink={debug}", self.program], check=True)
        self.check()

    def test_of_a_debug_file_by_its_build_id(self):
        debug = self.strip()
        notes = subprocess.run(["readelf", "-n", self.whole], check=True, text=True, stdout=subprocess.PIPE).stdout
        build_id = next(line.split()[-1] for line in notes.splitlines() if "Build ID" in line)
        folder = os.path.join(self.folder, "debug")
        place = os.path.join(folder, ".build-id", build_id[:2])
        os.makedirs(place, exist_ok=True)
        os.replace(debug, os.path.join(place, build_id[2:] + ".debug"))
        self.check("--debug-dir", folder)

    def test_without_debug_information(self):
        os.unlink(self.strip())
        self.assertNotIn("lines.c", self.folded("--lines"))

    def test_selected_stacks(self):
        """Sums of what is selected are those of the sleeps in the trace."""
        def total(*options):
            return sum(int(line.rsplit(" ", 1)[1]) for line in self.folded(*options).splitlines())

        sleeps = [(ts, away) for ts, away in harness.query(
            self.trace, "SELECT ts, json_extract(args, '$.away') FROM instants WHERE category = 'stack' AND name = 'off'")]
        times = sorted(ts for ts, _ in sleeps)
        middle = times[len(times) // 2]
        for options, expected in (
                ((), sum(away for _, away in sleeps)),
                (("--process", "lines", "--thread", "l*"), sum(away for _, away in sleeps)),
                (("--process", "other"), 0),
                (("--min", "1300us"), sum(away for _, away in sleeps if away >= 1300000)),
                (("--from", f"@{middle}"), sum(away for ts, away in sleeps if ts >= middle)),
                (("--to", f"@{middle}"), sum(away for ts, away in sleeps if ts <= middle))):
            # Each stack is rounded to microseconds.
            self.assertAlmostEqual(total(*options), expected / 1000, delta=20, msg=options)

    def test_damaged_debug_information(self):
        """Each damage gives names or none, and no crash."""
        with open(self.whole, "rb") as file:
            whole = file.read()
        for position in range(0, len(whole), max(1, len(whole) // 20)):
            with open(self.program, "wb") as file:
                file.write(whole[:position] + b"\xff" * 40 + whole[position + 40:])
            harness.fxt("flame", "--lines", "--format", "folded", self.trace, "-o", "-")


if __name__ == "__main__":
    harness.main()
