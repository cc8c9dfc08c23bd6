# SPDX-License-Identifier: BSD-2-Clause
"""Recorders that keep events in memory until a snapshot: fxt-record and peers.

Each is started in a folder, records at once, writes a file when it is asked, and is ended.
"""

import os
import re
import shutil
import signal
import subprocess
import time

from . import perf_file, recorders, system

MEGABYTES = 64  # of all CPUs together


class FlightRecorder:
    """A recorder with snapshots. `gap`: it records nothing while it writes one."""

    gap = False

    def __init__(self, name):
        self.name = name

    def missing(self):
        """Returns why the recorder cannot run, or an empty text."""
        return ""

    def start(self, folder):
        raise NotImplementedError

    def pids(self):
        return []

    def snapshot(self):
        raise NotImplementedError

    def events(self, path):
        """Counts the events in the file."""
        raise NotImplementedError

    def end(self):
        raise NotImplementedError


class Talker(FlightRecorder):
    """A program that prints its state on standard error."""

    def launch(self, command, folder):
        self.folder = folder
        self.log = os.path.join(folder, "log")
        # Append mode keeps the write position independent of readers.
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, cwd=folder)

    def pids(self):
        return [self.process.pid]

    def wait_for(self, words, times=1):
        text = ""
        for _ in range(12000):
            text = system.read_text(self.log)
            if text.count(words) >= times:
                return text
            if self.process.poll() is not None:
                break
            time.sleep(0.005)
        raise RuntimeError(f"{self.name} did not say '{words}': {text[-300:]}")

    def end(self):
        self.process.send_signal(signal.SIGINT)
        self.process.wait(60)


class FxtRecord(Talker):
    def __init__(self, name, build, options):
        super().__init__(name)
        self.build, self.options = build, options
        self.number = 0

    def start(self, folder):
        self.number = 0
        self.launch([os.path.join(self.build, "fxt-record"), "-o", os.path.join(folder, "trace-%n.fxt"),
                     *self.options], folder)
        self.wait_for("recording")

    def snapshot(self):
        self.number += 1
        self.process.send_signal(signal.SIGUSR1)
        self.wait_for("wrote ", self.number)
        return os.path.join(self.folder, f"trace-{self.number}.fxt")

    def events(self, path):
        line = [each for each in system.read_text(self.log).splitlines() if "wrote " in each][-1]
        return int(re.search(r"([\d,]+) events", line).group(1).replace(",", ""))


class PerfOverwrite(Talker):
    """perf record --overwrite: writes its rings at SIGUSR2 and stops them meanwhile."""

    gap = True

    def missing(self):
        return "" if shutil.which("perf") else "no perf"

    def start(self, folder):
        self.number = 0
        pages = (MEGABYTES << 20) // len(system.online_cpus()) // os.sysconf("SC_PAGE_SIZE")
        pages = 1 << (pages.bit_length() - 1)
        self.launch(["perf", "record", "-a", "--overwrite", "-m", str(pages), "-e", recorders.SWITCH, "-e",
                     recorders.WAKING, "--switch-output=signal", "-o", "perf.data"], folder)
        deadline = time.monotonic() + 30
        # perf prints nothing after it has mapped its rings.
        while "perf_event" not in system.read_text(f"/proc/{self.process.pid}/maps"):
            if self.process.poll() is not None or time.monotonic() > deadline:
                raise RuntimeError(f"perf does not record: {system.read_text(self.log)[-300:]}")
            time.sleep(0.01)
        time.sleep(0.5)

    def snapshot(self):
        self.number += 1
        self.process.send_signal(signal.SIGUSR2)
        self.wait_for("Dump perf.data.", self.number)
        return os.path.join(self.folder, re.findall(r"Dump (perf\.data\.\d+)", system.read_text(self.log))[-1])

    def events(self, path):
        return perf_file.count(path)[0]


class TraceCmdRing(FlightRecorder):
    """trace-cmd start: the circular ring of the kernel. A snapshot stops and extracts it."""

    gap = True

    def __init__(self, name):
        super().__init__(name)
        self.helper = recorders.TraceCmd(name, "wakeups", (recorders.SWITCH, recorders.WAKING))

    def missing(self):
        return "" if shutil.which("trace-cmd") else "no trace-cmd"

    def run(self, *arguments):
        command = self.helper.wrapped(self.folder, ["trace-cmd", *arguments])
        done = subprocess.run(command, cwd=self.folder, capture_output=True, text=True, check=False, timeout=300)
        if done.returncode != 0:
            raise RuntimeError(f"trace-cmd {arguments[0]}: {(done.stdout + done.stderr).strip()[-300:]}")
        return done.stdout

    def start(self, folder):
        self.folder = folder
        self.helper.refuse_other_tracers()
        kilobytes = (MEGABYTES << 10) // len(system.online_cpus())
        self.run("start", "-b", str(kilobytes), "-e", recorders.SWITCH, "-e", recorders.WAKING)

    def snapshot(self):
        path = os.path.join(self.folder, "trace.dat")
        self.run("stop")
        self.run("extract", "-o", path)
        self.run("restart")
        return path

    def events(self, path):
        report = self.run("report", "--stat", "-i", path)
        return sum(int(value) for value in re.findall(r"^(?:entries|read events): (\d+)", report, re.MULTILINE))

    def end(self):
        self.run("reset")
        self.helper.clean()


def all_flight_recorders(build):
    return [FxtRecord("streaming", build, []), FxtRecord("circular", build, ["--circular", f"{MEGABYTES}M"]),
            FxtRecord("circular, trigger", build,
                      ["--circular", f"{MEGABYTES}M", "--trigger", "wakeup_latency > 100s"]),
            PerfOverwrite("perf record --overwrite"), TraceCmdRing("trace-cmd start")]
