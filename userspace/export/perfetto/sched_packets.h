// SPDX-License-Identifier: BSD-2-Clause
// Scheduling as Perfetto records it: FtraceEventBundle with CompactSched.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "export/perfetto/packet_stream.h"
#include "fxt/text_map.h"
#include "fxt_record/event.h"

namespace exporting::perfetto {

// Raw values of sched_switch's prev_state, which differ between kernels. Perfetto decodes them by
// the release in SystemInfo, and takes 4.4 without one.
class RawStates {
 public:
  // `release` as of uname(2). Releases before 4.14, and texts that are none, give the values
  // of 4.4; then SystemInfo may not name the release.
  explicit RawStates(std::string_view release);

  bool is_current() const { return current_; }
  int64_t Of(fxr_task_state state) const;
  // The state for a thread whose switch-out or state is unknown: asleep. Perfetto then counts no
  // time of it as waiting for a CPU.
  static constexpr int64_t kUnknown = 1;  // TASK_INTERRUPTIBLE

 private:
  bool current_ = false;
};

// A task as sched events have it. `comm` must stay valid during the call.
struct SchedTask {
  int32_t pid = 0;  // of the thread; 0: the CPU is idle
  int32_t priority = 0;
  std::string_view comm;
};

// Collects switches and wakings by CPU and writes a bundle for each few thousand. The packet stream
// must outlive it.
class SchedPackets {
 public:
  // Limit of Perfetto, in packet streams and files; events of CPUs above it are left out.
  static constexpr uint32_t kMaxCpus = 1024;

  explicit SchedPackets(PacketStream& stream)
      : stream_(stream), symbols_(interned::kKernelSymbols) {}

  // From `time` on `task` is on `cpu`; what was there left in `state`, a raw prev_state. Times of
  // one CPU do not decrease.
  void Switch(uint32_t cpu, uint64_t time, int64_t state, const SchedTask& task);
  // `task` comes and leaves at `time`, which is within the time that `occupant` has on `cpu`. May
  // be called in any order of times.
  void Visit(uint32_t cpu, uint64_t time, const SchedTask& task, const SchedTask& occupant);
  // `task` is woken on `cpu` by the thread that runs there, or by an interrupt there.
  void Waking(uint32_t cpu, uint64_t time, const SchedTask& task, uint32_t target_cpu,
              bool by_interrupt);
  // The same where the waker is known and its CPU is not.
  void WakingBy(int32_t waker, uint64_t time, const SchedTask& task, uint32_t target_cpu);
  // Why the last uninterruptible sleep of a thread lasted, at a time from its begin to the moment
  // that the thread runs again.
  void BlockedReason(int32_t pid, uint64_t time, std::string_view reason, bool io);
  // Events of `cpu` were lost; the next bundle of it says so.
  void Lost(uint32_t cpu);

  // Writes what is collected.
  void Flush();

 private:
  static constexpr size_t kBundleEvents = 2048;
  using Varints = std::vector<std::byte>;

  struct Cpu {
    bool begun = false;  // a switch was written
    bool lost = false;
    size_t events = 0;
    uint64_t last_switch = 0;  // of this bundle; 0: none
    uint64_t last_waking = 0;
    Varints switch_timestamp, switch_prev_state, switch_next_pid, switch_next_prio, switch_comm;
    Varints waking_timestamp, waking_pid, waking_target, waking_prio, waking_comm, waking_flags;
    std::vector<std::string> comms;
    fxt::TextMap<uint32_t> comm_numbers;
  };

  Cpu* At(uint32_t cpu);
  static uint64_t CommNumber(Cpu& cpu, std::string_view comm);
  void Full(uint32_t number, Cpu& cpu) {
    if (++cpu.events >= kBundleEvents) WriteBundle(number, cpu);
  }
  void WriteBundle(uint32_t number, Cpu& cpu);
  void WriteSwitch(uint32_t cpu, uint64_t time, const SchedTask& left, int64_t state,
                   const SchedTask& came);
  // A bundle with one event of its own; `fill` appends the fields of the event.
  template <typename Fill>
  void WriteEvent(uint32_t cpu, uint64_t time, int32_t pid, const ProtoWriter* entries,
                  Fill&& fill);

  PacketStream& stream_;
  InternedTexts symbols_;
  std::vector<Cpu> cpus_;
};

}  // namespace exporting::perfetto
