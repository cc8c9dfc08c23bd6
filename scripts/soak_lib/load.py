# SPDX-License-Identifier: BSD-2-Clause
"""What a soak keeps a machine busy with."""

import subprocess
import threading
import time

LOAD_S, REST_S = 240, 60


class Load(threading.Thread):
    """Switches and short processes, in bursts of a second, in turn with rests."""

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
                # There and back are two switches.
                self.call("pingpong", "--cpu", "0", "--count", str(self.rate // 2))
                self.call("forkstorm", "--count", str(self.processes))
            self.ending.wait(max(0.0, 1 - (time.monotonic() - burst)))

    def call(self, *arguments):
        subprocess.run([self.workload, *arguments], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                       check=False, timeout=120)
