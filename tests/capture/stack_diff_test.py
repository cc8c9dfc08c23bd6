#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Holds the stacks of `fxt diff`, `fxt flame --base --new` and `fxt path` against the text of a program that sleeps
(root, BTF, a C compiler)."""

import json
import os
import re
import shutil
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
import harness  # noqa: E402
from harness import RECORDER, run  # noqa: E402

# The main thread asks a worker, then sleeps in commit(). The worker's waits for work grow as much as that sleep.
TEXT = """#define _GNU_SOURCE
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>
static int pipes[2];
static volatile unsigned long sink;
__attribute__((noinline)) void commit(unsigned us) {
  usleep(us);  /* sleeps */
  __asm__ volatile("" : : : "memory");
}
__attribute__((noinline)) void idle(void) {
  char byte;
  while (read(pipes[0], &byte, 1) == 1) {
    for (int i = 0; i < 20000; ++i) sink += i;
  }
}
static void *work(void *unused) {
  pthread_setname_np(pthread_self(), "idler");
  idle();
  return unused;
}
int main(int count, char **words) {
  pthread_t worker;
  if (count < 2 || pipe(pipes) || pthread_create(&worker, NULL, work, NULL)) return 1;
  for (int i = 0; i < 40; ++i) {
    if (write(pipes[1], "x", 1) != 1) return 1;
    commit(atoi(words[1]));  /* calls */
    __asm__ volatile("" : : : "memory");
  }
}
"""
CAPTURES = 3  # a side
# The load of the machine may change during the nine recordings, and a delayed recorder loads the program's tables later.
ATTEMPTS = 3


def why_not():
    if os.uname().machine != "x86_64":
        return "stacks are unwound by tables on x86-64 alone"
    if not shutil.which("cc"):
        return "no cc"
    return harness.why_not_recordable()


def frame(mark):
    line = next(number for number, line in enumerate(TEXT.splitlines(), 1) if f"/* {mark} */" in line)
    return f"{'commit' if mark == 'sleeps' else 'main'} (sleeper.c:{line})"


def nodes(page):
    """Returns the rate of false discoveries of each frame of a page, by its path of names."""
    with open(page, encoding="utf-8") as file:
        data = json.loads(re.search(r'id="flame">(.*?)</script>', file.read(), re.DOTALL)[1])
    rates = {(): data["q"]}
    path = []
    for kept, added, _, _, q in data["stacks"]:
        del path[kept:]
        for number, rate in zip(added, q):
            path.append(data["texts"][number])
            rates[tuple(path)] = rate
    return data["least_q"], rates


@unittest.skipIf(why_not(), why_not())
class StackDiff(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = harness.class_folder(cls)
        program = os.path.join(cls.folder, "sleeper")
        with open(program + ".c", "w", encoding="utf-8") as file:
            file.write(TEXT)
        subprocess.run(["cc", "-O2", "-g", "-Wl,--build-id", "-pthread", "-o", program, program + ".c"], check=True)
        cls.record_again()

    @classmethod
    def record_again(cls):
        program = os.path.join(cls.folder, "sleeper")
        for number in range(CAPTURES):
            for side, us in (("base", 1000), ("again", 1000), ("new", 8000)):
                os.makedirs(os.path.join(cls.folder, side), exist_ok=True)
                run(RECORDER, "-q", "-c", "default,stack:off", "--only-command",
                    "-o", os.path.join(cls.folder, side, f"{number}.fxt"), "--", program, str(us), ok=(0,))

    def path(self, name):
        return os.path.join(self.folder, name)

    def diff(self, *options):
        return harness.fxt("diff", self.path("base"), self.path("new"), *options)

    @harness.in_one_of(ATTEMPTS)
    def test_a_finding_names_the_line_that_sleeps(self):
        report = json.loads(self.diff("--json", "--lines", "--html", self.path("d.html")))
        stacks = [row["stack"] for row in report["findings"] if row["metric"] == "sleep" and "stack" in row]
        self.assertTrue(stacks, [row["text"] for row in report["findings"]])
        self.assertIn(frame("sleeps"), stacks[0]["frames"])
        self.assertIn(frame("calls"), stacks[0]["frames"])
        self.assertEqual(stacks[0]["of"], "off")
        # 40 sleeps of 1 ms, and of 8 ms. On a busy machine some are over before their thread sleeps.
        self.assertGreater(stacks[0]["base"], 32)
        self.assertGreater(stacks[0]["new"], 256)
        for row in report["findings"]:
            self.assertNotIn("idle", row.get("stack", {}).get("frames", []))
        with open(self.path("d.html"), encoding="utf-8") as file:
            self.assertIn(frame("sleeps"), file.read())

    @harness.in_one_of(ATTEMPTS)
    def test_the_text_has_three_frames(self):
        lines = [line.strip() for line in self.diff("--lines").splitlines() if line.strip().startswith("stack: ")]
        self.assertTrue(lines)
        self.assertRegex(lines[0], rf"^stack: usleep( \(usleep.c:\d+\))? <- {re.escape(frame('sleeps'))} <- "
                                   rf"{re.escape(frame('calls'))}, ")
        text = self.diff()
        self.assertIn("stack: usleep <- commit <- main, ", text)
        self.assertNotIn("sleeper.c", text)

    @harness.in_one_of(ATTEMPTS)
    def test_sets_have_colour_where_they_differ(self):
        harness.fxt("flame", "--base", self.path("base"), "--new", self.path("new"), "-o", self.path("f.html"))
        least, rates = nodes(self.path("f.html"))
        changed = [path for path, q in rates.items() if q <= least]
        self.assertTrue([path for path in changed if path and path[-1] == "commit"], changed)
        self.assertFalse([path for path in changed if path and path[-1] == "write"], changed)
        harness.fxt("flame", "--base", self.path("base"), "--new", self.path("again"), "-o", self.path("same.html"))
        least, rates = nodes(self.path("same.html"))
        self.assertEqual([path for path, q in rates.items() if q <= least], [])

    def test_without_stacks_is_an_error(self):
        path = self.path("none.fxt")
        harness.record(path, "true", options=("-q",))
        for words in (("flame", path), ("flame", "--base", self.path("base"), "--new", path)):
            done = run(harness.FXT, *words, "-o", self.path("none.html"))
            self.assertNotEqual(done.returncode, 0)
            self.assertIn("has no stacks", done.stderr)

    @harness.in_one_of(ATTEMPTS)
    def test_a_path_names_the_line(self):
        report = json.loads(harness.fxt("path", "--thread", "sleeper", "--lines", "--json", self.path("new/0.fxt")))
        times = {}
        for part in report["requests"][0]["parts"]:
            if part["stack"]:
                times[part["stack"]] = times.get(part["stack"], 0) + part["ns"]
        longest = max(times, key=times.get)
        self.assertIn(frame("sleeps"), longest)
        # Forty sleeps of 8 ms, of which the first ones may have no whole stack.
        self.assertGreater(times[longest], 280e6)
        text = harness.fxt("path", "--thread", "sleeper", "--no-symbols", "--json", self.path("new/0.fxt"))
        self.assertNotIn("commit", text)


if __name__ == "__main__":
    harness.main()
