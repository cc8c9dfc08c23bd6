// SPDX-License-Identifier: BSD-2-Clause
// Selects records by kind, time, thread, process, CPU and category.
#pragma once

#include <bitset>
#include <cstdint>
#include <limits>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "facts/record_kind.h"
#include "facts/task_names.h"
#include "fxt/reader.h"
#include "util/result.h"

namespace analyze {

// A time on a command line: relative to the first record with a time ("1.5s", "20ms"), or "@" and
// an absolute one in ns or with a unit ("@123456789012", "@12.5s").
struct Moment {
  bool absolute = false;
  uint64_t ns = 0;
};
util::Result<Moment> ParseMoment(const std::string& text);

// A range, both ends inclusive; an empty end is open.
class TimeRange {
 public:
  TimeRange() = default;
  TimeRange(std::optional<Moment> from, std::optional<Moment> to) : from_(from), to_(to) {}

  bool limited() const { return from_ || to_; }
  // Sets the time of the first record with a time, to which relative times refer.
  void SetStart(uint64_t start);
  bool started() const { return started_; }
  uint64_t from() const { return begin_; }
  uint64_t to() const { return end_; }
  bool Contains(uint64_t time) const { return time >= begin_ && time <= end_; }

 private:
  std::optional<Moment> from_;
  std::optional<Moment> to_;
  bool started_ = false;
  uint64_t begin_ = 0;
  uint64_t end_ = std::numeric_limits<uint64_t>::max();
};

// Selects threads or processes by koid or by name.
class TaskSelector {
 public:
  // A number is a koid or a Linux id (of all tasks that had a reused tid); other text is a name.
  // '*' and '?' match as in a shell.
  void Add(const std::string& text);
  bool empty() const { return ids_.empty() && patterns_.empty(); }
  bool Matches(fxt::Koid koid, std::string_view name) const;

 private:
  std::set<fxt::Koid> ids_;
  std::vector<std::string> patterns_;
};

struct RecordFilter {
  std::bitset<facts::kRecordKinds> kinds;  // empty: all
  TimeRange time;
  TaskSelector threads;
  TaskSelector processes;
  std::set<uint32_t> cpus;           // empty: all
  std::set<std::string> categories;  // of events; empty: all

  // `cpu` is the CPU of the record from CpuTracker. Records without the compared property (no time
  // if time is limited, no thread, ...) do not match.
  bool Matches(const fxt::Reader& reader, const facts::TaskNames& names,
               std::optional<uint32_t> cpu) const;

  // True if one of the threads of a record is selected: either side of a switch, the woken thread
  // of a wakeup. True without a selection.
  bool MatchesTasks(const fxt::Record& record, const facts::TaskNames& names) const;
  bool has_tasks() const { return !threads.empty() || !processes.empty(); }
};

}  // namespace analyze
