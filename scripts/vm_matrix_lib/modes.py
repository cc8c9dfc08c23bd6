# SPDX-License-Identifier: BSD-2-Clause
"""The modes of a guest. Each is a function mode_NAME of tests/vm/guest/modes.sh."""

import wait_truth

from .guest import Boot

# In the order of the table and of the boots. `lockdown` is permanent, so it is the last of a shared boot.
MODES = {
    "probe": "what bpf(2) itself allows",
    "truth": "switch by switch what ftrace has of the same seconds, nothing missing and nothing more",
    "categories": "every category that is called available records, every other one is refused by name",
    "arguments": "arguments, returned values and filters of programs' functions, held against what the program prints, and of the "
                 "kernel's functions, held against ftrace's own kprobes; before 5.15 they are refused with the reason",
    "unwound": "stacks of programs and a C library without frame pointers, held against the program's own clock and the C library's "
               "unwinder",
    "no_tracefs": "tracefs is not mounted",
    "read_only": "the root file system cannot be written",
    "cpu_offline": "a CPU goes offline and comes back during the capture, held against ftrace",
    "clock_set": "the wall clock is set to 2001 and back during the capture, held against ftrace",
    "pid_max": "process ids go round within 500, held against ftrace",
    "wakers": "wakeups by a timer name no waker, those through a pipe name theirs",
    "time_namespace": "recorded inside time namespaces ahead of the machine's clocks and behind them, held against ftrace",
    "pid_namespace": "recorded inside a pid namespace, held against ftrace and against what the machine's /proc says of "
                     "every task; filters take the namespace's numbers",
    "capabilities": "an ordinary user with CAP_BPF and CAP_PERFMON; a message about `ulimit -l` where that is the limit",
    "unprivileged": "an ordinary user without capabilities: a message with the requirements",
    "hardened": "the strictest settings of kptr_restrict, dmesg_restrict, perf_event_paranoid and BPF",
    "lockdown": "records under lockdown=integrity, says why it cannot under confidentiality",
    "one_cpu": "a machine of one CPU, held against ftrace",
    "small_memory": "a machine of 128 MiB",
    "many_cpus": "a machine of 16 CPUs with a load on all of them, held against ftrace",
    "waits": "what threads waited for, held against a program that knows it of each of its waits (waits.md has the figures)",
    "limits": "why runnable threads did not run: quotas, affinity, weights and real-time throttling, held against the time that "
              "the program or the kernel's cgroup says",
    "possible_cpus": "a machine of 4 CPUs that could have 240: the reported memory is that of 4",
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
