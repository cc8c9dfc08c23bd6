// SPDX-License-Identifier: BSD-2-Clause
// Parses the condition of a trigger:
//
//   wakeup_latency > 20ms          from its wakeup until a thread runs
//   runnable > 20ms                preempted, until it runs again
//   off_cpu > 1s                   asleep, until it runs again
//   slice > 50ms                   on a CPU without a break
//   exit != 0                      the exit status of the command; also exit == N, and exit alone
//   signal                         SIGUSR1
//   alert NAME                     a client or a provider sends it; at most 14 bytes
//   psi cpu some 20% 1s            pressure: stalled for 20% of any second
//   log REGEX                      a line of the kernel's log matches (POSIX extended)
//
// followed by options: comm=NAME pid=N cgroup=PATH (of the thread, for the first four), state=S (D,
// S, T... for off_cpu), before=TIME after=TIME, per_minute=N, count=N. Values with blanks are
// quoted by '' or "".
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "util/result.h"

namespace session {

enum class TriggerKind : uint8_t {
  kWakeupLatency,
  kRunnable,
  kOffCpu,
  kSlice,
  kExit,
  kSignal,
  kAlert,
  kPressure,
  kLog,
};

struct TriggerSpec {
  static constexpr size_t kMaxAlertBytes = 14;  // fuchsia.tracing.controller's
  static constexpr uint64_t kDefaultPerMinute = 6;
  static constexpr uint64_t kDefaultCount = 100;

  std::string text;  // as it was given
  TriggerKind kind = TriggerKind::kSignal;
  uint64_t above = 0;  // ns; of the first four kinds
  // Only these threads; empty or 0: any.
  std::string comm;
  uint32_t pid = 0;  // a thread's id or a process's
  std::string cgroup;
  std::optional<uint32_t> state;  // of enum fxr_task_state, for off_cpu
  // exit: the status, and whether it must be this one or any other; none: any.
  std::optional<int> status;
  bool other_status = false;
  std::string name;  // the alert's, or the regular expression
  // Pressure: cpu, memory or io; some or full; ns of stall in a window of ns.
  std::string resource;
  std::string share;
  uint64_t stall = 0;
  uint64_t window = 0;

  std::optional<uint64_t> before;  // ns; nothing: the command line's
  std::optional<uint64_t> after;
  uint64_t per_minute = kDefaultPerMinute;  // at most
  uint64_t count = kDefaultCount;           // at most, in all

  // True if the trigger scans the slots.
  bool watches_slots() const { return kind <= TriggerKind::kSlice; }
};

util::Result<TriggerSpec> ParseTrigger(std::string_view text);

}  // namespace session
