// SPDX-License-Identifier: BSD-2-Clause
// Keeps the events of the side ring in memory as long as a buffer keeps its slots. Also keeps
// losses, changes of the clock, and events of perf's rings.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>
#include <memory>
#include <vector>

#include "fxt_record/event.h"
#include "model/identity_source.h"
#include "perf/record/branch_stack_sample.h"
#include "perf/record/record_decoder.h"

namespace session {

// Values of header.type for items of a journal, besides enum fxr_side_type.
enum JournalType : uint8_t {
  kJournalLoss = 0xf0,  // JournalLoss
  kJournalClock,        // JournalClock
  kJournalStopped,      // header only
  kJournalStarted,      // header only
  kJournalBranches,     // see AppendBranches
  kJournalMapping,      // see AppendMapping
};
struct JournalLoss {
  fxr_side_header header;
  int32_t cpu;
  uint32_t category;
  uint64_t count;
};
struct JournalClock {
  fxr_side_header header;
  int64_t offset;  // see capture::EventHandler::OnClockOffset
};

// Events are appended at the back and taken at the front, on one thread. A View stays valid while
// the journal changes, on any thread.
class Journal {
 public:
  // Copies header.size bytes and returns the copy, which may be changed until Share(). Events may
  // be slightly out of order.
  fxr_side_header& Append(const fxr_side_header& event);
  template <typename Item>
  void AppendItem(JournalType type, uint64_t time, Item item) {
    item.header = {time, type, 0, 0, sizeof(item)};
    Append(item.header);
  }
  void AppendMark(JournalType type, uint64_t time) {
    Append({time, type, 0, 0, sizeof(fxr_side_header)});
  }

  // Removes the events up to and including `time`, oldest first, and calls
  // visit(const fxr_side_header&) for each.
  template <typename Visit>
  void Take(uint64_t time, Visit visit) {
    while (const fxr_side_header* event = Front()) {
      if (event->time > time) return;
      visit(*event);
      Pop();
    }
  }
  // The oldest event; null if the journal is empty.
  const fxr_side_header* Front() const;
  void Clear() { chunks_.clear(); }
  // Memory in bytes.
  size_t bytes() const { return bytes_; }

  class View;
  // A view of the current content.
  View Share() const;

 private:
  struct Chunk {
    explicit Chunk(size_t capacity) : data(capacity / sizeof(uint64_t)) {}
    std::vector<uint64_t> data;  // never grows, because views read it
  };
  struct Part {
    std::shared_ptr<Chunk> chunk;
    size_t begin = 0;  // bytes
    size_t end = 0;
  };
  static const fxr_side_header* At(const Chunk& chunk, size_t offset) {
    return reinterpret_cast<const fxr_side_header*>(
        reinterpret_cast<const std::byte*>(chunk.data.data()) + offset);
  }
  static size_t Padded(size_t bytes) { return (bytes + 7) & ~size_t{7}; }
  void Pop();

  std::deque<Part> chunks_;
  size_t bytes_ = 0;
};

class Journal::View {
 public:
  // The next event; null at the end.
  const fxr_side_header* Front() const {
    return part_ < parts_.size() ? At(*parts_[part_].chunk, parts_[part_].begin) : nullptr;
  }
  void Pop();

 private:
  friend class Journal;
  std::vector<Part> parts_;
  size_t part_ = 0;
};

// Appends the identity of a task as a fork and a rename with FXR_SIDE_NAMES_ONLY. `time`: ns of
// CLOCK_MONOTONIC. Returns the fork in the journal.
const fxr_side_header& AppendKnownTask(uint64_t time, const fxr_task& task, Journal& journal);

// Items of type kJournalBranches.
void AppendBranches(const perf::BranchStackSample& sample, Journal& journal);
perf::BranchStackSample ReadBranches(const fxr_side_header& event);

// Items of type kJournalMapping. `time`: ns of CLOCK_MONOTONIC.
void AppendMapping(uint64_t time, const perf::MmapRecord& record, Journal& journal);
// Appends a mapping that exists already.
void AppendMapping(uint64_t time, uint32_t tgid, const model::ExecutableMapping& mapping,
                   Journal& journal);
// The file name of the result points into `event`.
perf::MmapRecord ReadMapping(const fxr_side_header& event);

}  // namespace session
