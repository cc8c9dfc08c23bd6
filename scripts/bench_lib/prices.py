# SPDX-License-Identifier: BSD-2-Clause
"""The entries of the price list: a load and the recorders for each category and option."""

import contextlib
import os
import re
import signal
import subprocess

from . import system
from .process import Program
from .recorders import BpftraceCount, BpftraceStacks, FxtRecord, Perf, RecorderError, TraceCmd
from .workloads import Workload

OURS = "fxt-record"
PEERS = ("perf record", "trace-cmd", "bpftrace")
LOAD = "bench/prices_load"
DEVKMSG = "/proc/sys/kernel/printk_devkmsg"
PROBES = "fxtprices"
LITTLE_MEMORY = 16 << 20
FILE_BYTES = 64 << 20
PRINT_STOP_LIMIT = 15


class Price:
    """`of`: the kind of event. `load`: a load of prices_load with its units. `ours`: options of fxt-record.
    `events`: the events of the peers; `peers`: recorders instead of those for `events`. `memory`: the load has little
    memory. `timed`: False if the time of the load varies by more than a recorder adds. `beside`: options of a second
    run, whose CPU time of load and recorder is compared with that of `ours`. `frequency`: samples a second of the load's
    CPU; recorders count those of other CPUs as well, and some those of idle ones."""

    def __init__(self, name, of, load, count, ours, events=(), peers=None, memory=False, timed=True, beside=None,
                 per_switch=False, file=False, frequency=0):
        self.name, self.of, self.load, self.count, self.ours = name, of, load, count, list(ours)
        self.events, self.peers, self.memory, self.timed, self.beside = list(events), peers, memory, timed, beside
        self.per_switch, self.file, self.frequency = per_switch, file, frequency


class BpftracePrint(BpftraceCount):
    """Prints a line with the time and the task for every event."""

    def __init__(self, name, probes):
        super().__init__(name, "", probes)

    def command(self, folder):
        return ["bpftrace", "-e", " ".join(f'{probe} {{ printf("%lu %d {number}\\n", nsecs, tid); }}'
                                           for number, probe in enumerate(self.kernel_events))]

    def wait_ready(self, program, folder):
        """Checks the descriptors of its probes, because its output is buffered."""
        def attached():
            links = 0
            for entry in os.listdir(f"/proc/{program.pid}/fd"):
                with contextlib.suppress(OSError):
                    target = os.readlink(f"/proc/{program.pid}/fd/{entry}")
                    links += "bpf_link" in target or "bpf-link" in target or target.startswith("anon_inode:[perf_event]")
            # The ring has a descriptor for each CPU.
            return links >= len(self.kernel_events) + len(system.online_cpus())

        self._until(program, attached, pause=0.02)

    def stop(self, program):
        """Stops bpftrace. If its own wakeup is an event, it may never end."""
        program.signal(signal.SIGINT)
        if not program.wait(PRINT_STOP_LIMIT):
            raise RecorderError(f"{self.name} did not end within {PRINT_STOP_LIMIT} s")

    def results(self, program, folder):
        with open(program.output_path, "rb") as file:
            lines = sum(chunk.count(b"\n") for chunk in iter(lambda: file.read(1 << 20), b""))
        lost = sum(int(number) for number in re.findall(r"Lost (\d+) events", program.output()))
        size = os.path.getsize(program.output_path)
        return {"events": max(lines - 1, 0), "lost": lost, "file_bytes": size, "data_bytes": size}


class BpftraceScript(BpftraceStacks):
    """A script that counts its events in @switches."""

    def __init__(self, name, script, links=1):
        super().__init__(name, "stacks", ["x"] * links)
        self.SCRIPT = script


