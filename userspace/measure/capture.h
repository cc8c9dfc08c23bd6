// SPDX-License-Identifier: BSD-2-Clause
// The figures of a capture for reports and comparisons: sums, counts and distributions by
// group of threads. All times are ns of the capture's clock, all lengths are ns.
//
// Collector makes it from a trace; summary_file reads and writes it. A comparison does not need the
// trace. Captures of one machine can be merged: each sum is the sum of both.
#pragma once

#include <algorithm>
#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "facts/timeline/share.h"
#include "facts/timeline/waits_for.h"
#include "measure/distribution.h"
#include "measure/group_name.h"
#include "measure/request_stats.h"
#include "measure/settings.h"
#include "measure/waited_object.h"

namespace measure {

// Threads that do the same: those with the same names, runs of digits folded to '#'
// ("kworker/3:1" and "kworker/0:0" are "kworker/#:#").
struct GroupName {
  std::string process;
  std::string thread;
  // True for threads in the process tree of the recorded command. Threads of the same name outside
  // of the tree are another group. Always false in captures without a command.
  bool of_command = false;

  auto operator<=>(const GroupName&) const = default;
};

// Events with a duration.
enum class Duration : uint8_t {
  kSlice,          // a run, from the switch in to the switch out
  kWakeupLatency,  // from the wakeup, or from the creation, to the first run
  kPreemptedWait,  // from leaving a CPU runnable to the next run
  kSleep,          // asleep in S, P or I, up to the wakeup
  kBlocked,        // asleep in D, up to the wakeup
  kIrq,            // a handler of a hardware interrupt, on the interrupted thread
  kSoftirq,        // a softirq, on the interrupted thread
  kForAnswer,      // of kSleep: for an answer, or for the exit of a child (facts::WaitsFor)
  kForLock,        // of kSleep: for a lock
  kForWork,        // of kSleep: for work
};
inline constexpr size_t kDurations = 10;
// Their names in files.
inline constexpr std::array<const char*, kDurations> kDurationNames = {
    "slice", "wakeup_latency", "preempted_wait",   "sleep",          "blocked",
    "irq",   "softirq",        "sleep_for_answer", "sleep_for_lock", "sleep_for_work"};

// Time that a group spent because of another one.
enum class Attribution : uint8_t {
  kHeldCpu,       // runnable, while threads of the other one ran on the CPU that it was to run on
  kHeldCpuLower,  // the same, while they had a lower priority: inversion
  kWokenBy,       // asleep or blocked, until a thread of the other one woke it
  kPreemptedBy,   // it left a CPU runnable, and a thread of the other one came: `ns` up to its next
                  // run, which is in kHeldCpu too
  kAnsweredBy,    // of kWokenBy, without D: kForAnswer
  kLetGoBy,       // of kWokenBy, without D: kForLock
  kGivenWorkBy,   // of kWokenBy, without D: kForWork
};
inline constexpr size_t kAttributions = 7;
// Their names in files.
inline constexpr std::array<const char*, kAttributions> kAttributionNames = {
    "held_cpu",    "held_cpu_lower", "woken_by",     "preempted_by",
    "answered_by", "let_go_by",      "given_work_by"};
// Additional duration that a sleep counts as, by facts::WaitsFor; none for the rest.
struct SleepPart {
  Duration duration = Duration::kForAnswer;
  Attribution attribution = Attribution::kAnsweredBy;
};
constexpr std::optional<SleepPart> SleepPartOf(facts::WaitsFor waits_for) {
  switch (waits_for) {
    case facts::WaitsFor::kAnswer:
    case facts::WaitsFor::kChild:
      return SleepPart{Duration::kForAnswer, Attribution::kAnsweredBy};
    case facts::WaitsFor::kLock:
      return SleepPart{Duration::kForLock, Attribution::kLetGoBy};
    case facts::WaitsFor::kWork:
      return SleepPart{Duration::kForWork, Attribution::kGivenWorkBy};
    default:
      return std::nullopt;
  }
}
struct Blame {
  uint64_t count = 0;
  uint64_t ns = 0;
  // For kWokenBy: the part of `ns` in D, and the number of these waits.
  uint64_t blocked_ns = 0;
  uint64_t blocked = 0;
  bool operator==(const Blame&) const = default;
};

// Numbers of pseudo groups: wakeups by interrupts, a thread's own timer, a CPU's idle.
inline constexpr uint32_t kNoGroup = UINT32_MAX;  // unknown
inline constexpr uint32_t kInterrupt = UINT32_MAX - 1;

struct Group {
  GroupName name;
  // The names with their digits, where no other name of the capture folds to the same; else "".
  std::string exact_process;
  std::string exact_thread;
  // The name for reports: "sqlite3", but "kworker/#:#".
  GroupName shown() const {
    return {.process = exact_process.empty() ? name.process : exact_process,
            .thread = exact_thread.empty() ? name.thread : exact_thread,
            .of_command = name.of_command};
  }
  // The recorder itself.
  bool of_recorder = false;
  uint64_t threads = 0;  // that were there at some time of the capture
  // The time of its threads by state. The sum is `threads` times the length of the capture.
  std::array<uint64_t, facts::kShares> share_ns{};
  // The share kUnknown by facts::UnknownCause.
  std::array<uint64_t, facts::kUnknownCauses> unknown_ns{};

