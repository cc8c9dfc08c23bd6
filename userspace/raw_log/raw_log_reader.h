// SPDX-License-Identifier: BSD-2-Clause
// Reads a raw log back, to whoever takes raw events.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "fxt/byte_source.h"
#include "fxt_record/event.h"
#include "perf/record/branch_stack_sample.h"
#include "perf/record/record_decoder.h"
#include "raw_log/raw_log_format.h"
#include "raw_log/replayed_identities.h"
#include "util/byte_cursor.h"
#include "util/result.h"

namespace raw_log {

// Any bytes may be read: what is not a log, or a damaged one, is an error. A log that ends in the
// middle of an item, as after a kill, ends before it.
class RawLogReader {
 public:
  // `source` outlives the reader.
  explicit RawLogReader(fxt::ByteSource& source) : source_(source) {}

  // Delivers all of it in the order in which it was written, as capture::HandlerOf would to
  // `taker`, whose questions `identities` answers as they were answered then.
  template <typename Taker>
  util::Status Replay(Taker& taker, ReplayedIdentities& identities);

 private:
  struct Slot {
    uint32_t cpu;
    uint64_t time, commit, body;
  };
  struct SideEvent {
    const fxr_side_header* event;
  };
  struct Mapping {
    uint64_t time;
    perf::MmapRecord record;
  };
  struct Loss {
    int32_t cpu;
    uint32_t category;
    uint64_t time, count;
  };
  struct Tick {
    uint64_t time;
  };
  struct ClockOffset {
    int64_t offset;
  };
  struct SnapshotTask {
    fxr_task task;
  };
  struct Start {
    uint64_t time;
  };
  struct FinalTask {
    fxr_task task;
  };
  using Event = std::variant<Slot, SideEvent, perf::BranchStackSample, Mapping, Loss, Tick,
                             ClockOffset, SnapshotTask, Start, FinalTask>;

  // The next event, after the answers before it went to `identities`; nothing at the end.
  util::Result<std::optional<Event>> Next(ReplayedIdentities& identities);
  // False when there are fewer.
  bool Fill(size_t bytes);
  util::Error Damaged() const;
  std::optional<Event> Decode(const ItemHeader& header) const;

  fxt::ByteSource& source_;
  bool begun_ = false;
  uint64_t offset_ = 0;          // of the item
  std::vector<uint64_t> words_;  // the item, or as much as was read of it
  size_t filled_ = 0;            // bytes
};

template <typename Taker>
util::Status RawLogReader::Replay(Taker& taker, ReplayedIdentities& identities) {
  for (;;) {
    auto next = Next(identities);
    if (!next) return next.TakeError();
    if (!*next) return util::Ok();
    const Event& event = **next;
    if (const auto* slot = std::get_if<Slot>(&event)) {
      taker.OnSlot(slot->cpu, slot->time, slot->commit, slot->body);
    } else if (const auto* side = std::get_if<SideEvent>(&event)) {
      taker.OnSideEvent(*side->event);
    } else if (const auto* sample = std::get_if<perf::BranchStackSample>(&event)) {
      taker.OnBranchSample(*sample);
    } else if (const auto* mapping = std::get_if<Mapping>(&event)) {
      taker.OnMapping(mapping->time, mapping->record);
    } else if (const auto* loss = std::get_if<Loss>(&event)) {
      taker.OnLoss(loss->cpu, loss->time, loss->category, loss->count);
    } else if (const auto* tick = std::get_if<Tick>(&event)) {
      taker.OnTick(tick->time);
    } else if (const auto* clock = std::get_if<ClockOffset>(&event)) {
      taker.OnClockOffset(clock->offset);
    } else if (const auto* present = std::get_if<SnapshotTask>(&event)) {
      taker.OnSnapshotTask(present->task);
    } else if (const auto* start = std::get_if<Start>(&event)) {
      taker.OnStart(start->time);
    } else if (const auto* last = std::get_if<FinalTask>(&event)) {
      taker.OnFinalTask(last->task);
    }
  }
}

}  // namespace raw_log
