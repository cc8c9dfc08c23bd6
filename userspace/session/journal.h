// SPDX-License-Identifier: BSD-2-Clause
// Who tasks were, and what else comes beside the slots, for as long as the slots are kept: events
// of the side ring as they came, in memory. Old ones are taken out at the front; what was shared
// with a reader stays as it is until the reader is done.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>
#include <memory>
#include <vector>

#include "fxt_record/event.h"

namespace session {

// Types of header.type for what a journal holds besides enum fxr_side_type.
enum JournalType : uint8_t {
  kJournalLoss = 0xf0,  // JournalLoss
  kJournalClock,        // JournalClock
  kJournalStopped,      // header only
  kJournalStarted,      // header only
  kJournalBranches,     // see journal_items.h
  kJournalMapping,      // likewise
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

// Used from one thread; views from any.
class Journal {
 public:
  // Copies header.size bytes. Times hardly ever go back. The copy may be changed until it is
  // shared.
  fxr_side_header& Append(const fxr_side_header& event);
  template <typename Item>
  void AppendItem(JournalType type, uint64_t time, Item item) {
    item.header = {time, type, 0, 0, sizeof(item)};
    Append(item.header);
  }
  void AppendMark(JournalType type, uint64_t time) {
    Append({time, type, 0, 0, sizeof(fxr_side_header)});
  }

  // Calls visit(const fxr_side_header&) for those up to and including `time`, oldest first, and
  // forgets them.
  template <typename Visit>
  void Take(uint64_t time, Visit visit) {
    while (const fxr_side_header* event = Front()) {
      if (event->time > time) return;
      visit(*event);
      Pop();
    }
  }
  // The oldest; null: none.
  const fxr_side_header* Front() const;
  void Clear() { chunks_.clear(); }
  // Bytes of memory.
  size_t bytes() const { return bytes_; }

  class View;
  // What is there now.
  View Share() const;

 private:
  struct Chunk {
    explicit Chunk(size_t capacity) : data(capacity / sizeof(uint64_t)) {}
    std::vector<uint64_t> data;  // never grows: views read it
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
  // The next one, and the one after it from then on; null at the end.
  const fxr_side_header* Front() const {
    return part_ < parts_.size() ? At(*parts_[part_].chunk, parts_[part_].begin) : nullptr;
  }
  void Pop();

 private:
  friend class Journal;
  std::vector<Part> parts_;
  size_t part_ = 0;
};

}  // namespace session
