#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Names of functions that just-in-time compilers made, from the lists that node and Java write (root, BTF)."""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
import harness  # noqa: E402
from harness import RECORDER, run  # noqa: E402

NOBODY = 65534

# Computes and sleeps alternately, in a separately compiled function, for this many milliseconds (0: until killed).
JAVA = """\
public class Names {
    static volatile long sum;
    static long hashOf%s(long rounds) {
        long hash = 7;
        for (long i = 0; i < rounds; ++i) hash = hash * 31 + (i ^ sum);
        return hash;
    }
    public static void main(String[] words) throws Exception {
        System.out.println("ready");
        long time = Long.parseLong(words[0]);
        long end = System.nanoTime() + time * 1_000_000;
        while (time == 0 || System.nanoTime() < end) {
            sum += hashOf%s(1_000_000);
            Thread.sleep(1);
        }
    }
}
"""

NODE = """\
const cell = new Int32Array(new SharedArrayBuffer(4));
let sum = 0;
function hashOfNode(rounds) {
  let hash = 7;
  for (let i = 0; i < rounds; ++i) hash = (hash * 31 + (i ^ sum)) | 0;
  return hash;
}
for (const end = Date.now() + 1000; Date.now() < end;) {
  sum += hashOfNode(1e6);
  Atomics.wait(cell, 0, 0, 1);
}
"""


def why_not_java():
    missing = [name for name in ("java", "javac", "jcmd") if not shutil.which(name)]
    if missing:
        return f"no {', '.join(missing)}"
    version = re.search(r'version "(\d+)', run("java", "-version").stderr)
    return "" if version and int(version[1]) >= 17 else "Java writes names from version 17 on"


def remove_list(pid):
    pathlib.Path(f"/tmp/perf-{pid}.map").unlink(missing_ok=True)


@unittest.skipIf(harness.why_not_recordable(), harness.why_not_recordable())
class CompiledNames(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        # Processes with a /tmp of their own read it, too.
        cls.folder = harness.class_folder(cls, dir="/var/tmp")
        os.chmod(cls.folder, 0o755)

    def setUp(self):
        self.trace = os.path.join(self.folder, "trace.fxt")

    def classes(self, name):
        """Compiles the program with a function hashOf`name`. Returns the folder of its class."""
        folder = os.path.join(self.folder, name)
        os.makedirs(folder, exist_ok=True)
        source = os.path.join(folder, "Names.java")
        with open(source, "w", encoding="utf-8") as file:
            file.write(JAVA % (name, name))
        run("javac", "-d", folder, source, ok=(0,))
        return folder

    def java(self, name, time=0):
        return ["java", "-XX:CompileCommand=quiet", f"-XX:CompileCommand=dontinline,Names.hashOf{name}", "-Xmx64m",
                "-cp", self.classes(name), "Names", str(time)]

    def start(self, name, *before, **more):
        """Starts the program in the background. Returns when it computes."""
        process = subprocess.Popen([*before, *self.java(name)], stdout=subprocess.PIPE, start_new_session=True, **more)
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        self.assertEqual(process.stdout.readline(), b"ready\n")
        self.addCleanup(remove_list, process.pid)
        return process

    def record(self, command, *options):
        return run(RECORDER, "-q", "-c", "default,stack:on", "--stack-frequency", "499", "--symbols", *options,
                   "-o", self.trace, "--", *command, ok=(0,))

    def samples(self, name):
        text = harness.fxt("flame", "--of", "on", "--no-symbols", "--format", "folded", self.trace, "-o", "-")
        return sum(int(line.rsplit(" ", 1)[1]) for line in text.splitlines() if f"hashOf{name}" in line)

    @unittest.skipUnless(shutil.which("node"), "no node")
    def test_node_as_the_command(self):
        script = os.path.join(self.folder, "names.js")
        with open(script, "w", encoding="utf-8") as file:
            file.write(NODE)
        # node writes a log into the current folder, too.
        self.record(["sh", "-c", f"cd {self.folder} && echo $$ >pid; exec node --perf-basic-prof {script}"])
        with open(os.path.join(self.folder, "pid"), encoding="utf-8") as file:
            remove_list(int(file.read()))
        self.assertGreater(self.samples("Node"), 0)

    @unittest.skipIf(why_not_java(), why_not_java())
    def test_java_as_the_command(self):
        for name, options, expected in (("Plain", (), False), ("Root", ("--jvm",), True),
                                        ("Nobody", ("--jvm", "-u", "#65534"), True)):
            with self.subTest(name):
                command = ["sh", "-c", 'echo $$; exec "$@"', "sh", *self.java(name, 1500)]
                pid = int(self.record(command, *options).stdout.splitlines()[0])
                remove_list(pid)
                self.assertEqual(self.samples(name) > 0, expected)

    @unittest.skipIf(why_not_java(), why_not_java())
    def test_java_that_runs(self):
        self.start("Root")
        nobody = self.start("Nobody", user=NOBODY, group=NOBODY, extra_groups=[])
        # Its list is in a /tmp of its own, under the id that it has in a namespace of processes of its own.
        self.start("Contained", "unshare", "--mount", "--pid", "--fork", "--kill-child", "sh", "-c",
                   'mount -t tmpfs none /tmp && mount -t proc none /proc && exec "$@"', "sh")
        self.record(["sleep", "1"], "--jvm")
        self.assertEqual(os.stat(f"/tmp/perf-{nobody.pid}.map").st_uid, NOBODY)
        for name in ("Root", "Nobody", "Contained"):
            with self.subTest(name):
                self.assertGreater(self.samples(name), 0)

    @unittest.skipIf(why_not_java(), why_not_java())
    def test_pid_selects_the_process_that_is_asked(self):
        chosen, other = self.start("Chosen"), self.start("Other")
        self.record(["sleep", "1"], "--jvm", "--pid", str(chosen.pid))
        self.assertGreater(self.samples("Chosen"), 0)
        self.assertFalse(os.path.exists(f"/tmp/perf-{other.pid}.map"))

    @unittest.skipIf(why_not_java(), why_not_java())
    def test_a_list_that_another_user_has_made_is_not_taken(self):
        process = self.start("Victim")
        path = pathlib.Path(f"/tmp/perf-{process.pid}.map")
        path.write_text("0 ffffffffffff hashOfVictim\n", encoding="utf-8")
        os.chown(path, NOBODY, NOBODY)
        done = self.record(["sleep", "1"], "--jvm")
        self.assertIn(f"no names of the Java process {process.pid}: {path} is another user's", done.stderr)
        self.assertEqual(self.samples("Victim"), 0)

    def test_needs_symbols(self):
        done = run(RECORDER, "-c", "default,stack", "--jvm", "-o", self.trace, "--", "true")
        self.assertEqual(done.returncode, 2)
        self.assertIn("--jvm needs --symbols", done.stderr)


if __name__ == "__main__":
    harness.main()
