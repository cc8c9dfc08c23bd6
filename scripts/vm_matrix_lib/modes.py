# SPDX-License-Identifier: BSD-2-Clause
"""The modes of a guest. Each is a function mode_NAME of tests/vm/guest/modes.sh."""

import wait_truth

from .guest import Boot

# In the order of the table and of the boots. `lockdown` is permanent, so it is the last of a shared boot.
MODES = {
    "probe": "loading and attaching of BPF programs by bpf(2) alone",
    "truth": "exactly the switches that ftrace recorded in the same seconds",
    "categories": "every category listed as available records, and every other one is refused by name",
    "arguments": "arguments, return values and filters of programs' functions, compared with the program's own output, and of the "
                 "kernel's functions, compared with ftrace's kprobes; before 5.15 they are refused with the reason",
    "unwound": "stacks of programs and a C library without frame pointers, compared with the program's own clock and the C library's "
               "unwinder",
    "no_tracefs": "tracefs is not mounted",
    "read_only": "the root file system cannot be written",
    "cpu_offline": "a CPU goes offline and comes back during the capture, compared with ftrace",
    "clock_set": "the wall clock is set to 2001 and back during the capture, compared with ftrace",
    "pid_max": "process ids wrap around at 500, compared with ftrace",
    "wakers": "wakeups by a timer have no waker, those through a pipe have the right one",
    "time_namespace": "recorded inside time namespaces ahead of the machine's clocks and behind them, compared with ftrace",
    "pid_namespace": "recorded inside a pid namespace, compared with ftrace and with the machine's /proc; filters use the "
                     "namespace's pids",
    "capabilities": "an ordinary user with CAP_BPF and CAP_PERFMON; a message about `ulimit -l` if that is the limit",
    "unprivileged": "an ordinary user without capabilities: a message with the requirements",
    "hardened": "the strictest settings of kptr_restrict, dmesg_restrict, perf_event_paranoid and BPF",
    "lockdown": "records under lockdown=integrity; a message with the reason under confidentiality",
    "one_cpu": "a machine with one CPU, compared with ftrace",
    "small_memory": "a machine with 128 MiB of memory",
    "many_cpus": "a machine with 16 CPUs, all under load, compared with ftrace",
    "waits": "the objects that threads waited for, compared with a program that knows them (figures: waits.md)",
    "limits": "why runnable threads did not run: quotas, affinity, weights and real-time throttling, compared with the times "
              "of the program or of the kernel's cgroup",
    "possible_cpus": "a machine with 4 of 240 possible CPUs: the reported memory is that of 4",
}
# These take minutes to half an hour for a kernel, and run when they are asked for.
LONG_MODES = ("waits", "limits")
SHORT_MODES = ("probe", "truth", "categories")

# Modes with their own machine. All others share one boot.
SPECIAL = {
    # An instruction takes a nanosecond of the guest's time, however busy the host is: the program's own clock and the kernel's
    # have the same sleeps. Several CPUs would take turns of milliseconds.
    "unwound": {"cpus": 1, "limit_s": 600, "qemu_words": ("-icount", "shift=0,sleep=off")},
    "one_cpu": {"cpus": 1},
    "small_memory": {"memory_mib": 128},
    # ftrace needs 16 MiB for each CPU, twice.
    "many_cpus": {"cpus": 16, "memory_mib": 4096, "limit_s": 600},
    "waits": {"memory_mib": 1024, "limit_s": 5400, "file_system": True},
    "limits": {"limit_s": 600},
    "possible_cpus": {"cpus": 4, "possible_cpus": 240, "memory_mib": 1024},
}

# The time limit of a mode in a guest on a busy host, in seconds.
BASE_LIMIT_S = 60
MODE_LIMIT_S = 60


# Waits of each kind: of 1,000 at least the thread is asleep in time.
WAITS = 1050
EXCHANGES = 10000


def waits_words(waits=WAITS, exchanges=EXCHANGES, subjects=wait_truth.SUBJECTS):
    """Returns the kernel's words for mode `waits`: waits of each kind, exchanges over each kind of socket, recordings."""
    return f"vm.waits={waits} vm.exchanges={exchanges} vm.subjects={','.join(subjects)}"


def boots(wanted, time_factor=1, words_of_waits=waits_words()):
    """Returns the guests for the `wanted` modes. `time_factor` multiplies their time limits."""
    wanted = [mode for mode in MODES if mode in wanted]
    shared = [mode for mode in wanted if mode not in SPECIAL]
    result = []
    if shared:
        result.append(Boot(shared, limit_s=BASE_LIMIT_S + MODE_LIMIT_S * len(shared)))
    for mode in wanted:
        if mode in SPECIAL:
            result.append(Boot([mode], **{"limit_s": BASE_LIMIT_S + MODE_LIMIT_S, **SPECIAL[mode]}))
    for boot in result:
        if "waits" in boot.modes:
            boot.kernel_words = words_of_waits
        boot.limit_s *= time_factor
        boot.time_factor = time_factor
    return result
