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
// kEqual is one of any column, by which rows are found that are kept (kept_rows.h).
enum class Condition : uint8_t { kAfter, kFrom, kBefore, kUpTo, kAt, kCpu, kTid, kEqual };

struct ScanPlan {
  uint64_t columns = 0;               // bit i: column i is looked at
  std::vector<Condition> conditions;  // in the order of their values
  std::vector<uint8_t> grouped_by;    // columns; empty: rows come as they come
  // Bit i: the value of condition i may be another one in each scan of a statement: it is of
  // another table.
  uint64_t varying = 0;
  // The column whose values choose rows when there are several scans.
  std::optional<uint8_t> key = std::nullopt;
  // The condition that the key has to be equal to; none: the times from and to.
  std::optional<uint8_t> key_condition = std::nullopt;
  // The column of each condition, and its operator as SQLITE_INDEX_CONSTRAINT_*; kListed if the value is a list.
  std::vector<uint8_t> operands = {};
  std::vector<uint8_t> operations = {};
  // Bit i: window i of the statement is looked at.
  uint64_t windows = 0;
  static constexpr uint8_t kListed = 255;

  std::string Encode() const;
  static ScanPlan Decode(std::string_view text);
};

// Narrows `filter`. No row that meets the condition is lost; there may be some that do not.
void Narrow(tables::RowFilter& filter, Condition condition, int64_t value);
void Narrow(tables::RowFilter& filter, Condition condition, double value);

}  // namespace query
