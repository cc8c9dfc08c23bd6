// SPDX-License-Identifier: BSD-2-Clause
// The categories by name.
#pragma once

#include <bitset>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fxt_record/event.h"
#include "util/result.h"

namespace capture {

// A kernel tracepoint and the BPF program of the same name.
struct Tracepoint {
  // See event_table.h. A kPerf entry is a perf software event.
  enum class Way : uint8_t {
    kSlot,
    kMaySlot,
    kSide,
    kMaySide,
    kIdentity,
    kBeside,
    kMayBeside,
    kPerf
  };

  fxr_category category;
  std::string_view tracepoint;
  std::string_view name;  // of the event
  Way way;

  // The category can be recorded without it.
  bool may_be_missing() const {
    return way == Way::kMaySlot || way == Way::kMaySide || way == Way::kMayBeside;
  }
};

struct Category {
  fxr_category id;
  std::string_view name;
  std::string_view description;
  bool by_default;
  // All are required except those that may be missing.
  std::span<const Tracepoint> tracepoints;
};

// The contents of event_table.h, in its order.
std::span<const Tracepoint> AllTracepoints();
std::span<const Category> AllCategories();
const Category* FindCategory(std::string_view name);

using CategorySet = std::bitset<FXR_CATEGORIES>;

// The selection of `-c`.
struct CategorySelection {
  CategorySet wanted;
  // Selected by name, so a missing one is an error; in a group it is a note.
  CategorySet by_name;
  // Names of `syscall:a,b`; empty: all.
  std::vector<std::string> syscalls;
  // Names of `sched:a,b`, from SchedEvents(); empty: all.
  std::vector<std::string> sched_events;
  // Names of `stack:a,b`, from StackParts(); empty: all.
  std::vector<std::string> stack_parts;
};

// The parts of `sched`, named after its events.
std::span<const Tracepoint> SchedEvents();

// The parts of `stack`: "off", "wake", "on". The last one has no tracepoint.
std::span<const std::string_view> StackParts();

// Parses a comma-separated list of category names, `default`, `all`, and `syscall:NAME`,
// `sched:NAME` or `stack:NAME`. Items after these that are not categories are further names of the
// same kind (`syscall:futex,read`, `sched:switch,waking`; `syscall:*` selects all).
util::Result<CategorySelection> ParseCategories(std::string_view list);
CategorySelection DefaultCategories();
// The list in the syntax of `-c`.
std::string DescribeCategories(const CategorySelection& selection);

}  // namespace capture
