// SPDX-License-Identifier: BSD-2-Clause
// The receiver of a capture's events: raw events of the kernel, in time order.
#pragma once

#include <cstdint>

#include "capture/slot_stream.h"
#include "fxt_record/event.h"
#include "perf/record/branch_stack_sample.h"
#include "perf/record/record_decoder.h"

namespace capture {

// Times are ns of the kernel's CLOCK_MONOTONIC. All calls come from the thread that drains.
class EventHandler {
 public:
  virtual ~EventHandler() = default;

  // `offset` ns added to the time of each event that follows gives CLOCK_BOOTTIME. The first call
  // of a capture; called again after the machine was suspended.
  virtual void OnClockOffset(int64_t offset) = 0;
  // A task that exists at the start.
  virtual void OnSnapshotTask(const fxr_task& task) = 0;
  // The snapshot of tasks is complete. Events from `time` on belong to the recording; earlier ones
  // that still arrive only name tasks.
  virtual void OnStart(uint64_t time) = 0;
  // Consumes the whole stream and returns the result of SlotStream::ForEach. The other events are
  // delivered in between.
  virtual bool OnSlots(SlotStream& slots) = 0;
  // An event of the side ring, of event.size bytes; valid during the call. See
  // schema/side_event.h.
  virtual void OnSideEvent(const fxr_side_header& event) = 0;
  // Scheduling events of `cpu` are lost from `time` on. Their number follows with the loss slot,
  // when the ring has room again.
  virtual void OnGap(uint32_t /*cpu*/, uint64_t /*time*/) {}
  virtual void OnBranchSample(const perf::BranchStackSample& sample) = 0;
  // `record.file` is valid during the call.
  virtual void OnMapping(uint64_t time, const perf::MmapRecord& record) = 0;
  // A loss that no loss slot reports. `category` is an fxr_category; `cpu` -1: not tied to a CPU.
  virtual void OnLoss(int32_t cpu, uint64_t time, uint32_t category, uint64_t count) = 0;
  // Called after each drain: events up to about `time` have been delivered.
  virtual void OnTick(uint64_t time) = 0;
  // After the last event, for each task that exists then.
  virtual void OnFinalTask(const fxr_task& task) = 0;
};

// Forwards to a `Taker` that has functions of these names and, in place of OnSlots,
// OnSlot(cpu, time, commit, body). OnSlot becomes part of the merge loop: a virtual call per slot
// costs too much at millions of slots a second.
template <typename Taker>
class HandlerOf final : public EventHandler {
 public:
  // `taker` outlives the handler.
  explicit HandlerOf(Taker& taker) : taker_(taker) {}

  void OnClockOffset(int64_t offset) override { taker_.OnClockOffset(offset); }
  void OnSnapshotTask(const fxr_task& task) override { taker_.OnSnapshotTask(task); }
  void OnStart(uint64_t time) override { taker_.OnStart(time); }
  bool OnSlots(SlotStream& slots) override {
    return slots.ForEach([&taker = taker_](uint32_t cpu, const SlotEvent& event) {
      taker.OnSlot(cpu, event.time, event.commit, event.body);
    });
  }
  void OnSideEvent(const fxr_side_header& event) override { taker_.OnSideEvent(event); }
  void OnGap(uint32_t cpu, uint64_t time) override { taker_.OnGap(cpu, time); }
  void OnBranchSample(const perf::BranchStackSample& sample) override {
    taker_.OnBranchSample(sample);
  }
  void OnMapping(uint64_t time, const perf::MmapRecord& record) override {
    taker_.OnMapping(time, record);
  }
  void OnLoss(int32_t cpu, uint64_t time, uint32_t category, uint64_t count) override {
    taker_.OnLoss(cpu, time, category, count);
  }
  void OnTick(uint64_t time) override { taker_.OnTick(time); }
  void OnFinalTask(const fxr_task& task) override { taker_.OnFinalTask(task); }

 private:
  Taker& taker_;
};

}  // namespace capture