class TraceCmdStacks(TraceCmd):
    """Counts events with their kernel stack."""

    def command(self, folder):
        command = super().command(folder)
        at = command.index("record") + 1
        return [*command[:at], "-T", *command[at:]]

    def results(self, program, folder):
        # Each stack is a separate entry.
        found = super().results(program, folder)
        return {**found, "events": found["events"] // 2}


class LittleMemory:
    """A control group that a load joins, with less memory than it needs."""

    def __init__(self):
        self.path = None
        for root, limit in (("/sys/fs/cgroup/memory", "memory.limit_in_bytes"), ("/sys/fs/cgroup", "memory.max")):
            path = os.path.join(root, f"fxt-prices-{os.getpid()}")
            if not os.path.isdir(root):
                continue
            try:
                os.mkdir(path)
                with open(os.path.join(path, limit), "w", encoding="ascii") as file:
                    file.write(str(LITTLE_MEMORY))
            except OSError:
                with contextlib.suppress(OSError):
                    os.rmdir(path)
                continue
            self.path = path
            return

    def join(self):
        with open(os.path.join(self.path, "cgroup.procs"), "w", encoding="ascii") as file:
            file.write(str(os.getpid()))

    def remove(self):
        if self.path:
            with contextlib.suppress(OSError):
                os.rmdir(self.path)


class PriceLoad(Workload):
    """A run returns `cost_ns`, `units` and `load_events` (0: unknown)."""

    cpus = 1

    def __init__(self, price, build, file, memory, scale):
        self.name, self.program, self.file = price.name, os.path.join(build, LOAD), file
        self.load, self.count, self.frequency = price.load, max(int(price.count * scale), 1), price.frequency
        self.group = memory if price.memory else None

    def run(self, folder):
        program = Program([self.program, self.load, str(self.count), self.file], folder, "load", self.group)
        self._wait([program])
        cost, events, units = (int(word) for word in program.output().split())
        events = events or round(cost / 1e9 * self.frequency)
        return {"seconds": cost / 1e9, "cpu_seconds": self._cpu([program]), "cost_ns": cost, "load_events": events,
                "units": units}


def recorders_of(price, build):
    """Returns the recorders, ours first. None stands for a recorder without this feature."""
    binary = os.path.join(build, "fxt-record")
    found = []
    if price.beside is not None:
        found.append(FxtRecord("beside", "", binary, price.beside))
    suffix = ".fxt.gz" if "-z" in price.ours else ".fxt"
    found.append(FxtRecord(OURS, "", binary, price.ours, suffix))
    if price.peers is not None:
        return found + price.peers
    if price.events:
        selected = [word for event in price.events for word in ("-e", event)]
        found += [Perf("perf record", "", ["record", "-a", *selected]), TraceCmd("trace-cmd", "", price.events),
                  BpftracePrint("bpftrace", [f"tracepoint:{event}" for event in price.events])]
    return found


def present(events):
    """Returns the events that this kernel has."""
    return [event for event in events if os.path.isdir(f"{system.TRACEFS}/events/{event.replace(':', '/')}")]


class FunctionProbes:
    """Creates events in tracefs for a function's entry and return, for perf and trace-cmd."""

    def __init__(self, program, symbol):
        self.events = []
        symbols = subprocess.run(["nm", program], capture_output=True, text=True, check=True).stdout
        address = int(re.search(rf"^([0-9a-f]+) T {symbol}$", symbols, re.MULTILINE)[1], 16)
        segments = subprocess.run(["readelf", "-lW", program], capture_output=True, text=True, check=True).stdout
        for offset, begin, size in re.findall(r"LOAD +0x([0-9a-f]+) 0x([0-9a-f]+) 0x[0-9a-f]+ 0x([0-9a-f]+)", segments):
            offset, begin, size = int(offset, 16), int(begin, 16), int(size, 16)
            if begin <= address < begin + size:
                place = f"{os.path.abspath(program)}:{address - begin + offset:#x}"
        for kind, name in (("p", "entry"), ("r", "back")):
            with contextlib.suppress(OSError):
                self._write(f"{kind}:{PROBES}/{name} {place}\n")
                self.events.append(f"{PROBES}:{name}")

    @staticmethod
    def _write(text):
        # Python's append mode seeks, which the kernel refuses here.
        file = os.open(f"{system.TRACEFS}/uprobe_events", os.O_WRONLY | os.O_APPEND)
        try:
            os.write(file, text.encode())
        finally:
            os.close(file)

    def remove(self):
        for event in self.events:
            with contextlib.suppress(OSError):
                self._write(f"-:{event.replace(':', '/')}\n")


@contextlib.contextmanager
def kernel_log_open():
    """Lifts the rate limit of kernel messages from programs."""
    before = system.read_text(DEVKMSG).strip()
    with contextlib.suppress(OSError), open(DEVKMSG, "w", encoding="ascii") as file:
        file.write("on\n")
    try:
        yield
    finally:
        with contextlib.suppress(OSError), open(DEVKMSG, "w", encoding="ascii") as file:
            file.write(before + "\n")


def all_prices(build, function_events):
    """Returns the prices in the order of the list. Names are categories, parts of categories, and options."""
    switch, waking = "sched:sched_switch", "sched:sched_waking"
    load = os.path.abspath(os.path.join(build, LOAD))
    function = f"{load}:probed_function"
    wakers = "tracepoint:sched:sched_waking { @switches = count(); @[kstack, ustack, comm] = count(); }"
    samples = "profile:hz:999 { @switches = count(); @[kstack, ustack, comm] = count(); }"

    def functions(events, probes):
        selected = [word for event in events for word in ("-e", event)]
        peers = [Perf("perf record", "", ["record", "-a", *selected]), TraceCmd("trace-cmd", "", events)] if events else []
        return peers + [BpftracePrint("bpftrace", probes)]

    return [
        Price("sched", "switch or wakeup", "sched", 40_000, ["-c", "sched"], [switch, waking]),
        Price("sched:switch", "switch", "switch", 40_000, ["-c", "sched:switch"], [switch]),
        Price("-z", "switch or wakeup: CPU time of compression", "sched", 40_000, ["-c", "sched", "-z"], peers=[],
              beside=["-c", "sched"]),
        Price("task", "rename", "rename", 200_000, ["-c", "task"], ["task:task_rename"]),
        Price("log", "message", "log", 20_000, ["-c", "log"], ["printk:console"]),
        Price("wait", "sleep of 100 us or more", "sleep", 2_000, ["-c", "wait"]),
        Price("irq", "begin or end of a handler", "read", 2_500, ["-c", "irq"],
              ["irq:irq_handler_entry", "irq:irq_handler_exit"], file=True),
        Price("softirq", "begin or end of a handler", "softirq", 60_000, ["-c", "softirq"],
              ["irq:softirq_entry", "irq:softirq_exit"]),
        Price("syscall", "begin or end of a call", "syscall", 300_000, ["-c", "syscall"],
              ["raw_syscalls:sys_enter", "raw_syscalls:sys_exit"]),
        Price("stack", "switch, most sleeps shorter than --stack-min: stack:off", "switch", 240_000,
              ["-c", "sched:switch,stack:off"], per_switch=True,
              peers=[Perf("perf record", "", ["record", "-a", "-g", "-e", switch]), TraceCmdStacks("trace-cmd", "", [switch]),
                     BpftraceStacks("bpftrace", "", [switch])]),
        Price("stack:off", "sleep whose stack is kept, with its two switches", "sleep", 2_000,
              ["-c", "sched:switch,stack:off"],
              peers=[Perf("perf record", "", ["record", "-a", "-g", "-e", switch]), TraceCmdStacks("trace-cmd", "", [switch]),
                     BpftraceStacks("bpftrace", "", [switch])]),
        Price("--stack-min 1ns", "switch, every sleep's stack kept", "switch", 240_000,
              ["-c", "sched:switch,stack:off", "--stack-min", "1ns"], per_switch=True,
              peers=[Perf("perf record", "", ["record", "-a", "-g", "-e", switch]),
                     BpftraceStacks("bpftrace", "", [switch])]),
        Price("stack:wake", "sleep whose waker's stack is kept", "sleep", 2_000, ["-c", "stack:wake"],
              peers=[Perf("perf record", "", ["record", "-a", "-g", "-e", waking]), TraceCmdStacks("trace-cmd", "", [waking]),
                     BpftraceScript("bpftrace", wakers)]),
        Price("stack:on", "sample of what runs, at 999 Hz", "compute", 400_000,
              ["-c", "stack:on", "--stack-frequency", "999"], frequency=999,
              peers=[Perf("perf record", "", ["record", "-a", "-g", "-F", "999", "-e", "cpu-clock"]),
                     BpftraceScript("bpftrace", samples)]),
        Price("probe", "begin or end of a function: --uprobe", "call", 12_000, ["--uprobe", function],
              peers=functions(function_events, [f"uprobe:{function}", f"uretprobe:{function}"])),
        Price("--uprobe +retval", "the same, with what it returns", "call", 12_000, ["--uprobe", function + "+retval"],
              peers=[]),
        Price("--uprobe +entry", "entry of a function", "entry", 20_000, ["--uprobe", function + "+entry"],
              peers=functions(function_events[:1], [f"uprobe:{function}"])),
        Price("--usdt", "USDT probe with two arguments", "usdt", 20_000, ["--usdt", f"{load}:prices:point"],
              peers=[BpftracePrint("bpftrace", [f"usdt:{load}:prices:point"])]),
        Price("tracepoint", "event of -e task:task_rename", "rename", 200_000, ["-c", "tracepoint", "-e", "task:task_rename"],
              ["task:task_rename"]),
        Price("counter", "switch, with --counters task-clock,page-faults", "switch", 40_000,
              ["-c", "sched:switch", "--counters", "task-clock,page-faults"], per_switch=True,
              peers=[Perf("perf record", "", ["record", "-a", "-e", "{sched:sched_switch,task-clock,page-faults}:S"])]),
        Price("block", "insert, issue or completion of a request", "read", 2_500, ["-c", "block"],
              ["block:block_rq_insert", "block:block_rq_issue", "block:block_rq_complete", "block:block_rq_merge"], file=True),
        Price("fault", "page fault", "fault", 150_000, ["-c", "fault"],
              present(["exceptions:page_fault_user", "exceptions:page_fault_kernel"])),
        Price("power", "change of a CPU's idle state", "idle", 15_000, ["-c", "power"],
              ["power:cpu_idle", "power:cpu_frequency"]),
        Price("signal", "signal generated or delivered", "signal", 100_000, ["-c", "signal"],
              ["signal:signal_generate", "signal:signal_deliver"]),
        Price("ipi", "interrupt sent, or begin or end of its handler", "ipi", 50_000, ["-c", "ipi"],
              present(["ipi:ipi_send_cpu", "ipi:ipi_send_cpumask",
                       *(f"irq_vectors:{name}_{end}" for end in ("entry", "exit")
                         for name in ("reschedule", "call_function", "call_function_single"))])),
        Price("workqueue", "work queued, begun or ended", "work", 20_000, ["-c", "workqueue"],
              [f"workqueue:workqueue_{name}" for name in ("queue_work", "execute_start", "execute_end")]),
        Price("timer", "begin or end of an expiry", "timer", 20_000, ["-c", "timer"],
              [f"timer:{name}_expire_{end}" for name in ("timer", "hrtimer") for end in ("entry", "exit")]),
        Price("net", "packet queued, sent or received", "packet", 60_000, ["-c", "net"],
              ["sock:inet_sock_set_state", "net:net_dev_queue", "net:net_dev_xmit", "net:netif_receive_skb"]),
        Price("request", "begin or end of a request", "exchange", 50_000, ["-c", "request"],
              present(["sock:sock_recv_length", "tcp:tcp_sendmsg_locked"])),
        Price("oom", "process killed; its time is lost in that of killing it", "oom", 10, ["-c", "oom"], ["oom:mark_victim"],
              memory=True, timed=False),
        Price("reclaim", "begin or end of a reclaim", "reclaim", 2_000, ["-c", "reclaim"],
              present([f"vmscan:mm_vmscan_{kind}_reclaim_{end}" for kind in ("direct", "memcg") for end in ("begin", "end")]),
              memory=True, file=True),
        Price("lock", "begin or end of a wait for a lock", "lock", 300_000, ["-c", "lock"],
              present(["lock:contention_begin", "lock:contention_end"])),
    ]
