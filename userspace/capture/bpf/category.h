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

struct Category {
  fxr_category id;
  std::string_view name;
  std::string_view description;
  bool by_default;
  // Kernel tracepoints it stands on; all of them have to exist.
  std::span<const std::string_view> tracepoints;
};

// In the order of their names' usefulness; `lbr` stands on no tracepoint.
std::span<const Category> AllCategories();
const Category* FindCategory(std::string_view name);
std::string_view CategoryName(fxr_category id);

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
};

// The parts of `sched` that can be asked for alone: switch, waking, wakeup_new, migrate. Each is a
// tracepoint, named as the kernel names it less "sched_" and "_task".
std::span<const std::string_view> SchedEvents();

// Reads a comma-separated list: category names, `default`, `all`, and `syscall:NAME` or
// `sched:NAME` where the following items that are not categories are further names of the same kind
// (`syscall:futex,read`, `sched:switch,waking`; `syscall:*` is all of them).
util::Result<CategorySelection> ParseCategories(std::string_view list);
CategorySelection DefaultCategories();
// The list as it would be asked for.
std::string DescribeCategories(const CategorySelection& selection);

}  // namespace capture
