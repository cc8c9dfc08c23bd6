# SPDX-License-Identifier: BSD-2-Clause
"""Runs one workload with or without a recorder."""

import os
import shutil
import time

from . import system
from .process import CpuGroup


def measure(workload, recorder, folder):
    """Returns all measurements as numbers; report.py formats them."""
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    try:
        return _measure(workload, recorder, folder)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _run_workload(workload, folder):
    switches, busy, begin = system.context_switches(), system.busy_seconds(), time.monotonic()
    found = workload.run(folder)
    found["all_switches"] = system.context_switches() - switches
    found["busy_seconds"] = system.busy_seconds() - busy
    found["window_seconds"] = time.monotonic() - begin
    found.setdefault("switches", found["all_switches"])
    return found


def _measure(workload, recorder, folder):
    if recorder is None:
        run = _run_workload(workload, folder)
        run["other_seconds"] = max(run["busy_seconds"] - run["cpu_seconds"], 0)
        return run
    group = CpuGroup("fxt-bench")
    program = None
    try:
        switches_before = system.context_switches()
        program = recorder.start(folder, group)
        start_seconds = time.monotonic() - program.started
        start_cpu = program.cpu_seconds()
        sleeps = program.sleeps()
        run = _run_workload(workload, folder)
        run_cpu = program.cpu_seconds() - start_cpu
        sleeps = program.sleeps() - sleeps
        peak = program.peak_resident()
        stopped = time.monotonic()
        recorder.stop(program)
        run["stop_seconds"] = time.monotonic() - stopped
        run["exit_code"] = program.exit_code
        run.update(recorder.results(program, folder))
        run.update(start_seconds=start_seconds, start_cpu_seconds=start_cpu, run_cpu_seconds=run_cpu,
                   recorder_cpu_seconds=program.cpu_seconds(), sleeps=sleeps, peak_bytes=peak,
                   recorded_window_switches=system.context_switches() - switches_before,
                   other_seconds=max(run["busy_seconds"] - run["cpu_seconds"] - run_cpu, 0))
        return run
    finally:
        if program:
            program.kill()
        recorder.clean()
        group.remove()
