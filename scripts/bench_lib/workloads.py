# SPDX-License-Identifier: BSD-2-Clause
"""The workloads. Each does a fixed amount of work, so its time shows the cost of recording."""

import os
import re
import shutil
import time

from . import system
from .process import Program

TIME_LIMIT = 600


class Workload:
    """`run` returns seconds, cpu_seconds and, if it is known more exactly than by the kernel's count, switches."""

    name = ""
    about = ""
    needs = ()
    # The number of busy CPUs. A slowdown counts on all of them.
    cpus = 1

    def missing(self):
        return [program for program in self.needs if not shutil.which(program)]

    def run(self, folder):
        raise NotImplementedError

    def _wait(self, programs):
        for program in programs:
            if not program.wait(TIME_LIMIT) or program.exit_code != 0:
                for other in programs:
                    other.kill()
                raise RuntimeError(f"{self.name}: failed with {program.exit_code}: {program.output()[-300:]}")

    @staticmethod
    def _cpu(programs):
        return sum(program.usage.ru_utime + program.usage.ru_stime for program in programs)


class PingPong(Workload):
    name = "pingpong"
    about = "perf bench sched pipe, pinned to one CPU"
    needs = ("perf",)

    def __init__(self, scale):
        self.loops = int(500_000 * scale)

    def placement(self):
        return [system.last_cpu()]

    def run(self, folder):
        programs = [Program(["perf", "bench", "sched", "pipe", "-l", str(self.loops)], folder, f"pipe{cpu}", cpus={cpu})
                    for cpu in self.placement()]
        self._wait(programs)
        seconds = max(float(re.search(r"([\d.]+) usecs/op", program.output()).group(1)) * self.loops / 1e6
                      for program in programs)
        return {"seconds": seconds, "cpu_seconds": self._cpu(programs), "switches": 2 * self.loops * len(programs)}


class PingPongEverywhere(PingPong):
    name = "pingpong-all"
    about = "one such pair on every CPU at once"

    def __init__(self, scale):
        super().__init__(scale)
        self.cpus = len(system.online_cpus())

    def placement(self):
        return system.online_cpus()


class Messaging(Workload):
    name = "messaging"
    needs = ("perf",)

    def __init__(self, scale, groups=10):
        self.groups = groups
        self.loops = max(int(250 * scale), 1)
        self.cpus = len(system.online_cpus())
        self.about = f"perf bench sched messaging, {40 * groups} processes"

    def run(self, folder):
        program = Program(["perf", "bench", "sched", "messaging", "-g", str(self.groups), "-l", str(self.loops)],
                          folder, "messaging")
        self._wait([program])
        seconds = float(re.search(r"Total time: ([\d.]+)", program.output()).group(1))
        return {"seconds": seconds, "cpu_seconds": self._cpu([program])}


class StressSwitch(Workload):
    name = "switch"
    about = "stress-ng --switch, two pairs on any CPU"
    needs = ("stress-ng",)

    def __init__(self, scale):
        self.operations = int(800_000 * scale)
        self.cpus = len(system.online_cpus())

    def run(self, folder):
        program = Program(["stress-ng", "--switch", "2", "--switch-ops", str(self.operations), "--metrics-brief",
                           "--temp-path", folder], folder, "switch")
        self._wait([program])
        row = re.search(r"\] switch +\d+ +([\d.]+) ", program.output())
        return {"seconds": float(row.group(1)), "cpu_seconds": self._cpu([program])}


class ForkStorm(Workload):
    name = "forkstorm"

    def __init__(self, scale, program):
        self.count = int(15_000 * scale)
        self.program = program
        self.cpus = len(system.online_cpus())
        self.about = f"{self.count} processes that come and go, four at a time"

    def missing(self):
        return [] if os.access(self.program, os.X_OK) else [self.program]

    def run(self, folder):
        begin = time.monotonic()
        program = Program([self.program, "--time-limit", str(TIME_LIMIT), "forkstorm", "--count", str(self.count),
                           "--parallel", "4"], folder, "forkstorm")
        self._wait([program])
        return {"seconds": time.monotonic() - begin, "cpu_seconds": self._cpu([program])}


class Idle(Workload):
    name = "idle"

    def __init__(self, scale):
        self.seconds = max(10 * scale, 1)
        self.about = f"nothing, for {self.seconds:.0f} s"

    def run(self, folder):
        time.sleep(self.seconds)
        return {"seconds": self.seconds, "cpu_seconds": 0}


def all_workloads(scale, build):
    return [PingPong(scale), PingPongEverywhere(scale), Messaging(scale), StressSwitch(scale),
            ForkStorm(scale, os.path.join(build, "tests/workload")), Idle(scale)]
