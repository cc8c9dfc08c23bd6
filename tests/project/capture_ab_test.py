#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""scripts/capture-ab with a fake recorder, which writes down its arguments."""

import importlib.machinery
import importlib.util
import os
import signal
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
import harness  # noqa: E402
from harness import DEADLINE_S, ROOT  # noqa: E402

SCRIPT = os.path.join(ROOT, "scripts/capture-ab")
# Writes its arguments into the file of --output, then runs the command behind --.
RECORDER = """#!/bin/sh
echo $$ >"$LOG.pid"
all=$*
while [ "$1" != -- ]; do
  [ "$1" != --output ] || out=$2
  shift
done
shift
echo "$all" >"$out"
echo "$all" >>"$LOG"
[ -z "$SAY" ] || echo "$SAY"
exec "$@"
"""


def load_script():
    loader = importlib.machinery.SourceFileLoader("capture_ab", SCRIPT)
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("capture_ab", loader))
    write_bytecode, sys.dont_write_bytecode = sys.dont_write_bytecode, True
    loader.exec_module(module)
    sys.dont_write_bytecode = write_bytecode
    return module


class DisturbedTurns(harness.FolderTest):
    def setUp(self):
        super().setUp()
        self.module = load_script()

    def test_what_happens_in_most_captures_is_usual(self):
        shares = {("base", i): 0.1 for i in range(1, 6)} | {("new", i): 0.9 for i in range(1, 6)}
        self.assertEqual(self.module.disturbed_turns(shares), {})
        shares["base", 4] = 0.8
        self.assertEqual(self.module.disturbed_turns(shares), {4: ("base", 0.8, 0.1)})
        # Short captures have no share, and too few say nothing of what is usual.
        self.assertEqual(self.module.disturbed_turns({("base", i): None for i in range(1, 6)}), {})
        self.assertEqual(self.module.disturbed_turns({("base", 1): 0.1, ("base", 2): 0.9}), {})

    def test_a_disturbed_turn_is_recorded_again_as_often_as_was_asked_for(self):
        for repeats, then, recorded, remain in ((5, 0.1, [2], 0), (2, 0.9, [2, 2], 1), (0, 0.1, [], 1)):
            shares = {(side, i): 0.1 for side in ("base", "new") for i in range(1, 4)}
            shares["new", 2] = 0.9
            turns = []

            def record_turn(number, turns=turns, shares=shares, then=then):
                turns.append(number)
                shares["new", number] = then

            options = type("Options", (), {"repeats": repeats})
            self.module.repeat_disturbed(options, shares, {}, record_turn)
            self.assertEqual(turns, recorded)
            self.assertEqual(len(self.module.disturbed_turns(shares)), remain)

    def test_time_of_others_does_not_contain_that_of_the_recorded_command(self):
        # Each process of the machine that ran meanwhile may have had the rest. The clock is read outside of what it measures:
        # others may run between the two.
        before = os.times()
        load = self.module.OthersLoad()
        subprocess.run([sys.executable, "-c", "import time\nwhile time.process_time() < 1: pass"], check=True)
        share, _ = load.share()
        after = os.times()
        own = sum(after[2:4]) - sum(before[2:4])
        elapsed = after.elapsed - before.elapsed
        self.assertIsNotNone(share)
        self.assertGreater(own, 0.9)
        capacity = elapsed * (os.cpu_count() or 1)
        self.assertLessEqual(share * capacity, capacity - own + 0.1)


