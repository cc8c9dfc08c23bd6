// SPDX-License-Identifier: BSD-2-Clause
// What can be recorded, by the names people ask for it.
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

// A kernel tracepoint, which the BPF program of the same name stands on.
struct Tracepoint {
  // See event_table.h. What is of way kPerf is no tracepoint, and stands here all the same.
  enum class Way : uint8_t { kSlot, kMaySlot, kSide, kMaySide, kIdentity, kBeside, kPerf };

  fxr_category category;
  std::string_view tracepoint;
  std::string_view name;  // the event's
  Way way;

  // Its category is recorded without it, too.
  bool may_be_missing() const { return way == Way::kMaySlot || way == Way::kMaySide; }
};

struct Category {
  fxr_category id;
  std::string_view name;
  std::string_view description;
  bool by_default;
  // All of them have to exist but those that may be missing.
  std::span<const Tracepoint> tracepoints;
};

// What event_table.h says, in its order.
std::span<const Tracepoint> AllTracepoints();
std::span<const Category> AllCategories();
const Category* FindCategory(std::string_view name);

using CategorySet = std::bitset<FXR_CATEGORIES>;

// What `-c` asked for.
struct CategorySelection {
  CategorySet wanted;
  // Asked for by its own name, so that not having it is an error; a group only notes it.
  CategorySet by_name;
  // Names of `syscall:a,b`; empty: all.
  std::vector<std::string> syscalls;
  // Names of `sched:a,b`, out of SchedEvents(); empty: all.
  std::vector<std::string> sched_events;
  // Names of `stack:a,b`, out of StackParts(); empty: all.
  std::vector<std::string> stack_parts;
};

// The parts of `sched` that can be asked for alone: the names of its tracepoints' events.
std::span<const Tracepoint> SchedEvents();

// Those of `stack`: "off", "wake", "on". The last one stands on no tracepoint.
std::span<const std::string_view> StackParts();

// Reads a comma-separated list: category names, `default`, `all`, and `syscall:NAME`,
// `sched:NAME` or `stack:NAME` where the following items that are not categories are further names
// of the same kind
// (`syscall:futex,read`, `sched:switch,waking`; `syscall:*` is all of them).
util::Result<CategorySelection> ParseCategories(std::string_view list);
CategorySelection DefaultCategories();
// The list as it would be asked for.
std::string DescribeCategories(const CategorySelection& selection);

}  // namespace capture
