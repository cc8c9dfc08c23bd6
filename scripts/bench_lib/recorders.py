# SPDX-License-Identifier: BSD-2-Clause
"""fxt-record and its peers.

Each is started, waited for until it records, ended by SIGINT as a person would end it, and asked what it recorded.
"""

import glob
import json
import os
import re
import shutil
import signal
import subprocess
import time

from . import perf_file, system
from .process import Program

START_LIMIT = 30
STOP_LIMIT = 300
SWITCH = "sched:sched_switch"
WAKING = "sched:sched_waking"


class RecorderError(Exception):
    pass


class Recorder:
    """A recorder. `ours`: fxt-record. `events`: the kind of events to compare by: "switches" or "wakeups"."""

    needs = ()
    ours = False

    def __init__(self, name, events):
        self.name = name
        self.events = events

    def missing(self):
        return [program for program in self.needs if not (shutil.which(program) or os.access(program, os.X_OK))]

    def version(self):
        return ""

    def command(self, folder):
        raise NotImplementedError

    def start(self, folder, group):
        program = Program(self.command(folder), folder, "recorder", group)
        try:
            self.wait_ready(program, folder)
        except Exception:
            program.kill()
            raise
        return program

    def wait_ready(self, program, folder):
        raise NotImplementedError

    def stop(self, program):
        program.signal(signal.SIGINT)
        if not program.wait(STOP_LIMIT):
            raise RecorderError(f"{self.name} did not end within {STOP_LIMIT} s")
        # perf ends by the signal.
        if program.exit_code not in (0, -signal.SIGINT):
            raise RecorderError(f"{self.name} ended with {program.exit_code}: {program.output().strip()[-300:]}")

    def results(self, program, folder):
        """Returns events and lost, and for a file file_bytes and data_bytes (without the fixed header)."""
        raise NotImplementedError

    def clean(self):
        pass

    def _until(self, program, condition, pause=0.002):
        end = time.monotonic() + START_LIMIT
        while not condition():
            if program.poll():
                raise RecorderError(f"{self.name} ended at its start: {program.output().strip()[-300:]}")
            if time.monotonic() > end:
                raise RecorderError(f"{self.name} does not record after {START_LIMIT} s: {program.output()[-300:]}")
            time.sleep(pause)


def _first_line(command):
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=20)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    lines = (done.stdout or done.stderr).strip().splitlines()
    return lines[0] if lines else ""


class FxtRecord(Recorder):
    ours = True

    def __init__(self, name, events, binary, options=(), suffix=".fxt"):
        super().__init__(name, events)
        self.binary = binary
        self.needs = (binary,)
        self.options = list(options)
        self.suffix = suffix

    def version(self):
        return _first_line([self.binary, "--version"])

    def command(self, folder):
        return [self.binary, *self.options, "-o", os.path.join(folder, "trace" + self.suffix),
                "--stats-json", os.path.join(folder, "stats.json")]

    def wait_ready(self, program, folder):
        self._until(program, lambda: "recording" in program.output())

    def results(self, program, folder):
        with open(os.path.join(folder, "stats.json"), encoding="utf-8") as file:
            stats = json.load(file)
        size = os.path.getsize(os.path.join(folder, "trace" + self.suffix))
        # The share of wakeups in a compressed file is estimated by their share of the records.
        share = size / stats["record_bytes"] if stats["record_bytes"] else 0
        return {"events": stats["raw_events"] - stats["lost_events"], "lost": stats["lost_events"],
                "file_bytes": size, "data_bytes": size - share * stats["start_bytes"],
                "recorded_switches": stats["switches"],
                "switch_bytes": share * (stats["record_bytes"] - stats["start_bytes"] - stats["wakeup_bytes"]),
                "stats": stats}


