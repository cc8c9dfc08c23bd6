// SPDX-License-Identifier: BSD-2-Clause
// Whom a capture delivers to: what came out of the kernel, as it came, in the order of its times.
// What becomes of it, records of a file or a log to be read later, is not the capture's business.
#pragma once

#include <cstdint>
#include <tuple>

#include "capture/slot_stream.h"
#include "fxt_record/event.h"
#include "perf/record/branch_stack_sample.h"
#include "perf/record/record_decoder.h"

namespace capture {

// Times are ns of the kernel's CLOCK_MONOTONIC. All calls come from the thread that drains.
class EventHandler {
 public:
  virtual ~EventHandler() = default;

  // What to add to times to have those of CLOCK_BOOTTIME, ns: of all that follows. Before all
  // else, and after the machine was suspended.
  virtual void OnClockOffset(int64_t offset) = 0;
  // A task that exists at the start.
  virtual void OnSnapshotTask(const fxr_task& task) = 0;
  // All tasks were told; events from `time` on are those of the recording, and earlier ones that
  // still come only name tasks.
  virtual void OnStart(uint64_t time) = 0;
  // Takes all of the stream (SlotStream::ForEach) and returns what that did. In between the other
  // events come.
  virtual bool OnSlots(SlotStream& slots) = 0;
  // An event of the side ring, of header.size bytes, good during the call.
  virtual void OnSideEvent(const fxr_side_header& event) = 0;
  virtual void OnBranchSample(const perf::BranchStackSample& sample) = 0;
  // `record.file` is good during the call.
  virtual void OnMapping(uint64_t time, const perf::MmapRecord& record) = 0;
  // A loss that no slot tells of, of an fxr_category. `cpu` -1: not tied to one.
  virtual void OnLoss(int32_t cpu, uint64_t time, uint32_t category, uint64_t count) = 0;
  // Now and then: everything up to about now was delivered.
  virtual void OnTick(uint64_t time) = 0;
  // After the last event, for each task that exists then.
  virtual void OnFinalTask(const fxr_task& task) = 0;
};

// Delivers to each of `Takers` in their order, which have functions of these names and, in place of
// OnSlots, OnSlot(cpu, time, commit, body): called for each slot without a detour.
template <typename... Takers>
class HandlerOf final : public EventHandler {
 public:
  // They outlive the handler.
  explicit HandlerOf(Takers&... takers) : takers_(&takers...) {}

  void OnClockOffset(int64_t offset) override {
    ForAll([&](auto& taker) { taker.OnClockOffset(offset); });
  }
  void OnSnapshotTask(const fxr_task& task) override {
    ForAll([&](auto& taker) { taker.OnSnapshotTask(task); });
  }
  void OnStart(uint64_t time) override {
    ForAll([&](auto& taker) { taker.OnStart(time); });
  }
  bool OnSlots(SlotStream& slots) override {
    return slots.ForEach([takers = takers_](uint32_t cpu, const SlotEvent& event) {
      std::apply(
          [&](auto*... taker) { (taker->OnSlot(cpu, event.time, event.commit, event.body), ...); },
          takers);
    });
  }
  void OnSideEvent(const fxr_side_header& event) override {
    ForAll([&](auto& taker) { taker.OnSideEvent(event); });
  }
  void OnBranchSample(const perf::BranchStackSample& sample) override {
    ForAll([&](auto& taker) { taker.OnBranchSample(sample); });
  }
  void OnMapping(uint64_t time, const perf::MmapRecord& record) override {
    ForAll([&](auto& taker) { taker.OnMapping(time, record); });
  }
  void OnLoss(int32_t cpu, uint64_t time, uint32_t category, uint64_t count) override {
    ForAll([&](auto& taker) { taker.OnLoss(cpu, time, category, count); });
  }
  void OnTick(uint64_t time) override {
    ForAll([&](auto& taker) { taker.OnTick(time); });
  }
  void OnFinalTask(const fxr_task& task) override {
    ForAll([&](auto& taker) { taker.OnFinalTask(task); });
  }

 private:
  template <typename Call>
  void ForAll(Call call) {
    std::apply([&](auto*... taker) { (call(*taker), ...); }, takers_);
  }

  std::tuple<Takers*...> takers_;
};

}  // namespace capture
