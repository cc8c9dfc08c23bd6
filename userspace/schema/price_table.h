// SPDX-License-Identifier: BSD-2-Clause
// The cost of each category and option as measured by `make bench-prices`; the only source of these
// figures. scripts/bench_prices --update writes the lines here and in docs/performance.md.
#pragma once

// clang-format off
// X(name, of, ns, bytes): `name` is a category, a part of one, or an option; `of` describes one
// event; `ns` is the time added to the code that causes it; `bytes` is its size in the file. -1:
// not known.
#define FXT_PRICE_TABLE(X)                                                       \
  X("sched", "switch or wakeup", 130, 25)                                        \
  X("sched:switch", "switch", 190, 16)                                           \
  X("-z", "switch or wakeup: CPU time of compression", 54, 4)                    \
  X("task", "rename", 390, 248)                                                  \
  X("log", "message", 470, 64)                                                   \
  X("wait", "sleep of 100 us or more", -1, 80)                                   \
  X("irq", "begin or end of a handler", 0, 16)                                   \
  X("softirq", "begin or end of a handler", 140, 16)                             \
  X("syscall", "begin or end of a call", 150, 20)                                \
  X("stack", "switch, most sleeps shorter than --stack-min: stack:off", 820, 16) \
  X("stack:off", "sleep whose stack is kept, with its two switches", 1400, 105)  \
  X("--stack-min 1ns", "switch, every sleep's stack kept", 990, 49)              \
  X("stack:wake", "sleep whose waker's stack is kept", 1800, 80)                 \
  X("stack:on", "sample of what runs, at 999 Hz", 42000, 93)                     \
  X("probe", "begin or end of a function: --uprobe", 6100, 16)                   \
  X("--uprobe +retval", "the same, with what it returns", 6500, 20)              \
  X("--uprobe +entry", "entry of a function", 11000, 16)                         \
  X("--usdt", "USDT probe with two arguments", 830, 48)                          \
  X("tracepoint", "event of -e task:task_rename", 1100, 144)                     \
  X("counter", "switch, with --counters task-clock,page-faults", 720, 72)        \
  X("block", "insert, issue or completion of a request", 720, 45)                \
  X("fault", "page fault", 99, 48)                                               \
  X("power", "change of a CPU's idle state", 87, 40)                             \
  X("signal", "signal generated or delivered", 220, 52)                          \
  X("ipi", "interrupt sent, or begin or end of its handler", 0, 32)              \
  X("workqueue", "work queued, begun or ended", 0, 18)                           \
  X("timer", "begin or end of an expiry", 770, 16)                               \
  X("net", "packet queued, sent or received", 240, 35)                           \
  X("oom", "process killed; its time is lost in that of killing it", -1, 73)     \
  X("reclaim", "begin or end of a reclaim", 0, 44)                               \
  X("lock", "begin or end of a wait for a lock", 200, 32)                        \
  X("request", "begin or end of a request", 220, 52)                             \
  X("settings", "process that is read; another thread reads it", -1, -1)         \
  X("lbr", "branch stack of a sample; no such CPU was at hand", -1, -1)

// clang-format on