  uint64_t switches_voluntary = 0;    // left a CPU to sleep or to end
  uint64_t switches_involuntary = 0;  // left it runnable
  uint64_t wakeups = 0;               // of its threads, not those of running ones
  uint64_t migrations = 0;            // runs on another CPU than the run before
  uint64_t forked_processes = 0;      // created by its threads
  uint64_t forked_threads = 0;
  uint64_t inversion_ns = 0;  // runnable while a lower priority held the CPU
  // Runnable while another CPU was idle and its own one was not, whether it may run there or not.
  uint64_t unconserved_ns = 0;
  // Parts of both waits for a CPU by facts::RunnableReasons; they do not overlap.
  uint64_t affinity_ns = 0;
  uint64_t weight_ns = 0;
  uint64_t rt_throttled_ns = 0;
  uint64_t after_blocked_ns = 0;  // of the wakeup latency: right after D

  std::array<Distribution, kDurations> times;
  std::map<std::string, Distribution> syscalls;  // by name of the call

  // By number of the other group in Capture::groups, or kInterrupt or kNoGroup.
  std::array<std::map<uint32_t, Blame>, kAttributions> blames;
  // Purposes of its threads' sleeps, except work; only `count` and `ns`, and in a file no more than
  // kWaitedObjects, of which the last may be kOthers.
  static constexpr size_t kWaitedObjects = 64;
  std::map<WaitedObject, Blame> waited_objects;
  // The limits that held its threads back, with the time in ns: a part of the share `throttled`, of
  // no more than a few limits.
  static constexpr size_t kLimits = 8;
  std::map<facts::CpuLimit, uint64_t> limits;
  // The pids (tgids) of its threads, ascending, no more than a few: to tell a renamed group.
  static constexpr size_t kPids = 8;
  std::vector<uint64_t> pids;

  const Distribution& of(Duration kind) const { return times[static_cast<size_t>(kind)]; }
  Distribution& of(Duration kind) { return times[static_cast<size_t>(kind)]; }
  const std::map<uint32_t, Blame>& of(Attribution why) const {
    return blames[static_cast<size_t>(why)];
  }
  uint64_t of(facts::Share share) const { return share_ns[static_cast<size_t>(share)]; }
  bool operator==(const Group&) const = default;
};

struct Capture {
  // --- origin
  std::string file;      // as it was named
  std::string recorder;  // version of fxt-record; "" for other tools' files
  std::string host;
  std::string kernel;                // release
  std::string categories;            // as for -c
  std::string filters;               // "" none
  std::string trigger;               // the trigger, for captures around an event; otherwise ""
  std::string command;               // the recorded command, "" none
  std::optional<double> start_time;  // wall clock, seconds since 1970
  uint32_t cpus = 0;

  // --- how long
  uint64_t begin = 0;
  uint64_t end = 0;
  uint64_t length() const { return end - begin; }
  // From the command's start to its exit; empty without one, or when one of them is not in the
  // file.
  std::optional<uint64_t> elapsed_ns;

  // --- the machine
  uint64_t lost_events = 0;
  uint64_t unseen_switches = 0;
  struct Cpu {
    uint64_t busy_ns = 0;
    uint64_t idle_ns = 0;
    uint64_t unknown_ns = 0;
    bool operator==(const Cpu&) const = default;
  };
  std::vector<Cpu> by_cpu;  // by CPU number
  // All handlers of interrupts and softirqs, those that interrupted idle CPUs too, by name as the
  // trace has it, digits folded: "irq # virtio#-req.#", "softirq RCU".
  std::map<std::string, Distribution> handlers;

  std::vector<Group> groups;  // in order of their names

  // Requests that were chosen and ended within the capture; kOthers has those of further names.
  RequestMap requests;
  // Requests that are counted nowhere: there was no room, or they began before the window.
  uint64_t requests_left_out = 0;

  SettingMap settings;  // empty in files without settings

  // Adds another capture of the same machine: every sum is the sum, groups of one name are one, and
  // the length is that of both. Merging is associative, but for `begin`, `file` and the other words
  // about where it comes from, which stay those of this one.
  void Merge(const Capture& other);
  bool operator==(const Capture&) const = default;
};

}  // namespace measure