class CaptureAb(harness.FolderTest):
    def setUp(self):
        super().setUp()
        self.out = self.path("out")
        self.log = self.path("log")
        self.recorder = self.write("recorder", RECORDER)
        os.chmod(self.recorder, 0o755)

    def run_script(self, *arguments, say=""):
        return subprocess.run([SCRIPT, "--recorder", self.recorder, *arguments], capture_output=True, text=True,
                              env={**os.environ, "LOG": self.log, "SAY": say}, check=False)

    def recorded(self):
        """Returns the recorded files in order, relative to the output folder."""
        with open(self.log, encoding="utf-8") as file:
            outputs = [line.split("--output ")[1].split()[0] for line in file]
        return [os.path.relpath(path, self.out) if path.startswith(self.out) else os.path.basename(path)
                for path in outputs]

    def test_sides_alternate_after_a_warm_up(self):
        # On a busy machine `true` may take long enough for a turn to be disturbed.
        done = self.run_script("--repeats", "0", "3", self.out, "--", "true", "old", "---", "true", "new")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.recorded(), ["warm-up.fxt", "warm-up.fxt", "base/01.fxt", "new/01.fxt", "new/02.fxt",
                                           "base/02.fxt", "base/03.fxt", "new/03.fxt"])
        with open(os.path.join(self.out, "new/02.fxt"), encoding="utf-8") as file:
            self.assertTrue(file.read().endswith("-- true new\n"))
        self.assertIn(f"fxt diff {self.out}/base {self.out}/new", done.stdout)

    def test_options_are_passed_on(self):
        done = self.run_script("-d", "3s", "--record-args", "-c default,irq", "--no-warm-up", "1", self.out,
                               "--", "true", "--", "-d", "---", "true")
        self.assertEqual(done.returncode, 0, done.stderr)
        with open(os.path.join(self.out, "base/01.fxt"), encoding="utf-8") as file:
            self.assertIn(" -c default,irq --duration 3s -- true -- -d\n", file.read())
        self.assertEqual(len(self.recorded()), 2)

    def test_options_that_begin_with_a_dash(self):
        done = self.run_script("--record-args", "-z", "1", self.out, "--", "true", "---", "true")
        self.assertEqual(done.returncode, 0, done.stderr)
        with open(os.path.join(self.out, "base/01.fxt"), encoding="utf-8") as file:
            self.assertIn(" -z -c default,wait -- true\n", file.read())

    def test_nothing_is_overwritten(self):
        os.makedirs(os.path.join(self.out, "base"))
        done = self.run_script("1", self.out, "--", "true", "---", "true")
        self.assertEqual(done.returncode, 1)
        self.assertIn("is not empty", done.stderr)
        self.assertFalse(os.path.exists(self.log))

    def test_a_failing_command_ends_the_script(self):
        done = self.run_script("--no-warm-up", "2", self.out, "--", "true", "---", "sh", "-c",
                               "echo no such table; exit 3")
        self.assertEqual(done.returncode, 1)
        self.assertIn("no such table", done.stderr)
        self.assertIn("the command of the new side ended with status 3", done.stderr)
        # Complete captures stay. The side that failed leaves nothing behind.
        self.assertEqual(os.listdir(self.out), ["base"])
        self.assertEqual(os.listdir(os.path.join(self.out, "base")), ["01.fxt"])
        kept = os.path.join(self.folder, "kept")
        done = self.run_script("--ignore-exit-status", "1", kept, "--", "true", "---", "false")
        self.assertEqual(done.returncode, 0, done.stderr)

    def start(self, *arguments):
        """Starts the script in its own process group, as a shell does."""
        return subprocess.Popen([SCRIPT, "--recorder", self.recorder, "--no-warm-up", *arguments],
                                env={**os.environ, "LOG": self.log, "SAY": ""}, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, text=True, start_new_session=True,
                                # A background job of a shell ignores SIGINT, and nohup ignores SIGHUP.
                                preexec_fn=lambda: [signal.signal(number, signal.SIG_DFL)
                                                    for number in (signal.SIGINT, signal.SIGHUP)])

    def wait_for(self, process, path):
        while not os.path.exists(path) and process.poll() is None:
            time.sleep(0.01)

    def test_interrupted(self):
        process = self.start("1", self.out, "--", "true", "---", "sleep", "60")
        new = os.path.join(self.out, "new/01.fxt")
        self.wait_for(process, new)
        os.killpg(process.pid, signal.SIGINT)
        _, said = process.communicate(timeout=DEADLINE_S)
        self.assertEqual(process.returncode, 130)
        self.assertIn("interrupted", said)
        self.assertIn("are kept: 1 of the base side\n", said)
        self.assertTrue(os.path.exists(os.path.join(self.out, "base/01.fxt")))
        self.assertFalse(os.path.exists(new))

    def test_a_signal_to_the_script_ends_the_recorder(self):
        for number, status in ((signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)):
            out = os.path.join(self.folder, number.name)
            process = self.start("2", out, "--", "true", "---", "sleep", "60")
            self.wait_for(process, os.path.join(out, "new/01.fxt"))
            process.send_signal(number)
            _, said = process.communicate(timeout=DEADLINE_S)
            self.assertEqual((process.returncode, os.listdir(out)), (status, ["base"]), said)
            with open(self.log + ".pid", encoding="utf-8") as file:
                self.assertFalse(os.path.exists(f"/proc/{file.read().strip()}"))

    def test_interrupted_before_the_first_capture_leaves_no_folder(self):
        process = self.start("1", self.out, "--", "sleep", "60", "---", "true")
        self.wait_for(process, os.path.join(self.out, "base/01.fxt"))
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=DEADLINE_S)
        self.assertIn("are kept: none\n", said)
        self.assertFalse(os.path.exists(self.out))

    def test_a_recorder_that_records_nothing(self):
        for _ in range(2):
            done = self.run_script("--recorder", "false", "1", self.out, "--", "true", "---", "true")
            self.assertEqual(done.returncode, 1)
            self.assertIn("the base side could not be recorded", done.stderr)
            self.assertFalse(os.path.exists(self.out))

    def test_a_recorder_that_is_killed(self):
        done = self.run_script("--no-warm-up", "--ignore-exit-status", "1", self.out, "--", "sh", "-c", "kill -9 $$",
                               "---", "true")
        self.assertEqual(done.returncode, 1)
        self.assertIn("the recorder of the base side was ended by signal 9", done.stderr)
        self.assertFalse(os.path.exists(self.out))

    def test_an_empty_folder_that_was_there_stays(self):
        os.mkdir(self.out)
        done = self.run_script("1", self.out, "--", "true", "---", "false")
        self.assertEqual(done.returncode, 1)
        self.assertTrue(os.path.isdir(self.out))

    def test_output_to_a_full_device(self):
        with open("/dev/full", "w", encoding="utf-8") as full:
            done = subprocess.run([SCRIPT, "--recorder", self.recorder, "1", self.out, "--", "true", "---", "true"],
                                  stdout=full, stderr=subprocess.PIPE, env={**os.environ, "LOG": self.log, "SAY": ""},
                                  check=False)
        self.assertEqual((done.returncode, done.stderr), (0, b""))
        self.assertEqual(os.listdir(os.path.join(self.out, "new")), ["01.fxt"])

    def test_spaces_in_paths_and_words(self):
        out = os.path.join(self.folder, "a b/c d")
        done = self.run_script("1", out, "--", "echo", "x  y", "---", "true")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn(f"fxt diff '{out}/base' '{out}/new'", done.stdout)
        self.assertIn("recorded 1 capture a side", done.stdout)
        self.assertIn("fewer than 3 a side confirm nothing", done.stdout)
        with open(os.path.join(out, "base/01.fxt"), encoding="utf-8") as file:
            self.assertIn("-- echo x  y\n", file.read())

    def test_losses_are_shown(self):
        done = self.run_script("1", self.out, "--", "true", "---", "true", say="fxt-record: LOST 7 events")
        self.assertEqual(done.returncode, 0)
        self.assertIn("01.fxt of new: fxt-record: LOST 7 events", done.stderr)

    def test_wrong_command_lines(self):
        for arguments in (["1", self.out], ["1", self.out, "--", "true"], ["1", self.out, "--", "true", "---"],
                          ["0", self.out, "--", "true", "---", "true"], ["x", self.out, "--", "true", "---", "true"],
                          ["--record-args", "'", "1", self.out, "--", "true", "---", "true"]):
            done = self.run_script(*arguments)
            self.assertEqual(done.returncode, 2, arguments)
            self.assertIn("capture-ab: error:", done.stderr)
        self.assertFalse(os.path.exists(self.out))

    def test_a_missing_recorder(self):
        done = self.run_script("--recorder", "/nowhere", "1", self.out, "--", "true", "---", "true")
        self.assertEqual(done.returncode, 1)
        self.assertIn("/nowhere", done.stderr)
        self.assertFalse(os.path.exists(self.out))

    def test_help(self):
        done = self.run_script("--help")
        self.assertEqual(done.returncode, 0)
        self.assertIn("BASE-COMMAND --- NEW-COMMAND", done.stdout)


if __name__ == "__main__":
    harness.main()
