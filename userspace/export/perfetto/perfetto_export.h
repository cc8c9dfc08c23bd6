// SPDX-License-Identifier: BSD-2-Clause
// A trace as a Perfetto trace: what Perfetto's viewer and its SQL show of Linux and cannot see in
// an FXT file.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "export/perfetto/event_packets.h"
#include "export/perfetto/packet_stream.h"
#include "export/perfetto/sched_packets.h"
#include "export/perfetto/stack_packets.h"
#include "export/perfetto/task_numbers.h"
#include "facts/task_names.h"
#include "facts/timeline/held_waits.h"
#include "facts/timeline/timeline.h"
#include "fxt/byte_sink.h"
#include "fxt/reader.h"

namespace exporting::perfetto {

// Turns the records of a trace into Perfetto's packets, in one pass and in bounded memory:
//
//   PerfettoExport exporter(sink, SampleFormat::kStackSample);
//   while (reader.Next() == fxt::ReadStatus::kRecord) exporter.Add(reader);
//   exporter.Finish();
//
// Runs, states, wakers and reasons come from facts::Timeline, so that they are those of `fxt
// query`.
class PerfettoExport {
 public:
  struct Counts {
    uint64_t packets = 0;
    uint64_t bytes = 0;
    uint64_t undefined_stacks = 0;  // samples whose stack is not in the trace
    uint64_t left_out = 0;          // async events without a begin, or beyond the limit of memory
  };

  // `sink` must outlive it.
  PerfettoExport(fxt::ByteSink& sink, SampleFormat format);

  // The record that `reader` stands at. False after the sink has failed.
  bool Add(const fxt::Reader& reader);
  // Writes what is left, and ends what goes on at the end of the trace.
  bool Finish();

  Counts counts() const;

 private:
  // Facts of the timeline become switches: each run, idle time or gap of a CPU begins with one.
  struct Facts {
    PerfettoExport& exporter;
    void OnRun(const facts::Run& run) const { exporter.AddRun(run); }
    void OnIdle(const facts::Idle& idle) const { exporter.AddIdle(idle); }
    void OnGap(const facts::Gap& gap) const { exporter.AddGap(gap); }
    void OnWait(const facts::Wait& wait) const { exporter.AddWait(wait); }
  };
  // The name of a thread in Perfetto, by the last kernel object.
  struct Task {
    uint64_t names = 0;  // names_generation_ when it was looked up; 0: never
    int32_t pid = 0;
    std::string comm;
  };
  // A wakeup by a thread, which is written when the next event of its CPU is known.
  struct PendingWaking {
    uint64_t time = 0;  // 0: none
    fxt::Koid waker = 0;
    fxt::Koid thread = 0;
    uint32_t target_cpu = 0;
  };
  struct Cpu {
    int64_t left_state = 0;  // raw, of what was on it last
    uint64_t end = 0;        // of that
    facts::Bound ended = facts::Bound::kSeen;
    uint64_t came_at = 0;  // the last switch record
    fxt::Koid came = 0;
    bool came_idle = true;
    PendingWaking waking;
  };
  // Time in which a CPU's events were lost.
  struct LostTime {
    uint32_t cpu = 0;
    uint64_t begin = 0;
    uint64_t end = 0;
  };
  // A sleep in D that has ended.
  struct BlockedSleep {
    int32_t pid = 0;
    uint64_t end = 0;
  };
  struct BlockedSleepWriter {
    PerfettoExport& exporter;
    void operator()(const BlockedSleep& sleep, const std::string& reason) const {
      exporter.WriteReason(sleep, reason);
    }
  };

  void AddKernelRecord(const fxt::Reader& reader);
  void AddRun(const facts::Run& run);
  void AddIdle(const facts::Idle& idle);
  void AddGap(const facts::Gap& gap);
  void AddWait(const facts::Wait& wait);
  void AddWakeup(const facts::Wakeup& wakeup);
  void AddLostRun(const SchedTask& task, uint64_t begin, uint64_t end);
  void AddObject(const fxt::KernelObject& object);
  void AddLog(const fxt::Reader& reader, const fxt::Log& log);
  void WriteReason(const BlockedSleep& sleep, const std::string& reason);
  void BeginWithSession(const fxt::Event& session, uint64_t time);
  void AddSwitch(const facts::Switch& change);
  // From `begin` on `task` is on `cpu`, up to `end`, where it leaves in the raw state `left`.
  void Occupy(uint32_t cpu, uint64_t begin, const SchedTask& task, int64_t left, uint64_t end,
              facts::Bound ended);
  void WriteWaking(uint32_t cpu, bool explicitly);
  // The pseudo thread of a CPU whose thread is unknown.
  SchedTask StandIn(uint32_t cpu, facts::Gap::Why why);
  Cpu& CpuAt(uint32_t number) {
    if (number >= cpus_.size()) cpus_.resize(number + size_t{1});
    return cpus_[number];
  }
  const Task& TaskOf(facts::ThreadIndex index, fxt::Koid koid);

  PacketStream stream_;
  TaskNumbers numbers_;
  facts::TaskNames names_;
  RawStates states_;
  SchedPackets sched_;
  EventPackets events_;
  StackPackets stacks_;
  facts::HeldWaits<BlockedSleep, BlockedSleepWriter> blocked_{BlockedSleepWriter{*this}};
  Facts facts_{*this};
  facts::Timeline<Facts> timeline_{facts_};
  uint64_t names_generation_ = 1;
  std::vector<Task> tasks_;  // by facts::ThreadIndex
  Task unnumbered_;          // of threads without an index
  std::vector<Cpu> cpus_;
  std::deque<LostTime> lost_times_;  // the last ones
  bool begun_ = false;
};

}  // namespace exporting::perfetto