class Perf(Recorder):
    """perf starts disabled. A pipe enables it and returns an acknowledgement."""

    needs = ("perf",)

    def __init__(self, name, events, arguments):
        super().__init__(name, events)
        self.arguments = arguments
        self.to_perf = self.from_perf = None

    def version(self):
        return _first_line(["perf", "--version"])

    def command(self, folder):
        paths = [os.path.join(folder, name) for name in ("control", "answer")]
        for path in paths:
            if os.path.exists(path):
                os.unlink(path)
            os.mkfifo(path)
        self.to_perf, self.from_perf = (os.open(path, os.O_RDWR | os.O_NONBLOCK) for path in paths)
        return ["perf", *self.arguments, "-o", os.path.join(folder, "perf.data"), "-D", "-1",
                f"--control=fifo:{paths[0]},{paths[1]}"]

    def wait_ready(self, program, folder):
        os.write(self.to_perf, b"enable\n")
        answer = bytearray()

        def acknowledged():
            try:
                answer.extend(os.read(self.from_perf, 64))
            except BlockingIOError:
                pass
            return b"ack" in answer

        try:
            self._until(program, acknowledged)
        finally:
            os.close(self.to_perf)
            os.close(self.from_perf)

    def results(self, program, folder):
        path = os.path.join(folder, "perf.data")
        events, lost, data = perf_file.count(path)
        return {"events": events, "lost": lost, "file_bytes": os.path.getsize(path), "data_bytes": data}


# Recording events needs none of these files, but trace-cmd fails without them on kernels without the function tracer. It
# gets other files in their places, in a private mount namespace.
FUNCTION_TRACER_SWITCH = "/proc/sys/kernel/ftrace_enabled"
FUNCTION_TRACER_FILES = ("set_ftrace_filter", "set_ftrace_notrace", "set_ftrace_pid", "set_graph_function",
                         "set_graph_notrace")


class TraceCmd(Recorder):
    needs = ("trace-cmd",)

    def __init__(self, name, kind, events):
        super().__init__(name, kind)
        self.kernel_events = events

    def version(self):
        return _first_line(["trace-cmd", "--version"])

    def command(self, folder):
        self.refuse_other_tracers()
        command = ["trace-cmd", "record", "-o", os.path.join(folder, "trace.dat")]
        for event in self.kernel_events:
            command += ["-e", event]
        return self.wrapped(folder, command)

    def wrapped(self, folder, command):
        """Returns the command with replacements in `folder` for the missing files."""
        if not self._function_tracer_refused():
            return command
        wanted = {FUNCTION_TRACER_SWITCH: "1\n"}
        for mount in system.mounts_of("tracefs"):
            wanted |= {os.path.join(mount, name): "" for name in FUNCTION_TRACER_FILES}
        steps = []
        for number, (path, content) in enumerate(wanted.items()):
            if not os.path.exists(path):
                continue
            stand_in = os.path.join(folder, f"stand-in-{number}")
            with open(stand_in, "w", encoding="ascii") as file:
                file.write(content)
            steps.append(f"mount --bind {stand_in} {path}")
        return ["unshare", "--mount", "--propagation", "private", "sh", "-ec", "; ".join([*steps, 'exec "$@"']), "sh",
                *command]

    @staticmethod
    def _function_tracer_refused():
        try:
            value = system.read_text(FUNCTION_TRACER_SWITCH)
            with open(FUNCTION_TRACER_SWITCH, "w", encoding="ascii") as file:
                file.write(value)
        except FileNotFoundError:
            return False
        except OSError:
            return True
        return False

    @staticmethod
    def refuse_other_tracers():
        if system.read_text(f"{system.TRACEFS}/events/enable").strip() not in ("0", "X"):
            raise RecorderError("ftrace is in use by another program")

    def wait_ready(self, program, folder):
        def recording():
            return (all(self._enabled(event) for event in self.kernel_events)
                    and system.read_text(f"{system.TRACEFS}/tracing_on").strip() == "1"
                    and len(program.tree()) > len(system.online_cpus()))

        self._until(program, recording)

    @staticmethod
    def _enabled(event):
        return system.read_text(f"{system.TRACEFS}/events/{event.replace(':', '/')}/enable").strip() == "1"

    def results(self, program, folder):
        path = os.path.join(folder, "trace.dat")
        report = subprocess.run(["trace-cmd", "report", "--stat", "-i", path], capture_output=True, text=True,
                                check=False)

        def total(name):
            return sum(int(value) for value in re.findall(rf"^{name}: (\d+)", report.stdout, re.MULTILINE))

        offsets = [int(value, 16) for value in re.findall(r"data recorded at offset=(0x[0-9a-f]+)", program.output())]
        size = os.path.getsize(path)
        return {"events": total("entries") + total("read events"),
                "lost": total("overrun") + total("commit overrun") + total("dropped events"),
                "file_bytes": size, "data_bytes": size - min(offsets, default=0)}

    def clean(self):
        """Disables the tracing that a killed trace-cmd leaves enabled."""
        for event in self.kernel_events:
            path = f"{system.TRACEFS}/events/{event.replace(':', '/')}/enable"
            if os.path.exists(path) and self._enabled(event):
                with open(path, "w", encoding="ascii") as file:
                    file.write("0\n")
        path = f"{system.TRACEFS}/tracing_on"
        if os.path.exists(path):
            with open(path, "w", encoding="ascii") as file:
                file.write("1\n")


