# SPDX-License-Identifier: BSD-2-Clause
"""The load of a soak test."""

import subprocess
import threading
import time

LOAD_S, REST_S = 240, 60


class Load(threading.Thread):
    """Switches and short processes in bursts of a second that alternate with rests."""

    def __init__(self, workload, rate, processes):
        super().__init__(daemon=True)
        self.workload, self.rate, self.processes = workload, rate, processes
        self.ending = threading.Event()
        self.resting = False
        self.begin = time.monotonic()

    def run(self):
        while not self.ending.is_set():
            self.resting = (time.monotonic() - self.begin) % (LOAD_S + REST_S) >= LOAD_S
            burst = time.monotonic()
            if not self.resting:
                # A round trip is two switches.
                self.call("pingpong", "--cpu", "0", "--count", str(self.rate // 2))
                self.call("forkstorm", "--count", str(self.processes))
            self.ending.wait(max(0.0, 1 - (time.monotonic() - burst)))

    def call(self, *arguments):
        subprocess.run([self.workload, *arguments], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                       check=False, timeout=120)
