// SPDX-License-Identifier: BSD-2-Clause
// What a scan is asked for: what SQLite's planner agrees on, as text that it keeps.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tables/rows/row_filter.h"

namespace query {

// A condition whose other side is known when the scan begins.
enum class Condition : uint8_t { kAfter, kFrom, kBefore, kUpTo, kAt, kCpu, kTid };

struct ScanPlan {
  uint64_t columns = 0;               // bit i: column i is looked at
  std::vector<Condition> conditions;  // in the order of their values
  std::vector<uint8_t> grouped_by;    // columns; empty: rows come as they come
  std::string Encode() const;
  static ScanPlan Decode(std::string_view text);
};

// Narrows `filter`. No row that meets the condition is lost; there may be some that do not.
void Narrow(tables::RowFilter& filter, Condition condition, int64_t value);
void Narrow(tables::RowFilter& filter, Condition condition, double value);

}  // namespace query