class BpftraceCount(Recorder):
    """Counts per CPU and writes nothing: the minimum cost of BPF programs on these tracepoints."""

    needs = ("bpftrace",)

    def __init__(self, name, kind, events):
        super().__init__(name, kind)
        self.kernel_events = events

    def version(self):
        return _first_line(["bpftrace", "--version"])

    def command(self, folder):
        return ["bpftrace", "-e", " ".join(f"tracepoint:{event} {{ @{event.partition(':')[2]} = count(); }}"
                                           for event in self.kernel_events)]

    def wait_ready(self, program, folder):
        # bpftrace waits for the end once it has a descriptor per probe.
        def attached():
            links = 0
            for path in glob.glob(f"/proc/{program.pid}/fd/*"):
                try:
                    links += "perf_event" in os.readlink(path)
                except OSError:
                    pass
            return links >= len(self.kernel_events)

        self._until(program, attached, pause=0.02)
        time.sleep(0.2)

    def results(self, program, folder):
        counts = re.findall(r"@\w+: (\d+)", program.output())
        return {"events": sum(int(count) for count in counts), "lost": 0, "file_bytes": 0, "data_bytes": 0}


class BpftraceStacks(BpftraceCount):
    """Adds up off-CPU time by user and kernel stack, like offcputime but without a function probe."""

    SCRIPT = """tracepoint:sched:sched_switch {
  @switches = count();
  if (args->prev_state) { @since[args->prev_pid] = nsecs; @k[args->prev_pid] = kstack; @u[args->prev_pid] = ustack; }
  $since = @since[args->next_pid];
  if ($since) {
    @off[@k[args->next_pid], @u[args->next_pid], args->next_comm] = sum(nsecs - $since);
    delete(@since[args->next_pid]);
  }
}
END { clear(@since); clear(@k); clear(@u); }"""

    def command(self, folder):
        return ["bpftrace", "-e", self.SCRIPT]

    def results(self, program, folder):
        counts = re.findall(r"@switches: (\d+)", program.output())
        size = len(program.output())
        return {"events": sum(int(count) for count in counts), "lost": 0, "file_bytes": size, "data_bytes": size}


def all_recorders(build):
    binary = os.path.join(build, "fxt-record")
    switch_only, both = (SWITCH,), (SWITCH, WAKING)
    return [
        FxtRecord("fxt-record", "wakeups", binary),
        FxtRecord("fxt-record switches", "switches", binary, ["-c", "sched:switch"]),
        FxtRecord("fxt-record gzip", "wakeups", binary, suffix=".fxt.gz"),
        FxtRecord("fxt-record stacks", "stacks", binary, ["-c", "sched:switch,stack:off"]),
        FxtRecord("fxt-record stacks of all sleeps", "stacks", binary,
                  ["-c", "sched:switch,stack:off", "--stack-min", "1ns"]),
        Perf("perf record stacks", "stacks", ["record", "-a", "-g", "-e", SWITCH]),
        BpftraceStacks("bpftrace stacks", "stacks", switch_only),
        Perf("perf sched record", "wakeups", ["sched", "record"]),
        Perf("perf record wakeups", "wakeups", ["record", "-a", "-e", SWITCH, "-e", WAKING]),
        Perf("perf record switches", "switches", ["record", "-a", "-e", SWITCH]),
        TraceCmd("trace-cmd wakeups", "wakeups", both),
        TraceCmd("trace-cmd switches", "switches", switch_only),
        BpftraceCount("bpftrace wakeups", "wakeups", both),
        BpftraceCount("bpftrace switches", "switches", switch_only),
    ]
