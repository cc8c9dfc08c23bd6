#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Records the base form and the slow form of programs with planted changes, and series without a change.

    tests/regress/record.py planted OUT     OUT/SCENARIO/{base,new}/NN.fxt of the scenarios of build/tests/planted,
                                            both forms interleaved (scripts/capture-ab)
    tests/regress/record.py locks OUT       the scenarios of one subject; expectations.json lists the subjects
    tests/regress/record.py scripts OUT     the stand-alone programs in tests/regress/scripts/
    tests/regress/record.py programs OUT    the programs of the distribution in tests/regress/programs/; those that
                                            are not installed are SKIPPED
    tests/regress/record.py aa OUT          OUT/WORKLOAD/NN.fxt of the base form of some scenarios, interleaved; those
                                            named beside-* are recorded while a compiler is busy. Of programs with a
                                            runtime (Java, node, Go) as well

Existing recordings are kept, so an interrupted run can continue. Needs root.
Exit status: 0 if everything was recorded or skipped, otherwise 1.
"""

import argparse
import contextlib
import json
import os
import pathlib
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "../support"))

import harness  # noqa: E402
from harness import ROOT  # noqa: E402

OTHER_GROUPS = ("scripts", "programs")  # of expectations.json; the rest are subjects of build/tests/planted
SKIPPED = 77  # the exit status of a program whose requirements are not installed
AA = ("added_sleep", "critical_section", "pinning", "wakeup_chain", "beside-added_sleep", "beside-doubled_work")
BESIDE = "beside-"
AA_PROGRAMS = ("java_pool", "node_block", "go_slots")  # programs with service threads of a runtime
# Compiling this takes several seconds.
LOAD = """#include <iostream>
#include <map>
#include <regex>
int main(int, char** words) {
  std::map<std::string, int> count;
  return std::regex_match(words[0], std::regex(words[0])) + static_cast<int>(count.size());
}
"""


def expectations():
    return json.loads(harness.read("tests/regress/expectations.json"))


def end_processes(folder):
    """Ends the processes whose pids are in FOLDER/*.pid."""
    for path in pathlib.Path(folder).glob("*.pid"):
        with contextlib.suppress(ValueError, ProcessLookupError):
            pid = int(path.read_text(encoding="utf-8"))
            os.kill(pid, signal.SIGTERM)
            for _ in range(100):
                os.kill(pid, 0)
                time.sleep(0.05)


class Compiler:
    """Compiles a large source on all CPUs while the context is entered."""

    def __init__(self):
        self.ending = threading.Event()
        self.threads = []

    def __enter__(self):
        self.folder = tempfile.TemporaryDirectory()
        source = os.path.join(self.folder.name, "load.cc")
        with open(source, "w", encoding="utf-8") as file:
            file.write(LOAD)
        for _ in range(os.cpu_count() or 1):
            thread = threading.Thread(target=self.compile, args=(source,))
            thread.start()
            self.threads.append(thread)
        return self

    def compile(self, source):
        while not self.ending.is_set():
            with contextlib.suppress(OSError):
                subprocess.run(["g++", "-std=c++20", "-O2", "-S", source, "-o", "-"], check=False,
                               stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def __exit__(self, *_):
        self.ending.set()
        for thread in self.threads:
            thread.join()
        self.folder.cleanup()


class Recording:
    def __init__(self, options):
        self.options = options
        self.planted = os.path.join(harness.BUILD, "tests/planted")
        self.recorder = options.recorder or harness.RECORDER
        self.failed = []

    def scenario(self, name, slow):
        return [self.planted, name, *(["--slow"] if slow else [])]

    def pair(self, name, base, new, record_args=()):
        """Records base and new interleaved, unless the recording exists."""
        out = os.path.join(self.options.out, name)
        if os.path.isdir(out) and os.listdir(out):
            print(f"record: {out} exists", flush=True)
            return
        print(f"record: {name}", flush=True)
        # A complete recording gets its name at the end.
        part = f"{out}.part"
        shutil.rmtree(part, ignore_errors=True)
        status = subprocess.run(
            [os.path.join(ROOT, "scripts/capture-ab"), "--quiet", "--recorder", self.recorder,
             "--record-args", shlex.join(record_args), str(self.options.captures), part, "--", *base, "---", *new],
            check=False).returncode
        if status != 0:
            self.failed.append(name)
        else:
            os.rename(part, out)

    def scenarios(self):
        length = str(self.options.seconds + 0.4)
        groups = expectations()
        subjects = [group for group in groups if group not in OTHER_GROUPS]
        for group in subjects if self.options.what == "planted" else [self.options.what]:
            for name in filter(self.chosen, groups[group]):
                commands = [[*self.scenario(name, slow), "--seconds", length] for slow in (False, True)]
                self.pair(name, *commands, ("-d", f"{self.options.seconds * 1000:.0f}ms"))

    def scripts(self):
        for name in filter(self.chosen, expectations()["scripts"]):
            program = str(next(pathlib.Path(HERE, "scripts").glob(f"{name}.*")))
            commands = [[program, form, str(self.options.seconds + 0.4)] for form in ("base", "slow")]
            self.pair(name, *commands, ("-d", f"{self.options.seconds * 1000:.0f}ms"))

    def chosen(self, name):
        return not self.options.only or name in self.options.only

    def programs(self):
        for name in filter(self.chosen, expectations()["programs"]):
            with self.prepared(name) as command:
                if command:
                    script, _, folder = command
                    self.pair(name, command, [script, "slow", folder])

    @contextlib.contextmanager
    def prepared(self, name):
        """Yields the command of the base form of a program; None if it cannot run here."""
        script = str(next(pathlib.Path(HERE, "programs").rglob(f"{name}.sh")))
        with tempfile.TemporaryDirectory(prefix="regress-") as folder:
            os.chmod(folder, 0o755)
            done = subprocess.run([script, "prepare", folder], check=False, stdin=subprocess.DEVNULL,
                                  capture_output=True, text=True, errors="replace")
            if done.returncode == SKIPPED:
                print(done.stderr.strip(), flush=True)
            elif done.returncode != 0:
                print(done.stderr, file=sys.stderr)
                self.failed.append(name)
            yield [script, "base", folder] if done.returncode == 0 else None
            end_processes(folder)

    def series(self):
        """Records one capture of each workload and program, then the next of each."""
        with contextlib.ExitStack() as stack:
            programs = {name: stack.enter_context(self.prepared(name)) for name in filter(self.chosen, AA_PROGRAMS)}
            self.series_of({name: command for name, command in programs.items() if command})

    def series_of(self, programs):
        length = str(self.options.seconds + 0.4)
        for number in range(1, self.options.captures + 1):
            for name in (*AA, *programs):
                path = os.path.join(self.options.out, name, f"{number:02}.fxt")
                if not self.chosen(name) or os.path.exists(path):
                    continue
                os.makedirs(os.path.dirname(path), exist_ok=True)
                command = programs.get(name) or ["-d", f"{self.options.seconds * 1000:.0f}ms", "--",
                                                 *self.scenario(name.removeprefix(BESIDE), False), "--seconds", length]
                if name in programs:
                    command = ["--", *command]
                with Compiler() if name.startswith(BESIDE) else contextlib.nullcontext():
                    status = subprocess.run([self.recorder, "-q", "-o", f"{path}.part", "-c", "default,wait", *command],
                                            stdin=subprocess.DEVNULL, check=False).returncode
                if status != 0:
                    self.failed.append(path)
                else:
                    os.rename(f"{path}.part", path)
            print(f"record: {number} of {self.options.captures} of each workload", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("planted", *expectations(), "aa"))
    parser.add_argument("out", metavar="OUT")
    parser.add_argument("only", metavar="NAME", nargs="*", help="only these scenarios, programs or workloads")
    parser.add_argument("--recorder", help="another fxt-record")
    parser.add_argument("-n", "--captures", type=int, help="captures per side (default 5; aa: 20 of each workload)")
    parser.add_argument("--seconds", type=float, default=3.0, help="length of a capture, except of programs")
    options = parser.parse_args()
    options.out = os.path.abspath(options.out)
    options.captures = options.captures or (20 if options.what == "aa" else 5)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    recording = Recording(options)
    recorders = {"scripts": recording.scripts, "programs": recording.programs, "aa": recording.series}
    recorders.get(options.what, recording.scenarios)()
    for name in recording.failed:
        print(f"record: {name} FAILED", file=sys.stderr)
    return 1 if recording.failed else 0


if __name__ == "__main__":
    sys.exit(main())
